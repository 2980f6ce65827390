import { useRouter } from '@tanstack/react-router';
import type { RouterHistory } from '@tanstack/react-router';
import { useMachine } from '@xstate/react';
import { useEffect, useEffectEvent } from 'react';
import { fromPromise } from 'xstate';
import type { SnapshotFrom } from 'xstate';
import type { Me } from '#contract/auth/current-user.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { impersonationMachine } from '#machines/impersonation.ts';
import type {
  ImpersonationEvent,
  ImpersonationRequest,
  ImpersonationResult,
} from '#machines/impersonation.ts';
import { now } from '../../clock.ts';
import { client, onSessionChange, currentSession } from '../../worker/worker-client.ts';
import { IMPERSONATED_FROM } from '../../session/storage-keys.ts';
import { writeStored, readStored } from '../../session/browser-storage.ts';
import { localPath } from '../../router/redirect-target.ts';
import { withReauth } from '../reauth/reauth.ts';
import { showFailure } from '../../../ui/toasts.ts';
import { shellMessages as t } from '../shell.messages.en.ts';

const MAX_CHARS = 10;

/** Returns the button text, such as `Exit dana`. Names are cut to ten characters. */
export const exitWord = (username: string): string => {
  const letters = Array.from(username);
  return t.exit({
    username: letters.length > MAX_CHARS ? `${letters.slice(0, MAX_CHARS).join('')}…` : username,
  });
};

export interface Impersonation {
  readonly state: SnapshotFrom<typeof impersonationMachine>;
  readonly send: (event: ImpersonationEvent) => void;
}

/**
 * The conversation that starts an impersonation (G42) or ends it, here or at another provider's
 * portal. Starting redirects to the user's start page, ending to the page where it started.
 */
export function useImpersonation(isImpersonating: boolean): Impersonation {
  const { history } = useRouter();
  const [state, send] = useMachine(
    impersonationMachine.provide({
      actors: {
        start: fromPromise(({ input }) => start(input, history)),
        exit: fromPromise(({ input }) => exit(input, history)),
      },
    }),
    { input: { now, isImpersonating } },
  );
  const { refusal } = state.context;
  const onExitRefused = useEffectEvent(() => {
    const again = state.matches('unsent') ? 'DISCARD' : 'EXIT';
    if (isImpersonating && refusal !== null)
      showFailure(refusal.failure.message, () => send({ type: again }));
  });
  useEffect(() => {
    if (refusal !== null) onExitRefused();
  }, [refusal]);
  return { state, send };
}

type PageHistory = Pick<RouterHistory, 'location' | 'replace'>;

async function start(
  request: ImpersonationRequest | null,
  history: PageHistory,
): Promise<Result<ImpersonationResult>> {
  if (request === null) throw new Error('nobody to sign in as');
  const from = history.location.href;
  const answer = await withReauth(() => client().impersonate(request));
  if (!answer.ok) return answer;
  if (answer.value.kind === 'unsent') return failed({ kind: 'conflict', message: BASE.badRequest });
  writeStored(IMPERSONATED_FROM, from);
  if (answer.value.kind === 'elsewhere') location.assign(answer.value.url);
  else {
    await waitForSession(answer.value.me);
    history.replace('/');
  }
  return ok({ kind: answer.value.kind });
}

async function exit(
  how: 'ask' | 'discard',
  history: PageHistory,
): Promise<Result<ImpersonationResult>> {
  const answer = await client().stopImpersonation(how);
  if (!answer.ok) return answer;
  if (answer.value.kind === 'unsent') return ok(answer.value);
  if (answer.value.kind === 'elsewhere') location.assign(answer.value.url);
  else {
    const from = localPath(readStored(IMPERSONATED_FROM) ?? '') ?? '/';
    writeStored(IMPERSONATED_FROM, null);
    await waitForSession(answer.value.me);
    history.replace(from);
  }
  return ok({ kind: answer.value.kind });
}

/**
 * Waits until the session is the expected one, so that the guards of the next page do not see the
 * previous user.
 */
function waitForSession({ id, impersonator }: Me): Promise<void> {
  return new Promise((resolve) => {
    let stop: (() => void) | null = null;
    const look = (): void => {
      const who = currentSession();
      if (
        who.kind !== 'in' ||
        who.me.id !== id ||
        who.me.impersonator?.impersonation !== impersonator?.impersonation
      )
        return;
      stop?.();
      resolve();
    };
    stop = onSessionChange(look);
    look();
  });
}
