import { useMachine } from '@xstate/react';
import { useRouter } from '@tanstack/react-router';
import type { AnyRouter } from '@tanstack/react-router';
import { fromPromise } from 'xstate';
import type { SnapshotFrom } from 'xstate';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { signInStepMachine } from '#machines/sign-in-step.ts';
import type { StepEvent, StepResult } from '#machines/sign-in-step.ts';
import type { Answering } from '#machines/sign-in-requests.ts';
import { now } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { holdPage, sayAtSignIn } from '#src/app/session/sign-in-context.ts';
import { showPasskey } from './passkey.ts';
import type { SignInError } from './sign-in-error.ts';
import { useSignInError } from './use-sign-in-error.ts';

export interface StepConversation {
  readonly state: SnapshotFrom<typeof signInStepMachine>;
  readonly send: (event: StepEvent) => void;
  /** The method whose answer is pending. */
  readonly busy: Answering['way'] | null;
  /** Why the last answer was refused, and why no other code was sent. */
  readonly error: SignInError | null;
  readonly resendError: SignInError | null;
}

/**
 * The conversation of a step's page. `StepPage` and its guard handle the redirect. `isCodeSent`: a
 * code was sent right before the page was opened.
 */
export function useSignInStep(isCodeSent = false): StepConversation {
  const router = useRouter();
  const [state, send] = useMachine(
    signInStepMachine.provide({
      actors: {
        answer: fromPromise(({ input }) => answerStep(input, router)),
        showPasskey: fromPromise(({ input }) => showPasskey(input)),
      },
    }),
    { input: { now, isCodeSent } },
  );
  const { ask, refusal, resendRefusal } = state.context;
  return {
    state,
    send,
    busy: state.matches('showingPasskey')
      ? 'passkey'
      : state.matches('sending')
        ? 'resend'
        : (ask?.way ?? null),
    error: useSignInError(refusal),
    resendError: useSignInError(resendRefusal),
  };
}

/**
 * Sends the answer of a step. The page stays while the answer is pending, and for recovery codes,
 * which are shown once. If the attempt is over, the sign-in page says why.
 */
async function answerStep(
  ask: Answering | null,
  router: Pick<AnyRouter, 'invalidate'>,
): Promise<Result<StepResult>> {
  if (ask === null) throw new Error('nothing to answer');
  holdPage(true);
  const result = await client().signIn(ask);
  if (!result.ok) {
    const { kind, message } = result.failure;
    if (kind === 'expired' || kind === 'signed-out') sayAtSignIn(message);
    holdPage(false);
    return failed(result.failure);
  }
  if (result.value.kind === 'step') {
    holdPage(false);
    return ok({ kind: 'step' });
  }
  const { recoveryCodes } = result.value;
  if (recoveryCodes === null) {
    holdPage(false);
    await router.invalidate();
  }
  return ok({ kind: 'in', recoveryCodes });
}
