import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FileSystem } from '../../src/platform/files/file-system.js';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { ownerOfPrivateFolder, PrivateFolder } from '../../src/platform/files/private-folder.js';
import { openSqliteCopy } from '../../src/platform/sqlite/index.js';
import { auditDatabase, type DatabaseAudit } from '../../src/state/audit/index.js';
import { tempFolder } from '../faults/lab.js';
import { writeCodexDatabase } from './codex-database.js';

function privateFolder(): PrivateFolder {
  const folder = PrivateFolder.create(tempFolder());
  onTestFinished(() => folder[Symbol.dispose]());
  return folder;
}

function audit(
  file: string,
  { folder = privateFolder(), files = nodeFileSystem }: { folder?: PrivateFolder; files?: FileSystem } = {},
): Promise<DatabaseAudit> {
  return auditDatabase(file, { files, folder: () => folder, ours: false, wantThreads: true });
}

/** Calls `meanwhile` whenever a copy begins to read the database itself. */
function whileCopied(file: string, meanwhile: () => void): FileSystem {
  return {
    ...nodeFileSystem,
    openRegular: async (path, options) => {
      const opened = await nodeFileSystem.openRegular(path, options);
      if (path === file) meanwhile();
      return opened;
    },
  };
}

describe('auditDatabase()', () => {
  test('copies again what was written meanwhile', async () => {
    const file = join(tempFolder(), 'state_5.sqlite');
    writeCodexDatabase(file, [{ id: 'a', path: '/a' }]);
    let left = 2;
    const files = whileCopied(file, () => {
      if (left > 0) appendFileSync(file, Buffer.alloc(4096));
      left -= 1;
    });
    expect(await audit(file, { files })).toMatchObject({ problem: undefined, threads: [{ id: 'a' }] });
    expect(left).toBe(-1);
  });

  test('says of a copy that was never whole that it may be torn', async () => {
    const file = join(tempFolder(), 'state_5.sqlite');
    const rows = Array.from({ length: 400 }, (_, at) => ({ id: `thread-${at}`, path: '/a' }));
    writeCodexDatabase(file, rows);
    const bytes = readFileSync(file).fill(0x5a, 4096, 12_288);
    const { problem } = await audit(file, { files: whileCopied(file, () => writeFileSync(file, bytes)) });
    expect(problem?.kind).toBe('changing-database');
    expect(problem?.detail).toContain('nothing is known against the database itself');
  });

  test('reads a database that is written all the time when its copy is sound', async () => {
    const file = join(tempFolder(), 'state_5.sqlite');
    writeCodexDatabase(file, [{ id: 'a', path: '/a' }]);
    const bytes = readFileSync(file);
    const files = whileCopied(file, () => writeFileSync(file, bytes));
    expect(await audit(file, { files })).toMatchObject({ problem: undefined, threads: [{ id: 'a' }] });
  });

  test('copies nothing that is larger than what is free, and leaves no copy', async () => {
    const file = join(tempFolder(), 'logs_2.sqlite');
    writeCodexDatabase(file, []);
    const folder = privateFolder();
    vi.spyOn(folder, 'freeBytes').mockResolvedValue(statSync(file).size - 1);
    const copy = vi.spyOn(folder, 'copy');
    const { problem } = await audit(file, { folder });
    expect(problem?.kind).toBe('unreadable-database');
    expect(problem?.detail).toContain('free some disk space');
    expect(copy).not.toHaveBeenCalled();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('plays a rollback journal back on the copy alone', async () => {
    const folder = tempFolder();
    const file = join(folder, 'state_5.sqlite');
    writeCodexDatabase(file, [{ id: 'a', path: '/a' }], { journal: 'delete' });
    // What a kill in the middle of a transaction leaves: the journal, and pages that are already written.
    const database = openSqliteCopy(file);
    database.pragma('cache_size = 1');
    database.pragma('cache_spill = 1');
    database.exec('BEGIN');
    database.exec(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO threads (id, rollout_path, created_at, updated_at, source, model_provider, cwd, title, sandbox_policy, approval_mode) SELECT 'half-' || i, '/b', 1, 1, 's', 'm', '/', 't', '{}', 'n' FROM n",
    );
    const [main, journal] = [readFileSync(file), readFileSync(`${file}-journal`)];
    database.exec('ROLLBACK');
    database.close();
    writeFileSync(file, main);
    writeFileSync(`${file}-journal`, journal);
    expect(await audit(file)).toMatchObject({ problem: undefined, threads: [{ id: 'a' }] });
    expect(readFileSync(file).equals(main)).toBe(true);
    expect(readFileSync(`${file}-journal`).equals(journal)).toBe(true);
  });

  test('plays no journal back that names a file elsewhere', async () => {
    const folder = tempFolder();
    const file = join(folder, 'state_5.sqlite');
    writeCodexDatabase(file, [], { journal: 'delete' });
    const named = join(folder, 'all-databases');
    writeFileSync(named, 'names of databases\0');
    const magic = Buffer.from('d9d505f920a163d7', 'hex');
    writeFileSync(`${file}-journal`, Buffer.concat([magic, Buffer.alloc(504), Buffer.from(named), magic]));
    const { problem } = await audit(file);
    expect(problem?.kind).toBe('unreadable-database');
    expect(existsSync(named)).toBe(true);
  });

  test('runs no view that stands in place of the table', async () => {
    const file = join(tempFolder(), 'state_5.sqlite');
    const database = openSqliteCopy(file);
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n';
    database.exec('CREATE TABLE other (id TEXT)');
    database.exec(
      `CREATE VIEW threads AS SELECT i AS id, i AS rollout_path, 0 AS archived, '' AS source, '' AS model_provider FROM (${endless})`,
    );
    database.close();
    expect(await audit(file)).toMatchObject({ problem: undefined, threads: 'other-schema' });
  });
});

describe('PrivateFolder', () => {
  test('is for its user alone, and its name tells whose it is', async () => {
    const parent = tempFolder();
    const folder = PrivateFolder.create(parent);
    const from = join(parent, 'from');
    writeFileSync(from, 'text', { mode: 0o644 });
    await folder.copy(from, 'copy', { files: nodeFileSystem });
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder.path, 'copy')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder.path, 'copy'), 'utf8')).toBe('text');
    const [name] = readdirSync(parent).filter((entry) => entry !== 'from');
    expect(ownerOfPrivateFolder(name!)).toBe(process.pid);
    expect(ownerOfPrivateFolder('codicil-copy-1')).toBeUndefined();
    folder[Symbol.dispose]();
    expect(readdirSync(parent)).toEqual(['from']);
  });
});
