import { describe, expect, test } from 'vitest';
import { type ImagePayload, ImagePayloads } from '../../src/rollout/image-payloads.js';

const IMAGE = 'iVBORw0KGgo'.repeat(200);
const OTHER = `${IMAGE.slice(1)}A`;

function payloadsOf(chunks: readonly Buffer[]): readonly ImagePayload[] {
  const found: ImagePayload[] = [];
  const payloads = new ImagePayloads((payload) => found.push(payload));
  for (const chunk of chunks) payloads.push(chunk);
  payloads.finish();
  return found;
}

function url(payload: string): string {
  return `{"image_url":"data:image/png;base64,${payload}"}\n`;
}

describe('ImagePayloads', () => {
  test('tells equal payloads from others by their hash', () => {
    const found = payloadsOf([Buffer.from(url(IMAGE) + url(OTHER) + url(IMAGE))]);
    expect(found.map(({ bytes }) => bytes)).toEqual([IMAGE.length, IMAGE.length, IMAGE.length]);
    expect(found[0]).toEqual(found[2]);
    expect(found[0]).not.toEqual(found[1]);
  });

  test('finds the same wherever the bytes are cut', () => {
    const text = Buffer.from(`;base64;base64,x ;base64,${url(IMAGE)}${url(OTHER)}tail ;base6`);
    const whole = payloadsOf([text]);
    expect(whole).toHaveLength(2);
    for (const size of [1, 2, 3, 7, 8, 9, 100, 4096]) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.subarray(at * size, (at + 1) * size),
      );
      expect(payloadsOf(chunks)).toEqual(whole);
    }
  });

  test('takes a payload that is larger than its window, and one that the log breaks off in', () => {
    const large = 'QUJD'.repeat(300_000);
    const found = payloadsOf([Buffer.from(`${url(large)}"data:;base64,${IMAGE}`)]);
    expect(found.map(({ bytes }) => bytes)).toEqual([large.length, IMAGE.length]);
  });

  test('passes over what is too short to be an image, and starts afresh after finish()', () => {
    const found: ImagePayload[] = [];
    const payloads = new ImagePayloads((payload) => found.push(payload));
    payloads.push(Buffer.from(`${url('QUJD')};base6`));
    payloads.finish();
    payloads.push(Buffer.from(`4,${IMAGE}"`));
    payloads.finish();
    expect(found).toEqual([]);
  });
});
