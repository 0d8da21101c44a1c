/**
 * The row that a list shows for one thread. Field names are the contract of `codicil list --json`.
 */
import type { ThreadId } from '../base/ids.js';
import type { Dialect } from '../protocol/rollout-line.js';
import { IMAGE_ONLY } from './content.js';
import { formatInstant } from './instant.js';
import type { ThreadFacts } from './thread-facts.js';

export interface GitInfo {
  readonly sha: string | null;
  readonly branch: string | null;
  readonly originUrl: string | null;
}

/** Why a file is not in the default list. The first reason that fits is the one that counts. */
export const HIDDEN_REASONS = [
  'not-a-file',
  'link-outside-home',
  'foreign-name',
  'unreadable',
  'empty',
  'no-session-meta',
  'compressed-twin',
  'segment',
  'duplicate',
  'internal',
  'child',
  'archived',
] as const;

export type HiddenReason = (typeof HIDDEN_REASONS)[number];

/** Instants are ISO 8601 UTC with milliseconds; what is not known is null. */
export interface ThreadRow {
  /** Null only for a file from which no id can be had (shown by `list --all`). */
  readonly id: ThreadId | null;
  /** Absolute path of the file that a resume appends to. */
  readonly path: string;
  /** Absolute path of the home. */
  readonly home: string;
  /** First user message, trimmed; empty when there is none. */
  readonly title: string;
  /** The name a user gave the thread. */
  readonly name: string | null;
  readonly preview: string;
  readonly cwd: string | null;
  /** `cli`, `exec`, … or compact JSON such as `{"subagent":{"other":"guardian"}}`. */
  readonly source: string;
  readonly modelProvider: string | null;
  readonly model: string | null;
  readonly reasoningEffort: string | null;
  readonly cliVersion: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archived: boolean;
  readonly archivedAt: string | null;
  readonly hasUserEvent: boolean;
  /** As in the log: a string, objects as compact JSON. */
  readonly sandboxPolicy: string | null;
  readonly approvalMode: string | null;
  readonly memoryMode: string | null;
  readonly tokensUsed: number;
  readonly git: GitInfo | null;
  readonly dialect: Dialect | null;
  /** Sum over all files of the thread. */
  readonly sizeBytes: number;
  readonly forkedFromId: ThreadId | null;
  readonly parentThreadId: ThreadId | null;
  readonly children: readonly ThreadId[];
  readonly hiddenReason: HiddenReason | null;
}

/** What the file system and the other stores of a home know of the file that a row stands for. */
export interface ThreadFile {
  /** Absolute. */
  readonly path: string;
  /** Absolute path of the home. */
  readonly home: string;
  readonly idFromName: ThreadId | null;
  /** Instant in the file name; null when the name has none. */
  readonly createdAtMs: number | null;
  /** Sum over all files of the thread. */
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly archived: boolean;
  readonly archivedAtMs: number | null;
  readonly dialect: Dialect | null;
  /** The last name that `session_index.jsonl` gives the thread. */
  readonly name: string | null;
}

/** What Codex takes a thread for whose log does not say where it was started. */
const DEFAULT_SOURCE = 'vscode';

/** The row of a thread, without its children: only whoever has all threads knows them. */
export function threadRow(facts: ThreadFacts, file: ThreadFile): Omit<ThreadRow, 'children'> {
  const title = facts.title ?? (facts.hasUserEvent ? '' : titleOfItem(facts));
  return {
    id: facts.threadId ?? file.idFromName,
    path: file.path,
    home: file.home,
    title,
    name: nameOf(file.name) ?? nameOf(facts.name),
    preview: previewOf(facts),
    cwd: facts.cwd ?? (facts.contextCwd === '' ? null : facts.contextCwd),
    source: facts.source ?? DEFAULT_SOURCE,
    modelProvider: facts.modelProvider,
    model: facts.model,
    reasoningEffort: facts.reasoningEffort,
    cliVersion: facts.cliVersion,
    createdAt: formatInstant(facts.startedAtMs ?? file.createdAtMs ?? file.mtimeMs),
    updatedAt: formatInstant(facts.updatedAtMs ?? file.mtimeMs),
    archived: file.archived,
    archivedAt: file.archivedAtMs === null ? null : formatInstant(file.archivedAtMs),
    hasUserEvent: facts.hasUserEvent,
    sandboxPolicy: facts.sandboxPolicy,
    approvalMode: facts.approvalMode,
    memoryMode: facts.memoryMode,
    tokensUsed: facts.tokensUsed,
    git: facts.git,
    dialect: file.dialect,
    sizeBytes: file.sizeBytes,
    forkedFromId: facts.forkedFromId,
    parentThreadId: facts.parentThreadId,
    hiddenReason: hiddenReasonOf(facts) ?? (file.archived ? 'archived' : null),
  };
}

/** Why the thread as such is kept from the default list; null for a root thread. Files may be hidden for other reasons. */
export function hiddenReasonOf(facts: ThreadFacts): 'internal' | 'child' | null {
  const { source, threadSource } = facts;
  if (threadSource === 'memory_consolidation') return 'internal';
  if (source?.startsWith('{')) {
    if (INTERNAL_SOURCES.some((internal) => source.startsWith(internal))) return 'internal';
    if (source.startsWith('{"subagent":')) return 'child';
  }
  return threadSource === 'subagent' || facts.parentThreadId !== null ? 'child' : null;
}

/** Compact JSON of sources that stand for work of the client itself. */
const INTERNAL_SOURCES: readonly string[] = [
  '{"internal":',
  '{"subagent":"memory_consolidation"',
  '{"subagent":{"other":"memory_consolidation"',
  '{"subagent":{"other":"guardian"',
  '{"subagent":"guardian"',
];

function nameOf(name: string | null): string | null {
  const trimmed = name?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function titleOfItem(facts: ThreadFacts): string {
  return facts.itemTitle === null || facts.itemTitle === IMAGE_ONLY ? '' : facts.itemTitle;
}

function previewOf(facts: ThreadFacts): string {
  if (facts.goalFirst && facts.goal !== null) return facts.goal;
  return facts.firstUserMessage ?? facts.goal ?? facts.itemTitle ?? '';
}
