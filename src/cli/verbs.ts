/**
 * Which module does which command. Loaded one at a time: a list answers before the code of the others would be read.
 */
import type { Verb } from './run.js';

export const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  list: async () => (await import('./verbs/list.js')).list,
  show: async () => (await import('./verbs/show.js')).show,
  search: async () => (await import('./verbs/search.js')).search,
  history: async () => (await import('./verbs/history.js')).history,
  verify: async () => (await import('./verbs/verify.js')).verify,
  decode: async () => (await import('./verbs/decode.js')).decode,
  open: async () => (await import('./verbs/open.js')).open,
  fork: async () => (await import('./verbs/branch-thread.js')).fork,
  rollback: async () => (await import('./verbs/branch-thread.js')).rollback,
  rename: async () => (await import('./verbs/change-thread.js')).rename,
  archive: async () => (await import('./verbs/change-thread.js')).archive,
  unarchive: async () => (await import('./verbs/change-thread.js')).unarchive,
  compress: async () => (await import('./verbs/change-thread.js')).compress,
  delete: async () => (await import('./verbs/change-thread.js')).remove,
  trash: async () => (await import('./verbs/trash.js')).trash,
  purge: async () => (await import('./verbs/change-thread.js')).purge,
  homes: async () => (await import('./verbs/homes.js')).homes,
  rebuild: async () => (await import('./verbs/rebuild.js')).rebuild,
  audit: async () => (await import('./verbs/audit.js')).audit,
  doctor: async () => (await import('./verbs/doctor.js')).doctor,
  logs: async () => (await import('./verbs/logs.js')).logs,
  export: async () => (await import('./verbs/export.js')).exportThreads,
  import: async () => (await import('./verbs/import.js')).importPath,
  completion: async () => (await import('./verbs/completion.js')).completion,
  help: async () => (await import('./verbs/help.js')).help,
};
