/**
 * Our store, as the cases use it. The only place that knows how the library hands it out.
 *
 * @typedef {object} Live a thread that only its holder may write to
 * @property {string} id
 * @property {string} path
 * @property {(records: object[]) => Promise<unknown>} append
 * @property {(turns: number) => Promise<unknown>} rollback
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Writer the writing half for one home
 * @property {boolean} locks whether it keeps other writers away
 * @property {(options: {cwd: string, dialect: string}) => Promise<Live>} create
 * @property {(id: string) => Promise<Live>} resume
 * @property {(id: string, options?: {atTurn?: number}) => Promise<Live>} fork `atTurn`: the last turn kept, from 1 on
 * @property {(id: string, name: string) => Promise<unknown>} rename
 * @property {(id: string) => Promise<unknown>} archive
 * @property {(id: string) => Promise<unknown>} unarchive
 * @property {(id: string) => Promise<unknown>} compress
 * @property {() => Promise<void>} close
 */
import { loadLibrary } from './codicil.mjs';
import { Skip } from './lab.mjs';

/** What changes whole threads. */
const CHANGES = ['rename', 'archive', 'unarchive', 'compress'];

/** @returns {Promise<Writer>} Calling a verb that the library does not have throws Skip. */
export async function openStore(home, env) {
  const { openThreadHome } = await loadLibrary();
  if (openThreadHome === undefined) throw new Skip('the library opens no home for writing yet');
  const opened = await openThreadHome({ at: home, env, foreign: true });
  const { store } = opened;
  const change = (verb) => {
    if (typeof opened[verb] !== 'function') throw new Skip(`the library cannot ${verb} yet`);
    return (...args) => opened[verb](...args);
  };
  return {
    locks: true,
    create: ({ cwd, dialect }) => store.create({ meta: { cwd }, dialect }),
    resume: (id) => store.resume(id),
    fork: (id, options) => store.fork(id, options),
    ...Object.fromEntries(CHANGES.map((verb) => [verb, (...args) => change(verb)(...args)])),
    close: () => opened.close(),
  };
}
