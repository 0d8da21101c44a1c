/**
 * Where what stands on a screen of a given size. Pure arithmetic; every size has a layout, down to one cell.
 */
import { fillPhrases } from '../views/words.js';
import type { PickerState, Size } from './state.js';

export interface Pane {
  /** 0-based. */
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly list: Pane;
  /** Undefined where there is no room for it. */
  readonly preview: Pane | undefined;
  readonly arrangement: 'beside' | 'below' | 'alone';
  /** Lines at the bottom: how complete the answer is, or the keys. */
  readonly foot: readonly string[] | undefined;
  readonly footRows: number;
}

/** From here on a preview stands beside the list, and where it does not, below it. */
const BESIDE_COLUMNS = 72;
const BESIDE_ROWS = 5;
const BELOW_ROWS = 16;
const LIST_COLUMNS = { min: 34, max: 64 };
/** Between list and preview: a line with a space on either side. */
export const GUTTER_COLUMNS = 3;

const HELP =
  'Type to search every message · Enter opens the thread in its program · Ctrl-Y or y copies the command · Ctrl-O or o shows the log · Tab: archived threads · Up, Down, PageUp, PageDown, Home, End move · Ctrl-W, Ctrl-U delete a word, all · Ctrl-L looks again · Esc clears, then leaves · "…" is a phrase, -word excludes · for a word that is y, o or ?, type a space first';

export function layoutOf({ isHelpShown }: Pick<PickerState, 'isHelpShown'>, { columns, rows }: Size): Layout {
  const foot = isHelpShown ? fillPhrases(HELP, columns).slice(0, Math.max(1, Math.floor(rows / 2))) : undefined;
  const footRows = rows < 3 ? 0 : (foot?.length ?? 1);
  const body = Math.max(0, rows - 1 - footRows);
  const whole = { top: 1, left: 0, width: columns, height: body };
  if (columns >= BESIDE_COLUMNS && rows >= BESIDE_ROWS) {
    const width = Math.max(LIST_COLUMNS.min, Math.min(LIST_COLUMNS.max, Math.floor(columns * 0.45)));
    const left = width + GUTTER_COLUMNS;
    return {
      list: { ...whole, width },
      preview: { ...whole, left, width: columns - left },
      arrangement: 'beside',
      foot,
      footRows,
    };
  }
  if (rows < BELOW_ROWS || body < BELOW_ROWS / 2) {
    return { list: whole, preview: undefined, arrangement: 'alone', foot, footRows };
  }
  const height = Math.floor(body * 0.45);
  const preview = { ...whole, top: 2 + height, height: body - height - 1 };
  return { list: { ...whole, height }, preview, arrangement: 'below', foot, footRows };
}

/** The first entry to show, so that the selected one is among `height`, moved no further than that takes. */
export function scrolledTop(
  { top, selected, entries }: Pick<PickerState, 'top' | 'selected' | 'entries'>,
  height: number,
): number {
  const rows = Math.max(1, height);
  const lowest = Math.max(0, entries.length - rows);
  return Math.max(0, Math.min(selected, lowest, Math.max(top, selected - rows + 1)));
}
