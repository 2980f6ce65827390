import { useSyncExternalStore } from 'react';
import { writeStored, readStored } from './session/browser-storage.ts';

export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

/** What was chosen, and what it comes to now. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, () => chosen);

export function setTheme(theme: Theme): void {
  chosen = theme;
  writeStored(KEY, theme === 'system' ? null : theme);
  show();
  listeners.forEach((listener) => listener());
}

/** Follows the system from now on, where the system decides. Once, at the start. */
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
let chosen: Theme = THEMES.find((theme) => theme === stored) ?? 'system';

function show(): void {
  const dark = chosen === 'dark' || (chosen === 'system' && system.matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}
