/**
 * Our store, as the cases use it. The only place that knows how the library hands it out.
 */
import { loadLibrary } from './codicil.mjs';
import { Skip } from './lab.mjs';

/** What the cases call. */
const VERBS = ['create', 'resume', 'fork', 'rollback', 'patch'];

/**
 * The store of one home. Calling a verb that is not there throws Skip.
 * @returns {Promise<{create: Function, resume: Function, fork: Function, rollback: Function, patch: Function, close(): Promise<void>}>}
 */
export async function openStore(home, env) {
  const { openHome } = await loadLibrary();
  const opened = await openHome({ at: home, env });
  const store = [opened.store, opened.threads, opened].find((each) => typeof each?.create === 'function');
  if (store === undefined) {
    await opened.close();
    throw new Skip('the library gives no store that creates threads');
  }
  const verbs = VERBS.map((verb) => [
    verb,
    (...args) => {
      if (typeof store[verb] !== 'function') throw new Skip(`the store cannot ${verb} yet`);
      return store[verb](...args);
    },
  ]);
  return { ...Object.fromEntries(verbs), close: () => opened.close() };
}
