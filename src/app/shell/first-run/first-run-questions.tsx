import { useRouter } from '@tanstack/react-router';
import { useMachine } from '@xstate/react';
import { useEffect, useState } from 'react';
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
import type { TermsOfUse } from '../terms/pending-terms.ts';
import { TermsQuestion } from '../terms/terms-question.tsx';
import { FirstRunPrompt } from './first-run-prompt.tsx';
import { CloudPrompt } from './cloud-prompt.tsx';
import { mayPrompt, mayPromptAnywhere, mayPromptCloud } from './first-run.ts';

/**
 * Asks a user after the sign-in to accept the terms of use, then to connect the first source, or to
 * create the first organization and its first job.
 */
export function FirstRunQuestions({
  me,
  terms,
  path,
}: {
  readonly me: Me;
  readonly terms: TermsOfUse | null;
  readonly path: string;
}) {
  const { id } = me;
  const router = useRouter();
  const [needsSource, setNeedsSource] = useState(false);
  const isOffline = useWatch('status', EMPTY)?.kind === 'offline';
  const [state, send] = useMachine(
    firstRunMachine.provide({
      actors: {
        accept: fromPromise<Result<unknown>>(() =>
          client().ask('editProfile', { id, ackO365TermsOfUse: true }),
        ),
        decline: fromPromise(() => decline(() => router.navigate({ to: '/login', replace: true }))),
        read: fromPromise(async () => {
          const profile = await client().ask('readProfile', { id });
          if (!profile.ok) return profile;
          const { hasJobs, wizardPromptDismissed } = profile.value;
          setNeedsSource(!hasJobs);
          return ok<PromptNeed>({
            // The device knows whether there are organizations.
            isNeeded: !hasJobs || mayPromptCloud(me, '/o365/', null),
            isDismissed: wizardPromptDismissed === true,
          });
        }),
        save: fromPromise<unknown>(() =>
          client().ask('editProfile', { id, wizardPromptDismissed: true }),
        ),
      },
    }),
    {
      input: {
        hasTerms: terms !== null,
        mayPrompt: mayPromptAnywhere(me),
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
        error={failure === null ? null : failure.message}
        onAccept={() => send({ type: 'ACCEPT', isOffline })}
        onDecline={() => send({ type: 'DECLINE' })}
      />
    );
  }
  if (!state.matches('prompt')) return null;
  const dismissedBy = state.context.isDismissedHere ? id : null;
  const dismiss = (): void => {
    writeStored(PROMPT_DISMISSED, id);
    send({ type: 'DISMISS' });
  };
  if (mayPromptCloud(me, path, dismissedBy)) return <CloudPrompt onDismiss={dismiss} />;
  return needsSource && mayPrompt(me, path, dismissedBy) && <FirstRunPrompt onDismiss={dismiss} />;
}

/** Logs out. Unsent changes stay on this device. */
async function decline(toSignIn: () => Promise<void>): Promise<Result<unknown>> {
  pauseRedirectTarget(true);
  const answer = await client().signOut('keep');
  if (answer.ok) await toSignIn();
  else pauseRedirectTarget(false);
  return answer;
}

const EMPTY = {};
