import type { RunRow } from './rows.ts';
import { SOURCES, STATUSES } from './vocabulary.ts';
import { JOB_TYPES } from './vocabulary.ts';
import type { JobRow } from './rows.ts';

/**
 * Runs as binary columns: the format for transfer and for storage on a device (SYNC-4, COL-1).
 * Little-endian, newest first (start descending, then n descending), 30 bytes per run plus its
 * message:
 *
 * - Header: 0 u32 magic "DBK1", 4 u32 rows, 8 u32 texts, 12 u32 bytes of text, 16 … 31 zero.
 * - u32 n[rows], u32 job[rows], u32 problem[rows] (0 none), u32 start[rows] (seconds since 1970),
 *   u32 elapsed[rows] (s, NONE unknown), u32 bytesLow[rows].
 * - u16 bytesHigh[rows] (bytesLow and bytesHigh all ones: unknown), u16 company[rows], u16
 *   kind[rows], padding to 4.
 * - u32 textRow[texts] (ascending), u32 textEnd[texts], u8 text[…] (concatenated UTF-8 messages),
 *   padding to 4.
 *
 * kind: bits 0–2 status, 3 anomaly, 4–5 managed (0 unknown, 1 no, 2 yes), 6–10 source, 11–14 type
 */
export interface RunColumns {
  readonly rows: number;
  readonly n: Uint32Array;
  readonly job: Uint32Array;
  readonly problem: Uint32Array;
  readonly start: Uint32Array;
  readonly elapsed: Uint32Array;
  readonly bytesLow: Uint32Array;
  readonly bytesHigh: Uint16Array;
  readonly company: Uint16Array;
  readonly kind: Uint16Array;
  readonly textRow: Uint32Array;
  readonly textEnd: Uint32Array;
  readonly text: Uint8Array;
}

export const NONE = 0xffff_ffff;
const NO_HIGH = 0xffff;
const MAGIC = 0x314b_4244; // "DBK1"
const HEAD = 32;

/**
 * The part of a run that columns store: what a list shows and filters by. The rest is loaded when
 * the run is opened.
 */
export interface LeanRun {
  readonly n: number;
  readonly job: number;
  readonly company: number;
  readonly problem: number | null;
  readonly startSec: number;
  readonly elapsedSec: number | null;
  readonly bytes: number | null;
  readonly kind: number;
  readonly message: string | null;
}

export const getKind = (
  run: Pick<RunRow, 'status' | 'anomaly'>,
  job: Pick<JobRow, 'managed' | 'source' | 'type'>,
): number =>
  STATUSES.indexOf(run.status) |
  (run.anomaly.length > 0 ? 1 << 3 : 0) |
  ((job.managed === null ? 0 : job.managed ? 2 : 1) << 4) |
  (SOURCES.indexOf(job.source) << 6) |
  (JOB_TYPES.indexOf(job.type) << 11);

export const statusCode = (kind: number): number => kind & 7;
export const isAnomaly = (kind: number): boolean => (kind & 8) !== 0;
export const managedCode = (kind: number): number => (kind >> 4) & 3;
export const sourceCode = (kind: number): number => (kind >> 6) & 31;
export const typeCode = (kind: number): number => (kind >> 11) & 15;

export const toLeanRun = (
  run: RunRow,
  job: Pick<JobRow, 'managed' | 'source' | 'type'>,
): LeanRun => ({
  n: run.n,
  job: run.job,
  company: run.company,
  problem: run.problem,
  startSec: Math.floor(run.startedAt / 1000),
  elapsedSec: run.durationSec,
  bytes: run.bytes,
  kind: getKind(run, job),
  message: run.message,
});

/** Compares by start, newest first; runs with the same start by number, highest first. */
export const newestFirst = (
  a: Pick<LeanRun, 'startSec' | 'n'>,
  b: Pick<LeanRun, 'startSec' | 'n'>,
): number => b.startSec - a.startSec || b.n - a.n;

/** Encodes runs, which must be sorted newest first. */
export function encodeColumns(runs: readonly LeanRun[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const texts: { row: number; bytes: Uint8Array }[] = [];
  let textBytes = 0;
  runs.forEach((run, row) => {
    if (run.message === null) return;
    const bytes = encoder.encode(run.message);
    texts.push({ row, bytes });
    textBytes += bytes.length;
  });
  const buffer = new ArrayBuffer(getSize(runs.length, texts.length, textBytes));
  new Uint32Array(buffer, 0, 4).set([MAGIC, runs.length, texts.length, textBytes]);
  const c = viewColumns(buffer);
  runs.forEach((run, row) => putRun(c, row, run));
  let end = 0;
  texts.forEach(({ row, bytes }, i) => {
    c.text.set(bytes, end);
    end += bytes.length;
    c.textRow[i] = row;
    c.textEnd[i] = end;
  });
  return new Uint8Array(buffer);
}

/** Writes all fields of a run except its message. */
export function putRun(c: RunColumns, row: number, run: LeanRun): void {
  c.n[row] = run.n;
  c.job[row] = run.job;
  c.problem[row] = run.problem ?? 0;
  c.start[row] = run.startSec;
  c.elapsed[row] = run.elapsedSec ?? NONE;
  c.bytesLow[row] = run.bytes === null ? NONE : run.bytes % 0x1_0000_0000;
  c.bytesHigh[row] = run.bytes === null ? NO_HIGH : Math.floor(run.bytes / 0x1_0000_0000);
  c.company[row] = run.company;
  c.kind[row] = run.kind;
}

const pad4 = (n: number): number => (n + 3) & ~3;
const getSize = (rows: number, texts: number, textBytes: number): number =>
  HEAD + pad4(rows * 30) + texts * 8 + pad4(textBytes);

/**
 * Returns views over the buffer, without copying or decoding.
 *
 * @throws RangeError if the bytes are not a page of columns.
 */
export function viewColumns(buffer: ArrayBuffer): RunColumns {
  if (buffer.byteLength < HEAD) throw new RangeError('columns: too short');
  const [magic, rows = 0, texts = 0, textBytes = 0] = new Uint32Array(buffer, 0, 4);
  if (magic !== MAGIC || buffer.byteLength !== getSize(rows, texts, textBytes))
    throw new RangeError('columns: not a page');
  let at = HEAD;
  const u32 = (count: number): Uint32Array => {
    const view = new Uint32Array(buffer, at, count);
    at += count * 4;
    return view;
  };
  const u16 = (count: number): Uint16Array => {
    const view = new Uint16Array(buffer, at, count);
    at += count * 2;
    return view;
  };
  const n = u32(rows);
  const job = u32(rows);
  const problem = u32(rows);
  const start = u32(rows);
  const elapsed = u32(rows);
  const bytesLow = u32(rows);
  const bytesHigh = u16(rows);
  const company = u16(rows);
  const kind = u16(rows);
  at = pad4(at);
  const textRow = u32(texts);
  const textEnd = u32(texts);
  return {
    rows,
    n,
    job,
    problem,
    start,
    elapsed,
    bytesLow,
    bytesHigh,
    company,
    kind,
    textRow,
    textEnd,
    text: new Uint8Array(buffer, at, textBytes),
  };
}

export const bytesAt = (c: RunColumns, row: number): number | null => {
  const high = c.bytesHigh[row] ?? 0;
  const low = c.bytesLow[row] ?? 0;
  return high === NO_HIGH && low === NONE ? null : high * 0x1_0000_0000 + low;
};

const decoder = new TextDecoder();

export function messageAt(c: RunColumns, row: number): string | null {
  let low = 0;
  let high = c.textRow.length - 1;
  while (low <= high) {
    const mid = (low + high) >> 1;
    const found = c.textRow[mid] ?? 0;
    if (found === row)
      return decoder.decode(c.text.subarray(mid === 0 ? 0 : c.textEnd[mid - 1], c.textEnd[mid]));
    if (found < row) low = mid + 1;
    else high = mid - 1;
  }
  return null;
}

export const runAt = (c: RunColumns, row: number): LeanRun => ({
  n: c.n[row] ?? 0,
  job: c.job[row] ?? 0,
  company: c.company[row] ?? 0,
  problem: c.problem[row] || null,
  startSec: c.start[row] ?? 0,
  elapsedSec: c.elapsed[row] === NONE ? null : (c.elapsed[row] ?? 0),
  bytes: bytesAt(c, row),
  kind: c.kind[row] ?? 0,
  message: messageAt(c, row),
});
