import { expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import { REPORT_PERIODS } from '#contract/reports/setting.ts';
import { PAGES } from '#contract/pages.ts';
import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import { reportsAddress, reportsPlace } from '#src/features/reports/address.ts';
import { getReportForm, newReportForm, getSetting } from '#src/features/reports/form.ts';
import { marksWords } from '#src/features/reports/marks.tsx';
import { PERIOD_WORDS, scheduleWords } from '#src/features/reports/labels.ts';
import { getMenu } from '#src/app/router/menu.ts';

const FORM = {
  ...newReportForm(
    { timeZone: 'Europe/Berlin', language: 'de', recipient: 'kate@example.com' },
    'calendarReportSummary',
  ),
  name: 'Weekly',
};

test('REPORT-2: typed fields convert to a setting and back', () => {
  const { setting, errors } = getSetting(
    { ...FORM, recipients: 'a@example.com; b@example.com\n A@example.com' },
    'any',
  );
  expect(errors).toEqual({});
  expect(setting).toMatchObject({
    name: 'Weekly',
    recipients: ['a@example.com', 'b@example.com'],
    schedule: { every: 'week', weekday: 1, at: '08:00', timeZone: 'Europe/Berlin' },
    language: 'de',
  });
  for (const every of ['day', 'week', 'month'] as const) {
    const one = getSetting({ ...FORM, every, day: 31, weekday: 7 }, 'any').setting;
    if (one === null) throw new Error('not a setting');
    expect(getSetting(getReportForm(one), 'any').setting).toEqual(one);
  }
});

test("REPORT-2: errors are shown at their field, in the page's words", () => {
  expect(getSetting({ ...FORM, name: ' ', recipients: '', at: '' }, 'any').errors).toEqual({
    'setting.name': 'Enter a name.',
    'setting.schedule.at': 'Enter a time as hours and minutes.',
    'setting.recipients': 'Enter 1 to 20 email addresses.',
  });
  expect(getSetting({ ...FORM, recipients: 'nobody' }, 'any').errors).toEqual({
    'setting.recipients.0': 'Enter only valid email addresses.',
  });
  const companies = (of: Parameters<typeof getSetting>[1], count: number) =>
    getSetting({ ...FORM, companies: Array.from({ length: count }, (_, i) => i + 1) }, of).errors[
      'setting.companies'
    ];
  expect([companies('one', 0), companies('one', 1), companies('one', 2)]).toEqual([
    MESSAGES.reportOneCompany,
    undefined,
    MESSAGES.reportOneCompany,
  ]);
  expect([companies('some', 0), companies('some', 30), companies('some', 31)]).toEqual([
    MESSAGES.reportSomeCompanies,
    undefined,
    'Select up to 30 companies.',
  ]);
  expect([companies('any', 0), companies('none', 0), companies('none', 1)]).toEqual([
    undefined,
    undefined,
    MESSAGES.reportNoCompanies,
  ]);
});

test('REPORT-2: the address has what is open, and an unknown value is the list', () => {
  for (const place of [
    { tab: 'history', open: null, sent: null, of: 'a-1', page: 3, size: 50 },
    { tab: 'reports', open: 'new', sent: null, of: null, page: 1, size: 10 },
    { tab: 'history', open: null, sent: 'b-2', of: null, page: 1, size: 10 },
  ] as const) {
    expect(reportsPlace(new URL(reportsAddress(place), 'http://x').search)).toEqual(place);
  }
  expect(reportsPlace('?tab=x&report=<b>&page=-1&size=7&sent=a%20b')).toEqual({
    tab: 'reports',
    open: null,
    sent: null,
    of: null,
    page: 1,
    size: 10,
  });
});

const monthly = (day: number) =>
  scheduleWords({ every: 'month', day, at: '06:00', timeZone: 'UTC' });
test('REPORT-2: a schedule and a time are described in words, and a row of marks to screen readers', () => {
  expect([1, 2, 3, 4, 11, 21, 22, 23].map(monthly)).toEqual([
    'On the 1st of each month at 06:00, UTC',
    'On the 2nd of each month at 06:00, UTC',
    'On the 3rd of each month at 06:00, UTC',
    'On the 4th of each month at 06:00, UTC',
    'On the 11th of each month at 06:00, UTC',
    'On the 21st of each month at 06:00, UTC',
    'On the 22nd of each month at 06:00, UTC',
    'On the 23rd of each month at 06:00, UTC',
  ]);
  expect(scheduleWords({ every: 'week', weekday: 7, at: '08:00', timeZone: 'UTC' })).toBe(
    'Every Sunday at 08:00, UTC',
  );
  expect(scheduleWords({ every: 'day', at: '08:00', timeZone: 'UTC' })).toBe('Daily at 08:00, UTC');
  expect(
    scheduleWords({ every: 'month', day: 31, at: '06:00', timeZone: 'America/New_York' }),
  ).toBe('On the last day of each month at 06:00, America/New York');
  expect(REPORT_PERIODS.map((period) => PERIOD_WORDS[period])).toHaveLength(
    new Set(Object.values(PERIOD_WORDS)).size,
  );
  expect(marksWords({ states: 'SSFM-', bad: null })).toBe(
    '2 Success, 1 Failed, 1 Did not run, 1 Not due',
  );
});

const shown = (visibleFor: readonly ('all' | 'operator')[], enabled = true) =>
  getMenu(['operator'], { ...PLAIN_FEATURES, reporting: { enabled, visibleFor: [...visibleFor] } })
    .flatMap(({ entries }) => entries)
    .some(({ to }) => to === '/monitoring/report-settings');

test("REPORT-1: the page is in the menu for users on the provider's list", () => {
  expect(PAGES['/monitoring/report-settings'].ability).toBe('monitoring.report-settings');
  expect([shown(['all']), shown(['operator']), shown([]), shown(['all'], false)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
