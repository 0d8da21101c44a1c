import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { projectHistory } from '../../src/projection/history.js';
import { FIXTURES, readHome, scenarios, threadRecords } from './fixture-home.js';
import {
  comparable,
  firstDifference,
  firstNotInOrder,
  lastRequests,
  type SentRequest,
  sentRequests,
} from './sent-history.js';

/** The client sent something that is not on disk, or nothing after its rollbacks. */
function isExempt(release: string, name: string): boolean {
  if (name === 'appserver') return true;
  return (release === '0.36.0' && name === 'compact') || (release === '0.29.0' && name === 'image');
}

function withoutRetries(requests: readonly SentRequest[]): readonly JsonObject[] {
  return requests.flatMap(({ input }, index) =>
    JSON.stringify(input) === JSON.stringify(requests[index - 1]?.input) ? [] : input,
  );
}

describe.each(scenarios().filter(({ release, name }) => !isExempt(release, name)))('$release $name', (scenario) => {
  const files = readHome(scenario.home);
  const requests = sentRequests(scenario.folder);

  test('projectHistory() begins with what the real client sent last', () => {
    const differences: string[] = [];
    for (const [id, request] of lastRequests(requests)) {
      const records = threadRecords(files, id);
      if (records.length === 0) continue;
      const { items } = projectHistory(records.map(({ line }) => line));
      // 0.8.0 sends only what is new: its requests together, repeated attempts aside, are the history.
      const difference =
        scenario.release === '0.8.0'
          ? firstNotInOrder(withoutRetries(requests), items)
          : firstDifference(request.input, items);
      if (difference !== undefined) differences.push(`${id}: ${difference}`);
    }
    expect(differences).toEqual([]);
  });
});

interface Pinned {
  readonly release: string;
  readonly reader: string;
  readonly threads: Readonly<Record<string, readonly JsonObject[]>>;
}

const EXPECTED = fileURLToPath(new URL('./expected/', import.meta.url));
const pins = readdirSync(EXPECTED).map((name) => JSON.parse(readFileSync(join(EXPECTED, name), 'utf8')) as Pinned);

describe.each(pins)('$release, resumed once more by $reader', ({ release, threads }) => {
  const scenario = release.split('/');
  const files = readHome(join(FIXTURES, ...scenario, 'home'));

  test.each(Object.keys(threads))('projectHistory() is what was sent of %s', (id) => {
    const { items } = projectHistory(threadRecords(files, id).map(({ line }) => line));
    const sent = threads[id] ?? [];
    expect(firstDifference(sent, items)).toBeUndefined();
    expect(comparable(items)).toHaveLength(comparable(sent).length);
  });
});
