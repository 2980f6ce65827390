import { expect, test } from 'vitest';
import { makeKnownSessions } from '#server/platform/auth/known-sessions.ts';
import type { KnownSession } from '#server/platform/auth/known-sessions.ts';
import type { Store } from '#server/platform/db/store.ts';

/** A store that only says what it is and announces appends. */
function announcing(kind: Store['kind']) {
  const listeners: ((tenant: string, head: number) => void)[] = [];
  const store = {
    kind,
    onAppend(listener: (tenant: string, head: number) => void) {
      listeners.push(listener);
      return () => undefined;
    },
  } as Pick<Store, 'kind' | 'onAppend'> as Store;
  return {
    known: makeKnownSessions(store),
    append: (tenant: string) => {
      for (const listener of listeners) listener(tenant, 1);
    },
  };
}
const session = (name: string): KnownSession => ({
  accessHash: name,
  accessUntil: 0,
  session: {} as KnownSession['session'],
});

test('AUTH-3, T2: a cached session is found only by its provider, until that provider ends one or appends', () => {
  const { known, append } = announcing('pglite');
  const one = session('one');
  const forgetters = [() => known.forget('north'), () => append('north')];
  for (const forget of forgetters) {
    known.put(known.round, 'north', 's1', one);
    known.put(known.round, 'south', 's2', one);
    expect([known.get('north', 's1'), known.get('south', 's2')]).toEqual([one, one]);
    expect([known.get('south', 's1'), known.get('north', 's2')]).toEqual([undefined, undefined]);
    forget();
    expect([known.get('north', 's1'), known.get('south', 's2')]).toEqual([undefined, one]);
  }
});

test('AUTH-3: a session read before it ended is not cached after', () => {
  const { known } = announcing('pglite');
  const { round } = known;
  known.forget('north');
  known.put(round, 'north', 's1', session('read before'));
  expect(known.get('north', 's1')).toBeUndefined();
  known.put(known.round, 'north', 's1', session('read after'));
  expect(known.get('north', 's1')?.accessHash).toBe('read after');
});

test('AUTH-3: at most 10,000 sessions are cached, and the most recently used ones stay', () => {
  const { known } = announcing('pglite');
  for (let n = 0; n < 10_000; n += 1) known.put(known.round, 'north', `s${n}`, session(`${n}`));
  expect(known.get('north', 's0')?.accessHash).toBe('0');
  known.put(known.round, 'south', 'late', session('late'));
  expect(['s0', 's1', 's9999'].map((id) => known.get('north', id)?.accessHash)).toEqual([
    '0',
    undefined,
    '9999',
  ]);
  expect(known.get('south', 'late')?.accessHash).toBe('late');
});

test('AUTH-3: if other servers can end a session, none is cached', () => {
  const { known } = announcing('postgres');
  known.put(known.round, 'north', 's1', session('one'));
  expect(known.get('north', 's1')).toBeUndefined();
});
