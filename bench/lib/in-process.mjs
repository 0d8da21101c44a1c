/**
 * Measures the library inside one fresh process and prints one JSON line.
 *
 *   node in-process.mjs history HOME ID      open the home, open the thread, `history()`
 *   node in-process.mjs search HOME JSON N   lists of queries `{words, pairs, korean}`, each query N times on an open home
 *   node in-process.mjs first-page HOME N    the first page of 50, N times on an open home, or as often as five seconds allow
 */
const [what, home, argument, times] = process.argv.slice(2);
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

/** How long an answer of the index as it is takes; the files are compared once, before the first. */
async function search() {
  const homes = await openHomes({ homes: [home], env: process.env });
  const asked = JSON.parse(argument);
  const ask = async (text) => {
    const startedAt = performance.now();
    const page = await homes.search({ text, limit: 20, indexMaxAgeMs: Number.MAX_SAFE_INTEGER });
    return { ms: performance.now() - startedAt, page };
  };
  await homes.search({ text: asked.words[0], limit: 1 });
  const first = await ask(asked.words[0]);
  asked.phrases = await phrasesOf(asked.words, ask);
  // Once around, so that what is measured is neither the compiler's work nor the first reading of a page.
  for (const text of Object.values(asked).flat()) await ask(text);
  const kinds = {};
  for (const [kind, texts] of Object.entries(asked)) {
    const measured = [];
    for (const text of texts) {
      const samples = [];
      let page;
      for (let i = 0; i < Number(times); i++) {
        const one = await ask(text);
        samples.push(one.ms);
        page = one.page;
      }
      samples.sort((a, b) => a - b);
      measured.push({ text, ms: samples[samples.length >> 1], total: page.total });
    }
    measured.sort((a, b) => a.ms - b.ms);
    kinds[kind] = { texts: texts.length, medianMs: measured[measured.length >> 1].ms, slowest: measured.at(-1) };
  }
  await homes[Symbol.asyncDispose]();
  return { firstMs: first.ms, kinds };
}

/** Two words that stand side by side in what each word finds. */
async function phrasesOf(words, ask) {
  const phrases = [];
  for (const text of words) {
    const { page } = await ask(text);
    const pair = page.hits
      .map(({ snippet }) => /(?<![\w-])[a-z]{4,} [a-z]{4,}(?![\w-])/.exec(snippet)?.[0])
      .find((found) => found);
    if (pair !== undefined) phrases.push(`"${pair}"`);
  }
  return phrases;
}

const MEASURES = { history, search, 'first-page': firstPage };
console.log(JSON.stringify(await MEASURES[what]()));
