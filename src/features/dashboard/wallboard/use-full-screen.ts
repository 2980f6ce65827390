import { useState, useSyncExternalStore } from 'react';

/** Returns whether the page is fullscreen, and a function to toggle it. */
export function useFull(): readonly [full: boolean, toggle: () => void, leave: () => void] {
  const full = useSyncExternalStore(onFullscreen, isFull);
  const [turn] = useState(turns);
  return [full, () => turn(() => !isFull()), () => turn(() => false)];
}

const isFull = (): boolean => document.fullscreenElement !== null;

/**
 * Runs toggles one after the other, each from the document's state at its turn. The browser takes a
 * while to switch, so the rendered state can be outdated. Without this, a second F would request
 * fullscreen again instead of leaving it.
 */
function turns(): (to: () => boolean) => void {
  let last = Promise.resolve();
  return (to) => {
    const go = async (): Promise<void> => {
      const wanted = to();
      if (wanted === isFull()) return;
      await (wanted ? document.documentElement.requestFullscreen() : document.exitFullscreen());
    };
    last = last.then(go).catch(() => {}); // the browser refused: nothing changes
  };
}

const onFullscreen = (listener: () => void): (() => void) => {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
};
