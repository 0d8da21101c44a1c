/**
 * A second opinion on the planted secrets: what the rules of secretlint find in them, ours mask too.
 */
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/redaction/index.js';
import { fakeSecrets } from './fake-secrets.js';

async function foundBySecretlint(content: string): Promise<readonly (readonly [number, number])[]> {
  const result = await lintSource({
    source: { filePath: '/fakes.txt', ext: '.txt', contentType: 'text', content },
    options: { config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] } },
  });
  return result.messages.map((message) => message.range);
}

describe('secretlint as oracle', () => {
  test('every secret that it finds is masked, whole or but for its user name', async () => {
    const missed: string[] = [];
    let found = 0;
    for (const seed of [7, 8, 9]) {
      for (const { kind, line } of fakeSecrets(seed)) {
        for (const [start, end] of await foundBySecretlint(line)) {
          found += 1;
          // A range of its may begin at the key or the URL; of ours it must hold the secret.
          if (!findSecrets(line).some((match) => match.start < end && match.end > start))
            missed.push(`${kind}: ${line}`);
        }
      }
    }
    expect(missed).toEqual([]);
    expect(found).toBeGreaterThan(40);
  });
});
