/**
 * What a person sees of a thread: turns, each with its items, each item with the address it came from.
 */

/** Who wrote a text, weakest first. Set from the record, never from the text; a text can lower its origin, never raise it. */
export const ORIGINS = ['injected', 'imported', 'external', 'assistant', 'tool', 'user'] as const;
export type Origin = (typeof ORIGINS)[number];

export type TurnStatus = 'completed' | 'in_progress' | 'interrupted' | 'failed';

export interface TurnItemView {
  /** Wire type of the response item or, for a record that is no item, its tag. */
  readonly type: string;
  readonly role: string | null;
  /** As it is in the log; for a record that is no item, its raw text. */
  readonly text: string;
  /** 1-based. */
  readonly line: number;
  readonly path: string;
  readonly origin: Origin;
}

export interface TurnView {
  /** The turn's id in the log; null where the release wrote none. */
  readonly id: string | null;
  readonly status: TurnStatus;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly items: readonly TurnItemView[];
}
