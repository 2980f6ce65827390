import { expect, test } from 'vitest';
import { PROBLEM_STATES, STATUSES } from '#contract/runs/vocabulary.ts';
import { getWeekday } from '#server/demo/times.ts';
import { BORN, DAY, getFirst, HOUR, pastIn, planned, getPlan } from './fixtures.ts';

const plan = getFirst(getPlan());
const { past, ground: fixture, events } = pastIn(plan);

test('EST-4: the bad Thursday fails forty jobs of one server with one cause', () => {
  const hit = events('problem.opened@1')
    .filter(({ job }) => planned(plan, fixture, job)?.habit.kind === 'thursday')
    .filter(
      ({ startedAt }) =>
        getWeekday(Math.floor(startedAt / DAY)) === 4 && startedAt > BORN - 7 * DAY,
    );
  expect(hit.length).toBe(40);
  expect(new Set(hit.map(({ cause }) => cause)).size).toBe(1);
  const rows = hit.flatMap(({ job }) => fixture.job.get(job) ?? []);
  expect([...new Set(rows.map(({ server }) => server))]).toEqual(['CBS-02']);
  expect(new Set(rows.map(({ company }) => company)).size).toBeGreaterThan(5);
  // Nothing else has it for a cause.
  const [first] = hit;
  expect(events('problem.opened@1').filter(({ cause }) => cause === first?.cause).length).toBe(40);
});

test('EST-4: every state of a run and of a problem occurs in the history', () => {
  const statuses = new Set([...fixture.run.values()].map(({ status }) => status));
  expect([...STATUSES].filter((status) => !statuses.has(status))).toEqual([]);
  const states = new Set([...fixture.problem.values()].map(({ state }) => state));
  expect([...PROBLEM_STATES].filter((state) => !states.has(state))).toEqual([]);
  const good =
    [...fixture.run.values()].filter(({ status }) => status === 'Success').length /
    fixture.run.size;
  expect([good > 0.94, good < 0.985]).toEqual([true, true]);
});

test('EST-4: one job is disabled and forgotten, and not missed since', () => {
  const off = [...fixture.job.values()].filter(({ enabled }) => !enabled);
  expect(off.length).toBe(1);
  expect(
    events('run.missed@1').filter(
      ({ job, startedAt }) => job === off[0]?.n && startedAt > BORN - 19 * DAY,
    ),
  ).toEqual([]);
});

test('EST-4: events are in order of their times, each with its own actor', () => {
  expect(past.by.length).toBe(past.drafts.length);
  const steps = past.by.map(({ at }) => Math.floor(at / 60_000));
  expect(steps.every((at, i) => i === 0 || at >= (steps[i - 1] ?? 0))).toBe(true);
  expect([
    (steps[0] ?? 0) >= Math.floor((BORN - 30 * DAY) / 60_000),
    (steps.at(-1) ?? 0) <= BORN / 60_000,
  ]).toEqual([true, true]);
  expect(new Set(past.by.map(({ actor }) => actor.kind))).toEqual(
    new Set(['source', 'clock', 'user']),
  );
});

// Whatever the day of the week and the hour at which somebody starts it.
test.each([
  '2026-03-09T00:40:00Z',
  '2026-03-10T22:20:00Z',
  '2026-03-13T00:40:00Z',
  '2026-03-14T09:10:00Z',
  '2026-03-15T16:30:00Z',
])(
  'EST-5: started at %s, the small data set opens with dozens of problems to clear, grouped by cause',
  (begun) => {
    const bornAt = Date.parse(begun);
    const { ground: left } = pastIn(getFirst(getPlan('small', bornAt)));
    const open = [...left.problem.values()].filter(({ closedAt }) => closedAt === null);
    const pending = open.filter(
      ({ review, snooze }) => review === null && (snooze === null || snooze.until <= bornAt),
    );
    expect([pending.length >= 25, pending.length <= 80], `${pending.length} to clear`).toEqual([
      true,
      true,
    ]);
    expect(new Set(pending.map(({ cause }) => cause)).size).toBeLessThan(pending.length * 0.7);
    expect(
      open.filter(({ snooze }) => snooze !== null && snooze.until > bornAt).length,
    ).toBeGreaterThan(0);
    expect([...left.run.values()].some(({ status }) => status === 'Running')).toBe(true);
  },
);

test('EST-5: the history has been worked on: reviews with comments, notes, snoozes with reasons, tickets, and jobs marked as normal', () => {
  const reviews = events('problem.reviewed@1');
  expect(reviews.length).toBeGreaterThan(100);
  expect(reviews.filter(({ comment }) => comment !== null).length).toBeGreaterThan(30);
  expect(events('problem.noted@1').length).toBeGreaterThan(5);
  expect(events('problem.snoozed@1').length).toBeGreaterThan(5);
  expect(events('problem.ticketSet@1').length).toBeGreaterThan(5);
  expect(events('job.calibrated@1').length).toBeGreaterThan(3);
  // Nobody has been at the desk since: what happened today is for whoever looks.
  const last = Math.max(
    ...past.by.filter(({ actor }) => actor.kind === 'user').map(({ at }) => at),
  );
  expect(BORN - last).toBeGreaterThan(18 * HOUR);
});

test('EST-4, TASK-1: jobs with several machines or mailboxes have a result for each, consistent with the run', () => {
  const details = past.tasks;
  expect(details.length).toBeGreaterThan(50);
  const runs = new Map(
    past.drafts.flatMap(({ event }) =>
      event.type === 'run.finished@1' ? [[event.data.n, event.data] as const] : [],
    ),
  );
  for (const { run, tasks } of details) {
    const row = runs.get(run);
    expect(new Set(tasks.map(({ name }) => name)).size, 'names').toBe(tasks.length);
    const bad = tasks
      .filter(({ status }) => status !== 'Success' && status !== 'Pending')
      .map(({ status }) => status);
    expect(bad).toEqual(row?.status === 'Success' ? [] : [row?.status]);
    const moved = tasks.reduce((sum, { bytesTransferred }) => sum + (bytesTransferred ?? 0), 0);
    if (tasks.some(({ status }) => status === 'Success' || status === 'Warning'))
      expect(Math.abs(moved - (row?.bytes ?? 0))).toBeLessThanOrEqual(tasks.length);
    else expect(moved).toBe(0);
  }
  // The same machines every night.
  const nights = new Map<number, Set<string>>();
  for (const { run, tasks } of details) {
    const job = runs.get(run)?.job ?? 0;
    nights.set(job, (nights.get(job) ?? new Set()).add(tasks.map(({ name }) => name).join()));
  }
  expect([...nights.values()].filter((names) => names.size !== 1)).toEqual([]);
});
