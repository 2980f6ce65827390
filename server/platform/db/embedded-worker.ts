/**
 * The thread of the embedded database. Each connection is a port that carries PostgreSQL's wire
 * protocol in whole messages. A new connection ends the previous one. Null closes the database and
 * ends the thread.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { refuseLostLog } from './acknowledged.ts';
import { DurableFolder, removeFlushedMark } from './durable-folder.ts';
import { type ThreadReply, joined, type ThreadData } from './embedded.ts';

if (parentPort !== null) await serve(parentPort, workerData as ThreadData);

async function serve(
  answers: MessagePort,
  { dir, image, flushed, acceptedLoss = null }: ThreadData,
): Promise<void> {
  // Reads as much log as there is since the last checkpoint: the server answers calls meanwhile.
  if (dir !== null && flushed !== null) refuseLostLog(dir, acceptedLoss);
  const folder = dir === null || flushed === null ? null : new DurableFolder(dir, flushed);
  if (dir !== null && folder === null) removeFlushedMark(dir);
  const pglite = await PGlite.create({
    ...(folder === null
      ? dir !== null && { dataDir: dir }
      : { fs: folder, startParams: getFlushingParameters() }),
    ...(image === null ? {} : { loadDataDir: image }),
  });
  // What made or restored the database, and a process that ran without flushing, left unflushed.
  folder?.flushAll();
  let now: MessagePort | null = null;
  let last = Promise.resolve();
  /** Runs work in sequence. An error here that is not a statement's own error ends the thread. */
  const then = (work: () => Promise<void>): void => void (last = last.then(work));
  answers.on('message', (port: MessagePort | null) => {
    then(async () => {
      now?.close();
      now = port;
      if (port === null) {
        await pglite.close();
        folder?.flush();
        answers.close();
        return;
      }
      // All connections share one session, so discard what the previous one left open.
      await pglite.exec('rollback');
      await pglite.exec('discard all');
    });
    port?.on('message', (bytes: Uint8Array) => {
      then(async () => {
        if (now === port) await answer(port, bytes);
      });
    });
  });
  answers.postMessage('open', []);

  async function answer(port: MessagePort, bytes: Uint8Array): Promise<void> {
    const parts: Uint8Array[] = [];
    // Each result is a view of the database's memory, which the database reuses.
    await pglite.execProtocolRawStream(bytes, {
      onRawData: (part) => void parts.push(part.slice()),
    });
    const whole = joined(parts);
    const broken = isBroken(whole);
    const message: ThreadReply = { bytes: whole, unflushed: folder?.getUnflushed() ?? null };
    port.postMessage(message, [whole.buffer]);
    // After a PANIC (for example, when the write-ahead log finds no space) no request returns. Only
    // reopening the files helps.
    if (broken) throw new Error('The embedded database failed and must be reopened.');
  }
}

/**
 * PGlite's own parameters but `-F`, which turns flushing off. Flushes by `fdatasync` would not reach
 * the folder.
 */
function getFlushingParameters(): string[] {
  return [
    ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
    '-c',
    'wal_sync_method=fsync',
    // Limits the old log files that PostgreSQL recycles. `limitLog` makes the checkpoints.
    '-c',
    'max_wal_size=256MB',
  ];
}

/**
 * Returns whether the answer holds an error after which PostgreSQL ends the session (FATAL) or the
 * whole server (PANIC). A message is a letter, a length and that many bytes.
 */
function isBroken(bytes: Uint8Array<ArrayBuffer>): boolean {
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 5 <= bytes.length; at += 1 + view.getInt32(at + 1)) {
    if (view.getUint8(at) !== ERROR_RESPONSE) continue;
    const fields = new TextDecoder()
      .decode(bytes.subarray(at + 5, at + 1 + view.getInt32(at + 1)))
      .split('\0');
    if (fields.some((field) => field === 'VPANIC' || field === 'VFATAL')) return true;
  }
  return false;
}
const ERROR_RESPONSE = 'E'.charCodeAt(0);
