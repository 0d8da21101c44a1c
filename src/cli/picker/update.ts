/**
 * What a key does: the next state, and what the picker has to do beside. Pure.
 */
import { assertNever } from '../../base/errors.js';
import { typed, withoutLast, withoutLastWord } from './input.js';
import type { Key, KeyName } from './keys.js';
import { layoutOf, scrolledTop } from './layout.js';
import type { PickerState, Size } from './state.js';

/** What the state cannot do by itself. */
export type Action = 'open' | 'copy' | 'log' | 'look-again' | 'suspend' | 'quit' | 'interrupt';

export interface Updated {
  readonly state: PickerState;
  readonly action: Action | undefined;
}

/** While nothing is typed, these letters are commands. */
const COMMANDS: Readonly<Record<string, Action | 'help'>> = { y: 'copy', o: 'log', '?': 'help' };

const LEAST_HITS = 10;
const HITS_GROWTH = 4;
const MOST_HITS = 1_000;

export function update(before: PickerState, key: Key, size: Size): Updated {
  const state = before.notice === undefined ? before : { ...before, notice: undefined };
  if (key.type === 'paste') return done(withQuery(state, typed(state.query, key.text)));
  if (key.type === 'key') return pressed(state, key.name, size);
  const command = state.query === '' ? COMMANDS[key.text] : undefined;
  if (command === undefined) return done(withQuery(state, typed(state.query, key.text)));
  if (command === 'help') return done({ ...state, isHelpShown: !state.isHelpShown });
  return { state, action: command };
}

function pressed(state: PickerState, name: KeyName, size: Size): Updated {
  const page = Math.max(1, layoutOf(state, size).list.height - 1);
  switch (name) {
    case 'up':
      return done(moved(state, state.selected - 1, size));
    case 'down':
      return done(moved(state, state.selected + 1, size));
    case 'page-up':
      return done(moved(state, state.selected - page, size));
    case 'page-down':
      return done(moved(state, state.selected + page, size));
    case 'home':
      return done(moved(state, 0, size));
    case 'end':
      return done(moved(state, state.entries.length - 1, size));
    case 'backspace':
      return done(withQuery(state, withoutLast(state.query)));
    case 'ctrl-w':
      return done(withQuery(state, withoutLastWord(state.query)));
    case 'ctrl-u':
      return done(withQuery(state, ''));
    case 'tab':
      return done(toggledScope(state));
    case 'escape':
      if (state.isHelpShown) return done({ ...state, isHelpShown: false });
      return state.query === '' ? { state, action: 'quit' } : done(withQuery(state, ''));
    case 'ctrl-d':
      return { state, action: state.query === '' ? 'quit' : undefined };
    case 'enter':
      return { state, action: 'open' };
    case 'ctrl-y':
      return { state, action: 'copy' };
    case 'ctrl-o':
      return { state, action: 'log' };
    case 'ctrl-l':
      return { state, action: 'look-again' };
    case 'ctrl-z':
      return { state, action: 'suspend' };
    case 'ctrl-c':
      return { state, action: 'interrupt' };
    default:
      return assertNever(name, 'key');
  }
}

/** Every hit costs a look into its log, so no more are asked for than a screen shows, and more when they come into sight. */
export function wantedHits(state: PickerState, size: Size): number {
  const { entries, total, selected, shows } = state;
  const height = Math.max(LEAST_HITS, layoutOf(state, size).list.height);
  if (shows !== 'hits' || !state.isAnswered) return height;
  const isNearEnd = selected + height / 2 >= entries.length || entries.length < height;
  const more = isNearEnd && entries.length < total ? entries.length * HITS_GROWTH : entries.length;
  return Math.max(height, Math.min(MOST_HITS, more));
}

function done(state: PickerState): Updated {
  return { state, action: undefined };
}

function withQuery(state: PickerState, query: string): PickerState {
  if (query === state.query) return state;
  // White space changes the answer only inside of quotes, and asking once more is cheap.
  return { ...state, query, isAnswered: false, isHelpShown: false };
}

/** A search covers both; what it found stays as it is. */
function toggledScope(state: PickerState): PickerState {
  if (state.query !== '') return state;
  return { ...state, scope: state.scope === 'active' ? 'archived' : 'active', isAnswered: false };
}

function moved(state: PickerState, to: number, size: Size): PickerState {
  const selected = Math.max(0, Math.min(state.entries.length - 1, to));
  const next = { ...state, selected };
  return { ...next, top: scrolledTop(next, layoutOf(next, size).list.height) };
}
