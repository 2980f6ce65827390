import { useMutation } from '@tanstack/react-query';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { queryClient } from './server-query.ts';

export interface ServerMutation {
  /** A request is on its way. */
  readonly busy: boolean;
  /** Which request is on its way, if `send` got a name; null for none. */
  readonly pending: string | null;
  /** Why the last request failed; null while one is on its way. */
  readonly failure: Failure | null;
  readonly send: <T>(request: () => Promise<Result<T>>, name?: string) => Promise<Result<T>>;
  /** Forgets the last request and its failure. */
  readonly clear: () => void;
}

/**
 * What a screen sends to the server. A request never rejects: a refusal is a value. The worker knows
 * whether the server can be reached and what may be sent twice, so nothing is repeated or put off
 * here.
 */
export function useServerMutation(): ServerMutation {
  const { isPending, variables, data, mutateAsync, reset } = useMutation(
    {
      mutationFn: ({ request }: Sent) => request(),
      retry: false,
      networkMode: 'always',
      gcTime: 0,
    },
    queryClient,
  );
  return {
    busy: isPending,
    pending: isPending ? (variables.name ?? null) : null,
    failure: data?.ok === false ? data.failure : null,
    async send<T>(request: () => Promise<Result<T>>, name?: string) {
      return (await mutateAsync({ request, ...(name !== undefined && { name }) })) as Result<T>;
    },
    clear: reset,
  };
}

interface Sent {
  readonly request: () => Promise<Result<unknown>>;
  readonly name?: string;
}
