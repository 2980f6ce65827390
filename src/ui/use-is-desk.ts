import { useSyncExternalStore } from 'react';

/** Returns whether the window has room for several panes (as `desk:` in classes). */
export const useIsDesk = (): boolean => useSyncExternalStore(subscribe, () => query.matches);

const query = matchMedia('(width >= 1200px)');
const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};
