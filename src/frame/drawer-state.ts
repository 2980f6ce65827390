import { useSyncExternalStore } from 'react';
import { keep, kept } from '../kept.ts';

/** The sidebar on a phone: shut, or over the page. */
export const openDrawer = (): void => setDrawer(true);
export const closeDrawer = (): void => setDrawer(false);
export const useDrawer = (): boolean => useSyncExternalStore(subscribe, () => drawer);

/** The sidebar elsewhere: pinned (240 px) or minimised (56 px). */
export const useMini = (): boolean => useSyncExternalStore(subscribe, () => mini);
export function setMini(next: boolean): void {
  mini = next;
  keep(KEY, next ? 'yes' : null);
  tell();
}

const KEY = 'sidebarMini';
let drawer = false;
let mini = kept(KEY) === 'yes';
const listeners = new Set<() => void>();
const tell = (): void => listeners.forEach((listener) => listener());
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
};
function setDrawer(open: boolean): void {
  drawer = open;
  tell();
}
