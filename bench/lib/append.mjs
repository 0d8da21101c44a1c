/**
 * Measures appending inside one fresh process and prints one JSON line.
 *
 *   node append.mjs FOLDER written N LINES   calls of N lines each, one after the other
 *   node append.mjs FOLDER bare N LINES      as many bare writes of a line of N bytes
 *   node append.mjs FOLDER synced N LINES    N callers, each waiting for its line to be synced before the next
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';

const [folder, durability, size, lines] = process.argv.slice(2);
const { RolloutRecorder } = await import('../../dist/store.js');

const text = 'The build fails because the import of the parser names a folder that was moved last week. '.repeat(3);
const ITEMS = [
  { type: 'event_msg', payload: { type: 'agent_message', message: text, phase: 'commentary' } },
  {
    type: 'response_item',
    payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
  },
  {
    type: 'response_item',
    payload: { type: 'function_call', name: 'shell', arguments: '{"command":["ls","-la"]}', call_id: 'call_1' },
  },
  { type: 'response_item', payload: { type: 'function_call_output', call_id: 'call_1', output: text } },
];

const recorder = RolloutRecorder.create({
  path: path.join(folder, 'rollout.jsonl'),
  meta: { id: '019e0000-0000-7000-8000-000000000001' },
  dialect: 'legacy',
  durability: durability === 'synced' ? 'synced' : 'written',
  nowMs: Date.now,
});
const itemAt = (index) => ITEMS[index % ITEMS.length];

async function written() {
  const calls = Math.ceil(Number(lines) / Number(size));
  const batch = Array.from({ length: Number(size) }, (_, index) => itemAt(index));
  const startedAt = performance.now();
  for (let call = 0; call < calls; call++) await recorder.append(size === '1' ? [itemAt(call)] : batch);
  const seconds = (performance.now() - startedAt) / 1000;
  const count = calls * Number(size);
  return { linesPerSecond: count / seconds, bytesPerLine: Math.round(recorder.sizeBytes / count) };
}

/** A group is what is acknowledged in one turn of the event loop. */
async function synced() {
  let left = Number(lines);
  let syncs = 0;
  let turn = false;
  const acknowledged = () => {
    if (turn) return;
    turn = true;
    syncs += 1;
    setImmediate(() => {
      turn = false;
    });
  };
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await recorder.append([itemAt(left)]);
      acknowledged();
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: Number(size) }, caller));
  const seconds = (performance.now() - startedAt) / 1000;
  return { linesPerSecond: Number(lines) / seconds, groupSize: Number((Number(lines) / syncs).toFixed(1)), syncs };
}

function bare() {
  const fd = openSync(path.join(folder, 'bare'), 'a');
  const line = Buffer.alloc(Number(size), 'a');
  const startedAt = performance.now();
  for (let i = 0; i < Number(lines); i++) writeSync(fd, line, 0, line.length);
  const seconds = (performance.now() - startedAt) / 1000;
  closeSync(fd);
  return { linesPerSecond: Number(lines) / seconds };
}

const MEASURES = { written, synced, bare };
const result = await MEASURES[durability]();
await recorder.close();
console.log(JSON.stringify(result));
