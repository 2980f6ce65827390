import { useSyncExternalStore } from 'react';
import { writeStored, readStored } from '../session/browser-storage.ts';

/** The sidebar on a phone: closed, or over the page. */
export const openDrawer = (): void => setDrawer(true);
export const closeDrawer = (): void => setDrawer(false);
export const useDrawer = (): boolean => useSyncExternalStore(subscribe, () => drawer);

/** Returns whether the user has minimized the sidebar (56 px) instead of pinning it (240 px). */
export const useMini = (): boolean => useSyncExternalStore(subscribe, () => mini);
export function setMini(next: boolean): void {
  mini = next;
  writeStored(KEY, next ? 'yes' : null);
  notify();
}

/**
 * Returns whether the sidebar is minimized in this window. Up to a tablet's width it is, until the
 * user pins it on this device.
 */
export const useSmall = (): boolean =>
  useSyncExternalStore(subscribe, () => (desk.matches ? mini : !pinned));
export function setSmall(next: boolean): void {
  if (desk.matches) return setMini(next);
  pinned = !next;
  writeStored(PINNED, next ? null : 'yes');
  notify();
}

const KEY = 'sidebarMini';
const PINNED = 'sidebarPinned';
const desk = matchMedia('(width >= 1200px)');
let drawer = false;
let mini = readStored(KEY) === 'yes';
let pinned = readStored(PINNED) === 'yes';
const listeners = new Set<() => void>();
const notify = (): void => listeners.forEach((listener) => listener());
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
function setDrawer(open: boolean): void {
  drawer = open;
  notify();
}
desk.addEventListener('change', notify);
