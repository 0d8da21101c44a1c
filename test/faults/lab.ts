/**
 * Homes to damage and read: temp folders, what a reader makes of them, and what changed on disk.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { parseThreadId, type ThreadId } from '../../src/base/ids.js';
import { type HomeSet, openHomes, type SessionReader, type VerifiedFile } from '../../src/home/index.js';
import type { DamageKind } from '../../src/rollout/damage.js';

/** A folder that is gone when the test ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function putFile(folder: string, path: string, content: string | Uint8Array): string {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

/** A foreign home and the home folder of the user who reads it. */
export interface Lab {
  readonly root: string;
  /** Foreign: sessions, and no mark of ours. */
  readonly home: string;
  /** `$HOME`: what is derived goes below its `.codicil`. */
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
}

export type FileContents = Readonly<Record<string, string | Uint8Array>>;

export function newLab(contents: FileContents = {}): Lab {
  const root = tempFolder();
  const home = join(root, 'codex');
  const user = join(root, 'user');
  mkdirSync(home);
  mkdirSync(user);
  for (const [path, content] of Object.entries(contents)) putFile(home, path, content);
  return { root, home, user, env: { HOME: user, CODEX_HOME: home } };
}

export function copyHome(from: string, lab: Lab): void {
  cpSync(from, lab.home, { recursive: true, preserveTimestamps: true });
}

/** All homes that the lab's environment shows: ours, which is empty, and the foreign one. */
export async function openLab(
  lab: Lab,
  options: { readonly onNotice?: (message: string) => void } = {},
): Promise<HomeSet> {
  const homes = await openHomes({ env: lab.env, ...options });
  onTestFinished(() => homes.close());
  return homes;
}

/** The reader of the lab's foreign home alone. */
export async function openForeign(
  lab: Lab,
  options: { readonly onNotice?: (message: string) => void } = {},
): Promise<SessionReader> {
  const homes = await openHomes({ env: lab.env, homes: [lab.home], ...options });
  onTestFinished(() => homes.close());
  return homes.readers[0]!;
}

export function threadId(text: string): ThreadId {
  const id = parseThreadId(text);
  if (id === undefined) throw new Error(`No thread id: ${text}`);
  return id;
}

/** Everything about a folder that reading could change: bytes, times, modes, names, inodes. Not the access time. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  const entries: Record<string, string> = {};
  const visit = (path: string, name: string): void => {
    const stat = lstatSync(path, { bigint: true });
    const facts = [stat.mode.toString(8), stat.size, stat.mtimeNs, stat.ctimeNs, stat.ino, stat.uid];
    if (stat.isFile() && stat.size < 16n * 1024n * 1024n) {
      facts.push(createHash('sha256').update(readFileSync(path)).digest('hex'));
    }
    entries[name] = facts.join(' ');
    if (stat.isDirectory()) for (const child of readdirSync(path)) visit(join(path, child), `${name}/${child}`);
  };
  visit(folder, '.');
  return entries;
}

/** `kind@line`, with `!` behind it when bytes of a record are lost. */
export function faultsOf(file: VerifiedFile): string[] {
  return file.errors.map(({ kind, line, lost }) => `${kind}@${line}${lost ? '!' : ''}`);
}

/** What only a check of the whole file, or of its lineage, can find. */
export const WHOLE_FILE_KINDS: ReadonlySet<DamageKind> = new Set([
  'ordinal',
  'id-mismatch',
  'no-session-meta',
  'empty',
  'history-base',
]);

export async function verifyPath(reader: SessionReader, path: string): Promise<VerifiedFile> {
  for await (const file of reader.verify({ path })) return file;
  throw new Error('verify() gives a file for a path');
}

export const BIN = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunProgramOptions {
  /** The whole environment but for `PATH`. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs the built program in a process of its own. */
export function runProgram(args: readonly string[], options: RunProgramOptions): Promise<Ran> {
  return runNode([BIN, ...args], options);
}

/** Runs a script in a process of its own. */
export async function runNode(args: readonly string[], { env, input = '' }: RunProgramOptions): Promise<Ran> {
  const child = spawn(process.execPath, args, { cwd: tmpdir(), env: { PATH: process.env['PATH'], ...env } });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, stdout: Buffer.concat(stdout).toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') };
}
