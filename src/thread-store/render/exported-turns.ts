/**
 * The turns of a thread for a page that leaves the machine: read in windows, so that a thread of any length needs the memory of
 * a few hundred turns; each text masked unless it is to be raw; what is invisible made visible.
 */
import { isJsonObject } from '../../base/json.js';
import { visibleText } from '../../base/visible-text.js';
import type { TurnItemView, TurnView } from '../../projection/turn.js';
import { maskJson, maskSecrets } from '../../redaction/index.js';
import type { ThreadReader } from '../session-reader.js';

/** How an item is shown: said by somebody, done by a tool, or what stands behind. */
export type ItemKind = 'user' | 'assistant' | 'tool' | 'reasoning' | 'context' | 'error';

export interface ExportedItem {
  readonly kind: ItemKind;
  /** The type in the log. */
  readonly type: string;
  /** Masked and visible. */
  readonly text: string;
  readonly item: TurnItemView;
}

export interface ExportedTurn {
  /** From 1. */
  readonly number: number;
  readonly turn: TurnView;
  readonly items: readonly ExportedItem[];
}

export interface PageOptions {
  readonly masked: boolean;
  readonly signal?: AbortSignal | undefined;
}

const TURNS_A_WINDOW = 200;
const MARK = /\[REDACTED:[^\]]{1,80}\]/g;

/** Takes secrets out of texts and counts them. */
export class PageMask {
  readonly #masked: boolean;
  #count = 0;

  constructor({ masked }: Pick<PageOptions, 'masked'>) {
    this.#masked = masked;
  }

  /** How many secrets were masked so far. */
  get count(): number {
    return this.#count;
  }

  /** `text` without its secrets, unless all is to be raw. */
  apply(text: string): string {
    if (!this.#masked) return text;
    const masked = maskSecrets(withoutSecretFields(text));
    if (masked !== text) this.#count += marks(masked) - marks(text);
    return masked;
  }
}

function marks(text: string): number {
  return text.match(MARK)?.length ?? 0;
}

/** A record that stands for itself is JSON: there the names of fields count. */
function withoutSecretFields(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const value: unknown = JSON.parse(text);
    const masked = isJsonObject(value) ? maskJson(value) : value;
    return masked === value ? text : JSON.stringify(masked);
  } catch {
    return text; // only looks like JSON
  }
}

/** All turns, oldest first. */
export async function* exportedTurns(
  reader: ThreadReader,
  mask: PageMask,
  { signal }: PageOptions,
): AsyncGenerator<ExportedTurn, void> {
  for (let from = 1, total = 1; from <= total; from += TURNS_A_WINDOW) {
    const query = { from, to: from + TURNS_A_WINDOW - 1, ...(signal !== undefined && { signal }) };
    const result = await reader.turns(query);
    total = result.totalTurns;
    for (const [index, turn] of result.turns.entries()) {
      const items = turn.items.map((item): ExportedItem => {
        const text = visibleText(mask.apply(item.text));
        return { kind: kindOf(item), type: item.type, text, item };
      });
      yield { number: from + index, turn, items };
    }
  }
}

function kindOf({ type, role, origin }: TurnItemView): ItemKind {
  if (type === 'error') return 'error';
  if (/reasoning/i.test(type)) return 'reasoning';
  if (role === 'user' && origin !== 'injected') return 'user';
  if (role === 'assistant' || /^(?:agent_message|AgentMessage)$/.test(type)) return 'assistant';
  if (role !== null || origin === 'injected' || type === 'compacted') return 'context';
  return 'tool';
}

/** What a folded item is called. */
export function summaryOf({ kind, type, text }: ExportedItem): string {
  const [first = ''] = text.trim().split('\n', 1);
  const start = first.length > 100 ? `${first.slice(0, 99)}…` : first;
  const label = kind === 'context' ? 'Context' : kind === 'reasoning' ? 'Reasoning' : type.replaceAll('_', ' ');
  return start === '' ? label : `${label}: ${start}`;
}

/** Facts above the first turn: pairs of a label and a value, masked and visible. */
export async function pageFacts(
  reader: ThreadReader,
  mask: PageMask,
): Promise<{ readonly title: string; readonly facts: readonly (readonly [string, string])[] }> {
  const row = await reader.row();
  const clean = (text: string): string => visibleText(mask.apply(text)).replaceAll('\n', ' ');
  const facts = [
    ['Thread', row.id ?? reader.id],
    ['Folder', row.cwd],
    ['Model', [row.model, row.reasoningEffort].filter((part) => part !== null).join(', ')],
    ['Client', [row.source, row.cliVersion].filter((part) => part !== null).join(' ')],
    ['Begun', row.createdAt],
    ['Last written', row.updatedAt],
  ] as const;
  const told = facts.flatMap(([label, value]) =>
    value === null || value === '' ? [] : [[label, clean(value)] as const],
  );
  return { title: clean(row.name ?? row.title) || 'A thread without a message', facts: told };
}

/** The last line of a page. */
export function closingWords(mask: PageMask, { masked }: Pick<PageOptions, 'masked'>): string {
  if (!masked) return 'Secrets were not masked.';
  return mask.count === 0 ? 'No secret was found.' : `Secrets masked: ${mask.count}.`;
}

/** A text as paragraphs and fenced code. A fence that is never closed reaches to the end. */
export function splitFences(
  text: string,
): readonly { readonly kind: 'text' | 'code'; readonly text: string; readonly info: string }[] {
  const parts: { kind: 'text' | 'code'; text: string; info: string }[] = [];
  let lines: string[] = [];
  let fence: { readonly mark: string; readonly info: string } | undefined;
  const close = (kind: 'text' | 'code', info: string): void => {
    if (lines.length > 0 || kind === 'code') parts.push({ kind, text: lines.join('\n'), info });
    lines = [];
  };
  for (const line of text.split('\n')) {
    const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line) ?? [];
    if (fence === undefined && mark !== '') {
      close('text', '');
      fence = { mark, info: info.trim() };
    } else if (fence !== undefined && mark.startsWith(fence.mark) && info.trim() === '') {
      close('code', fence.info);
      fence = undefined;
    } else lines.push(line);
  }
  close(fence === undefined ? 'text' : 'code', fence?.info ?? '');
  return parts;
}
