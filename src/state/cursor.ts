/**
 * The opaque text that says where the next page begins: the sort key and the tie-break of the last row shown.
 * It stays valid while rows come and go, and in a rebuilt index.
 */
import { StateError } from './errors.js';

export type ThreadSort = 'updated' | 'created';

export interface Cursor {
  readonly sort: ThreadSort;
  readonly valueMs: number;
  /** Thread id; in a list of files the stored path. */
  readonly key: string;
}

/** Base64url of a JSON array. */
export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify([cursor.sort, cursor.valueMs, cursor.key]), 'utf8').toString('base64url');
}

/** Throws StateError `state-cursor-invalid` for any text that encodeCursor() does not make for this `sort`. */
export function decodeCursor(text: string, sort: ThreadSort): Cursor {
  const parts = parse(text);
  if (Array.isArray(parts) && parts.length === 3) {
    const [cursorSort, valueMs, key] = parts as readonly unknown[];
    if (
      cursorSort === sort &&
      typeof valueMs === 'number' &&
      Number.isSafeInteger(valueMs) &&
      typeof key === 'string'
    ) {
      return { sort, valueMs, key };
    }
  }
  throw new StateError('state-cursor-invalid', `Cannot continue a list sorted by ${sort} from this cursor`, {
    hint: 'Pass the nextCursor of the page before, with the same sort order.',
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    // Text that is no JSON is no cursor; the caller says so.
    return undefined;
  }
}
