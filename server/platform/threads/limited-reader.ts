import { Worker } from 'node:worker_threads';
import type { Ms } from '#contract/ids.ts';
import type { Clock } from '../app-context.ts';
import { makeQueue } from '../http/concurrency.ts';

/** `refused`: it can't be read. `busy`: too many others wait. */
export type ThreadResult<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused' | 'busy' };

/** Reads bytes of strangers in threads, each with little memory and time (G67). */
export interface LimitedReader<T> {
  /** The bytes are transferred: the caller can't read them afterwards. */
  read(bytes: Uint8Array<ArrayBuffer>): Promise<ThreadResult<T>>;
}

export interface ThreadLimits {
  readonly timeoutMs: Ms;
  readonly memoryMb: number;
  /** The thread's program. It answers each message with what it read; null: it can't be read. */
  readonly script: URL;
  readonly maxRunning: number;
  readonly maxWaiting: number;
}

const REFUSED = { kind: 'refused' } as const;

/** As many threads as run at a time stay ready, since starting one takes longer than most reads. */
export function makeLimitedReader<T>(
  { clock }: { readonly clock: Clock },
  { timeoutMs, memoryMb, script, maxRunning, maxWaiting }: ThreadLimits,
): LimitedReader<T> {
  const queue = makeQueue(maxRunning, maxWaiting);
  const idle: Worker[] = [];

  function start(): Worker {
    const thread = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    // Without a listener, its end would end the server.
    thread.on('error', () => undefined);
    thread.once('exit', () => {
      const at = idle.indexOf(thread);
      if (at >= 0) idle.splice(at, 1);
    });
    return thread;
  }

  function takeThread(): Worker {
    const thread = idle.pop() ?? start();
    thread.ref();
    return thread;
  }

  function giveBack(thread: Worker): void {
    idle.push(thread);
    thread.unref();
  }

  const readInThread = (bytes: Uint8Array<ArrayBuffer>): Promise<ThreadResult<T>> => {
    const thread = takeThread();
    return new Promise((resolve) => {
      const timer = clock.after(timeoutMs, () => {
        void thread.terminate();
        end(REFUSED);
      });
      function end(result: ThreadResult<T>): void {
        timer.cancel();
        thread.off('message', onAnswer);
        thread.off('exit', onExit);
        resolve(result);
      }
      function onAnswer(value: T | null): void {
        end(value === null ? REFUSED : { kind: 'read', value });
        giveBack(thread);
      }
      function onExit(): void {
        end(REFUSED);
      }
      thread.once('message', onAnswer);
      thread.once('exit', onExit);
      thread.postMessage(bytes, [bytes.buffer]);
    });
  };

  return {
    read: (bytes) => queue.run(() => readInThread(bytes)) ?? Promise.resolve({ kind: 'busy' }),
  };
}
