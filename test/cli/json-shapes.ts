/** The keys of every `--json` document of this release, in order: a contract. Keys may be added, never renamed. */

const ITEM = ['type', 'role', 'text', 'line', 'path', 'origin'] as const;

/** Each heading of docs/json.md with the keys below it. */
export const SHAPES = {
  homes: ['homes'],
  home: ['path', 'kind', 'own', 'threads', 'bytes', 'index'],
  index: ['state', 'indexed', 'files', 'unreadableFolders'],
  list: ['threads', 'nextCursor', 'total', 'hidden', 'index'],
  thread: [
    'id',
    'path',
    'home',
    'title',
    'name',
    'preview',
    'cwd',
    'source',
    'modelProvider',
    'model',
    'reasoningEffort',
    'cliVersion',
    'createdAt',
    'updatedAt',
    'archived',
    'archivedAt',
    'hasUserEvent',
    'sandboxPolicy',
    'approvalMode',
    'memoryMode',
    'tokensUsed',
    'git',
    'dialect',
    'sizeBytes',
    'forkedFromId',
    'parentThreadId',
    'children',
    'hiddenReason',
  ],
  git: ['sha', 'branch', 'originUrl'],
  show: ['thread', 'turns', 'parse'],
  turn: ['id', 'status', 'startedAt', 'completedAt', 'items'],
  item: ITEM,
  'show --jsonl': ['turn', 'turnId', ...ITEM],
  parse: ['lines', 'records', 'errors'],
  'parse error': ['line', 'byteOffset', 'kind', 'message', 'path'],
  history: ['threadId', 'items'],
  verify: ['files'],
  file: ['path', 'dialect', 'lines', 'records', 'unknown', 'errors', 'tornTail', 'ok'],
  'file error': ['line', 'byteOffset', 'kind', 'message'],
  'unknown type': ['line', 'type'],
  'decoded line': ['line', 'outcome', 'type', 'variant', 'display', 'persisted', 'reason'],
  persisted: ['legacy', 'paginated'],
  summary: ['policy', 'lines', 'decoded', 'skipped', 'refused', 'unknown', 'failed', 'parseErrors', 'opens'],
  open: ['threadId', 'home', 'argv', 'cwd', 'env'],
  rebuild: ['threads', 'messages', 'bytes', 'tookMs', 'equal', 'differences'],
  error: ['code', 'message', 'path', 'line', 'hint', 'candidates'],
  candidate: ['id', 'path', 'title', 'name', 'updatedAt', 'home'],
} as const;

/** Keys that are left out when they do not apply. */
export const OPTIONAL_KEYS: readonly string[] = ['unreadableFolders', 'equal', 'differences'];

/** The keys of a shape without those that are left out. */
export function keysOf(shape: keyof typeof SHAPES): readonly string[] {
  return SHAPES[shape].filter((key) => !OPTIONAL_KEYS.includes(key));
}
