import type { DayStarts, Fresh, SmallRows, WantedRows } from '../seams.ts';
import { openJson, type Sealed } from './cipher.ts';
import type { Ground } from './ground.ts';
import type { Manifest } from './manifest.ts';

/**
 * Copies of all that the first rows need but runs and changes, in one record: one to read, to decrypt and to parse. Plain rows, for nothing
 * of ours has run yet and the browser's own parser needs no warming. Idle work makes it; it counts for the state of the books that it was
 * made from. What it lacks is read from them.
 */
export interface Front {
  readonly who: Pick<Fresh, 'me' | 'branding' | 'people'>;
  /** The tables that are read at opening, and of problems those of the newest two days. */
  readonly rows: SmallRows;
  /** Of the open ones of these problems, each as the text of its row: most are shown in no window. */
  readonly jobs: { readonly ns: readonly number[]; readonly texts: readonly string[] };
  readonly days: DayStarts;
}

/** The first view reaches so far back from the newest run. */
export const FRONT_SEC = 2 * 86_400;

export const hasFront = ({ front, folds }: Manifest): boolean => front?.folds === folds;

/** Null where it cannot be read: then the books are asked. */
export const openFront = (ground: Ground, sealed: Sealed): Promise<Front | null> =>
  openJson<Front>(ground.cipher, 'meta', 'front', sealed).catch(() => null);

/** Of the wanted jobs those that stand in it, and what it does not hold. */
export function jobsInFront({ ns, texts }: Front['jobs'], { job = [], problem = [] }: WantedRows): { readonly rows: SmallRows; readonly left: WantedRows } {
  const left = new Set(job), found: string[] = [];
  ns.forEach((n, i) => { if (left.delete(n)) found.push(texts[i] ?? ''); });
  return { rows: found.length === 0 ? {} : JSON.parse(`{"job":[${found.join()}]}`) as SmallRows, left: { job: left, problem } };
}
