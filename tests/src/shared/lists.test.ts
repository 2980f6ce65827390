import { expect, test } from 'vitest';
import { getSteps } from '#src/features/shared/first-steps/steps.ts';
import { besidePlace, besideQuery } from '#src/features/shared/lists/address.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { ignoreChoices, ignoreUntil, notUntil } from '#src/features/shared/lists/ignore-times.ts';
import {
  getComputer,
  computersCount,
  computersShown,
  disabledCount,
  disabledShown,
  isIgnored,
} from '#src/features/shared/lists/rows.ts';
import type { Computer } from '#src/features/shared/lists/rows.ts';
import type { DisabledJob } from '#workers/api.ts';

const NOW = Date.UTC(2026, 10, 21, 7, 46);
const DAY = 86_400_000;
const by = (until: number | null) => ({ by: 'ann', at: 1, until, name: 'Ann' });
const job = (n: number, name: string, ignored: DisabledJob['ignored'] = null): DisabledJob => ({
  n,
  uid: `u${n}`,
  key: 'k',
  name,
  company: 1,
  companyName: 'Aldergate Vets',
  computer: `PC-${n}`,
  source: 'restic',
  type: 'Backup',
  ignored,
});
const computer = (id: string, more: Partial<Computer> = {}): Computer => ({
  id,
  company: 1,
  companyName: 'Aldergate Vets',
  hostName: id,
  os: 'Debian',
  osType: null,
  ipAddresses: ['10.0.0.7'],
  firstSeenAt: NOW - DAY,
  seenAt: NOW,
  lastSeenAt: new Date(NOW).toISOString(),
  jobs: 0,
  note: null,
  ignored: null,
  ignoredUntil: null,
  ...more,
});

test('LIST-1: a list shows entries that need attention, ignored ones only on request, and can be searched', () => {
  expect([
    isIgnored(null, NOW),
    isIgnored(by(null), NOW),
    isIgnored(by(NOW + 1), NOW),
    isIgnored(by(NOW), NOW),
  ]).toEqual([false, true, true, false]);
  const jobs = [job(1, 'SQL nightly'), job(2, 'Files', by(null)), job(3, 'Mail')];
  const found = (text: string, ignored: boolean): number[] =>
    disabledShown(jobs, { text, ignored }, NOW).map(({ n }) => n);
  expect([
    found('', false),
    found('', true),
    found('sql', false),
    found(' ALDERGATE ', true),
    found('pc-3', false),
    found('x', true),
  ]).toEqual([[1, 3], [1, 2, 3], [1], [1, 2, 3], [3], []]);
  expect(disabledCount(jobs, NOW)).toBe(2);
});

test('LIST-1: computers with a job are not listed; others are sorted by when they were first seen', () => {
  const names = new Map([[1, 'Aldergate Vets']]);
  const all = [
    computer('b'),
    computer('a', { firstSeenAt: NOW - 2 * DAY }),
    computer('c', { jobs: 1 }),
    computer('d', { ignored: by(NOW + DAY) }),
    computer('e', { ignored: by(NOW - DAY), firstSeenAt: NOW }),
  ];
  const found = (text: string, ignored: boolean): string[] =>
    computersShown(all, { text, ignored }, names, NOW).map(({ id }) => id);
  expect([
    found('', false),
    found('', true),
    found('vets', false),
    found('10.0.0', false),
    found('debian', true),
    found('zzz', true),
  ]).toEqual([
    ['a', 'b', 'e'],
    ['a', 'b', 'd', 'e'],
    ['a', 'b', 'e'],
    ['a', 'b', 'e'],
    ['a', 'b', 'd', 'e'],
    [],
  ]);
  expect(computersCount(all, NOW)).toBe(3);
  const { id, ...rest } = computer('f');
  expect(getComputer({ ...rest, ipAddresses: ['10.0.0.7'], _id: id })).toEqual(computer('f'));
});

test('LIST-2: the address holds the search and the switch of a list', () => {
  expect(besideQuery({ text: '', ignored: false })).toBe('');
  for (const place of [
    { text: 'a&b=c', ignored: true },
    { text: '', ignored: true },
    { text: 'sql', ignored: false },
  ])
    expect(besidePlace(besideQuery(place))).toEqual(place);
  expect(besidePlace('?ignored=maybe&x=1')).toEqual({ text: '', ignored: false });
});

test("LIST-3: entries are ignored for a week, 30 or 90 days until 8:00 in the provider's time zone, until a chosen day within a year, or forever", () => {
  const zone = 'Europe/Berlin';
  const at = Date.UTC(2026, 9, 20, 22, 30); // 10/21 00:30 in Berlin, before the clock change
  expect(ignoreChoices(at, zone, true).map(({ label, until }) => [label, until])).toEqual([
    ['For a week', Date.UTC(2026, 9, 28, 7)],
    ['For 30 days', Date.UTC(2026, 10, 20, 7)],
    ['For 90 days', Date.UTC(2027, 0, 19, 7)],
    ['Permanently', null],
  ]);
  expect(ignoreChoices(at, zone, false)).toHaveLength(3);
  expect(ignoreUntil('2026-12-01', zone)).toBe(Date.UTC(2026, 11, 1, 7));
  expect(ignoreUntil('soon', zone)).toBe(null);
  expect([
    notUntil(null, NOW),
    notUntil(NOW + DAY, NOW),
    notUntil(NOW, NOW),
    notUntil(NOW + 367 * DAY, NOW),
  ]).toEqual([null, null, 'Choose a date in the future.', 'Choose a date within a year.']);
});

test("LIST-4: a failure shows the server's message if it helps, otherwise that of the catalog", () => {
  const words = 'Error while trying to add the job to the ignore, try again later.';
  expect(getFailureText({ kind: 'server-error', message: words })).toBe(words);
  expect(getFailureText({ kind: 'conflict', message: "This job isn't disabled." })).toBe(
    "This job isn't disabled.",
  );
  expect(
    getFailureText({
      kind: 'bad-input',
      message: 'x',
      issues: [{ path: 'ignoredUntil', message: 'Choose a date in the future.' }],
    }),
  ).toBe('Choose a date in the future.');
  expect(getFailureText({ kind: 'bad-input', message: 'x', issues: [] })).toBe('x');
});

test('FIRST-1: an empty portal shows the next step: connect a source, then wait for its first result', () => {
  expect(getSteps([])).toEqual({ source: 'now', results: 'later' });
  expect(getSteps([{ revokedAt: 5 }])).toEqual({ source: 'now', results: 'later' });
  expect(getSteps([{ revokedAt: 5 }, { revokedAt: null }])).toEqual({
    source: 'done',
    results: 'waiting',
  });
});
