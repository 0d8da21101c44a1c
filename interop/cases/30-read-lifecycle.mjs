/**
 * What Codex does to whole threads, seen by us: names, archived threads, compressed logs.
 */
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { check, Skip } from '../lib/lab.mjs';
import { logsOf, whenFolder } from '../lib/logs-of.mjs';
import { converse, SCRIPTS } from '../lib/scripts.mjs';

/** Older than the age at which a release compresses. */
const OLD_DAYS = 90;

const byId = (rows, id) => rows.find((row) => row.id === id);

export const cases = [
  {
    name: 'read lifecycle: renamed',
    about: 'the newest name that Codex gave is the one we show, and finds the thread',
    async run(lab) {
      const id = await converse(lab.codex, SCRIPTS.plain);
      const name = '이름 “two” 🙂';
      await lab.codex.serve(async (server) => {
        await server.request('thread/resume', { threadId: id });
        await server.request('thread/name/set', { threadId: id, name: 'first name' });
        await server.request('thread/name/set', { threadId: id, name });
      });
      check(byId(await lab.ours.list(lab.home), id)?.name === name, 'we show another name');
      const { threadId } = await lab.ours.json('history', name, '--home', lab.home);
      check(threadId === id, 'the name finds another thread');
      await lab.checkResume(id, 'Go on');
    },
  },
  {
    name: 'read lifecycle: archived and back',
    about: 'an archived thread is among the archived ones with its history, and back in the list afterwards',
    async run(lab) {
      const [id, other] = [await converse(lab.codex, SCRIPTS.shell), await converse(lab.codex, SCRIPTS.plain)];
      const before = await lab.ours.history(lab.home, id);
      await lab.codex.serve((server) => server.request('thread/archive', { threadId: id }));
      const [active, archived] = [await lab.ours.list(lab.home), await lab.ours.list(lab.home, { archived: true })];
      check(byId(active, id) === undefined && byId(active, other) !== undefined, 'the wrong threads are active');
      check(archived.length === 1 && archived[0].id === id && archived[0].archived, 'the wrong threads are archived');
      const kept = await lab.ours.history(lab.home, id);
      check(JSON.stringify(kept) === JSON.stringify(before), 'its history changed');
      await lab.codex.serve((server) => server.request('thread/unarchive', { threadId: id }));
      check(byId(await lab.ours.list(lab.home), id)?.archived === false, 'it is not active again');
      check((await lab.ours.list(lab.home, { archived: true })).length === 0, 'it is still archived');
      await lab.checkResume(id, 'Back again');
    },
  },
  {
    name: 'read lifecycle: compressed',
    about: 'a log that Codex compressed reads as before, and once more after Codex took it up again',
    async run(lab) {
      if (!lab.release.compress) throw new Skip('this release does not compress on request');
      const id = await converse(lab.codex, SCRIPTS.unicode);
      const before = await lab.ours.history(lab.home, id);
      const [log] = logsOf(lab.home, id);
      const old = new Date(Date.now() - OLD_DAYS * 86_400_000);
      utimesSync(log, old, old);
      await lab.codex.serve(async (server) => {
        await server.request('rollout/compress');
        await whenFolder(path.dirname(log), () => logsOf(lab.home, id).join() === `${log}.zst`);
      });
      check(byId(await lab.ours.list(lab.home), id)?.path === `${log}.zst`, 'we list another file');
      const packed = await lab.ours.history(lab.home, id);
      check(JSON.stringify(packed) === JSON.stringify(before), 'its history changed');
      await lab.checkResume(id, 'Unpack it');
      check(logsOf(lab.home, id).join() === log, 'Codex did not unpack it');
      await lab.checkResume(id, 'And on');
    },
  },
];
