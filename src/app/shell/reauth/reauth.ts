import { useSyncExternalStore } from 'react';
import type { Result } from '#contract/result.ts';
import { client } from '../../worker/worker-client.ts';

/**
 * Makes a call that may require a recent factor (G44). If the server requires one, asks the user to
 * confirm it and repeats the call. Returns the server's refusal if the user does not confirm.
 * `password`: the current password, if the page already has it; it is sent before asking, and
 * suffices for users without a stronger factor.
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

/** Returns whether a confirmation is pending. The shell renders the dialog. */
export const useIsReauthOpen = (): boolean =>
  useSyncExternalStore(subscribe, () => question !== null);

/** Completes the confirmation. `shown`: whether the user confirmed with a factor. */
export function answerReauth(shown: boolean): void {
  const { settle } = question ?? {};
  question = null;
  notifyListeners();
  settle?.(shown);
}

/** Concurrent calls that require a factor share one dialog. */
function confirmed(): Promise<boolean> {
  if (question === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    question = { promise, settle: resolve };
    notifyListeners();
  }
  return question.promise;
}

let question: {
  readonly promise: Promise<boolean>;
  readonly settle: (shown: boolean) => void;
} | null = null;
const listeners = new Set<() => void>();
const notifyListeners = (): void => listeners.forEach((listener) => listener());
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
