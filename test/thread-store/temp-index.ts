/** What is derived from one home, in memory or in a folder, as the indexer writes it. */
import { join } from 'node:path';
import {
  openSearchDatabase,
  openStateDatabase,
  SEARCH_DATABASE_NAME,
  type SearchDatabase,
  STATE_DATABASE_NAME,
  type StateDatabase,
} from '../../src/state/index.js';

export interface TempIndex extends Disposable {
  readonly state: StateDatabase;
  readonly full: SearchDatabase;
  search(): Promise<SearchDatabase>;
}

export function openIndex(home: string, folder?: string): TempIndex {
  const at = (name: string): string | undefined => (folder === undefined ? undefined : join(folder, name));
  const state = openStateDatabase({ homePath: home, path: at(STATE_DATABASE_NAME) });
  const full = openSearchDatabase({ homePath: home, path: at(SEARCH_DATABASE_NAME) });
  return {
    state,
    full,
    search: async () => full,
    [Symbol.dispose]() {
      state.close();
      full.close();
    },
  };
}
