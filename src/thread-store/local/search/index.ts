/** What answers a search. Loaded when it is asked for: a list needs none of it. */
export { completeHits } from './complete-hits.js';
export { LocalSearch } from './local-search.js';
