import { useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';

/**
 * Renders its children while the browser has no network. In a `Suspense` fallback they say what a
 * part needs that can't load.
 */
export const OfflineOnly = ({ children }: { readonly children: ReactNode }): ReactNode =>
  useSyncExternalStore(subscribe, isOnline) ? null : children;

const isOnline = (): boolean => navigator.onLine;

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}
