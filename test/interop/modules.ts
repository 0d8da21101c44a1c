/**
 * The harness is plain JavaScript, as it runs without a build; here are the types of what is tested of it.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const LIB = path.resolve(import.meta.dirname, '../../interop/lib');

export interface Item {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface CompareModule {
  sameItem(sent: Item, stored: Item): boolean;
  differenceOf(input: readonly Item[], history: readonly Item[], prompt?: string): string | undefined;
}

export interface Recorded {
  readonly kind: string;
  readonly body: { readonly input: readonly Item[] } | undefined;
}

export interface Mock {
  readonly url: string;
  readonly requests: readonly Recorded[];
  beforeTurn: (request: Recorded) => Promise<void>;
  script(steps: readonly object[]): void;
  turnsSince(count: number): readonly Recorded[];
  close(): Promise<void>;
}

export interface MockModule {
  readonly MockModel: { start(): Promise<Mock> };
  requestKind(request: { method: string; url: string; headers?: object; body?: object }): string;
}

export interface ItemsModule {
  offeredTools(body: object): readonly { readonly type: string; readonly name?: string }[];
  outputItem(element: object, body: object): Item;
}

export interface RecordsModule {
  readonly TURNS: readonly { readonly prompt: string; readonly steps: readonly object[] }[];
  turnRecords(turn: object): readonly { readonly type: string; readonly payload: Item }[];
  keptIn(dialect: string, record: object): boolean;
  itemsOf(records: readonly object[]): readonly Item[];
  newUuid(at?: number): string;
}

export interface FileModule {
  sessionMeta(thread: object, more?: object): object;
  linesOf(records: readonly object[], options: object): readonly string[];
  newLogPath(home: string, id: string, options?: object): string;
}

export interface ReleasesModule {
  readonly PINNED: readonly { readonly version: string; readonly dialect: string; readonly writerLock: boolean }[];
  releaseOf(version: string): { readonly version: string; readonly dialect: string; readonly like: string };
}

/** A module of the harness by its file name. */
export async function load<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(path.join(LIB, name)).href)) as T;
}
