import { useCallback, useEffect, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { now } from '#src/clock.ts';
import { useWatch } from '#src/door.ts';

/** What the server was asked: `value` is its last answer and `at` when that came; `fault` why there is none, or no newer one. */
export interface Asked<T> { readonly value: T | null; readonly at: Ms | null; readonly fault: string | null; readonly again: () => void }

const NOTHING = {};
const EVERY_MS = 300_000;
const OFFLINE_EVERY_MS = 30_000;

/**
 * Asks the server when it is looked at, every five minutes, and when the network is back; keeps the last answer. `ask` must be the same
 * function from one rendering to the next; `wanted` false asks nothing. `words`: what is said where the server could not answer.
 */
export function useAsked<T>(ask: () => Promise<Result<T>>, wanted: boolean, words: string): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'again'>>(NONE);
  const offline = useWatch('status', NOTHING)?.is === 'offline';
  const run = useCallback(async (): Promise<void> => {
    const result = await ask();
    setState((old) => (result.ok
      ? { value: result.value, at: now(), fault: null }
      : { ...old, fault: result.failure.kind === 'needs-network' ? result.failure.message : words }));
  }, [ask, words]);
  useEffect(() => {
    if (!wanted) return;
    const again = (): void => { run().catch(() => setState((old) => ({ ...old, fault: words }))); };
    again();
    const timer = setInterval(again, offline ? OFFLINE_EVERY_MS : EVERY_MS);
    return () => clearInterval(timer);
  }, [run, wanted, words, offline]);
  return { ...state, again: () => { run().catch(() => setState((old) => ({ ...old, fault: words }))); } };
}

const NONE = { value: null, at: null, fault: null };
