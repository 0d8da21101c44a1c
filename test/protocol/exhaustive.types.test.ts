/**
 * What must and must not compile; `npm run types` is the test of all but the last lines.
 * An unused `@ts-expect-error` is an error, so each of them is a claim that the next line does not compile.
 */
import { describe, expect, test } from 'vitest';
import { assertNever } from '../../src/base/errors.js';
import type { JsonValue } from '../../src/base/json.js';
import {
  decodeLine,
  type EventMsg,
  type EventTag,
  encodeEvent,
  encodeLine,
  isOpaqueItem,
  legacyTwins,
  type Op,
  type ResponseItem,
  type RolloutItem,
  Submission,
  type UnknownOp,
} from '../../src/protocol/index.js';

function everyLine(item: RolloutItem): string {
  switch (item.type) {
    case 'session_meta':
      return item.payload.id;
    case 'compacted':
      return item.payload.message;
    case 'turn_context':
      return item.payload.cwd;
    case 'response_item':
    case 'event_msg':
    case 'world_state':
    case 'token_usage_record':
    case 'inter_agent_communication':
    case 'inter_agent_communication_metadata':
    case 'dynamic_tools_updated':
    case 'retained_context':
    case 'security_risk_score':
    case 'realtime_item':
    case 'state':
      return item.type;
    default:
      return assertNever(item, 'line');
  }
}

type TurnEvent = Extract<EventMsg, { readonly type: 'task_started' | 'task_complete' | 'turn_aborted' }>;

function everyTurnEvent(msg: TurnEvent): string {
  switch (msg.type) {
    case 'task_started':
    case 'task_complete':
      return msg.turn_id;
    case 'turn_aborted':
      return msg.reason;
    default:
      return assertNever(msg, 'event');
  }
}

function oneEventMissing(msg: TurnEvent): string {
  switch (msg.type) {
    case 'task_started':
    case 'task_complete':
      return msg.turn_id;
    default:
      // @ts-expect-error a switch without a case for `turn_aborted` does not compile
      return assertNever(msg, 'event');
  }
}

/** A handler for each event: leaving one out does not compile, nor does one for an alias. */
type Handlers = { readonly [T in EventTag]: (msg: Extract<EventMsg, { readonly type: T }>) => void };

function handlersAreComplete(all: Handlers, { task_started: _, ...rest }: Handlers): readonly Handlers[] {
  // @ts-expect-error one handler is missing
  const missing: Handlers = rest;
  // @ts-expect-error an alias is read, never a type in memory
  const alias: EventTag = 'turn_started';
  return [all, missing, { ...all, [alias]: () => undefined }];
}

function fieldsOf(item: ResponseItem, msg: EventMsg): string {
  // @ts-expect-error before the opaque items are told apart, `role` may be anything
  const unchecked: string = item.type === 'message' ? item.role : '';
  if (isOpaqueItem(item)) return unchecked;
  if (item.type === 'message') return item.role + item.content.length;
  if (item.type === 'function_call') return item.arguments;
  if (msg.type === 'user_message') return msg.message;
  if (msg.type === 'item_completed' && msg.item.type === 'Plan') return msg.item.text;
  // @ts-expect-error a field that decoding does not check is to be narrowed
  return msg.type === 'task_started' ? msg['trace_id'] : '';
}

/** An op of tomorrow compiles, and falls to where it is dropped. */
function dispatch(op: Op | UnknownOp | { readonly kind: 'teleport'; readonly to: string }): 'handled' | 'dropped' {
  switch (op.kind) {
    case 'interrupt':
    case 'turn_input':
      return 'handled';
    default:
      return 'dropped';
  }
}

function noCodecTakesCommands(submission: Submission, op: Op): readonly unknown[] {
  return [
    // @ts-expect-error a submission is no event
    () => encodeEvent(submission),
    // @ts-expect-error a submission is no line
    () => encodeLine(submission),
    // @ts-expect-error a submission is no JSON
    () => decodeLine(submission, 'envelope'),
    // @ts-expect-error an op is no JSON: it may carry a callback
    op satisfies JsonValue,
    // @ts-expect-error an op is no event
    () => legacyTwins(op),
  ];
}

describe('the closed unions', () => {
  test('hold at run time what they hold at compile time', () => {
    expect(everyLine({ type: 'session_meta', payload: { id: 'x' } })).toBe('x');
    expect(everyTurnEvent({ type: 'turn_aborted', reason: 'replaced' })).toBe('replaced');
    expect(oneEventMissing({ type: 'task_started', turn_id: 't' })).toBe('t');
    expect(() => oneEventMissing({ type: 'turn_aborted', reason: 'replaced' })).toThrow(TypeError);
    expect([handlersAreComplete, fieldsOf, noCodecTakesCommands]).toHaveLength(3);
  });

  test('an op that is not known is dropped', () => {
    expect(dispatch({ kind: 'interrupt' })).toBe('handled');
    expect(dispatch({ kind: 'teleport', to: 'x' })).toBe('dropped');
  });
});

describe('Submission', () => {
  test('throws when it is asked for JSON', () => {
    const submission = new Submission('id', { kind: 'interrupt' });
    expect(() => JSON.stringify(submission)).toThrow(TypeError);
    expect(() => JSON.stringify({ deep: [submission] })).toThrow(TypeError);
  });
});
