import type { JobRow } from '#contract/runs/rows.ts';
import { DiskError } from './disk-errors.ts';
import type { DayStarts, Fresh, ProblemsOf, SmallRows, WantedRows } from '../types.ts';
import type { Sealed } from './cipher.ts';
import type { DiskContext } from './disk-context.ts';
import type { Manifest } from './manifest.ts';

/**
 * Copies of everything that the first rows need except runs and changes, in one record that is read
 * and decrypted once. Plain rows, because none of our code is warm yet and the browser's own parser
 * needs no warm-up. Idle work builds it, and it is valid for the state of the table snapshots that
 * it was built from. What it lacks is read from those.
 *
 *   u32 length of the head · head as JSON · jobs as JSON, one after the other
 */
export interface WarmStart {
  readonly who: Pick<Fresh, 'me' | 'branding' | 'people'>;
  /** The tables that are read at opening, and the problems of the newest two days. */
  readonly rows: SmallRows;
  readonly days: DayStarts;
  /** All problems of these segments' runs since then are in `rows`. */
  readonly problemsOf: ProblemsOf | null;
  readonly jobs: WarmStartJobs;
}
/**
 * Jobs of those problems that need a review, by number: most are shown in no window, and are never
 * parsed. `ends` in bytes.
 */
export interface WarmStartJobs {
  readonly ns: readonly number[];
  readonly ends: readonly number[];
  readonly bytes: Uint8Array;
}
/** A cache from an older build lacks `problemsOf`. */
interface Head extends Omit<WarmStart, 'jobs' | 'problemsOf'> {
  readonly problemsOf?: NonNullable<WarmStart['problemsOf']>;
  readonly jobs: Omit<WarmStartJobs, 'bytes'>;
}

/** How far the first view reaches back from the newest run. */
export const WARM_START_SEC = 2 * 86_400;

export const hasWarmStart = ({ front, folds }: Manifest): boolean => front?.folds === folds;

export function encodeWarmStart(
  { who, rows, days, problemsOf: listProblems }: Required<Omit<Head, 'jobs'>>,
  all: readonly JobRow[],
): Uint8Array<ArrayBuffer> {
  const texts = all.map((row) => encoder.encode(JSON.stringify(row)));
  const ends: number[] = [];
  let end = 0;
  for (const text of texts) ends.push((end += text.length));
  const head = encoder.encode(
    JSON.stringify({
      who,
      rows,
      days,
      problemsOf: listProblems,
      jobs: { ns: all.map(({ n }) => n), ends },
    } satisfies Head),
  );
  const bytes = new Uint8Array(4 + head.length + end);
  new DataView(bytes.buffer).setUint32(0, head.length);
  bytes.set(head, 4);
  texts.forEach((text, i) => bytes.set(text, 4 + head.length + (ends[i - 1] ?? 0)));
  return bytes;
}

/** Returns null if it is unreadable: then the table snapshots are read. */
export async function openWarmStart(
  context: Pick<DiskContext, 'cipher'>,
  sealed: Sealed,
): Promise<WarmStart | null> {
  try {
    const buffer = await context.cipher.open('meta', 'front', sealed);
    const length = new DataView(buffer).getUint32(0);
    // authentic: only a holder of the key could have written it
    const head = JSON.parse(decoder.decode(new Uint8Array(buffer, 4, length))) as Head;
    return {
      ...head,
      problemsOf: head.problemsOf ?? null,
      jobs: { ...head.jobs, bytes: new Uint8Array(buffer, 4 + length) },
    };
  } catch (thrown) {
    if (thrown instanceof DiskError && thrown.kind === 'corrupt') return null;
    throw thrown;
  }
}

/** Returns the wanted jobs that it contains, and which are missing. */
export function getWarmStartJobs(
  { ns, ends, bytes }: WarmStartJobs,
  { job = [], problem = [] }: WantedRows,
): { readonly rows: SmallRows; readonly left: WantedRows } {
  const left = new Set(job);
  const found: string[] = [];
  ns.forEach((n, i) => {
    if (left.delete(n)) found.push(decoder.decode(bytes.subarray(ends[i - 1] ?? 0, ends[i])));
  });
  return {
    rows: found.length === 0 ? {} : (JSON.parse(`{"job":[${found.join()}]}`) as SmallRows),
    left: { job: left, problem },
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
