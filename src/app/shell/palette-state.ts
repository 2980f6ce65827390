import { useSyncExternalStore } from 'react';

/** Returns whether the command palette is open. */
export const usePalette = (): boolean => useSyncExternalStore(subscribe, () => open);
export function setPalette(next: boolean): void {
  open = next;
  listeners.forEach((listener) => listener());
}

let open = false;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
