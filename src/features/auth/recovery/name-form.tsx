import { useEffect, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { Button } from '#src/ui/button.tsx';
import { TextField } from '#src/ui/text-field.tsx';
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
  const [username, setUsername] = useState('');
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const waits = useWaits(error);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (error !== null) field.current?.focus();
  }, [error]);
  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (busy || waits !== null) return;
    const name = username.trim();
    setMissing(name === '');
    if (name === '') field.current?.focus();
    else onName(name);
  }
  return (
    <form className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
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
        value={username}
        onChange={(event) => {
          setUsername(event.target.value);
          setMissing(false);
        }}
        error={missing ? t.usernameMissing : invalid}
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
