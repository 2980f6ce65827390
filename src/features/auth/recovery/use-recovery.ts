import { useMachine } from '@xstate/react';
import { fromPromise } from 'xstate';
import type { SnapshotFrom } from 'xstate';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { recoveryMachine } from '#machines/recovery.ts';
import type { CodeUse, RecoveryEvent } from '#machines/recovery.ts';
import { now } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';

export interface Recovery {
  readonly state: SnapshotFrom<typeof recoveryMachine>;
  readonly send: (event: RecoveryEvent) => void;
}

/** The conversation that recovers an account with a code. `useCode` uses it for its purpose. */
export function useRecovery(
  useCode: (username: string, use: CodeUse) => Promise<Result<unknown>>,
): Recovery {
  const [state, send] = useMachine(
    recoveryMachine.provide({
      actors: {
        look: fromPromise(async ({ input: username }) => {
          const found = await client().ask('validateUsername', { username });
          if (!found.ok) return found;
          const { authType: auth, questions } = found.value;
          return ok({ auth, questions });
        }),
        send: fromPromise(({ input: { username, answers } }) =>
          client().ask('validateAnswers', { username, answers: [...answers] }),
        ),
        use: fromPromise(({ input: { username, use } }) => {
          if (use === null) throw new Error('no code to use');
          return useCode(username, use);
        }),
      },
    }),
    { input: { now } },
  );
  return { state, send };
}
