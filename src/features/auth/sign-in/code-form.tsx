import { useEffect, useRef, useState } from 'react';
import type { ReactNode, SyntheticEvent } from 'react';
import { Button } from '#src/ui/button.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { useWaits } from './error-callout.tsx';
import type { SignInError } from './sign-in-error.ts';
import { accountMessages as t } from '../messages.en.ts';

export interface CodeFormProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** `digits`: six digits. `words`: a recovery code. */
  readonly kind?: 'digits' | 'words';
  readonly busy: boolean;
  /** Why the last code was rejected. */
  readonly error: SignInError | null;
  readonly action: string;
  readonly onCode: (code: string) => void;
}

/** A field for a code; the browser can fill it in. A rejected code is cleared. */
export function CodeForm({
  label,
  hint,
  kind = 'digits',
  busy,
  error,
  action,
  onCode,
}: CodeFormProps) {
  const [code, setCode] = useState('');
  const [missing, setMissing] = useState(false);
  const [rejected, setRejected] = useState(error);
  const field = useRef<HTMLInputElement>(null);
  const waits = useWaits(error);
  const digits = kind === 'digits';
  if (error !== rejected) {
    setRejected(error);
    if (error !== null) setCode('');
  }
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (error !== null) field.current?.focus();
  }, [error]);

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (busy || waits !== null) return;
    const bare = code.replace(/\s/g, '');
    if (digits ? !/^\d{6}$/.test(bare) : bare.length < 6) {
      setMissing(true);
      field.current?.focus();
      return;
    }
    setMissing(false);
    onCode(bare);
  }

  return (
    <form className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
      <TextField
        ref={field}
        label={label}
        required
        tall
        name="code"
        autoComplete={digits ? 'one-time-code' : 'off'}
        inputMode={digits ? 'numeric' : 'text'}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        maxLength={digits ? 9 : 40}
        value={code}
        onChange={(event) => {
          setCode(event.target.value);
          setMissing(false);
        }}
        error={missing ? (digits ? t.codeInvalid : t.recoveryCodeInvalid) : null}
        {...(hint !== undefined && { hint })}
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
