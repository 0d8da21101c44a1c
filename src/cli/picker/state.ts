/**
 * What the picker knows at one moment. A value: every change makes a new one, and the screen is a function of it.
 */
import type { IndexProgress, IndexState } from '../../thread-store/session-reader.js';
import type { Entry } from './entry.js';

/** Size of the terminal in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A message beside what was found, or of the end of a thread. */
export interface PreviewMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  /** 1-based; 0 where lines were not counted. */
  readonly line: number;
  /** Masked, without tabs, not yet made visible. */
  readonly text: string;
  /** Where words of the query stand in `text`: UTF-16 units, ascending. */
  readonly matches: readonly (readonly [start: number, end: number])[];
}

export interface Preview {
  /** `keyOf` the entry. */
  readonly key: string;
  /** In the order of the log. */
  readonly messages: readonly PreviewMessage[];
  /** Place of the message that was found; undefined for the end of a thread. */
  readonly found: number | undefined;
}

export interface PickerState {
  readonly query: string;
  readonly scope: 'active' | 'archived';
  readonly entries: readonly Entry[];
  /** False until the first answer, and while the query is not the one that `entries` answer. */
  readonly isAnswered: boolean;
  /** What `entries` are: a list, or hits. */
  readonly shows: 'list' | 'hits';
  /** Threads that fit, shown or not. */
  readonly total: number;
  /** True when there are at most so many. */
  readonly totalIsBound: boolean;
  /** How complete the answer is; undefined before the first one. */
  readonly index: IndexState | undefined;
  /** What the index is doing; undefined when nothing. */
  readonly progress: IndexProgress | undefined;
  /** Index into `entries`; 0 when there are none. */
  readonly selected: number;
  /** Index of the first entry on the screen. */
  readonly top: number;
  readonly preview: Preview | undefined;
  readonly isHelpShown: boolean;
  /** Said until the next key. */
  readonly notice: { readonly text: string; readonly isError: boolean } | undefined;
}

export const INITIAL_STATE: PickerState = {
  query: '',
  scope: 'active',
  entries: [],
  isAnswered: false,
  shows: 'list',
  total: 0,
  totalIsBound: false,
  index: undefined,
  progress: undefined,
  selected: 0,
  top: 0,
  preview: undefined,
  isHelpShown: false,
  notice: undefined,
};

/** True when there is something to search for. */
export function isSearch({ query }: Pick<PickerState, 'query'>): boolean {
  return query.trim() !== '';
}
