/** What the tests of writing share: items, recorders over a temporary folder, a disk that fails as it is told. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseThreadId, type ThreadId } from '../../src/base/ids.js';
import type { AppendFile, AppendFiles } from '../../src/platform/files/append-file.js';
import { nodeAppendFiles } from '../../src/platform/files/node-append-file.js';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import type { WrittenDialect } from '../../src/protocol/persistence.js';
import type { RolloutItem } from '../../src/protocol/rollout-line.js';
import type { SessionMeta } from '../../src/protocol/session-meta.js';
import { readRecords } from '../../src/rollout/forward-reader.js';
import { type CreateRecorder, type ResumeRecorder, RolloutRecorder } from '../../src/rollout/recorder.js';

export const THREAD = threadId(1);
export const STARTED_MS = Date.parse('2026-05-04T10:00:00.000Z');
export const DIALECTS: readonly WrittenDialect[] = ['legacy', 'paginated'];

export function threadId(number: number): ThreadId {
  const id = parseThreadId(`019e0000-0000-7000-8000-${String(number).padStart(12, '0')}`);
  if (id === undefined) throw new Error('No id');
  return id;
}

/** A folder that goes away with the test. */
export class LogFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'codicil-log-'));
  /** A step of the clock for every line. */
  nowMs = STARTED_MS;

  get log(): string {
    return join(this.path, 'sessions', '2026', '05', '04', `rollout-2026-05-04T10-00-00-${THREAD}.jsonl`);
  }

  create(dialect: WrittenDialect = 'legacy', options: Partial<CreateRecorder> = {}): RolloutRecorder {
    return RolloutRecorder.create({
      path: this.log,
      meta: metaOf(dialect),
      dialect,
      nowMs: () => this.nowMs++,
      ...options,
    });
  }

  resume(options: Partial<ResumeRecorder> = {}): Promise<RolloutRecorder> {
    return RolloutRecorder.resume({ path: this.log, threadId: THREAD, nowMs: () => this.nowMs++, ...options });
  }

  text(): string {
    return readFileSync(this.log, 'utf8');
  }

  /** The lines, parsed; throws for one that is torn. */
  lines(): readonly Record<string, unknown>[] {
    const text = this.text();
    if (!text.endsWith('\n')) throw new Error('The log does not end with a line feed');
    return text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function metaOf(dialect: WrittenDialect, id: ThreadId = THREAD): SessionMeta {
  return {
    id,
    timestamp: new Date(STARTED_MS).toISOString(),
    cwd: '/work',
    originator: 'codicil',
    cli_version: '0.1.0',
    ...(dialect === 'paginated' && { history_mode: 'paginated' }),
  };
}

/** An item that both dialects keep; its text says which it is. */
export function said(text: string): RolloutItem {
  const content = [{ type: 'output_text' as const, text }];
  return { type: 'response_item', payload: { type: 'message', role: 'assistant', content } };
}

/** An item that no dialect keeps. */
export const DELIVERED_ONLY: RolloutItem = { type: 'event_msg', payload: { type: 'warning', message: 'w' } };

export interface ReadLog {
  /** Of every message in the log. */
  readonly texts: readonly string[];
  readonly ordinals: readonly (number | undefined)[];
  readonly types: readonly string[];
  /** Lines that lost something. */
  readonly lost: number;
}

/** What the readers of this program find in a log. */
export async function readLog(path: string): Promise<ReadLog> {
  const texts: string[] = [];
  const ordinals: (number | undefined)[] = [];
  const types: string[] = [];
  let lost = 0;
  for await (const batch of readRecords(path, { files: nodeFileSystem })) {
    lost += batch.damage.filter((damage) => damage.lost).length;
    for (const { line } of batch.records) {
      types.push(line.item.type);
      ordinals.push(line.ordinal);
      if (line.item.type !== 'response_item') continue;
      const [content] =
        (line.item.payload as { readonly content?: readonly { readonly text?: string }[] }).content ?? [];
      if (content?.text !== undefined) texts.push(content.text);
    }
  }
  return { texts, ordinals, types, lost };
}

/** What the disk does instead of the next writes: refuses with an errno, or takes so many bytes only. */
export type DiskFault = string | number;

/** A disk that fails as it is told, over the real one. */
export class FaultyDisk implements AppendFiles {
  /** For the next writes, in order; then all goes well. */
  readonly writes: DiskFault[] = [];
  /** For the next opens. */
  readonly opens: string[] = [];
  /** For the next syncs. */
  readonly syncs: string[] = [];
  /** Called before each sync. */
  beforeSync: () => Promise<void> = async () => undefined;
  synced = 0;
  written = 0;

  openSync(path: string, options: Parameters<AppendFiles['openSync']>[1]): AppendFile {
    const fault = this.opens.shift();
    if (fault !== undefined) throw errno(fault);
    const file = nodeAppendFiles.openSync(path, options);
    return {
      identity: file.identity,
      statSync: () => file.statSync(),
      closeSync: () => file.closeSync(),
      writeSync: (bytes, start, end) => {
        const fault = this.writes.shift();
        if (typeof fault === 'string') throw errno(fault);
        this.written += 1;
        return file.writeSync(bytes, start, Math.min(end, start + (fault ?? end)));
      },
      sync: async () => {
        await this.beforeSync();
        const fault = this.syncs.shift();
        if (fault !== undefined) throw errno(fault);
        this.synced += 1;
        await file.sync();
      },
    };
  }
}

export function errno(code: string): Error {
  return Object.assign(new Error(`${code}: the disk says no`), { code });
}
