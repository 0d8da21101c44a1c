/**
 * From documents to what the full-text index takes: masked, then cut, then analysed. Nothing that was not masked leaves
 * this module.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { TermIndexer } from '../../../base/analyse/index.js';
import type { Document } from '../../../projection/documents.js';
import { maskedHead } from '../../../projection/masked-head.js';
import { packPlaces } from '../../../state/index.js';

/** UTF-16 units of one document that are searched; what stands behind is found by no word of its own. */
export const MAX_DOCUMENT_CHARS = 1024 * 1024;

export interface DocumentTerms {
  /** Terms of all documents, one after the other, as UTF-8: bytes go to another thread without being copied. */
  readonly terms: Uint8Array;
  /** Where in `terms` those of each document end. */
  readonly ends: readonly number[];
  readonly places: Uint8Array;
  readonly texts: Uint8Array | undefined;
}

/** `keepTexts`: for logs of which one line cannot be read without all before it. */
export function documentTerms(
  documents: readonly Document[],
  { keepTexts }: { readonly keepTexts: boolean },
): DocumentTerms {
  const texts = documents.map(({ text }) => maskedText(text));
  return {
    ...packTerms(texts),
    places: packPlaces(
      documents.map(({ lineNumber, byteOffset, byteLength, role, atMs }, index) => ({
        line: lineNumber,
        byteOffset,
        byteLength,
        role,
        chars: texts[index]?.length ?? 0,
        atSeconds: atMs === undefined ? undefined : Math.floor(atMs / 1000),
      })),
    ),
    texts: keepTexts ? packTexts(texts) : undefined,
  };
}

/** One for all files of a thread: they are analysed one after the other. */
const indexer = new TermIndexer();

function packTerms(texts: readonly string[]): Pick<DocumentTerms, 'terms' | 'ends'> {
  const { sink } = indexer;
  const ends = texts.map((text) => {
    indexer.append(text);
    return sink.length;
  });
  // Memory of its own, so that it can change hands.
  const terms = Uint8Array.from(sink.bytes.subarray(0, sink.length));
  sink.clear();
  return { terms, ends };
}

/** A text as it may be stored, shown and searched. */
export function maskedText(text: string): string {
  return maskedHead(text, MAX_DOCUMENT_CHARS);
}

function packTexts(texts: readonly string[]): Uint8Array {
  return deflateRawSync(JSON.stringify(texts));
}

/** The texts of a run of documents, in the order of their numbers. */
export function unpackTexts(pack: Uint8Array): readonly string[] {
  // Written by packTexts(), in a database that is ours alone.
  return JSON.parse(inflateRawSync(pack).toString('utf8')) as readonly string[];
}
