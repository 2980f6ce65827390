import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { Ms } from '#contract/ids.ts';
import { configMessages as t } from '../config.messages.en.ts';
import { flushFile, flushFolder } from '../flush-files.ts';
import { findEarlyEnd, getPositionText } from './log-records.ts';

/**
 * Up to where the write-ahead log of an embedded database was on disk when changes were last
 * acknowledged, in a file beside the log. A damaged record looks like the end of the log to PostgreSQL,
 * which then drops all that follows; only this file tells the two apart.
 */
export interface Acknowledged {
  /** Call after the flush, before the answer. Survives a killed process; on disk within a second. */
  write(position: bigint): Promise<void>;
  close(): Promise<void>;
}

/** The log ends before what was acknowledged. The message is for the operator. */
export class LostLog extends Error {
  override readonly name = 'LostLog';
}

const FILE = 'daybook-acknowledged';
/**
 * In the folder from the moment a loss was accepted until all devices have been asked to reload.
 */
const LOSS = 'daybook-loss';
/** Two places that are written in turn, so that a torn write leaves the other. */
const SLOT_BYTES = 512;
const FLUSH_EVERY_MS: Ms = 1_000;

interface Slot {
  readonly count: number;
  readonly position: number;
}

function readSlot(bytes: Buffer): Slot | null {
  const found = /^((\d+) (\d+)) ([\da-f]{8})\n/.exec(bytes.toString('latin1'));
  if (found === null || getSum(found[1] ?? '') !== found[4]) return null;
  return { count: Number(found[2]), position: Number(found[3]) };
}
const getSum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** Returns the newest; null if there is none. */
function readNewest(dir: string): Slot | null {
  const path = join(dir, FILE);
  if (!fs.existsSync(path)) return null;
  const bytes = fs.readFileSync(path);
  const slots = [0, SLOT_BYTES].flatMap(
    (at) => readSlot(bytes.subarray(at, at + SLOT_BYTES)) ?? [],
  );
  return slots.toSorted((a, b) => b.count - a.count)[0] ?? null;
}

/**
 * Call before the database in the folder is opened. `accepted`: the position after which the operator
 * accepts a loss.
 * @throws LostLog if the log ends before what was acknowledged
 */
export function refuseLostLog(dir: string, accepted: string | null): void {
  const newest = readNewest(dir);
  if (newest === null) return;
  const end = findEarlyEnd(dir, newest.position);
  if (end === null) return;
  const position = getPositionText(end.position);
  if (position !== accepted)
    throw new LostLog(t.logLost({ path: end.file, offset: String(end.offset), position }));
  fs.writeFileSync(join(dir, LOSS), `${position}\n`);
  flushFile(join(dir, LOSS));
  removeAcknowledged(dir);
}

/** Returns whether a loss was accepted and `endLoss` wasn't called since. */
export const hasLoss = (dir: string): boolean => fs.existsSync(join(dir, LOSS));

export function endLoss(dir: string): void {
  fs.rmSync(join(dir, LOSS), { force: true });
  flushFolder(dir);
}

/** Call before the folder is opened without flushing: then nothing says what is on disk. */
export function removeAcknowledged(dir: string): void {
  if (!fs.existsSync(join(dir, FILE))) return;
  fs.rmSync(join(dir, FILE));
  flushFolder(dir);
}

/** Opens the file in the folder of the database, or creates it. */
export async function openAcknowledged(dir: string): Promise<Acknowledged> {
  const path = join(dir, FILE);
  let count = readNewest(dir)?.count ?? 0;
  const isNew = !fs.existsSync(path);
  const fd = await promisify(fs.open)(path, isNew ? 'w+' : 'r+', 0o600);
  if (isNew) flushFolder(dir);
  let flushedAt = 0;
  let flushing: Promise<void> | null = null;
  return {
    async write(position) {
      count += 1;
      const text = `${count} ${position}`;
      const line = Buffer.from(`${text} ${getSum(text)}\n`);
      await write(fd, line, 0, line.length, (count % 2) * SLOT_BYTES);
      const now = performance.now();
      if (flushing !== null || now - flushedAt < FLUSH_EVERY_MS) return;
      flushedAt = now;
      // It delays no answer. If it fails, the flush of the log itself fails, too, and is noticed.
      flushing = flush(fd).catch(() => undefined);
      void flushing.then(() => (flushing = null));
    },
    async close() {
      await flushing;
      await flush(fd).catch(() => undefined);
      await promisify(fs.close)(fd);
    },
  };
}

const write = promisify(fs.write);
const flush = promisify(fs.fdatasync);
