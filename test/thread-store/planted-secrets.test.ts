/**
 * Secrets of every kind go through the real scan, the real index and the real search; none is left in any byte that is
 * derived, nor in what is answered.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FakeSecret, fakeSecrets } from '../redaction/fake-secrets.js';
import { leftPieces } from '../redaction/leaks.js';
import { openReader, rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from './temp-home.js';

const fakes = fakeSecrets();
const AT = '2026-05-04T10:10:00.000Z';

function item(payload: object): string {
  return JSON.stringify({ timestamp: AT, type: 'response_item', payload });
}

/** One thread a fake: the title, the preview and the branch hold it, a message, a tool and a patch too. */
function lines({ line, secret, bare }: FakeSecret, n: number): readonly string[] {
  // Some kinds are known by the line that they fill, so each stands in a line of its own.
  return [
    ...rolloutLines({
      id: uuid(n),
      meta: { git: { branch: bare ? `fix/${secret}` : 'main', repository_url: 'https://example.org/a.git' } },
      says: [`heron\n${line}`, `heron says:\n${JSON.stringify({ output: line })}`],
    }),
    item({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: `A heron has\n${line}\nseen` }],
    }),
    item({
      type: 'function_call',
      call_id: 'c1',
      name: 'shell',
      arguments: JSON.stringify({ command: ['sh', '-c', `cat <<E\n${line}\nE`] }),
    }),
    item({ type: 'function_call_output', call_id: 'c1', output: `heron\nPATH=/bin\n${line}\nLANG=C` }),
    item({
      type: 'custom_tool_call',
      call_id: 'c2',
      name: 'apply_patch',
      input: `@@\n+${line.replaceAll('\n', '\n+')}`,
    }),
  ];
}

describe('What is derived from logs with planted secrets', () => {
  test('holds none of them, in no byte of a database or its log, title or snippet', async () => {
    using folder = tempFolder();
    const home = join(folder.path, 'home');
    const derived = join(folder.path, 'derived');
    for (const [at, fake] of fakes.entries()) writeLines(rolloutPath(home, uuid(at + 1)), lines(fake, at + 1));
    const answers: string[] = [];
    const stored: string[] = [];
    const keep = (): void => {
      for (const name of readdirSync(derived)) stored.push(readFileSync(join(derived, name), 'latin1'));
    };
    {
      await using reader = openReader(home, { index: join(derived, 'state_5.sqlite'), searchTools: true });
      const { threads, total } = await reader.list({ limit: 1000, indexBudgetMs: 60_000 });
      expect(total).toBe(fakes.length);
      const page = await reader.search({ text: 'heron', limit: 1000 });
      // Three messages and an output a thread: the words around a secret are found.
      expect(page.total).toBe(4 * fakes.length);
      answers.push(JSON.stringify(threads), JSON.stringify(page.hits));
      keep();
    }
    keep();
    const all = [...answers, ...stored].join('\n');
    expect(all).toContain('REDACTED');
    const left = fakes.flatMap(({ kind, secret }) => leftPieces(all, secret).map((piece) => `${kind}: ${piece}`));
    expect(left).toEqual([]);
    expect(new Set(fakes.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(25);
    expect(fakes.length).toBeGreaterThanOrEqual(60);
  });
});
