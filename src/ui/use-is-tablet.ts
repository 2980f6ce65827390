import { useSyncExternalStore } from 'react';

/**
 * Returns whether the window is at least as wide as a tablet (as `tablet:` in classes). Use it to
 * mount or unmount elements; use classes to hide them.
 */
export const useIsTablet = (): boolean => useSyncExternalStore(subscribe, () => query.matches);

const query = matchMedia('(width >= 900px)');
const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};
