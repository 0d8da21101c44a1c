import { describe, expect, test } from 'vitest';
import { nodeFileSystem as files } from '../../src/platform/files/node-file-system.js';
import { messageOf, NO_DOCUMENTS } from '../../src/projection/documents.js';
import { readRecordsSync } from '../../src/rollout/forward-reader.js';
import { scanFacts } from '../../src/thread-store/local/scan/facts-scan.js';
import { ROLLOUTS } from './damaged-logs.js';

/** What the log says, by turn and mark: how often in items, and at which lines in events. */
function messagesOf(path: string): ReadonlyMap<string, { readonly items: number[]; readonly events: number[] }> {
  const found = new Map<string, { readonly items: number[]; readonly events: number[] }>();
  let turn = 0;
  for (const { records } of readRecordsSync(path, { files })) {
    for (const { line, lineNumber } of records) {
      const { item } = line;
      if (item.type === 'event_msg' && /^(?:task_(?:started|complete)|turn_aborted)$/.test(item.payload.type))
        turn += 1;
      const message = messageOf(line, { tools: false });
      if (message === undefined) continue;
      const key = `${turn} ${message.mark}`;
      const entry = found.get(key) ?? { items: [], events: [] };
      found.set(key, entry);
      (message.kind === 'item' ? entry.items : entry.events).push(lineNumber);
    }
  }
  return found;
}

describe('the documents of genuine logs', () => {
  test('are each message once, at the line of its event where it has one', () => {
    let pairs = 0;
    let alone = 0;
    for (const path of ROLLOUTS) {
      const { documents } = scanFacts(path, { files, documents: { tools: false, carry: NO_DOCUMENTS } });
      const wanted = [...messagesOf(path).values()].flatMap(({ items, events }) => {
        pairs += Math.min(items.length, events.length);
        alone += Math.max(0, items.length - events.length);
        // An item more than there are events has none; which one that is does not matter to its text.
        return [...events, ...items.slice(events.length)];
      });
      const lines = documents?.documents.map(({ lineNumber }) => lineNumber) ?? [];
      expect({ path, lines }).toEqual({ path, lines: wanted.sort((a, b) => a - b) });
    }
    expect(pairs).toBeGreaterThan(100);
    expect(alone).toBeGreaterThan(20);
  });

  test('hold no text that the client put into the conversation', () => {
    for (const path of ROLLOUTS) {
      const { documents } = scanFacts(path, { files, documents: { tools: false, carry: NO_DOCUMENTS } });
      for (const { text } of documents?.documents ?? [])
        expect({ path, text }).not.toEqual({
          path,
          text: expect.stringMatching(/^<(?:environment_context|user_instructions)>/),
        });
    }
  });
});
