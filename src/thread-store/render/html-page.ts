/**
 * A thread as one HTML file that needs nothing else: no script, no font, no image from anywhere, and a policy that would not
 * load one. Every text is escaped; images are stand-ins, or, on a raw page, data that stands in the page itself.
 */
import { isJsonObject, type JsonValue } from '../../base/json.js';
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
import { PAGE_STYLE } from './html-style.js';
import type { Page } from './markdown-page.js';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** No SVG: it is a document of its own. */
const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;
const LABELS = { user: 'User', assistant: 'Assistant', error: 'Error' } as const;

export function htmlPage(reader: ThreadReader, options: PageOptions): Page {
  const mask = new PageMask(options);
  async function* pieces(): AsyncGenerator<string, void> {
    const { title, facts } = await pageFacts(reader, mask);
    yield [
      '<!doctype html>',
      '<html lang="en">',
      '<head>',
      '<meta charset="utf-8">',
      `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<meta name="color-scheme" content="light dark">',
      '<meta name="referrer" content="no-referrer">',
      `<title>${escapeHtml(title)}</title>`,
      `<style>${PAGE_STYLE}</style>`,
      '</head>',
      '<body>',
      '<header>',
      `<h1 dir="auto">${escapeHtml(title)}</h1>`,
      '<dl>',
      ...facts.map(([label, value]) => `<div><dt>${label}</dt><dd dir="auto">${escapeHtml(value)}</dd></div>`),
      '</dl>',
      '</header>',
      '<main>',
      '',
    ].join('\n');
    for await (const { number, turn, items } of exportedTurns(reader, mask, options)) {
      const status = turn.status === 'completed' ? '' : ` <span class="status">${turn.status.replace('_', ' ')}</span>`;
      const time =
        turn.startedAt === null
          ? ''
          : ` <time datetime="${escapeHtml(turn.startedAt)}">${timeText(turn.startedAt)}</time>`;
      yield `<section class="turn" id="turn-${number}">\n<h2><a href="#turn-${number}">Turn ${number}</a>${time}${status}</h2>\n`;
      for (const item of items) yield itemHtml(item, options.masked ? [] : await imagesOf(reader, item, options));
      yield '</section>\n';
    }
    yield `</main>\n<footer>${closingWords(mask, options)}</footer>\n</body>\n</html>\n`;
  }
  return { pieces, masked: () => mask.count };
}

function itemHtml(item: ExportedItem, images: readonly string[]): string {
  const { kind, text } = item;
  const shown = images.map((source) => `<img alt="image" src="${source}">`).join('\n');
  if (kind === 'user' || kind === 'assistant' || kind === 'error') {
    return `<article class="${kind}">\n<h3>${LABELS[kind]}${originNote(item)}</h3>\n${said(text)}${shown}\n</article>\n`;
  }
  const summary = `<summary><span dir="auto">${escapeHtml(summaryOf(item))}</span></summary>`;
  const body = text === '' ? '<p class="empty">No text</p>' : `<pre dir="auto">${escapeHtml(text)}</pre>`;
  return `<details class="${kind}">${summary}\n${body}${shown}\n</details>\n`;
}

function originNote({ kind, item }: ExportedItem): string {
  return item.origin === kind ? '' : ` <small>${item.origin}</small>`;
}

function said(text: string): string {
  return splitFences(text)
    .map((part) => {
      if (part.kind === 'code') return `<pre class="code" dir="ltr"><code>${escapeHtml(part.text)}</code></pre>\n`;
      const paragraphs = part.text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
      return paragraphs.map((paragraph) => `<p dir="auto">${withCode(paragraph)}</p>\n`).join('');
    })
    .join('');
}

/** A paragraph with what stands between backticks as code. */
function withCode(text: string): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : escapeHtml(part)))
    .join('');
}

function timeText(instant: string): string {
  return escapeHtml(instant.replace('T', ' ').replace(/:\d\d(?:\.\d+)?Z$/, ' UTC'));
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The images of an item's record as data URLs; none where the log only names a file. */
async function imagesOf(
  reader: ThreadReader,
  { text, item }: ExportedItem,
  { signal }: PageOptions,
): Promise<readonly string[]> {
  if (!/\[image\]/i.test(text)) return [];
  const { path, line } = item;
  const [raw] = await reader.lines({ from: line, to: line, path }, signal === undefined ? {} : { signal });
  if (raw?.text === undefined) return [];
  try {
    return [...imageData(JSON.parse(raw.text) as JsonValue)];
  } catch {
    return []; // a damaged line shows what could be read of it
  }
}

function* imageData(value: JsonValue | undefined): Generator<string> {
  if (typeof value === 'string') {
    if (IMAGE_DATA.test(value)) yield value;
  } else if (Array.isArray(value)) {
    for (const entry of value as readonly JsonValue[]) yield* imageData(entry);
  } else if (isJsonObject(value)) {
    for (const entry of Object.values(value)) yield* imageData(entry);
  }
}
