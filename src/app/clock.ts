import { useSyncExternalStore } from 'react';
import type { Ms } from '#contract/ids.ts';

/** The page's only clock. Unix time in milliseconds. */
export const now = (): Ms => Date.now();

/**
 * Returns the current time and updates it every `everyMs`, for ages and countdowns. The value does
 * not change between two ticks.
 */
export function useNow(everyMs: Ms = 30_000): Ms {
  const beat = getTicker(everyMs);
  return useSyncExternalStore(beat.subscribe, beat.read);
}

/** One timer shared by all components with the same interval. */
interface Beat {
  readonly subscribe: (listener: () => void) => () => void;
  readonly read: () => Ms;
}
const beats = new Map<Ms, Beat>();

function getTicker(everyMs: Ms): Beat {
  const known = beats.get(everyMs);
  if (known) return known;
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let at = now();
  const read = (): Ms => {
    // Without listeners the timer was stopped, so its last value can be stale.
    if (listeners.size === 0 && now() - at >= everyMs) at = now();
    return at;
  };
  const tick = (): void => {
    at = now();
    listeners.forEach((listener) => listener());
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    timer ??= setInterval(tick, everyMs);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
  const beat = { subscribe, read };
  beats.set(everyMs, beat);
  return beat;
}
