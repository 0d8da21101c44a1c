/**
 * Damage beyond the table: what disks, editors, two writers and other programs have done to logs.
 */
import { type Fault, insertedAt, itemsBefore, minimalMeta } from './faults.js';
import { assistantMessage, file, type Log, pathOf, userMessage, withoutOrdinal, zstdFrame } from './logs.js';

const MIDDLE = 16;

/** The text that stands in a fault's place in the history. */
const withMessage = (log: Log, text: string) => insertedAt(log.items, itemsBefore(log, MIDDLE), assistantMessage(text));
const messageLines = (log: Log, text: string): string[] =>
  log.inserted(MIDDLE, log.line(0, 'response_item', assistantMessage(text)));

/** Joins line `at` and the `more` lines behind it. */
function fused(log: Log, at: number, more: number): string {
  const lines = log.lines;
  return file([...lines.slice(0, at), lines.slice(at, at + 1 + more).join(''), ...lines.slice(at + 1 + more)]);
}

const NULS: readonly Fault[] = [
  {
    row: 'NULs in front',
    damage: (log) => '\0'.repeat(70_000) + file(log.lines),
    holds: { verify: ['nul@1'] },
  },
  {
    row: 'NULs between two lines',
    damage: (log) => file(log.replaced(MIDDLE, '\0'.repeat(5000) + log.lines[MIDDLE]!)),
    holds: { verify: [`nul@${MIDDLE + 1}`] },
  },
  {
    row: 'a hole of NULs over the end of an event costs what it covers',
    damage: (log) => {
      const bytes = Buffer.from(file(log.inserted(MIDDLE, ...['one', 'two'].map((text) => eventLine(log, text)))));
      const lineEnd = bytes.indexOf('"hole one"') + '"hole one"}}'.length;
      bytes.fill(0, lineEnd - 20, lineEnd + 20);
      return bytes;
    },
    holds: (log) => ({
      verify: [`json@${MIDDLE + 1}!`, `nul@${MIDDLE + 1}`, ...(log.paginated ? [`ordinal@${MIDDLE + 2}`] : [])].sort(
        (a, b) => Number(a.split('@')[1]!.replace('!', '')) - Number(b.split('@')[1]!.replace('!', '')),
      ),
    }),
  },
];

function eventLine(log: Log, text: string): string {
  return log.line(0, 'event_msg', { type: 'agent_reasoning', text: `hole ${text}` });
}

const TEXT: readonly Fault[] = [
  {
    row: 'bytes that are no UTF-8 in a message are replaced',
    damage: (log) => {
      const bytes = Buffer.from(file(messageLines(log, 'caf@ au lait')));
      bytes[bytes.indexOf('caf@') + 3] = 0xe9;
      return bytes;
    },
    holds: (log) => ({ history: withMessage(log, 'caf\ufffd au lait'), verify: [`utf8@${MIDDLE + 1}!`] }),
  },
  {
    row: 'U+2028, U+2029 and U+0085 are text, not line ends',
    damage: (log) => file(messageLines(log, 'one\u2028two\u2029three\u0085four')),
    holds: (log) => ({ history: withMessage(log, 'one\u2028two\u2029three\u0085four') }),
  },
  {
    row: 'a lone surrogate in a message goes through; in a title it is replaced',
    damage: (log) => file(log.lines).replaceAll('first prompt', '\\ud83d first prompt'),
    holds: (log) => ({
      history: JSON.parse(JSON.stringify(log.items).replaceAll('first prompt', '\\ud83d first prompt')),
      title: '\ufffd first prompt',
    }),
  },
  {
    row: 'keys and types named as parts of every object',
    damage: (log) =>
      file(
        log.inserted(
          MIDDLE,
          log.line(0, 'response_item', assistantMessage('hi')).replace('"role"', '"__proto__":{"polluted":1},"role"'),
          log.line(0, '__proto__', {}),
          log.line(0, 'event_msg', { type: 'constructor' }),
          log.line(0, 'response_item', { type: 'toString' }),
        ),
      ),
    holds: (log) => ({
      history: insertedAt(
        log.items,
        itemsBefore(log, MIDDLE),
        JSON.parse(JSON.stringify(assistantMessage('hi')).replace('"role"', '"__proto__":{"polluted":1},"role"')),
      ),
      unknown: [`__proto__@${MIDDLE + 2}`, `constructor@${MIDDLE + 3}`, `toString@${MIDDLE + 4}`],
    }),
  },
  {
    row: 'nesting of 1,001 levels costs that line',
    damage: (log) =>
      file(log.inserted(MIDDLE, log.line(0, 'response_item', assistantMessage('@')).replace('"@"', nested(1000)))),
    holds: (log) => ({ verify: [`too-deep@${MIDDLE + 1}!`, ...(log.paginated ? [`ordinal@${MIDDLE + 2}`] : [])] }),
  },
  {
    row: 'nesting of 5 million levels costs that line',
    damage: (log) => file(log.inserted(MIDDLE, '['.repeat(5_000_000))),
    holds: { verify: [`too-deep@${MIDDLE + 1}!`] },
  },
];

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

const GLUED: readonly Fault[] = [
  {
    row: 'two records on one line are both read (B qwen-code#3606)',
    damage: (log) => fused(log, log.call, 1),
    holds: (log) => ({ verify: [`fused@${log.call + 1}`] }),
  },
  {
    row: 'three records on one line are all read',
    damage: (log) => fused(log, log.secondPrompt, 2),
    holds: (log) => ({ verify: [`fused@${log.secondPrompt + 1}`] }),
  },
  {
    row: 'half a record and its retry on one line: the retry is read (B CC#50347)',
    damage: (log) => file(log.replaced(log.call, log.lines[log.call]!.slice(0, 90) + log.lines[log.call]!)),
    holds: (log) => ({ verify: [`json@${log.call + 1}!`] }),
  },
  {
    row: 'a half record, cut in its text, with the next one glued to it',
    damage: (log) => {
      const lines = log.inserted(MIDDLE, eventLine(log, 'one'));
      return file([
        ...lines.slice(0, MIDDLE),
        lines[MIDDLE]!.slice(0, -8) + lines[MIDDLE + 1]!,
        ...lines.slice(MIDDLE + 2),
      ]);
    },
    holds: (log) => ({ verify: [`json@${MIDDLE + 1}!`, ...(log.paginated ? [`ordinal@${MIDDLE + 1}`] : [])] }),
  },
  {
    row: 'two writers: each line twice (B C#33241)',
    only: 'legacy',
    damage: (log) => file(log.lines.flatMap((line) => (line.includes('token_count') ? [line, line] : [line]))),
    holds: {},
  },
];

const VERSIONS: readonly Fault[] = [
  {
    row: 'a legacy log whose second half has ordinals (B C#45150)',
    only: 'legacy',
    damage: (log) =>
      file(log.lines.map((line, at) => (at < MIDDLE ? line : line.replace('","type"', `","ordinal":${at},"type"`)))),
    holds: {},
  },
  {
    row: 'a paginated log whose second half lost its ordinals (B C#45150)',
    only: 'paginated',
    damage: (log) => file(log.lines.map((line, at) => (at < MIDDLE ? line : withoutOrdinal(line)))),
    holds: (log) => ({ verify: log.lines.slice(MIDDLE).map((_line, at) => `ordinal@${MIDDLE + at + 1}`) }),
  },
  {
    row: 'a bare log that a release with envelopes went on with',
    only: 'legacy',
    damage: (log) => {
      const bare = log.items.slice(0, 4).map((item) => JSON.stringify(item));
      const meta = JSON.stringify({ id: log.id, timestamp: '2026-11-29T23:24:29.931Z', instructions: null });
      const rest = log.items.slice(4).map((item) => log.line(0, 'response_item', item));
      return file([meta, '{"record_type":"state"}', ...bare, ...rest]);
    },
    holds: { dialect: 'bare' },
  },
  {
    row: 'an ordinal that is text costs that line, as in the real client',
    only: 'paginated',
    damage: (log) => file(log.inserted(MIDDLE, eventLine(log, 'one').replace('"ordinal":0', '"ordinal":"7"'))),
    holds: { verify: [`schema@${MIDDLE + 1}!`, `ordinal@${MIDDLE + 2}`] },
  },
  {
    row: 'a negative ordinal costs that line, as in the real client',
    only: 'paginated',
    damage: (log) => file(log.inserted(MIDDLE, eventLine(log, 'one').replace('"ordinal":0', '"ordinal":-1'))),
    holds: { verify: [`schema@${MIDDLE + 1}!`, `ordinal@${MIDDLE + 2}`] },
  },
  {
    row: 'one record without ordinal among others is read and reported',
    only: 'paginated',
    damage: (log) => file(log.replaced(MIDDLE, withoutOrdinal(log.lines[MIDDLE]!))),
    holds: { verify: [`ordinal@${MIDDLE + 1}`, `ordinal@${MIDDLE + 2}`] },
  },
  {
    row: 'a session_meta on line 700',
    damage: (log) => file(log.counted([...Array.from({ length: 699 }, () => eventLine(log, 'before')), ...log.lines])),
    holds: {},
  },
  {
    row: 'a file in which nothing is a record is hidden, and its lines are reported',
    damage: () => 'first line\nsecond line\n',
    holds: {
      listed: 'no-session-meta',
      title: '',
      history: [],
      verify: ['no-session-meta@0!', 'json@1!', 'json@2!'],
      dialect: null,
    },
  },
];

const CHILD_ID = '01a229a1-0000-7000-8000-00000000f0f0';
const CHILD_PATH = pathOf(CHILD_ID, '2026/11/30');

interface Base {
  readonly thread_id: string;
  readonly end_ordinal_exclusive: unknown;
  readonly end_byte_offset: number;
}

const KEPT = 14;

/** The end of the first turn of `log`. */
function trueBase(log: Log): Base {
  return {
    thread_id: log.id,
    end_ordinal_exclusive: KEPT,
    end_byte_offset: Buffer.byteLength(file(log.lines.slice(0, KEPT))),
  };
}

/** A fork by reference after the first turn of `log`. */
function fork(log: Log, base: Base): string {
  return file([
    log.line(KEPT, 'session_meta', {
      ...minimalMeta(log),
      id: CHILD_ID,
      forked_from_id: log.id,
      history_mode: 'paginated',
      history_base: base,
    }),
    log.line(KEPT + 1, 'response_item', userMessage('fork prompt')),
    log.line(KEPT + 2, 'response_item', assistantMessage('fork answer')),
  ]);
}

const OWN_ITEMS = [userMessage('fork prompt'), assistantMessage('fork answer')];
const ofFork = (log: Log) => ({
  id: CHILD_ID,
  continues: true,
  history: [...log.items.slice(0, itemsBefore(log, KEPT)), ...OWN_ITEMS],
});
const forkWithParent = (log: Log, base: Base) => ({ [CHILD_PATH]: fork(log, base), [log.path]: file(log.lines) });

const BASES: readonly Fault[] = [
  {
    row: 'a fork by reference has the history of its base',
    only: 'paginated',
    damage: (log) => forkWithParent(log, trueBase(log)),
    holds: ofFork,
  },
  {
    row: 'a base offset that ends another record: the ordinal decides, and it is reported',
    only: 'paginated',
    damage: (log) => forkWithParent(log, { ...trueBase(log), end_byte_offset: 700 }),
    holds: (log) => ({ ...ofFork(log), verify: ['history-base@1'] }),
  },
  {
    row: 'a base offset beyond the end of its file',
    only: 'paginated',
    damage: (log) => forkWithParent(log, { ...trueBase(log), end_byte_offset: 99_999_999 }),
    holds: (log) => ({ ...ofFork(log), verify: ['history-base@1'] }),
  },
  {
    row: 'a base that is missing: the thread keeps what is its own (B CC#22526)',
    only: 'paginated',
    damage: (log) => ({ [CHILD_PATH]: fork(log, trueBase(log)) }),
    holds: (log) => ({ ...ofFork(log), history: OWN_ITEMS, title: 'fork prompt', verify: ['history-base@1!'] }),
  },
  {
    row: 'a base that is the file itself',
    only: 'paginated',
    damage: (log) => ({ [CHILD_PATH]: fork(log, { ...trueBase(log), thread_id: CHILD_ID }) }),
    holds: (log) => ({ ...ofFork(log), history: OWN_ITEMS, title: 'fork prompt', verify: ['history-base@1!'] }),
  },
  {
    row: 'two forks that are each other’s base',
    only: 'paginated',
    damage: (log) => {
      const base = { thread_id: log.id, end_ordinal_exclusive: KEPT + 3, end_byte_offset: 1 };
      const first = fork(log, base);
      const back = { ...base, thread_id: CHILD_ID, end_byte_offset: Buffer.byteLength(first) };
      return { [CHILD_PATH]: first, [log.path]: fork(log, back).replaceAll(CHILD_ID, log.id) };
    },
    holds: (log) => ({
      ...ofFork(log),
      title: 'fork prompt',
      history: [...OWN_ITEMS, ...OWN_ITEMS],
      verify: ['history-base@0!', 'history-base@1'],
    }),
  },
  {
    row: 'a base of the wrong kind is no base, and what came before is lost',
    only: 'paginated',
    damage: (log) => forkWithParent(log, { ...trueBase(log), end_ordinal_exclusive: 'fourteen' }),
    holds: (log) => ({ ...ofFork(log), history: OWN_ITEMS, title: 'fork prompt', verify: ['history-base@1!'] }),
  },
];

const zst = (log: Log): string => `${log.path}.zst`;

const ZSTD: readonly Fault[] = [
  {
    row: 'a compressed log',
    damage: (log) => ({ [zst(log)]: zstdFrame(file(log.lines)) }),
    holds: {},
  },
  {
    row: 'a compressed log of two frames',
    damage: (log) => ({
      [zst(log)]: Buffer.concat([
        zstdFrame(file(log.lines.slice(0, MIDDLE)).slice(0, -20)),
        zstdFrame(file(log.lines.slice(0, MIDDLE)).slice(-20) + file(log.lines.slice(MIDDLE))),
      ]),
    }),
    holds: {},
  },
  {
    row: 'a compressed log that breaks off',
    damage: (log) => ({
      [zst(log)]: Buffer.concat([
        zstdFrame(file(log.lines.slice(0, log.secondPrompt))),
        zstdFrame(file(log.lines.slice(log.secondPrompt))).subarray(0, 50),
      ]),
    }),
    holds: (log) => ({
      history: log.items.slice(0, itemsBefore(log, log.secondPrompt)),
      verify: [`zstd@${log.secondPrompt}!`],
    }),
  },
  {
    row: 'a compressed log with garbage behind it',
    damage: (log) => ({ [zst(log)]: Buffer.concat([zstdFrame(file(log.lines)), Buffer.from('no zstd at all')]) }),
    holds: (log) => ({ verify: [`zstd@${log.lines.length}!`] }),
  },
  {
    row: 'a compressed file that is garbage',
    damage: (log) => ({ [zst(log)]: 'this was never compressed' }),
    holds: {
      listed: 'no-session-meta',
      title: '',
      history: [],
      verify: ['zstd@0!', 'no-session-meta@0!'],
      dialect: null,
    },
  },
  {
    row: 'a compressed file of no byte',
    damage: (log) => ({ [zst(log)]: '' }),
    holds: { listed: 'empty', title: '', history: [], verify: ['empty@0!'], dialect: null },
  },
  {
    row: 'a compressed twin beside the plain file',
    damage: (log) => ({ [log.path]: file(log.lines), [zst(log)]: zstdFrame(file(log.lines.slice(0, MIDDLE))) }),
    holds: {},
  },
  {
    row: 'a compressed twin is hidden as such',
    damage: (log) => ({ [zst(log)]: zstdFrame(file(log.lines.slice(0, MIDDLE))), [log.path]: file(log.lines) }),
    holds: { listed: 'compressed-twin', title: '' },
  },
];

export const MORE: readonly Fault[] = [...NULS, ...TEXT, ...GLUED, ...VERSIONS, ...BASES, ...ZSTD];
