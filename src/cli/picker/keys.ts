/**
 * From what a terminal sends to keys. Takes text in pieces of any size: a sequence may be cut anywhere.
 *
 * Knows the cursor keys in their usual spellings, control keys, and bracketed paste; any other sequence is swallowed
 * whole, so that no part of it becomes text. Time is linear in the input; what is held back is bounded.
 */

export type KeyName =
  | 'enter'
  | 'backspace'
  | 'escape'
  | 'tab'
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'ctrl-c'
  | 'ctrl-d'
  | 'ctrl-l'
  | 'ctrl-o'
  | 'ctrl-u'
  | 'ctrl-w'
  | 'ctrl-y'
  | 'ctrl-z';

export type Key =
  | { readonly type: 'key'; readonly name: KeyName }
  /** Typed text: one character, or as many as came at once, as an input method sends them. No controls. */
  | { readonly type: 'text'; readonly text: string }
  /** Pasted text as it is, controls too. */
  | { readonly type: 'paste'; readonly text: string };

const ESC = '\x1b';
const PASTE_END = '\x1b[201~';
/** A sequence over this is none that a terminal sends. */
const MAX_SEQUENCE = 64;
/** Pasted text that is kept; nobody searches for more. */
const MAX_PASTE = 16_384;

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x03': 'ctrl-c',
  '\x04': 'ctrl-d',
  '\x0c': 'ctrl-l',
  '\x0e': 'down',
  '\x0f': 'ctrl-o',
  '\x10': 'up',
  '\x15': 'ctrl-u',
  '\x17': 'ctrl-w',
  '\x19': 'ctrl-y',
  '\x1a': 'ctrl-z',
};

/** By the last character of `ESC [ …` and `ESC O …`. */
const FINALS: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  F: 'end',
  H: 'home',
  M: 'enter',
};

/** By the first number of `ESC [ N ~`. */
const NUMBERED: Readonly<Record<string, KeyName>> = {
  '1': 'home',
  '4': 'end',
  '5': 'page-up',
  '6': 'page-down',
  '7': 'home',
  '8': 'end',
};

export class KeyParser {
  /** The beginning of a sequence whose end has not come. */
  #held = '';
  /** What was pasted so far; undefined outside of a paste. */
  #paste: string | undefined;

  /** True when an Esc may be a key, or the beginning of one: `flush` after a moment says that nothing followed. */
  get isWaiting(): boolean {
    return this.#held !== '' && this.#paste === undefined;
  }

  /** The keys that `chunk` completes. */
  feed(chunk: string): readonly Key[] {
    const keys: Key[] = [];
    const text = this.#held + chunk;
    this.#held = '';
    let at = 0;
    while (at < text.length) {
      if (this.#paste !== undefined) at = this.#readPaste(text, at, keys);
      else if (text[at] === ESC) at = this.#readEscape(text, at, keys);
      else at = readPlain(text, at, keys);
    }
    return keys;
  }

  /** What was held back, taken for what it is by itself. */
  flush(): readonly Key[] {
    if (!this.isWaiting) return [];
    const isEscape = this.#held === ESC;
    this.#held = '';
    return isEscape ? [{ type: 'key', name: 'escape' }] : [];
  }

  #readPaste(text: string, at: number, keys: Key[]): number {
    const marker = text.indexOf(PASTE_END, at);
    const interrupt = text.indexOf('\x03', at);
    const pasted = this.#paste ?? '';
    const room = MAX_PASTE - pasted.length;
    if (interrupt !== -1 && (marker === -1 || interrupt < marker)) {
      // Terminals leave controls out of a paste: its end was lost, and who presses Ctrl-C wants to get out.
      this.#paste = undefined;
      return interrupt;
    }
    if (marker === -1) {
      // The marker itself may be cut.
      const end = Math.max(at, text.length - PASTE_END.length + 1);
      this.#paste = pasted + text.slice(at, Math.min(end, at + room));
      this.#held = text.slice(end);
      return text.length;
    }
    keys.push({ type: 'paste', text: pasted + text.slice(at, Math.min(marker, at + room)) });
    this.#paste = undefined;
    return marker + PASTE_END.length;
  }

  /** Reads what begins with Esc; an unfinished sequence is held back. */
  #readEscape(text: string, at: number, keys: Key[]): number {
    const kind = text[at + 1];
    if (kind === undefined) return this.#hold(text, at);
    if (kind === ESC) {
      keys.push({ type: 'key', name: 'escape' });
      return at + 1;
    }
    if (kind === 'O') {
      const final = text[at + 2];
      if (final === undefined) return this.#hold(text, at);
      pushNamed(keys, FINALS[final]);
      return at + 3;
    }
    if (kind === '[') return this.#readControlSequence(text, at, keys);
    // Alt and a key.
    if (kind === '\x7f' || kind === '\b') keys.push({ type: 'key', name: 'ctrl-w' });
    return at + 1 + (text.codePointAt(at + 1)! > 0xffff ? 2 : 1);
  }

  #readControlSequence(text: string, at: number, keys: Key[]): number {
    let end = at + 2;
    while (end < text.length && end - at < MAX_SEQUENCE && isParameter(text.charCodeAt(end))) end += 1;
    if (end === text.length) return this.#hold(text, at);
    const final = text[end]!;
    // A sequence that is broken by something else ends before it.
    if (final < '@' || final > '~') return end;
    const [first = ''] = text.slice(at + 2, end).split(';');
    if (final === '~' && first === '200') this.#paste = '';
    else pushNamed(keys, final === '~' ? NUMBERED[first] : FINALS[final]);
    return end + 1;
  }

  #hold(text: string, at: number): number {
    this.#held = text.slice(at);
    return text.length;
  }
}

/** Reads a control, or the text up to the next one. */
function readPlain(text: string, at: number, keys: Key[]): number {
  if (isControl(text.charCodeAt(at))) {
    pushNamed(keys, CONTROLS[text[at]!]);
    return at + 1;
  }
  let end = at + 1;
  while (end < text.length && !isControl(text.charCodeAt(end))) end += 1;
  keys.push({ type: 'text', text: text.slice(at, end) });
  return end;
}

function pushNamed(keys: Key[], name: KeyName | undefined): void {
  if (name !== undefined) keys.push({ type: 'key', name });
}

/** Parameter and intermediate bytes of a control sequence. */
function isParameter(code: number): boolean {
  return code >= 0x20 && code <= 0x3f;
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}
