import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { StartObstacle } from '#contract/backup/chains.ts';
import type { Schedule } from '#contract/backup/schedule.ts';
import { getHealth } from '#src/features/backup/organizations/health.ts';
import { NextRun } from '#src/features/backup/jobs/next-run.tsx';
import { scheduleLabel, getStripMarks } from '#src/features/backup/jobs/labels.ts';
import { suiteListAddress, listPlace } from '#src/features/shared/suite-list/address.ts';
import { StateText } from '#src/features/backup/state-text.tsx';
import { getPools } from '#src/features/backup/repositories/pools.ts';
import { retentionLabel } from '#src/features/backup/repositories/retention-label.ts';
import { job, organization, session } from './rows.ts';

const DAY = 86_400_000;
const NOW = 1_000 * DAY;
const expires = (days: number) => ({ thumbprint: 'a'.repeat(40), expiresAt: NOW + days * DAY });

test('SUITE-10: the state of an organization is the worst of its certificate and the last sessions of its jobs', () => {
  const of = (days: number | null, ...results: Parameters<typeof session>[0][]): string => {
    const { state, why } = getHealth(
      organization({ certificate: days === null ? null : expires(days) }),
      results.map((result) => job({ recent: [session(result), session('failed')] })),
      NOW,
    );
    return `${state} ${why}`;
  };
  expect([
    of(365),
    of(null, 'success'),
    of(30, 'success', 'success'),
    of(29, 'success'),
    of(29, 'warning'),
    of(29, 'failed'),
    of(365, 'success', 'warning'),
    of(365, 'success', 'failed'),
    of(365, 'cancelled'),
    of(-1, 'failed'),
    of(-1),
  ]).toEqual([
    'none no-jobs',
    'success job',
    'success job',
    'warning certificate-expires',
    'warning certificate-expires',
    'failed job',
    'warning job',
    'failed job',
    'warning job',
    'failed certificate-expired',
    'failed certificate-expired',
  ]);
  expect(getHealth(organization(), [job()], NOW)).toEqual({ state: 'none', why: 'no-run' });
  // What an administrator of the tenant has to set up stays until a check finds it.
  const lacks = (more: Parameters<typeof organization>[0], result: 'failed' | 'success') =>
    getHealth(organization(more), [job({ recent: [session(result)] })], NOW).why;
  expect([
    lacks({ missingPermissions: ['Mail.Read'] }, 'success'),
    lacks({ missingPermissions: ['Mail.Read'] }, 'failed'),
    lacks({ isCertificateMissing: true, missingPermissions: ['Mail.Read'] }, 'failed'),
    lacks({ missingPermissions: [], isCertificateMissing: false }, 'success'),
  ]).toEqual(['permissions', 'job', 'certificate-missing', 'job']);
  // The job that this one follows was deleted: devices no longer have it.
  const chained = {
    type: 'Chained',
    chainedAfter: '20000000-0000-4000-8000-000000000009',
  } as const;
  const follower = job({
    recent: [session('success')],
    schedulePolicy: { ...job().schedulePolicy, schedule: chained },
  });
  expect(getHealth(organization(), [follower], NOW)).toEqual({
    state: 'warning',
    why: 'job-never-starts',
  });
  const running = { id: 's', startedAt: 1 };
  expect(getHealth(organization(), [job({ running })], NOW).state).toBe('running');
});

test('SUITE-10: the strip has the last fourteen sessions, oldest first, and the one in progress last', () => {
  const recent = [session('failed'), session('warning'), session('success')];
  const strip = getStripMarks({ recent, running: { id: 's', startedAt: 1 } }, 14);
  expect(strip).toHaveLength(14);
  expect(strip.slice(9)).toEqual([null, 'Success', 'Warning', 'Failed', 'Running']);
  const many = Array.from({ length: 14 }, () => session('success'));
  expect(getStripMarks({ recent: many, running: { id: 's', startedAt: 1 } }, 14)).toHaveLength(14);
});

test('SUITE-10: a schedule reads as it runs', () => {
  const words: readonly (readonly [Schedule, string])[] = [
    [{ type: 'Daily', dailyType: 'Everyday', dailyTime: '22:00' }, 'Every day at 10:00 PM'],
    [{ type: 'Daily', dailyType: 'Workdays', dailyTime: '06:30' }, 'Workdays at 06:30 AM'],
    [
      { type: 'Monthly', monthlyNumber: 'Last', monthlyDay: 'Friday', monthlyTime: '01:00' },
      'Last Friday of the month at 01:00 AM',
    ],
    [
      { type: 'Monthly', monthlyNumber: 'First', monthlyDay: 'Day', monthlyTime: '01:00' },
      'First day of the month at 01:00 AM',
    ],
    [{ type: 'Periodically', periodicallyEvery: 'Minutes15' }, 'Every 15 minutes'],
    [{ type: 'Periodically', periodicallyEvery: 'Hours1' }, 'Every hour'],
    [{ type: 'Continuously' }, 'Continuous'],
    [{ type: 'Chained', chainedAfter: '20000000-0000-4000-8000-000000000009' }, 'After Mail'],
    [{ type: 'Disabled' }, 'Manual'],
  ];
  for (const [schedule, word] of words) expect(scheduleLabel(schedule, 'Mail')).toBe(word);
});

const renderNextRun = (obstacle: StartObstacle | null): string =>
  renderToStaticMarkup(createElement(NextRun, { at: null, now: NOW, zone: 'UTC', obstacle }));
test('PLAN-5: a job that its schedule never starts says so and why, instead of when it runs next', () => {
  const html = renderNextRun({ kind: 'job-disabled', jobName: 'Mail' });
  expect(html).toContain('Never starts');
  expect(html).toContain('The job Mail, which this job follows, is disabled.');
  expect(renderNextRun(null)).not.toContain('Never starts');
  expect(
    scheduleLabel({ type: 'Chained', chainedAfter: '20000000-0000-4000-8000-000000000009' }, null),
  ).toBe('After a deleted job');
});

test('SUITE-10: the address of a list has its search, its tab and the open entry', () => {
  const place = { text: 'cop & line', open: 'id-1', tab: 'pools' };
  const address = suiteListAddress('/o365/repositories', place);
  expect(address).toBe('/o365/repositories?tab=pools&q=cop+%26+line&open=id-1');
  expect(listPlace(address.split('?')[1] ?? '')).toEqual(place);
  expect(suiteListAddress('/o365/jobs', listPlace(''))).toBe('/o365/jobs');
});

const proxy = (name: string, pool: string | null) => ({
  id: name,
  hostName: 'host.example.com',
  version: '1',
  name,
  pool,
  maintenance: false,
  joinedAt: 1,
  updatedAt: 1,
  removedAt: null,
});

test('SUITE-10: retention reads in years, and proxies of a pool are listed together', () => {
  expect((['Year1', 'Years25', 'Keep'] as const).map(retentionLabel)).toEqual([
    '1 year',
    '25 years',
    'Keep forever',
  ]);
  expect(
    getPools([proxy('b', 'West'), proxy('a', 'East'), proxy('c', null), proxy('d', 'West')]).map(
      ({ name, proxies }) => [name, proxies.map((one) => one.name)],
    ),
  ).toEqual([
    ['East', ['a']],
    ['West', ['b', 'd']],
  ]);
});

test('SUITE-10: the word of a state wraps where it is too long for its column, and is never cut', () => {
  const markup = renderToStaticMarkup(
    createElement(StateText, {
      label: { label: 'A backup has warnings', icon: 'warning', text: 'text-warning' },
    }),
  );
  expect(markup).toContain('A backup has warnings');
  expect(markup).not.toMatch(/truncate|nowrap|ellipsis/);
});
