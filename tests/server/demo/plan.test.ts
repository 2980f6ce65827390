import { expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import { getDay } from '#contract/time/day.ts';
import { getTemplate } from '#contract/problems/cause.ts';
import { cronNext } from '#server/platform/jobs/cron.ts';
import { makeRng, getUuid } from '#server/demo/random.ts';
import { simulateRuns } from '#server/demo/simulate-runs.ts';
import type { JobPlan, ProviderPlan, DemoSize } from '#server/demo/plan.ts';
import { getRuns, usedShare } from '#server/demo/make-runs.ts';
import {
  getCron,
  everyMinutes,
  EVERY_DAY,
  plainCronNext,
  type When,
  WORKDAYS,
} from '#server/demo/times.ts';
import { BORN, DAY, getFirst, HOUR, getPlan } from './fixtures.ts';

const DAYS = Array.from({ length: 30 }, (_, i) => getDay(BORN, 'Europe/London', 0) - 30 + i);
const countOn = (plan: ProviderPlan, day: number, of = (_job: JobPlan): boolean => true): number =>
  plan.jobs.reduce((sum, job) => sum + (of(job) ? getRuns(plan, job, day).length : 0), 0);

const laptops = (job: JobPlan): boolean => job.group === 'monitored-agents';

test('EST-1: the same seed and start date generate the same data to the last run, another seed other data', () => {
  const [one, again, other] = [getPlan(), getPlan(), getPlan('small', BORN, 8)];
  expect(JSON.stringify(again)).toBe(JSON.stringify(one));
  expect(JSON.stringify(other)).not.toBe(JSON.stringify(one));
  const plan = getFirst(one);
  const runs = (p: ProviderPlan): string =>
    JSON.stringify(
      p.jobs.flatMap((job) => DAYS.slice(0, 5).flatMap((day) => getRuns(p, job, day))),
    );
  // Asked in another order, and of one job alone.
  expect(runs(getFirst(again))).toBe(runs(plan));
  const [job] = plan.jobs;
  if (!job) throw new Error('no job');
  expect(getRuns(plan, job, DAYS[3] ?? 0)).toEqual(getRuns(getFirst(again), job, DAYS[3] ?? 0));
});

test('EST-1: the two halves of a period generate the same runs as the whole', () => {
  const plan = getFirst(getPlan());
  const [from, middle, to] = [BORN - 2 * DAY, BORN - 1.3 * DAY, BORN];
  const since = BORN - 30 * DAY;
  const listRuns = (a: number, b: number): string[] =>
    simulateRuns(plan, since, a, b, 'all').map(
      (one) => `${one.at} ${one.kind} ${'run' in one ? one.run.id : ''}`,
    );
  expect([...listRuns(from, middle), ...listRuns(middle, to)]).toEqual(listRuns(from, to));
});

const MEASURES: [DemoSize, number, number, number][] = [
  ['small', 26, 700, 1_300],
  ['medium', 200, 3_000, 5_000],
  ['large', 1_000, 10_000, 20_000],
];
test.each(MEASURES)(
  'EST-2: %s has %d companies, %d jobs and about %d runs a day',
  (size, companies, jobs, runs) => {
    const plan = getFirst(getPlan(size));
    expect([plan.companies.length, plan.jobs.length]).toEqual([companies, jobs]);
    const days = DAYS.slice(0, size === 'large' ? 7 : 28);
    const perDay = days.reduce((sum, day) => sum + countOn(plan, day), 0) / days.length;
    expect(perDay).toBeGreaterThan(runs * 0.92);
    expect(perDay).toBeLessThan(runs * 1.08);
    // Few companies hold most of the jobs, and names that must be unique are.
    const sizes = plan.companies.map(
      (_, company) => plan.jobs.filter((job) => job.company === company).length,
    );
    expect(Math.max(...sizes)).toBeGreaterThan(2.5 * (jobs / companies));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(4);
    expect(new Set(plan.companies.map(({ name }) => name)).size).toBe(companies);
    expect(new Set(plan.companies.map(({ code }) => code)).size).toBe(companies);
    expect(new Set(plan.jobs.map(({ uid }) => uid)).size).toBe(jobs);
    expect(new Set(plan.jobs.map(({ company, name }) => `${company} ${name}`)).size).toBe(jobs);
  },
);

test('EST-3: weekends are quiet at workstations, weekly full backups move everything, and sizes grow', () => {
  const plan = getFirst(getPlan());
  const wednesday = DAYS.at(-7) ?? 0;
  const sunday = wednesday + 4;
  expect(countOn(plan, wednesday, laptops)).toBeGreaterThan(50);
  expect(countOn(plan, sunday, laptops)).toBe(0);
  const fulls = plan.jobs.filter((job) => job.moves === 'fulls');
  expect(fulls.length).toBeGreaterThan(2);
  const moved = (job: JobPlan, day: number): number =>
    getRuns(plan, job, day).find(({ status }) => status === 'Success')?.bytes ?? NaN;
  const [saturday, friday] = [wednesday + 3, wednesday + 2];
  const ratios = fulls
    .map((job) => moved(job, saturday) / moved(job, friday))
    .filter((ratio) => ratio > 0 && Number.isFinite(ratio));
  expect(ratios.sort((a, b) => a - b)[ratios.length >> 1]).toBeGreaterThan(6);
  const size = (job: JobPlan, day: number): number =>
    getRuns(plan, job, day).find(({ status }) => status === 'Success')?.processed ?? NaN;
  const growth = plan.jobs
    .map((job) => size(job, wednesday) / size(job, wednesday - 21))
    .filter(Number.isFinite);
  expect(growth.length).toBeGreaterThan(400);
  expect([Math.min(...growth) > 1, Math.max(...growth) > 1.05]).toEqual([true, true]);
});

test('EST-3: a repository fills up, stays full for a while and is cleaned up, and its jobs show it', () => {
  const plan = getFirst(getPlan());
  const [full] = plan.repositories.toSorted((a, b) => b.gain - a.gain);
  if (!full) throw new Error('no repository');
  const share = (days: number): number => usedShare(plan, full, BORN + days * DAY);
  expect([share(-30) < 0.65, share(0) > 0.93, share(6) > 0.99, share(12) < 0.75]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  const place = plan.repositories.indexOf(full);
  const writers = plan.jobs.filter((job) => job.repository === place && job.source === 'vbr');
  const says = (day: number): Set<string> =>
    new Set(
      writers.flatMap((job) =>
        getRuns(plan, job, day).flatMap(({ message }) =>
          message === null ? [] : [getTemplate(message).kind],
        ),
      ),
    );
  expect(writers.length).toBeGreaterThan(3);
  expect([...says(DAYS[2] ?? 0)]).not.toContain('space');
  expect([...says((DAYS.at(-1) ?? 0) + 7)]).toContain('space');
});

test('EST-3: laptops are away for days, and a disabled job no longer runs', () => {
  const plan = getFirst(getPlan());
  const away = plan.jobs.filter((job) => plan.machines[job.machine]?.habit === 'away');
  const gaps = away.filter(
    (job) =>
      DAYS.filter(
        (day) => [1, 2, 3, 4, 5].includes((day + 4) % 7) && getRuns(plan, job, day).length === 0,
      ).length >= 2,
  );
  expect(gaps.length).toBeGreaterThan(away.length / 3);
  const [forgotten] = plan.jobs.filter((job) => job.habit.kind === 'forgotten');
  if (!forgotten) throw new Error('none is forgotten');
  expect([
    DAYS.slice(0, 9).some((day) => getRuns(plan, forgotten, day).length > 0),
    DAYS.slice(13).some((day) => getRuns(plan, forgotten, day).length > 0),
  ]).toEqual([true, false]);
});

test('EST-3: while somebody watches, something happens every minute or two', () => {
  const plan = getPlan();
  const at = plan.providers
    .flatMap((one) => simulateRuns(one, BORN - 30 * DAY, BORN, BORN + 3 * HOUR, 'all'))
    .map((one) => one.at)
    .sort((a, b) => a - b);
  const gaps = at.slice(1).map((one, i) => one - (at[i] ?? one));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  expect(
    [mean < 75_000, Math.max(...gaps) < 240_000],
    `on average ${mean}, at most ${Math.max(...gaps)}`,
  ).toEqual([true, true]);
});

test('EST-10: two providers on two hosts with their own branding, and a user for each role', () => {
  const [own, other, ...more] = getPlan().providers;
  expect(more).toEqual([]);
  expect([own?.host, other?.host]).toEqual([null, 'harbour.localhost']);
  expect(own?.branding.name).not.toBe(other?.branding.name);
  expect(other?.branding).toMatchObject({
    accent: expect.stringMatching(/^#[\da-f]{6}$/),
    sidebar: expect.stringMatching(/^#[\da-f]{6}$/),
    sidebarLogoUrl: '/harbour.svg',
    timeZone: 'America/New_York',
  });
  expect(other?.companies.length).toBe(8);
  expect(new Set(own?.people.flatMap(({ roles }) => roles))).toEqual(new Set(ROLES));
  // A customer who reads, and one who subscribes: who sees all companies subscribes to nothing (BILL-14).
  expect(
    own?.people.flatMap(({ roles, company }) => (company === null ? [] : [roles.join()])),
  ).toEqual(['read-only', 'o365_admin']);
});

test('EST-11: the fast cron parser returns the same times as the general one', () => {
  const random = makeRng('cron');
  const zones = ['Europe/London', 'America/New_York', 'UTC'];
  for (let i = 0; i < 200; i += 1) {
    const when: When = {
      times:
        i % 4 === 0 ? everyMinutes([30, 60, 240, 480][(i % 16) >> 2] ?? 60, i) : [(i * 37) % 1_440],
      days: i % 3 === 0 ? WORKDAYS : i % 5 === 0 ? 0b100_0000 : EVERY_DAY,
      tz: zones[i % 3] ?? 'UTC',
    };
    // Off the hour that the clocks skip: there the two may differ, as tools do.
    const after = Date.UTC(2026, 3 + (i % 5), 1) + Math.floor(random() * 20 * DAY);
    expect(
      plainCronNext(getCron(when), when.tz, after),
      `${getCron(when)} ${when.tz} after ${new Date(after).toISOString()}`,
    ).toBe(cronNext(getCron(when), when.tz, after));
  }
});

test('EST-1: generated IDs are UUIDs, and unique', () => {
  const ids = Array.from({ length: 5_000 }, (_, i) => getUuid('ids', i));
  expect(new Set(ids).size).toBe(5_000);
  expect(
    ids.every((id) => /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id)),
  ).toBe(true);
});
