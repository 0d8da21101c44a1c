/**
 * What an answer of the homes makes of the state. Pure.
 */
import type { IndexState } from '../../thread-store/session-reader.js';
import { type Entry, keyOf } from './entry.js';
import { layoutOf, scrolledTop } from './layout.js';
import { isSearch, type PickerState, type Size } from './state.js';

/** What is asked. */
export interface Question {
  readonly query: string;
  readonly scope: PickerState['scope'];
}

export interface Answer {
  readonly question: Question;
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly totalIsBound: boolean;
  /** Undefined where the query has nothing to look for yet. */
  readonly index: IndexState | undefined;
  readonly notice: string | undefined;
}

/** Shows an answer. One to the question that is shown already leaves the selection on its thread, where that is still there. */
export function answered(state: PickerState, answer: Answer, size: Size): PickerState {
  const { question, entries } = answer;
  const isCurrent = question.query === state.query && question.scope === state.scope;
  if (!isCurrent) return state;
  const selected = state.isAnswered ? selectedAfter(state, entries) : 0;
  const next: PickerState = {
    ...state,
    entries,
    isAnswered: true,
    shows: isSearch(question) ? 'hits' : 'list',
    total: answer.total,
    totalIsBound: answer.totalIsBound,
    index: answer.index ?? state.index,
    selected,
    notice: answer.notice === undefined ? state.notice : { text: answer.notice, isError: false },
  };
  return {
    ...next,
    top: scrolledTop({ ...next, top: state.isAnswered ? state.top : 0 }, layoutOf(next, size).list.height),
  };
}

/** Who has not moved stays at the top, where what is new appears. */
function selectedAfter({ selected, entries: before }: PickerState, entries: readonly Entry[]): number {
  const chosen = before[selected];
  if (selected === 0 || chosen === undefined) return 0;
  const key = keyOf(chosen);
  const at =
    entries[selected] !== undefined && keyOf(entries[selected]) === key
      ? selected
      : entries.findIndex((entry) => keyOf(entry) === key);
  return at === -1 ? Math.max(0, Math.min(selected, entries.length - 1)) : at;
}
