import type { CompanyN, Ms } from '#contract/ids.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import type { DisabledJob } from '#workers/api.ts';
import type { BesidePlace } from './address.ts';

/** A discovered computer by id. */
export interface Computer extends Omit<ComputerOut, '_id'> {
  readonly id: string;
}
export const getComputer = ({ _id: id, ...rest }: ComputerOut): Computer => ({ id, ...rest });

/** Returns whether it is ignored now: until a change, or until a time in the future. */
export const isIgnored = (ignored: { readonly until: Ms | null } | null, now: Ms): boolean =>
  ignored !== null && (ignored.until === null || ignored.until > now);

/** Case-insensitive substring search. */
const matches = (text: string, words: readonly (string | null)[]): boolean => {
  const sought = text.trim().toLowerCase();
  return (
    sought === '' || words.some((word) => word !== null && word.toLowerCase().includes(sought))
  );
};

/** Returns the disabled jobs to show, in the given order (by company and name). */
export const disabledShown = (
  jobs: readonly DisabledJob[],
  { text, ignored }: BesidePlace,
  now: Ms,
): readonly DisabledJob[] =>
  jobs.filter(
    (job) =>
      (ignored || !isIgnored(job.ignored, now)) &&
      matches(text, [job.name, job.companyName, job.computer]),
  );

/** Returns the computers without a job, the longest known first. */
export const computersShown = (
  computers: readonly Computer[],
  { text, ignored }: BesidePlace,
  names: ReadonlyMap<CompanyN, string>,
  now: Ms,
): readonly Computer[] =>
  computers
    .filter(
      (one) =>
        one.jobs === 0 &&
        (ignored || !isIgnored(one.ignored, now)) &&
        matches(text, [one.hostName, names.get(one.company) ?? '', one.os, ...one.ipAddresses]),
    )
    .toSorted((a, b) => a.firstSeenAt - b.firstSeenAt || a.hostName.localeCompare(b.hostName));

/** Returns the count of a tab: entries that need attention, whatever the search text is. */
export const disabledCount = (jobs: readonly DisabledJob[], now: Ms): number =>
  disabledShown(jobs, NO_FILTER, now).length;
export const computersCount = (computers: readonly Computer[], now: Ms): number =>
  computersShown(computers, NO_FILTER, new Map(), now).length;
const NO_FILTER: BesidePlace = { text: '', ignored: false };
