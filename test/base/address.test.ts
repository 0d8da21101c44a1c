import { describe, expect, test } from 'vitest';
import { addressFault, formatAddress, parseAddress } from '../../src/base/address.js';

describe('parseAddress()', () => {
  test.each([
    ['01a229f0:12', { reference: '01a229f0', from: 12, to: 12 }],
    ['01a229f0:12-15', { reference: '01a229f0', from: 12, to: 15 }],
    ['01a229f0/1:12', { reference: '01a229f0', part: 1, from: 12, to: 12 }],
    ['01a229f0/12:3-4', { reference: '01a229f0', part: 12, from: 3, to: 4 }],
    ['fix: the build:3', { reference: 'fix: the build', from: 3, to: 3 }],
    ['a/b/rollout.jsonl:3', { reference: 'a/b/rollout.jsonl', from: 3, to: 3 }],
    ['C:\\x\\rollout.jsonl:3', { reference: 'C:\\x\\rollout.jsonl', from: 3, to: 3 }],
    ['a/2/3:4', { reference: 'a/2', part: 3, from: 4, to: 4 }],
  ])('reads %s and renders it again', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
    expect(formatAddress(address)).toBe(text);
  });

  test.each(['01a229f0', ':3', 'a:0', 'a:03', 'a:5-4', 'a:1-', 'a:99999999999999999999', 'a:-3', '/1', 'a/1'])(
    'refuses %s',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );

  test('takes a text of a million digits or slashes in no time', () => {
    for (const text of ['1'.repeat(1e6), '/1'.repeat(5e5), ':'.repeat(1e6)]) {
      expect(parseAddress(text)).toBeUndefined();
      expect(addressFault(text)).toBeUndefined();
    }
  });
});

describe('addressFault()', () => {
  test.each([
    ['a:0', 'line-zero'],
    ['a:0-4', 'line-zero'],
    ['a:00', 'line-zero'],
    ['a/0:4', 'part-zero'],
    ['a:5-4', 'backwards'],
    ['a:1-', 'malformed'],
    ['a:-3', 'malformed'],
    ['a:03', 'malformed'],
    ['a:99999999999999999999', 'malformed'],
    ['a', undefined],
    ['a:', undefined],
    ['a:b', undefined],
    ['a:-', undefined],
    ['a:5', undefined],
    ['a/1:5-6', undefined],
  ])('of %s is %s', (text, fault) => {
    expect(addressFault(text)).toBe(fault);
  });
});
