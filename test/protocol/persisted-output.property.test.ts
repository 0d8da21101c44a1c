/** How much of a command's output goes into a log. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  capOutput,
  MAX_PERSISTED_OUTPUT_BYTES,
  OUTPUT_CUT_MARK,
  type RolloutItem,
  withCappedOutput,
} from '../../src/protocol/index.js';

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');
/** 65,536 and the mark, as a real client wrote them. */
const CAP = 65_536;
const MARK = '\n\n... command output truncated for persistence ...\n\n';

describe('capOutput()', () => {
  test('pins the bound and the mark', () => {
    expect([MAX_PERSISTED_OUTPUT_BYTES, OUTPUT_CUT_MARK]).toEqual([CAP, MARK]);
  });

  test('leaves a text of 65,536 bytes alone, and cuts one of a byte more to 65,536', () => {
    expect(capOutput('x'.repeat(CAP))).toBe('x'.repeat(CAP));
    const cut = capOutput('x'.repeat(CAP + 1));
    expect(cut).toBe('x'.repeat(32_742) + MARK + 'x'.repeat(32_742));
    expect(bytes(cut)).toBe(CAP);
  });

  test('cuts as the real client did', () => {
    const root = join(fileURLToPath(new URL('../..', import.meta.url)), 'fixtures', 'codex', '0.171.0', 'longout');
    const log = readFileSync(
      join(root, 'home/sessions/2026/11/29/rollout-2026-11-29T23-25-40-01a229a0-e6be-7d33-bf59-e8d03fb0f4e9.jsonl'),
      'utf8',
    );
    const line = log.split('\n').find((text) => text.includes('truncated for persistence')) ?? '';
    const { aggregated_output: written } = JSON.parse(line).payload.item;
    const [head = '', tail = ''] = written.split(MARK);
    expect(bytes(head)).toBe(32_742);
    expect(bytes(tail)).toBe(32_742);
    expect(capOutput(head + 'what was cut out\n'.repeat(10_000) + tail)).toBe(written);
  });

  test('keeps the longest beginning and end that fit, and never splits a character', () => {
    const part = fc.constantFrom('a', 'é', '한', '😀', '\ud83d', '\ude00', '\n');
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 40_000 }),
        (parts, times) => {
          const text = parts.join('').repeat(times);
          const cut = capOutput(text);
          expect(bytes(cut)).toBeLessThanOrEqual(CAP);
          if (bytes(text) <= CAP) {
            expect(cut).toBe(text);
            return;
          }
          const at = cut.indexOf(MARK);
          const [head, tail] = [cut.slice(0, at), cut.slice(at + MARK.length)];
          expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
          expect([32_742 - bytes(head), 32_742 - bytes(tail)].every((left) => left >= 0 && left < 4)).toBe(true);
          // What is split would count as two replacement characters.
          const middle = text.slice(head.length, text.length - tail.length);
          expect(bytes(head) + bytes(middle) + bytes(tail)).toBe(bytes(text));
        },
      ),
      { numRuns: 60, seed: 20_261_201 },
    );
  }, 120_000);
});

describe('withCappedOutput()', () => {
  const long = 'y'.repeat(CAP * 2);

  test('caps the output of a command and changes nothing else, nor the object of the caller', () => {
    const item: RolloutItem = {
      type: 'event_msg',
      payload: {
        type: 'item_completed',
        thread_id: 't',
        turn_id: 'u',
        item: { type: 'CommandExecution', id: 'c', command: ['ls'], aggregated_output: long, exit_code: 0 },
      },
    };
    const before = JSON.stringify(item);
    const capped = withCappedOutput(item);
    expect(JSON.stringify(item)).toBe(before);
    expect(JSON.stringify(capped)).toBe(before.replace(long, JSON.stringify(capOutput(long)).slice(1, -1)));
    expect(withCappedOutput(capped)).toBe(capped);
  });

  test('keeps one output of an exec_command_end, capped', () => {
    const payload = { call_id: 'c', stdout: long, stderr: long, formatted_output: long, aggregated_output: long };
    expect(withCappedOutput({ type: 'event_msg', payload: { type: 'exec_command_end', ...payload } })).toEqual({
      type: 'event_msg',
      payload: {
        type: 'exec_command_end',
        call_id: 'c',
        stdout: '',
        stderr: '',
        formatted_output: '',
        aggregated_output: capOutput(long),
      },
    });
  });

  test('leaves what a model sees alone, whatever its size', () => {
    const item: RolloutItem = {
      type: 'response_item',
      payload: { type: 'function_call_output', call_id: 'c', output: long },
    };
    expect(withCappedOutput(item)).toBe(item);
  });
});
