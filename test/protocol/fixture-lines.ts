/** Every line of the genuine logs: real releases' homes, and the odd samples. Read-only. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '../../src/base/json.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));

export interface FixtureLine {
  readonly where: string;
  readonly text: string;
  /** Undefined for a line that is no JSON. */
  readonly value: JsonValue | undefined;
}

export interface FixtureFile {
  readonly name: string;
  readonly lines: readonly FixtureLine[];
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // A torn or fused line of a genuine log.
    return undefined;
  }
}

function collect(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl') && entry.name !== 'session_index.jsonl')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function load(folder: string): FixtureFile[] {
  return collect(join(FIXTURES, folder)).map((path) => {
    const name = relative(FIXTURES, path);
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .map((text, index) => ({ where: `${name}:${index + 1}`, text, value: parse(text) }))
      .filter(({ text }) => text.trim() !== '');
    return { name, lines };
  });
}

/** Homes of twelve releases. */
export const GENUINE: readonly FixtureFile[] = load('codex');
/** Samples of 0.171 with lines put in by hand. */
export const ODD: readonly FixtureFile[] = load('samples-0.171');
