import type { CompanyN, Day, JobN, Ms } from '../ids.ts';
import type { RunState } from '../runs/query.ts';
import type { EntityGroup, JobType, Source } from '../runs/vocabulary.ts';

/**
 * Which result of a day its cell shows. `mixed`: a warning where good and bad meet, else what all
 * of them are.
 */
export const CALENDAR_MODES = ['worst', 'best', 'last', 'mixed'] as const;
export type CalendarMode = (typeof CALENDAR_MODES)[number];

/**
 * A job × day grid. `from` and `to` as in the lists; rows and columns are windows, so that 10,000
 * jobs × 90 days cost what is in sight.
 */
export interface CalendarAsk {
  readonly from: Ms;
  readonly to: Ms;
  readonly mode: CalendarMode;
  readonly companies: readonly CompanyN[];
  readonly sources: readonly Source[];
  readonly types: readonly JobType[];
  readonly instructionTypes: readonly EntityGroup[];
  /** Only jobs with a result that is none of success and running. */
  readonly problemsOnly: boolean;
  readonly text: string;
  /** Companies whose jobs are folded away. */
  readonly folded: readonly CompanyN[];
  readonly rows: { readonly first: number; readonly count: number };
  readonly days: { readonly first: number; readonly count: number };
  /**
   * For a spreadsheet: all lines are jobs, or all are companies, and none is folded. Left out:
   * companies, and below each its jobs.
   */
  readonly lines?: 'job' | 'company';
}

/** `off`: the job is disabled and had no result. Null: nothing was due and nothing ran. */
export type CalendarCell = RunState | 'off' | null;

/**
 * Lines in order: companies by name, below each its jobs by name unless folded. `cells` and `bad`
 * stand for the asked days from `days.first` on; `share` and `counts` are of all days. `bad`: jobs
 * whose day failed or did not run. `share`: of 0 to 1, days that succeeded (a warning and an
 * anomaly did) among those on which something ended or should have run. `counts`: days by place in
 * `RUN_STATES`. In a spreadsheet a company has the `cells` that are the worst of its jobs, and a
 * job says whose it is (`of`). The `share` of a company is that of its jobs that make backups, or
 * of all its jobs where only other types are asked for (OVER-7).
 */
export type CalendarLine =
  | {
      readonly is: 'company';
      readonly company: CompanyN;
      readonly name: string;
      readonly jobs: number;
      readonly share: number | null;
      readonly bad: readonly number[];
      readonly folded: boolean;
      readonly cells?: readonly CalendarCell[];
    }
  | {
      readonly is: 'job';
      readonly job: JobN;
      readonly name: string;
      readonly computer: string;
      readonly share: number | null;
      readonly cells: readonly CalendarCell[];
      readonly counts: readonly number[];
      readonly of?: { readonly company: CompanyN; readonly name: string };
    };

export interface CalendarView {
  /** All days of the asked time, oldest first. `here`: all its results are on this device. */
  readonly days: readonly {
    readonly day: Day;
    readonly from: Ms;
    readonly to: Ms;
    readonly weekend: boolean;
    readonly today: boolean;
    readonly here: boolean;
  }[];
  readonly lines: readonly CalendarLine[];
  /** All lines, of which `lines` are the window. */
  readonly total: number;
  readonly jobs: number;
  readonly first: number;
  /**
   * Of a spreadsheet: all its days of jobs, those of each state by place in `RUN_STATES`, then
   * those of nothing.
   */
  readonly counts?: readonly number[];
  /** Of a spreadsheet: the share of good days of its jobs that count (OVER-7). */
  readonly share?: number | null;
  /** Days before what this device keeps are empty: this is its first moment. */
  readonly keptFrom: Ms | null;
  readonly version: number;
}
