import { useEffect, useEffectEvent, useRef } from 'react';
import type { SyntheticEvent } from 'react';
import { recoveryCalls } from '#contract/auth/recovery-calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import { Button } from '#src/ui/button.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { useWaits } from '../sign-in/error-callout.tsx';
import type { SignInError } from '../sign-in/sign-in-error.ts';
import { accountMessages as t } from '../messages.en.ts';

export interface NameFormProps {
  readonly busy: boolean;
  readonly error: SignInError | null;
  /** The server's message about the name, shown at the field. */
  readonly invalid?: string | null;
  readonly action: string;
  readonly onName: (username: string) => void;
}

/** The user name: the first step of every recovery. */
export function NameForm({ busy, error, invalid = null, action, onName }: NameFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const waits = useWaits(error);
  const { form, change, errors, formRef, save, refuse } = useDraftForm({
    initial: { username: '' },
    schema: NAME,
    // The conversation sends it.
    submit: ({ username }) => Promise.resolve(ok(username)),
    onSaved: onName,
  });
  useEffect(() => field.current?.focus(), []);
  const showInvalid = useEffectEvent((message: string | null) => {
    if (message !== null) refuse({ errors: { username: message }, above: null });
  });
  useEffect(() => showInvalid(invalid), [invalid]);
  useEffect(() => {
    if (error !== null) field.current?.focus();
  }, [error]);
  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (!busy && waits === null) void save();
  }
  return (
    <form ref={formRef} className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
      <TextField
        ref={field}
        label={t.username}
        required
        name="username"
        tall
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        maxLength={LIMITS.nameChars}
        value={form.username}
        onChange={({ target }) => change({ username: target.value })}
        error={errors['username'] ?? null}
      />
      <Button
        type="submit"
        variant="primary"
        className="h-10 w-full"
        busy={busy}
        disabled={waits !== null}
      >
        {waits === null ? (busy ? t.checking : action) : t.tryAgainIn({ when: waits })}
      </Button>
    </form>
  );
}

const NAME = makeFormSchema(
  recoveryCalls.forgotPassword.input,
  ({ username }: { readonly username: string }) => ({ value: { username: username.trim() } }),
  { username: t.usernameMissing },
);
