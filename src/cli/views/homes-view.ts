/**
 * The homes for a person: where each lies, whose it is, and how much of it is indexed.
 */
import { visibleLine } from '../../base/visible-text.js';
import type { HomeInfo, IndexState } from '../../thread-store/session-reader.js';
import type { View } from '../run.js';
import { countOf, fillWords, indexText, sizeText, tryLines } from './words.js';

export interface HomeSummary extends HomeInfo {
  readonly threads: number;
  readonly bytes: number;
  readonly index: IndexState;
}

export function homesLines(homes: readonly HomeSummary[], { palette }: View): readonly string[] {
  return homes.flatMap((home) => [
    palette.bold(visibleLine(home.path)),
    `  ${palette.cyan(home.kind)}${home.own ? '' : ', read only'} · ${countOf(home.threads, 'thread')} · ${sizeText(home.bytes)} · ${palette.dim(indexText(home.index))}`,
  ]);
}

export function homesNotes(homes: readonly HomeSummary[], view: View): readonly string[] {
  const { palette, columns } = view;
  if (homes.length === 0) {
    const none = 'No home was found. Name one with --home DIR, or set CODEX_HOME or CODICIL_HOME.';
    return fillWords(none, columns).map(palette.dim);
  }
  const narrow = homes.length === 1 ? [] : ['codicil list --home DIR for one of them'];
  return tryLines(['codicil list', ...narrow, 'codicil rebuild'], view).map(palette.dim);
}
