import { useSyncExternalStore } from 'react';

/**
 * Returns true for touch input or a narrow window: cells are larger and the name column is narrow.
 */
export const useTouch = (): boolean => useSyncExternalStore(subscribe, () => getQuery().matches);

let query: MediaQueryList | null = null;
const getQuery = (): MediaQueryList => (query ??= matchMedia('(pointer: coarse), (width < 900px)'));
const subscribe = (listener: () => void): (() => void) => {
  getQuery().addEventListener('change', listener);
  return () => getQuery().removeEventListener('change', listener);
};
