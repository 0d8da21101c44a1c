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
  'scan-worker': 'src/thread-store/local/scan/scan-worker.ts',
};

export default defineConfig({
  entry: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file))),
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: process.env['CODICIL_BUILD_TYPES'] !== '0',
  fixedExtension: false,
  clean: true,
  outDir: 'dist',
  deps: { neverBundle: ['better-sqlite3'] },
  sourcemap: false,
});
