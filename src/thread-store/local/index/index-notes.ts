/**
 * What an index notes about itself beside its rows: by which rules it was made, which names its rows fit, and whether
 * anything waits to be composed. Reads and compares only; who writes a note is said at each.
 */
import { type FileSystem, fileErrorCode } from '../../../platform/files/file-system.js';
import { FACTS_VERSION } from '../../../projection/thread-facts.js';
import { REDACTION_VERSION } from '../../../redaction/version.js';
import { NAMES_FILE } from '../../../rollout/paths.js';
import type { StateIndex } from '../../../state/index.js';

/** Note: by which rules rows were folded, and their texts masked. */
export const REDACTION = 'redaction';
/** What REDACTION says of an index that this program made. */
export const RULES_NOW = `${REDACTION_VERSION}.${FACTS_VERSION}`;
/** Note: the names file that the rows fit. */
export const NAMES_STAMP = 'names-stamp';
/** Note: how often a thread was left without what it inherits, or a file changed that others may continue. */
export const BASES_CHANGED = 'bases-changed';
/** Note: up to which of those changes all threads were composed. */
export const BASES_COMPOSED = 'bases-composed';

/** True when every row was folded, and its texts masked, by the rules of this program. */
export function isMaskedAsNow(index: StateIndex): boolean {
  return index.note(REDACTION) === RULES_NOW;
}

/** How many changes are noted that not all threads were composed after. */
export function openChanges(index: StateIndex): number {
  return counter(index, BASES_CHANGED) - counter(index, BASES_COMPOSED);
}

/** A note that counts; 0 where there is none. */
export function counter(index: StateIndex, note: string): number {
  return Number(index.note(note) ?? 0);
}

/** True when the rows fit the file of names as it is. */
export async function namesAreKnown(index: StateIndex, place: NamesPlace, files: FileSystem): Promise<boolean> {
  try {
    return index.note(NAMES_STAMP) === (await stampOfNames(place, files));
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error;
    return false; // reading it tells why
  }
}

/** Where names and folders stand that no log tells. */
export interface NamesPlace {
  readonly home: string;
  /** The ledger of what was imported; undefined where there can be none. */
  readonly importsFile?: string | undefined;
}

/** Tells one state of the file of names, and of the ledger of imports, from another. */
export async function stampOfNames({ home, importsFile }: NamesPlace, files: FileSystem): Promise<string> {
  const names = await stampOfFile(files.join(home, NAMES_FILE), files);
  const imports = importsFile === undefined ? 'none' : await stampOfFile(importsFile, files);
  return imports === 'none' ? names : `${names} ${imports}`;
}

async function stampOfFile(path: string, files: FileSystem): Promise<string> {
  try {
    const { sizeBytes, mtimeNs, ctimeNs, inode } = await files.lstat(path);
    return `${sizeBytes}:${mtimeNs}:${ctimeNs}:${inode}`;
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    return 'none';
  }
}
