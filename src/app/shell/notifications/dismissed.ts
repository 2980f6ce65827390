import { useSyncExternalStore } from 'react';
import type { Notification } from '#contract/notifications/notices.ts';

/** What was closed here, or acknowledged; until the page is loaded again. */
export const useGone = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => gone);
export function setGone(id: string): void {
  gone = new Set([...gone, id]);
  listeners.forEach((listener) => listener());
}

/** What stands above the pages of an app now: of that app, and not done with. */
export const shownOf = (
  all: readonly Notification[],
  app: Notification['app'],
  without: ReadonlySet<string>,
): readonly Notification[] => all.filter(({ app: of, _id: id }) => of === app && !without.has(id));

/** Which app an address belongs to. */
export const appOf = (path: string): Notification['app'] =>
  path.startsWith('/o365') ? 'o365' : path.startsWith('/admin') ? 'admin' : 'monitoring';

let gone: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
