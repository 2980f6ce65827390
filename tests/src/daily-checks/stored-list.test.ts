import { expect, onTestFinished, test, vi } from 'vitest';
import { keepList, getStoredList } from '#src/features/shared/runs/stored-list.ts';
import { DEFAULT_LIST } from '#src/features/shared/runs/list-state.ts';

function browser(): void {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
}
const dana = (managedFilterType?: 'managed' | 'unmanaged' | null) => ({
  id: 'dana',
  ...(managedFilterType !== undefined && { managedFilterType }),
});

test('DAY-25: the list starts with the results that its user should start with, until the user changes it', () => {
  browser();
  expect([
    getStoredList(dana()),
    getStoredList(dana(null)),
    getStoredList(dana('managed')),
    getStoredList(dana('unmanaged')),
  ]).toEqual(['', '', 'managed=yes', 'managed=no']);
  keepList(dana('managed'), { ...DEFAULT_LIST, managed: true });
  keepList(dana('managed'), { ...DEFAULT_LIST, states: ['Failed'] });
  expect(getStoredList(dana('managed'))).toBe('state=Failed');
});

test("DAY-25: a list opened by another page's link doesn't use it; an administrator's change applies once", () => {
  browser();
  keepList(dana('managed'), { ...DEFAULT_LIST, states: ['Failed'] });
  expect(getStoredList(dana('managed'))).toBe('state=Failed&managed=yes');
  keepList(dana('managed'), { ...DEFAULT_LIST, managed: true });
  expect(getStoredList(dana('unmanaged'))).toBe('managed=no');
  expect(getStoredList(dana(null))).toBe('');
  keepList(dana(null), DEFAULT_LIST);
  keepList(dana(null), { ...DEFAULT_LIST, managed: true });
  expect(getStoredList(dana(null))).toBe('managed=yes');
});
