/**
 * Seeded randomness for generated data: the same seed gives the same bytes on every machine.
 * Never the clock, never Math.random.
 */

/** A small fast generator (sfc32) seeded by any number of 32-bit integers. */
export function makeRandom(...seeds) {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = 0xb7e15162;
  let counter = 1;
  const step = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (const seed of seeds) {
    a ^= seed >>> 0;
    b ^= Math.floor(seed / 0x1_0000_0000) >>> 0;
    for (let i = 0; i < 12; i++) step();
  }
  const next = () => step() / 0x1_0000_0000;
  const below = (n) => Math.floor(next() * n);
  return {
    /** In [0, 1). */
    next,
    /** An integer in [0, n). */
    below,
    /** An integer in [from, to]. */
    between: (from, to) => from + below(to - from + 1),
    chance: (p) => next() < p,
    pick: (list) => list[below(list.length)],
    /** Close to a standard normal: twelve uniforms, so that no trigonometry of an engine has a say. */
    normal: () => {
      let sum = -6;
      for (let i = 0; i < 12; i++) sum += next();
      return sum;
    },
    hex: (digits) => {
      let text = '';
      while (text.length < digits) text += step().toString(16).padStart(8, '0');
      return text.slice(0, digits);
    },
  };
}

/** Log-normal; `sigma` is the spread of the logarithm. */
export function logNormal(random, median, sigma) {
  return median * Math.exp(sigma * random.normal());
}

/** A version 7 UUID for the instant `ms`. */
export function uuid7(ms, random) {
  const time = ms.toString(16).padStart(12, '0');
  const tail = random.hex(18);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-${'89ab'[random.below(4)]}${tail.slice(3, 6)}-${tail.slice(6, 18)}`;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Letters and digits, as in the ids that a model service gives to calls. */
export function token(length, random) {
  let text = '';
  for (let i = 0; i < length; i++) text += ALPHABET[random.below(ALPHABET.length)];
  return text;
}

/** Shuffles `list` in place. */
export function shuffle(list, random) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}
