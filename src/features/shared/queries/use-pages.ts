import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { NOT_SENT, queryClient, useIdentity } from '#src/app/worker/server-query.ts';

/** The pages of a list that are loaded so far, in memory only. */
export interface PagesQuery<T> {
  readonly pages: readonly T[];
  readonly isLoading: boolean;
  /** Why the last request failed, until another one succeeds. */
  readonly failure: Failure | null;
  /** The last page isn't loaded yet. */
  readonly hasMore: boolean;
  /** Loads the next page, or again the one that failed. */
  readonly more: () => void;
}

export interface PagesOptions<T, C> {
  /** The cursor of the first page. */
  readonly first: C;
  /** Returns the cursor of the next page; null after the last one. */
  readonly getNext: (page: T, cursor: C) => C | null;
  readonly request: (cursor: C) => Promise<Result<T>>;
  /** If false, nothing is requested. */
  readonly wanted?: boolean;
  /** Loads all pages, one after the other, until one fails. */
  readonly isWhole?: boolean;
}

/**
 * Loads a list page by page. `name` and `input` tell the lists apart: another list starts again. A
 * list is never shown to another user or with other rights.
 */
export function usePages<T, C>(
  name: string,
  input: unknown,
  { first, getNext, request, wanted = true, isWhole = false }: PagesOptions<T, C>,
): PagesQuery<T> {
  const identity = useIdentity();
  const { data, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery(
    {
      queryKey: ['usePages', name, input, identity],
      enabled: wanted,
      initialPageParam: { cursor: first },
      queryFn: async ({ pageParam: { cursor } }) => request(cursor).catch(() => NOT_SENT),
      getNextPageParam: (last: Result<T>, _all, param) => {
        if (!last.ok) return param;
        const cursor = getNext(last.value, param.cursor);
        return cursor === null ? null : { cursor };
      },
    },
    queryClient,
  );
  const answers = data?.pages ?? [];
  const last = answers.at(-1);
  const failure = last?.ok === false ? last.failure : null;
  // One page at a time: a request that is running is not repeated.
  const more = (): void => {
    if (wanted) void fetchNextPage({ cancelRefetch: false });
  };
  const loadNext = useEffectEvent(more);
  const isNextDue = isWhole && hasNextPage && !isFetching && failure === null;
  useEffect(() => {
    if (isNextDue) loadNext();
  }, [isNextDue]);
  return {
    pages: answers.flatMap((answer) => (answer.ok ? [answer.value] : [])),
    isLoading: isFetching,
    failure,
    hasMore: data === undefined || hasNextPage,
    more,
  };
}
