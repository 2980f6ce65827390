import { useEffect, useEffectEvent } from 'react';
import type { SyntheticEvent } from 'react';
import { recoveryCalls } from '#contract/auth/recovery-calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import type { SecurityAnswer } from '#machines/recovery.ts';
import { Button } from '#src/ui/button.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { AccountPage } from '../account-page.tsx';
import { ErrorCallout, useWaits } from '../sign-in/error-callout.tsx';
import { NameForm } from './name-form.tsx';
import { useSignInError } from '../sign-in/use-sign-in-error.ts';
import type { SignInError } from '../sign-in/sign-in-error.ts';
import type { Recovery } from './use-recovery.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';
import { questionLabel } from '../question-labels.ts';

/** True once a code was sent, so that it can be entered. */
export const hasCode = ({ state }: Recovery): boolean =>
  state.matches('code') || state.matches('resending') || state.matches('using');

/**
 * Asks for the user name, and for the security questions if the provider requires them. Then a code
 * is sent.
 */
export function RequestCode({
  title,
  description,
  state,
  send,
}: Recovery & { readonly title: string; readonly description: string }) {
  const { refusal, account, username } = state.context;
  const error = useSignInError(refusal);
  const busy = state.matches('looking') || state.matches('sending');
  // The page of the questions stays while their answers are sent.
  const isAnswering = state.matches('questions') || state.context.answers.length > 0;
  const invalid = refusal?.failure.kind === 'bad-input' ? refusal.failure.message : null;
  return (
    <AccountPage title={title} description={isAnswering ? t.answerQuestions : description}>
      <ErrorCallout error={invalid === null ? error : null} />
      {isAnswering ? (
        <Questions
          key={username}
          username={username}
          questions={account.questions}
          busy={busy}
          waiting={error}
          onAnswers={(answers) => send({ type: 'ANSWERS', answers })}
        />
      ) : (
        <NameForm
          busy={busy}
          error={error}
          invalid={invalid}
          action={t.continue}
          onName={(name) => send({ type: 'NAME', username: name })}
        />
      )}
      <ToSignIn />
    </AccountPage>
  );
}

/** Requests another code for the same account. */
export function Resend({ state, send }: Recovery) {
  const error = useSignInError(state.context.resendRefusal);
  return (
    <>
      <ErrorCallout error={error} />
      <div className="grid justify-items-start gap-1">
        <output className="block text-ink-2">{state.context.isCodeSent && t.codeSent}</output>
        <Button
          variant="quiet"
          icon="sync"
          className="-ml-2"
          busy={state.matches('resending')}
          onClick={() => send({ type: 'RESEND' })}
        >
          {t.resendCode}
        </Button>
      </div>
    </>
  );
}

interface QuestionsProps {
  readonly username: string;
  readonly questions: readonly string[];
  readonly busy: boolean;
  readonly waiting: SignInError | null;
  readonly onAnswers: (answers: readonly SecurityAnswer[]) => void;
}

function Questions({ username, questions, busy, waiting, onAnswers }: QuestionsProps) {
  const waits = useWaits(waiting);
  const { form, change, errors, formRef, save } = useDraftForm({
    initial: { answers: questions.map(() => '') },
    schema: makeFormSchema(
      recoveryCalls.validateAnswers.input,
      ({ answers }: { readonly answers: readonly string[] }) => ({
        value: {
          username,
          answers: questions.map((question, n) => ({
            question,
            answer: answers[n]?.trim() ?? '',
          })),
        },
      }),
      { answers: t.answerMissing },
    ),
    // The conversation sends them.
    submit: ({ answers }) => Promise.resolve(ok(answers)),
    onSaved: onAnswers,
  });
  const focusFirst = useEffectEvent(() => formRef.current?.querySelector('input')?.focus());
  useEffect(() => focusFirst(), []);
  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (!busy && waits === null) void save();
  }
  return (
    <form ref={formRef} className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
      {questions.map((question, n) => (
        <TextField
          key={question}
          label={questionLabel(question)}
          required
          tall
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={LIMITS.nameChars}
          value={form.answers[n] ?? ''}
          onChange={({ target }) =>
            change({ answers: form.answers.map((one, i) => (i === n ? target.value : one)) })
          }
          error={errors[`answers.${n}.answer`] ?? null}
        />
      ))}
      <Button
        type="submit"
        variant="primary"
        className="h-10 w-full"
        busy={busy}
        disabled={waits !== null}
      >
        {waits === null ? (busy ? t.checking : t.sendCode) : t.tryAgainIn({ when: waits })}
      </Button>
    </form>
  );
}
