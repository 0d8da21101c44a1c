/** Logs full of messages, as releases wrote them and as damage leaves them, for a test to draw. */
import fc from 'fast-check';
import { damage, damaged, lineOf } from './damaged-logs.js';

/** Few, so that they repeat; some are alike but for their ends, their escapes or what is left out of a mark. */
const TEXTS = [
  'Hello',
  'Hello there',
  ' Hello',
  'Hello\n',
  'Hello<oai-mem-citation>a:1-2</oai-mem-citation>',
  '<oai-mem-citation>b</oai-mem-citation>Hello',
  'He said "yes" \\ no',
  '안녕하세요',
  '안녕하세요 여러분',
  'tab\there \u0001 \u2028 😀',
  '<environment_context>\n<cwd>/p</cwd>\n</environment_context>',
  'Another language model started to solve this problem and produced a summary: Hello',
  '<image name="a">',
  '[Image]',
  '',
  '   ',
  '\ufffd',
] as const;

interface Step {
  readonly kind: (typeof STEP_KINDS)[number];
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly form: number;
}

const STEP_KINDS = [
  'item',
  'item',
  'item',
  'event',
  'event',
  'event',
  'turn-item',
  'turn-item',
  'pair',
  'pair-back',
  'start',
  'end',
  'abort',
  'many',
  'tool',
  'developer',
] as const;

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...STEP_KINDS),
  role: fc.constantFrom('user' as const, 'assistant' as const),
  text: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
    { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
  ),
  form: fc.nat(11),
});

type Dialect = 'bare' | 'legacy' | 'paginated';

function linesOf(
  { kind, role, text, form }: Step,
  write: (type: string, payload: object) => Buffer,
): readonly Buffer[] {
  const item = (): Buffer => write('response_item', messageItem(role, text, form));
  const event = (): Buffer => write('event_msg', messageEvent(role, text, form));
  switch (kind) {
    case 'item':
      return [item()];
    case 'event':
      return [event()];
    case 'turn-item':
      return [write('event_msg', turnItem(role, text, form))];
    case 'pair':
      return [item(), event()];
    case 'pair-back':
      return [event(), item()];
    case 'start':
      return [
        write(
          'event_msg',
          form === 0 ? { type: 'task_started' } : { type: form === 1 ? 'turn_started' : 'task_started', turn_id: 't' },
        ),
      ];
    case 'end':
      return [
        write(
          'event_msg',
          form === 0
            ? { type: 'task_complete' }
            : { type: form === 1 ? 'turn_complete' : 'task_complete', turn_id: 't' },
        ),
      ];
    case 'abort':
      return [
        write('event_msg', form === 0 ? { type: 'turn_aborted' } : { type: 'turn_aborted', reason: 'interrupted' }),
      ];
    case 'many':
      // More than any list of what is open holds.
      return Array.from({ length: 10 * form }, (_, at) =>
        form % 2 === 0
          ? write('response_item', messageItem(role, `Many ${at}`, 0))
          : write('event_msg', messageEvent(role, `Many ${at}`, 0)),
      );
    case 'tool':
      return [
        write('response_item', { type: 'function_call', name: 'shell', arguments: text, call_id: 'c' }),
        write('response_item', { type: 'function_call_output', call_id: 'c', output: text }),
      ];
    case 'developer':
      return [write('response_item', messageItem('developer', text, 0))];
  }
}

function messageItem(role: string, text: string, form: number): object {
  const part = role === 'assistant' ? { type: 'output_text', text } : { type: 'input_text', text };
  const base = { type: 'message', role, content: [part] };
  switch (form) {
    case 1:
      return { ...base, id: 'm', internal_chat_message_metadata_passthrough: { content_item_kinds: ['user.text'] } };
    case 2:
      return { ...base, internal_chat_message_metadata_passthrough: { content_item_kinds: ['agents.md'] } };
    case 3:
      return { type: 'message', content: [part], role };
    case 4: {
      const half = Math.floor(text.length / 2);
      const parts = [text.slice(0, half), text.slice(half)].map((piece) => ({ ...part, text: piece }));
      return { ...base, content: parts };
    }
    case 5:
      return { ...base, content: [part, { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] };
    case 6:
      return { ...base, note: { content: [{ type: 'input_text', text: 'Elsewhere' }] } };
    case 7:
      return { type: 'message', role, note: { content: [{ type: 'input_text', text: 'Hello' }] }, content: [part] };
    case 8:
      return { ...base, content: [{ type: part.type, text: 17 }] };
    case 9:
      return { ...base, content: [{ ...part, type: 'novel' }] };
    case 10:
      return { ...base, content: [{ ...part, annotations: [] }] };
    default:
      return base;
  }
}

function messageEvent(role: string, text: string, form: number): object {
  const type = role === 'user' ? 'user_message' : 'agent_message';
  switch (form) {
    case 1:
      return { type, message: text, images: [], local_images: [], text_elements: [] };
    case 2:
      return { type, note: { message: 'Hello' }, message: text };
    case 3:
      return { type, message: 17 };
    case 4:
      return { type, note: 'Hello' };
    case 5:
      return { type, images: ['data:image/png;base64,AAAA'], message: text };
    case 6:
      return { type, kind: 'plain', message: text, phase: null };
    default:
      return { type, message: text };
  }
}

function turnItem(role: string, text: string, form: number): object {
  const type = role === 'user' ? 'UserMessage' : 'AgentMessage';
  const part = role === 'user' ? { type: 'text', text, text_elements: [] } : { type: 'Text', text };
  const base = { type: 'item_completed', thread_id: 'a', turn_id: 't' };
  switch (form) {
    case 1:
      return { ...base, item: { type, id: 'i', content: [part, part] } };
    case 2:
      return { ...base, item: { type, note: { text: 'Hello' }, id: 'i', content: [part] } };
    case 3:
      return { ...base, item: { id: 'i', content: [part], type } };
    case 4:
      return { type: 'item_completed', item: { type, id: 'i', content: [part] } };
    case 5:
      return { ...base, item: { type, id: 'i', content: [{ ...part, text: null }] } };
    case 6:
      return { ...base, item: { type, id: 'i', content: [] } };
    case 7:
      return { ...base, item: { type: 'Reasoning', id: 'i', summary_text: [text], raw_content: [] } };
    default:
      return { ...base, item: { type, id: 'i', content: [part] } };
  }
}

const META = { id: '01a229a2-9e35-7313-bb41-f1df13f7214a', timestamp: '2026-05-04T10:00:00.000Z', cwd: '/p' };

function logOf(dialect: Dialect, steps: readonly Step[]): readonly Buffer[] {
  if (dialect === 'bare') {
    const bare = (_type: string, payload: object): Buffer => lineOf(payload);
    return [lineOf({ ...META, instructions: null }), ...steps.flatMap((step) => linesOf(step, bare))];
  }
  let count = 0;
  const write = (type: string, payload: object): Buffer => {
    count += 1;
    const timestamp = new Date(Date.UTC(2026, 4, 4, 10, 0, count)).toISOString();
    return lineOf(
      dialect === 'paginated' ? { timestamp, ordinal: count, type, payload } : { timestamp, type, payload },
    );
  };
  return [write('session_meta', { ...META, history_mode: dialect }), ...steps.flatMap((step) => linesOf(step, write))];
}

/** Ways to write the same line that no release has, but JSON allows. */
const respelling = fc.record({
  how: fc.constantFrom(
    'spaces' as const,
    'escape' as const,
    'twice' as const,
    'no-time' as const,
    'control' as const,
    'brace' as const,
  ),
  at: fc.nat(),
});

function respelled(line: Buffer, how: (typeof respelling extends fc.Arbitrary<infer T> ? T : never)['how']): Buffer {
  const text = line.toString();
  switch (how) {
    case 'spaces':
      return Buffer.from(text.replace('"payload":{', '"payload": { '));
    case 'escape':
      return Buffer.from(text.replaceAll('Hello', '\\u0048ello'));
    case 'twice':
      return Buffer.from(text.replaceAll(/"(message|text)":"([^"\\]*)"/g, '"$1":"$2","$1":"Other"'));
    case 'no-time':
      return Buffer.from(text.replace(/"timestamp":"[^"]*",/, ''));
    case 'control':
      return Buffer.from(text.replaceAll('Hello', 'Hel\u0002lo'));
    case 'brace':
      return Buffer.from(text.replace(/\}\n$/, '\n'));
  }
}

/** Logs of all dialects. */
export const messageLog: fc.Arbitrary<Buffer> = fc
  .record({
    dialect: fc.constantFrom<Dialect>('legacy', 'legacy', 'paginated', 'bare'),
    steps: fc.array(step, { maxLength: 24 }),
    respellings: fc.array(respelling, { maxLength: 3 }),
    damages: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(damage, { maxLength: 4 })),
  })
  .map(({ dialect, steps, respellings, damages }) => {
    const lines = [...logOf(dialect, steps)];
    for (const { how, at } of respellings) {
      const line = lines[at % lines.length];
      if (line !== undefined) lines[at % lines.length] = respelled(line, how);
    }
    return damaged(lines, damages);
  });
