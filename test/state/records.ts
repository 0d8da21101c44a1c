/** Records for tests: complete ones, of which a test states only what it is about. */
import { parseThreadId, type ThreadId } from '../../src/base/ids.js';
import type { FileRecord, ThreadRecord, Watermark } from '../../src/state/index.js';

export const HOME = '/home/someone/.codex';
export const START_MS = Date.UTC(2026, 10, 29, 12);

/** The n-th thread id, in the order of n. */
export function threadId(n: number): ThreadId {
  const id = parseThreadId(`01a229ac-0000-7000-8000-${n.toString(16).padStart(12, '0')}`);
  if (id === undefined) throw new RangeError(`No thread id for ${n}`);
  return id;
}

export function rolloutPath(n: number, home = HOME): string {
  return `${home}/sessions/2026/11/29/rollout-2026-11-29T12-00-00-${threadId(n)}.jsonl`;
}

export function watermark(overrides: Partial<Watermark> = {}): Watermark {
  return {
    sizeBytes: 1000,
    mtimeNs: 1_764_417_600_123_456_789n,
    ctimeNs: 1_764_417_600_123_456_790n,
    inode: 2n ** 64n - 1n,
    device: 2049n,
    stage: 'full',
    bytesRead: 1000,
    lines: 10,
    headHash: 'head',
    tailHash: 'tail',
    ...overrides,
  };
}

export function fileRecord(n: number, overrides: Partial<FileRecord> = {}): FileRecord {
  return {
    path: rolloutPath(n),
    threadId: threadId(n),
    segmentId: null,
    location: 'active',
    compressed: false,
    watermark: watermark(),
    hiddenReason: null,
    dialect: 'legacy',
    createdAtMs: START_MS + n,
    updatedAtMs: START_MS + n * 10,
    facts: null,
    ...overrides,
  };
}

export function threadRecord(n: number, overrides: Partial<ThreadRecord> = {}): ThreadRecord {
  return {
    id: threadId(n),
    path: rolloutPath(n),
    title: `Thread ${n}`,
    name: null,
    preview: `Thread ${n}`,
    cwd: '/home/me/project',
    source: 'cli',
    modelProvider: 'openai',
    model: 'gpt-5',
    reasoningEffort: 'high',
    cliVersion: '0.171.0',
    createdAtMs: START_MS + n,
    updatedAtMs: START_MS + n * 10,
    archived: false,
    archivedAtMs: null,
    hasUserEvent: true,
    sandboxPolicy: '{"type":"managed"}',
    approvalMode: 'never',
    memoryMode: 'enabled',
    tokensUsed: 15,
    git: null,
    dialect: 'legacy',
    sizeBytes: 1000,
    forkedFromId: null,
    parentThreadId: null,
    hidden: null,
    ...overrides,
  };
}
