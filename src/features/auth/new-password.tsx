import { useState } from 'react';
import type { Ref } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { IconButton } from '#src/ui/button.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { checkPasswordRules } from './new-password-rules.ts';
import { accountMessages as t } from './messages.en.ts';

export interface NewPasswordProps {
  readonly value: string;
  readonly onChange: (password: string) => void;
  readonly error: string | null;
  /** The store of the password: `ad` for the directory, which has its own rules, or `db`. */
  readonly auth: 'ad' | 'db';
  readonly ref?: Ref<HTMLInputElement>;
}

/**
 * A new password, typed once, with a button to show it. The rules are listed below from the start,
 * and each says in words whether it is met.
 */
export function NewPassword({ value, onChange, error, auth, ref }: NewPasswordProps) {
  const [shown, setShown] = useState(false);
  return (
    <div className="grid gap-2">
      <TextField
        {...(ref !== undefined && { ref })}
        label={t.newPassword}
        required
        name="new-password"
        tall
        type={shown ? 'text' : 'password'}
        autoComplete="new-password"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={LIMITS.passwordChars}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        error={error}
        end={
          <IconButton
            icon={shown ? 'eye-off' : 'eye'}
            label={shown ? t.hidePassword : t.showPassword}
            aria-pressed={shown}
            className="mr-1"
            onClick={() => setShown(!shown)}
          />
        }
      />
      {auth === 'ad' ? (
        <p className="m-0 text-agate text-ink-2">{t.directoryRules}</p>
      ) : (
        <ul
          aria-label={t.passwordRules}
          className="m-0 grid list-none gap-1 p-0 text-agate text-ink-2"
        >
          {checkPasswordRules(value).map(({ label, met }) => (
            <li key={label} className="flex items-start gap-1.5">
              <Icon
                name={met ? 'tick' : 'minus'}
                size={12}
                className={`mt-0.5 ${met ? 'text-success' : ''}`}
              />
              <span>
                {label}
                {met !== null && <span className="sr-only">{met ? t.ruleMet : t.ruleNotMet}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
