import { useSyncExternalStore } from 'react';
import type { Notification } from '#contract/notifications/notices.ts';

/** Returns the notices that were closed or acknowledged here since the page was loaded. */
export const useGone = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => gone);
export function setGone(id: string): void {
  gone = new Set([...gone, id]);
  listeners.forEach((listener) => listener());
}

/** Returns the notices to show above the pages of an app, without those that were closed. */
export const listUndismissed = (
  all: readonly Notification[],
  app: Notification['app'],
  without: ReadonlySet<string>,
): readonly Notification[] => all.filter(({ app: of, _id: id }) => of === app && !without.has(id));

let gone: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
