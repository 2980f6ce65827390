import { useEffect, useSyncExternalStore } from 'react';
import type { Failure } from '#contract/errors.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { useNow } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getComputer } from './rows.ts';
import type { Computer } from './rows.ts';

/**
 * The computers of the last seven days from the server's last answer, shared by tab and list. `at`:
 * time of the answer.
 */
export interface ComputersNow {
  readonly rows: readonly Computer[] | null;
  readonly at: Ms | null;
  readonly failure: Failure | null;
  readonly busy: boolean;
}

const NONE: ComputersNow = { rows: null, at: null, failure: null, busy: false };
const OLD_MS: Ms = 300_000;

let user: UserId | null = null;
let known = NONE;
const listeners = new Set<() => void>();
const show = (next: ComputersNow): void => {
  known = next;
  listeners.forEach((listener) => listener());
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Requests the computers again: after a change, or on the user's request. */
export async function askComputers(me: UserId): Promise<void> {
  if (user !== me) {
    user = me;
    show(NONE);
  }
  if (known.busy) return;
  show({ ...known, busy: true });
  const answer = await client().read('listComputersNow', {});
  const failure = !answer.ok ? answer.failure : answer.value.live ? null : answer.value.failure;
  if (user !== me) return; // another user has signed in
  show(
    answer.ok
      ? {
          rows: answer.value.value.map(getComputer),
          at: answer.value.at,
          failure,
          busy: false,
        }
      : { ...known, busy: false, failure },
  );
}

/**
 * Returns the known computers, also from an earlier page load. Online, requests them again if they
 * are five minutes old.
 */
export function useComputersNow(me: UserId, online: boolean): ComputersNow {
  const here = useSyncExternalStore(subscribe, () => known);
  const beat = useNow(60_000);
  useEffect(() => {
    if (user !== me || known.at === null || (online && beat - known.at > OLD_MS))
      void askComputers(me);
  }, [me, online, beat]);
  return user === me ? here : NONE;
}
