/**
 * Codex on a home of ours: it works, makes its own files beside ours, and ours stay as they are.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { check } from '../lib/lab.mjs';
import { converse, SCRIPTS } from '../lib/scripts.mjs';
import { changedFiles, stampTree } from '../lib/tree-stamp.mjs';

const isOurs = (name) => name === 'codicil.json' || name.startsWith(`db${path.sep}`);

export const cases = [
  {
    name: 'own home: Codex runs on it',
    about: 'with our databases there Codex creates, lists and resumes; it changes no file of ours, nor we one of its',
    async run(lab) {
      const { home, codex } = await lab.ownHome();
      const first = await converse(codex, SCRIPTS.shell);
      check((await lab.ours.list(home)).length === 1, 'we do not list its thread');
      check(existsSync(path.join(home, 'db', 'state_5.sqlite')), 'we keep no index there');
      const ours = stampTree(home, isOurs);
      const second = await converse(codex, SCRIPTS.unicode);
      await codex.resume(first, 'Beside each other');
      const listed = await codex.serve((server) => server.listThreads());
      check(listed.length === 2, `Codex lists ${listed.length} threads`);
      const changed = changedFiles(ours, stampTree(home, isOurs));
      check(changed.length === 0, `Codex changed ${changed.join(', ')}`);
      check(existsSync(path.join(home, 'state_5.sqlite')), 'Codex keeps no database of its own');
      const theirs = stampTree(home, (name) => !isOurs(name));
      const { code } = await lab.ours.command('list', '--home', home);
      check(code === 0, `codicil list ended with ${code}`);
      await lab.ours.history(home, first);
      const touched = changedFiles(
        theirs,
        stampTree(home, (name) => !isOurs(name)),
      );
      check(touched.length === 0, `we changed ${touched.join(', ')}`);
      for (const id of [first, second]) await lab.checkResume(id, 'Both again', { home, codex });
    },
  },
];
