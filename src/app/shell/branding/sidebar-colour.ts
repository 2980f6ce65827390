import { useEffect, useSyncExternalStore } from 'react';
import { writeStored, readStored } from '../../session/browser-storage.ts';
import { BLUE_SIDE, getSide } from './brand-colours.ts';

/**
 * Sidebar colors that a user can choose: light shade, dark shade, name. All are legible.
 */
export const SIDE_COLOURS = [
  [BLUE_SIDE.light, '#12203a', 'blue'],
  ['#0f3a40', '#0b2428', 'teal'],
  ['#1f4030', '#12261c', 'forest'],
  ['#47284f', '#2a182f', 'plum'],
  ['#5a2330', '#331419', 'wine'],
  ['#33373d', '#1d2024', 'slate'],
] as const;

/** Returns the chosen color; null is the provider's default. */
export const useSideColour = (): string | null => useSyncExternalStore(subscribe, () => colour);
/** Sets the color. Every other value means the provider's default. */
export function setSideColour(next: string | null): void {
  const known = SIDE_COLOURS.find(([light]) => light === next)?.[0] ?? null;
  if (known === colour) return;
  colour = known;
  writeStored(KEY, colour);
  listeners.forEach((listener) => listener());
}

/** Applies the user's color over the provider's while the user is signed in. */
export function useOwnSide(): void {
  const own = useSideColour();
  useEffect(() => {
    const { style } = document.documentElement;
    const [light, dark] = SIDE_COLOURS.find(([one]) => one === own) ?? [];
    if (light === undefined || dark === undefined) return;
    const names = Object.fromEntries(
      [['', getSide(light, 'light')] as const, ['-dark', getSide(dark, 'dark')] as const].flatMap(
        ([context, side]) =>
          side === null
            ? []
            : [
                [`--own-sidebar${context}`, side.side],
                [`--own-side-on${context}`, side.on],
                [`--own-side-line${context}`, side.line],
              ],
      ),
    );
    for (const [name, value] of Object.entries(names)) style.setProperty(name, value);
    return () => Object.keys(names).forEach((name) => style.removeProperty(name));
  }, [own]);
}

const KEY = 'sidebarColor';
let colour: string | null = readStored(KEY);
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
