/**
 * What a release has to find in a log to list the thread and to resume it with all its items: records are left out
 * one kind at a time. The outcome is a contract of `docs/formats.md`, for every pinned release.
 */

import { CodexFailedError } from '../lib/codex.mjs';
import { differenceOf } from '../lib/compare.mjs';
import { check } from '../lib/lab.mjs';
import { appendLines, linesOf, newLogPath, sessionMeta } from '../lib/rollout-file.mjs';
import { itemsOf, newUuid, TURNS, turnRecords } from '../lib/turns.mjs';

const isEvent =
  (...names) =>
  ({ type, payload }) =>
    type === 'event_msg' && names.includes(payload.type);
const isUserItem = ({ payload }) => payload.type === 'item_completed' && payload.item.type === 'UserMessage';
const isSaid = isEvent('user_message', 'agent_message', 'agent_reasoning', 'item_completed');
const isItem = ({ type }) => type === 'response_item';
const without = (fits) => (records) => records.filter((record) => !fits(record));

/** Up to 0.146 a list knows no event of paginated logs; a release that creates such logs wants to know the provider. */
const traits = ({ writerLock, dialect }) => ({ older: !writerLock, newest: dialect === 'paginated' });
const always = () => true;
const never = () => false;

/**
 * `edit`: which records stay. `meta`: fields of the first record, taken out where undefined.
 * `listed`, `resumed`: whether a release lists the thread, and resumes it with every item; default: always.
 */
const VARIANTS = {
  complete: {},
  'no task_started, no task_complete': { edit: without(isEvent('task_started', 'task_complete')) },
  'no turn_context': { edit: without(({ type }) => type === 'turn_context') },
  'no event of what the user said': {
    edit: without((record) => isEvent('user_message')(record) || isUserItem(record)),
    listed: never,
  },
  'no event of what the model said': {
    edit: without((record) => isSaid(record) && !isEvent('user_message')(record) && !isUserItem(record)),
  },
  'only items and what the user said': {
    edit: (records) =>
      records.filter((record) => isItem(record) || isEvent('user_message')(record) || isUserItem(record)),
  },
  'only items': { edit: (records) => records.filter(isItem), listed: never },
  'only events': { edit: without(isItem) },
  'meta: no source, no provider': { meta: { source: undefined, model_provider: undefined } },
  'meta: no originator': { meta: { originator: undefined }, listed: ({ older }) => !older, resumed: never },
  'meta: no cli_version': { meta: { cli_version: undefined }, listed: ({ older }) => !older, resumed: never },
  'meta: no timestamp': { meta: { timestamp: undefined }, listed: ({ older }) => !older, resumed: never },
  'meta: no cwd': { meta: { cwd: undefined }, listed: ({ older }) => !older, resumed: never },
  'meta: a provider that is not configured': {
    meta: { model_provider: 'elsewhere' },
    resumed: ({ newest }) => !newest,
  },
  'meta: source exec': { meta: { source: 'exec' } },
  'meta: an unknown source': { meta: { source: 'codicil' } },
};

function writeVariant(lab, dialect, { edit = (records) => records, meta = {} }) {
  const id = newUuid();
  const { cwd, home } = lab;
  const records = TURNS.flatMap((turn) => turnRecords({ ...turn, threadId: id, cwd }));
  const kept = edit(records);
  appendLines(newLogPath(home, id), linesOf([sessionMeta({ id, cwd, dialect }, meta), ...kept], { dialect }));
  return { id, items: itemsOf(kept) };
}

/** Undefined when the release resumes the thread with every item; else why not. */
async function refusalOf(lab, { id, items }) {
  const prompt = 'Who said what?';
  try {
    const { input } = await lab.codex.resume(id, prompt);
    return differenceOf(input, items, prompt);
  } catch (error) {
    if (!(error instanceof CodexFailedError)) throw error;
    return error.stderr.trim().split('\n').at(-1).slice(-160);
  }
}

export const cases = ['legacy', 'paginated'].map((dialect) => ({
  name: `minimal records: ${dialect}`,
  about: 'which records a release needs to list and to resume a log of this dialect',
  async run(lab) {
    const written = Object.entries(VARIANTS).map(([name, variant]) => ({
      name,
      variant,
      thread: writeVariant(lab, dialect, variant),
    }));
    const shown = new Set((await lab.codex.serve((server) => server.listThreads())).map(({ id }) => id));
    const release = traits(lab.release);
    const wrong = [];
    for (const { name, variant, thread } of written) {
      const { listed = always, resumed = always } = variant;
      const listable = !(release.older && dialect === 'paginated');
      const isListed = shown.has(thread.id);
      if (isListed !== (listable && listed(release))) wrong.push(`${name}: ${isListed ? 'listed' : 'not listed'}`);
      const refusal = await refusalOf(lab, thread);
      if ((refusal === undefined) !== resumed(release)) wrong.push(`${name}: ${refusal ?? 'resumed'}`);
    }
    check(wrong.length === 0, wrong.join('; '));
    return { variants: written.length };
  },
}));
