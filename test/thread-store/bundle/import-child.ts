/** What a child process of the kill test does: imports a bundle, dying at its n-th change of the disk. */
import { promises } from 'node:fs';
import { importInto } from './bundle-homes.js';

const [home = '', bundle = '', steps = '0'] = process.argv.slice(2);
let left = Number(steps);

function step(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

/** Dies before the change, or after it, in turn. */
function mortal<A extends readonly unknown[], R>(change: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    step();
    const result = await change(...args);
    step();
    return result;
  };
}

const { open, link, rm, unlink } = promises;
Object.assign(promises, { open: mortal(open), link: mortal(link), rm: mortal(rm), unlink: mortal(unlink) });
await importInto(home, bundle);
