/**
 * A turn as records of a log, the way Codex leaves one behind: what the model saw, and the events about it.
 *
 * Each message has its event in both forms, the completed item first and the older event after it, as they come out of
 * a running turn; which of the two a log keeps is up to its dialect (`keptIn`). Plain JSON: `{type, payload}`.
 */
import { randomBytes } from 'node:crypto';

/** A UUID of version 7; `at` in epoch milliseconds. */
export function newUuid(at = Date.now()) {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(at, 0, 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const event = (type, payload) => ({ type: 'event_msg', payload: { type, ...payload } });
const item = (payload) => ({ type: 'response_item', payload });

function completed(turn, completedItem) {
  const { threadId, turnId, at } = turn;
  const ended = { started_at_ms: at, completed_at_ms: at };
  return event('item_completed', { thread_id: threadId, turn_id: turnId, item: completedItem, ...ended });
}

function userRecords(turn) {
  const { prompt } = turn;
  const content = [{ type: 'text', text: prompt, text_elements: [] }];
  return [
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }),
    completed(turn, { type: 'UserMessage', id: newUuid(turn.at), content }),
    event('user_message', { message: prompt, images: [], local_images: [], text_elements: [] }),
  ];
}

function messageRecords(turn, text) {
  const id = `msg_${newUuid(turn.at)}`;
  return [
    completed(turn, { type: 'AgentMessage', id, content: [{ type: 'Text', text }] }),
    event('agent_message', { message: text, phase: null, memory_citation: null }),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
  ];
}

function reasoningRecords(turn, texts) {
  const summary = texts.map((text) => ({ type: 'summary_text', text }));
  const encrypted = Buffer.from(texts.join(' ')).toString('base64');
  return [
    completed(turn, { type: 'Reasoning', id: `rs_${newUuid(turn.at)}`, summary_text: texts, raw_content: [] }),
    ...texts.map((text) => event('agent_reasoning', { text })),
    item({ type: 'reasoning', summary, content: null, encrypted_content: encrypted }),
  ];
}

/** Calls of one answer: all of them first, then what each of them gave. */
function callRecords(turn, calls) {
  const ids = calls.map(() => `call_${newUuid(turn.at)}`);
  return [
    ...calls.map(({ command }, index) =>
      item({
        type: 'function_call',
        name: 'exec_command',
        arguments: JSON.stringify({ cmd: command }),
        call_id: ids[index],
      }),
    ),
    ...calls.map(({ output }, index) => item({ type: 'function_call_output', call_id: ids[index], output })),
  ];
}

function stepRecords(turn, step) {
  if (step.reasoning !== undefined) return reasoningRecords(turn, step.reasoning);
  if (step.calls !== undefined) return callRecords(turn, step.calls);
  return messageRecords(turn, step.message);
}

/** The settings under which a turn ran. */
export function turnContext({ turnId, cwd, model = 'scripted' }) {
  return {
    type: 'turn_context',
    payload: {
      turn_id: turnId,
      cwd,
      approval_policy: 'never',
      sandbox_policy: { type: 'danger-full-access' },
      model,
      summary: 'auto',
    },
  };
}

/**
 * Records of one turn, oldest first.
 * @param {{threadId: string, cwd: string, prompt: string, at?: number,
 *   steps: ({message: string} | {reasoning: string[]} | {calls: {command: string, output: string}[]})[]}} turn
 * @returns {{type: string, payload: object}[]}
 */
export function turnRecords({ at = Date.now(), ...given }) {
  const turn = { ...given, at, turnId: newUuid(at) };
  const { turnId } = turn;
  const seconds = Math.floor(at / 1_000);
  const last = turn.steps.findLast(({ message }) => message !== undefined)?.message ?? null;
  const started = { turn_id: turnId, started_at: seconds, model_context_window: null };
  const ended = { turn_id: turnId, last_agent_message: last, completed_at: seconds, duration_ms: 0 };
  return [
    event('task_started', { ...started, collaboration_mode_kind: 'default' }),
    turnContext(turn),
    ...userRecords(turn),
    ...turn.steps.flatMap((step) => stepRecords(turn, step)),
    event('task_complete', ended),
  ];
}

const OLDER_FORMS = new Set(['user_message', 'agent_message', 'agent_reasoning']);

/** Whether a log of the dialect keeps this record: of the two forms of an event, one. */
export function keptIn(dialect, { type, payload }) {
  if (type !== 'event_msg') return true;
  return dialect === 'paginated' ? !OLDER_FORMS.has(payload.type) : payload.type !== 'item_completed';
}

/** What the model saw of these records: the history that a resume must send. */
export function itemsOf(records) {
  return records.filter(({ type }) => type === 'response_item').map(({ payload }) => payload);
}

/** Turns that the writing cases write: each kind of item once. */
export const TURNS = [
  { prompt: 'What is in this folder?', steps: [{ message: 'A project.' }] },
  {
    prompt: '한글로: 두 명령을 돌려 줘 🙂',
    steps: [
      { reasoning: ['**Two** commands', 'at once'] },
      {
        calls: [
          { command: 'echo 하나', output: 'Process exited with code 0\nOutput:\n하나\n' },
          { command: 'exit 3', output: 'Process exited with code 3\nOutput:\n' },
        ],
      },
      { message: '하나는 됐고, 하나는 안 됐어요. 👩‍👩‍👧‍👦 \u2028' },
    ],
  },
];
