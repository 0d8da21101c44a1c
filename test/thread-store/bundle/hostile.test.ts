import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../../../src/platform/files/node-file-system.js';
import { BundleError } from '../../../src/thread-store/bundle/errors.js';
import { openBundle } from '../../../src/thread-store/bundle/read-bundle.js';
import { rolloutLines, rolloutPath, tempFolder, uuid, writeLines } from '../temp-home.js';
import { bundleOf, forgeBundle, importInto, namesBelow, writeBundle } from './bundle-homes.js';

const files = nodeFileSystem;

async function smallBundle(folder: string): Promise<Buffer> {
  const home = join(folder, 'a');
  writeLines(rolloutPath(home, uuid(1)), rolloutLines({ says: ['one'] }));
  writeLines(rolloutPath(home, uuid(2)), rolloutLines({ id: uuid(2), says: ['two'] }));
  return writeBundle(join(folder, 'small.codicil'), await bundleOf(home));
}

async function faultOf(path: string): Promise<BundleError> {
  try {
    await (await openBundle(path, { files })).close();
  } catch (error) {
    if (error instanceof BundleError) return error;
    throw error;
  }
  throw new Error('The bundle was taken');
}

describe('openBundle()', () => {
  test('refuses a bundle with any one byte changed, and names the place', async () => {
    using folder = tempFolder();
    const bytes = await smallBundle(folder.path);
    const path = join(folder.path, 'changed');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = bytes[at]! ^ (1 << (at % 8));
      writeFileSync(path, changed);
      const fault = await faultOf(path);
      expect(['bundle-damaged', 'not-a-bundle', 'bundle-newer', 'bundle-too-large'], `byte ${at}`).toContain(
        fault.code,
      );
      // A size in the first line may have grown: then the file looks cut.
      if (at > bytes.indexOf('\n')) expect(fault.byteOffset, `byte ${at}`).toBeLessThanOrEqual(at);
    }
  });

  test('refuses a bundle cut at any byte, and one with bytes behind its end', async () => {
    using folder = tempFolder();
    const bytes = await smallBundle(folder.path);
    const path = join(folder.path, 'cut');
    for (let length = 0; length < bytes.length; length += 1) {
      writeFileSync(path, bytes.subarray(0, length));
      expect(['bundle-damaged', 'not-a-bundle'], `length ${length}`).toContain((await faultOf(path)).code);
    }
    writeFileSync(path, Buffer.concat([bytes, Buffer.from('\n')]));
    expect(await faultOf(path)).toMatchObject({ code: 'bundle-damaged', byteOffset: bytes.length });
  });

  test('names the file inside in which a byte was changed', async () => {
    using folder = tempFolder();
    const bytes = await smallBundle(folder.path);
    const at = bytes.lastIndexOf('"message":"two"');
    bytes[at + 12] = 0x58;
    writeFileSync(join(folder.path, 'x'), bytes);
    expect(await faultOf(join(folder.path, 'x'))).toMatchObject({
      code: 'bundle-damaged',
      entry: expect.stringContaining(uuid(2)),
      message: expect.stringMatching(/bytes \d+ to \d+\) was changed/),
    });
  });
});

const LOG = `${rolloutLines({ says: ['one'] }).join('\n')}\n`;
const PATH = `sessions/2026/05/04/rollout-2026-05-04T10-00-00-${uuid(1)}.jsonl`;

function file(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const sha256 = createHash('sha256').update(LOG).digest('hex');
  const { length: bytes } = Buffer.from(LOG);
  return { path: PATH, threadId: uuid(1), segmentId: null, bytes, sha256, contentBytes: bytes, base: null, ...fields };
}

function header(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    kind: 'codicil-bundle',
    format: 1,
    program: 'codicil 0.0.0',
    createdAt: '2026-11-30T12:00:00.000Z',
    home: { kind: 'codex' },
    masked: false,
    secrets: {},
    threads: [{ id: uuid(1), name: null, requested: true }],
    files: [file()],
    ...fields,
  };
}

const named = (path: string) => header({ files: [file({ path })] });

const HOSTILE: readonly (readonly [what: string, header: unknown, code: string, logs?: readonly string[]])[] = [
  [
    'a path that climbs',
    named(`sessions/2026/05/../../../../rollout-2026-05-04T10-00-00-${uuid(1)}.jsonl`),
    'bundle-invalid',
  ],
  ['an absolute path', named(`/tmp/rollout-2026-05-04T10-00-00-${uuid(1)}.jsonl`), 'bundle-invalid'],
  ['a path with a backslash', named(PATH.replaceAll('/', '\\')), 'bundle-invalid'],
  ['a path with a NUL', named(`${PATH}\0.jsonl`), 'bundle-invalid'],
  ['a path of no log', named('config.toml'), 'bundle-invalid'],
  ['a database', named('db/state_5.sqlite'), 'bundle-invalid'],
  ['a name of another thread', header({ files: [file({ threadId: uuid(2) })] }), 'bundle-invalid'],
  [
    'a thread that no file is of',
    header({
      threads: [
        { id: uuid(1), name: null, requested: true },
        { id: uuid(2), name: null, requested: true },
      ],
    }),
    'bundle-invalid',
  ],
  ['a file of no thread', header({ threads: [] }), 'bundle-invalid'],
  ['a file that is there twice', header({ files: [file(), file()] }), 'bundle-invalid', [LOG, LOG]],
  ['a size that no file has', header({ files: [file({ bytes: 2 ** 50, contentBytes: 2 ** 50 })] }), 'bundle-too-large'],
  ['a size below zero', header({ files: [file({ bytes: -1 })] }), 'bundle-invalid'],
  ['a size that is a fraction', header({ files: [file({ bytes: 1.5 })] }), 'bundle-invalid'],
  [
    'more bytes than there are',
    header({ files: [file({ bytes: 10_000_000, contentBytes: 10_000_000 })] }),
    'bundle-damaged',
  ],
  ['10,000 files', header({ files: Array.from({ length: 10_000 }, () => file()) }), 'bundle-too-large'],
  ['a base that comes later', header({ files: [file({ base: { path: PATH, endByteOffset: 1 } })] }), 'bundle-invalid'],
  ['a log of another thread than its name says', header(), 'bundle-invalid', [LOG.replaceAll(uuid(1), uuid(3))]],
  ['a header that is a list', [], 'bundle-invalid'],
  ['no files', header({ files: undefined }), 'bundle-invalid'],
  [
    'a name of a million characters',
    header({ threads: [{ id: uuid(1), name: { text: 'x'.repeat(1e6) }, requested: true }] }),
    'bundle-too-large',
  ],
];

describe('a hostile bundle whose checksums fit', () => {
  test.each(HOSTILE)('with %s is refused, and nothing is written', async (_what, forged, code, given) => {
    // The rows have no logs of their own but where they say so.
    const logs: readonly string[] = Array.isArray(given) ? given : [LOG];
    using folder = tempFolder();
    const [path, home] = [join(folder.path, 'x'), join(folder.path, 'home')];
    mkdirSync(home);
    let value = forged;
    if (logs[0] !== LOG) {
      const sha256 = createHash('sha256')
        .update(logs[0] ?? '')
        .digest('hex');
      value = header({ files: [file({ sha256 })] });
    }
    writeFileSync(path, forgeBundle(value, logs));
    await expect(importInto(home, path)).rejects.toMatchObject({ code, path });
    expect(namesBelow(home)).toEqual([]);
  });

  test('is taken when nothing is wrong with it', async () => {
    using folder = tempFolder();
    const [path, home] = [join(folder.path, 'x'), join(folder.path, 'home')];
    mkdirSync(home);
    writeFileSync(path, forgeBundle(header(), [LOG]));
    expect(await importInto(home, path)).toMatchObject([{ id: uuid(1), outcome: 'imported' }]);
    expect(readFileSync(join(home, PATH), 'utf8')).toBe(LOG);
  });

  test('that is a link is refused', async () => {
    using folder = tempFolder();
    writeFileSync(join(folder.path, 'x'), forgeBundle(header(), [LOG]));
    symlinkSync(join(folder.path, 'x'), join(folder.path, 'link'));
    await expect(openBundle(join(folder.path, 'link'), { files })).rejects.toMatchObject({
      code: 'not-a-regular-file',
    });
  });
});
