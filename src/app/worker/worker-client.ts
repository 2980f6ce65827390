import { useEffect, useState, useSyncExternalStore } from 'react';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import type { WorkerClient, Watches, WatchName, ClientSessionState } from '#workers/api.ts';
import { createLiveQuery } from './live-query.ts';
import type { LiveQuery } from './live-query.ts';

/**
 * The page's client of the worker. `start-worker.ts` provides the real one; tests and the
 * playground provide their own.
 */
export function client(): WorkerClient {
  if (!supplied) throw new Error('the worker client was used before it was set');
  return supplied;
}

/** Call it before the first render. */
export function setClient(next: WorkerClient): void {
  supplied = {
    ...next,
    ask: (name, input) => next.ask(name, input).then(namingTheNetwork, notSent),
    file: (name, input) => next.file(name, input).then(namingTheNetwork, notSent),
    read: (name, input) =>
      next
        .read(name, input)
        .then(
          (read) =>
            read.ok && !read.value.live
              ? { ok: true, value: { ...read.value, failure: withNetwork(read.value.failure) } }
              : namingTheNetwork(read),
          notSent,
        ),
    send: (name, input) => next.send(name, input).catch(notSent),
  };
  shared.clear();
}

/**
 * A request that never reached the server, because of a bug or a value that cannot be cloned. The
 * page shows a failure, and the log gets the error.
 */
function notSent(error: unknown): Result<never> {
  globalThis.reportError?.(error);
  return { ok: false, failure: { kind: 'not-sent', message: BASE.badRequest } };
}

/** The request got no answer and the browser is offline. */
const withNetwork = (failure: Failure): Failure =>
  failure.kind === 'no-answer' && !navigator.onLine
    ? { kind: 'needs-network', message: BASE.needsNetwork }
    : failure;
const namingTheNetwork = <T>(result: Result<T>): Result<T> =>
  result.ok ? result : { ok: false, failure: withNetwork(result.failure) };

/**
 * Returns the current value of a watch, or undefined before the first one. After a change of
 * `input` the previous value stays until the new one arrives.
 */
export function useWatch<N extends WatchName>(
  name: N,
  input: Watches[N]['input'],
): Watches[N]['output'] | undefined {
  const [line] = useState(() =>
    OWN_QUESTION.has(name)
      ? createLiveQuery(client, name, input, reportWorkerFailure, getUser)
      : sharedLine(name),
  );
  useEffect(() => line.ask(input), [line, input]);
  return useSyncExternalStore(line.subscribe, line.now);
}

/** Returns the current session, for code outside React. */
export const currentSession = (): ClientSessionState =>
  sharedLine('who').now() ?? { kind: 'starting' };

/** Returns what differs for each user and impersonation; undefined if nobody is signed in. */
export function getUser(): string | undefined {
  const who = currentSession();
  return who.kind === 'in' ? `${who.me.id} ${who.me.impersonator?.id}` : undefined;
}

/** Calls `listener` on every change of `who`. Returns the unsubscribe function. */
export const onSessionChange = (listener: () => void): (() => void) =>
  sharedLine('who').subscribe(listener);

/** Resolves once the session has been read from the disk. */
export function whenSessionKnown(): Promise<
  Exclude<ClientSessionState, { readonly kind: 'starting' }>
> {
  return new Promise((resolve) => {
    const look = (): void => {
      const who = currentSession();
      if (who.kind === 'starting') return;
      stop();
      resolve(who);
    };
    const stop = onSessionChange(look);
    look();
  });
}

/**
 * Records that the worker failed to start or crashed. The page then shows an error instead of its
 * content, because changes can no longer be stored.
 */
export function reportWorkerFailure(error: unknown): void {
  broken = error instanceof Error ? error.message : String(error);
  listeners.forEach((listener) => listener());
}

/** Returns null, or the browser's error message after the worker has failed. */
export const useWorkerFailure = (): string | null => useSyncExternalStore(subscribe, () => broken);

let supplied: WorkerClient | null = null;
let broken: string | null = null;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Watches with an own input for each component. */
const OWN_QUESTION: ReadonlySet<WatchName> = new Set([
  'runs',
  'overview',
  'trends',
  'calendar',
  'find',
  'shiftNow',
  'refused',
  'signing',
]);

/** Watches without input are opened once for all components. */
const shared = new Map<WatchName, unknown>();
function sharedLine<N extends WatchName>(name: N): LiveQuery<N> {
  const known = shared.get(name) as LiveQuery<N> | undefined;
  if (known) return known;
  const owner = name === 'who' ? undefined : getUser;
  const line = createLiveQuery(client, name, {}, reportWorkerFailure, owner);
  shared.set(name, line);
  return line;
}
