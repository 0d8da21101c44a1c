import { describe, expect, test } from 'vitest';
import { formatAddress, parseAddress } from '../../src/base/address.js';

describe('parseAddress()', () => {
  test.each([
    ['01a229f0:12', { reference: '01a229f0', from: 12, to: 12 }],
    ['01a229f0:12-15', { reference: '01a229f0', from: 12, to: 15 }],
    ['fix: the build:3', { reference: 'fix: the build', from: 3, to: 3 }],
  ])('reads %s and renders it again', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
    expect(formatAddress(address)).toBe(text);
  });

  test.each(['01a229f0', ':3', 'a:0', 'a:03', 'a:5-4', 'a:1-', 'a:99999999999999999999', 'a:-3'])(
    'refuses %s',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );
});
