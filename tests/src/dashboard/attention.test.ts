import { expect, test } from 'vitest';
import type { ComputerOut, RepositoryOut } from '#contract/daily-checks/operator-calls.ts';
import type { Attention } from '#contract/dashboard/overview.ts';
import type { RunState } from '#contract/runs/query.ts';
import {
  attentionLines,
  headline,
  openWords,
  sinceText,
  whom,
} from '#src/features/dashboard/attention.ts';
import {
  companyComputersAddress,
  firstSeenWords,
  seenBy,
  unprotected,
} from '#src/features/dashboard/computers.ts';
import { fillingUp, fullWords, mostPressing } from '#src/features/shared/capacity.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY = 86_400_000;
const RULE = { zone: 'UTC', hour: 0 };
const problem = (state: RunState, run: number, of: Partial<Attention> = {}): Attention => ({
  state,
  cause: null,
  template: null,
  message: null,
  jobs: 1,
  companies: 1,
  run,
  jobName: 'SQL nightly',
  companyName: 'Oakhurst',
  computer: 'OC-BKP',
  since: NOW - DAY,
  lastGoodAt: null,
  strip: [],
  ...of,
});
const repository = (
  name: string,
  days: number | null,
  of: Partial<RepositoryOut> = {},
): RepositoryOut => ({
  _id: name,
  company: 1,
  companyName: 'Oakhurst',
  name,
  type: null,
  hostName: null,
  path: null,
  capacityBytes: 100,
  freeBytes: 3,
  usedBytes: 97,
  sampledAt: NOW,
  days: [],
  fullAt: days === null ? null : NOW + days * DAY,
  ...of,
});
const computer = (hostName: string, of: Partial<ComputerOut> = {}): ComputerOut => ({
  _id: hostName,
  company: 1,
  companyName: 'Oakhurst',
  hostName,
  os: null,
  osType: null,
  ipAddresses: [],
  firstSeenAt: NOW - 9 * DAY,
  seenAt: NOW,
  lastSeenAt: new Date(NOW).toISOString(),
  jobs: 0,
  note: null,
  ignored: null,
  ignoredUntil: null,
  ...of,
});

test('DASH-6: attention items are listed worst first, and problems beside the results always have their line', () => {
  const problems = [
    ...Array.from({ length: 7 }, (_, i) => problem('Failed', i)),
    problem('Warning', 8),
  ];
  const failed = [
    {
      entity: 'Cloud Director',
      at: NOW - 7 * 3_600_000,
      message: 'Certificate expired',
      kind: 'connection' as const,
      id: null,
      name: 'Cloud Director',
      company: null,
    },
  ];
  const lines = attentionLines(problems, {
    failed,
    filling: fillingUp([repository('R1', 2), repository('R2', 30)], [], NOW),
    computers: [computer('a'), computer('b')],
  });
  expect(lines.map(({ kind }) => kind)).toEqual([
    'problem',
    'problem',
    'problem',
    'problem',
    'problem',
    'source',
    'repository',
    'computers',
  ]);
  expect(lines[6]).toMatchObject({ of: [{ name: 'R1' }] });
  expect(attentionLines(problems, { failed: [], filling: [], computers: [] })).toHaveLength(8);
  const few = attentionLines([problem('Failed', 1), problem('Missed', 2), problem('Warning', 3)], {
    failed,
    filling: [],
    computers: [computer('a')],
  });
  expect(few.map((line) => (line.kind === 'problem' ? line.of.state : line.kind))).toEqual([
    'Failed',
    'source',
    'Missed',
    'Warning',
    'computers',
  ]);
});

test('DASH-6: a line says what is wrong, whom it affects and since when', () => {
  const group = problem('Failed', 1, {
    cause: 4,
    template: 'Unable to connect to ‹host›',
    message: 'Unable to connect to sql-1',
    jobs: 40,
    companies: 12,
  });
  expect([headline(group), whom(group)]).toEqual([
    'Unable to connect to ‹host›',
    '40 jobs, 12 companies',
  ]);
  expect(whom({ ...group, jobs: 2, companies: 1 })).toBe('2 jobs, Oakhurst');
  const alone = problem('Failed', 1, {
    template: 'Unable to connect to ‹host›',
    message: 'Unable to connect to sql-1',
  });
  expect([headline(alone), whom(alone)]).toEqual([
    'Unable to connect to sql-1',
    'Oakhurst, SQL nightly on OC-BKP',
  ]);
  expect(whom({ ...alone, jobName: 'OC-BKP - Entire computer' })).toBe(
    'Oakhurst, OC-BKP - Entire computer',
  );
  expect([headline(problem('Missed', 1)), headline(problem('Anomaly', 1))]).toEqual([
    'No result arrived when one was due',
    'Anomaly',
  ]);
  expect([
    sinceText(NOW - 2 * 3_600_000, NOW, 'UTC'),
    sinceText(NOW - 6 * DAY, NOW, 'UTC'),
  ]).toEqual(['since 10:00 AM', '6 d']);
});

test('DASH-6: the count beside the attention list names its days', () => {
  expect(openWords(1_204)).toBe('1,204 open from any day, worst first');
});

test('DASH-7: repositories show the day on which they will be full, soonest first, and only those that fill up', () => {
  const filling = fillingUp(
    [
      repository('later', 48),
      repository('never', null),
      repository('soon', 2.5),
      repository('other', 1, { company: 2 }),
      repository('full', -1),
    ],
    [1],
    NOW,
  );
  expect(filling.map(({ name, daysLeft, tone }) => [name, daysLeft, tone])).toEqual([
    ['full', 0, 'failed'],
    ['soon', 2, 'warning'],
    ['later', 48, 'trace'],
  ]);
  expect(filling.map((one) => fullWords(one, NOW))).toEqual([
    'full',
    'full in 2 days',
    'full in 48 days',
  ]);
  expect(fullWords({ daysLeft: 0, fullAt: NOW + 1_000 }, NOW)).toBe('full within a day');
  expect(
    fillingUp(
      [repository('a', 9, { usedBytes: null }), repository('b', 9, { capacityBytes: null })],
      [],
      NOW,
    ).map(({ used }) => used),
  ).toEqual([0.97, null]);
  expect(
    mostPressing(
      fillingUp(
        Array.from({ length: 9 }, (_, i) => repository(`r${i}`, i)),
        [],
        NOW,
      ),
    ),
  ).toHaveLength(5);
});

test("DASH-8: a computer is unprotected if it was seen, has no job, and isn't ignored", () => {
  const by = { by: 'u', at: NOW };
  const found = unprotected(
    [
      computer('new', { firstSeenAt: NOW - DAY }),
      computer('old'),
      computer('has one', { jobs: 1 }),
      computer('meant', { ignored: { ...by, until: null } }),
      computer('meant until then', { ignored: { ...by, until: NOW + 1 } }),
      computer('no longer', { ignored: { ...by, until: NOW }, firstSeenAt: NOW - 2 * DAY }),
      computer('elsewhere', { company: 2 }),
    ],
    [1],
    NOW,
  );
  expect(found.map(({ hostName }) => hostName)).toEqual(['old', 'no longer', 'new']);
  expect(seenBy(found, ['2026-11-10', '2026-11-11', '2026-11-18', '2026-11-20'], RULE)).toEqual([
    0, 1, 2, 3,
  ]);
  expect([
    firstSeenWords(found, { from: NOW - 3 * DAY, to: NOW }),
    firstSeenWords(found, { from: NOW - 3 * DAY, to: NOW - 1.5 * DAY }),
    firstSeenWords(found, { from: 0, to: NOW - 30 * DAY }),
  ]).toEqual([
    '2 first seen in this period',
    '1 first seen in this period',
    'None first seen in this period',
  ]);
  expect(companyComputersAddress([], String)).toBe('/monitoring/daily-checks/computers');
  expect(companyComputersAddress([1, 2], String)).toBe('/monitoring/daily-checks/computers');
  expect(companyComputersAddress([1], () => 'Bell & Sons')).toBe(
    '/monitoring/daily-checks/computers?q=Bell+%26+Sons',
  );
});
