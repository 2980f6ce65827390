import { profileCalls } from '#contract/auth/profile-calls.ts';
import { QUESTIONS, QUESTIONS_PER_RECOVERY } from '#contract/auth/recovery-questions.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Select } from '#src/ui/select.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { findAnswerErrors, findIssueErrors } from './questions-errors.ts';
import type { ChosenQuestion, RowError } from './questions-errors.ts';
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
  const {
    form: { rows },
    change,
    errors,
    error: above,
    busy,
    formRef,
    save,
    reset,
  } = useDraftForm({
    initial: {
      rows: Array.from({ length: QUESTIONS_PER_RECOVERY }, (_, at): ChosenQuestion => ({
        question: QUESTIONS.find((one) => one === before[at]) ?? '',
        answer: '',
      })),
    },
    schema: makeQuestionsSchema(id),
    submit: (input) => withReauth(() => client().ask('setSecurityQuestions', input)),
    explain: (failure) => {
      const found =
        failure.kind === 'bad-input' ? getRowErrors(findIssueErrors(failure.issues)) : {};
      return Object.keys(found).length > 0
        ? { errors: found, above: null }
        : {
            errors: {},
            above: failure.kind === 'not-found' ? ACCOUNT.process : failure.message,
          };
    },
    onSaved: (_, __, { rows: saved }) => {
      reset({ rows: saved.map(({ question }) => ({ question, answer: '' })) });
      onSaved();
    },
  });
  const put = (at: number, next: Partial<ChosenQuestion>): void =>
    change({ rows: rows.map((row, other) => (other === at ? { ...row, ...next } : row)) });
  return (
    <form
      ref={formRef}
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
        return (
          <fieldset key={at} className="m-0 grid min-w-0 gap-3 border-0 p-0">
            <legend className="sr-only">{t.questionOf({ n: at + 1, total: rows.length })}</legend>
            <Select
              label={t.questionNumber({ n: at + 1 })}
              required
              block
              placeholder={t.chooseQuestion}
              value={row.question}
              error={errors[`answers.${at}.question`] ?? null}
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
              error={errors[`answers.${at}.answer`] ?? null}
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

/** Returns the errors by path. */
const getRowErrors = (rows: readonly RowError[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    rows.flatMap((error, at) =>
      error === null ? [] : [[`answers.${at}.${error.of}`, error.sentence]],
    ),
  );

const makeQuestionsSchema = (id: string) =>
  makeFormSchema(
    profileCalls.setSecurityQuestions.input,
    ({ rows }: { readonly rows: readonly ChosenQuestion[] }) => ({
      value: {
        id,
        answers: rows.flatMap(({ question, answer }) =>
          question === '' ? [] : [{ question, answer: answer.trim() }],
        ),
      },
      errors: getRowErrors(findAnswerErrors(rows)),
    }),
  );
