import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { getEmptyHint, LogEnd } from '#src/features/providers/audit/log-end.tsx';

const getText = (next: number | null, archived: number): string =>
  renderToStaticMarkup(createElement(LogEnd, { page: { events: [], next, archived } })).replace(
    /<[^>]*>/g,
    '',
  );

test('ARCH-2, PAGE-1: the list of events says where the archive begins and how far it was searched, with numbers as elsewhere', () => {
  expect([getText(null, 0), getText(null, 48_987), getText(1_048_987, 48_987)]).toEqual([
    '',
    'Events up to number 48,987 are archived.',
    'No matches so far. The log was searched back to event 1,048,987.',
  ]);
});

test('ARCH-2: an empty list of events recommends a longer period unless all older events are archived', () => {
  expect([getEmptyHint(false, false), getEmptyHint(true, false)]).toEqual([
    'Every change in the portal appears here. Choose a longer period to see older events.',
    'Remove a filter or choose a longer period.',
  ]);
  expect([getEmptyHint(false, true), getEmptyHint(true, true)]).toEqual([
    'Every change in the portal appears here. All older events are archived.',
    'Remove a filter. All older events are archived.',
  ]);
});
