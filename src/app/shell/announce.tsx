'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import { useSyncExternalStore } from 'react';

/**
 * Announces a result to screen readers politely, such as `28 results`. It ignores a message that
 * equals the last one. The one before it stays, since a screen reader drops one that is replaced
 * before it was read.
 */
export function announce(sentence: string): void {
  if (sentence === said.at(-1)) return;
  said = [...said.slice(-1), sentence];
  listeners.forEach((listener) => listener());
}

/** The element that announces messages. Render it once in the app. */
export function LiveRegion() {
  const sentences = useSyncExternalStore(subscribe, () => said);
  return (
    <div className="sr-only" aria-live="polite">
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

let said: readonly string[] = [];
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
