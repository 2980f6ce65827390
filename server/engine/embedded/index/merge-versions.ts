import type { ItemFlags, StoredPart } from '#contract/engine/stored-item.ts';
import type { Ms } from '#contract/ids.ts';

interface MergedVersion {
  readonly changedAt: Ms;
  readonly flags: ItemFlags;
  readonly parts: readonly StoredPart[];
}

/** Clocks of files and of their versions may differ by this much. */
const SAME_MS: Ms = 2_000;

/**
 * Puts the versions that the cloud had of a file among those of restore points, by their dates. Those
 * of restore points stay in their order. A version that a restore point has too is left out. Oldest
 * first.
 */
export function mergeVersions<T extends MergedVersion>(all: readonly T[]): readonly T[] {
  const points = all.filter(({ flags }) => flags.version === undefined);
  const isOfPoint = (version: T): boolean =>
    points.some(
      (point) =>
        Math.abs(point.changedAt - version.changedAt) <= SAME_MS && hasSameContent(point, version),
    );
  const versions = getLatest(all.filter(({ flags }) => flags.version !== undefined))
    .filter((version) => !isOfPoint(version))
    .toSorted(
      (a, b) =>
        a.changedAt - b.changedAt || NUMBERS.compare(a.flags.version ?? '', b.flags.version ?? ''),
    );
  const merged: T[] = [];
  for (const point of points) {
    while (versions[0] !== undefined && versions[0].changedAt <= point.changedAt)
      merged.push(...versions.splice(0, 1));
    merged.push(point);
  }
  return [...merged, ...versions];
}

/** The cloud's dates are of seconds: of the same one, the number says which is older. */
const NUMBERS = new Intl.Collator('en', { numeric: true });

/** One that ended and began again, as when fewer were wanted for a while, is there once. */
const getLatest = <T extends MergedVersion>(versions: readonly T[]): T[] => [
  ...new Map(
    versions.map((one) => [JSON.stringify([one.flags.version, one.changedAt, getBlobs(one)]), one]),
  ).values(),
];

export const hasSameContent = (a: MergedVersion, b: MergedVersion): boolean =>
  JSON.stringify(getBlobs(a)) === JSON.stringify(getBlobs(b));

const getBlobs = ({ parts }: MergedVersion): readonly string[] =>
  parts.filter(({ as }) => as !== 'json').flatMap(({ blobs }) => blobs);
