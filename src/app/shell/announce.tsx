'use no memo'; // drawn once or seldom: the compiler's memory would cost more code on the first load
import { useSyncExternalStore } from 'react';

/**
 * Says a result to screen readers, politely: `28 results`. The same sentence twice is said once.
 */
export function announce(sentence: string): void {
  if (sentence === said) return;
  said = sentence;
  listeners.forEach((listener) => listener());
}

/** Where it is said. Once, in the app. */
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
