import { useEffect, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { Button } from '#src/ui/button.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { parsePhone } from '../phone-number.ts';
import { accountMessages as t } from '../messages.en.ts';

export interface PhoneFormProps {
  readonly label: string;
  readonly busy: boolean;
  readonly disabled: boolean;
  readonly action: string;
  readonly onPhone: (mobilePhone: string) => void;
}

/** A mobile number in international form. */
export function PhoneForm({ label, busy, disabled, action, onPhone }: PhoneFormProps) {
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (busy || disabled) return;
    const phone = parsePhone(typed);
    setWrong(phone === null);
    if (phone === null) field.current?.focus();
    else onPhone(phone);
  }
  return (
    <form className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
      <TextField
        ref={field}
        label={label}
        required
        tall
        type="tel"
        name="tel"
        autoComplete="tel"
        maxLength={40}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setWrong(false);
        }}
        hint={t.phoneHint}
        error={wrong ? ACCOUNT.phoneNotValid : null}
      />
      <Button
        type="submit"
        variant="primary"
        className="h-10 w-full"
        busy={busy}
        disabled={disabled}
      >
        {busy ? t.sending : action}
      </Button>
    </form>
  );
}
