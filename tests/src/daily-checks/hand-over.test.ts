import { expect, test } from 'vitest';
import { shiftFields } from '#contract/daily-checks/hand-over.ts';
import * as v from 'valibot';
import { DEFAULT_LIST } from '#src/features/shared/runs/list-state.ts';
import {
  allOpen,
  toHandOver,
  shiftBegan,
  sinceHandOverText,
  findUnreadHandOver,
  unlistedWords,
} from '#src/features/daily-checks/hand-over/latest-hand-over.ts';
import type { HandOver } from '#workers/api.ts';

const NOW = Date.UTC(2026, 10, 21, 7, 46);
const HOUR = 3_600_000;
const RULE = { zone: 'UTC', hour: 4 };
const shift = (id: string, by: string, at: number): HandOver => ({
  id,
  by,
  name: by,
  at,
  since: 0,
  cleared: 0,
  of: 0,
  snoozed: 0,
  open: [],
  ending: [],
  comment: null,
  query: '',
  receivedAt: at,
});

test('HAND-2: a shift starts at the last hand-over, whoever made it, or with the operational day', () => {
  expect(
    shiftBegan([shift('b', 'bob', NOW - HOUR), shift('a', 'ann', NOW - 9 * HOUR)], NOW, RULE),
  ).toBe(NOW - HOUR);
  expect(shiftBegan([], NOW, RULE)).toBe(Date.UTC(2026, 10, 21, 4));
});

test('HAND-3: the next person sees the newest hand-over, in words, until it is dismissed or old', () => {
  const last = shift('b', 'bob', NOW - HOUR);
  const all = [last, shift('a', 'ann', NOW - 9 * HOUR)];
  expect(findUnreadHandOver(all, 'ann', null, NOW)).toBe(last);
  expect(findUnreadHandOver(all, 'ann', 'a', NOW)).toBe(last);
  expect(findUnreadHandOver(all, 'ann', 'b', NOW)).toBe(null);
  expect(findUnreadHandOver(all, 'bob', null, NOW)).toBe(null);
  expect(findUnreadHandOver(all, 'ann', null, NOW + 96 * HOUR)).toBe(null);
  expect(findUnreadHandOver([], 'ann', null, NOW)).toBe(null);
  expect(sinceHandOverText(last, { fresh: 3, older: 1200, unlisted: 0 }, NOW, 'UTC')).toBe(
    'Since the last handover by bob at 06:46 AM: 3 new, 1,200 still open.',
  );
  expect(
    sinceHandOverText(last, { fresh: 0, older: 1, unlisted: null }, NOW + 48 * HOUR, 'UTC'),
  ).toBe('Since the last handover by bob at 11/21/26 06:46 AM: 0 new, 1 still open.');
});

test("HAND-5: what the list doesn't show is mentioned, and shown over all stored days", () => {
  expect(
    sinceHandOverText(
      shift('b', 'bob', NOW - HOUR),
      { fresh: 0, older: 6, unlisted: 4 },
      NOW,
      'UTC',
    ),
  ).toBe(
    'Since the last handover by bob at 06:46 AM: 0 new, 6 still open. 4 of them are not in this list.',
  );
  expect(
    sinceHandOverText(
      shift('b', 'bob', NOW - HOUR),
      { fresh: 1, older: 6, unlisted: 7 },
      NOW,
      'UTC',
    ),
  ).toMatch(/: 1 new, 6 still open\. None of them is in this list\.$/);
  expect(
    [unlistedWords(4, 12), unlistedWords(1, 12), unlistedWords(6, 6), unlistedWords(1, 1)].map(
      (words) => words.split(' not in this list')[0],
    ),
  ).toEqual([
    '4 of 12 problems to check are',
    '1 of 12 problems to check is',
    'All 6 problems to check are',
    'The one problem to check is',
  ]);
  expect(
    allOpen({ ...DEFAULT_LIST, group: 'cause', states: ['Missed'], review: 'cleared', open: 4 }),
  ).toEqual({ ...DEFAULT_LIST, group: 'cause', span: { kind: 'last', days: 30 } });
});

test('HAND-4: a hand-over is valid input of its call, and blank text is no comment', () => {
  const now = {
    cleared: 2,
    of: 6,
    snoozed: 3,
    fresh: 1,
    older: 1,
    unlisted: 1,
    open: [{ company: 1, problems: 2, name: 'A' }],
    ending: [{ run: 9, until: NOW, jobName: 'J', companyName: 'A' }],
  };
  const made = toHandOver(
    '10000000-0000-4000-8000-000000000002',
    NOW - HOUR,
    NOW,
    now,
    '  ',
    'review=pending',
  );
  expect(made).toMatchObject({
    comment: null,
    open: [{ company: 1, problems: 2 }],
    ending: [{ run: 9, until: NOW }],
  });
  expect(v.parse(v.strictObject(shiftFields), made)).toEqual(made);
  expect(toHandOver(made.id, 0, NOW, now, ' Watch FS01 ', '').comment).toBe('Watch FS01');
});
