/**
 * What a child process of the kill test does: one verb on a home and its index, dying at the n-th touch of a file (0:
 * never by itself). Says on stdout `ready`, then `done`.
 */
import type { FileSystem } from '../../src/platform/files/file-system.js';
import { nodeFileSystem } from '../../src/platform/files/node-file-system.js';
import { openReader } from './temp-home.js';

const [verb, home = '', index = '', touches = '0'] = process.argv.slice(2);
const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);

let left = Number(touches);
function touch(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

const files: FileSystem = {
  ...nodeFileSystem,
  lstatSync: (path) => {
    touch();
    return nodeFileSystem.lstatSync(path);
  },
  openRegularSync: (path) => {
    touch();
    return nodeFileSystem.openRegularSync(path);
  },
  openRegular: async (path, options) => {
    touch();
    return nodeFileSystem.openRegular(path, options);
  },
  readDirectory: async (path, options) => {
    touch();
    return nodeFileSystem.readDirectory(path, options);
  },
};

const reader = openReader(home, {
  index,
  files,
  clock: () => {
    touch();
    return performance.now();
  },
});
say('ready');
switch (verb) {
  case 'list':
    await reader.list({ indexBudgetMs: Number.POSITIVE_INFINITY });
    break;
  case 'search':
    await reader.search({ text: 'word' });
    break;
  case 'rebuild':
    await reader.rebuild({});
    break;
  case 'prove':
    await reader.rebuild({ prove: true });
    break;
  default:
    throw new Error(`Unknown verb: ${verb}`);
}
await reader.close();
say('done');
