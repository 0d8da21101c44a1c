/** decodeLine() on what a log may hold: each row of the table of unknown types, and each kind of damage. */
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.js';
import { decodeLine, detectShape, encodeLine, isOpaqueItem, type LineDecode } from '../../src/protocol/index.js';

const AT = '2026-08-22T01:02:03.004Z';

function envelope(type: string, payload: JsonValue, more: Readonly<Record<string, JsonValue>> = {}): LineDecode {
  return decodeLine({ timestamp: AT, ...more, type, payload }, 'envelope');
}

function message(content: readonly JsonValue[]): JsonValue {
  return { type: 'message', role: 'user', content };
}

describe('decodeLine() on unknown types', () => {
  test('reports an unknown line type', () => {
    expect(envelope('future_top', { a: 1 })).toEqual({
      kind: 'unknown',
      level: 'line',
      type: 'future_top',
      reason: 'unknown line type "future_top"',
    });
    expect(decodeLine({ timestamp: AT, type: 'future_top' }, 'envelope')).toMatchObject({ kind: 'unknown' });
  });

  test('reports an unknown event type', () => {
    expect(envelope('event_msg', { type: 'future_event' })).toMatchObject({
      kind: 'unknown',
      level: 'event',
      type: 'future_event',
    });
  });

  test('reports an unknown turn item', () => {
    const payload = { type: 'item_completed', thread_id: 't', turn_id: 'u', item: { type: 'Future', id: 'i' } };
    expect(envelope('event_msg', payload)).toMatchObject({ kind: 'unknown', level: 'turn-item', type: 'Future' });
  });

  test('reports an unknown record type of the bare dialect', () => {
    expect(decodeLine({ record_type: 'future' }, 'bare')).toMatchObject({ kind: 'unknown', level: 'record-type' });
  });

  test('keeps an unknown response item as it is', () => {
    const payload = { type: 'future_item', x: 1 };
    const decode = envelope('response_item', payload);
    expect(decode).toMatchObject({ kind: 'record', unknown: 'future_item', unknownAt: 'response-item' });
    expect(decode.kind === 'record' && decode.line.item.payload).toBe(payload);
    expect(isOpaqueItem(payload)).toBe(true);
  });

  test('keeps a message with unknown content as it is', () => {
    const payload = message([
      { type: 'input_text', text: 'a' },
      { type: 'input_smell', smell: 'b' },
    ]);
    expect(envelope('response_item', payload)).toMatchObject({
      kind: 'record',
      unknown: 'input_smell',
      unknownAt: 'content',
    });
  });

  test('keeps an unknown item inside a replacement history', () => {
    const payload = { message: 'm', replacement_history: [message([]), { type: 'future_item' }] };
    expect(envelope('compacted', payload)).toMatchObject({ kind: 'record', unknown: 'future_item' });
  });

  test('reads events that 0.171 no longer reads', () => {
    for (const type of ['background_event', 'undo_started', 'agent_message_delta', 'thread_name_updated']) {
      expect(envelope('event_msg', { type }).kind).toBe('record');
    }
  });

  test('reads a session_meta with an unknown history mode', () => {
    const decode = envelope('session_meta', { id: 'x', history_mode: 'holographic' });
    expect(decode).toMatchObject({ kind: 'record', line: { item: { payload: { history_mode: 'holographic' } } } });
  });
});

describe('decodeLine() on aliases', () => {
  test('turns a read alias into the written name, in its place', () => {
    const decode = envelope('event_msg', { a: 1, type: 'turn_started', turn_id: 't' });
    expect(decode.kind === 'record' && encodeLine(decode.line)).toBe(
      `{"timestamp":"${AT}","type":"event_msg","payload":{"a":1,"type":"task_started","turn_id":"t"}}`,
    );
    const item = envelope('response_item', { type: 'compaction_summary', encrypted_content: 'e' });
    expect(item).toMatchObject({ kind: 'record', line: { item: { payload: { type: 'compaction' } } } });
  });

  test('does not change the value that it was given', () => {
    const payload = Object.freeze({ type: 'turn_complete', turn_id: 't' });
    expect(envelope('event_msg', payload).kind).toBe('record');
    expect(payload.type).toBe('turn_complete');
  });
});

describe('decodeLine() on damage', () => {
  test.each<[string, JsonValue]>([
    ['a number', 5],
    ['null', null],
    ['an array', [1]],
    ['a text', 'x'],
    ['an empty object', {}],
    ['a type that is no text', { timestamp: AT, type: 5, payload: {} }],
    ['no payload', { timestamp: AT, type: 'event_msg' }],
    ['a null payload', { timestamp: AT, type: 'event_msg', payload: null }],
    ['an array as payload', { timestamp: AT, type: 'event_msg', payload: [] }],
    ['no timestamp', { type: 'event_msg', payload: { type: 'context_compacted' } }],
    ['a timestamp that is no text', { timestamp: 5, type: 'event_msg', payload: { type: 'context_compacted' } }],
    ['a payload without type', { timestamp: AT, type: 'event_msg', payload: {} }],
    ['an item without type', { timestamp: AT, type: 'response_item', payload: {} }],
    ['an id that is no text', { timestamp: AT, type: 'session_meta', payload: { id: 5 } }],
    [
      'a type and a payload that do not fit',
      { timestamp: AT, type: 'compacted', payload: { replacement_history: [] } },
    ],
  ])('calls %s invalid', (_, value) => {
    expect(decodeLine(value, 'envelope').kind).toBe('invalid');
  });

  test('names the type and the field that is missing', () => {
    expect(envelope('response_item', { type: 'message', role: 'user' })).toEqual({
      kind: 'invalid',
      type: 'message',
      reason: 'message: missing field "content"',
    });
    expect(envelope('event_msg', { type: 'turn_started' })).toMatchObject({ kind: 'invalid', type: 'turn_started' });
  });

  test('calls a field of the wrong kind invalid', () => {
    expect(envelope('event_msg', { type: 'user_message', message: 5 }).kind).toBe('invalid');
    expect(envelope('event_msg', { type: 'user_message', message: 'm', images: 'x' }).kind).toBe('invalid');
    expect(envelope('event_msg', { type: 'user_message', message: 'm', images: null }).kind).toBe('record');
  });

  test('calls content without text invalid', () => {
    for (const content of [[{ type: 'input_text' }], [{ type: 'output_text', text: 5 }], [{}], [null], ['x']]) {
      expect(envelope('response_item', message(content)).kind).toBe('invalid');
    }
  });

  test('calls a replacement history with a malformed item invalid, so that the history before it stays', () => {
    const broken = { message: 'm', replacement_history: [{ type: 'message', role: 'user' }] };
    expect(envelope('compacted', broken)).toMatchObject({ kind: 'invalid', type: 'compacted' });
    expect(envelope('compacted', { message: 'm', replacement_history: [5] }).kind).toBe('invalid');
  });

  test('calls an item event with a malformed item invalid', () => {
    const base = { type: 'item_completed', thread_id: 't', turn_id: 'u' };
    expect(envelope('event_msg', { ...base, item: { type: 'Plan', id: 'p' } }).kind).toBe('invalid');
    expect(envelope('event_msg', { ...base, item: {} }).kind).toBe('invalid');
    expect(envelope('event_msg', base).kind).toBe('invalid');
  });

  test('reads a null ordinal as none, and takes no other wrong one', () => {
    const payload = { type: 'context_compacted' };
    expect(envelope('event_msg', payload, { ordinal: 0 })).toMatchObject({ line: { ordinal: 0 } });
    expect(envelope('event_msg', payload, { ordinal: null })).toMatchObject({ line: { ordinal: undefined } });
    for (const ordinal of ['3', -1, 1.5, 2 ** 60, {}, true]) {
      expect(envelope('event_msg', payload, { ordinal }).kind).toBe('invalid');
    }
  });

  test('takes a timestamp that is no time', () => {
    const decode = decodeLine({ timestamp: 'noon', type: 'event_msg', payload: { type: 'token_count' } }, 'envelope');
    expect(decode).toMatchObject({ kind: 'record', line: { timestamp: 'noon' } });
  });

  test('drops the line of a ghost snapshot, not a text that mentions one', () => {
    const ignored = { kind: 'ignored', reason: 'ghost-snapshot' };
    expect(envelope('response_item', { type: 'ghost_snapshot', ghost_commit: {} })).toEqual(ignored);
    expect(envelope('response_item', message([{ type: 'input_text', text: 'ghost_snapshot' }])).kind).toBe('record');
  });
});

describe('decodeLine() on session_meta', () => {
  test('needs only an id, not even the time of the line', () => {
    expect(envelope('session_meta', { id: 'x' }).kind).toBe('record');
    expect(decodeLine({ type: 'session_meta', payload: { id: 'x' } }, 'envelope')).toMatchObject({
      kind: 'record',
      line: { timestamp: '' },
    });
    expect(envelope('session_meta', { cwd: '/' }).kind).toBe('invalid');
  });

  test('sets a field of the wrong kind aside and says so', () => {
    const payload = JSON.parse(
      '{"id":"x","cwd":5,"git":{"branch":1},"history_base":{"thread_id":"t"},"__proto__":7,"n":1}',
    );
    const decode = envelope('session_meta', payload);
    expect(decode).toMatchObject({ kind: 'record', ignoredFields: ['cwd', 'git', 'history_base'] });
    expect(decode.kind === 'record' && JSON.stringify(decode.line.item.payload)).toBe('{"id":"x","__proto__":7,"n":1}');
    expect(payload.cwd).toBe(5);
  });

  test('never takes an unreadable history mode for legacy', () => {
    const decode = envelope('session_meta', { id: 'x', history_mode: { v: 2 } });
    expect(decode).toMatchObject({ line: { item: { payload: { history_mode: '{"v":2}' } } } });
  });
});

describe('decodeLine() on bare lines', () => {
  const meta = { id: 'x', timestamp: AT, instructions: null };
  const item = { type: 'function_call_output', call_id: 'c', output: 'o' };

  test('reads the first line, the state lines and the items', () => {
    expect(decodeLine(meta, 'bare')).toMatchObject({ line: { timestamp: undefined, item: { type: 'session_meta' } } });
    expect(decodeLine({ record_type: 'state' }, 'bare')).toMatchObject({ line: { item: { type: 'state' } } });
    expect(decodeLine(item, 'bare')).toMatchObject({ line: { item: { type: 'response_item', payload: item } } });
    expect(decodeLine({ type: 'future' }, 'bare')).toMatchObject({ kind: 'record', unknown: 'future' });
  });

  test('reads bare lines among envelopes and envelopes among bare lines', () => {
    expect(decodeLine(item, 'envelope')).toMatchObject({ kind: 'record', line: { item: { type: 'response_item' } } });
    expect(decodeLine(meta, 'envelope')).toMatchObject({ kind: 'record', line: { item: { type: 'session_meta' } } });
    const line = { timestamp: AT, type: 'event_msg', payload: { type: 'user_message', message: 'm' } };
    expect(decodeLine(line, 'bare')).toMatchObject({ kind: 'record', line: { timestamp: AT } });
  });

  test('detectShape() tells the dialects from the first value', () => {
    expect(detectShape(meta)).toBe('bare');
    expect(detectShape({ record_type: 'state' })).toBe('bare');
    expect(detectShape(item)).toBe('bare');
    expect(detectShape({ timestamp: AT, type: 'session_meta', payload: {} })).toBe('envelope');
    expect(detectShape({ type: 'future', payload: {} })).toBe('envelope');
    for (const value of [null, 5, [], {}, 'x']) expect(detectShape(value)).toBe('envelope');
  });
});

describe('encodeLine()', () => {
  test('writes timestamp, ordinal, type, payload and metadata in this order, then other keys', () => {
    const text =
      `{"future":1,"metadata":{"m":1},"payload":{"type":"web_search_call"},"type":"response_item","ordinal":7,` +
      `"timestamp":"${AT}","__proto__":{"x":1}}`;
    const decode = decodeLine(JSON.parse(text), 'envelope');
    expect(decode.kind === 'record' && encodeLine(decode.line)).toBe(
      `{"timestamp":"${AT}","ordinal":7,"type":"response_item","payload":{"type":"web_search_call"},"metadata":{"m":1},` +
        `"future":1,"__proto__":{"x":1}}`,
    );
    expect(Object.prototype).not.toHaveProperty('x');
  });

  test('refuses what a dialect cannot hold', () => {
    const none = { ordinal: undefined, metadata: undefined };
    const event = { type: 'event_msg', payload: { type: 'context_compacted' } } as const;
    expect(() => encodeLine({ ...none, timestamp: undefined, item: event })).toThrow(TypeError);
    expect(() => encodeLine({ ...none, timestamp: AT, item: { type: 'state', payload: {} } })).toThrow(TypeError);
  });
});
