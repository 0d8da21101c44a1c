/** The program of the kill matrix of the lifecycle: one operation on thread 1 of the home below a folder; says `done`. */
import { join } from 'node:path';
import {
  archiveThread,
  compressThread,
  decompressThread,
  emptyTrash,
  purgeThread,
  restoreThread,
  trashThread,
  unarchiveThread,
} from '../../src/thread-store/local/lifecycle/index.js';
import { options, placesOf, threadId } from '../thread-store/lifecycle/lifecycle-home.js';

const [verb, folder = ''] = process.argv.slice(2);
const home = join(folder, 'home');
const thread = options(home, threadId(1));

switch (verb) {
  case 'archive':
    await archiveThread(thread);
    break;
  case 'unarchive':
    await unarchiveThread(thread);
    break;
  case 'compress':
    await compressThread(thread);
    break;
  case 'decompress':
    await decompressThread(thread);
    break;
  case 'trash':
    await trashThread({ ...thread, title: 'Hello' });
    break;
  case 'restore':
    await restoreThread(thread);
    break;
  case 'empty-trash':
    await emptyTrash({ ownHome: home, files: thread.files });
    break;
  case 'purge':
    await purgeThread({ ...thread, ...placesOf(home) });
    break;
  default:
    throw new Error(`Unknown verb: ${verb}`);
}
process.stdout.write('done\n');
