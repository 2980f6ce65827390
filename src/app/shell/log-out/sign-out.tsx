import { useRouter } from '@tanstack/react-router';
import { useMachine } from '@xstate/react';
import { useEffect, useEffectEvent } from 'react';
import { fromPromise } from 'xstate';
import type { Result } from '#contract/result.ts';
import { signOutMachine } from '#machines/sign-out.ts';
import type { SignOutRefusal, SignOutResult, Unsent } from '#machines/sign-out.ts';
import { client } from '../../worker/worker-client.ts';
import { forgetUser } from '../../session/sign-out.ts';
import { pauseRedirectTarget } from '../../router/redirect-target.ts';
import { showFailure } from '../../../ui/toasts.ts';
import { UnsentQuestion } from './unsent-question.tsx';
import { syncMessages as t } from '../sync.messages.en.ts';

export interface SignOutProps {
  readonly isOffline: boolean;
  /** The unsent changes that this device knows of. */
  readonly unsent: number;
  readonly onStay: () => void;
  readonly onRetry: () => void;
}

/**
 * Signs out at once if nothing is unsent. Asks first if there are unsent changes (OUT-7), or
 * offline, when nobody could sign in again.
 */
export function SignOut({ isOffline, unsent, onStay, onRetry }: SignOutProps) {
  const router = useRouter();
  const [state, send] = useMachine(
    signOutMachine.provide({
      actors: {
        signOut: fromPromise(({ input }) =>
          leave(input, () => router.navigate({ to: '/login', replace: true })),
        ),
      },
    }),
    { input: { cause: 'user', isOffline, unsent } },
  );
  const { refusal, how } = state.context;
  const isFailed = state.matches('failed');
  const onFail = useEffectEvent(() => {
    onStay();
    if (refusal?.kind === 'failed') showFailure(refusal.message, onRetry);
  });
  useEffect(() => {
    if (isFailed) onFail();
  }, [isFailed]);

  if (!state.matches('choosing') && !(state.matches('leaving') && how !== 'ask')) return null;
  return (
    <UnsentQuestion
      count={state.context.unsent}
      offline={isOffline}
      busy={state.matches('leaving')}
      refused={refusal && refusalText(refusal)}
      onChoose={(choice) => send({ type: 'CHOOSE', how: choice, isOffline })}
      onClose={() => {
        send({ type: 'STAY' });
        onStay();
      }}
    />
  );
}

async function leave(how: Unsent, toSignIn: () => Promise<void>): Promise<Result<SignOutResult>> {
  pauseRedirectTarget(true);
  const result = await client().signOut(how);
  if (result.ok && result.value.out) {
    forgetUser();
    await toSignIn();
  } else pauseRedirectTarget(false);
  return result;
}

function refusalText(refusal: SignOutRefusal): string {
  if (refusal.kind === 'failed') return refusal.message;
  return refusal.kind === 'offline' ? t.cannotSend : t.notAllSent;
}
