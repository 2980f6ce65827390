import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { useMe } from '../session/session.ts';

/**
 * The client of every hook with which the page asks the server.
 *
 * The worker stores answers, knows whether the server can be reached, and backs off. So a query here
 * never retries or pauses, and nothing stays in memory when the last component that shows it is
 * gone.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      staleTime: 0,
      gcTime: 0,
    },
  },
});

export interface ServerQueryOptions<T> {
  /** If false, nothing is requested. */
  readonly wanted: boolean;
  /**
   * Requests again at this interval; null: never. A function chooses it by the last answer, and
   * waits while the page is hidden.
   */
  readonly everyMs?: Ms | null | ((answer: T | undefined) => Ms | null);
  /** A change of this value requests the data again. */
  readonly round: string;
  /** Shows the answer of the previous input until the new one arrives. */
  readonly keepsPrevious?: boolean;
  /** Returns the answer. `previous`: the last answer for the same input. Never rejects. */
  readonly request: (signal: AbortSignal, previous: T | undefined) => Promise<T>;
}

export interface ServerQuery<T> {
  readonly answer: T | undefined;
  /** The answer for this input and round is pending. Requests at an interval don't count. */
  readonly isLoading: boolean;
  readonly again: () => void;
  /** Replaces the answer. */
  readonly set: (answer: T) => void;
}

/**
 * Requests data on mount, when `input` or `round` changes, and at an interval. Components that
 * request the same with the same hook share one answer; answers of different hooks differ in shape.
 * An answer is never shown to another user or with other rights (SYNC-6).
 */
export function useServerQuery<T>(
  hook: 'useCachedQuery' | 'useSearchQuery' | 'useQuery' | 'useRequest',
  name: string,
  input: unknown,
  { wanted, everyMs = null, round, keepsPrevious = false, request }: ServerQueryOptions<T>,
): ServerQuery<T> {
  const identity = useIdentity();
  const queryKey = [hook, name, input, identity] as const;
  const [turn, setTurn] = useState(0);
  const occasion = `${turn} ${round}`;
  const [answered, setAnswered] = useState(occasion);
  const { data, isPending, isPlaceholderData, refetch } = useQuery<OwnedAnswer<T>>(
    {
      queryKey,
      enabled: wanted,
      refetchInterval:
        typeof everyMs === 'function'
          ? ({ state }) => everyMs(state.data?.answer) ?? false
          : (everyMs ?? false),
      refetchIntervalInBackground: typeof everyMs !== 'function',
      queryFn: async ({ signal }): Promise<OwnedAnswer<T>> => {
        const previous = queryClient.getQueryData<OwnedAnswer<T>>(queryKey);
        return { identity, answer: await request(signal, previous?.answer) };
      },
      ...(keepsPrevious && { placeholderData: keepPreviousData }),
    },
    queryClient,
  );
  // A request that is already running may have read what has changed since.
  const requestAgain = useEffectEvent(async () => {
    await queryClient.cancelQueries({ queryKey, exact: true });
    await refetch();
  });
  useEffect(() => {
    if (!wanted || answered === occasion) return;
    let gone = false;
    const repeat = async (): Promise<void> => {
      await requestAgain();
      if (!gone) setAnswered(occasion);
    };
    void repeat();
    return () => {
      gone = true;
    };
  }, [wanted, answered, occasion]);
  return {
    answer: data?.identity === identity ? data.answer : undefined,
    isLoading: wanted && (isPending || isPlaceholderData || answered !== occasion),
    again: () => setTurn((now) => now + 1),
    set: (answer) => {
      queryClient.setQueryData<OwnedAnswer<T>>(queryKey, { identity, answer });
    },
  };
}

/** Returns what differs for each user, and for other rights of the same user. */
export function useIdentity(): string {
  const me = useMe();
  return me === null
    ? ''
    : JSON.stringify([me.id, me.impersonator !== null, me.roles, me.companies]);
}

/** An answer and the user for whom it was requested. */
interface OwnedAnswer<T> {
  readonly identity: string;
  readonly answer: T;
}

/** A request that failed in the page itself, because of a bug. */
export const NOT_SENT: { readonly ok: false; readonly failure: Failure } = {
  ok: false,
  failure: {
    kind: 'not-sent',
    get message() {
      return BASE.badRequest;
    },
  },
};
