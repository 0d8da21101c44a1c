import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseThreadId, type ThreadId } from '../../src/base/ids.js';
import { sessionReaderContract } from './session-reader.contract.js';
import { copyFixtures, openReader, rolloutsBelow, tempFolder } from './temp-home.js';

/** Roots, children, forks, segments, archived and compressed ones, of every dialect. */
const SCENARIOS = [
  '0.171.0/lineage',
  '0.171.0/appserver',
  '0.162.1/appserver',
  '0.80.0/appserver',
  '0.58.0/image',
  '0.29.0/parallel',
  '0.8.0/plain',
  '0.171.0/unknown',
];

const ids = (texts: readonly string[]): readonly ThreadId[] =>
  texts.map((text) => parseThreadId(text)).filter((id) => id !== undefined);

const named = ids(['01a229f0-2e7f-7fd2-9dab-b721d8039115'])[0]!;

/** Newest first. */
const LISTED = ids([
  '01a229f0-33cb-7640-9f8a-be05d676e4aa',
  '01a229f0-32c2-77c3-b1ef-4f52c1e26c03',
  '01a229f0-3224-7b90-a5fd-20ebcf4d4bbf',
  '01a229f0-2e7f-7fd2-9dab-b721d8039115',
  '01a229f0-302c-7c70-8808-f085e31ee2e5',
  '01a229a3-0dcb-7ca3-b3ee-6665237c54e4',
  '01a229a2-f7fd-71c3-b448-6ab89a48a2b8',
  '01a229a2-153c-7601-a306-8ddcf27c673b',
  '01a229a1-0019-7fb1-bca0-9474a14e036d',
  '01a2299d-a01a-7412-8d9b-255a715bfa5c',
  '022eba5f-6a96-47e3-8237-fed33e2329e6',
  '90e1e176-0ce8-4ddb-997a-ce284de6c1f8',
  'bf5bb6e6-fb8e-4e72-861a-04b73ff96099',
]);

const ARCHIVED = ids([
  '01a229f0-3487-75a2-8e09-1d549c7b24d9',
  '01a229a3-0f17-7052-aeef-f53a4e42b620',
  '01a229a2-f9b3-7c13-8ef1-300eb883ac98',
  '01a229a2-15e9-7880-808c-49c61130224e',
]);

for (const place of ['on disk', 'in memory'] as const) {
  sessionReaderContract({
    describe,
    test,
    expect,
    name: `LocalSessionReader, index ${place}`,
    open: async () => {
      const folder = tempFolder();
      const home = join(folder.path, 'home');
      copyFixtures(home, SCENARIOS);
      writeFileSync(
        join(home, 'session_index.jsonl'),
        `${JSON.stringify({ id: named, thread_name: 'A name of ours' })}\n`,
      );
      writeFileSync(join(home, 'sessions', 'notes.txt'), 'no rollout');
      const reader = openReader(home, {
        index: place === 'on disk' ? join(folder.path, 'index', 'state_5.sqlite') : undefined,
      });
      return {
        reader,
        expected: {
          listed: LISTED,
          archived: ARCHIVED,
          files: rolloutsBelow(home).length + 1,
          named: { id: named, name: 'A name of ours' },
        },
        fingerprint: () =>
          readdirSync(home, { recursive: true, encoding: 'utf8' })
            .sort()
            .map((name) => {
              const { mtimeMs, size } = statSync(join(home, name));
              return `${name} ${mtimeMs} ${size} ${size > 0 && /\.(jsonl|zst|txt)$/.test(name) ? readFileSync(join(home, name)).at(-1) : ''}`;
            })
            .join('\n'),
        [Symbol.asyncDispose]: async () => {
          await reader.close();
          folder[Symbol.dispose]();
        },
      };
    },
  });
}
