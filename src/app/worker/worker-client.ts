import { useEffect, useState, useSyncExternalStore } from 'react';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import type { WorkerClient, Watches, WatchName, Who } from '#workers/api.ts';
import { createLiveQuery } from './live-query.ts';
import type { LiveQuery } from './live-query.ts';

/**
 * What the page knows of everything behind it. `start-worker.ts` gives the real one, tests and the
 * playground their own.
 */
export function client(): WorkerClient {
  if (!given) throw new Error('the door was used before it was given');
  return given;
}

/** Before the first screen is rendered. */
export function setClient(next: WorkerClient): void {
  given = {
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
 * A request that never reached the server, for a bug or for what cannot be handed over: a failure
 * like any other on the page, and an error in the log.
 */
function notSent(fault: unknown): Result<never> {
  globalThis.reportError?.(fault);
  return { ok: false, failure: { kind: 'not-sent', message: BASE.badRequest } };
}

/** No answer came, and the browser knows why: it has no network. */
const withNetwork = (failure: Failure): Failure =>
  failure.kind === 'no-answer' && !navigator.onLine
    ? { kind: 'needs-network', message: BASE.needsNetwork }
    : failure;
const namingTheNetwork = <T>(result: Result<T>): Result<T> =>
  result.ok ? result : { ok: false, failure: withNetwork(result.failure) };

/**
 * What a watch gives now; undefined until it has given something. After a change of `input` the
 * last value stands until the new one comes.
 */
export function useWatch<N extends WatchName>(
  name: N,
  input: Watches[N]['input'],
): Watches[N]['output'] | undefined {
  const [line] = useState(() =>
    OWN_QUESTION.has(name)
      ? createLiveQuery(client, name, input, reportWorkerFailure)
      : sharedLine(name),
  );
  useEffect(() => line.ask(input), [line, input]);
  return useSyncExternalStore(line.subscribe, line.now);
}

/** Who is signed in, outside of React. */
export const currentSession = (): Who => sharedLine('who').now() ?? { is: 'starting' };

/** Told of every change of `who`. Answers how to stop. */
export const onSessionChange = (listener: () => void): (() => void) =>
  sharedLine('who').subscribe(listener);

/** Resolves as soon as the disk has been asked. */
export function whenSessionKnown(): Promise<Exclude<Who, { readonly is: 'starting' }>> {
  return new Promise((resolve) => {
    let stop: (() => void) | null = null;
    const look = (): void => {
      const who = currentSession();
      if (who.is === 'starting') return;
      stop?.();
      resolve(who);
    };
    stop = onSessionChange(look);
    look();
  });
}

/** The worker did not start, or broke: nothing on the page can be trusted to be kept. */
export function reportWorkerFailure(fault: unknown): void {
  broken = fault instanceof Error ? fault.message : String(fault);
  listeners.forEach((listener) => listener());
}

/** Null while all is well, otherwise what went wrong, in the browser's words. */
export const useWorkerFailure = (): string | null => useSyncExternalStore(subscribe, () => broken);

let given: WorkerClient | null = null;
let broken: string | null = null;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Each component asks its own. */
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

/** Watches that take nothing are opened once, however many components look at them. */
const shared = new Map<WatchName, unknown>();
function sharedLine<N extends WatchName>(name: N): LiveQuery<N> {
  const known = shared.get(name) as LiveQuery<N> | undefined;
  if (known) return known;
  const line = createLiveQuery(client, name, {}, reportWorkerFailure);
  shared.set(name, line);
  return line;
}
