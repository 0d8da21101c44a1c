/**
 * Us, as others use us: the built library and the built command line, never the sources.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { run } from './child.mjs';
import { childEnv } from './codex-home.mjs';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** The library; throws Error when it has not been built. */
export async function loadLibrary() {
  const file = path.join(DIST, 'index.js');
  if (!existsSync(file)) throw new Error('dist/ is missing: run npm run build first');
  return import(pathToFileURL(file).href);
}

export class Codicil {
  #env;
  #openStore;

  /** @param {{scratch: string, ownHome: string, store: (home: string, env: object) => Promise<object>}} place */
  constructor({ scratch, ownHome, store }) {
    this.#env = childEnv(scratch, { CODICIL_HOME: ownHome });
    this.#openStore = store;
  }

  /** A reader of one home; the caller closes it. */
  async reader(home) {
    const { openHome } = await loadLibrary();
    return openHome({ at: home, env: this.#env });
  }

  /** The writing half for one home; throws Skip while there is none. The caller closes it. */
  store(home) {
    return this.#openStore(home, this.#env);
  }

  /** Runs `codicil ARGS`; `{code, stdout, stderr}`. */
  command(...args) {
    return run(process.execPath, [path.join(DIST, 'bin.js'), ...args], { env: this.#env });
  }

  /** The document that `codicil ARGS --json` prints; throws when it fails. */
  async json(...args) {
    const { code, stdout, stderr } = await this.command(...args, '--json');
    if (code !== 0) throw new Error(`codicil ${args.join(' ')} ended with ${code}: ${stdout.slice(-300)}${stderr}`);
    return JSON.parse(stdout);
  }

  /** What a resume would send, as the library and as the command line have it; throws when the two differ. */
  async history(home, id) {
    const { items, damage, path: file } = await this.#read(home, id);
    if (damage.length > 0) throw new Error(`Faults in ${file}: ${JSON.stringify(damage)}`);
    const { items: printed } = await this.json('history', id, '--home', home);
    if (JSON.stringify(printed) !== JSON.stringify(items)) throw new Error(`history ${id} differs from the library's`);
    return items;
  }

  /** Rows of `codicil list`. */
  async list(home, { archived = false } = {}) {
    const { threads } = await this.json('list', '--limit', '1000', '--home', home, ...(archived ? ['--archived'] : []));
    return threads;
  }

  /** Marks a folder as a home of ours, as the first write of ours would. */
  async makeHome(home) {
    await writeFile(path.join(home, 'codicil.json'), `${JSON.stringify({ format: 1, id: randomUUID() })}\n`);
  }

  async #read(home, id) {
    const reader = await this.reader(home);
    try {
      const thread = await reader.open(id);
      try {
        return { ...(await thread.history()), path: thread.path };
      } finally {
        await thread.close();
      }
    } finally {
      await reader.close();
    }
  }
}
