import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import type { OwnedView } from '#contract/daily-checks/saved-views.ts';
import { DEFAULT_LIST } from '#src/features/shared/runs/list-state.ts';
import {
  DEFAULT_VIEW,
  listOfView,
  namesake,
  listUnsaved,
  splitViews,
  getViewState,
  getViewStateText,
  getViewQuery,
} from '#src/features/daily-checks/saved-views/views.ts';

const view = (
  id: string,
  name: string,
  query: string,
  more: Partial<OwnedView> = {},
): OwnedView => ({
  id,
  name,
  query,
  owner: 'me',
  ownerName: 'Me Myself',
  shared: false,
  savedAt: 1,
  removedAt: null,
  ...more,
});

test('VIEW-1: a view stores all that shapes the list but not the open run, and restores the same list', () => {
  const list = {
    ...DEFAULT_LIST,
    states: ['Failed' as const],
    group: 'cause' as const,
    text: 'sql',
    open: 7,
  };
  const query = getViewQuery(list);
  expect(query).not.toMatch(/run=/);
  expect(listOfView(query)).toEqual({ ...list, open: null });
  expect(listOfView('run=9&state=Nothing')).toEqual(DEFAULT_LIST);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const once = getViewQuery(listOfView(text));
      expect(getViewQuery(listOfView(once))).toBe(once);
    }),
  );
});

test('VIEW-2: users manage the views that they own; of others only shared ones are offered', () => {
  const own = view('a', 'A', '');
  const details = view('b', 'B', '', { owner: 'you', shared: true });
  const hidden = view('c', 'C', '', { owner: 'you' });
  expect(splitViews([own, details, hidden], 'me')).toEqual({ own: [own], shared: [details] });
});

test('VIEW-3: the chip names the current view, the one opened last of two equal ones, and shows when it was changed', () => {
  const a = view('a', 'Mine', 'state=Failed');
  const b = view('b', 'Twin', 'state=Failed');
  expect(getViewState([a, b], 'state=Failed', null)).toEqual({ view: a, changed: false });
  expect(getViewState([a, b], 'state=Failed', 'b')).toEqual({ view: b, changed: false });
  expect(getViewState([a, b], 'state=Missed', 'b')).toEqual({ view: b, changed: true });
  expect(getViewState([a, b], 'state=Missed', 'gone')).toEqual({ view: null, changed: false });
  const word = (query: string, opened: string | null): string =>
    getViewStateText(getViewState([a, b], query, opened), query);
  expect([
    word('', 'b'),
    word('state=Missed', 'b'),
    word('state=Missed', null),
    word('state=Failed', null),
  ]).toEqual([DEFAULT_VIEW, 'Twin, changed', 'not saved', 'Mine']);
});

test('VIEW-4: an existing name is replaced, in any case; too many views and a list that is too long are reported before sending', () => {
  const full = Array.from({ length: LIMITS.viewsPerUser }, (_, i) =>
    view(String(i), `View ${i}`, ''),
  );
  expect(namesake(full, ' vIEW 3 ')?.id).toBe('3');
  expect(namesake(full, 'View')).toBe(null);
  expect(listUnsaved(full, 'view 3', '')).toBe(null);
  expect(listUnsaved(full, 'Another', '')).toBe(
    "You've reached the limit of 100 views. Remove one to add another.",
  );
  expect(listUnsaved([], 'Another', 'x'.repeat(LIMITS.viewChars))).toBe(null);
  expect(listUnsaved([], 'Another', 'x'.repeat(LIMITS.viewChars + 1))).toMatch(/too many filters/);
});
