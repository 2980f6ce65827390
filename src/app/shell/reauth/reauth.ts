import { useSyncExternalStore } from 'react';
import type { Result } from '#contract/result.ts';
import { client } from '../../worker/worker-client.ts';

/**
 * Makes a call that may want a factor shown a moment ago (G44): then the person is asked to confirm
 * that it is them, and the call is made once more. Who does not confirm gets the refusal itself.
 * `password`: the present one, typed on the page already; it is shown instead of asking, where the
 * user has nothing better to show.
 */
export async function withReauth<T>(
  call: () => Promise<Result<T>>,
  password?: string,
): Promise<Result<T>> {
  const first = await call();
  if (first.ok || first.failure.kind !== 'reauth_required') return first;
  if (password !== undefined) {
    const shown = await client().ask('reauth', { password });
    if (shown.ok || shown.failure.kind !== 'reauth_required') return shown.ok ? call() : shown;
  }
  return (await confirmed()) ? call() : first;
}

/** Whether somebody is being asked, for the frame, which shows the question. */
export const useReauthAsked = (): boolean => useSyncExternalStore(subscribe, () => asked !== null);

/** The question's answer: whether a factor was shown. */
export function answerReauth(shown: boolean): void {
  const { settle } = asked ?? {};
  asked = null;
  tell();
  settle?.(shown);
}

/** Calls that want it at once share one question. */
function confirmed(): Promise<boolean> {
  if (asked === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    asked = { promise, settle: resolve };
    tell();
  }
  return asked.promise;
}

let asked: {
  readonly promise: Promise<boolean>;
  readonly settle: (shown: boolean) => void;
} | null = null;
const listeners = new Set<() => void>();
const tell = (): void => listeners.forEach((listener) => listener());
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
