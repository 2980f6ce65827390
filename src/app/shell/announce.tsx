'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import { useSyncExternalStore } from 'react';

/**
 * Announces a result to screen readers politely, such as `28 results`. It ignores a message that
 * equals the last one.
 */
export function announce(sentence: string): void {
  if (sentence === said) return;
  said = sentence;
  listeners.forEach((listener) => listener());
}

/** The element that announces messages. Render it once in the app. */
export function LiveRegion() {
  const sentence = useSyncExternalStore(subscribe, () => said);
  return (
    <output className="sr-only" aria-live="polite">
      {sentence}
    </output>
  );
}

let said = '';
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
