/**
 * The threads as lines: age, project, title; where no preview has room, a hit shows what was found instead of its title.
 */
import { clipToWidth, displayWidth, padToWidth } from '../width.js';
import type { Entry } from './entry.js';
import { type Layout, scrolledTop } from './layout.js';
import { dim, type Segment } from './segments.js';
import { AGE_COLUMNS, shortAge } from './short-age.js';
import { isSearch, type PickerState } from './state.js';

export interface ListLine {
  readonly segments: readonly Segment[];
  readonly isSelected: boolean;
}

const PROJECT_COLUMNS = { min: 4, max: 14 };
/** What a project may take of the line. */
const PROJECT_SHARE = 0.28;
/** Below this, a project would leave no room for a title. */
const LEAST_COLUMNS_WITH_PROJECT = 30;
const LEAST_COLUMNS_WITH_AGE = 16;

/** At most as many lines as the pane is high. */
export function listLines(state: PickerState, layout: Layout, nowMs: number): readonly ListLine[] {
  const { width, height } = layout.list;
  if (state.entries.length === 0) {
    const text = emptyText(state);
    return height > 0 ? [{ segments: [dim(`  ${text}`)], isSelected: false }] : [];
  }
  const top = scrolledTop(state, height);
  const shown = state.entries.slice(top, top + height);
  const columns = projectColumns(shown, width);
  const showsSnippet = layout.preview === undefined;
  return shown.map((entry, place) => {
    const isSelected = top + place === state.selected;
    return { segments: entrySegments(entry, { isSelected, width, columns, showsSnippet, nowMs }), isSelected };
  });
}

function entrySegments(
  entry: Entry,
  line: {
    readonly isSelected: boolean;
    readonly width: number;
    readonly columns: number;
    readonly showsSnippet: boolean;
    readonly nowMs: number;
  },
): readonly Segment[] {
  const segments: Segment[] = [{ text: line.isSelected ? '> ' : '  ', style: 'accent' }];
  if (line.width >= LEAST_COLUMNS_WITH_AGE) {
    segments.push(dim(`${shortAge(entry.updatedAt, line.nowMs).padStart(AGE_COLUMNS)}  `));
  }
  if (line.columns > 0) {
    const project = padToWidth(clipToWidth(entry.project, line.columns), line.columns);
    segments.push({ text: `${project}  `, style: 'accent' });
  }
  const { hit } = entry;
  if (line.showsSnippet && hit !== undefined) segments.push(...hit.snippet);
  else segments.push({ text: entry.title, style: line.isSelected ? 'bold' : 'plain' });
  return segments;
}

/** As wide as the projects on the screen need, within bounds; 0 for none. */
function projectColumns(entries: readonly Entry[], width: number): number {
  if (width < LEAST_COLUMNS_WITH_PROJECT) return 0;
  const room = Math.min(PROJECT_COLUMNS.max, Math.floor(width * PROJECT_SHARE));
  return Math.max(
    PROJECT_COLUMNS.min,
    Math.min(room, ...[Math.max(...entries.map(({ project }) => displayWidth(project)))]),
  );
}

function emptyText(state: PickerState): string {
  if (!state.isAnswered) return isSearch(state) ? 'Searching …' : 'Looking for threads …';
  if (state.shows === 'hits') {
    return state.index?.state === 'building' ? 'Nothing found yet: the index is still being built.' : 'Nothing found.';
  }
  if (state.index?.state === 'building') return 'Looking for threads …';
  return state.scope === 'archived' ? 'No archived threads.' : 'No threads.';
}
