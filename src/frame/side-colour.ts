import { useEffect, useSyncExternalStore } from 'react';
import { keep, kept } from '../kept.ts';
import { sideOf } from './brand-colours.ts';

/** Colours that a user may give the sidebar, each legible in both themes. */
export const SIDE_COLOURS = [
  ['#1b3256', 'Navy'], ['#12454c', 'Teal'], ['#1f4030', 'Forest'], ['#47284f', 'Plum'], ['#5a2330', 'Wine'], ['#33373d', 'Slate'],
] as const;

/** What was chosen; null: the provider's own. */
export const useSideColour = (): string | null => useSyncExternalStore(subscribe, () => colour);
/** Anything but a colour that can be read on is the provider's own. */
export function setSideColour(next: string | null): void {
  const known = next !== null && sideOf(next, 'light') !== null ? next.toLowerCase() : null;
  if (known === colour) return;
  colour = known;
  keep(KEY, colour);
  listeners.forEach((listener) => listener());
}

/** The user's colour over the provider's, as long as the user is here. */
export function useOwnSide(): void {
  const own = useSideColour();
  useEffect(() => {
    const { style } = document.documentElement;
    const side = own === null ? null : sideOf(own, 'light');
    if (!side) return;
    const names = { '--own-sidebar': side.side, '--own-side-on': side.on, '--own-side-line': side.line };
    for (const [name, value] of Object.entries(names)) style.setProperty(name, value);
    return () => Object.keys(names).forEach((name) => style.removeProperty(name));
  }, [own]);
}

const KEY = 'sidebarColor';
let colour = kept(KEY);
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
};
