import { useRouter } from '@tanstack/react-router';
import { useMachine } from '@xstate/react';
import { useEffect } from 'react';
import { fromPromise } from 'xstate';
import type { Me } from '#contract/auth/current-user.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { firstRunMachine } from '#machines/first-run.ts';
import type { PromptNeed } from '#machines/first-run.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { readStored, writeStored } from '../../session/browser-storage.ts';
import { PROMPT_DISMISSED } from '../../session/storage-keys.ts';
import { pauseRedirectTarget } from '../../router/redirect-target.ts';
import type { Terms } from '../terms/pending-terms.ts';
import { TermsQuestion } from '../terms/terms-question.tsx';
import { FirstRunPrompt } from './first-run-prompt.tsx';
import { mayPrompt } from './first-run.ts';

/** Asks a user after the sign-in to accept the terms of use, then to connect the first source. */
export function FirstRunQuestions({
  me,
  terms,
  path,
}: {
  readonly me: Me;
  readonly terms: Terms | null;
  readonly path: string;
}) {
  const { id } = me;
  const router = useRouter();
  const isOffline = useWatch('status', NOTHING)?.is === 'offline';
  const [state, send] = useMachine(
    firstRunMachine.provide({
      actors: {
        accept: fromPromise<Result<unknown>>(() =>
          client().ask('editProfile', { id, ackO365TermsOfUse: true }),
        ),
        decline: fromPromise(() => decline(() => router.navigate({ to: '/login', replace: true }))),
        read: fromPromise(() => readNeed(id)),
        save: fromPromise<unknown>(() =>
          client().ask('editProfile', { id, wizardPromptDismissed: true }),
        ),
      },
    }),
    {
      input: {
        hasTerms: terms !== null,
        mayPrompt: mayPrompt(me, '/monitoring/', null),
        isDismissedHere: readStored(PROMPT_DISMISSED) === id,
      },
    },
  );
  const isRequired = terms !== null;
  useEffect(() => send({ type: 'TERMS', isRequired }), [send, isRequired]);

  if (terms !== null) {
    const { failure } = state.context;
    return (
      <TermsQuestion
        terms={terms}
        busy={state.matches('accepting') ? 'accept' : state.matches('declining') ? 'decline' : null}
        fault={failure === null ? null : failure.message}
        onAccept={() => send({ type: 'ACCEPT', isOffline })}
        onDecline={() => send({ type: 'DECLINE' })}
      />
    );
  }
  return (
    state.matches('prompt') &&
    mayPrompt(me, path, state.context.isDismissedHere ? id : null) && (
      <FirstRunPrompt
        onDismiss={() => {
          writeStored(PROMPT_DISMISSED, id);
          send({ type: 'DISMISS' });
        }}
      />
    )
  );
}

async function readNeed(id: Me['id']): Promise<Result<PromptNeed>> {
  const profile = await client().ask('readProfile', { id });
  if (!profile.ok) return profile;
  const { hasJobs, wizardPromptDismissed } = profile.value;
  return ok({ isNeeded: !hasJobs, isDismissed: wizardPromptDismissed === true });
}

/** Logs out. Unsent changes stay on this device. */
async function decline(toSignIn: () => Promise<void>): Promise<Result<unknown>> {
  pauseRedirectTarget(true);
  const answer = await client().signOut('keep');
  if (answer.ok) await toSignIn();
  else pauseRedirectTarget(false);
  return answer;
}

const NOTHING = {};
