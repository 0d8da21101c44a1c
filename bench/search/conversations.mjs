/**
 * Conversations in the flat form of LoCoMo: `session_<n>` (turns `{speaker, dia_id, text, blip_caption?}`),
 * `session_<n>_date_time`, `qa` (`question`, `evidence`, `category`). Reads them, and writes one as the home of a Codex:
 * one session, one rollout; one turn, one message.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const UNDATED = Date.UTC(2023, 0, 1);

/** Every conversation of a folder, in the order of the names: `[{name, conversation}]`. */
export function readConversations(folder) {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return names.map((name) => ({ name, conversation: JSON.parse(readFileSync(path.join(folder, name), 'utf8')) }));
}

/** `[{number, atMs, turns}]`, in the order of the file. */
export function sessionsOf(conversation) {
  return Object.keys(conversation).flatMap((key) => {
    const number = /^session_(\d+)$/.exec(key)?.[1];
    const turns = conversation[key];
    if (number === undefined || !Array.isArray(turns)) return [];
    return [{ number, atMs: instantOf(conversation[`${key}_date_time`]), turns }];
  });
}

/** `1:56 pm on 8 May, 2023` as epoch milliseconds. */
function instantOf(text) {
  const parts = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text ?? '');
  if (parts === null) return UNDATED;
  const [, hour, minute, half, day, month, year] = parts;
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return Date.UTC(Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day), hours, Number(minute));
}

/** The questions that have evidence; one string of evidence may name several turns. */
export function questionsOf(conversation) {
  return conversation.qa.flatMap(({ question, evidence, category }) => {
    const named = (evidence ?? []).flatMap((text) =>
      [...String(text).matchAll(/D:?(\d+):0*(\d+)/g)].map(([, session, turn]) => `D${session}:${turn}`),
    );
    if (named.length === 0) return [];
    const goldTurns = [...new Set(named)];
    const goldSessions = [...new Set(goldTurns.map((turn) => turn.slice(1).split(':')[0]))];
    const language = conversation.language ?? 'en';
    return [{ text: question.replace(/\s+/g, ' '), category, language, goldTurns, goldSessions }];
  });
}

/** The text of a turn, as it becomes a message: who says it, and what the picture shows. */
export function messageOf({ speaker, text, blip_caption: caption }, { captions = true } = {}) {
  return `${speaker}: ${text ?? ''}${captions && caption ? ` [${caption}]` : ''}`;
}

/**
 * Writes the home, and returns what leads back from a hit: `sessionOf(threadId)` and `turnOf(threadId, line)`.
 */
export function writeHome(conversation, home, { captions = true } = {}) {
  const sessions = new Map();
  const turns = new Map();
  sessionsOf(conversation).forEach((session, index) => {
    const id = idFor(session.atMs, index + 1);
    sessions.set(id, session.number);
    const at = new Date(session.atMs).toISOString();
    const meta = {
      id,
      timestamp: at,
      cwd: '/home/me/chat',
      originator: 'bench',
      cli_version: '0.100.0',
      source: 'cli',
    };
    const lines = [{ timestamp: at, type: 'session_meta', payload: { ...meta, model_provider: 'none' } }];
    session.turns.forEach((turn, turnIndex) => {
      const message = messageOf(turn, { captions });
      const payload =
        turn.speaker === conversation.speaker_a
          ? { type: 'user_message', message, images: [] }
          : { type: 'agent_message', message };
      const timestamp = new Date(session.atMs + (turnIndex + 1) * 1000).toISOString();
      lines.push({ timestamp, type: 'event_msg', payload });
      turns.set(`${id}:${lines.length}`, turn.dia_id);
    });
    const folder = path.join(home, 'sessions', at.slice(0, 4), at.slice(5, 7), at.slice(8, 10));
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `rollout-${at.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`);
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  return { sessionOf: (id) => sessions.get(id), turnOf: (id, line) => turns.get(`${id}:${line}`) };
}

/** A version 7 UUID of the instant, told apart by a number. */
function idFor(ms, number) {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`;
}
