import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Ms } from '#contract/ids.ts';
import type { Clock } from '../app-context.ts';
import { LostLog, openAcknowledged } from './acknowledged.ts';
import { type FlushedPosition, makeFlushedPosition, type Unflushed } from './durable-folder.ts';
import { type LogFlush, makeLogFlush } from './log-flush.ts';
import type { SpaceWatch } from './space.ts';

/**
 * `dir` null: in memory. `image`: a database folder from `dumpDataDir` to start from. `flushes`:
 * whether a database in a folder is flushed to disk. `acceptedLoss`: see `refuseLostLog`.
 */
export interface EmbeddedLocation {
  readonly dir: string | null;
  readonly image: Blob | null;
  readonly flushes: boolean;
  readonly acceptedLoss?: string | null;
}

/** What the thread starts with. `flushed` null: it doesn't flush. */
export interface ThreadData extends Pick<EmbeddedLocation, 'dir' | 'image' | 'acceptedLoss'> {
  readonly flushed: FlushedPosition | null;
}

/** What the thread answers to each message. */
export interface ThreadReply {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly unflushed: Unflushed | null;
}

export interface Embedded {
  /**
   * Returns a connection that `pg` accepts as a socket. There is one session, so a new connection
   * ends the previous one. While the thread is down, the connection counts as lost.
   */
  connect(): Duplex;
  /**
   * Sets how long one message may take. If one takes longer, the thread counts as hung and is
   * restarted.
   */
  allow(ms: Ms): void;
  /**
   * Resolves when everything that earlier answers depend on is on disk, if the database flushes.
   * @throws if the disk fails, or the thread has ended.
   */
  finishFlush(): Promise<void>;
  /** Resolves when pending work is done and the database is closed. */
  close(): Promise<void>;
}

/**
 * `stopped`: the thread ended unexpectedly or could not restart; the argument is the wait until the
 * next restart, or null if there is none. `again`: the thread is running again.
 */
export interface EmbeddedWatch {
  readonly clock: Clock;
  /** Watches the disk of a database in a folder. */
  readonly space: Pick<SpaceWatch, 'look' | 'makeRoom'> | null;
  stopped(why: unknown, againInMs: Ms | null): void;
  again(): void;
}

/**
 * The time limit of a call (`CALL_LIMITS`): by then the caller has got an answer that says to
 * retry.
 */
export const MESSAGE_MS: Ms = 30_000;
/**
 * For statements that read or write a whole database: migrations, backups, rebuilds, reports over
 * years.
 */
export const LONG_MESSAGE_MS: Ms = 15 * 60_000;

/**
 * Restart waits: each repeated failure doubles the wait, and a thread that ran for `STOOD_MS`
 * resets it.
 */
const FIRST_MS: Ms = 250;
const MAX_MS: Ms = 30_000;
const STOOD_MS: Ms = 60_000;
/**
 * How often the disk is checked while a database waits for its restart, and how much more space
 * triggers a restart at once.
 */
const LOOK_MS: Ms = 1_000;
const MORE_BYTES = 1024 * 1024;

/**
 * Opens the embedded database in its own thread, so that its work doesn't block the server's.
 * Throws if it can't be opened.
 *
 * If the thread ends unexpectedly, every connection is lost and pending queries fail as with a lost
 * connection. A database in a folder is then restarted. This is as safe as a start after a crash of
 * the process: the thread and its file handles are gone before the next one starts, this process
 * still owns the folder's lock, and the write-ahead log restores what was committed. Ending the
 * process instead would stop pages and streams, and there may be no supervisor to restart it. A
 * database in memory is lost with its thread and is not restarted.
 */
export async function openEmbedded(
  place: EmbeddedLocation,
  watch: EmbeddedWatch,
): Promise<Embedded> {
  let thread: Thread | null = null;
  let wire: Wire | null = null;
  let closing = false;
  let failures = 0;
  let messageMs: Ms = MESSAGE_MS;
  let waiting: { cancel(): void } | null = null;
  let beginning: Promise<void> = Promise.resolve();
  let ending: Promise<void> = Promise.resolve();
  let why: unknown = null;
  // `getTransientError` recognizes a lost connection by these words.
  const lost = (): Error =>
    new Error('Connection terminated: the embedded database has stopped', { cause: why });

  async function begin(from: EmbeddedLocation): Promise<void> {
    const one = await openThread(from);
    const since = watch.clock.now();
    thread = one;
    ending = until(one, since);
  }

  async function until(one: Thread, since: Ms): Promise<void> {
    const reason = await one.ended;
    thread = null;
    const closed = one.logFlush?.close();
    why = reason;
    if (!closing) wire?.destroy(lost());
    await closed;
    if (closing) return;
    if (watch.clock.now() - since >= STOOD_MS) failures = 0;
    fail(reason);
  }

  async function beginAgain(): Promise<void> {
    try {
      await watch.space?.makeRoom();
      await begin({ ...place, image: null });
    } catch (error) {
      if (!closing) fail(error);
      return;
    }
    if (!closing) watch.again();
  }

  function fail(reason: unknown): void {
    if (place.dir === null) return watch.stopped(reason, null);
    const ms = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures, 20));
    failures += 1;
    watch.stopped(reason, ms);
    void wait(ms);
  }

  /** Waits until the time is over, or the disk has more free space than when the thread ended. */
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
      const current = thread;
      wire = new Wire(
        port1,
        watch.clock,
        () => messageMs,
        () => {
          current?.hung(messageMs);
        },
        (end) => current?.logFlush?.add(end),
      );
      if (thread === null) wire.destroy(lost());
      else thread.worker.postMessage(port2, [port2]);
      return wire;
    },
    allow(ms) {
      messageMs = ms;
    },
    async finishFlush() {
      if (thread === null) throw lost();
      await thread.logFlush?.finish();
    },
    async close() {
      closing = true;
      waiting?.cancel();
      await beginning;
      thread?.worker.postMessage(null, []);
      await ending;
    },
  };
}

/**
 * A thread with an open database. `ended` resolves with the reason. `hung` ends a thread that
 * didn't answer in time. `logFlush` null: it doesn't flush.
 */
interface Thread {
  readonly worker: Worker;
  readonly ended: Promise<unknown>;
  readonly logFlush: LogFlush | null;
  hung(ms: Ms): void;
}

const LOST_LOG: LostLog['name'] = 'LostLog';
/** What tools of the system call the thread. */
const THREAD_NAME = 'database';

async function openThread({
  dir,
  image,
  flushes,
  acceptedLoss = null,
}: EmbeddedLocation): Promise<Thread> {
  const flushed = dir !== null && flushes ? makeFlushedPosition() : null;
  const workerData: ThreadData = { dir, image, flushed, acceptedLoss };
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    workerData,
    name: THREAD_NAME,
  });
  let why: unknown = null;
  let over = false;
  worker.on('error', (error) => {
    // Between threads, an error loses its class.
    why = error instanceof Error && error.name === LOST_LOG ? new LostLog(error.message) : error;
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
  const end = (reason: Error): void => {
    why = reason;
    void worker.terminate();
  };
  const logFlush =
    dir === null || flushed === null
      ? null
      : makeLogFlush(flushed, await openAcknowledged(dir), end);
  return {
    worker,
    ended,
    logFlush,
    hung(ms) {
      end(new Error(`The embedded database gave no answer for ${ms} ms.`));
    },
  };
}

/**
 * The parts of a socket that `pg` uses. The thread answers every message, even if with nothing; if
 * it doesn't within `maxMs()`, this calls `hung`. `flushLog` gets the end of the log after each answer
 * that is not on disk yet.
 */
class Wire extends Duplex {
  readonly #port: MessagePort;

  constructor(
    port: MessagePort,
    clock: Clock,
    maxMs: () => Ms,
    hung: () => void,
    flushLog: (end: Unflushed) => void,
  ) {
    // Writes of one turn travel as one message, because each message wakes the other thread.
    let waiting: Uint8Array[] = [];
    let unanswered = 0;
    let deadline: { cancel(): void } | null = null;
    const watch = (): void => {
      deadline?.cancel();
      deadline = unanswered > 0 ? clock.after(maxMs(), hung) : null;
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
      read: () => undefined, // data is pushed as it arrives
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
    port.on('message', ({ bytes, unflushed }: ThreadReply) => {
      unanswered -= 1;
      watch();
      if (unflushed !== null) flushLog(unflushed);
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

/** Joins the parts into a buffer that can be transferred to another thread. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
