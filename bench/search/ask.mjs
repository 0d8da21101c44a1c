/**
 * Asks the program the questions of a set of conversations, as a user would: each conversation is a home of its own,
 * and `search --batch` answers its questions on standard output.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { codicil } from '../lib/homes.mjs';
import { questionsOf, writeHome } from './conversations.mjs';

/** More than the deepest figure. */
const LIMIT = 50;
const MAX_OUTPUT = 1 << 30;

/**
 * `set`: `[{name, conversation}]`. `by`: `'thread'`, `'message'` or `'both'`.
 * Gives what `summarise` takes, the first half of the conversations told from the second.
 */
export function ask(set, { by = 'both', captions = true } = {}) {
  const temp = mkdtempSync(path.join(tmpdir(), 'codicil-search-'));
  try {
    return set.flatMap(({ conversation }, index) => {
      const home = path.join(temp, `home-${index}`);
      const { sessionOf, turnOf } = writeHome(conversation, home, { captions });
      const questions = questionsOf(conversation);
      const answers = (unit) => batch(questions, unit, home, path.join(temp, `own-${index}`));
      const threads = by === 'message' ? undefined : answers('thread');
      const messages = by === 'thread' ? undefined : answers('message');
      return questions.map((question, at) => ({
        ...question,
        half: index < set.length / 2 ? 'first' : 'second',
        ...(threads && { sessions: threads[at].map(({ threadId }) => sessionOf(threadId)) }),
        ...(messages && { turns: messages[at].map(({ threadId, line }) => turnOf(threadId, line)) }),
      }));
    });
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

/** The hits of every question, best first. */
function batch(questions, by, home, ownHome) {
  const args = ['search', '--batch', '--by', by, '--limit', String(LIMIT), '--home', home, '--json'];
  const [program, ...rest] = codicil(...args);
  const child = spawnSync(program, rest, {
    input: questions.map(({ text }) => `${text}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
    env: { ...process.env, CODICIL_HOME: ownHome },
  });
  if (child.status !== 0) throw new Error(`search --batch ended with ${child.status}: ${child.stderr.slice(-400)}`);
  const documents = child.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (documents.length !== questions.length) {
    throw new Error(`search --batch gave ${documents.length} documents for ${questions.length} questions`);
  }
  return documents.map(({ hits }) => hits);
}
