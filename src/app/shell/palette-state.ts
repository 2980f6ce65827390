import { useSyncExternalStore } from 'react';

/** Whether the command palette is over the page. */
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
