/** Log records as tests make them. */
import { parseThreadId, type ThreadId } from '../../../src/base/ids.js';
import type { LogRecord } from '../../../src/state/logs/index.js';

export const NOW = Date.UTC(2026, 10, 30, 12);
export const PROCESS = 'pid:7:00000000-0000-4000-8000-000000000007';

export function thread(n: number): ThreadId {
  return parseThreadId(`019a2b3c-0000-7000-8000-${String(n).padStart(12, '0')}`)!;
}

export function record(fields: Partial<LogRecord> = {}): LogRecord {
  return { level: 'info', target: 'test', message: 'It happened', atMs: NOW, processId: PROCESS, ...fields };
}

/** So many records, one millisecond apart, numbered in their message. */
export function records(count: number, fields: Partial<LogRecord> = {}): LogRecord[] {
  return Array.from({ length: count }, (_, n) => record({ message: `entry ${n}`, atMs: NOW + n, ...fields }));
}
