import { describe, expect, test } from 'vitest';
import { type FramedLine, LineFramer } from '../../src/base/jsonl.js';
import { GluedLines } from '../../src/rollout/glued-lines.js';
import { readHeader } from '../../src/rollout/header.js';
import { headerTimestamp } from '../../src/rollout/header-instant.js';
import { allRollouts, messageLine, metaLine, readAll } from './samples.js';

function headerOf(text: string, shape: 'envelope' | 'bare' = 'envelope') {
  const bytes = Buffer.from(`xx${text}yy`);
  return readHeader(bytes, 2, bytes.length - 2, shape);
}

describe('readHeader()', () => {
  test('agrees with the parsed record on every line of every genuine rollout', async () => {
    let lines = 0;
    for (const path of allRollouts()) {
      const seen: unknown[] = [];
      await readAll(path, {
        observe: (decode, _value, line) => {
          if (decode.kind !== 'record' || line.oversize) return;
          const { item, ordinal, timestamp } = decode.line;
          const shape = timestamp === undefined ? 'bare' : 'envelope';
          const header = readHeader(line.bytes, line.start, line.end, shape);
          lines += 1;
          if (shape === 'bare') {
            if (header === undefined) return expect(item.type).toBe('session_meta');
            const type = item.type === 'response_item' ? item.payload.type : item.type;
            return expect(header.type).toBe(type);
          }
          const payloadType =
            item.type === 'response_item' || item.type === 'event_msg' ? item.payload.type : undefined;
          expect(header).toMatchObject({ type: item.type, payloadType, ordinal });
          expect(header && headerTimestamp(line.bytes, header)).toBe(timestamp);
          if (header?.detail !== undefined) seen.push(header.detail);
        },
      });
    }
    expect(lines).toBeGreaterThan(3000);
  });

  test.each([
    [
      'usual order',
      '{"timestamp":"t","ordinal":7,"type":"event_msg","payload":{"type":"user_message"}}',
      'event_msg',
      'user_message',
    ],
    ['type first', '{"type":"event_msg","timestamp":"t","payload":{"x":[{"a":"}"}],"type":"a"}}', 'event_msg', 'a'],
    ['white space', ' { "type" : "compacted" ,\t"payload" : {} } ', 'compacted', undefined],
    [
      'unknown members before',
      '{"a":{"type":"no"},"b":[1,"]"],"type":"turn_context","payload":{}}',
      'turn_context',
      undefined,
    ],
  ])('walks %s', (_what, text, type, payloadType) => {
    expect(headerOf(text)).toMatchObject({ type, payloadType });
  });

  test('finds the role of a message and the type of a turn item', () => {
    expect(headerOf(messageLine('x'))?.detail).toBe('user');
    const event =
      '{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","thread_id":"a","item":{"type":"UserMessage"}}}';
    expect(headerOf(event)?.detail).toBe('UserMessage');
  });

  test.each([
    ['a payload before its type', '{"payload":{},"type":"compacted"}'],
    ['an escape in the type', '{"type":"event\\u005fmsg","payload":{"type":"a"}}'],
    ['no object', '[1]'],
    ['nothing', ''],
    ['a cut line', '{"timestamp":"t","type":"respo'],
    ['an event without a type', '{"type":"event_msg","payload":{}}'],
    ['a header that begins after 4 KiB', `{"a":"${'x'.repeat(5000)}","type":"compacted","payload":{}}`],
  ])('gives up on %s', (_what, text) => {
    expect(headerOf(text)).toBeUndefined();
  });
});

describe('GluedLines', () => {
  function glued(text: string, shape: 'envelope' | 'bare' = 'envelope'): boolean[] {
    const framer = new LineFramer({ allocate: Buffer.alloc });
    framer.push(Buffer.from(text));
    framer.finish();
    const lines = new GluedLines();
    const found: boolean[] = [];
    for (let line: FramedLine | undefined = framer.next(); line !== undefined; line = framer.next()) {
      found.push(lines.mayHoldMore(line, shape));
    }
    return found;
  }

  test('suspects only lines in which a further record may begin', () => {
    const line = messageLine('a {\\"timestamp\\": b');
    const fused = `${line}${line}`;
    const retried = `${line.slice(0, 60)}${metaLine()}`;
    expect(glued([line, fused, line, line, retried, line].join('\n'))).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  test('suspects bare lines that hold a closing and an opening brace', () => {
    expect(glued('{"record_type":"state"}\n{"record_type":"state"}{"record_type":"state"}\n', 'bare')).toEqual([
      false,
      true,
    ]);
  });
});
