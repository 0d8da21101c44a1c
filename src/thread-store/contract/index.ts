/** What every store of threads must do, as tests for any runner. */
export { type SpokenTurn, spokenTurn, textsOf } from './items.js';
export { type ThreadStoreContractOptions, threadStoreContract } from './thread-store-contract.js';
