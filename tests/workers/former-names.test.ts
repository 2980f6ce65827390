import { expect, test } from 'vitest';
import type { QueuedCommand } from '#workers/types.ts';
import { getTableRows, renameRows } from '#workers/disk/table-snapshots.ts';
import { parseCommand } from '#workers/outbox/outbox-command.ts';

/** As a build of the version before stored them. */
const FORMER_JOBS = [
  { n: 1, schedule: { is: 'every', everySec: 3_600, kind: 'Periodically' } },
  { n: 2, schedule: null },
];
const FORMER_PROBLEMS = [
  { n: 1, tied: { id: 't', open: true, url: null } },
  { n: 2, tied: null },
  { n: 3 },
];
const JOBS = [
  { n: 1, schedule: { type: 'every', everySec: 3_600, kind: 'Periodically' } },
  { n: 2, schedule: null },
];
const PROBLEMS = [
  { n: 1, linkedTicket: { id: 't', open: true, url: null } },
  { n: 2, linkedTicket: null },
  { n: 3 },
];

test('LOG-10: rows that an older build stored on a device have the names of today', () => {
  expect(
    getTableRows([
      { table: 'job', chunk: 0, rows: FORMER_JOBS },
      { table: 'problem', chunk: 0, rows: FORMER_PROBLEMS },
    ]),
  ).toEqual({ job: JOBS, problem: PROBLEMS });
  const patch = { job: FORMER_JOBS, problem: FORMER_PROBLEMS } as never;
  expect(renameRows(patch)).toEqual({ job: JOBS, problem: PROBLEMS });
  const today = { job: JOBS, problem: PROBLEMS } as never;
  expect(renameRows(today)).toEqual(today);
});

const queued = (change: unknown): Pick<QueuedCommand, 'call' | 'input'> => ({
  call: 'changeExecution',
  input: { id: '7', change },
});

test('LOG-10, OUT-6: a change that an older build queued is read under the names of today', () => {
  expect(parseCommand(queued({ is: 'wake' }))).toEqual({
    kind: 'change',
    runs: [7],
    change: { kind: 'unsnooze' },
  });
  expect(parseCommand(queued({ is: 'note', content: 'disk 3' }))).toEqual({
    kind: 'change',
    runs: [7],
    change: { kind: 'note', content: 'disk 3' },
  });
  expect(parseCommand(queued({ was: 'wake' }))).toBeNull();
});
