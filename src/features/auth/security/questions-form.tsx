import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { QUESTIONS, QUESTIONS_PER_RECOVERY } from '#contract/auth/recovery-questions.ts';
import type { Failure } from '#contract/errors.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { findAnswerErrors, findIssueErrors } from './questions-errors.ts';
import type { Chosen, RowError } from './questions-errors.ts';
import { ownAccountMessages as t } from './messages.en.ts';
import { questionLabel } from '../question-labels.ts';

export interface QuestionsFormProps {
  readonly id: string;
  /** Questions that were answered before. They are preselected; nobody can read their answers. */
  readonly before: readonly string[];
  readonly onSaved: () => void;
}

/** Three different questions and their answers. */
export function QuestionsForm({ id, before, onSaved }: QuestionsFormProps) {
  const [rows, setRows] = useState<readonly Chosen[]>(() =>
    Array.from({ length: QUESTIONS_PER_RECOVERY }, (_, at) => ({
      question: QUESTIONS.find((one) => one === before[at]) ?? '',
      answer: '',
    })),
  );
  const [errors, setErrors] = useState<readonly RowError[]>([]);
  const [above, setAbove] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  function show(wrong: readonly RowError[]): void {
    setErrors(wrong);
    const at = wrong.findIndex((one) => one !== null);
    if (at === -1) return;
    const row = form.current?.querySelectorAll('fieldset')[at];
    row?.querySelector<HTMLElement>(wrong[at]?.of === 'question' ? 'select' : 'input')?.focus();
  }
  const refused = (failure: Failure): void => {
    const wrong = failure.kind === 'bad-input' ? findIssueErrors(failure.issues) : [];
    if (wrong.some((one) => one !== null)) show(wrong);
    else setAbove(failure.kind === 'not-found' ? ACCOUNT.process : failure.message);
  };

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    setAbove(null);
    const wrong = findAnswerErrors(rows);
    show(wrong);
    if (wrong.some((one) => one !== null)) return;
    setBusy(true);
    const answers = rows.map(({ question, answer }) => ({ question, answer: answer.trim() }));
    const answer = await withReauth(() => client().ask('setSecurityQuestions', { id, answers }));
    setBusy(false);
    if (!answer.ok) return refused(answer.failure);
    setRows(rows.map(({ question }) => ({ question, answer: '' })));
    return onSaved();
  }

  const put = (at: number, next: Partial<Chosen>): void => {
    setRows(rows.map((row, other) => (other === at ? { ...row, ...next } : row)));
    setErrors(errors.map((error, other) => (other === at ? null : error)));
  };
  return (
    <form
      ref={form}
      className="grid gap-5"
      onSubmit={(event) => void save(event)}
      noValidate
      aria-busy={busy}
    >
      {above !== null && (
        <Callout tone="failed" alert>
          {above}
        </Callout>
      )}
      {rows.map((row, at) => {
        const error = errors[at] ?? null;
        return (
          <fieldset key={at} className="m-0 grid min-w-0 gap-3 border-0 p-0">
            <legend className="sr-only">{t.questionOf({ n: at + 1, total: rows.length })}</legend>
            <Select
              label={t.questionNumber({ n: at + 1 })}
              required
              block
              placeholder={t.chooseQuestion}
              value={row.question}
              error={error?.of === 'question' ? error.sentence : null}
              options={QUESTIONS.filter(
                (one) => one === row.question || rows.every((other) => other.question !== one),
              ).map((one) => ({ value: one, label: questionLabel(one) }))}
              onChange={(question) => put(at, { question })}
            />
            <TextField
              label={t.answerNumber({ n: at + 1 })}
              required
              value={row.answer}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              error={error?.of === 'answer' ? error.sentence : null}
              onChange={(event) => put(at, { answer: event.target.value })}
            />
          </fieldset>
        );
      })}
      <div>
        <Button type="submit" variant="primary" busy={busy}>
          {t.saveAnswers}
        </Button>
      </div>
    </form>
  );
}
