import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';

/** `dir` null: in memory. `image`: a database folder as `dumpDataDir` gives it, to start from. */
export interface Place { readonly dir: string | null; readonly image: Blob | null }

export interface Embedded {
  /** A connection, as `pg` takes one for a socket. There is one session: a new connection ends the one before. */
  connect(): Duplex;
  /** Ends when what was asked before is done and the database is closed. */
  close(): Promise<void>;
}

/**
 * Opens the embedded database in a thread of its own, so that its work stands beside that of the server. Throws where it cannot be opened. `onStop`: the
 * thread ended by itself, and every connection with it; what was committed is there when it is opened again.
 */
export async function openEmbedded(place: Place, onStop: (why: unknown) => void): Promise<Embedded> {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: place });
  let opened = false, closing = false, over = false;
  let wire: Wire | null = null;
  let why: unknown = null;
  // The words are those by which a lost connection is known.
  const stopped = (): Error => new Error('Connection terminated: the embedded database has stopped', { cause: why });
  worker.on('error', (error) => { why = error; });
  const ended = new Promise<void>((resolve) => void worker.once('exit', () => {
    over = true;
    resolve();
    if (!opened || closing) return;
    wire?.destroy(stopped());
    onStop(why);
  }));
  await Promise.race([once(worker, 'message').catch(() => ended), ended]);
  if (over) throw why ?? new Error('The embedded database ended while it was opened.');
  opened = true;
  return {
    connect() {
      wire?.destroy(stopped());
      const { port1, port2 } = new MessageChannel();
      wire = new Wire(port1);
      if (over) wire.destroy(stopped());
      else worker.postMessage(port2, [port2]);
      return wire;
    },
    async close() {
      closing = true;
      worker.postMessage(null, []);
      await ended;
    },
  };
}

/** A socket, as far as `pg` uses one. */
class Wire extends Duplex {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    // What is given in one go travels as one message: each wakes the other thread.
    let waiting: Uint8Array[] = [];
    const flush = (): void => {
      const whole = joined(waiting);
      waiting = [];
      port.postMessage(whole, [whole.buffer]);
    };
    const give = (chunk: Uint8Array): void => {
      if (waiting.push(chunk) === 1) process.nextTick(flush);
    };
    super({
      allowHalfOpen: false,
      read: () => undefined, // what comes is pushed
      write(chunk: Uint8Array, _encoding, done) { give(chunk); done(); },
      writev(chunks, done) { for (const { chunk } of chunks as readonly { readonly chunk: Uint8Array }[]) give(chunk); done(); },
      final(done) { this.push(null); done(); },
      destroy(error, done) { port.close(); done(error); },
    });
    this.#port = port;
    port.on('message', (bytes: Uint8Array) => void this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }
  setNoDelay(): this { return this; }
  ref(): this { this.#port.ref(); return this; }
  unref(): this { this.#port.unref(); return this; }
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
