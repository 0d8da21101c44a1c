/**
 * What a case works in: a folder of its own, a scripted model, a home of Codex with a release on it, and us beside it.
 * Everything is closed and removed after the case, unless it failed and the folder was asked to be kept.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Codex } from './codex.mjs';
import { makeProject, writeConfig } from './codex-home.mjs';
import { Codicil } from './codicil.mjs';
import { differenceOf } from './compare.mjs';
import { MockModel } from './mock-responses.mjs';

/** Thrown by a case that cannot be tried; its message says why. */
export class Skip extends Error {
  name = 'Skip';
}

/** Thrown when what was seen is not what must be. */
export class Mismatch extends Error {
  name = 'Mismatch';
}

/** @param {boolean} holds @param {string} otherwise what was seen instead */
export function check(holds, otherwise) {
  if (!holds) throw new Mismatch(otherwise);
}

export class Lab {
  /** @param {import('./releases.mjs').Release} release */
  static async open(release, program, { store }) {
    const scratch = mkdtempSync(path.join(tmpdir(), 'codicil-interop-'));
    const lab = new Lab();
    lab.scratch = scratch;
    lab.release = release;
    lab.mock = await MockModel.start();
    for (const name of ['user', 'ours']) mkdirSync(path.join(scratch, name));
    lab.home = path.join(scratch, 'home');
    writeConfig(lab.home, lab.mock.url);
    lab.cwd = makeProject(path.join(scratch, 'project'));
    lab.codex = new Codex({ release, program, scratch, home: lab.home, cwd: lab.cwd, mock: lab.mock });
    lab.ours = new Codicil({ scratch, ownHome: path.join(scratch, 'ours'), store });
    return lab;
  }

  /** A home of ours that Codex can run on: marked by us, configured for the scripted model. */
  async ownHome(name = 'ours') {
    const home = path.join(this.scratch, name);
    writeConfig(home, this.mock.url);
    await this.ours.makeHome(home);
    return { home, codex: this.codex.on(home, this.scratch) };
  }

  /**
   * Our history of the thread is what the release sends when it resumes it, library and command line alike.
   * Leaves the thread one turn longer. `home` and `codex`: another pair than the lab's.
   * @returns {Promise<readonly object[]>} the history before that turn
   */
  async checkResume(id, prompt, { home = this.home, codex = this.codex } = {}) {
    const history = await this.ours.history(home, id);
    const { input } = await codex.resume(id, prompt);
    const difference = differenceOf(input, history, prompt);
    check(difference === undefined, `${id}, resumed with "${prompt}": ${difference}`);
    return history;
  }

  /** What `work` gives, done with our store of a home, which is closed afterwards. Throws Skip while there is none. */
  async write(work, home = this.home) {
    const store = await this.ours.store(home);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  async close({ keep = false } = {}) {
    await this.mock.close();
    if (!keep) rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}
