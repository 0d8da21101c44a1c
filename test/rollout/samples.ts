/**
 * What the rollout tests work with: fixtures, temp folders, lines.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import {
  type ReadRecordsOptions,
  type RecordBatch,
  readRecords,
  readRecordsSync,
} from '../../src/rollout/forward-reader.js';

export const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
export const LINEAGE_HOME = join(FIXTURES, 'codex/0.171.0/lineage/home');
export const files = nodeFileSystem;

/** Paths of all genuine rollouts, whatever their release. */
export function allRollouts(): string[] {
  return readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
    .filter((path) => /rollout-[^/]*\.jsonl(\.zst)?$/.test(path))
    .map((path) => join(FIXTURES, path))
    .sort();
}

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollout-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file that is gone when the test ends. */
export function tempFile(content: string | Uint8Array, name = 'rollout.jsonl'): string {
  const path = join(tempFolder(), name);
  writeFileSync(path, content);
  return path;
}

export async function readAll(path: string, options: Partial<ReadRecordsOptions> = {}): Promise<RecordBatch> {
  const batches: RecordBatch[] = [];
  for await (const batch of readRecords(path, { files, ...options })) batches.push(batch);
  return joined(batches);
}

export function readAllSync(path: string, options: Partial<ReadRecordsOptions> = {}): RecordBatch {
  return joined([...readRecordsSync(path, { files, ...options })]);
}

function joined(batches: readonly RecordBatch[]): RecordBatch {
  const last = batches.at(-1);
  if (last === undefined) throw new Error('No batch at all');
  return {
    ...last,
    records: batches.flatMap((batch) => batch.records),
    damage: batches.flatMap((batch) => batch.damage),
    unknown: batches.flatMap((batch) => batch.unknown),
  };
}

export const META_ID = '01a229f0-2e7f-7fd2-9dab-b721d8039115';

export function metaLine(fields: object = {}, envelope: object = {}): string {
  const payload = {
    id: META_ID,
    timestamp: '2026-11-30T00:00:00.000Z',
    cwd: '/w',
    originator: 'o',
    cli_version: '1',
    ...fields,
  };
  return JSON.stringify({ timestamp: '2026-11-30T00:00:00.000Z', ...envelope, type: 'session_meta', payload });
}

export function messageLine(text: string, envelope: object = {}): string {
  const payload = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  return JSON.stringify({ timestamp: '2026-11-30T00:00:01.000Z', ...envelope, type: 'response_item', payload });
}

/** Texts of the message items, in order. */
export function textsOf(batch: Pick<RecordBatch, 'records'>): string[] {
  return batch.records.flatMap(({ line: { item } }) => {
    if (item.type !== 'response_item' || item.payload.type !== 'message') return [];
    const content = item.payload.content as readonly { readonly text?: unknown }[];
    return content.map((entry) => String(entry.text));
  });
}
