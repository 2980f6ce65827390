import { useState, useSyncExternalStore } from 'react';

/** Whether the page fills the screen, and a turn to the other state. */
export function useFull(): readonly [full: boolean, toggle: () => void, leave: () => void] {
  const full = useSyncExternalStore(onFullscreen, isFull);
  const [turn] = useState(turns);
  return [full, () => turn(() => !isFull()), () => turn(() => false)];
}

const isFull = (): boolean => document.fullscreenElement !== null;

/**
 * One turn after the other, each from what the document says when its time comes: the browser is on
 * its way for a while, and what is drawn is later than what is. Asked from there, a second F would
 * ask for a full screen once more and never leave it.
 */
function turns(): (to: () => boolean) => void {
  let last = Promise.resolve();
  return (to) => {
    const go = async (): Promise<void> => {
      const wanted = to();
      if (wanted === isFull()) return;
      await (wanted ? document.documentElement.requestFullscreen() : document.exitFullscreen());
    };
    last = last.then(go).catch(() => {}); // the browser does not let it: the page is as it was
  };
}

const onFullscreen = (listener: () => void): (() => void) => {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
};
