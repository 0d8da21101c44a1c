/**
 * Loaded before a program (`--import`): counts what it does to files and databases, and ends it with SIGKILL before the n-th.
 *
 * KILL_AT: which one (1-based); without it nothing is killed. KILL_STEPS: a file that gets the names of all steps, as JSON, when the
 * program ends by itself. A step is a call of node:fs in any of its three forms that changes something, a method of a FileHandle
 * that does, and what SQLite writes outside of a transaction, a COMMIT included: what lies within one is all or nothing.
 */
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const killAt = Number(process.env.KILL_AT ?? 0);
const { writeFileSync } = fs;
const steps = [];

function step(name) {
  steps.push(name);
  if (steps.length === killAt) process.kill(process.pid, 'SIGKILL');
}

function wrap(owner, key, name, counts = () => true) {
  const original = owner[key];
  if (typeof original !== 'function') return;
  const wrapped = function (...args) {
    if (counts.call(this, ...args)) step(name);
    return Reflect.apply(original, this, args);
  };
  Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original));
  owner[key] = wrapped;
}

const CHANGES =
  'rename link symlink unlink mkdir rmdir rm mkdtemp truncate ftruncate fsync fdatasync copyFile cp utimes futimes lutimes chmod fchmod lchmod chown fchown lchown writeFile appendFile'.split(
    ' ',
  );
const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = fs.constants;
const opensForWriting = (_path, flags) =>
  typeof flags === 'number'
    ? (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) !== 0
    : typeof flags === 'string' && /[wa+]/.test(flags);
/** What a program says is no change of a file. */
const isFile = (fd) => typeof fd !== 'number' || fd > 2;

for (const name of CHANGES) {
  wrap(fs, name, name, isFile);
  wrap(fs, `${name}Sync`, name, isFile);
  wrap(fs.promises, name, name);
}
for (const name of ['write', 'writev']) {
  wrap(fs, name, name, isFile);
  wrap(fs, `${name}Sync`, name, isFile);
}
wrap(fs, 'open', 'open', opensForWriting);
wrap(fs, 'openSync', 'open', opensForWriting);
wrap(fs.promises, 'open', 'open', opensForWriting);

const handle = await fs.promises.open(process.execPath, 'r');
const FileHandle = Object.getPrototypeOf(handle);
await handle.close();
for (const [key, name] of [
  ['write', 'write'],
  ['writev', 'write'],
  ['writeFile', 'write'],
  ['appendFile', 'write'],
  ['truncate', 'truncate'],
  ['sync', 'fsync'],
  ['datasync', 'fsync'],
  ['chmod', 'chmod'],
  ['chown', 'chown'],
  ['utimes', 'utimes'],
])
  wrap(FileHandle, key, name);
syncBuiltinESMExports();

const isChange = (sql) =>
  !/^\s*(BEGIN|SAVEPOINT|RELEASE|ROLLBACK|SELECT|PRAGMA (?!wal_checkpoint|incremental))/i.test(sql);
const isCommit = (sql) => /^\s*COMMIT/i.test(sql);
function wrapSqlite(Database, Statement, inTransaction) {
  wrap(Database, 'exec', 'sql exec', function (sql) {
    return isCommit(sql) || (!inTransaction(this) && isChange(sql));
  });
  wrap(Database, 'pragma', 'sql pragma', (text) => /^(wal_checkpoint|incremental)/.test(text));
  wrap(Statement, 'run', 'sql run', function () {
    return this.database === undefined || !inTransaction(this.database);
  });
}
const require = createRequire(process.argv[1]);
try {
  const BetterSqlite3 = require('better-sqlite3');
  const probe = new BetterSqlite3(':memory:');
  wrapSqlite(
    BetterSqlite3.prototype,
    Object.getPrototypeOf(probe.prepare('SELECT 1')),
    (database) => database.inTransaction,
  );
  probe.close();
} catch {
  // Not every Node has it; the one below serves then.
}
try {
  const { DatabaseSync, StatementSync } = require('node:sqlite');
  wrapSqlite(DatabaseSync.prototype, StatementSync.prototype, (database) => database.isTransaction);
} catch {
  // Not in Node 20.
}

process.on('exit', () => {
  if (process.env.KILL_STEPS !== undefined) writeFileSync(process.env.KILL_STEPS, JSON.stringify(steps));
});
