import { expect, test } from 'vitest';
import { notifyDefaults } from '#contract/notifications/notifications.ts';
import {
  digestWords,
  withDay,
  addDefaults,
} from '#src/features/notifications/preferences/draft.ts';
import {
  companiesText,
  eventText,
  responseText,
  getWebhookState,
} from '#src/features/notifications/webhooks/labels.ts';

test('NOTIFY-7: a webhook is unused, healthy, failing, disabled by a user, or disabled because it failed', () => {
  const one = { enabled: true, stoppedAt: null, failingSince: null, lastState: null } as const;
  expect(
    [
      one,
      { ...one, lastState: 'sent' as const },
      { ...one, failingSince: 1, lastState: 'waiting' as const },
      { ...one, enabled: false },
      { ...one, enabled: false, stoppedAt: 5, failingSince: 1 },
    ].map((state) => getWebhookState(state).label),
  ).toEqual([
    'Nothing delivered yet',
    'Working',
    'Failing',
    'Off',
    'Switched off after too many failures',
  ]);
  expect([
    eventText({ category: 'test', facts: 0 }),
    eventText({ category: 'failed', facts: 1 }),
    eventText({ category: 'missed', facts: 12 }),
  ]).toEqual(['Test', 'Job failed', 'Job did not run, 12 times']);
  expect([
    responseText({ tries: 0, code: null, error: null }),
    responseText({ tries: 1, code: 204, error: null }),
    responseText({ tries: 3, code: 500, error: 'It answered 500.' }),
  ]).toEqual(['', '1 try · response 204', '3 tries · It answered 500.']);
});

test('NOTIFY-7, NOTIFY-8: the companies of a webhook are shown as all, up to two names, or a number', () => {
  const names = new Map([
    [1, 'Calloway Freight'],
    [2, 'Drummond & Pike'],
  ]);
  expect([
    companiesText(null, names),
    companiesText([2], names),
    companiesText([1, 2], names),
    companiesText([1, 7], names),
    companiesText([1, 2, 3], names),
  ]).toEqual([
    'All companies',
    'Drummond & Pike',
    'Calloway Freight and Drummond & Pike',
    'Calloway Freight and Unknown company',
    '3 companies',
  ]);
});

test('NOTIFY-6: a line says when emails are sent, and only real changes count as changed', () => {
  const settings = notifyDefaults('America/New_York');
  const on = (weekdays: number[]) => ({
    ...settings,
    digest: { ...settings.digest, on: true, weekdays },
  });
  expect(
    [settings, on([1, 2, 3, 4, 5]), on([1, 2, 3, 4, 5, 6, 7]), on([7]), on([1, 3])].map(
      digestWords,
    ),
  ).toEqual([
    "You don't receive a digest.",
    'Monday to Friday at 07:30, America/New York.',
    'Every day at 07:30, America/New York.',
    'Weekly on Sunday at 07:30, America/New York.',
    'Mon, Wed at 07:30, America/New York.',
  ]);
  expect([withDay([1, 3], 2), withDay([1, 2, 3], 2)]).toEqual([
    [1, 2, 3],
    [1, 3],
  ]);
  const other = addDefaults(settings, 'failed', 'push', false);
  expect(other.categories.failed).toEqual({ ...settings.categories.failed, push: false });
  expect(addDefaults(other, 'failed', 'push', true)).toEqual(settings);
});
