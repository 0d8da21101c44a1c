/** Everything that happens to the files of a home, as steps that a property test can draw. */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { rolloutLines, rolloutPath, rolloutsBelow, uuid, writeLines } from './temp-home.js';

export interface Change {
  readonly kind: (typeof KINDS)[number];
  /** Which file or thread, modulo how many there are. */
  readonly which: number;
  readonly number: number;
}

const KINDS = [
  'new',
  'new-paginated',
  'append',
  'append-half',
  'append-rest',
  'say',
  'say',
  'tear',
  'rewrite',
  'rewrite-same-size',
  'compress',
  'compress-beside',
  'decompress',
  'archive',
  'unarchive',
  'delete',
  'segment',
  'fork',
  'fork-too-far',
  'name',
  'chmod',
  'copy',
  'stranger',
] as const;

export const changes: fc.Arbitrary<readonly (readonly Change[])[]> = fc.array(
  fc.array(fc.record({ kind: fc.constantFrom(...KINDS), which: fc.nat(50), number: fc.nat(6) }), {
    minLength: 1,
    maxLength: 4,
  }),
  { minLength: 2, maxLength: 10 },
);

/** A home that changes; what it does with a step depends only on its files. */
export class ChangingHome {
  readonly path: string;
  #made = 0;

  constructor(path: string) {
    this.path = path;
    mkdirSync(join(path, 'sessions'), { recursive: true });
  }

  apply({ kind, which, number }: Change): void {
    if (kind === 'new' || kind === 'new-paginated') {
      this.#create(kind === 'new-paginated', number);
      return;
    }
    const rollouts = rolloutsBelow(this.path).filter((path) => lstatSync(path).isFile());
    const file = rollouts[which % Math.max(1, rollouts.length)];
    if (file === undefined) return;
    const plain = file.endsWith('.jsonl');
    switch (kind) {
      case 'append':
        if (plain) appendFileSync(file, `${this.#line(file, number)}\n`);
        break;
      case 'append-half': {
        const line = this.#line(file, number);
        if (plain) appendFileSync(file, line.slice(0, Math.floor((line.length * (number + 1)) / 7)));
        break;
      }
      case 'append-rest':
        // Of whatever half stands there; a whole line becomes a fused one.
        if (plain) appendFileSync(file, `${restOf(file, this.#line(file, number))}\n`);
        break;
      case 'say':
        if (plain) appendFileSync(file, `${this.#said(file, which, number)}\n`);
        break;
      case 'tear':
        // As a writer that dies, or a disk that is full, leaves it.
        if (plain) truncateSync(file, Math.max(0, statSync(file).size - 1 - number * 7));
        break;
      case 'rewrite':
        if (plain) rewrite(file, readFileSync(file, 'utf8').replaceAll('Say', `Say${'!'.repeat(number)}`));
        break;
      case 'rewrite-same-size':
        if (plain)
          rewrite(
            file,
            readFileSync(file, 'utf8')
              .replace(/Say \d/, `Say ${number}`)
              .replace(/"\/p\d?"/, `"/p${number}"`),
          );
        break;
      case 'compress':
      case 'compress-beside':
        if (!plain) break;
        writeFileSync(`${file}.zst`, storedZstd(readFileSync(file)));
        if (kind === 'compress') rmSync(file);
        break;
      case 'decompress':
        if (!plain) writeFileSync(file.slice(0, -'.zst'.length), unstoredZstd(readFileSync(file)));
        break;
      case 'archive':
        move(file, join(this.path, 'archived_sessions', basename(file)));
        break;
      case 'unarchive':
        move(file, join(this.path, 'sessions', '2026', '05', '04', basename(file)));
        break;
      case 'delete':
        rmSync(file);
        break;
      case 'segment':
      case 'fork':
      case 'fork-too-far':
        if (plain) this.#continue(file, kind, number);
        break;
      case 'name': {
        const id = idOf(file);
        const line =
          number === 6
            ? 'no json'
            : JSON.stringify({ id, thread_name: `Name ${number}`, updated_at: '2026-05-04T10:00:00Z' });
        appendFileSync(join(this.path, 'session_index.jsonl'), `${line}\n`);
        break;
      }
      case 'chmod':
        chmodSync(file, number % 2 === 0 ? 0o000 : 0o600);
        break;
      case 'copy': {
        const to = join(this.path, 'sessions', `copies-${number}`, basename(file));
        if (to === file) break;
        mkdirSync(dirname(to), { recursive: true });
        rmSync(to, { force: true });
        copyFileSync(file, to);
        break;
      }
      case 'stranger':
        this.#stranger(number);
        break;
    }
  }

  #create(paginated: boolean, number: number): void {
    this.#made += 1;
    const id = uuid(this.#made);
    const says = Array.from({ length: number }, (_, turn) => `Say ${turn} of ${this.#made}`);
    const lines = rolloutLines({
      id,
      says,
      meta: { cwd: `/p${number}`, ...(paginated && { history_mode: 'paginated' }) },
    });
    writeLines(rolloutPath(this.path, id), paginated ? lines.map(withOrdinal) : lines);
  }

  /** A file that continues a prefix of `base`, which ends with one of its lines. */
  #continue(base: string, kind: 'segment' | 'fork' | 'fork-too-far', number: number): void {
    this.#made += 1;
    const bytes = readFileSync(base);
    const lines = bytes.toString('utf8').split('\n').slice(0, -1);
    const kept = Math.max(1, lines.length - number);
    const end = Buffer.byteLength(
      lines
        .slice(0, kept)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const own = uuid(this.#made);
    const id = kind === 'segment' ? idOf(base) : own;
    const far = kind === 'fork-too-far' ? 40 : 0;
    const historyBase = {
      thread_id: idOf(base),
      end_ordinal_exclusive: kept + (far === 0 ? 0 : 1),
      end_byte_offset: end + far,
    };
    const meta = {
      history_mode: 'paginated',
      history_base: historyBase,
      ...(kind !== 'segment' && { forked_from_id: idOf(base) }),
    };
    const made = rolloutLines({ id, meta, says: number % 2 === 0 ? [] : [`Say ${number} on`] });
    const path = rolloutPath(this.path, id, kind === 'segment' ? { segment: own } : {});
    writeLines(
      path,
      made.map((line, at) => withOrdinal(line, kept + at)),
    );
  }

  #stranger(number: number): void {
    const folder = join(this.path, 'sessions');
    const name = `rollout-2026-05-04T10-00-00-${uuid(900 + number)}.jsonl`;
    rmSync(join(folder, name), { force: true });
    if (number === 0) writeFileSync(join(folder, 'notes.txt'), 'x');
    else if (number === 1) writeFileSync(join(folder, name), '');
    else if (number === 2) writeFileSync(join(folder, name), '\n\0\0\n');
    else if (number === 3) symlinkSync('/nowhere', join(folder, name));
    else if (number === 4) symlinkSync(tmpOutside, join(folder, name));
    else if (number === 5) writeFileSync(join(folder, name), 'garbage\nmore\n');
    else symlinkSync('.', join(folder, name));
  }

  #line(file: string, number: number): string {
    const payloads: readonly object[] = [
      { type: 'user_message', message: `Say ${number} more`, images: [] },
      { type: 'agent_message', message: 'Done' },
      { type: 'token_count', info: { total_token_usage: { total_tokens: 100 + number } } },
      { type: 'token_count', info: null },
      { type: 'thread_name_updated', thread_id: idOf(file), thread_name: `Logged ${number}` },
      { type: 'thread_goal_updated', thread_id: idOf(file), goal: { objective: 'Get there' } },
      { type: 'user_message', message: `Say it in ${number} words`, images: [] },
    ];
    return this.#timed(file, 'event_msg', payloads[number] ?? {});
  }

  /** Records of messages, which are written twice, and what stands between. */
  #said(file: string, which: number, number: number): string {
    const text = `Word ${which % 3}`;
    const part = { type: 'input_text', text };
    const records: readonly (readonly [string, object] | string)[] = [
      ['response_item', { type: 'message', role: 'user', content: [part] }],
      ['event_msg', { type: 'user_message', message: text, images: [] }],
      [
        'response_item',
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: `${text}<oai-mem-citation>m:1-2</oai-mem-citation>` }],
        },
      ],
      ['event_msg', { type: 'agent_message', message: text }],
      [
        'event_msg',
        {
          type: 'item_completed',
          thread_id: idOf(file),
          turn_id: 't',
          item: { type: 'UserMessage', id: 'i', content: [part] },
        },
      ],
      ['event_msg', { type: 'task_started', turn_id: `t${which}` }],
      'No record, and no time',
    ];
    const record = records[number % records.length] ?? '';
    return typeof record === 'string' ? record : this.#timed(file, ...record);
  }

  #timed(file: string, type: string, payload: object): string {
    const timestamp = new Date(Date.parse('2026-05-05T10:00:00.000Z') + statSync(file).size * 1000).toISOString();
    const line = JSON.stringify({ timestamp, type, payload });
    const text = readFileSync(file, 'utf8');
    const ordinals = [...text.matchAll(/"ordinal":(\d+)/g)].map(([, ordinal]) => Number(ordinal));
    return ordinals.length > 0 ? withOrdinal(line, Math.max(...ordinals) + 1) : line;
  }
}

const tmpOutside = dirname(new URL(import.meta.url).pathname);

function idOf(file: string): string {
  return /-([0-9a-f-]{36})(?:_[0-9a-f-]{36})?\.jsonl/.exec(basename(file))?.[1] ?? '';
}

function withOrdinal(line: string, ordinal: number): string {
  return line.replace(/^\{("timestamp":"[^"]*"),/, `{$1,"ordinal":${ordinal},`);
}

/** What is missing of `line` behind the unfinished line of the file. */
function restOf(file: string, line: string): string {
  const text = readFileSync(file, 'utf8');
  const half = text.slice(text.lastIndexOf('\n') + 1);
  return line.startsWith(half) ? line.slice(half.length) : line;
}

function move(from: string, to: string): void {
  if (from === to) return;
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

/** In place, keeping the time, as Codex does; waits for the clock of the file system to go on. */
function rewrite(file: string, text: string): void {
  const before = statSync(file, { bigint: true });
  if (Buffer.from(text).equals(readFileSync(file))) return;
  writeFileSync(file, text);
  do utimesSync(file, new Date(Number(before.atimeMs)), new Date(Number(before.mtimeMs)));
  while (statSync(file, { bigint: true }).ctimeNs === before.ctimeNs);
}

const FRAME_HEADER_BYTES = 9;
const BLOCK_BYTES = 128 * 1024 - 1;

/** A zstd frame of stored blocks: https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1 */
export function storedZstd(bytes: Buffer): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt32LE(0xfd2fb528, 0);
  header.writeUInt8(0xa0, 4);
  header.writeUInt32LE(bytes.length, 5);
  const parts: Buffer[] = [header];
  for (let from = 0; from === 0 || from < bytes.length; from += BLOCK_BYTES) {
    const block = bytes.subarray(from, from + BLOCK_BYTES);
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE((block.length << 3) | Number(from + BLOCK_BYTES >= bytes.length), 0, 3);
    parts.push(blockHeader, block);
  }
  return Buffer.concat(parts);
}

/** Reverse of storedZstd(), for one block. */
function unstoredZstd(frame: Buffer): Buffer {
  return frame.subarray(FRAME_HEADER_BYTES + 3);
}
