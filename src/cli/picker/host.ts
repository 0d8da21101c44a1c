/**
 * What the picker needs of its process: to be stopped as a shell stops a program, to learn that it goes on,
 * and to put the terminal right when the process ends without asking. Tests pass their own.
 */

export interface Host {
  /** Stops the programs of this job until the shell lets them go on. */
  suspend(): void;
  /** Calls `listener` whenever the process goes on after it was stopped, until the returned function is called. */
  onContinue(listener: () => void): () => void;
  /** Calls `listener`, which must not wait for anything, when the process ends, until the returned function is called. */
  onExit(listener: () => void): () => void;
}

export const processHost: Host = {
  suspend: () => {
    // 0: the whole group, as the terminal itself would; npm and the like stand between this process and the shell.
    process.kill(0, 'SIGTSTP');
  },
  onContinue: (listener) => {
    process.on('SIGCONT', listener);
    return () => process.off('SIGCONT', listener);
  },
  onExit: (listener) => {
    process.on('exit', listener);
    return () => process.off('exit', listener);
  },
};
