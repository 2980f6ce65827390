import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Execution } from '#contract/runs/calls.ts';
import { HISTORY_ACTIONS } from '#contract/runs/calls.ts';
import type { RunView } from '#contract/runs/query.ts';
import type { Task } from '#contract/runs/task.ts';
import { TASK_STATUSES } from '#contract/runs/task-status.ts';
import { worstFirst } from '#contract/runs/task.ts';
import { DEFAULT_LIST, toRunsFilter, ofCause } from '#src/features/shared/runs/list-state.ts';
import { doneWords } from '#src/features/shared/runs/labels.ts';
import { toHistoryLine } from '#src/features/daily-checks/run-panel/history-entries.ts';
import { getRow } from '#src/features/daily-checks/run-panel/from-execution.ts';
import { getDetails } from '#src/features/daily-checks/run-panel/details.ts';
import { reportedFacts } from '#src/features/daily-checks/run-panel/run-facts.ts';
import { sameCause } from '#src/features/daily-checks/run-panel/same-cause-query.ts';
import {
  drawMultiple,
  getNearestColumn,
  omitSharedUnit,
  stepColumn,
} from '#src/features/daily-checks/run-panel/small-multiple.ts';
import { getDoneWords, TASK_STATES } from '#src/features/daily-checks/run-panel/object-labels.ts';
import { MORE } from '#src/ui/icon-more.ts';
import { FIRST } from '#src/ui/icon-paths.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const task = (name: string, status: Task['status']): Task => ({
  name,
  status,
  startTime: null,
  durationSec: null,
  bytesTransferred: null,
  bytesProcessed: null,
  message: null,
});
const tasks = fc
  .array(fc.constantFrom(...TASK_STATUSES), { maxLength: 40 })
  .map((list) => list.map((status, place) => task(`VM-${place}`, status)));

test('PANEL-1: objects are counted: how many are done, and the states of the others', () => {
  expect(
    getDoneWords([
      task('a', 'Success'),
      task('b', 'Warning'),
      task('c', 'Failed'),
      task('d', 'Pending'),
      task('e', 'Pending'),
      task('f', 'Success'),
    ]),
  ).toBe('3 of 6 done, 1 failed, 1 with a warning, 2 not reached');
  expect(getDoneWords([task('a', 'Success')])).toBe('1 of 1 done');
  const icons: Readonly<Record<string, string>> = { ...FIRST, ...MORE };
  for (const status of TASK_STATUSES) expect(icons[TASK_STATES[status].icon]).toMatch(/^m/i);
  expect(new Set(TASK_STATUSES.map((status) => TASK_STATES[status].label)).size).toBe(
    TASK_STATUSES.length,
  );
});

test('TASK-1, PANEL-1: the worst come first, and equal ones keep their order', () => {
  fc.assert(
    fc.property(tasks, (list) => {
      const sorted = worstFirst(list);
      expect([...sorted].sort((a, b) => list.indexOf(a) - list.indexOf(b))).toEqual(list);
      const ranks = sorted.map(({ status }) => TASK_STATUSES.indexOf(status));
      expect(
        ranks.every(
          (rank, i) =>
            i === 0 ||
            rank > (ranks[i - 1] ?? 0) ||
            (rank === ranks[i - 1] &&
              list.indexOf(sorted[i] ?? task('', 'Failed')) >
                list.indexOf(sorted[i - 1] ?? task('', 'Failed'))),
        ),
      ).toBe(true);
    }),
    { numRuns: 100 * PROOF },
  );
});

type Entry = Execution['history'][number];
const entry = (what: Entry['what'], more: Partial<Entry> = {}): Entry => ({
  at: '2026-11-20T07:44:00.000Z',
  who: 'Dana Reyes',
  what,
  comment: null,
  until: null,
  ...more,
});
function line(one: Entry): string {
  const { who, did, message } = toHistoryLine(one, 'Failed', 'UTC');
  return [
    typeof did === 'string' ? did : did({ who: who ?? '' }),
    message === null ? '' : `(${message})`,
  ]
    .filter((word) => word !== '')
    .join(' ');
}

test('PANEL-2: the search for the same cause covers exactly what its link opens, whatever the filter of the list', () => {
  const rule = { zone: 'Europe/London', hour: 6 };
  for (const span of [
    { kind: 'last', days: 2 },
    { kind: 'last', days: 30 },
    { kind: 'range', from: '2026-11-02', to: '2026-11-09' },
  ] as const) {
    const list = {
      ...DEFAULT_LIST,
      span,
      rows: 'runs',
      companies: [4],
      text: 'sql',
      states: ['Warning'],
      anomaly: false,
      order: 'company',
      open: 9,
    } as const;
    const here = toRunsFilter(list, '2026-11-20', rule);
    const opened = toRunsFilter(ofCause(list, 5), '2026-11-20', rule);
    const { filter } = sameCause(5, here);
    expect([here.from !== null || here.to !== null, filter.from, filter.to]).toEqual([
      true,
      here.from,
      here.to,
    ]);
    // The order changes nothing of what is found.
    expect({
      ...opened,
      order: filter.order,
      reverse: filter.reverse,
      group: filter.group,
    }).toEqual(filter);
    expect(ofCause(list, 5).open, 'the run stays open').toBe(9);
  }
});

test('PANEL-3: each history entry is a sentence with its actor, and automatic ones have none', () => {
  expect(line(entry('Reviewed', { comment: 'seen' }))).toBe('Dana Reyes reviewed it (seen)');
  expect(
    line(entry('Snoozed', { until: '2026-11-23T08:00:00.000Z', comment: 'new disk on Monday' })),
  ).toBe('Dana Reyes snoozed it until 11/23/26 08:00 AM (new disk on Monday)');
  expect(line(entry('Note', { comment: 'client back Monday' }))).toBe(
    'Dana Reyes added a note (client back Monday)',
  );
  expect(line(entry('Ticket', { comment: '#48213' }))).toBe('Dana Reyes linked ticket #48213');
  expect(line(entry('Began', { who: 'Source' }))).toBe('Problem started');
  expect(line(entry('Over', { who: 'Source' }))).toBe('Problem ended: the job succeeded');
  expect(new Set(HISTORY_ACTIONS.map((what) => line(entry(what)))).size).toBe(
    HISTORY_ACTIONS.length,
  );
});

test('PANEL-4: a position on the chart selects the nearest run, keys step from run to run, and both stay within the runs', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.double({ min: -0.5, max: 1.5, noNaN: true }),
      (count, share) => {
        const { at } = drawMultiple(
          Array.from({ length: count }, (_, i) => ({ value: i, failed: false })),
          null,
          180,
          56,
        );
        const found = getNearestColumn(count, share, 180);
        const distances = at.map(({ x }) => Math.abs(x - share * 180));
        expect(distances[found]).toBeCloseTo(Math.min(...distances), 0);
        for (const key of [
          'ArrowLeft',
          'ArrowRight',
          'ArrowUp',
          'ArrowDown',
          'PageUp',
          'PageDown',
          'Home',
          'End',
        ]) {
          const to = stepColumn(key, found, count) ?? -1;
          expect([to >= 0, to < count]).toEqual([true, true]);
        }
      },
    ),
    { numRuns: 200 * PROOF },
  );
  expect([
    stepColumn('ArrowLeft', 5, 9),
    stepColumn('ArrowRight', 5, 9),
    stepColumn('Home', 5, 9),
    stepColumn('End', 5, 9),
    stepColumn('PageUp', 5, 9),
    stepColumn('j', 5, 9),
  ]).toEqual([4, 6, 0, 8, 8, null]);
  expect(getNearestColumn(0, 0.5, 180)).toBe(0);
});

const EXECUTION: Execution = {
  _id: '7',
  mongo_id: '7',
  jobInstanceUid: 'u',
  jobName: 'Files',
  companyName: 'Drummond & Pike',
  computerName: 'pc',
  serverName: '',
  source: 'vbr',
  type: 'Backup',
  entityGroup: 'other',
  managed: null,
  scheduleState: 'Chained',
  status: 'Failed',
  startTime: '2026-11-20T01:30:00.000Z',
  endTime: null,
  durationSec: null,
  bytesTransferred: null,
  bytesProcessed: null,
  filesTotal: null,
  filesFailed: null,
  exitCode: null,
  message: 'refused',
  scheduledFor: null,
  level: null,
  errorCount: null,
  warningCount: null,
  anomaly: [],
  note: null,
  ignoredUntil: null,
  ignoredReason: null,
  state: 'cleared',
  problem: {
    state: 'Failed',
    kind: 'connection',
    cause: 'refused',
    openedAt: '2026-11-18T01:30:00.000Z',
    closedAt: null,
    runs: 3,
    ticket: '#48213',
    elsewhere: [],
  },
  expectedAt: null,
  lastSuccessAt: null,
  detail: {},
  log: null,
  isLogDeleted: false,
  tasks: [],
  history: [],
  historyArchivedUntil: null,
};

const range = (low: string, high: string): string => `${omitSharedUnit(low, high)} to ${high}`;
test('PANEL-4: the lower end of the typical range has its unit, unless the other end is one number with the same one', () => {
  expect(range('40 min', '48 min')).toBe('40 to 48 min');
  expect(range('20.3 MB', '30.5 MB')).toBe('20.3 to 30.5 MB');
  expect(range('900 kB', '30.5 MB')).toBe('900 kB to 30.5 MB');
  expect(range('37 s', '1 min 17 s')).toBe('37 s to 1 min 17 s');
  expect(range('40 min', '1 h 05 min')).toBe('40 min to 1 h 05 min');
  expect(range('1 min 05 s', '1 min 17 s')).toBe('1 min 05 s to 1 min 17 s');
});

test('PANEL-5, RUN-6: a repeated failure shows since which day it is known, and who handled it', () => {
  const row = getRow(7, EXECUTION);
  expect(row.problem).toMatchObject({ day: 3, ticket: '#48213' });
  const now = Date.parse('2026-11-20T08:00:00Z');
  const before = Date.parse('2026-11-18T07:44:00Z');
  const until = Date.parse('2026-11-23T08:00:00Z');
  const said = (
    more: Partial<NonNullable<RunView['problem']>>,
    review: RunView['review'] = 'cleared',
  ): string | null =>
    doneWords(
      { ...row, review, problem: row.problem && { ...row.problem, ...more } },
      'me',
      now,
      'UTC',
    );
  expect(said({ review: { by: 'dana', at: before, comment: null, name: 'Dana Reyes' } })).toBe(
    'Known, day 3. Reviewed 11/18/26 07:44 AM by Dana Reyes',
  );
  expect(
    said({ snooze: { by: 'me', at: before, until, reason: 'disk', name: 'Me' } }, 'snoozed'),
  ).toBe('Known, day 3. Snoozed until 11/23/26 08:00 AM by you');
  // Reviewed after it ran: nothing was known before.
  expect(said({ review: { by: 'dana', at: now, comment: null, name: 'Dana Reyes' } })).toBe(
    'Reviewed 08:00 AM by Dana Reyes',
  );
  expect(said({}, 'pending')).toBeNull();
});

test('PANEL-7: a run shows its level, when it was scheduled with the delay, and its errors and warnings, where the tool reports them', () => {
  const shown = (more: Partial<Execution>, zone = 'Europe/Berlin'): readonly string[] =>
    reportedFacts({ ...EXECUTION, ...more }, zone).map(({ label, value }) => `${label}: ${value}`);
  expect(shown({})).toEqual([]);
  // It started at 01:30 UTC, which is 02:30 in Berlin.
  expect(
    shown({
      level: 'VirtualFull',
      scheduledFor: '2026-11-20T01:18:00.000Z',
      errorCount: 0,
      warningCount: 1204,
    }),
  ).toEqual([
    'Level: Virtual full',
    'Errors: 0',
    'Warnings: 1,204',
    'Scheduled for: 02:18 AM, started 12 min late',
  ]);
  expect(shown({ scheduledFor: '2026-11-20T01:29:01.000Z' })).toEqual(['Scheduled for: 02:29 AM']);
  expect(shown({ scheduledFor: '2026-11-20T01:29:00.000Z' })).toEqual([
    'Scheduled for: 02:29 AM, started 1 min late',
  ]);
  expect(shown({ scheduledFor: '2026-11-20T01:35:00.000Z' })).toEqual(['Scheduled for: 02:35 AM']);
  expect(shown({ scheduledFor: '2026-11-19T22:30:00.000Z' })).toEqual([
    'Scheduled for: 11/19/26 11:30 PM, started 3 h late',
  ]);
  // One that never started was not late: it did not run.
  expect(shown({ status: 'Missed', scheduledFor: '2026-11-20T01:00:00.000Z' })).toEqual([
    'Scheduled for: 11/20/26 02:00 AM',
  ]);
  expect(
    (['Full', 'Incremental', 'Differential', 'Base'] as const).flatMap((level) => shown({ level })),
  ).toEqual(['Level: Full', 'Level: Incremental', 'Level: Differential', 'Level: Base']);
  expect(
    reportedFacts({ ...EXECUTION, scheduledFor: '2026-11-20T01:18:00.000Z' }, 'Europe/Berlin')[0]
      ?.tip,
  ).toBe('2026-11-20 01:18:00 UTC');
});

const shownDetails = (detail: Execution['detail']): readonly string[] =>
  getDetails({ detail }).map(({ label, value }) => `${label}: ${value}`);

test('PANEL-8: every other detail that a tool or script reports is shown, known ones with a label and units', () => {
  expect(shownDetails({})).toEqual([]);
  // As the reader of `restic backup --json` writes them.
  expect(
    shownDetails({
      snapshot: '79766175d2ba',
      filesNew: 3,
      filesChanged: 0,
      filesUnmodified: 12_480,
      dataAdded: 4_096_000,
    }),
  ).toEqual([
    'Snapshot: 79766175d2ba',
    'New files: 3',
    'Changed files: 0',
    'Unchanged files: 12,480',
    'Data added: 4.1 MB',
  ]);
  // As the reader of Zerto's protection groups writes them.
  expect(shownDetails({ rpoSec: 540, configuredRpoSec: 300 })).toEqual([
    'Actual RPO: 9 min',
    'Configured RPO: 5 min',
  ]);
  expect(shownDetails({ speed: 1_000_000, interrupted: true, partial: false })).toEqual([
    'Speed: 1 MB/s',
    'Interrupted: Yes',
    'Partial backup: No',
  ]);
  // A script names what it likes, and nothing that objects inherit is a label.
  expect(
    shownDetails({
      'Tape label': 'LTO-0042',
      'constructor': 7,
      'toString': 'x',
      'empty': '',
      'none': null,
    }),
  ).toEqual(['Tape label: LTO-0042', 'constructor: 7', 'toString: x']);
});

test('PANEL-8: every detail that the readers and connections write has a label', () => {
  // Read from the code that writes them: `detail: details({ … })` and its like.
  const folders = ['server/features/ingest/tools', 'server/features/connections'];
  const written = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(`${folder}/${file}`, 'utf8').matchAll(
          /detail: (?:details|detailOf|given)\(\{([^{}]*)\}\)/g,
        ),
      ])
      .flatMap(([, body = '']) => [...body.matchAll(/(?:^|,)\s*(\w+)(?=\s*[:,]|\s*$)/g)])
      .map(([, key = '']) => key),
  );
  expect(written.length).toBeGreaterThan(30);
  expect(written).toContain('ignoredErrors');
  const bare = [...new Set(written)].filter(
    (key) => getDetails({ detail: { [key]: 1 } })[0]?.label === key,
  );
  expect(bare, 'Add their labels to LABELS in run-panel/details.ts.').toEqual([]);
});
