import * as fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { companyCalls } from '#contract/companies/calls.ts';
import { logCalls } from '#contract/users/log-calls.ts';
import { userCalls } from '#contract/users/calls.ts';
import {
  companiesAsk,
  COMPANIES_DEFAULTS,
  companiesMoved,
  companiesPlace,
  companiesQuery,
} from '#src/features/companies/address.ts';
import {
  logsAsk,
  LOGS_DEFAULTS,
  logsMoved,
  logsPlace,
  logsQuery,
} from '#src/features/users/logs/address.ts';
import {
  usersAsk,
  USERS_DEFAULTS,
  usersMoved,
  usersPlace,
  usersQuery,
} from '#src/features/users/address.ts';

const ID = '3f2b8a54-90a1-4c0e-9d5c-0f1f0c7a1b22';

test('USER-11: the address has the state of the users page, and invalid values fall back', () => {
  expect(usersQuery(USERS_DEFAULTS)).toBe('');
  const place = {
    text: 'ann & co',
    role: 'o365_admin',
    deleted: 'only',
    sort: '-lastSignIn',
    page: 12,
    size: 50,
    open: ID,
    tab: 'access',
  } as const;
  expect(usersPlace(usersQuery(place))).toEqual(place);
  expect(
    usersPlace('?role=king&deleted=maybe&sort=age&page=0&size=7&user=../x&tab=secret'),
  ).toEqual(USERS_DEFAULTS);
  expect(usersPlace('?user=new&tab=access')).toEqual({ ...USERS_DEFAULTS, open: 'new' });
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(usersPlace(usersQuery(usersPlace(text)))).toEqual(usersPlace(text));
    }),
  );
});

test('USER-11: another list starts at its first page; what is open stays', () => {
  const place = { ...USERS_DEFAULTS, page: 7, open: ID };
  expect(usersMoved(place, { text: 'x' }).page).toBe(1);
  expect(usersMoved(place, { size: 100 }).page).toBe(1);
  expect(usersMoved(place, { open: null })).toEqual({ ...place, open: null });
  expect(usersMoved(place, { page: 8 }).page).toBe(8);
  expect(companiesMoved({ ...COMPANIES_DEFAULTS, page: 3 }, { sort: '-name' }).page).toBe(1);
  expect(logsMoved({ ...LOGS_DEFAULTS, page: 3 }, { what: 'signed.in' }).page).toBe(1);
});

test('COMP-8: the address has the state of the companies page, and invalid values fall back', () => {
  expect(companiesQuery(COMPANIES_DEFAULTS)).toBe('');
  const place = {
    text: 'freight',
    sort: '-madeAt',
    page: 2,
    size: 25,
    open: 'new',
    importing: true,
  } as const;
  expect(companiesPlace(companiesQuery(place))).toEqual(place);
  expect(companiesPlace('?sort=size&page=-1&company=1&import=all')).toEqual(COMPANIES_DEFAULTS);
});

test('ULOG-1: the address has the state of the log, and invalid values fall back', () => {
  expect(logsQuery(LOGS_DEFAULTS)).toBe('');
  const place = {
    span: { kind: 'range', from: '2026-11-01', to: '2026-11-20' },
    user: ID,
    what: 'password.set',
    text: '10.0.0.7',
    page: 4,
    size: 200,
  } as const;
  expect(logsPlace(logsQuery(place))).toEqual(place);
  expect(logsPlace('?date=never&user=me&what=a b&page=x&size=11')).toEqual(LOGS_DEFAULTS);
});

test('USER-11, COMP-8, ULOG-1: whatever is in an address, the query is valid input for the server', () => {
  const now = Date.UTC(2026, 10, 22, 2);
  const rule = { zone: 'Europe/Berlin', hour: 4 };
  const queries = fc.oneof(
    fc.string(),
    fc.webQueryParameters(),
    fc
      .record({
        q: fc.string(),
        sort: fc.string(),
        page: fc.integer().map(String),
        date: fc.constantFrom('today', 'last-quarter', 'last-999', '2026-02-30..2026-03-01'),
      })
      .map((all) => new URLSearchParams(all).toString()),
  );
  fc.assert(
    fc.property(queries, (query) => {
      const users = usersPlace(query);
      const companies = companiesPlace(query);
      const logs = logsPlace(query);
      expect(
        v.safeParse(userCalls.listUsers.input, {
          ...usersAsk(users),
          page: String(users.page),
          pageSize: String(users.size),
        }).success,
      ).toBe(true);
      expect(
        v.safeParse(companyCalls.reportCompanies.input, {
          ...companiesAsk(companies),
          page: String(companies.page),
          pageSize: String(companies.size),
        }).success,
      ).toBe(true);
      expect(
        v.safeParse(logCalls.listUserLogs.input, {
          ...logsAsk(logs, now, rule),
          page: String(logs.page),
          pageSize: String(logs.size),
        }).success,
      ).toBe(true);
    }),
  );
});

test('ULOG-1: days are those of the provider: from the start of the first to the end of the last', () => {
  const ask = logsAsk(
    { ...LOGS_DEFAULTS, span: { kind: 'range', from: '2026-03-29', to: '2026-03-29' } },
    0,
    { zone: 'Europe/Berlin', hour: 0 },
  );
  expect([ask.from, ask.to]).toEqual([
    String(Date.UTC(2026, 2, 28, 23)),
    String(Date.UTC(2026, 2, 29, 22)),
  ]); // the clock goes forward on that day
});
