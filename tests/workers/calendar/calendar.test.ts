import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CALENDAR_MODES } from '#contract/calendar/calendar.ts';
import type { CalendarQuery, CalendarView } from '#contract/calendar/calendar.ts';
import { ENTITY_GROUPS, JOB_TYPES, SOURCES } from '#contract/runs/vocabulary.ts';
import { NOW, steps, words } from '#tests/workers/columns/arbitrary.ts';
import type { Step } from '#tests/workers/columns/arbitrary.ts';
import { makeBoth } from '#tests/workers/columns/both.ts';
import { makeCalendar } from '#workers/calendar/calendar.ts';
import { slowCalendar } from './slow.ts';
import { run as makeRun } from '../columns/lean-run.ts';

const DAY = 86_400_000;
const numRuns = (runs: number): number => runs * Number(process.env['PROOF'] ?? 1);
/** Quick where all is well; the long comparison says what is not. */
const isSame = (actual: unknown, wanted: unknown): boolean => {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual).toEqual(wanted);
  return true;
};

/**
 * Zones whose clocks change at two, at midnight, by half an hour, or not at all; and moments about
 * which they do.
 */
const zone = fc.constantFrom(
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Kolkata',
  'UTC',
  'Pacific/Apia',
);
const about = fc.constantFrom(
  Date.UTC(2026, 2, 12),
  Date.UTC(2026, 3, 2),
  Date.UTC(2026, 3, 9),
  Date.UTC(2026, 8, 10),
  Date.UTC(2026, 9, 29),
  Date.UTC(2026, 10, 4),
);
const few = <T>(values: readonly T[]): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<T[]>([]) },
    { weight: 1, arbitrary: fc.subarray([...values], { minLength: 1 }) },
  );

/** The steps of the columns' tests, about another moment, with disabled jobs and groups. */
const moved = (all: readonly Step[], by: number): Step[] =>
  all.map((step) => {
    if (step.kind === 'segment' || step.kind === 'upsert')
      return {
        ...step,
        runs: step.runs.map((run) => ({ ...run, startSec: run.startSec + by / 1000 })),
      };
    if (step.kind !== 'put') return step;
    return {
      ...step,
      job: step.job.map((job) => ({
        ...job,
        enabled: job.n % 3 !== 0,
        group: ENTITY_GROUPS[job.name.length % 3] ?? 'other',
      })),
    };
  });

const question = fc.record({
  back: fc.integer({ min: 0, max: 22 }),
  length: fc.integer({ min: 0, max: 22 }),
  mode: fc.constantFrom(...CALENDAR_MODES),
  companies: few([1, 2, 3]),
  sources: few(SOURCES.slice(0, 9)),
  types: few(JOB_TYPES.slice(0, 8)),
  instructionTypes: few(ENTITY_GROUPS.slice(0, 3)),
  problemsOnly: fc.boolean(),
  text: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: words }),
  folded: few([1, 2]),
  rows: fc.record({ first: fc.nat(9), count: fc.integer({ min: 0, max: 9 }) }),
  days: fc.record({ first: fc.nat(12), count: fc.nat(14) }),
});
const toCalendarQuery = (
  { back, length, ...rest }: typeof question extends fc.Arbitrary<infer Q> ? Q : never,
  at: number,
): CalendarQuery => ({ ...rest, from: at - back * DAY, to: at + (length - back) * DAY });

test('CAL-1, CAL-2, CAL-3, RUN-7: cells, counts and lines equal those of plain rows, in any zone, hour and mode, after any change', () => {
  fc.assert(
    fc.property(
      steps,
      fc.array(question, { minLength: 2, maxLength: 4 }),
      zone,
      fc.nat(23),
      about,
      (all, questions, timeZone, hour, at) => {
        const both = makeBoth(timeZone, hour);
        const calendar = makeCalendar();
        const days = new Map([
          ['2026-03-01', true],
          [new Date(at).toISOString().slice(0, 10), false],
        ]);
        for (const step of moved(all, at - NOW)) {
          both.take(step);
          for (const one of questions) {
            const ask = toCalendarQuery(one, at);
            expect(
              isSame(
                calendar({ engine: both.engine, days }, ask, at),
                slowCalendar(both.plain, days, ask, at),
              ),
            ).toBe(true);
          }
        }
      },
    ),
    { numRuns: numRuns(60) },
  );
});

const getJob = (n: number, company: number, name: string, enabled = true) => ({
  n,
  uid: `j${n}`,
  key: 'k',
  company,
  name,
  source: 'restic' as const,
  type: 'Backup' as const,
  group: 'other' as const,
  computer: `pc${n}`,
  server: '',
  managed: null,
  enabled,
  schedule: null,
  graceSec: null,
  firstSeenAt: 0,
  missedIgnored: null,
  disabledIgnored: null,
  problem: null,
});
const STATUS = {
  Running: 0,
  Success: 1,
  Warning: 2,
  Failed: 3,
  Error: 4,
  Missed: 5,
  Anomaly: 1 | 8,
} as const;
const at = Date.UTC(2026, 10, 18, 12);

function small() {
  const both = makeBoth('UTC', 0);
  both.take({
    kind: 'put',
    company: [
      { n: 1, id: 'a', name: 'Beta', madeAt: 0 },
      { n: 2, id: 'b', name: 'alpha', madeAt: 0 },
    ],
    cause: [],
    problem: [],
    job: [
      getJob(1, 1, 'nightly'),
      getJob(2, 1, 'Archive'),
      getJob(3, 2, 'files', false),
      getJob(4, 2, 'mail'),
    ],
  });
  let n = 0;
  const run = (job: number, daysBack: number, hour: number, status: keyof typeof STATUS): void => {
    both.take({
      kind: 'upsert',
      runs: [
        makeRun((n += 1), {
          job,
          company: job < 3 ? 1 : 2,
          startSec: (at - 12 * 3_600_000 - daysBack * DAY) / 1000 + hour * 3600,
          kind: STATUS[status],
        }),
      ],
    });
  };
  return {
    both,
    run,
    days: new Map([
      ['2026-11-01', true],
      ['2026-11-17', true],
    ]),
  };
}
const ASK: CalendarQuery = {
  from: Date.UTC(2026, 10, 16),
  to: Date.UTC(2026, 10, 19),
  mode: 'worst',
  companies: [],
  sources: [],
  types: [],
  instructionTypes: [],
  problemsOnly: false,
  text: '',
  folded: [],
  rows: { first: 0, count: 20 },
  days: { first: 0, count: 3 },
};
const must = (view: Omit<CalendarView, 'version'> | null): Omit<CalendarView, 'version'> => {
  if (!view) throw new Error('no calendar');
  return view;
};

test('CAL-2: mixed results show as a warning, and each mode shows its own of three results', () => {
  const { both, run, days } = small();
  const calendar = makeCalendar();
  run(1, 0, 1, 'Failed');
  run(1, 0, 5, 'Success');
  run(1, 1, 1, 'Failed');
  run(1, 1, 2, 'Missed');
  run(1, 2, 1, 'Success');
  run(1, 2, 2, 'Running');
  const cells = (mode: CalendarQuery['mode']): unknown => {
    const line = must(calendar({ engine: both.engine, days }, { ...ASK, mode }, at)).lines.find(
      (one) => one.kind === 'job' && one.job === 1,
    );
    return line?.kind === 'job' ? line.cells : null;
  };
  expect(cells('worst')).toEqual(['Running', 'Failed', 'Failed']);
  expect(cells('best')).toEqual(['Success', 'Missed', 'Success']);
  expect(cells('last')).toEqual(['Success', 'Missed', 'Success']);
  expect(cells('mixed')).toEqual(['Success', 'Failed', 'Warning']);
});

test('CAL-3, CAL-4: companies are sorted by name in any case, with their bad days, share and folding; disabled jobs show as off on days without runs', () => {
  const { both, run, days } = small();
  const calendar = makeCalendar();
  run(1, 0, 1, 'Failed');
  run(2, 0, 1, 'Missed');
  run(2, 1, 1, 'Warning');
  run(3, 1, 1, 'Anomaly');
  const view = must(calendar({ engine: both.engine, days }, ASK, at));
  expect(view.lines.map((line) => line.name)).toEqual([
    'alpha',
    'files',
    'mail',
    'Beta',
    'Archive',
    'nightly',
  ]);
  expect(view).toMatchObject({ total: 6, jobs: 4, first: 0, keptFrom: Date.UTC(2026, 10, 1) });
  expect(view.lines[1]).toMatchObject({
    cells: ['off', 'Anomaly', 'off'],
    share: 1,
    counts: [0, 0, 0, 1, 0, 0, 0],
  });
  expect(view.lines[2]).toMatchObject({ cells: [null, null, null], share: null });
  expect(view.lines[3]).toMatchObject({
    kind: 'company',
    bad: [0, 0, 2],
    share: 1 / 3,
    jobs: 2,
    folded: false,
  });
  const folded = must(
    calendar(
      { engine: both.engine, days },
      { ...ASK, folded: [2], rows: { first: 1, count: 2 }, days: { first: 2, count: 5 } },
      at,
    ),
  );
  expect(folded).toMatchObject({ total: 4, jobs: 4, first: 1 });
  expect(folded.lines.map((line) => line.name)).toEqual(['Beta', 'Archive']);
  expect(folded.lines[0]).toMatchObject({ bad: [2] });
  expect(folded.lines[1]).toMatchObject({ cells: ['Missed'], share: 1 / 2 });
  const troubled = must(
    calendar({ engine: both.engine, days }, { ...ASK, problemsOnly: true }, at),
  );
  expect(troubled.lines.map((line) => line.name)).toEqual([
    'alpha',
    'files',
    'Beta',
    'Archive',
    'nightly',
  ]);
});

test('CAL-1: a result moves to another day with the time zone and the hour at which days start', () => {
  const { both, run, days } = small();
  const calendar = makeCalendar();
  run(1, 1, 3, 'Failed');
  const cells = (): unknown => {
    const line = must(
      calendar({ engine: both.engine, days }, { ...ASK, days: { first: 0, count: 9 } }, at),
    ).lines.find((one) => one.kind === 'job' && one.job === 1);
    return line?.kind === 'job' ? line.cells : null;
  };
  expect(cells()).toEqual([null, 'Failed', null]);
  both.engine.zone('UTC', 4);
  // the days begin a day earlier: the time asked for touches four
  expect(cells()).toEqual([null, 'Failed', null, null]);
  both.engine.zone('America/New_York', 0);
  expect(cells()).toEqual([null, 'Failed', null, null]);
});

test('CAL-5: a day is stored when all its results are, and days know weekends and today', () => {
  const { both, days } = small();
  const calendar = makeCalendar();
  const heads = must(
    calendar(
      { engine: both.engine, days: new Map([...days, ['2026-11-16', false]]) },
      { ...ASK, from: Date.UTC(2026, 9, 31), to: Date.UTC(2026, 10, 19) },
      at,
    ),
  ).days;
  expect(heads.map(({ day }) => day).at(-1)).toBe('2026-11-18');
  expect(heads.filter(({ here }) => !here).map(({ day }) => day)).toEqual([
    '2026-10-31',
    '2026-11-16',
  ]);
  expect(heads.filter(({ weekend }) => weekend).map(({ day }) => day)).toEqual([
    '2026-10-31',
    '2026-11-01',
    '2026-11-07',
    '2026-11-08',
    '2026-11-14',
    '2026-11-15',
  ]);
  expect(heads.filter(({ today }) => today).map(({ day }) => day)).toEqual(['2026-11-18']);
});

test('CAL-4: unchanged days are not computed again', () => {
  const { both, run, days } = small();
  const calendar = makeCalendar();
  for (let day = 0; day < 3; day++) run(1, day, 2, 'Success');
  must(calendar({ engine: both.engine, days }, ASK, at));
  let reads = 0;
  both.engine.walk(0, Infinity, ({ cols }) => {
    const { kind } = cols;
    Object.defineProperty(cols, 'kind', {
      get: () => {
        reads += 1;
        return kind;
      },
    });
  });
  must(calendar({ engine: both.engine, days }, { ...ASK, mode: 'best' }, at));
  expect(reads).toBe(0);
  run(1, 0, 3, 'Failed');
  const line = must(calendar({ engine: both.engine, days }, ASK, at)).lines.find(
    (one) => one.kind === 'job' && one.job === 1,
  );
  expect(line).toMatchObject({ cells: ['Success', 'Success', 'Failed'] });
});

/** Hand-typed: what a tool does with backups that exist. */
const WITH_BACKUPS = new Set(['BackupCopy', 'SureBackup', 'Copy', 'Other']);
const MIXED = ['Other', 'BackupCopy', 'SureBackup', 'Backup', 'Copy'] as const;
const GRAVEST = ['Failed', 'Error', 'Missed', 'Warning', 'Anomaly', 'Running', 'Success'];

test('CAL-6: a company is green on days when a backup job succeeded, whatever its copies, restores and checks did', () => {
  fc.assert(
    fc.property(steps, question, zone, fc.nat(23), about, (all, one, timeZone, hour, now) => {
      const both = makeBoth(timeZone, hour);
      const whole = { first: 0, count: 1_000 };
      const ask = { ...toCalendarQuery(one, now), folded: [], rows: whole, days: whole };
      for (const step of moved(all, now - NOW))
        both.take(
          step.kind === 'put'
            ? {
                ...step,
                job: step.job.map((job) => ({
                  ...job,
                  type: MIXED[job.n % MIXED.length] ?? 'Other',
                })),
              }
            : step,
        );
      const sheet = makeCalendar()(
        { engine: both.engine, days: new Map() },
        { ...ask, lines: 'company' },
        now,
      );
      const slow = slowCalendar(both.plain, new Map(), ask, now);
      const alone = ask.types.length > 0 && ask.types.every((type) => WITH_BACKUPS.has(type));
      const wanted = slow.lines.flatMap((head) => {
        if (head.kind !== 'company') return [];
        const own = slow.lines.flatMap((line) =>
          line.kind === 'job' && both.plain.jobs.get(line.job)?.company === head.company
            ? [{ line, job: both.plain.jobs.get(line.job) }]
            : [],
        );
        return [
          slow.days.map((_day, i) => {
            const states = own.map(({ line, job }) =>
              line.cells[i] === 'Success' && WITH_BACKUPS.has(job?.type ?? '') && !alone
                ? null
                : (line.cells[i] ?? null),
            );
            return (
              GRAVEST.find((state) => states.some((shown) => shown === state)) ??
              (own.every(({ job }) => job?.enabled === false) ? 'off' : null)
            );
          }),
        ];
      });
      expect(sheet?.lines.map((line) => line.cells)).toEqual(wanted);
    }),
    { numRuns: numRuns(300) },
  );
});

test("CAL-6: a successful restore doesn't show on its company's day, a failed one does, and a backup makes the day green", () => {
  const { both, run, days } = small();
  both.take({
    kind: 'put',
    company: [],
    cause: [],
    problem: [],
    job: [getJob(1, 1, 'job 1'), { ...getJob(2, 1, 'job 2'), type: 'Other' }],
  });
  run(2, 2, 3, 'Success');
  run(2, 1, 3, 'Failed');
  run(2, 0, 3, 'Success');
  run(1, 0, 4, 'Success');
  const cells = (more: Partial<CalendarQuery>) =>
    makeCalendar()(
      { engine: both.engine, days },
      { ...ASK, companies: [1], lines: 'company', ...more },
      at,
    )?.lines.map((line) => line.cells);
  expect(cells({})).toEqual([[null, 'Failed', 'Success']]);
  expect(cells({ types: ['Other', 'Backup'] })).toEqual([[null, 'Failed', 'Success']]);
  expect(cells({ types: ['Other'] })).toEqual([['Success', 'Failed', 'Success']]);
  expect(cells({ lines: 'job' })).toEqual([
    [null, null, 'Success'],
    ['Success', 'Failed', 'Success'],
  ]);
});
