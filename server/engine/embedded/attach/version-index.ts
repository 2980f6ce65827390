import type { TenantTx } from '#server/platform/db/store.ts';
import { BATCH_ROWS } from '../index/pages.ts';
import {
  deleteEnded,
  type FirstPoints,
  hasOthers,
  insertVersions,
  loadFirstPoints,
  moveFirstPoint,
  VERSION_TABLES,
  type Versions,
} from '../index/stored-versions.ts';

// ENG-4: two Daybooks that extended one repository gave the same numbers to different versions. A point
// whose versions contradict those of newer points is left out of the index, instead of showing theirs.

/** The numbers of the folders and items that a point has. */
export interface PointNumbers {
  readonly folders: ReadonlySet<number>;
  readonly items: ReadonlySet<number>;
}

/** One transaction of the attachment. */
export type Commit = (work: (tx: TenantTx) => Promise<void>) => Promise<void>;

interface Place {
  readonly point: number;
  readonly isNewest: boolean;
}

const KINDS = ['folders', 'items'] as const;

/** What the index has of an object while its points are read, the newest first. */
export interface VersionIndex {
  /** Stores versions of a point. Returns whether the index has others under their numbers. */
  add(commit: Commit, place: Place, versions: Versions): Promise<boolean>;
  /**
   * Makes the index show exactly these versions in a point. Returns false, and changes nothing, if newer
   * points don't allow that. `isWhole`: the point has no others. `above`: the next newer point; null: none.
   */
  fit(
    commit: Commit,
    point: { readonly point: number; readonly isWhole: boolean; readonly above: number | null },
    numbers: PointNumbers,
  ): Promise<boolean>;
  /** Removes what was stored for a point alone. */
  remove(commit: Commit, point: number): Promise<void>;
}

export async function openVersionIndex(tx: TenantTx, object: number): Promise<VersionIndex> {
  const first = await loadFirstPoints(tx, object);
  return {
    async add(commit, place, versions) {
      const known: Versions = selectVersions(versions, first, true);
      const isKnown = known.folders.length + known.items.length > 0;
      let isOther = false;
      const added = selectVersions(versions, first, false);
      await commit(async (writing) => {
        isOther = isKnown && (await hasOthers(writing, object, known));
        if (!isOther) await insertVersions(writing, { object, ...place }, added);
      });
      if (!isOther)
        for (const kind of KINDS)
          for (const { n, fromPoint } of added[kind])
            first[kind].set(n, Math.min(fromPoint, place.point));
      return isOther;
    },

    async fit(commit, { point, isWhole, above }, numbers) {
      const moves: Move[] = [];
      for (const kind of KINDS) {
        const late = [...numbers[kind]].filter((n) => getFirst(first, kind, n) > point);
        // A newer point between them lacks the version.
        if (above !== null && late.some((n) => getFirst(first, kind, n) > above)) return false;
        moves.push({ kind, numbers: late, to: point });
        if (isWhole)
          moves.push({
            kind,
            numbers: [...first[kind]].flatMap(([n, from]) =>
              from <= point && !numbers[kind].has(n) ? [n] : [],
            ),
            to: point + 1,
          });
      }
      for (const { kind, numbers: moved, to } of moves)
        for (let at = 0; at < moved.length; at += BATCH_ROWS) {
          const part = { numbers: moved.slice(at, at + BATCH_ROWS), point: to };
          await commit((writing) => moveFirstPoint(writing, VERSION_TABLES[kind], object, part));
          for (const n of part.numbers) first[kind].set(n, to);
        }
      return true;
    },

    async remove(commit, point) {
      for (const kind of KINDS)
        for (let isLast = false; !isLast;) {
          let removed: readonly number[] = [];
          await commit(async (writing) => {
            removed = await deleteEnded(writing, VERSION_TABLES[kind], object, point);
          });
          for (const n of removed) first[kind].delete(n);
          isLast = removed.length < BATCH_ROWS;
        }
    },
  };
}

interface Move {
  readonly kind: (typeof KINDS)[number];
  readonly numbers: readonly number[];
  readonly to: number;
}

const getFirst = (first: FirstPoints, kind: (typeof KINDS)[number], n: number): number =>
  first[kind].get(n) ?? 0;

const selectVersions = (
  { folders, items }: Versions,
  first: FirstPoints,
  isKnown: boolean,
): Versions => ({
  folders: folders.filter(({ n }) => first.folders.has(n) === isKnown),
  items: items.filter(({ n }) => first.items.has(n) === isKnown),
});
