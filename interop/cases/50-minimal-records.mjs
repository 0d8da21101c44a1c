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

/**
 * `edit`: which records stay. `meta`: fields of the first record. `lines`: what is done to the lines.
 * `listed`, `resumed`: true, or the versions for which it holds; `resumed` means with every item.
 */
const VARIANTS = {
  complete: {},
  'no task_started, no task_complete': { edit: without(isEvent('task_started', 'task_complete')) },
  'no turn_context': { edit: without(({ type }) => type === 'turn_context') },
  'no event of what the user said': {
    edit: without((record) => isEvent('user_message')(record) || isUserItem(record)),
  },
  'no event of what the model said': {
    edit: without((record) => isSaid(record) && !isEvent('user_message')(record) && !isUserItem(record)),
  },
  'only items and what the user said': {
    edit: (records) =>
      records.filter((record) => isItem(record) || isEvent('user_message')(record) || isUserItem(record)),
  },
  'only items': { edit: (records) => records.filter(isItem) },
  'only events': { edit: without(isItem) },
  'meta: only the required fields': { meta: { source: undefined, model_provider: undefined } },
  'meta: no originator': { meta: { originator: undefined } },
  'meta: no cli_version': { meta: { cli_version: undefined } },
  'meta: no cwd': { meta: { cwd: undefined } },
  'meta: a provider that nobody configured': { meta: { model_provider: 'elsewhere' } },
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

async function outcomeOf(lab, { id, items }) {
  const prompt = 'Who said what?';
  try {
    const { input } = await lab.codex.resume(id, prompt);
    const difference = differenceOf(input, items, prompt);
    return difference ?? 'complete';
  } catch (error) {
    if (!(error instanceof CodexFailedError)) throw error;
    return `refused: ${error.stderr.trim().split('\n').at(-1).slice(-160)}`;
  }
}

export const cases = ['legacy', 'paginated'].map((dialect) => ({
  name: `minimal records: ${dialect}`,
  about: 'which records a release needs to list and to resume a log of this dialect',
  async run(lab) {
    const written = Object.entries(VARIANTS).map(([name, variant]) => [name, writeVariant(lab, dialect, variant)]);
    const listed = new Set((await lab.codex.serve((server) => server.listThreads())).map(({ id }) => id));
    const facts = {};
    for (const [name, variant] of written)
      facts[name] = `${listed.has(variant.id) ? 'listed' : 'not listed'}, ${await outcomeOf(lab, variant)}`;
    check(facts.complete === 'listed, complete', `a complete thread is ${facts.complete}`);
    return facts;
  },
}));
