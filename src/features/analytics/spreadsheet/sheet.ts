import type { OutputOf } from '#contract/calls.ts';
import type { CalendarCell, CalendarView } from '#contract/calendar/calendar.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import { getDayStatus } from '../../calendar/labels.ts';
import type { DayHead, DayStatus } from '../../calendar/labels.ts';
import { spreadsheetMessages as t } from './messages.en.ts';

/**
 * A row of the spreadsheet. `job` is null for a company, and for a job from the server. `name`: the
 * job's name; null for a company.
 */
export interface SheetLine {
  readonly key: string;
  readonly company: CompanyN;
  readonly companyName: string;
  readonly job: number | null;
  readonly name: string | null;
  readonly detail: string;
  readonly share: number | null;
  readonly cells: readonly CalendarCell[];
}

export interface SheetHead {
  readonly day: string;
  readonly from: Ms;
  readonly to: Ms;
  readonly weekend: boolean;
  readonly today: boolean;
  readonly status: DayStatus;
}

/** Totals of all cells. `counts`: indexed as `RUN_STATES`. */
export interface SheetFigures {
  readonly counts: readonly number[];
  readonly empty: number;
  readonly share: number | null;
}

export function ownLines({ lines }: CalendarView): readonly SheetLine[] {
  return lines.map((line): SheetLine =>
    line.kind === 'company'
      ? {
          key: `c${line.company}`,
          company: line.company,
          companyName: line.name,
          job: null,
          name: null,
          detail: t.jobCount({ count: line.jobs }),
          share: line.share,
          cells: line.cells ?? [],
        }
      : {
          key: `j${line.job}`,
          company: line.of?.company ?? 0,
          companyName: line.of?.name ?? '',
          job: line.job,
          name: line.name,
          detail: line.computer,
          share: line.share,
          cells: line.cells,
        },
  );
}

export function serverLines({ rows }: OutputOf<'spreadsheetReport'>): readonly SheetLine[] {
  return rows.map((row): SheetLine => ({
    key: `${row.company} ${row.jobInstanceUid ?? ''}`,
    company: row.company,
    companyName: row.companyName,
    job: null,
    name: row.jobName,
    detail: row.jobName === null ? t.jobCount({ count: row.jobs }) : (row.computerName ?? ''),
    share: row.share,
    cells: row.cells.map(({ state }) => state),
  }));
}

/**
 * Returns the header of every day in the period, with its status on this device or on the server.
 */
export const getHeads = (
  days: readonly DayHead[],
  storedFrom: Ms | null,
  now: Ms,
  server: boolean,
): readonly SheetHead[] =>
  days.map((day) => ({
    day: day.day,
    from: day.from,
    to: day.to,
    weekend: day.weekend,
    today: day.today,
    status: server ? (day.from > now ? 'ahead' : 'here') : getDayStatus(day, storedFrom, now),
  }));

export const ownFigures = ({ counts = [], share = null }: CalendarView): SheetFigures => ({
  counts: RUN_STATES.map((_state, place) => counts[place] ?? 0),
  empty: counts[RUN_STATES.length] ?? 0,
  share,
});

export const serverFigures = ({
  cells,
  empty,
  share,
}: OutputOf<'spreadsheetStats'>): SheetFigures => ({
  counts: RUN_STATES.map((state) => cells[state]),
  empty,
  share,
});
