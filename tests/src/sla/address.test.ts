import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SLA_PLACE, slaAddress, slaPlace } from '#src/features/sla/address.ts';
import { getAlarm, createAlarmForm, getAlarmForm } from '#src/features/sla/form.ts';
import { shareText, stateText } from '#src/features/sla/labels.ts';

const getSearch = (address: string): string =>
  address.slice(address.indexOf('?') + 1 || address.length);

test('SLA-5: the address holds the state of the report', () => {
  fc.assert(
    fc.property(
      fc.record({
        by: fc.constantFrom('job' as const, 'company' as const),
        company: fc.option(fc.integer({ min: 1, max: 999 })),
        percent: fc.option(fc.integer({ min: 1, max: 100 })),
        hours: fc.option(fc.integer({ min: 1, max: 2_160 })),
        text: fc.string({ maxLength: 20 }),
        page: fc.integer({ min: 1, max: 50 }),
        size: fc.constantFrom(10, 25, 50, 100, 200),
        span: fc.constantFrom(SLA_PLACE.span, { kind: 'last' as const, days: 7 }),
      }),
      (part) => {
        const place = { ...SLA_PLACE, view: 'report' as const, ...part };
        expect(slaPlace(getSearch(slaAddress(place)))).toEqual(place);
      },
    ),
  );
  expect(slaPlace('view=report&percent=101&hours=x&company=0&page=-1&date=never&size=7')).toEqual({
    ...SLA_PLACE,
    view: 'report',
    percent: null,
  });
});

test('SLA-5: the form returns the alarm or its errors', () => {
  const { alarm } = getAlarm({
    ...createAlarmForm({ uid: 'job-1', name: 'Files' }),
    percent: '95',
  });
  expect(alarm).toEqual({
    name: 'Files',
    enabled: true,
    job: { jobInstanceUid: 'job-1', key: null },
    group: null,
    maxAgeHours: 26,
    minSuccessPct: 95,
    windowDays: 30,
    recipients: [],
  });
  expect(alarm && getAlarm(getAlarmForm(alarm)).alarm).toEqual(alarm);
  expect(
    Object.keys(getAlarm({ ...createAlarmForm(null), hours: '', days: '0' }).errors).toSorted(),
  ).toEqual(['days', 'hours', 'name']);
  expect(
    Object.keys(
      getAlarm({ ...createAlarmForm(null), name: 'A', hours: '1.5', percent: '101' }).errors,
    ),
  ).toEqual(['hours', 'percent']);
});

test('SLA-5: a share just below its target is not shown as reached', () => {
  expect([shareText(0.9499), shareText(1), shareText(null)]).toEqual([
    '94.9 %',
    '100.0 %',
    'No results',
  ]);
  expect(stateText({ isMet: false, jobs: 20, lateCount: 3, share: 0.9, minSuccessPct: 95 })).toBe(
    '3 of 20 jobs too old · 90.0 % good',
  );
  expect(stateText({ isMet: true, jobs: 0, lateCount: 0, share: null, minSuccessPct: null })).toBe(
    'No matching jobs',
  );
});
