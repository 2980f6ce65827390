import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Ms } from '#contract/ids.ts';
import type { Clock } from '../app-context.ts';
import type { SpaceWatch } from './space.ts';

/** `dir` null: in memory. `image`: a database folder as `dumpDataDir` gives it, to start from. */
export interface Place {
  readonly dir: string | null;
  readonly image: Blob | null;
}

export interface Embedded {
  /**
   * A connection, as `pg` takes one for a socket. There is one session: a new connection ends the
   * one before. While the thread is away it is a lost one.
   */
  connect(): Duplex;
  /**
   * How long one message may take from now on. One that takes longer is taken for hanging: its
   * thread is ended and begun again.
   */
  allow(ms: Ms): void;
  /** Ends when what was asked before is done and the database is closed. */
  close(): Promise<void>;
}

/**
 * `stopped`: the thread ended by itself, or could not be begun again; it is begun in so long, or
 * not any more. `again`: it is there again.
 */
export interface Watch {
  readonly clock: Clock;
  /** The disk of a database in a folder. */
  readonly space: Pick<SpaceWatch, 'look' | 'makeRoom'> | null;
  stopped(why: unknown, againInMs: Ms | null): void;
  again(): void;
}

/**
 * As long as a call may take (`CALL_LIMITS`): by then the caller has an answer to retry.
 */
export const MESSAGE_MS: Ms = 30_000;
/**
 * For statements that read or write a whole database: steps of the tables, backups, rebuilds,
 * reports over years.
 */
export const LONG_MESSAGE_MS: Ms = 15 * 60_000;

/**
 * One that keeps on stopping is begun again ever later; one that stood for `STOOD_MS` counts as
 * sound.
 */
const FIRST_MS: Ms = 250;
const MOST_MS: Ms = 30_000;
const STOOD_MS: Ms = 60_000;
/**
 * How often the disk is checked while a database waits for its restart, and how much more space
 * triggers a restart at once.
 */
const LOOK_MS: Ms = 1_000;
const MORE_BYTES = 1024 * 1024;

/**
 * Opens the embedded database in a thread of its own, so that its work stands beside that of the
 * server. Throws where it cannot be opened.
 *
 * A thread that ends by itself takes every connection with it: what is asked fails as with a lost
 * connection. The database in a folder is then begun again. That is safe, for it is what happens
 * after the process was killed: the thread and its files are gone before the next one begins, the
 * lock of the folder is still this process's, and the log of the database gives back what was
 * committed. To end the process instead would take away pages and streams, for whom no supervisor
 * may be there. A database in memory is gone with its thread, and stays away.
 */
export async function openEmbedded(place: Place, watch: Watch): Promise<Embedded> {
  let thread: Thread | null = null;
  let wire: Wire | null = null;
  let closing = false;
  let failures = 0;
  let messageMs: Ms = MESSAGE_MS;
  let waiting: { cancel(): void } | null = null;
  let beginning: Promise<void> = Promise.resolve();
  let why: unknown = null;
  // The words are those by which a lost connection is known.
  const lost = (): Error =>
    new Error('Connection terminated: the embedded database has stopped', { cause: why });

  async function begin(from: Place): Promise<void> {
    const one = await openThread(from);
    const since = watch.clock.now();
    thread = one;
    void until(one, since);
  }

  async function until(one: Thread, since: Ms): Promise<void> {
    const reason = await one.ended;
    thread = null;
    if (closing) return;
    why = reason;
    wire?.destroy(lost());
    if (watch.clock.now() - since >= STOOD_MS) failures = 0;
    fail(reason);
  }

  async function beginAgain(): Promise<void> {
    try {
      await watch.space?.makeRoom();
      await begin({ dir: place.dir, image: null });
    } catch (error) {
      if (!closing) fail(error);
      return;
    }
    if (!closing) watch.again();
  }

  function fail(reason: unknown): void {
    if (place.dir === null) return watch.stopped(reason, null);
    const ms = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures, 20));
    failures += 1;
    watch.stopped(reason, ms);
    void wait(ms);
  }

  /** Until the time is over, or there is more space on the disk than when the thread ended. */
  async function wait(ms: Ms): Promise<void> {
    const before = await freeBytes();
    const step = (left: Ms): void => {
      if (closing) return;
      waiting = watch.clock.after(Math.min(left, LOOK_MS), () => {
        waiting = null;
        beginning = (async () => {
          if (left > LOOK_MS && (await freeBytes()) < before + MORE_BYTES) step(left - LOOK_MS);
          else if (!closing) await beginAgain();
        })();
      });
    };
    step(ms);
  }

  const freeBytes = async (): Promise<number> =>
    (await watch.space?.look().catch(() => null))?.freeBytes ?? 0;

  await watch.space?.makeRoom();
  await begin(place);
  return {
    connect() {
      wire?.destroy(lost());
      const { port1, port2 } = new MessageChannel();
      const asked = thread;
      wire = new Wire(
        port1,
        watch.clock,
        () => messageMs,
        () => {
          asked?.hung(messageMs);
        },
      );
      if (thread === null) wire.destroy(lost());
      else thread.worker.postMessage(port2, [port2]);
      return wire;
    },
    allow(ms) {
      messageMs = ms;
    },
    async close() {
      closing = true;
      waiting?.cancel();
      await beginning;
      thread?.worker.postMessage(null, []);
      await thread?.ended;
    },
  };
}

/**
 * A thread whose database is open. `ended` is why it ended. `hung` ends one that did not answer in
 * the given time.
 */
interface Thread {
  readonly worker: Worker;
  readonly ended: Promise<unknown>;
  hung(ms: Ms): void;
}

async function openThread(place: Place): Promise<Thread> {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    workerData: place,
  });
  let why: unknown = null;
  let over = false;
  worker.on('error', (error) => {
    why = error;
  });
  const ended = new Promise<unknown>(
    (resolve) =>
      void worker.once('exit', () => {
        over = true;
        resolve(why);
      }),
  );
  await Promise.race([once(worker, 'message').catch(() => ended), ended]);
  if (over) throw why ?? new Error('The embedded database ended while it was opened.');
  return {
    worker,
    ended,
    hung(ms) {
      why = new Error(`The embedded database gave no answer for ${ms} ms.`);
      void worker.terminate();
    },
  };
}

/**
 * A socket, as far as `pg` uses one. The thread answers every message, if only with nothing; `hung`
 * is called where it does not within `mostMs()`.
 */
class Wire extends Duplex {
  readonly #port: MessagePort;

  constructor(port: MessagePort, clock: Clock, mostMs: () => Ms, hung: () => void) {
    // What is given in one go travels as one message: each wakes the other thread.
    let waiting: Uint8Array[] = [];
    let unanswered = 0;
    let deadline: { cancel(): void } | null = null;
    const watch = (): void => {
      deadline?.cancel();
      deadline = unanswered > 0 ? clock.after(mostMs(), hung) : null;
    };
    const flush = (): void => {
      const whole = joined(waiting);
      waiting = [];
      port.postMessage(whole, [whole.buffer]);
      if (++unanswered === 1) watch();
    };
    const give = (chunk: Uint8Array): void => {
      if (waiting.push(chunk) === 1) process.nextTick(flush);
    };
    super({
      allowHalfOpen: false,
      read: () => undefined, // what comes is pushed
      write(chunk: Uint8Array, _encoding, done) {
        give(chunk);
        done();
      },
      writev(chunks, done) {
        for (const { chunk } of chunks as readonly { readonly chunk: Uint8Array }[]) give(chunk);
        done();
      },
      final(done) {
        this.push(null);
        done();
      },
      destroy(error, done) {
        deadline?.cancel();
        port.close();
        done(error);
      },
    });
    this.#port = port;
    port.on('message', (bytes: Uint8Array) => {
      unanswered -= 1;
      watch();
      if (bytes.length > 0)
        this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    });
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  ref(): this {
    this.#port.ref();
    return this;
  }
  unref(): this {
    this.#port.unref();
    return this;
  }
}

/** In bytes that can be given away to another thread. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
