/**
 * A thread as Markdown. What was said stays Markdown, but cannot pass for the page's own: its headings are lower than the
 * page's, its HTML is text, it loads no image and closes no fence of ours.
 */
import type { ThreadReader } from '../session-reader.js';
import {
  closingWords,
  type ExportedItem,
  exportedTurns,
  PageMask,
  type PageOptions,
  pageFacts,
  splitFences,
  summaryOf,
} from './exported-turns.js';

export interface Page {
  /** The page, piece by piece. */
  pieces(): AsyncGenerator<string, void>;
  /** Secrets that were masked; whole once all pieces were taken. */
  readonly masked: () => number;
}

export function markdownPage(reader: ThreadReader, options: PageOptions): Page {
  const mask = new PageMask(options);
  async function* pieces(): AsyncGenerator<string, void> {
    const { title, facts } = await pageFacts(reader, mask);
    yield `# ${inline(title)}\n\n${facts.map(([label, value]) => `- ${label}: ${inline(value)}\n`).join('')}`;
    for await (const { number, turn, items } of exportedTurns(reader, mask, options)) {
      const notes = [turn.startedAt, turn.status === 'completed' ? null : turn.status.replace('_', ' ')];
      const note = notes.filter((part) => part !== null).join(', ');
      yield `\n## Turn ${number}${note === '' ? '' : ` · ${note}`}\n`;
      for (const item of items) yield itemText(item);
    }
    yield `\n---\n\n${closingWords(mask, options)}\n`;
  }
  return { pieces, masked: () => mask.count };
}

function itemText(item: ExportedItem): string {
  const { kind, text } = item;
  switch (kind) {
    case 'user':
    case 'assistant':
      return `\n### ${kind === 'user' ? 'User' : 'Assistant'}\n\n${said(text)}\n`;
    case 'error':
      return `\n### Error\n\n${fenced(text, '')}\n`;
    default:
      return `\n<details><summary>${html(summaryOf(item))}</summary>\n\n${fenced(text, '')}\n\n</details>\n`;
  }
}

function said(text: string): string {
  return splitFences(text)
    .map((part) => (part.kind === 'code' ? fenced(part.text, part.info) : plain(part.text)))
    .join('\n');
}

function plain(text: string): string {
  return (
    text
      .split('\n')
      // A heading of the page is at most of level three.
      .map((line) => line.replace(/^( {0,3})(#{1,6})(?=\s|$)/, (_all, indent: string) => `${indent}####`))
      // A line of these would make a heading of the one above.
      .map((line) => line.replace(/^( {0,3})([=-])(?=[=-]*\s*$)/, '$1\\$2'))
      .map((line) => line.replace(/&(?=#?\w+;)/g, '&amp;').replaceAll('<', '&lt;'))
      .map((line) => line.replaceAll('![', '!\\[').replace(/\b(javascript|vbscript|data):/gi, '$1&#58;'))
      .join('\n')
  );
}

/** A fence longer than any in the text. */
function fenced(text: string, info: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info.replace(/[^\w+#.-]/g, '').slice(0, 40)}\n${text}\n${fence}`;
}

/** On one line, with nothing that Markdown reads. */
function inline(text: string): string {
  return html(text).replace(/[\\`*_[\]#|~!]/g, '\\$&');
}

function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
