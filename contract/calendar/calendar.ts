import type { CompanyN, Day, JobN, Ms } from '../ids.ts';
import type { RunState } from '../runs/query.ts';
import type { EntityGroup, JobType, Source } from '../runs/vocabulary.ts';

/**
 * Which result of a day its cell shows. `mixed`: a warning if good and bad results meet, otherwise
 * the state that all of them share.
 */
export const CALENDAR_MODES = ['worst', 'best', 'last', 'mixed'] as const;
export type CalendarMode = (typeof CALENDAR_MODES)[number];

/**
 * A grid of jobs × days. `from` and `to` follow the rules of the lists. Rows and days are windows,
 * so that 10,000 jobs × 90 days only cost what is visible.
 */
export interface CalendarQuery {
  readonly from: Ms;
  readonly to: Ms;
  readonly mode: CalendarMode;
  readonly companies: readonly CompanyN[];
  readonly sources: readonly Source[];
  readonly types: readonly JobType[];
  readonly instructionTypes: readonly EntityGroup[];
  /** Only jobs with at least one result that isn't success or running. */
  readonly problemsOnly: boolean;
  readonly text: string;
  /** Companies whose jobs are collapsed. */
  readonly folded: readonly CompanyN[];
  readonly rows: { readonly first: number; readonly count: number };
  readonly days: { readonly first: number; readonly count: number };
  /**
   * For a spreadsheet: all lines are jobs, or all are companies, and none is collapsed. If left
   * out, each company is followed by its jobs.
   */
  readonly lines?: 'job' | 'company';
}

/** `off`: the job is disabled and had no result. Null: nothing was due and nothing ran. */
export type CalendarCell = RunState | 'off' | null;

/**
 * Lines in order: companies by name, each followed by its jobs by name unless collapsed. `cells`
 * and `bad` cover the requested days from `days.first` on; `share` and `counts` cover all days.
 * `bad`: number of jobs that failed or did not run that day. `share` (0 to 1): days that succeeded
 * (including warnings and anomalies) among the days on which something ended or should have run.
 * `counts`: number of days by index in `RUN_STATES`. In a spreadsheet, a company's `cells` are the
 * worst of its jobs, and `of` names a job's company. The `share` of a company covers its jobs that
 * make backups, or all its jobs if only other types are requested (OVER-7).
 */
export type CalendarLine =
  | {
      readonly kind: 'company';
      readonly company: CompanyN;
      readonly name: string;
      readonly jobs: number;
      readonly share: number | null;
      readonly bad: readonly number[];
      readonly folded: boolean;
      readonly cells?: readonly CalendarCell[];
    }
  | {
      readonly kind: 'job';
      readonly job: JobN;
      readonly name: string;
      readonly computer: string;
      readonly share: number | null;
      readonly cells: readonly CalendarCell[];
      readonly counts: readonly number[];
      readonly of?: { readonly company: CompanyN; readonly name: string };
    };

export interface CalendarView {
  /**
   * All requested days, oldest first. `here`: whether all results of the day are on this device.
   */
  readonly days: readonly {
    readonly day: Day;
    readonly from: Ms;
    readonly to: Ms;
    readonly weekend: boolean;
    readonly today: boolean;
    readonly here: boolean;
  }[];
  readonly lines: readonly CalendarLine[];
  /** Number of all lines; `lines` is the visible window. */
  readonly total: number;
  readonly jobs: number;
  readonly first: number;
  /**
   * For a spreadsheet: number of all its job days per state by index in `RUN_STATES`, followed by
   * the number of empty ones.
   */
  readonly counts?: readonly number[];
  /** For a spreadsheet: the share of good days of the jobs that count (OVER-7). */
  readonly share?: number | null;
  /** The first moment stored on this device. Days before it are empty. */
  readonly keptFrom: Ms | null;
  readonly version: number;
}
