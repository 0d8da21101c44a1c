/**
 * Measures the library inside one fresh process and prints one JSON line.
 *
 *   node in-process.mjs history HOME ID      open the home, open the thread, `history()`
 *   node in-process.mjs first-page HOME N    the first page of 50, N times on an open home, or as often as five seconds allow
 */
const [what, home, argument] = process.argv.slice(2);
const { openHomes } = await import('../../dist/index.js');

async function history() {
  const startedAt = performance.now();
  const homes = await openHomes({ homes: [home], env: process.env });
  const [candidate] = await homes.candidates(argument);
  if (candidate === undefined) throw new Error(`No thread ${argument}`);
  const thread = await homes.open(candidate);
  const openedAt = performance.now();
  const { items, damage } = await thread.history();
  const readyAt = performance.now();
  await thread.close();
  await homes[Symbol.asyncDispose]();
  return {
    ms: readyAt - startedAt,
    openMs: openedAt - startedAt,
    historyMs: readyAt - openedAt,
    items: items.length,
    damage: damage.length,
  };
}

async function firstPage() {
  const homes = await openHomes({ homes: [home], env: process.env });
  const first = await homes.list({ limit: 50 });
  const times = [];
  const endAt = performance.now() + 5000;
  for (let i = 0; i < Number(argument) && (i < 5 || performance.now() < endAt); i++) {
    const startedAt = performance.now();
    const page = await homes.list({ limit: 50, indexMaxAgeMs: 600_000 });
    times.push(performance.now() - startedAt);
    if (page.threads.length !== Math.min(50, page.total)) throw new Error('The page is not full');
  }
  await homes[Symbol.asyncDispose]();
  times.sort((a, b) => a - b);
  return {
    ms: times[Math.floor(times.length / 2)],
    p95Ms: times[Math.floor(times.length * 0.95)],
    total: first.total,
    state: first.index.state,
  };
}

console.log(JSON.stringify(await (what === 'history' ? history() : firstPage())));
