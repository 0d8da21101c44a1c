/** The vocabulary runs in a browser: no module of Node, no global of Node, in it or in what it imports. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ENTRY = new URL('../../src/protocol/index.ts', import.meta.url);
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;
const NODE_GLOBAL = /\b(?:Buffer|process|global|require|__dirname|__filename|setImmediate)\b(?!['":-])/;

interface Module {
  readonly url: string;
  readonly code: string;
  readonly imports: readonly string[];
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/[^\n]*/g, '$1');
}

function modulesFrom(entry: URL): readonly Module[] {
  const seen = new Map<string, Module>();
  const pending = [entry];
  for (let url = pending.pop(); url !== undefined; url = pending.pop()) {
    if (seen.has(url.href)) continue;
    const code = withoutComments(readFileSync(url, 'utf8'));
    const imports = [...code.matchAll(IMPORT)].map((match) => match[1] ?? '');
    seen.set(url.href, { url: url.href, code, imports });
    for (const name of imports) {
      if (name.startsWith('.')) pending.push(new URL(name.replace(/\.js$/, '.ts'), url));
    }
  }
  return [...seen.values()];
}

describe('src/protocol', () => {
  const modules = modulesFrom(ENTRY);

  test('is all reached from its index', () => {
    expect(modules.length).toBeGreaterThan(15);
  });

  test('imports nothing but itself and the floor below', () => {
    const others = modules.flatMap(({ imports }) => imports).filter((name) => !/^(\.\/|\.\.\/base\/)/.test(name));
    expect(others.filter((name) => name !== './json.js')).toEqual([]);
  });

  test('uses no global of Node', () => {
    const found = modules.flatMap(({ url, code }) => {
      const texts = code.replaceAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''");
      return NODE_GLOBAL.test(texts) ? [`${url}: ${NODE_GLOBAL.exec(texts)?.[0]}`] : [];
    });
    expect(found).toEqual([]);
  });
});
