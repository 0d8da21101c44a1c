import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { nodeFileSystem as files } from '../../src/platform/files/node-file-system.js';
import { FactsFold } from '../../src/projection/thread-facts.js';
import { readRecordsSync } from '../../src/rollout/forward-reader.js';
import { scanFacts } from '../../src/thread-store/local/facts-scan.js';
import { FIXTURES, rolloutsBelow, tempFolder } from './temp-home.js';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());

const ROLLOUTS = [...rolloutsBelow(join(FIXTURES, 'codex')), ...rolloutsBelow(join(FIXTURES, 'samples-0.171'))];

/** What the scan must find, without its shortcuts. */
function foldEvery(path: string) {
  const fold = new FactsFold();
  let hasRecords = false;
  let dialect: string | null = null;
  for (const batch of readRecordsSync(path, { files })) {
    for (const record of batch.records) fold.apply(record.line, record);
    hasRecords ||= batch.records.length > 0;
    dialect = batch.dialect ?? dialect;
  }
  return { facts: fold.finish(), hasRecords, dialect };
}

function scanned(path: string) {
  const { facts } = scanFacts(path, { files });
  return { facts: facts.facts, hasRecords: facts.hasRecords, dialect: facts.dialect };
}

/** Reads to `cut`, then on from where that reading ended. */
function scannedInTwo(path: string, cut: number) {
  const { bytesRead, lines, facts } = scanFacts(path, { files, endByteOffset: cut });
  return scanFacts(path, { files, from: { byteOffset: bytesRead, lines, facts } });
}

/** One of each release and kind, small enough to be read hundreds of times. */
const BASES = ROLLOUTS.filter((path) => path.endsWith('.jsonl') && statSync(path).size < 150_000)
  .filter((_path, at) => at % 4 === 0)
  .map((path) => splitLines(readFileSync(path)));

function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const next = end === -1 ? bytes.length : end + 1;
    lines.push(bytes.subarray(from, next));
    from = next;
  }
  return lines;
}

const text = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const event = (payload: object, timestamp: unknown = '2026-05-04T10:00:00.000Z') =>
  text({ timestamp, type: 'event_msg', payload });
const context = (cwd: string, model: string) =>
  text({
    timestamp: '2026-05-04T10:00:00.000Z',
    type: 'turn_context',
    payload: { cwd, model, approval_policy: 'never', summary: 'auto' },
  });
const tokens = (info: unknown) => event({ type: 'token_count', info });

/** Lines that decide something, in forms that logs had, or could have. */
const ODD_LINES: readonly Buffer[] = [
  tokens(null),
  tokens({ total_token_usage: { total_tokens: 77 } }),
  tokens({ total_token_usage: { total_tokens: '77' } }),
  tokens({}),
  event({ type: 'token_count', rate_limits: {}, info: null }),
  event({ type: 'token_count', rate_limits: { a: 'x'.repeat(400) }, info: null }),
  context('/first', 'm1'),
  context('/second', 'm2'),
  text({ timestamp: '2026-05-04T10:00:00.000Z', type: 'turn_context', payload: { model: 'm3' } }),
  event({ type: 'thread_name_updated', thread_name: 'A name' }),
  event({ type: 'thread_name_updated' }),
  event({ type: 'user_message', message: 'Something else', images: [] }),
  event({ type: 'agent_message', message: 'Done' }, 'not a time'),
  event({ type: 'agent_message', message: 'Done' }, ''),
  event({ type: 'agent_message', message: 'Done' }, 17),
  event({ type: 'agent_message', message: 'Done' }, '1969-12-31T23:59:59Z'),
  text({ type: 'event_msg', payload: { type: 'agent_message', message: 'No time' } }),
  text({
    timestamp: '2026-05-04T10:00:00.000Z',
    ordinal: 9,
    type: 'event_msg',
    payload: { type: 'agent_message', message: 'x' },
  }),
  text({
    timestamp: '2026-05-04T10:00:00.000Z',
    ordinal: 'nine',
    type: 'event_msg',
    payload: { type: 'agent_message', message: 'x' },
  }),
  text({ timestamp: '2026-05-04T10:00:00.000Z', type: 'novel', payload: {} }),
  text({ timestamp: '2026-05-04T10:00:00.000Z', type: 'event_msg', payload: { type: 'novel' } }),
  text({ timestamp: '2026-05-04T10:00:00.000Z', type: 'response_item', payload: { type: 'novel' } }),
  text({
    timestamp: '2026-05-04T10:00:00.000Z',
    type: 'session_meta',
    payload: { id: '01a229a2-9e35-7313-bb41-f1df13f7214a', history_mode: 'paginated' },
  }),
  text({
    timestamp: '2026-05-04T10:00:00.000Z',
    type: 'session_meta',
    payload: { id: '01a229a2-9e35-7313-bb41-f1df13f7214b', history_mode: 'legacy' },
  }),
  text({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'bare' }] }),
  text({ record_type: 'state' }),
  Buffer.from('{"timestamp":"2026-05-04T10:00:00.000Z","type":"event_msg","payload":{"type":"agent_message","mess\n'),
  Buffer.from('{"timestamp":"2026-05-04T10:00:00.000Z","type":"turn_context","payload":{"cwd":"/cut","mo\n'),
  Buffer.from('{"timestamp":"2026-05-04T10:00:00.000Z","type":"turn_context","payload":{"cwd":"/no model"}}\n'),
  Buffer.from('\n'),
  Buffer.from('   \r\n'),
  Buffer.from('\0\0\0\0\n'),
  Buffer.from('null\n'),
  Buffer.from('garbage \xff\xfe\n', 'latin1'),
];

const damage = fc.oneof(
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

type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(base: readonly Buffer[], steps: readonly Damage[]): Buffer {
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

const damagedRollout = fc
  .record({ base: fc.constantFrom(...BASES), steps: fc.array(damage, { maxLength: 6 }) })
  .map(({ base, steps }) => damaged(base, steps));

const path = join(folder.path, 'rollout.jsonl');

/** A build says the same thing twice; another number explores further. */
const SEED = 20_261_130;

describe('scanFacts()', () => {
  test('finds in every fixture what folding every record finds', () => {
    for (const file of ROLLOUTS) expect({ file, ...scanned(file) }).toEqual({ file, ...foldEvery(file) });
  });

  test('reads every fixture on from anywhere', () => {
    for (const file of ROLLOUTS.filter((name) => name.endsWith('.jsonl'))) {
      const whole = scanFacts(file, { files });
      const size = statSync(file).size;
      for (const part of [0, 0.1, 0.5, 0.77, 0.999, 1]) {
        expect({ file, part, ...scannedInTwo(file, Math.floor(size * part)) }).toEqual({ file, part, ...whole });
      }
    }
  });

  test('finds a bare record behind one that was cut, although nothing closes before it', () => {
    const told = '<environment_context>\\n<cwd>/told</cwd>\\n</environment_context>';
    const meta =
      '{"id":"01a229a2-9e35-7313-bb41-f1df13f7214a","timestamp":"2026-05-04T10:00:00.000Z","instructions":null}';
    const message = `{"type":"message","role":"user","content":[{"type":"input_text","text":"${told}"}]}`;
    writeFileSync(path, `${meta}\n{"record_type":"state"${message}\n`);
    expect(scanned(path)).toEqual(foldEvery(path));
    expect(scanned(path).facts.contextCwd).toBe('/told');
  });

  test('keeps the dialect of the first session_meta when reading goes on behind it', () => {
    const meta = (mode: string): Buffer =>
      text({
        timestamp: '2026-05-04T10:00:00.000Z',
        type: 'session_meta',
        payload: { id: '01a229a2-9e35-7313-bb41-f1df13f7214a', history_mode: mode },
      });
    writeFileSync(path, Buffer.concat([meta('legacy'), meta('paginated')]));
    expect(scannedInTwo(path, meta('legacy').length)).toEqual(scanFacts(path, { files }));
    expect(scanned(path).dialect).toBe('legacy');
  });

  test('finds in any damaged log what folding every record finds', () => {
    fc.assert(
      fc.property(damagedRollout, (bytes) => {
        writeFileSync(path, bytes);
        expect(scanned(path)).toEqual(foldEvery(path));
      }),
      { numRuns: 600, seed: SEED },
    );
  });

  test('reads any damaged log on from any byte', () => {
    const place = fc.record({ part: fc.double({ min: 0, max: 1, noNaN: true }), behindBrace: fc.boolean() });
    fc.assert(
      fc.property(damagedRollout, place, (bytes, { part, behindBrace }) => {
        writeFileSync(path, bytes);
        const byte = Math.floor(bytes.length * part);
        // Behind a brace an unfinished line may be a whole record, until more of the line comes.
        const cut = behindBrace ? bytes.indexOf('}', byte) + 1 : byte;
        expect(scannedInTwo(path, cut)).toEqual(scanFacts(path, { files }));
      }),
      { numRuns: 600, seed: SEED },
    );
  });
});
