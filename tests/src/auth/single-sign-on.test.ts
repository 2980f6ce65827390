import { beforeEach, expect, test, vi } from 'vitest';
import {
  countClick,
  forgetClicks,
  hasZertoSession,
  keepZertoSession,
} from '#src/app/session/single-sign-on.ts';

const store = new Map<string, string>();
vi.stubGlobal('localStorage', {
  getItem: (key: string) => store.get(key) ?? null,
  setItem: (key: string, value: string) => {
    store.set(key, value);
  },
  removeItem: (key: string) => {
    store.delete(key);
  },
});
beforeEach(() => {
  store.clear();
});

test('SSO-3: clicks are counted for each system and user, and deleted at logout; no session of another system is stored', () => {
  expect([countClick('ann', 'vac'), countClick('ann', 'vac'), countClick('ann', 'zerto')]).toEqual([
    0, 1, 0,
  ]);
  keepZertoSession();
  expect(hasZertoSession()).toBe(true);
  expect(countClick('bob', 'vac')).toBe(0);
  expect(countClick('ann', 'vac')).toBe(0);
  for (const broken of [
    'x',
    '[]',
    '{"user":"ann","clicks":null}',
    '{"user":"ann","clicks":{"vac":-1,"vcd":"9"}}',
  ]) {
    store.set('ssoClicks', broken);
    expect([countClick('ann', 'vac'), countClick('ann', 'vcd')]).toEqual([0, 0]);
  }
  forgetClicks();
  expect([...store.keys()]).toEqual([]);
});
