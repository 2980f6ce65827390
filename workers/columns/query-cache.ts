import type { Ms } from '#contract/ids.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { SmallRows } from '#workers/types.ts';
import type { Picked } from './selection.ts';

/**
 * Caches the last list until a row that it depends on changes: lists are queried again whenever
 * something may have changed, and mostly nothing has. Between selecting the first rows and showing
 * them only their jobs are added, which affects few queries.
 */
export class QueryCache {
  private last: {
    readonly question: string;
    readonly at: Ms;
    readonly ofJobs: boolean;
    readonly picked: Picked;
  } | null = null;

  /** `sameTime`: whether problems need the same review at both times. */
  known(filter: RunsFilter, now: Ms, sameTime: (a: Ms, b: Ms) => boolean): Picked | null {
    const { last } = this;
    return last !== null && last.question === JSON.stringify(filter) && sameTime(last.at, now)
      ? last.picked
      : null;
  }

  keep(filter: RunsFilter, at: Ms, picked: Picked): Picked {
    // A count of days changes with time alone.
    this.last =
      filter.order === 'streak'
        ? null
        : { question: JSON.stringify(filter), at, ofJobs: isOfJobs(filter), picked };
    return picked;
  }

  /** Other tables don't affect lists. */
  handleChange({ company, job, cause, problem }: SmallRows): void {
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

/** Whether the list depends on rows of jobs. */
const isOfJobs = ({ text, servers, instructionTypes, group, order }: RunsFilter): boolean =>
  text !== '' ||
  servers.length > 0 ||
  instructionTypes.length > 0 ||
  group === 'server' ||
  group === 'job' ||
  order === 'job' ||
  order === 'computer';
