import { useQuery } from '@tanstack/react-query';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { NOT_SENT, queryClient, useIdentity } from '#src/app/worker/server-query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getComputer } from './rows.ts';
import type { Computer } from './rows.ts';

/**
 * The computers of the last seven days from the server's last answer, shared by tab and list. `at`:
 * time of the answer.
 */
interface ComputersAnswer {
  readonly rows: readonly Computer[] | null;
  readonly at: Ms | null;
  readonly failure: Failure | null;
}
export interface ComputersNow extends ComputersAnswer {
  /** Requests them again: after a change, or on the user's request. */
  readonly again: () => void;
}

const NONE: ComputersAnswer = { rows: null, at: null, failure: null };
const OLD_MS: Ms = 300_000;
const RETRY_MS: Ms = 60_000;

/**
 * Returns the known computers, also from an earlier page load. Online, requests them again if they
 * are five minutes old.
 */
export function useComputersNow(online: boolean): ComputersNow {
  const queryKey = ['useComputersNow', useIdentity()];
  const { data, refetch } = useQuery<ComputersAnswer>(
    {
      queryKey,
      // Offline, only what the device has stored is read.
      enabled: ({ state }) => online || state.data === undefined || state.data.at === null,
      staleTime: ({ state }) => (isCurrent(state.data) ? OLD_MS : 0),
      refetchInterval: ({ state }) => (isCurrent(state.data) ? OLD_MS : RETRY_MS),
      refetchIntervalInBackground: true,
      // From one tab to another, the same answer is shown.
      gcTime: OLD_MS,
      queryFn: async () => {
        const answer = await client()
          .read('listComputersNow', {})
          .catch(() => NOT_SENT);
        if (!answer.ok)
          return {
            ...(queryClient.getQueryData<ComputersAnswer>(queryKey) ?? NONE),
            failure: answer.failure,
          };
        const { value, at } = answer.value;
        const failure = answer.value.live ? null : answer.value.failure;
        return { rows: value.map(getComputer), at, failure };
      },
    },
    queryClient,
  );
  return { ...(data ?? NONE), again: () => void refetch({ cancelRefetch: false }) };
}

const isCurrent = (answer: ComputersAnswer | undefined): boolean =>
  answer !== undefined && answer.at !== null && answer.failure === null;
