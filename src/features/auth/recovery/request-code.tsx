import { useEffect, useRef, useState } from 'react';
import type { ReactNode, SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { AccountPage } from '../account-page.tsx';
import { FaultCallout, useWaits } from '../sign-in/error-callout.tsx';
import { NameForm } from './name-form.tsx';
import { useRecoveryAsk } from './use-recovery-call.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';

/**
 * Data for the last step: the account that received the code, and a control to request another one.
 */
export interface CodeAsked {
  readonly username: string;
  readonly auth: 'ad' | 'db';
  readonly again: ReactNode;
}

export interface AskedCodeProps {
  readonly title: string;
  readonly says: string;
  readonly children: (asked: CodeAsked) => ReactNode;
}

type At =
  | { readonly is: 'name' }
  | {
      readonly is: 'questions';
      readonly username: string;
      readonly auth: 'ad' | 'db';
      readonly questions: readonly string[];
    }
  | {
      readonly is: 'code';
      readonly username: string;
      readonly auth: 'ad' | 'db';
      readonly answers: readonly Answer[];
    };
interface Answer {
  readonly question: string;
  readonly answer: string;
}

/**
 * Asks for the user name, for the security questions if the provider requires them, and then sends
 * a code. The answers stay in this page's memory to request another code.
 */
export function AskedCode({ title, says, children }: AskedCodeProps) {
  const [at, setAt] = useState<At>({ is: 'name' });
  const [told, setTold] = useState('');
  const [invalid, setInvalid] = useState<string | null>(null);
  const { busy, fault, ask } = useRecoveryAsk();

  async function name(username: string): Promise<boolean> {
    const result = await ask(() => client().ask('validateUsername', { username }));
    setInvalid(!result.ok && result.failure.kind === 'bad-input' ? result.failure.message : null);
    if (!result.ok) return false;
    const { authType: auth, questions } = result.value;
    if (questions.length === 0) await send({ username, auth }, []);
    else setAt({ is: 'questions', username, auth, questions });
    return true;
  }
  async function send(
    { username, auth }: { readonly username: string; readonly auth: 'ad' | 'db' },
    answers: readonly Answer[],
  ): Promise<void> {
    setTold('');
    const sent = await ask(() =>
      client().ask('validateAnswers', { username, answers: [...answers] }),
    );
    if (!sent.ok) return;
    setTold(t.codeSent);
    setAt({ is: 'code', username, auth, answers });
  }

  if (at.is === 'code') {
    const again = (
      <>
        <FaultCallout fault={fault} />
        <div className="grid justify-items-start gap-1">
          <output className="block text-ink-2">{told}</output>
          <Button
            variant="quiet"
            icon="sync"
            className="-ml-2"
            busy={busy}
            onClick={() => void send(at, at.answers)}
          >
            {t.resendCode}
          </Button>
        </div>
      </>
    );
    return children({ username: at.username, auth: at.auth, again });
  }
  return (
    <AccountPage title={title} says={at.is === 'name' ? says : t.answerQuestions}>
      <FaultCallout fault={fault} />
      {at.is === 'name' ? (
        <NameForm busy={busy} fault={fault} invalid={invalid} action={t.continue} onName={name} />
      ) : (
        <Questions
          questions={at.questions}
          busy={busy}
          waiting={fault}
          onAnswers={(answers) => void send(at, answers)}
        />
      )}
      <ToSignIn />
    </AccountPage>
  );
}

interface QuestionsProps {
  readonly questions: readonly string[];
  readonly busy: boolean;
  readonly waiting: ReturnType<typeof useRecoveryAsk>['fault'];
  readonly onAnswers: (answers: readonly Answer[]) => void;
}

function Questions({ questions, busy, waiting, onAnswers }: QuestionsProps) {
  const [answers, setAnswers] = useState<readonly string[]>(() => questions.map(() => ''));
  const [missing, setMissing] = useState<number | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const waits = useWaits(waiting);
  const focus = (n: number): void => {
    form.current?.querySelectorAll('input')[n]?.focus();
  };
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (busy || waits !== null) return;
    const empty = answers.findIndex((answer) => answer.trim() === '');
    setMissing(empty === -1 ? null : empty);
    if (empty === -1)
      onAnswers(questions.map((question, n) => ({ question, answer: answers[n]?.trim() ?? '' })));
    else focus(empty);
  }
  return (
    <form ref={form} className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
      {questions.map((question, n) => (
        <TextField
          key={question}
          label={question}
          required
          tall
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={LIMITS.nameChars}
          value={answers[n] ?? ''}
          onChange={(event) => {
            setAnswers(answers.map((answer, i) => (i === n ? event.target.value : answer)));
            setMissing(null);
          }}
          fault={missing === n ? t.answerMissing : null}
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
