/**
 * Finds secrets in texts of any length and counts them by rule. What it counts is never kept or handed on: only rule and number
 * leave this file.
 */
import { findSecrets } from '../../../redaction/index.js';

/** How many secrets each rule found. */
export type RuleCounts = Map<string, number>;

/** Longer texts are searched piece by piece, so that none holds up the program. */
const PIECE_CHARS = 1024 * 1024;
/** Longer than any secret: one that begins in a piece is found whole. */
const OVERLAP_CHARS = 16 * 1024;
const BASE64_MARK = ';base64,';
/** A shorter run behind the mark may be anything; an image is longer. */
const LEAST_IMAGE_CHARS = 512;
const BASE64_RUN = /[A-Za-z0-9+/=]*/y;

/** Secrets of one place (a line, a file), counted over all of its texts. */
export class SecretCounter {
  readonly counts: RuleCounts = new Map();
  /** Of this place only, so that a text that is searched in two forms counts once. */
  readonly #seen = new Set<string>();

  /**
   * Adds what `text` holds. With `once`, a secret that this place has already shown is passed over; what begins behind the first
   * `ownChars` is left to a text that overlaps with this one.
   */
  add(text: string, { once = false, ownChars }: { readonly once?: boolean; readonly ownChars?: number } = {}): void {
    for (const piece of ownChars === undefined ? piecesOf(text) : [{ text, ownChars }]) {
      for (const { start, end, rule } of findSecrets(piece.text)) {
        if (start >= piece.ownChars) continue;
        const secret = piece.text.slice(start, end);
        if (once && this.#seen.has(secret)) continue;
        this.#seen.add(secret);
        this.counts.set(rule, (this.counts.get(rule) ?? 0) + 1);
      }
    }
  }
}

interface Piece {
  readonly text: string;
  /** What begins behind these belongs to the next piece. */
  readonly ownChars: number;
}

function* piecesOf(text: string): Generator<Piece> {
  for (let at = 0; at === 0 || at < text.length; at += PIECE_CHARS) {
    const isLast = at + PIECE_CHARS >= text.length;
    const piece = at === 0 && isLast ? text : text.slice(at, at + PIECE_CHARS + OVERLAP_CHARS);
    yield { text: piece, ownChars: isLast ? Number.POSITIVE_INFINITY : PIECE_CHARS };
  }
}

/** The text without the bytes of images in it. */
export function withoutImages(text: string): string {
  let mark = text.indexOf(BASE64_MARK);
  if (mark === -1) return text;
  const kept: string[] = [];
  let from = 0;
  for (; mark !== -1; mark = text.indexOf(BASE64_MARK, mark + BASE64_MARK.length)) {
    const start = mark + BASE64_MARK.length;
    BASE64_RUN.lastIndex = start;
    BASE64_RUN.test(text);
    const end = BASE64_RUN.lastIndex;
    if (end - start < LEAST_IMAGE_CHARS) continue;
    kept.push(text.slice(from, start));
    from = end;
    mark = end;
  }
  return [...kept, text.slice(from)].join(' ');
}
