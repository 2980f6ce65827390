/** The calendar's judge: each cell from all runs, one by one. */
import { isAnomaly, statusCode } from '#contract/runs/columns.ts';
import type {
  CalendarQuery,
  CalendarCell,
  CalendarLine,
  CalendarView,
} from '#contract/calendar/calendar.ts';
import { getDay, dayText, startOfDay, worst } from '#contract/time/day.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import { STATUSES } from '#contract/runs/vocabulary.ts';
import type { Plain } from '#tests/workers/columns/oracle.ts';

const DAY = 86_400_000;
const getState = (kind: number): RunState => {
  const status = STATUSES[statusCode(kind)] ?? 'Running';
  return status === 'Success' && isAnomaly(kind) ? 'Anomaly' : status;
};
const fold = (text: string): string => text.toLowerCase();
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const among = <T>(list: readonly T[], one: T): boolean => list.length === 0 || list.includes(one);
const isBad = (state: RunState | null): boolean =>
  state === 'Failed' || state === 'Error' || state === 'Missed';
const getShare = (states: readonly (RunState | null)[]): number | null => {
  const details = states.filter((state) => state !== null && state !== 'Running');
  return details.length === 0
    ? null
    : details.filter((state) => !isBad(state)).length / details.length;
};

const NO_BACKUPS: readonly string[] = ['BackupCopy', 'SureBackup', 'Copy', 'Other'];
const BACKUPS: readonly string[] = [
  'Backup',
  'Replication',
  'Tape',
  'FileShare',
  'ObjectStorage',
  'Agent',
  'M365',
  'Snapshot',
  'LogBackup',
  'Archive',
  'Sync',
];

export function slowCalendar(
  plain: Plain,
  stored: ReadonlyMap<string, boolean>,
  ask: CalendarQuery,
  now: number,
): Omit<CalendarView, 'version'> {
  const day = (ms: number): number => getDay(ms, plain.timeZone, plain.beginsHour);
  const start = (n: number): number => startOfDay(n, plain.timeZone, plain.beginsHour);
  const ns: number[] = [];
  if (ask.from < ask.to) for (let n = day(ask.from); n <= day(ask.to - 1); n++) ns.push(n);
  const results = (job: JobRow, n: number): RunState[] =>
    [...plain.runs.values()]
      .filter((run) => run.job === job.n && day(run.startSec * 1000) === n)
      .sort((a, b) => a.startSec - b.startSec || a.n - b.n)
      .map(({ kind }) => getState(kind));
  const shown = (job: JobRow, n: number): RunState | null =>
    worst(results(job, n), ask.mode === 'mixed' ? 'warning-if-mixed' : ask.mode);
  const key = fold(ask.text.trim());
  const getCompany = (job: JobRow): string => plain.companies.get(job.company)?.name ?? '';
  const jobs = [...plain.jobs.values()]
    .filter(
      (job) =>
        among(ask.companies, job.company) &&
        among(ask.sources, job.source) &&
        among(ask.types, job.type) &&
        among(ask.instructionTypes, job.group) &&
        [job.name, job.computer, getCompany(job)].some(
          (name) => !key.includes('\0') && fold(name).includes(key),
        ) &&
        (!ask.problemsOnly ||
          ns.some((n) =>
            results(job, n).some((state) => state !== 'Success' && state !== 'Running'),
          )),
    )
    .sort(
      (a, b) =>
        byText(fold(getCompany(a)), fold(getCompany(b))) ||
        a.company - b.company ||
        byText(`${fold(a.name)}\0${fold(a.computer)}`, `${fold(b.name)}\0${fold(b.computer)}`) ||
        a.n - b.n,
    );
  const window = <T>(all: readonly T[]): T[] =>
    all.slice(ask.days.first, ask.days.first + ask.days.count);
  // Copies, tests, restores and checks count only where nothing else is asked for.
  const judged: readonly string[] =
    ask.types.length > 0 && ask.types.every((type) => NO_BACKUPS.includes(type))
      ? NO_BACKUPS
      : BACKUPS;
  const lines: CalendarLine[] = [...new Set(jobs.map(({ company }) => company))].flatMap(
    (company): CalendarLine[] => {
      const own = jobs.filter((job) => job.company === company);
      const folded = ask.folded.includes(company);
      const states = own.map((job) => ns.map((n) => shown(job, n)));
      const head: CalendarLine = {
        kind: 'company',
        company,
        name: plain.companies.get(company)?.name ?? '',
        jobs: own.length,
        share: getShare(
          states.filter((_states, i) => judged.includes(own[i]?.type ?? 'Other')).flat(),
        ),
        bad: window(ns.map((_n, i) => states.filter((one) => isBad(one[i] ?? null)).length)),
        folded,
      };
      return [
        head,
        ...(folded
          ? []
          : own.map((job, i): CalendarLine => ({
              kind: 'job',
              job: job.n,
              name: job.name,
              computer: job.computer,
              share: getShare(states[i] ?? []),
              cells: window(
                (states[i] ?? []).map(
                  (state): CalendarCell => state ?? (job.enabled ? null : 'off'),
                ),
              ),
              counts: RUN_STATES.map(
                (state) => (states[i] ?? []).filter((one) => one === state).length,
              ),
            }))),
      ];
    },
  );
  const first = [...stored.keys()].sort()[0];
  const storedFrom = first === undefined ? null : Date.parse(first);
  return {
    days: ns.map((n) => {
      const [from, to] = [start(n), start(n + 1)];
      const weekday = new Date(n * DAY).getUTCDay();
      const affected = [...stored]
        .filter(([, here]) => !here)
        .some(([utc]) => Date.parse(utc) < to && Date.parse(utc) + DAY > from);
      return {
        day: dayText(n),
        from,
        to,
        weekend: weekday === 0 || weekday === 6,
        today: n === day(now),
        here: storedFrom !== null && from >= storedFrom && !affected,
      };
    }),
    lines: lines.slice(ask.rows.first, ask.rows.first + ask.rows.count),
    total: lines.length,
    jobs: jobs.length,
    first: ask.rows.first,
    keptFrom: storedFrom,
  };
}
