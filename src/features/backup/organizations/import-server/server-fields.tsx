import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { failed } from '#contract/result.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { type FormRefusal, useDraftForm } from '#src/ui/use-draft-form.ts';
import { ServerAnswer } from '../../../shared/certificate/server-answer.tsx';
import { SignInFields } from '../../../shared/certificate/sign-in-fields.tsx';
import type { FoundServer } from './dialog.tsx';
import { EMPTY_SERVER, SERVER_SCHEMA } from './form.ts';
import { importServerMessages as t } from './messages.en.ts';

type Refusal = Pick<OutputOf<'testServer'>, 'message' | 'seen'>;

/** The server and how to sign in to it. Its certificate is compared before anything is sent. */
export function ServerFields({
  zone,
  onFound,
  onClose,
}: {
  readonly zone: string;
  readonly onFound: (server: FoundServer) => void;
  readonly onClose: () => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const draft = useDraftForm({
    initial: EMPTY_SERVER,
    offline,
    schema: SERVER_SCHEMA,
    submit: async (input) => {
      setRefusal(null);
      const answer = await client().ask('testServer', input);
      if (!answer.ok || answer.value.ok) return answer;
      setRefusal(answer.value);
      return failed({ kind: 'conflict', message: REFUSED });
    },
    explain,
    onSaved: ({ organizations }, input) => onFound({ input, organizations }),
  });
  const { form, errors } = draft;
  const change = (next: Partial<typeof form>): void => {
    setRefusal(null);
    draft.change(next);
  };
  return (
    <FormDialog
      dirty={draft.dirty}
      title={t.title}
      onClose={onClose}
      submitLabel={t.connect}
      busy={draft.busy}
      error={draft.error}
      formRef={draft.formRef}
      onSubmit={draft.save}
    >
      <p className="m-0 text-ink-2">{t.hint}</p>
      <RequiredNote />
      <TextField
        label={t.address}
        required
        value={form.address}
        maxLength={LIMITS.addressChars}
        autoComplete="off"
        spellCheck={false}
        inputMode="url"
        placeholder={t.addressExample}
        error={errors['address'] ?? errors['apiUrl'] ?? null}
        onChange={({ target }) => change({ address: target.value })}
      />
      <SignInFields
        fields={form}
        errors={errors}
        usernameHint={t.usernameHint}
        passwordHint={t.passwordHint}
        onChange={change}
      />
      {refusal !== null && (
        <ServerAnswer
          key={refusal.message}
          ok={false}
          {...refusal}
          zone={zone}
          onPin={(certificate) => change({ certificate })}
        />
      )}
    </FormDialog>
  );
}

/** What the server said is shown beside its fields. */
const REFUSED = 'refused-by-server';
const explain = (failure: Failure): FormRefusal =>
  failure.kind === 'conflict' && failure.message === REFUSED
    ? { errors: {}, above: null }
    : failure.kind === 'bad-input'
      ? {
          errors: Object.fromEntries(failure.issues.map(({ path, message }) => [path, message])),
          above: failure.issues.length === 0 ? failure.message : null,
        }
      : { errors: {}, above: getFailureText(failure) };

const EMPTY = {};
