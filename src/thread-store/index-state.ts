/**
 * How far the indexes of several homes are, said as one.
 */
import type { IndexState } from './session-reader.js';

/** Complete when all are; counts are added. */
export function mergeIndexStates(states: readonly IndexState[]): IndexState {
  const sum = (figure: (state: IndexState) => number): number =>
    states.reduce((total, state) => total + figure(state), 0);
  const unreadableFolders = sum((state) => state.unreadableFolders ?? 0);
  return {
    state: states.every(({ state }) => state === 'complete') ? 'complete' : 'building',
    indexed: sum(({ indexed }) => indexed),
    files: sum(({ files }) => files),
    ...(unreadableFolders > 0 && { unreadableFolders }),
  };
}
