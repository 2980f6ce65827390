import { useSyncExternalStore } from 'react';

/**
 * Returns true for touch input or a narrow window: cells are larger and the name column is narrow.
 */
export const useTouch = (): boolean => useSyncExternalStore(subscribe, () => query.matches);

const query = matchMedia('(pointer: coarse), (width < 900px)');
const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};
