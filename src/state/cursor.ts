/**
 * The opaque text that carries the position of a page's last row to the next call. A position says nothing of a home or a
 * generation, so one cursor goes on in several homes at once, and stays valid while rows come and go.
 */
import { StateError } from './errors.js';

export type ThreadSort = 'updated' | 'created';

/** Which list: its order, and whether it is one of files. */
export interface ListOrder {
  readonly sort: ThreadSort;
  readonly files: boolean;
}

export interface RowPosition extends ListOrder {
  readonly valueMs: number;
  /** Thread id; in a list of files the path relative to the home. */
  readonly key: string;
}

/** Base64url of a JSON array. */
export function encodeCursor(position: RowPosition): string {
  const parts = [position.files ? 'files' : 'threads', position.sort, position.valueMs, position.key];
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');
}

/** Throws StateError `state-cursor-invalid` for any text that encodeCursor() does not make for this list. */
export function decodeCursor(text: string, order: ListOrder): RowPosition {
  const parts = parse(text);
  if (Array.isArray(parts) && parts.length === 4) {
    const [kind, sort, valueMs, key] = parts as readonly unknown[];
    const fits = kind === (order.files ? 'files' : 'threads') && sort === order.sort;
    if (fits && typeof valueMs === 'number' && Number.isSafeInteger(valueMs) && typeof key === 'string') {
      return { ...order, valueMs, key };
    }
  }
  throw new StateError('state-cursor-invalid', `Cannot continue a list sorted by ${order.sort} from this cursor`, {
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
