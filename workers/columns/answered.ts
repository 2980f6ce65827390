import type { Ms } from '#contract/ids.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { SmallRows } from '#workers/types.ts';
import type { Picked } from './selection.ts';

/**
 * The last list, for as long as nothing that it was made of is told anew: lists are asked for again
 * whenever something may have changed them, and mostly nothing has. Between the first rows and
 * their showing only their jobs are put, which few questions are about.
 */
export class Answered {
  private last: {
    readonly question: string;
    readonly at: Ms;
    readonly ofJobs: boolean;
    readonly picked: Picked;
  } | null = null;

  /** `sameTime`: whether problems ask the same of a person at both moments. */
  known(filter: RunsFilter, now: Ms, sameTime: (a: Ms, b: Ms) => boolean): Picked | null {
    const { last } = this;
    return last !== null && last.question === JSON.stringify(filter) && sameTime(last.at, now)
      ? last.picked
      : null;
  }

  keep(filter: RunsFilter, at: Ms, picked: Picked): Picked {
    // What is counted in days changes with the time alone.
    this.last =
      filter.order === 'streak'
        ? null
        : { question: JSON.stringify(filter), at, ofJobs: isOfJobs(filter), picked };
    return picked;
  }

  /** Other rows than these stand in no list. */
  told({ company, job, cause, problem }: SmallRows): void {
    if (
      isAny(company) ||
      isAny(cause) ||
      isAny(problem) ||
      (isAny(job) && this.last?.ofJobs === true)
    )
      this.forget();
  }

  forget(): void {
    this.last = null;
  }
}

const isAny = (rows: readonly object[] | undefined): boolean =>
  rows !== undefined && rows.length > 0;

/** Whether a job's own row has a say in it. */
const isOfJobs = ({ text, servers, instructionTypes, group, order }: RunsFilter): boolean =>
  text !== '' ||
  servers.length > 0 ||
  instructionTypes.length > 0 ||
  group === 'server' ||
  group === 'job' ||
  order === 'job' ||
  order === 'computer';
