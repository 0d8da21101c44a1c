/** Gives the event loop a turn, so that long work sees an interrupt and lets others go on. Resolves in the next one. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
