/** Whether a process of this host still runs: tells work that died from work that is being done. */

/** Signal 0 asks without sending; "not permitted" means that there is such a process. */
export function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
