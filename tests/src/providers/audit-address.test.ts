import { expect, test } from 'vitest';
import { adminCalls } from '#contract/providers/admin-calls.ts';
import {
  eventsAsk,
  eventsPlace,
  eventsQuery,
  filtersOn,
  formatData,
  typeOptions,
} from '#src/features/providers/audit/address.ts';
import * as v from 'valibot';

const RULE = { zone: 'Europe/London', hour: 6 };
const NOW = Date.UTC(2026, 2, 2, 12);

test('ADMIN-5: every filter of the event log is in the address and read back from it', () => {
  const query =
    'date=yesterday&provider=p&type=run.&entity=job%3A12&actor=ruth+a&company=3&text=50%25&before=900&open=899';
  const place = eventsPlace(query);
  expect(place).toEqual({
    provider: 'p',
    span: { kind: 'yesterday' },
    type: 'run.',
    entity: 'job:12',
    actor: 'ruth a',
    company: '3',
    text: '50%',
    before: '900',
    open: '899',
  });
  expect(eventsPlace(eventsQuery(place))).toEqual(place);
  expect(filtersOn(place)).toBe(5);
});

test('ADMIN-5: an address without filters is empty, and invalid values fall back', () => {
  expect(eventsQuery(eventsPlace(''))).toBe('');
  expect(eventsPlace('date=never&company=-1&before=x&open=0x1')).toEqual(eventsPlace(''));
});

test("ADMIN-5: the query is valid input of the call, with the provider's days from their start hour", () => {
  const ask = eventsAsk(eventsPlace('date=yesterday&type=user.&company=3'), NOW, RULE);
  expect(ask).toEqual({
    from: String(Date.UTC(2026, 2, 1, 6)),
    to: String(Date.UTC(2026, 2, 2, 6)),
    type: 'user.',
    company: '3',
  });
  expect(v.safeParse(adminCalls.exportAdminEvents.input, ask).success).toBe(true);
});

test('ADMIN-5: types are offered by subject and one by one, and data is shown as readable JSON', () => {
  expect(typeOptions(['run.started@1', 'key.firstResultReceived@1', 'run.finished@2'])).toEqual([
    ['key.firstResultReceived@1', 'key.firstResultReceived'],
    ['run.', 'run.* (all)'],
    ['run.started@1', 'run.started'],
    ['run.finished@2', 'run.finished'],
  ]);
  expect(formatData('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(formatData('not json')).toBe('not json');
});
