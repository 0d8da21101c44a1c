/**
 * Makes the search set: eight conversations between two people, in the flat form of LoCoMo, with 500 questions whose
 * evidence is known. 264 questions are English, 168 Korean, 68 about developers who mix both with identifiers.
 * The same seed gives the same bytes everywhere.
 *
 *   node bench/search/make-set.mjs --out DIR [--seed 1]      one JSON file a conversation
 *
 * What makes it hard is what makes memory hard: questions say it in other words than those who told it; the answer
 * often stands a turn behind the words of the question; both people do things of the same kind; later sessions bring
 * the same things up again with nothing new; some questions have only a date, or only what can be inferred.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeRandom, shuffle } from '../lib/random.mjs';
import { DEVELOPERS } from './developers.mjs';
import { ENGLISH } from './english.mjs';
import { KOREAN } from './korean.mjs';
import { fill } from './phrase.mjs';

const FIRST_DAY = Date.UTC(2024, 0, 8);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Sessions in which something is told, and those that only chat. */
const TELLING = 19;
const IDLE = 7;
const SAME_WORDS = 0.75;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Questions a conversation has, by category: 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial. */
const QUOTAS = {
  en: { 1: 10, 2: 14, 3: 5, 4: 25, 5: 12 },
  ko: { 1: 9, 2: 12, 3: 4, 4: 20, 5: 11 },
  mixed: { 1: 11, 2: 16, 3: 1, 4: 26, 5: 14 },
};

/** All conversations of a seed: `[{name, conversation}]`. Files in the order of their names. */
export function makeSet(seed = 1) {
  const plans = [ENGLISH, KOREAN, DEVELOPERS].flatMap((book) => book.pairs.map((pair) => ({ book, pair })));
  // Each half of the files has every language in it.
  const order = [0, 4, 1, 5, 2, 6, 3, 7];
  return order.map((plan, index) => ({
    name: `${index + 1}-${plans[plan].book.language}.json`,
    conversation: makeConversation(plans[plan].book, plans[plan].pair, makeRandom(seed, index)),
  }));
}

function makeConversation(book, pair, random) {
  const events = chooseEvents(book, pair, random);
  const sessions = plan(events, random);
  const conversation = { speaker_a: pair[0], speaker_b: pair[1], language: book.language };
  let day = FIRST_DAY + random.below(20) * DAY;
  const told = [];
  sessions.forEach((session, index) => {
    const number = index + 1;
    const atMs = day + random.between(8, 22) * HOUR + random.below(60) * 60_000;
    const writer = new Session(number, atMs, book, pair, random);
    writer.write(session, told);
    told.push(...session);
    conversation[`session_${number}_date_time`] = dateTime(new Date(atMs));
    conversation[`session_${number}`] = writer.turns;
    day += random.between(4, 17) * DAY;
  });
  conversation.qa = askAll(book, pair, events, random);
  return conversation;
}

/** Two things a session, of all kinds, by both people alike. */
function chooseEvents(book, pair, random) {
  const all = book.kinds.flatMap((kind) => kind.things.map((thing) => ({ kind, thing })));
  return shuffle(all, random)
    .slice(0, TELLING * 2)
    .map((event, index) => ({ ...event, who: pair[index % 2], other: pair[(index + 1) % 2] }));
}

/** Sessions as lists of what is told in them; none in the idle ones. */
function plan(events, random) {
  const sessions = [];
  for (let i = 0; i < events.length; i += 2) sessions.push(events.slice(i, i + 2));
  const idle = shuffle(
    Array.from({ length: sessions.length - 2 }, (_, i) => i + 2),
    random,
  ).slice(0, IDLE);
  for (const at of idle.sort((a, b) => b - a)) sessions.splice(at, 0, []);
  return sessions;
}

class Session {
  turns = [];
  #number;
  #at;
  #book;
  #pair;
  #random;

  constructor(number, atMs, book, pair, random) {
    this.#number = number;
    this.#at = new Date(atMs);
    this.#book = book;
    this.#pair = pair;
    this.#random = random;
  }

  /** Greets, brings up what was `told` before, tells the `events` with small talk between them, says goodbye. */
  write(events, told) {
    const { greet, greetBack, bye } = this.#book;
    const [first, second] = this.#random.chance(0.5) ? this.#pair : [...this.#pair].reverse();
    this.#say(first, greet, { other: second });
    this.#say(second, greetBack, { other: first });
    this.#chat(first, second, 2);
    for (const event of events) {
      if (told.length > 0 && this.#random.chance(0.3)) this.#mention(this.#random.pick(told));
      this.#tell(event);
      this.#chat(second, first, this.#random.between(1, 4));
    }
    for (let i = events.length === 0 ? this.#random.between(1, 2) : 0; i > 0; i--) {
      this.#mention(this.#random.pick(told));
      this.#chat(first, second, this.#random.between(1, 3));
    }
    this.#say(first, bye, { other: second });
  }

  #tell(event) {
    const { who, other, kind, thing } = event;
    event.at = this.#at;
    const template = this.#random.pick(kind.lead);
    // A Korean sentence has a Korean day.
    const days = this.#book.when.filter(
      (day) => this.#book.language !== 'mixed' || isKorean(day) === isKorean(template),
    );
    const values = { ...thing, when: this.#random.pick(days), who, other };
    // A third says what came of it at once, the others when they are asked for it.
    if (this.#random.chance(0.33)) {
      event.lead = this.#say(who, [`${template} ${capital(thing.d)}.`], values);
      event.detail = event.lead;
      this.#say(other, this.#book.reply, values);
      return;
    }
    event.lead = this.#say(who, [template], values);
    if (this.#random.chance(0.25)) this.turns.at(-1).blip_caption = kind.caption;
    this.#say(other, kind.ask, values);
    event.detail = this.#say(who, [`${capital(thing.d)}.`], values);
    this.#say(other, this.#book.reply, values);
  }

  #mention({ who, other, thing }) {
    const [question, answer] = this.#random.pick(this.#book.mention);
    this.#say(other, [question], { ...thing, who: other, other: who });
    this.#say(who, [answer], { ...thing, who, other });
  }

  #chat(first, second, count) {
    for (let i = 0; i < count; i++) {
      const one = this.#random.pick(this.#book.filler);
      const two = this.#random.chance(0.4) ? ` ${this.#random.pick(this.#book.filler)}` : '';
      this.#say(i % 2 === 0 ? first : second, [one + two], {});
    }
  }

  /** Adds a turn and returns its id. */
  #say(speaker, templates, values) {
    const id = `D${this.#number}:${this.turns.length + 1}`;
    this.turns.push({ speaker, dia_id: id, text: fill(this.#random.pick(templates), values) });
    return id;
  }
}

function askAll(book, pair, events, random) {
  const asked = { 1: [], 2: [], 3: [], 4: [], 5: [] };
  for (const { who, other, kind, thing, lead, detail, at } of events) {
    const about = { ...thing, y: askedAs(thing, random), who };
    const question = (category, templates, evidence, values = about) =>
      asked[category].push({ question: fill(random.pick(templates), values), answer: thing.d, evidence, category });
    question(4, kind.single, [detail]);
    question(2, kind.temporal, [lead]);
    if (random.chance(0.3)) question(2, book.onDate, [lead], { ...about, date: book.date(at) });
    if (thing.open !== undefined) question(3, [thing.open], [...new Set([lead, detail])]);
    // The other one never did it: what is found says so.
    question(5, kind.single, [random.chance(0.5) ? lead : detail], { ...about, who: other });
  }
  for (const [index, one] of events.entries()) {
    // The next thing that the same one told.
    const two = events[index + 2];
    if (two === undefined) continue;
    const values = { who: one.who, y: askedAs(one.thing, random), z: askedAs(two.thing, random) };
    const evidence = [one.lead, two.lead];
    asked[1].push({ question: fill(random.pick(book.order), values), answer: one.thing.x, evidence, category: 1 });
  }
  for (const kind of book.kinds) {
    for (const who of pair) {
      const own = events.filter((event) => event.kind === kind && event.who === who);
      if (own.length < 2) continue;
      const evidence = own.map((event) => event.lead);
      const answer = own.map((event) => event.thing.x).join(', ');
      for (const template of kind.multi) {
        asked[1].push({ question: fill(template, { who }), answer, evidence, category: 1 });
      }
    }
  }
  const quota = QUOTAS[book.language];
  const chosen = [1, 2, 3, 4, 5].flatMap((category) => {
    const list = shuffle(asked[category], random);
    if (list.length < quota[category]) throw new Error(`${list.length} questions of category ${category}, not enough`);
    return list.slice(0, quota[category]);
  });
  return shuffle(chosen, random);
}

/** Most ask in nearly the same words as it was told, the others in their own. */
const askedAs = (thing, random) => (random.chance(SAME_WORDS) ? thing.k : thing.y);
const isKorean = (text) => /[가-힣]/u.test(text.replaceAll(/\{[^}]*\}/gu, ''));
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function dateTime(at) {
  const hour = at.getUTCHours();
  const minute = String(at.getUTCMinutes()).padStart(2, '0');
  const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}, ${at.getUTCFullYear()}`;
  return `${hour % 12 || 12}:${minute} ${hour < 12 ? 'am' : 'pm'} on ${day}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: 'string' }, seed: { type: 'string', default: '1' } } });
  if (values.out === undefined) {
    console.error('Where to? node bench/search/make-set.mjs --out DIR [--seed 1]');
    process.exit(2);
  }
  mkdirSync(values.out, { recursive: true });
  for (const { name, conversation } of makeSet(Number(values.seed))) {
    writeFileSync(path.join(values.out, name), `${JSON.stringify(conversation, null, 1)}\n`);
  }
}
