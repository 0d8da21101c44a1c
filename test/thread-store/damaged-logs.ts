/** Logs with every kind of damage that a test can draw: genuine ones, taken apart into lines. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { FIXTURES, rolloutsBelow } from './temp-home.js';

export const ROLLOUTS = [...rolloutsBelow(join(FIXTURES, 'codex')), ...rolloutsBelow(join(FIXTURES, 'samples-0.171'))];

/** One of each release and kind, small enough to be read hundreds of times. */
export const BASES: readonly (readonly Buffer[])[] = ROLLOUTS.filter(
  (path) => path.endsWith('.jsonl') && statSync(path).size < 150_000,
)
  .filter((_path, at) => at % 4 === 0)
  .map((path) => splitLines(readFileSync(path)));

export function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const next = end === -1 ? bytes.length : end + 1;
    lines.push(bytes.subarray(from, next));
    from = next;
  }
  return lines;
}

export const lineOf = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
export const event = (payload: object, timestamp: unknown = '2026-05-04T10:00:00.000Z') =>
  lineOf({ timestamp, type: 'event_msg', payload });
const context = (cwd: string, model: string) =>
  lineOf({
    timestamp: '2026-05-04T10:00:00.000Z',
    type: 'turn_context',
    payload: { cwd, model, approval_policy: 'never', summary: 'auto' },
  });
const tokens = (info: unknown) => event({ type: 'token_count', info });

/** Lines that decide something, in forms that logs had, or could have. */
export const ODD_LINES: readonly Buffer[] = [
  tokens(null),
  tokens({ total_token_usage: { total_tokens: 77 } }),
  tokens({ total_token_usage: { total_tokens: '77' } }),
  tokens({}),
  event({ type: 'token_count', rate_limits: {}, info: null }),
  event({ type: 'token_count', rate_limits: { a: 'x'.repeat(400) }, info: null }),
  context('/first', 'm1'),
  context('/second', 'm2'),
  lineOf({ timestamp: '2026-05-04T10:00:00.000Z', type: 'turn_context', payload: { model: 'm3' } }),
  event({ type: 'thread_name_updated', thread_name: 'A name' }),
  event({ type: 'thread_name_updated' }),
  event({ type: 'user_message', message: 'Something else', images: [] }),
  event({ type: 'agent_message', message: 'Done' }, 'not a time'),
  event({ type: 'agent_message', message: 'Done' }, ''),
  event({ type: 'agent_message', message: 'Done' }, 17),
  event({ type: 'agent_message', message: 'Done' }, '1969-12-31T23:59:59Z'),
  lineOf({ type: 'event_msg', payload: { type: 'agent_message', message: 'No time' } }),
  lineOf({
    timestamp: '2026-05-04T10:00:00.000Z',
    ordinal: 9,
    type: 'event_msg',
    payload: { type: 'agent_message', message: 'x' },
  }),
  lineOf({
    timestamp: '2026-05-04T10:00:00.000Z',
    ordinal: 'nine',
    type: 'event_msg',
    payload: { type: 'agent_message', message: 'x' },
  }),
  lineOf({ timestamp: '2026-05-04T10:00:00.000Z', type: 'novel', payload: {} }),
  lineOf({ timestamp: '2026-05-04T10:00:00.000Z', type: 'event_msg', payload: { type: 'novel' } }),
  lineOf({ timestamp: '2026-05-04T10:00:00.000Z', type: 'response_item', payload: { type: 'novel' } }),
  lineOf({
    timestamp: '2026-05-04T10:00:00.000Z',
    type: 'session_meta',
    payload: { id: '01a229a2-9e35-7313-bb41-f1df13f7214a', history_mode: 'paginated' },
  }),
  lineOf({
    timestamp: '2026-05-04T10:00:00.000Z',
    type: 'session_meta',
    payload: { id: '01a229a2-9e35-7313-bb41-f1df13f7214b', history_mode: 'legacy' },
  }),
  lineOf({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'bare' }] }),
  lineOf({ record_type: 'state' }),
  Buffer.from('{"timestamp":"2026-05-04T10:00:00.000Z","type":"event_msg","payload":{"type":"agent_message","mess\n'),
  Buffer.from('{"timestamp":"2026-05-04T10:00:00.000Z","type":"turn_context","payload":{"cwd":"/cut","mo\n'),
  Buffer.from('{"timestamp":"2026-05-04T10:00:00.000Z","type":"turn_context","payload":{"cwd":"/no model"}}\n'),
  Buffer.from('\n'),
  Buffer.from('   \r\n'),
  Buffer.from('\0\0\0\0\n'),
  Buffer.from('null\n'),
  Buffer.from('garbage \xff\xfe\n', 'latin1'),
];

export const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constant('odd' as const), at: fc.nat(), line: fc.constantFrom(...ODD_LINES) }),
  fc.record({ kind: fc.constant('odd-at-end' as const), line: fc.constantFrom(...ODD_LINES) }),
  fc.record({ kind: fc.constant('twice' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('fuse' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('crlf' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), with: fc.nat() }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant('bytes' as const),
    at: fc.nat(),
    offset: fc.nat(),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }),
  }),
  fc.record({ kind: fc.constant('end' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
);

export type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

export function damaged(base: readonly Buffer[], steps: readonly Damage[]): Buffer {
  const lines = [...base];
  let end = 1;
  for (const step of steps) {
    const at = 'at' in step ? step.at % Math.max(1, lines.length) : lines.length;
    const line = lines[at] ?? Buffer.alloc(0);
    switch (step.kind) {
      case 'cut':
        lines[at] = Buffer.concat([line.subarray(0, Math.floor(line.length * step.part)), Buffer.from('\n')]);
        break;
      case 'odd':
        lines.splice(at, 0, step.line);
        break;
      case 'odd-at-end':
        lines.push(step.line);
        break;
      case 'twice':
        lines.splice(at, 0, line);
        break;
      case 'fuse':
        lines[at] = line.subarray(0, Math.max(0, line.length - 1));
        break;
      case 'crlf':
        lines[at] = Buffer.concat([line.subarray(0, Math.max(0, line.length - 1)), Buffer.from('\r\n')]);
        break;
      case 'swap': {
        const other = step.with % Math.max(1, lines.length);
        [lines[at], lines[other]] = [lines[other] ?? line, line];
        break;
      }
      case 'remove':
        lines.splice(at, 1);
        break;
      case 'bytes': {
        const copy = Buffer.from(line);
        copy.set(
          step.bytes.subarray(0, Math.max(0, copy.length - 1)),
          step.offset % Math.max(1, copy.length - step.bytes.length),
        );
        lines[at] = copy;
        break;
      }
      case 'end':
        end = step.part;
        break;
    }
  }
  const whole = Buffer.concat(lines);
  return whole.subarray(0, end > 0.9 ? whole.length - Math.floor((1 - end) * 300) : Math.floor(whole.length * end));
}

export const damagedRollout = fc
  .record({ base: fc.constantFrom(...BASES), steps: fc.array(damage, { maxLength: 6 }) })
  .map(({ base, steps }) => damaged(base, steps));
