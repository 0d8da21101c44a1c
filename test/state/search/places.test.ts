import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  copyChars,
  countPlaces,
  PLACE_BYTES,
  packPlaces,
  placeAt,
  type StoredPlace,
  summarizePlaces,
  withoutPlace,
} from '../../../src/state/search/places.js';

const PLACE: StoredPlace = {
  line: 7,
  byteOffset: 1_234,
  byteLength: 99,
  role: 'assistant',
  chars: 42,
  atSeconds: 1_764_417_600,
};

/** A build says the same thing twice; another number explores further. */
const SEED = Number(process.env['SEED'] ?? 20_261_130);

const place: fc.Arbitrary<StoredPlace> = fc.record({
  line: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  byteOffset: fc.oneof(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.constantFrom(0, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 1)),
  byteLength: fc.nat(2 ** 32 - 1),
  role: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const),
  chars: fc.nat(2 ** 32 - 1),
  atSeconds: fc.option(fc.integer({ min: 1, max: 2 ** 32 - 1 }), { nil: undefined }),
});

const all = (pack: Uint8Array): readonly (StoredPlace | undefined)[] =>
  Array.from({ length: countPlaces(pack) }, (_, at) => placeAt(pack, at));

describe('packPlaces()', () => {
  test('gives back what it was given', () => {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 20 }), (places) => {
        expect(all(packPlaces(places))).toEqual(places);
      }),
      { numRuns: 300, seed: SEED },
    );
  });

  test('keeps offsets of logs of more than 4 GiB', () => {
    for (const byteOffset of [2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 10 * 2 ** 30 + 17, 2 ** 40 + 3, 2 ** 48 - 1])
      expect(placeAt(packPlaces([{ ...PLACE, byteOffset }]), 0)?.byteOffset).toBe(byteOffset);
  });

  test('cuts down what does not fit, and takes an instant before 1970 for none', () => {
    const packed = packPlaces([{ ...PLACE, line: 2 ** 33, byteLength: 2 ** 33, chars: 2 ** 33, atSeconds: -5 }]);
    const most = 2 ** 32 - 1;
    expect(placeAt(packed, 0)).toEqual({ ...PLACE, line: most, byteLength: most, chars: most, atSeconds: undefined });
  });

  test('takes 24 bytes each, little-endian, as the format says', () => {
    expect(PLACE_BYTES).toBe(24);
    expect(Buffer.from(packPlaces([{ ...PLACE, byteOffset: 0x0102_0304_0506 }])).toString('hex')).toBe(
      '070000000605040302010100630000002a00000040e02a69',
    );
  });
});

describe('placeAt()', () => {
  test('is undefined outside the pack, and reads a pack that is part of larger memory', () => {
    const pack = packPlaces([PLACE, { ...PLACE, line: 8 }]);
    expect([placeAt(pack, -1), placeAt(pack, 2), placeAt(new Uint8Array(), 0)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const larger = new Uint8Array(pack.length + 5);
    larger.set(pack, 5);
    expect(all(larger.subarray(5))).toEqual(all(pack));
  });
});

describe('withoutPlace()', () => {
  test('takes one back and leaves the others, and what it was given, as they are', () => {
    const pack = Buffer.from(packPlaces([PLACE, { ...PLACE, line: 8 }, { ...PLACE, line: 9, role: 'tool' }]));
    const before = Buffer.from(pack);
    const less = withoutPlace(pack, 1);
    expect(all(less)).toEqual([placeAt(pack, 0), undefined, placeAt(pack, 2)]);
    expect(all(withoutPlace(less, 1))).toEqual(all(less));
    expect(countPlaces(less)).toBe(3);
    expect(pack).toEqual(before);
  });
});

describe('summarizePlaces()', () => {
  test('adds up the characters and finds the first and the last instant', () => {
    const pack = packPlaces([
      { ...PLACE, chars: 5, atSeconds: 300 },
      { ...PLACE, chars: 7, atSeconds: undefined },
      { ...PLACE, chars: 11, atSeconds: 100 },
    ]);
    expect(summarizePlaces(pack)).toEqual({ chars: 23, fromSeconds: 100, toSeconds: 300 });
    expect(summarizePlaces(packPlaces([]))).toEqual({ chars: 0, fromSeconds: 0, toSeconds: 0 });
    const chars = new Uint32Array(5);
    copyChars(pack, chars, 1);
    expect([...chars]).toEqual([0, 5, 7, 11, 0]);
  });
});
