import { useSyncExternalStore } from 'react';
import { writeStored, readStored } from './session/browser-storage.ts';

export const THEMES = ['light', 'dark', 'system'] as const;
export type ThemeMode = (typeof THEMES)[number];

/** Returns the chosen theme. */
export const useTheme = (): ThemeMode => useSyncExternalStore(subscribe, () => chosen);

export function setTheme(theme: ThemeMode): void {
  chosen = theme;
  writeStored(KEY, theme === 'system' ? null : theme);
  show();
  listeners.forEach((listener) => listener());
}

/** Follows changes of the system theme while `system` is chosen. Call it once at startup. */
export function startTheme(): void {
  system.addEventListener('change', show);
  show();
}

const KEY = 'theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
const stored = readStored(KEY);
let chosen: ThemeMode = THEMES.find((theme) => theme === stored) ?? 'system';

function show(): void {
  const dark = chosen === 'dark' || (chosen === 'system' && system.matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}
