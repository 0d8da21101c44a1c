import { existsSync } from 'node:fs';
import { defineConfig } from 'tsdown';

/**
 * One build for the program and the library. Worker entry points are entries of their own, because
 * they are found at run time with `new URL('./<name>.js', import.meta.url)`.
 */
const entries: Record<string, string> = {
  bin: 'src/bin.ts',
  index: 'src/home/index.ts',
  protocol: 'src/protocol/index.ts',
  projection: 'src/projection/index.ts',
  store: 'src/thread-store/index.ts',
  'store-contract': 'src/thread-store/contract/index.ts',
  'scan-worker': 'src/thread-store/local/scan/scan-worker.ts',
};

/**
 * What every command that looks at an index loads, `list` first of all: one file of it loads in less time than forty.
 * Nothing that reads or masks a log is in it.
 */
const CORE = new RegExp(
  [
    'base/(address|errors|ids|json|visible-text)',
    'platform/(files/[^/]+|sqlite/[^/]+|next-turn)',
    'projection/(instant|thread-row|content)',
    'redaction/version',
    'rollout/(paths|walk)',
    'state/([^/]+|migrations/[^/]+|search/[^/]+|logs/(0001-logs\\.sql|bounds|log-entry|log-queries|log-store|log-writer|migrations|open-logs|logs-database|prune))',
    'thread-store/[^/]+',
    'thread-store/local/(local-session-reader|index/(file-changes|index-handle|index-log|index-notes|indexer)|scan/scan-workers|thread/(logged-folder|thread-files))',
    'home/(open-homes|locate|home-set|diagnostics|program-log)',
    'cli/(as-called|command-spec|commands|context|failure|file-reference|help|json-document|local-time|main|nearest)',
    'cli/(node-context|output|paged|palette|parse-invocation|progress|reference|run|shell-quote|time-span|verb-log|verbs)',
    'cli/(picker/wants-picker|verbs/list)',
  ]
    .map((part) => `/src/${part}\\.ts$`)
    .join('|'),
);

const common = {
  entry: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file))),
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  fixedExtension: false,
  outDir: 'dist',
  deps: { neverBundle: ['better-sqlite3', 'koffi'] },
  sourcemap: false,
} as const;

/** Types by themselves: how the code is cut into files is no matter of theirs. */
const withTypes = process.env['CODICIL_BUILD_TYPES'] !== '0';

export default defineConfig([
  {
    ...common,
    dts: false,
    clean: true,
    outputOptions: { codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'core', test: CORE }] } },
  },
  ...(withTypes ? [{ ...common, dts: { emitDtsOnly: true }, clean: false }] : []),
]);
