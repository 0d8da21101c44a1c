import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { applyLine, FactsFold, inheritFacts, NO_FACTS, type ThreadFacts } from '../../src/projection/thread-facts.js';
import { hiddenReasonOf, type ThreadFile, type ThreadRow, threadRow } from '../../src/projection/thread-row.js';
import {
  assistant,
  decode,
  event,
  ID,
  item,
  legacy,
  type Made,
  message,
  meta,
  OTHER_ID,
  timestampOf,
  user,
  userEvent,
} from './lines.js';

const FILE: ThreadFile = {
  path: '/home/sessions/rollout.jsonl',
  home: '/home',
  idFromName: null,
  createdAtMs: Date.UTC(2026, 0, 1),
  sizeBytes: 10,
  mtimeMs: Date.UTC(2026, 0, 2),
  archived: false,
  archivedAtMs: null,
  dialect: 'legacy',
  name: null,
};

function factsOf(...made: readonly Made[]): ThreadFacts {
  const fold = new FactsFold();
  for (const [index, line] of legacy(made).entries())
    fold.apply(line, { lineNumber: index + 1, byteOffset: index * 100 });
  return fold.finish();
}

const rowOf = (...made: readonly Made[]): Omit<ThreadRow, 'children'> => threadRow(factsOf(...made), FILE);
const context = (fields: JsonObject): Made => ['turn_context', { cwd: '/c', approval_policy: 'never', ...fields }];
const tokens = (total: number): Made =>
  event('token_count', { info: { total_token_usage: { total_tokens: total } }, rate_limits: null });

describe('threadRow()', () => {
  test('threadRow() takes the folder from the environment told to the model where nothing else says it', () => {
    const environment = user('<environment_context>\n  <cwd>/told</cwd>\n</environment_context>');
    expect(rowOf(meta({ cwd: undefined }), environment, user('hi')).cwd).toBe('/told');
    expect(rowOf(meta({ cwd: '/project' }), environment, user('hi')).cwd).toBe('/project');
    expect(rowOf(meta({ cwd: undefined }), user('I saw <cwd>/not this</cwd>')).cwd).toBeNull();
  });

  test('threadRow() takes a thread that names itself as its parent for a root', () => {
    expect(rowOf(meta({ parent_thread_id: ID, source: 'cli' }), user('hi'))).toMatchObject({
      parentThreadId: null,
      hiddenReason: null,
    });
  });

  test('threadRow() of a whole thread', () => {
    const row = rowOf(
      meta({
        timestamp: '2026-11-29T00:00:00.5Z',
        cwd: '/project',
        source: 'exec',
        model_provider: 'openai',
        cli_version: '0.136.0',
        git: { commit_hash: 'abc', branch: 'main' },
        forked_from_id: OTHER_ID,
      }),
      user('<environment_context>x</environment_context>'),
      user('first'),
      userEvent(' first '),
      context({ model: 'm', effort: 'high', sandbox_policy: { type: 'read-only' } }),
      tokens(130),
      assistant('answer'),
      event('thread_name_updated', { thread_name: 'a name' }),
    );
    expect(row).toEqual({
      id: ID,
      path: '/home/sessions/rollout.jsonl',
      home: '/home',
      title: 'first',
      name: 'a name',
      preview: 'first',
      cwd: '/project',
      source: 'exec',
      modelProvider: 'openai',
      model: 'm',
      reasoningEffort: 'high',
      cliVersion: '0.136.0',
      createdAt: '2026-11-29T00:00:00.500Z',
      updatedAt: timestampOf(7),
      archived: false,
      archivedAt: null,
      hasUserEvent: true,
      sandboxPolicy: '{"type":"read-only"}',
      approvalMode: 'never',
      memoryMode: null,
      tokensUsed: 130,
      git: { sha: 'abc', branch: 'main', originUrl: null },
      dialect: 'legacy',
      sizeBytes: 10,
      forkedFromId: OTHER_ID,
      parentThreadId: null,
      hiddenReason: null,
    });
  });

  test('threadRow() of an empty file takes everything from the file', () => {
    const row = threadRow(NO_FACTS, FILE);
    expect([row.id, row.title, row.source, row.createdAt, row.updatedAt]).toEqual([
      null,
      '',
      'vscode',
      '2026-01-01T00:00:00.000Z',
      '2026-01-02T00:00:00.000Z',
    ]);
    expect(threadRow(NO_FACTS, { ...FILE, createdAtMs: null }).createdAt).toBe('2026-01-02T00:00:00.000Z');
  });

  test('threadRow() prefers the name of the index to that of the log', () => {
    const facts = factsOf(meta(), event('thread_name_updated', { thread_name: 'old' }));
    expect(threadRow(facts, { ...FILE, name: 'new' }).name).toBe('new');
    expect(threadRow(facts, { ...FILE, name: '  ' }).name).toBe('old');
  });

  test('threadRow() hides an archived thread', () => {
    const row = threadRow(factsOf(meta()), { ...FILE, archived: true, archivedAtMs: 0 });
    expect([row.hiddenReason, row.archivedAt]).toEqual(['archived', '1970-01-01T00:00:00.000Z']);
  });
});

describe('session_meta', () => {
  test('FactsFold takes the first id, wherever it stands, and ignores metas of other threads', () => {
    const facts = factsOf(userEvent('u'), meta({ cwd: '/a' }), ['session_meta', { id: OTHER_ID, cwd: '/b' }]);
    expect([facts.threadId, facts.cwd]).toEqual([ID, '/a']);
  });

  test('FactsFold lets a later meta of the same thread overwrite source, keeps what that one lacks', () => {
    const facts = factsOf(
      meta({ source: 'cli', model_provider: 'p', cli_version: '1', memory_mode: 'enabled', git: { branch: 'a' } }),
      meta({ source: { custom: 'atlas' }, memory_mode: 'disabled' }),
    );
    expect(facts).toMatchObject({
      source: '{"custom":"atlas"}',
      modelProvider: 'p',
      cliVersion: '1',
      memoryMode: 'disabled',
      git: { sha: null, branch: 'a', originUrl: null },
    });
  });

  test('FactsFold reads a start time in the form of file names', () => {
    expect(factsOf(meta({ timestamp: '2026-11-29T01-02-03' })).startedAtMs).toBe(Date.UTC(2026, 10, 29, 1, 2, 3));
  });

  test('FactsFold finds the parent in either place', () => {
    const spawn = { subagent: { thread_spawn: { parent_thread_id: OTHER_ID, depth: 1 } } };
    expect(factsOf(meta({ parent_thread_id: OTHER_ID })).parentThreadId).toBe(OTHER_ID);
    expect(factsOf(meta({ source: spawn })).parentThreadId).toBe(OTHER_ID);
  });

  test('FactsFold keeps the base of a segment', () => {
    const base = { thread_id: OTHER_ID, end_ordinal_exclusive: 14, end_byte_offset: 9962 };
    const facts = factsOf(meta({ history_mode: 'paginated', history_base: base }));
    expect([facts.historyMode, facts.historyBase]).toEqual(['paginated', base]);
  });
});

describe('title and preview', () => {
  test('threadRow() takes the first message that says something, and no later one', () => {
    const row = rowOf(userEvent('  '), userEvent('first'), userEvent('second'));
    expect([row.title, row.preview]).toEqual(['first', 'first']);
  });

  test('threadRow() leaves out what an editor puts before the request', () => {
    expect(rowOf(userEvent('# Context\n## My request for Codex:\n do it \n')).title).toBe('do it');
  });

  test('threadRow() previews a message that only shows an image, and titles it by the next text', () => {
    const image = event('user_message', { message: '', images: ['data:x'] });
    expect([rowOf(image).title, rowOf(image).preview]).toEqual(['', '[Image]']);
    expect([rowOf(image, userEvent('see')).title, rowOf(image, userEvent('see')).preview]).toEqual(['see', '[Image]']);
  });

  test('threadRow() previews a goal that stood before the first message', () => {
    const goal = event('thread_goal_updated', { threadId: ID, goal: { objective: ' finish ' } });
    expect([rowOf(goal).title, rowOf(goal).preview]).toEqual(['', 'finish']);
    expect(rowOf(goal, userEvent('u')).preview).toBe('finish');
    expect(rowOf(userEvent('u'), goal).preview).toBe('u');
  });

  test('threadRow() counts a UserMessage item as a message of the user', () => {
    const content = [
      { type: 'local_image', path: '/p.png' },
      { type: 'text', text: 'what is it?' },
    ];
    const row = rowOf(
      event('item_completed', { thread_id: ID, turn_id: 't', item: { type: 'UserMessage', id: 'i', content } }),
    );
    expect([row.title, row.preview, row.hasUserEvent]).toEqual(['what is it?', 'what is it?', true]);
  });

  test('threadRow() falls back to items in a log without events', () => {
    const row = rowOf(
      user('# AGENTS.md instructions for /a\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>'),
      user('<environment_context>x</environment_context>'),
      user('hello'),
      user('more'),
    );
    expect([row.title, row.preview, row.hasUserEvent]).toEqual(['hello', 'hello', false]);
  });

  test('threadRow() prefers an event to the item before it', () => {
    expect(rowOf(user('item text'), userEvent('event text')).title).toBe('event text');
  });

  test('threadRow() bounds a long title between graphemes and makes it well-formed', () => {
    const title = rowOf(userEvent(`\ud800${'👩‍👩‍👧‍👦'.repeat(300)}`)).title;
    expect([...title].length).toBeLessThanOrEqual(400);
    expect(title.startsWith('\ufffd👩‍👩‍👧‍👦')).toBe(true);
    expect(title.endsWith('👩‍👩‍👧‍👦…')).toBe(true);
  });
});

describe('what the last line says', () => {
  test('FactsFold takes the last token count with figures, never a sum, never less than zero', () => {
    const none = event('token_count', { info: null, rate_limits: null });
    expect(factsOf(tokens(10), tokens(30), none).tokensUsed).toBe(30);
    expect(factsOf(tokens(-5)).tokensUsed).toBe(0);
  });

  test('FactsFold takes the last turn_context, but the cwd of the first, and only when no meta has one', () => {
    const made = [context({ cwd: '/one', model: 'a', effort: 'low' }), context({ cwd: '/two', model: 'b' })];
    expect(factsOf(...made)).toMatchObject({ contextCwd: '/one', model: 'b', reasoningEffort: null });
    expect(rowOf(...made).cwd).toBe('/one');
    expect(rowOf(meta({ cwd: '/meta' }), ...made).cwd).toBe('/meta');
  });

  test('FactsFold skips a bad timestamp', () => {
    const good = decode({ timestamp: timestampOf(5), type: 'session_meta', payload: { id: ID } });
    const bad = decode({ timestamp: 'yesterday', type: 'event_msg', payload: { type: 'context_compacted' } });
    const at = { lineNumber: 1, byteOffset: 0 };
    expect(applyLine(applyLine(NO_FACTS, good, at), bad, at).updatedAtMs).toBe(Date.parse(timestampOf(5)));
  });

  test('FactsFold remembers where the user began and the last ordinal', () => {
    const facts = factsOf(meta(), userEvent('u'), userEvent('v'));
    expect(facts.firstUserAt).toEqual({ lineNumber: 2, byteOffset: 100 });
    const line = decode({
      timestamp: timestampOf(9),
      ordinal: 7,
      type: 'world_state',
      payload: { full: true, state: {} },
    });
    expect(applyLine(facts, line, { lineNumber: 4, byteOffset: 300 }).lastOrdinal).toBe(7);
  });

  test('applyLine() returns the same object when nothing changes', () => {
    const [first] = legacy([meta()]);
    if (first === undefined) throw new Error('no line');
    const facts = applyLine(NO_FACTS, first, { lineNumber: 1, byteOffset: 0 });
    expect(applyLine(facts, first, { lineNumber: 2, byteOffset: 90 })).toBe(facts);
  });

  test('ThreadFacts survive JSON and can be folded on', () => {
    const stored = JSON.parse(JSON.stringify(factsOf(meta({ cwd: '/a' }), userEvent('u')))) as ThreadFacts;
    const fold = new FactsFold(stored);
    for (const line of legacy([tokens(4)])) fold.apply(line, { lineNumber: 3, byteOffset: 200 });
    expect(fold.finish()).toEqual({ ...stored, tokensUsed: 4, updatedAtMs: Date.parse(timestampOf(0)) });
  });
});

describe('inheritFacts()', () => {
  test('inheritFacts() takes the beginning from the base and the rest from the own file', () => {
    const base = factsOf(
      ['session_meta', { id: OTHER_ID, cwd: '/a' }],
      userEvent('began'),
      context({ model: 'a' }),
      tokens(9),
    );
    const own = factsOf(meta({ source: 'cli', forked_from_id: OTHER_ID }), userEvent('went on'));
    expect(inheritFacts(base, own)).toMatchObject({
      threadId: ID,
      source: 'cli',
      cwd: '/a',
      title: 'began',
      firstUserMessage: 'began',
      firstUserAt: { lineNumber: 2, byteOffset: 100 },
      model: 'a',
      tokensUsed: 9,
      hasUserEvent: true,
    });
  });

  test('inheritFacts() takes the beginning from the own file when the base has none', () => {
    expect(inheritFacts(factsOf(meta()), factsOf(meta(), userEvent('mine'))).title).toBe('mine');
  });

  test('inheritFacts() gives a fork no name of its parent, a segment that of its thread', () => {
    const named = factsOf(meta(), event('thread_name_updated', { thread_name: 'n' }));
    expect(inheritFacts(named, factsOf(meta())).name).toBe('n');
    expect(inheritFacts(named, factsOf(['session_meta', { id: OTHER_ID }])).name).toBeNull();
  });
});

describe('hiddenReasonOf()', () => {
  test.each([
    [{ source: 'cli' }, null],
    [{ source: { custom: 'atlas' } }, null],
    [{ source: 'something new' }, null],
    [{ source: { internal: 'memory_consolidation' } }, 'internal'],
    [{ source: { subagent: { other: 'guardian' } } }, 'internal'],
    [{ source: { subagent: 'memory_consolidation' } }, 'internal'],
    [{ source: 'exec', thread_source: 'memory_consolidation' }, 'internal'],
    [{ source: { subagent: 'review' } }, 'child'],
    [{ source: { subagent: { thread_spawn: { parent_thread_id: OTHER_ID } } } }, 'child'],
    [{ source: 'exec', parent_thread_id: OTHER_ID }, 'child'],
    [{ source: 'exec', forked_from_id: OTHER_ID }, null],
  ])('hiddenReasonOf() of %j is %s', (fields: JsonObject, reason) => {
    expect(hiddenReasonOf(factsOf(meta(fields)))).toBe(reason);
  });
});

test('FactsFold does not take an item of the assistant for a title', () => {
  expect(rowOf(assistant('a'), item(message('developer', 'd'))).title).toBe('');
});
