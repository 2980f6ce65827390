import type { CompanyN, Ms } from '#contract/ids.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import type { DisabledJob } from '#workers/api.ts';
import type { BesidePlace } from './address.ts';

/** A computer of the discovery, under its id. */
export interface Computer extends Omit<ComputerOut, '_id'> {
  readonly id: string;
}
export const computerOf = ({ _id: id, ...rest }: ComputerOut): Computer => ({ id, ...rest });

/** Whether it is ignored now: until it changes, or until a moment that is still to come. */
export const isIgnored = (ignored: { readonly until: Ms | null } | null, now: Ms): boolean =>
  ignored !== null && (ignored.until === null || ignored.until > now);

/** Contains, any case. */
const holds = (text: string, words: readonly (string | null)[]): boolean => {
  const sought = text.trim().toLowerCase();
  return (
    sought === '' || words.some((word) => word !== null && word.toLowerCase().includes(sought))
  );
};

/** Disabled jobs that ask for a look, as they stand: by company and name. */
export const disabledShown = (
  jobs: readonly DisabledJob[],
  { text, ignored }: BesidePlace,
  now: Ms,
): readonly DisabledJob[] =>
  jobs.filter(
    (job) =>
      (ignored || !isIgnored(job.ignored, now)) &&
      holds(text, [job.name, job.companyName, job.computer]),
  );

/** Computers without a job, those seen first first. */
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
        holds(text, [one.hostName, names.get(one.company) ?? '', one.os, ...one.ipAddresses]),
    )
    .toSorted((a, b) => a.firstSeenAt - b.firstSeenAt || a.hostName.localeCompare(b.hostName));

/** What a tab counts: what asks for a look, whatever is searched for. */
export const disabledCount = (jobs: readonly DisabledJob[], now: Ms): number =>
  disabledShown(jobs, ASKS, now).length;
export const computersCount = (computers: readonly Computer[], now: Ms): number =>
  computersShown(computers, ASKS, new Map(), now).length;
const ASKS: BesidePlace = { text: '', ignored: false };
