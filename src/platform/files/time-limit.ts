/**
 * A time limit for operations that cannot be cancelled, such as a `readdir` on a dead mount.
 * The operation itself goes on in its thread; only the wait for it ends.
 */
import { FileAccessError } from './file-system.js';

export interface TimeLimitOptions {
  readonly timeLimitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves as `operation` does, or rejects with `time-limit` after `timeLimitMs`, or with the signal's reason.
 * A result that comes later goes to `onLate` (which closes a handle, say), else it is dropped.
 */
export function withTimeLimit<T>(
  operation: Promise<T>,
  path: string,
  options: TimeLimitOptions,
  onLate?: (value: T) => void,
): Promise<T> {
  const { timeLimitMs, signal } = options;
  if (signal?.aborted) {
    operation.then(onLate, () => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise<T>((resolve, reject) => {
    let waiting = true;
    const end = (): void => {
      waiting = false;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      end();
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      end();
      reject(
        new FileAccessError(
          'time-limit',
          `Cannot read ${JSON.stringify(path)}: no answer within ${timeLimitMs} ms`,
          path,
        ),
      );
    }, timeLimitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    operation.then(
      (value) => {
        if (!waiting) return onLate?.(value);
        end();
        resolve(value);
      },
      (error: unknown) => {
        // An error after the wait has ended has nobody left to tell: the caller already got the time limit.
        if (!waiting) return;
        end();
        reject(error);
      },
    );
  });
}
