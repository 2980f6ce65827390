import { Worker } from 'node:worker_threads';
import type { Bytes, Ms } from '#contract/ids.ts';
import type { Clock } from '#server/platform/app-context.ts';
import { makeQueue } from '#server/platform/http/concurrency.ts';
import type { ThreadAnswer } from './mail-thread.ts';
import type { ReadMail } from './read-mail.ts';

/** `refused`: it can't be read. `busy`: too many others wait. */
export type MailResult =
  | { readonly is: 'read'; readonly mail: ReadMail }
  | { readonly is: 'refused' | 'busy' };

export interface MailReader {
  read(mime: Uint8Array<ArrayBuffer>): Promise<MailResult>;
}

export interface MailReaderLimits {
  readonly timeoutMs: Ms;
  readonly memoryMb: number;
  /** The thread's program. */
  readonly script: URL;
}
/** Larger mails are downloaded. The parser needs several times as much memory. */
export const MAX_PREVIEW_BYTES: Bytes = 50 << 20;

const LIMITS: MailReaderLimits = {
  timeoutMs: 60_000,
  memoryMb: 512,
  script: new URL('./mail-thread.ts', import.meta.url),
};
const BATCH_SIZE = 2;
const WAITING = 32;
const REFUSED = { is: 'refused' } as const;

/** Reads mails in threads (G67). One stays at hand, since starting it takes longer than most mails. */
export function makeMailReader(
  { clock }: { readonly clock: Clock },
  limits: Partial<MailReaderLimits> = {},
): MailReader {
  const { timeoutMs, memoryMb, script } = { ...LIMITS, ...limits };
  const queue = makeQueue(BATCH_SIZE, WAITING);
  let idle: Worker | null = null;

  function start(): Worker {
    const thread = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    // Without a listener, its end would end the server.
    thread.on('error', () => undefined);
    thread.once('exit', () => {
      if (idle === thread) idle = null;
    });
    return thread;
  }

  function takeThread(): Worker {
    const thread = idle ?? start();
    idle = null;
    thread.ref();
    return thread;
  }

  function giveBack(thread: Worker): void {
    if (idle !== null) return void thread.terminate();
    idle = thread;
    thread.unref();
  }

  const readInThread = (mime: Uint8Array<ArrayBuffer>): Promise<MailResult> => {
    const thread = takeThread();
    return new Promise((resolve) => {
      const timer = clock.after(timeoutMs, () => {
        void thread.terminate();
        end(REFUSED);
      });
      function end(result: MailResult): void {
        timer.cancel();
        thread.off('message', onMail);
        thread.off('exit', onExit);
        resolve(result);
      }
      function onMail(mail: ThreadAnswer): void {
        end(mail === null ? REFUSED : { is: 'read', mail });
        giveBack(thread);
      }
      function onExit(): void {
        end(REFUSED);
      }
      thread.once('message', onMail);
      thread.once('exit', onExit);
      thread.postMessage(mime, [mime.buffer]);
    });
  };

  return {
    read: (mime) => queue.run(() => readInThread(mime)) ?? Promise.resolve({ is: 'busy' }),
  };
}
