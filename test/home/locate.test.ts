import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocateOptions, locateHomes } from '../../src/home/locate.js';
import { openHomes } from '../../src/home/open-homes.js';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from '../thread-store/temp-home.js';

let root: ReturnType<typeof tempFolder>;
beforeEach(() => {
  root = tempFolder();
});
afterEach(() => root[Symbol.dispose]());

const at = (...names: readonly string[]): string => join(root.path, ...names);

function put(name: string, text = ''): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}

function locate(env: Readonly<Record<string, string>> = {}, options: Partial<LocateOptions> = {}) {
  return locateHomes({ env: { HOME: root.path, ...env }, files: nodeFileSystem, ...options });
}

const MARK = '{"format":1,"id":"x"}\n';

describe('locateHomes() takes a folder for', () => {
  test.each([
    ['sessions/x', 'codex'],
    ['archived_sessions/x', 'codex'],
    ['state_5.sqlite', 'codex'],
    ['config.toml', 'codicil'],
    ['auth.json', 'codicil'],
  ])('that holds only %s: %s', async (name, kind) => {
    put(`home/${name}`);
    const [home] = await locate({ CODICIL_HOME: at('home') });
    expect(home).toMatchObject({ path: at('home'), kind, own: kind === 'codicil' });
  });

  test('ours, whatever it holds, when it has the mark', async () => {
    put('home/sessions/x');
    put('home/state_5.sqlite');
    put('home/codicil.json', MARK);
    const [home] = await locate({ CODICIL_HOME: at('home') });
    expect(home).toEqual({
      path: at('home'),
      kind: 'codicil',
      own: true,
      index: { root: at('home'), folder: at('home', 'db') },
    });
  });

  test('ours when it is not there yet, and does not make it', async () => {
    const homes = await locate();
    expect(homes).toEqual([
      {
        path: at('.codicil'),
        kind: 'codicil',
        own: true,
        index: { root: at('.codicil'), folder: at('.codicil', 'db') },
      },
    ]);
    expect(readdirSync(root.path)).toEqual([]);
  });
});

describe('locateHomes() puts what it derives', () => {
  test('of a foreign home below ours', async () => {
    put('.codex/sessions/x');
    const [, codex] = await locate();
    expect(codex).toMatchObject({ path: at('.codex'), kind: 'codex', own: false, index: { root: at('.codicil') } });
    expect(codex?.index?.folder).toMatch(new RegExp(`^${at('.codicil', 'indexes')}/[0-9a-f]{16}$`));
  });

  test('below ~/.codicil when CODICIL_HOME names a foreign home', async () => {
    put('foreign/sessions/x');
    const [home] = await locate({ CODICIL_HOME: at('foreign') });
    expect(home).toMatchObject({ path: at('foreign'), own: false, index: { root: at('.codicil') } });
    expect(home?.index?.folder.startsWith(at('.codicil', 'indexes'))).toBe(true);
  });

  test('nowhere when ~/.codicil is foreign, too', async () => {
    put('.codicil/sessions/x');
    expect(await locate()).toEqual([{ path: at('.codicil'), kind: 'codex', own: false, index: undefined }]);
    put('foreign/sessions/x');
    expect((await locate({ CODICIL_HOME: at('foreign') }))[0]).toMatchObject({ index: undefined });
  });

  test('of one folder in one place, by whatever link it is reached', async () => {
    put('.codex/sessions/x');
    symlinkSync(at('.codex'), at('link'));
    const [codex] = await locate({}, { homes: [at('.codex')] });
    const [link] = await locate({}, { homes: [at('link')] });
    expect(link?.index).toEqual(codex?.index);
    expect(await locate({}, { homes: [at('link'), at('.codex')] })).toHaveLength(1);
  });

  test('of our own home in CODICIL_SQLITE_HOME, and of no other', async () => {
    put('.codicil/codicil.json', MARK);
    put('other/codicil.json', MARK);
    put('.codex/sessions/x');
    const homes = await locate(
      { CODICIL_SQLITE_HOME: at('fast') },
      { homes: [at('.codicil'), at('other'), at('.codex')] },
    );
    expect(homes.map(({ index }) => index?.folder)).toEqual([
      at('fast'),
      at('other', 'db'),
      expect.stringContaining(at('.codicil', 'indexes')),
    ]);
  });
});

describe('locateHomes() finds', () => {
  test('ours, that of Codex, and those of [codicil.homes], each once, ours first', async () => {
    put('.codex/sessions/x');
    put('work/sessions/x');
    put('more/codicil.json', MARK);
    put(
      '.codicil/config.toml',
      `[codicil.homes]\nwork = ${JSON.stringify(at('work'))}\nmore = ${JSON.stringify(at('more'))}\nagain = ${JSON.stringify(at('.codex'))}\n`,
    );
    expect((await locate()).map(({ path }) => path)).toEqual([at('.codicil'), at('more'), at('.codex'), at('work')]);
  });

  test('the home of CODEX_HOME instead of ~/.codex', async () => {
    put('.codex/sessions/x');
    put('elsewhere/sessions/x');
    expect((await locate({ CODEX_HOME: at('elsewhere') })).map(({ path }) => path)).toEqual([
      at('.codicil'),
      at('elsewhere'),
    ]);
  });

  test('with --home only those that are named', async () => {
    put('.codex/sessions/x');
    put('work/sessions/x');
    expect((await locate({}, { homes: [at('work')] })).map(({ path }) => path)).toEqual([at('work')]);
    await expect(locate({}, { homes: [at('none')] })).rejects.toMatchObject({
      code: 'home-not-found',
      path: at('none'),
    });
    await expect(locate({}, { homes: [at('work/sessions/x')] })).rejects.toMatchObject({
      code: 'home-not-a-folder',
      message: expect.stringContaining('it is a file, not a folder'),
    });
  });

  test('nothing through the config.toml of a foreign home', async () => {
    put('work/sessions/x');
    put('foreign/sessions/x');
    put('foreign/config.toml', `[codicil.homes]\nwork = ${JSON.stringify(at('work'))}\n`);
    put('.codex/sessions/x');
    put('.codex/config.toml', `[codicil.homes]\nwork = ${JSON.stringify(at('work'))}\n`);
    expect((await locate({ CODICIL_HOME: at('foreign') })).map(({ path }) => path)).toEqual([
      at('foreign'),
      at('.codex'),
    ]);
    put('foreign/config.toml', 'no = = toml');
    expect(await locate({ CODICIL_HOME: at('foreign') })).toHaveLength(2);
  });

  test('what [codicil.homes] names well, and says what it left out', async () => {
    put('work/sessions/x');
    const notices: string[] = [];
    put(
      '.codicil/config.toml',
      `[codicil.homes]\na = "relative"\nb = 7\nc = ${JSON.stringify(at('none'))}\nd = ${JSON.stringify(at('work'))}\n`,
    );
    const homes = await locate({}, { onNotice: (notice) => notices.push(notice) });
    expect(homes.map(({ path }) => path)).toEqual([at('.codicil'), at('work')]);
    expect(notices).toEqual([
      expect.stringContaining('"relative"'),
      expect.stringContaining('7'),
      expect.stringContaining(at('none')),
    ]);
  });
});

describe('locateHomes() never lets anything be written into another program\u2019s home', () => {
  test('when CODICIL_HOME lies inside it', async () => {
    put('.codex/sessions/x');
    for (const inside of ['.codex/sessions', '.codex/new/deeper']) {
      const homes = await locate({ CODICIL_HOME: at(inside) });
      expect(homes.every(({ index }) => index === undefined || index.root === at('.codicil'))).toBe(true);
    }
  });

  test('when CODICIL_SQLITE_HOME names it or a folder inside it', async () => {
    put('.codex/sessions/x');
    put('.codicil/codicil.json', MARK);
    for (const place of ['.codex', '.codex/sessions', '.codex/db']) {
      const notices: string[] = [];
      const [own] = await locate({ CODICIL_SQLITE_HOME: at(place) }, { onNotice: (notice) => notices.push(notice) });
      expect(own?.index).toEqual({ root: at('.codicil'), folder: at('.codicil', 'db') });
      expect(notices).toEqual([expect.stringContaining(at(place))]);
    }
  });
});

describe('locateHomes() reads our config.toml', () => {
  test('and names file and line of what is no TOML', async () => {
    put('.codicil/config.toml', 'model = "x"\n\n[codicil.homes]\nwork = = 3\n');
    await expect(locate()).rejects.toMatchObject({
      code: 'invalid-config',
      path: at('.codicil', 'config.toml'),
      line: 4,
      message: expect.stringContaining(at('.codicil', 'config.toml')),
    });
  });

  test('through a link, and with a byte order mark', async () => {
    put('work/sessions/x');
    put('dotfiles/config.toml', `\uFEFF[codicil.homes]\nwork = ${JSON.stringify(at('work'))}\n`);
    mkdirSync(at('.codicil'));
    symlinkSync(at('dotfiles', 'config.toml'), at('.codicil', 'config.toml'));
    expect(await locate()).toHaveLength(2);
  });

  test.skipIf(process.platform === 'win32')('without waiting for a FIFO in its place', async () => {
    mkdirSync(at('.codicil'));
    execFileSync('mkfifo', [at('.codicil', 'config.toml')]);
    expect(await locate()).toHaveLength(1);
  });

  test.each(['codicil = 3', '[codicil]\nhomes = 3', '[codicil]\nhomes = ["x"]', ''])(
    'and takes %j for no homes',
    async (text) => {
      put('.codicil/config.toml', text);
      expect(await locate()).toHaveLength(1);
    },
  );
});

describe('openHomes()', () => {
  function session(home: string): void {
    writeLines(rolloutPath(at(home), uuid(1)), rolloutLines({}));
  }

  test('makes our home with its mark at the first index, and only then', async () => {
    await using none = await openHomes({ env: { HOME: root.path } });
    await none.list();
    expect(existsSync(at('.codicil'))).toBe(false);
    session('.codex');
    await using homes = await openHomes({ env: { HOME: root.path } });
    expect(await homes.list()).toMatchObject({ total: 1 });
    expect(readdirSync(at('.codicil')).sort()).toEqual(['codicil.json', 'indexes']);
  });

  test('makes a folder ours that holds a config.toml only, and keeps it', async () => {
    session('.codex');
    put('.codicil/config.toml', 'model = "x"\n');
    await using homes = await openHomes({ env: { HOME: root.path } });
    await homes.list();
    expect(readdirSync(at('.codicil')).sort()).toEqual(['codicil.json', 'config.toml', 'indexes']);
  });

  test('leaves a foreign ~/.codicil as it is, and lists it from memory', async () => {
    session('.codicil');
    await using homes = await openHomes({ env: { HOME: root.path } });
    expect(await homes.list()).toMatchObject({ total: 1, index: { state: 'complete' } });
    expect(readdirSync(at('.codicil'))).toEqual(['sessions']);
  });

  test.skipIf(process.getuid?.() === 0)('lists the same from memory where nothing can be written', async () => {
    session('.codex');
    mkdirSync(at('.codicil'));
    chmodSync(at('.codicil'), 0o500);
    await using homes = await openHomes({ env: { HOME: root.path } });
    expect(await homes.list()).toMatchObject({ total: 1, index: { state: 'complete' } });
    expect(readdirSync(at('.codicil'))).toEqual([]);
  });

  test('lists the same from memory where a file is in the way of the index', async () => {
    session('.codex');
    put('.codicil/codicil.json', MARK);
    put('.codicil/indexes', 'a file');
    await using homes = await openHomes({ env: { HOME: root.path } });
    expect(await homes.list()).toMatchObject({ total: 1, index: { state: 'complete' } });
  });
});
