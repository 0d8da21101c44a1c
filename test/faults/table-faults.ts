/**
 * The damaged logs that the real client was tried on, row by row: what is done to a log and what a reader must still have.
 */
import {
  abortedOutput,
  type Fault,
  insertedAt,
  itemsBefore,
  MINIMAL_ITEMS,
  minimalLines,
  minimalMeta,
} from './faults.js';
import { assistantMessage, file, type Log, userMessage, withoutOrdinal } from './logs.js';

const MIDDLE = 16;
const MEGABYTES_5 = 5 * 1024 * 1024;
const OTHER_ID = '01a2299f-0000-7000-8000-00000000beef';
const UUID4 = '3f2b8c1a-9d4e-4f6a-8b7c-1d2e3f4a5b6c';

const lastLine = (log: Log): number => log.lines.length;
const minimal = (meta: (log: Log) => Record<string, unknown>, events: 'legacy' | 'completed' | 'none') => (log: Log) =>
  file(minimalLines(log, meta(log), events));
const without = (meta: Record<string, unknown>, ...keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(meta).filter(([key]) => !keys.includes(key)));

/** The first line of a minimal log in either dialect. */
const metaOf = (log: Log): Record<string, unknown> => ({
  ...minimalMeta(log),
  ...(log.paginated && { history_mode: 'paginated' }),
});

const TORN: readonly Fault[] = [
  {
    row: 'a1: a torn last line costs the fragment alone',
    damage: (log) => file(log.lines).slice(0, -40),
    holds: (log) => ({ verify: [`torn-tail@${lastLine(log)}!`], tornTail: true }),
  },
  {
    row: 'a2: a last line without its line feed is whole',
    damage: (log) => file(log.lines).slice(0, -1),
    holds: {},
  },
  {
    row: 'a3: garbage in the middle costs that line',
    damage: (log) => file(log.inserted(MIDDLE, '#### not json {"half":')),
    holds: { verify: [`json@${MIDDLE + 1}!`] },
  },
  {
    row: 'a4: NULs at the end lose nothing',
    damage: (log) => file(log.lines) + '\0'.repeat(4096),
    holds: (log) => ({ verify: [`nul@${lastLine(log) + 1}`] }),
  },
  {
    row: 'a5: a tail cut inside a character costs the fragment alone',
    damage: (log) => {
      const whole = Buffer.from(file([...log.lines, log.line(lastLine(log), 'response_item', userMessage('한글'))]));
      return whole.subarray(0, whole.indexOf(Buffer.from('글')) + 1);
    },
    holds: (log) => ({ verify: [`torn-tail@${lastLine(log) + 1}!`], tornTail: true }),
  },
];

const UNKNOWN: readonly Fault[] = [
  {
    row: 'b1: an unknown line type is passed over',
    damage: (log) => file(log.inserted(MIDDLE, log.line(0, 'hologram_state', { depth: 3 }))),
    holds: { unknown: [`hologram_state@${MIDDLE + 1}`] },
  },
  {
    row: 'b2: an unknown event is passed over',
    damage: (log) => file(log.inserted(MIDDLE, log.line(0, 'event_msg', { type: 'aurora_seen', hue: 1 }))),
    holds: { unknown: [`aurora_seen@${MIDDLE + 1}`] },
  },
  {
    row: 'b3: an unknown response item is kept and never sent',
    damage: (log) => file(log.inserted(MIDDLE, log.line(0, 'response_item', { type: 'telepathy_call', call_id: 'x' }))),
    holds: { unknown: [`telepathy_call@${MIDDLE + 1}`] },
  },
  {
    row: 'b4: turn_started is read as task_started',
    damage: (log) => file(log.lines.map((line) => line.replace('"type":"task_started"', '"type":"turn_started"'))),
    holds: {},
  },
  {
    row: 'b5: a response item without a required field costs that line',
    damage: (log) => file(log.inserted(MIDDLE, log.line(0, 'response_item', { type: 'message', role: 'user' }))),
    holds: { verify: [`schema@${MIDDLE + 1}!`] },
  },
  {
    row: 'b6: a call without output is answered with an aborted one',
    damage: (log) => file(log.without(log.output)),
    holds: (log) => ({
      history: log.items.map((item) => (item['type'] === 'function_call_output' ? abortedOutput(item) : item)),
    }),
  },
  {
    row: 'b7: an output without its call is not sent',
    damage: (log) => file(log.without(log.call)),
    holds: (log) => ({
      history: log.items.filter(({ type }) => type !== 'function_call' && type !== 'function_call_output'),
    }),
  },
];

const SIZES: readonly Fault[] = [
  {
    row: 'c1: an empty file is hidden as empty',
    damage: () => '',
    holds: { listed: 'empty', title: '', history: [], verify: ['empty@0!'], dialect: null },
  },
  {
    row: 'c2: a file of line feeds is hidden as empty',
    damage: () => '\n\n\n',
    holds: { listed: 'empty', title: '', history: [], verify: ['empty@0!'], dialect: null },
  },
  {
    row: 'd1: a message of 5 MB is part of the history',
    damage: (log) =>
      file(log.inserted(MIDDLE, log.line(0, 'response_item', assistantMessage('x'.repeat(MEGABYTES_5))))),
    holds: (log) => ({
      history: insertedAt(log.items, itemsBefore(log, MIDDLE), assistantMessage('x'.repeat(MEGABYTES_5))),
    }),
  },
  {
    row: 'd2: an event of 5 MB changes nothing',
    damage: (log) =>
      file(log.inserted(MIDDLE, log.line(0, 'event_msg', { type: 'agent_reasoning', text: 'x'.repeat(MEGABYTES_5) }))),
    holds: {},
  },
  {
    row: 'd3: a session_meta of 5 MB is read',
    damage: (log) => file(log.withMeta({ base_instructions: { text: 'x'.repeat(MEGABYTES_5) } })),
    holds: {},
  },
  { row: 'e1: CRLF line ends', damage: (log) => file(log.lines).replaceAll('\n', '\r\n'), holds: {} },
  {
    row: 'f1: a byte order mark is passed over',
    damage: (log) => `\ufeff${file(log.lines)}`,
    holds: { verify: ['bom@1'] },
  },
];

const IDENTITY: readonly Fault[] = [
  {
    row: 'g1: without session_meta the name says the id',
    damage: (log) => file(log.lines.slice(1)),
    holds: { verify: ['no-session-meta@0!'] },
  },
  {
    row: 'g2: a session_meta that is not first counts',
    damage: (log) => file([...log.lines.slice(1, 4), log.lines[0]!, ...log.lines.slice(4)]),
    holds: (log) => ({ verify: log.paginated ? ['ordinal@4'] : [] }),
  },
  {
    row: 'h1: a second session_meta with another id resets nothing',
    damage: (log) =>
      file(
        log.inserted(
          MIDDLE,
          JSON.stringify({ ...JSON.parse(log.lines[0]!), payload: { ...metaOf(log), id: OTHER_ID } }),
        ),
      ),
    holds: {},
  },
  {
    row: 'h2: the id of the first session_meta counts, not that of the name',
    damage: (log) => file(log.withMeta({ id: OTHER_ID })),
    holds: { id: OTHER_ID, verify: ['id-mismatch@1'] },
  },
  {
    row: 'h3: the same session_meta twice resets nothing',
    damage: (log) => file(log.inserted(MIDDLE, log.lines[0]!)),
    holds: {},
  },
  {
    row: 'i1: unknown fields everywhere, from a newer version',
    damage: (log) =>
      file(
        log.lines.map((line, index) => {
          const value = JSON.parse(line) as { readonly payload: object };
          const payload = {
            ...value.payload,
            future_flag: { deep: [1] },
            ...(index === 0 && { cli_version: '9.9.9' }),
          };
          return JSON.stringify({ ...value, payload, future_line: 1 });
        }),
      ),
    holds: (log) => ({
      history: log.items.map((item) => ({ ...item, future_flag: { deep: [1] } })),
      row: { cliVersion: '9.9.9' },
    }),
  },
  {
    row: 'i2: an unknown history_mode is read and reported',
    damage: (log) => file(log.withMeta({ history_mode: 'holographic' })),
    holds: { verify: ['history-mode@1'] },
  },
  {
    row: 'i3: unknown source and values',
    damage: (log) =>
      file(log.withMeta({ source: 'smartwatch', thread_source: 'gesture', model_provider: 'mars' })).replaceAll(
        '"approval_policy":"never"',
        '"approval_policy":"sometimes"',
      ),
    holds: { row: { source: 'smartwatch', modelProvider: 'mars', approvalMode: 'sometimes' } },
  },
];

const ORDINALS: readonly Fault[] = [
  {
    row: 'l1: duplicate ordinals are read in the order of the file',
    only: 'paginated',
    damage: (log) =>
      file(log.lines.map((line, index) => (index === 20 ? line.replace('"ordinal":20', '"ordinal":19') : line))),
    holds: { verify: ['ordinal@21', 'ordinal@22'] },
  },
  {
    row: 'l2: a gap in the ordinals is reported',
    only: 'paginated',
    damage: (log) =>
      file(log.lines.map((line, at) => (at > 20 ? line.replace(`"ordinal":${at}`, `"ordinal":${at + 5}`) : line))),
    holds: { verify: ['ordinal@22'] },
  },
  {
    row: 'l3: a paginated log without ordinals',
    only: 'paginated',
    damage: (log) => file(log.lines.map(withoutOrdinal)),
    holds: (log) => ({ verify: log.lines.map((_line, index) => `ordinal@${index + 1}`) }),
  },
  {
    row: 'l4: the same log as legacy: no ordinals, no history_mode, no metadata',
    only: 'paginated',
    damage: (log) =>
      file(
        log.lines.map((line) => {
          const { metadata: _, ordinal: __, ...value } = JSON.parse(line) as Record<string, unknown>;
          const { history_mode: ___, ...payload } = value['payload'] as Record<string, unknown>;
          return JSON.stringify({ ...value, payload });
        }),
      ),
    holds: { dialect: 'legacy' },
  },
];

const MINIMAL: readonly Fault[] = [
  {
    row: 'm1: a minimal legacy log',
    only: 'legacy',
    damage: minimal(minimalMeta, 'legacy'),
    holds: { history: MINIMAL_ITEMS },
  },
  {
    row: 'm2: a log without events has the title of its first message',
    only: 'legacy',
    damage: minimal(minimalMeta, 'none'),
    holds: { history: MINIMAL_ITEMS, row: { hasUserEvent: false } },
  },
  {
    row: 'm3: history_mode legacy, stated',
    only: 'legacy',
    damage: minimal((log) => ({ ...minimalMeta(log), history_mode: 'legacy' }), 'legacy'),
    holds: { history: MINIMAL_ITEMS },
  },
  {
    row: 'm4: a session_meta alone is a thread without messages',
    only: 'legacy',
    damage: (log) => file([log.line(0, 'session_meta', minimalMeta(log))]),
    holds: { title: '', history: [] },
  },
  {
    row: 'm5: a session_meta without optional fields',
    damage: minimal(metaOf, 'legacy'),
    holds: { history: MINIMAL_ITEMS, row: { source: 'vscode', modelProvider: null } },
  },
  {
    row: 'm6: a session_meta without cwd',
    damage: minimal((log) => without(metaOf(log), 'cwd'), 'legacy'),
    holds: { history: MINIMAL_ITEMS, row: { cwd: null } },
  },
  {
    row: 'm7: a session_meta without originator and cli_version',
    damage: minimal((log) => without(metaOf(log), 'originator', 'cli_version'), 'legacy'),
    holds: { history: MINIMAL_ITEMS, row: { cliVersion: null } },
  },
  {
    row: 'm8: an id that is no version 7',
    only: 'legacy',
    damage: (log) => ({
      [log.path.replace(log.id, UUID4)]: file(minimalLines(log, { ...minimalMeta(log), id: UUID4 }, 'legacy')),
    }),
    holds: { id: UUID4, history: MINIMAL_ITEMS },
  },
  {
    row: 'm9: a time that is none leaves the last valid one',
    damage: (log) =>
      file(
        minimalLines(log, metaOf(log), 'legacy').map((line, index) =>
          index >= 7 ? line.replace('2026-11-29T23:30:00.000Z', 'half past nine') : line,
        ),
      ),
    holds: { history: MINIMAL_ITEMS, row: { updatedAt: '2026-11-29T23:30:00.000Z' } },
  },
];

/** A turn as another program appends it, with ordinals or without. */
const appended = (log: Log, ordinals: boolean): string[] => {
  const at = log.lines.length;
  const turn = [
    log.line(at, 'event_msg', { type: 'user_message', message: 'one more', images: [] }),
    log.line(at + 1, 'response_item', userMessage('one more')),
    log.line(at + 2, 'response_item', assistantMessage('turn four')),
    log.line(at + 3, 'event_msg', { type: 'agent_message', message: 'turn four' }),
  ];
  return [...log.lines, ...turn.map((line) => (ordinals ? line : withoutOrdinal(line)))];
};
const withTurn = (log: Log) => [...log.items, userMessage('one more'), assistantMessage('turn four')];

const PAGINATED: readonly Fault[] = [
  {
    row: 'p1: a minimal paginated log',
    only: 'paginated',
    damage: minimal(metaOf, 'completed'),
    holds: { history: MINIMAL_ITEMS },
  },
  {
    row: 'p2: a paginated log with the events of legacy ones',
    only: 'paginated',
    damage: minimal(metaOf, 'legacy'),
    holds: { history: MINIMAL_ITEMS },
  },
  {
    row: 'p3: a turn appended with right ordinals',
    only: 'paginated',
    damage: (log) => file(appended(log, true)),
    holds: (log) => ({ history: withTurn(log) }),
  },
  {
    row: 'p4: a turn appended without ordinals',
    only: 'paginated',
    damage: (log) => file(appended(log, false)),
    holds: (log) => ({
      history: withTurn(log),
      verify: [1, 2, 3, 4].map((nth) => `ordinal@${log.lines.length + nth}`),
    }),
  },
];

export const TABLE: readonly Fault[] = [
  { row: 'ok: an undamaged log', damage: (log) => file(log.lines), holds: {} },
  ...TORN,
  ...UNKNOWN,
  ...SIZES,
  ...IDENTITY,
  ...ORDINALS,
  ...MINIMAL,
  ...PAGINATED,
];
