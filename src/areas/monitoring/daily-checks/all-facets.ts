import { useSyncExternalStore } from 'react';

/** Whether a list of companies or causes stands open with all that it has: then, and only then, the worker tells them all. */
let open = 0;
const listeners = new Set<() => void>();
const change = (by: number): void => {
  open += by;
  listeners.forEach((listener) => listener());
};

/** Answers how to let go. */
export function openAllFacets(): () => void {
  change(1);
  return () => change(-1);
}

export const useAllFacets = (): boolean => useSyncExternalStore(subscribe, () => open > 0);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
};
