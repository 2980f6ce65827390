import type { CompanyN, Day, Ms, Seconds } from '../ids.ts';
import type { CalendarCell } from '../calendar/calendar.ts';
import type { ReviewState, RunState } from '../runs/query.ts';
import type { TallyOut } from './result-rows.ts';
import type { EntityGroup } from '../runs/vocabulary.ts';

/** Number of job days per state; days without a result are not counted. */
export type CellCounts = { readonly [S in RunState]: number };

/** A row of a calendar. Its cells, counts and share are those of the read API. */
export interface CalendarReportLine {
  readonly cells: readonly { readonly state: CalendarCell; readonly bad: number }[];
  readonly counts: CellCounts;
  readonly share: number | null;
  /** Days of its jobs that make backups (OVER-7): judged ones, and good ones. */
  readonly judged: number;
  readonly good: number;
}
export interface JobLine extends CalendarReportLine {
  readonly company: CompanyN;
  readonly companyName: string;
  readonly jobName: string;
  readonly computerName: string;
  readonly source: string;
  readonly type: string;
}
export interface CompanyLine extends CalendarReportLine {
  readonly company: CompanyN;
  readonly companyName: string;
  readonly jobs: number;
}
export interface ProviderLine extends CalendarReportLine {
  readonly provider: string;
  readonly companies: number;
  readonly jobs: number;
}

/** One result with the names and states around it. */
export interface ResultLine {
  readonly companyName: string;
  readonly jobName: string;
  readonly computerName: string;
  readonly source: string;
  readonly state: RunState;
  readonly startedAt: Ms;
  readonly seconds: Seconds | null;
  readonly bytes: number | null;
  readonly message: string | null;
  readonly review: ReviewState;
  readonly ticket: string | null;
}
/** `count` is the number of all results; `lines` are the first of them. */
export interface ReportResults {
  readonly lines: readonly ResultLine[];
  readonly count: number;
}

export interface ReportDay {
  readonly day: Day;
  readonly tally: TallyOut;
}
export interface CompanyTally {
  readonly company: CompanyN;
  readonly companyName: string;
  readonly jobs: number;
  readonly now: TallyOut;
  readonly before: TallyOut;
  readonly open: number;
}
export interface JobTally {
  readonly company: CompanyN;
  readonly companyName: string;
  readonly jobName: string;
  readonly computerName: string;
  readonly source: string;
  readonly tally: TallyOut;
  readonly lastGoodAt: Ms | null;
}
/** The jobs and storage of a company. Repository bytes are null if no repository reports any. */
export interface Holding {
  readonly company: CompanyN;
  readonly companyName: string;
  readonly jobs: number;
  readonly disabled: number;
  readonly computers: number;
  readonly groups: { readonly [G in EntityGroup]: number };
  readonly transferred: number;
  readonly repositories: number;
  readonly used: number | null;
  readonly capacity: number | null;
}

/** The data from which each template is built. */
export interface Figures {
  readonly jobs: { readonly days: readonly Day[]; readonly lines: readonly JobLine[] };
  readonly companies: { readonly days: readonly Day[]; readonly lines: readonly CompanyLine[] };
  readonly providers: { readonly days: readonly Day[]; readonly lines: readonly ProviderLine[] };
  readonly company: {
    readonly days: readonly Day[];
    readonly lines: readonly JobLine[];
    readonly tally: TallyOut;
    readonly troubles: ReportResults;
  };
  readonly days: {
    readonly days: readonly ReportDay[];
    readonly all: TallyOut;
    readonly jobs: number;
  };
  readonly results: ReportResults;
  readonly holdings: readonly Holding[];
  readonly tallies: readonly CompanyTally[];
  readonly details: readonly {
    readonly company: CompanyTally;
    readonly jobs: readonly JobTally[];
  }[];
}
export type FiguresName = keyof Figures;
