import { useSyncExternalStore } from 'react';

/**
 * Whether the window has the width of a tablet or more (as `tablet:` in classes): for what is there
 * or not, rather than shown or not.
 */
export const useIsTablet = (): boolean => useSyncExternalStore(subscribe, () => query.matches);

const query = matchMedia('(width >= 900px)');
const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};
