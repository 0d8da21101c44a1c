/** What opens, shows and checks a thread from its logs. Loaded when it is asked for: a list needs none of it. */
export { headOfThread, readFirstMeta, resolveLineage } from '../../../rollout/lineage.js';
export { verifyRollout } from '../../../rollout/verify.js';
export { Imports, readImports } from '../import/import-ledger.js';
export { rowFromHead } from './head-row.js';
export { LocalThread } from './local-thread.js';
export { LineageReader } from './thread-lineage.js';
export { withLineageFaults } from './verify-lineage.js';
