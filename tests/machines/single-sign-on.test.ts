import { expect, test } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import { singleSignOnMachine } from '#machines/single-sign-on.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const EVENTS = {
  REQUEST: { type: 'REQUEST' },
  OPEN: { type: 'OPEN' },
  granted: done('request', ok({ url: 'https://zerto.example.com/once', sessionId: 's-1' })),
  refused: done('request', failed({ kind: 'forbidden', message: 'no account there' })),
  bug: bug('request'),
} as const;

const REQUESTING = { granted: 'ready', refused: 'refused', bug: 'refused' };
const AFTER: Table = {
  requesting: REQUESTING,
  refused: { REQUEST: 'requesting' },
  ready: {},
};
const getTable = (provider: 'vac' | 'vcd' | 'zerto', earlierClicks: number): Table =>
  walk(singleSignOnMachine, { provider, earlierClicks, hasSession: false }, EVENTS).table;

/** The specification, section 4: the first click for each provider makes no call, later ones do. */
test('SSO-3: the first click opens the page without a request, and later clicks ask the server', () => {
  for (const provider of ['vac', 'vcd'] as const) {
    expect(getTable(provider, 0)).toEqual({ page: { REQUEST: 'requesting' }, ...AFTER });
    expect(getTable(provider, 1)).toEqual(AFTER);
    expect(getTable(provider, 7)).toEqual(AFTER);
  }
});

test('SSO-1, SSO-3: the link to Zerto works once, so that opening it leads back to the page', () => {
  const zerto = { ...AFTER, page: { REQUEST: 'requesting' }, ready: { OPEN: 'page' } };
  expect(getTable('zerto', 0)).toEqual(zerto);
  expect(getTable('zerto', 2)).toEqual(zerto);
});

test('SSO-3: for Zerto the answer sets the flag of its session, and for no other system; no detail of the session is stored', () => {
  expect([getFlags('vac'), getFlags('vcd'), getFlags('zerto')]).toEqual([
    ['ready: false'],
    ['ready: false'],
    ['ready: true'],
  ]);
});

const getFlags = (provider: 'vac' | 'vcd' | 'zerto'): string[] =>
  walk(singleSignOnMachine, { provider, earlierClicks: 0, hasSession: false }, EVENTS)
    .states.map(({ value, context }) => {
      expect(JSON.stringify(context)).not.toContain('s-1');
      return `${String(value)}: ${(context as { hasSession: boolean }).hasSession}`;
    })
    .filter((line) => line.startsWith('ready'));
