/** What becomes of the index of a home when its databases fail while they are used. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SqliteError } from '../../src/platform/sqlite/index.js';
import { type HomeIndex, IndexHandle } from '../../src/thread-store/local/index/index-handle.js';
import { derivedPaths, tempFolder } from './temp-home.js';

function openHandle(root: string): { readonly handle: IndexHandle; readonly notices: readonly string[] } {
  const notices: string[] = [];
  const handle = new IndexHandle({
    homePath: join(root, 'home'),
    indexPaths: async () => derivedPaths(join(root, 'index', 'state_5.sqlite')),
    onNotice: (message) => notices.push(message),
  });
  return { handle, notices };
}

type Code = ConstructorParameters<typeof SqliteError>[0];

/** As a write fails on a database that lies on the disk; one in memory can be written. */
function write({ path }: { readonly path: string }, code: Code): void {
  if (path === ':memory:') return;
  throw new SqliteError(code, `SQLite failed on "${path}": it cannot be written`, { path });
}

async function writeBoth(index: HomeIndex, code: Code): Promise<readonly string[]> {
  write(index.state, code);
  const search = await index.search();
  write(search, code);
  return [index.state.path, search.path];
}

for (const code of ['sqlite-full', 'sqlite-readonly', 'sqlite-io'] as const) {
  test(`work goes on in memory when one database after the other fails with ${code}`, async () => {
    using root = tempFolder();
    const { handle, notices } = openHandle(root.path);
    let runs = 0;
    const paths = await handle.use((index) => {
      runs += 1;
      return writeBoth(index, code);
    });
    expect(paths).toEqual([':memory:', ':memory:']);
    expect(runs).toBe(3);
    expect(notices).toEqual([
      expect.stringMatching(/^The index of .* is kept in memory for this run$|^The index of .*it is kept in memory/),
      expect.stringMatching(/^The full-text index of .*it is kept in memory/),
    ]);
    await handle.close();
  });
}

test('the search database gives way to memory although it fails first', async () => {
  using root = tempFolder();
  const { handle } = openHandle(root.path);
  const paths = await handle.use(async (index) => {
    const search = await index.search();
    write(search, 'sqlite-full');
    write(index.state, 'sqlite-full');
    return [index.state.path, search.path];
  });
  expect(paths).toEqual([':memory:', ':memory:']);
  await handle.close();
});

test('a database that was opened anew may still give way to memory', async () => {
  using root = tempFolder();
  const { handle } = openHandle(root.path);
  const codes: Code[] = ['sqlite-error', 'sqlite-full'];
  const path = await handle.use(async ({ state }) => {
    const code = codes.shift();
    if (code !== undefined) write(state, code);
    return state.path;
  });
  expect([path, codes]).toEqual([':memory:', []]);
  await handle.close();
});

test('a failure that nothing mends is thrown after one more try', async () => {
  using root = tempFolder();
  const { handle } = openHandle(root.path);
  let runs = 0;
  const broken = handle.use(async ({ state }) => {
    runs += 1;
    throw new SqliteError('sqlite-error', 'no such function', { path: state.path });
  });
  await expect(broken).rejects.toMatchObject({ code: 'sqlite-error' });
  expect(runs).toBe(2);
  const full = handle.use(async ({ state }) => {
    throw new SqliteError('sqlite-full', 'no room in memory either', { path: state.path });
  });
  await expect(full).rejects.toMatchObject({ code: 'sqlite-full' });
  await handle.close();
});
