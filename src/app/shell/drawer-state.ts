import { useSyncExternalStore } from 'react';
import { writeStored, readStored } from '../session/browser-storage.ts';

/** The sidebar on a phone: shut, or over the page. */
export const openDrawer = (): void => setDrawer(true);
export const closeDrawer = (): void => setDrawer(false);
export const useDrawer = (): boolean => useSyncExternalStore(subscribe, () => drawer);

/** The sidebar elsewhere, as its user has it: pinned (240 px) or minimised (56 px). */
export const useMini = (): boolean => useSyncExternalStore(subscribe, () => mini);
export function setMini(next: boolean): void {
  mini = next;
  writeStored(KEY, next ? 'yes' : null);
  tell();
}

/**
 * The same as it stands in this window: up to a tablet's width it is minimised until it is pinned
 * there, on this device.
 */
export const useSmall = (): boolean =>
  useSyncExternalStore(subscribe, () => (desk.matches ? mini : !pinned));
export function setSmall(next: boolean): void {
  if (desk.matches) return setMini(next);
  pinned = !next;
  writeStored(PINNED, next ? null : 'yes');
  tell();
}

const KEY = 'sidebarMini';
const PINNED = 'sidebarPinned';
const desk = matchMedia('(width >= 1200px)');
let drawer = false;
let mini = readStored(KEY) === 'yes';
let pinned = readStored(PINNED) === 'yes';
const listeners = new Set<() => void>();
const tell = (): void => listeners.forEach((listener) => listener());
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
function setDrawer(open: boolean): void {
  drawer = open;
  tell();
}
desk.addEventListener('change', tell);
