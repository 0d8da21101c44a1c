/**
 * Reads one home in a process of its own in every way, and says what it saw and how much memory it took at most.
 * Last arguments: the home, the user's home folder, an id.
 */
import { openHome } from '../../dist/index.js';

const [home, user, id] = process.argv.slice(-3);
const reader = await openHome({ at: home, env: { HOME: user } });
const page = await reader.list({ indexBudgetMs: 60_000 });
const verified = [];
for await (const { errors, records, ok } of reader.verify('all')) {
  verified.push({ faults: errors.map(({ kind, line, lost }) => `${kind}@${line}${lost ? '!' : ''}`), records, ok });
}
const thread = await reader.open(id);
const history = await thread.history();
const { turns, parse } = await thread.turns();
const items = turns.flatMap((turn) => turn.items);
console.log(
  JSON.stringify({
    titles: page.threads.map(({ title }) => title),
    hidden: page.hidden,
    state: page.index.state,
    verified,
    historyItems: history.items.length,
    longestItem: Math.max(0, ...history.items.map((item) => JSON.stringify(item).length)),
    historyDamage: history.damage.map(({ kind, lost }) => `${kind}${lost ? '!' : ''}`),
    longestText: Math.max(0, ...items.map(({ text }) => text.length)),
    shownErrors: parse.errors.length,
    maxRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
await reader.close();
