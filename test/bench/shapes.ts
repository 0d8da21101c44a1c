/**
 * Compares the shapes of log lines: which keys, in which order, each object has at its place.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures');

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Shapes = Map<string, Set<string>>;

/** Objects whose keys are data: paths of files. */
const OPEN = /^changes$/;

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Notes the ordered keys of each object below `value` under its path. */
function note(shapes: Shapes, at: string, value: Json): void {
  if (Array.isArray(value)) {
    for (const element of value) note(shapes, `${at}[]`, element as Json);
    return;
  }
  if (!isObject(value)) return;
  const known = shapes.get(at) ?? new Set<string>();
  shapes.set(at, known.add(Object.keys(value).join(',')));
  for (const [key, child] of Object.entries(value)) {
    if (OPEN.test(key)) continue;
    const kind = isObject(child) && typeof child['type'] === 'string' ? `${key}:${child['type']}` : key;
    note(shapes, `${at}.${kind}`, child);
  }
}

function kindOf(line: { readonly [key: string]: Json }): string {
  const payload = line['payload'];
  const parts: Json[] = [line['type'] ?? ''];
  if (isObject(payload)) {
    for (const key of ['type', 'role']) if (payload[key] !== undefined) parts.push(payload[key]);
    const item = payload['item'];
    if (isObject(item)) parts.push(item['type'] ?? '');
  }
  return parts.join('/');
}

/** All logs below a folder, sorted. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /rollout-.*\.jsonl$/.test(name) || (folder.includes('samples') && name.endsWith('.jsonl')))
    .map((name) => path.join(folder, name))
    .sort();
}

/** The key lists of each kind of object in these logs. */
export function shapesOf(files: readonly string[]): Shapes {
  const shapes: Shapes = new Map();
  for (const file of files) {
    for (const text of readFileSync(file, 'utf8').split('\n')) {
      let line: Json;
      try {
        line = JSON.parse(text) as Json;
      } catch {
        continue; // the odd samples hold damaged lines on purpose
      }
      if (isObject(line)) note(shapes, kindOf(line), line);
    }
  }
  return shapes;
}

/** Fields that the format documents and no fixture shows: threads that another thread started. */
const DOCUMENTED: readonly (readonly [string, RegExp])[] = [
  ['session_meta.payload', /parent_thread_id/],
  ['session_meta.payload.source', /^subagent$/],
  ['session_meta.payload.source.subagent', /^thread_spawn$/],
  ['session_meta.payload.source.subagent.thread_spawn', /^parent_thread_id,/],
];

/** What is in `generated` and nowhere in `genuine`. */
export function strangers(generated: Shapes, genuine: Shapes): string[] {
  const found: string[] = [];
  for (const [at, keyLists] of generated) {
    for (const keys of keyLists) {
      if (genuine.get(at)?.has(keys) === true) continue;
      if (DOCUMENTED.some(([where, form]) => where === at && form.test(keys))) continue;
      found.push(`${at}: ${keys}`);
    }
  }
  return found;
}

/** The shapes of the genuine logs of a release that writes this dialect. */
export function genuineShapes(dialect: 'legacy' | 'paginated'): Shapes {
  if (dialect === 'legacy') return shapesOf(filesBelow(path.join(FIXTURES, 'codex/0.125.0')));
  // The appserver run of 0.162.1 has the interrupted turn that those of 0.171.0 lack.
  return shapesOf(
    ['codex/0.171.0', 'samples-0.171', 'codex/0.162.1/appserver'].flatMap((folder) =>
      filesBelow(path.join(FIXTURES, folder)),
    ),
  );
}
