/**
 * Writes one JSON document piece by piece, so that a thread of gigabytes never becomes one string.
 * Exactly one document comes out, also when the command fails half way: the open array is closed and `error` added.
 */
import type { FailureDocument } from './failure.js';
import type { Output } from './output.js';

/** Writes `value` as JSON; objects and arrays down to `depth` levels are taken apart, what is below is one string each. */
async function writeJson(output: Output, value: unknown, depth: number): Promise<void> {
  if (depth === 0 || typeof value !== 'object' || value === null) {
    await output.write(JSON.stringify(value));
    return;
  }
  if (Array.isArray(value)) {
    let separator = '[';
    for (const item of value) {
      await output.write(separator);
      await writeJson(output, item ?? null, depth - 1);
      separator = ',';
    }
    await output.write(separator === '[' ? '[]' : ']');
    return;
  }
  let separator = '{';
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    await output.write(`${separator}${JSON.stringify(key)}:`);
    await writeJson(output, item, depth - 1);
    separator = ',';
  }
  await output.write(separator === '{' ? '{}' : '}');
}

export class JsonDocument {
  readonly #output: Output;
  #state: 'new' | 'object' | 'array' | 'done' = 'new';

  constructor(output: Output) {
    this.#output = output;
  }

  /** Adds one key; undefined leaves it out. `depth` as in `writeJson`. */
  async field(name: string, value: unknown, depth = 0): Promise<void> {
    if (value === undefined) return;
    await this.#key(name);
    await writeJson(this.#output, value, depth);
  }

  /** Adds one key whose array comes item by item, each written with `depth` as in `writeJson`. */
  async array(name: string, items: Iterable<unknown> | AsyncIterable<unknown>, depth = 0): Promise<void> {
    await this.#key(name);
    await this.#output.write('[');
    this.#state = 'array';
    let separator = '';
    for await (const item of items) {
      // A separator is written only with its item, so that a failure between two leaves valid JSON.
      if (separator !== '') await this.#output.write(separator);
      await writeJson(this.#output, item, depth);
      separator = ',';
    }
    this.#state = 'object';
    await this.#output.write(']');
  }

  async end(): Promise<void> {
    await this.#output.write(this.#state === 'new' ? '{}\n' : '}\n');
    this.#state = 'done';
    await this.#output.flush();
  }

  /** Ends the document with `error`, whatever was written of it. */
  async fail(failure: FailureDocument): Promise<void> {
    if (this.#state === 'done') return;
    if (this.#state === 'array') {
      await this.#output.write(']');
      this.#state = 'object';
    }
    await this.field('error', failure.error);
    await this.end();
  }

  async #key(name: string): Promise<void> {
    await this.#output.write(`${this.#state === 'new' ? '{' : ','}${JSON.stringify(name)}:`);
    this.#state = 'object';
  }
}
