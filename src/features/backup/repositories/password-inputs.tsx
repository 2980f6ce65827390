import { LIMITS } from '#contract/limits.ts';
import { TextField } from '#src/ui/text-field.tsx';
import type { PasswordFields } from './password-issues.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** A new encryption password, twice, and its hint. */
export function PasswordInputs({
  fields,
  getError: getFieldError,
  onChange,
}: {
  readonly fields: PasswordFields;
  readonly getError: (field: keyof PasswordFields) => string | null;
  readonly onChange: (changes: Partial<PasswordFields>) => void;
}) {
  const secret = {
    type: 'password',
    autoComplete: 'new-password',
    spellCheck: false,
    required: true,
    maxLength: LIMITS.secretChars,
  } as const;
  return (
    <>
      <TextField
        {...secret}
        label={t.password}
        value={fields.password}
        error={getFieldError('password')}
        onChange={({ target }) => onChange({ password: target.value })}
      />
      <TextField
        {...secret}
        label={t.repeatPassword}
        value={fields.repeatPassword}
        error={getFieldError('repeatPassword')}
        onChange={({ target }) => onChange({ repeatPassword: target.value })}
      />
      <TextField
        label={t.passwordHint}
        hint={t.passwordHintHint}
        autoComplete="off"
        spellCheck={false}
        maxLength={LIMITS.subjectChars}
        value={fields.passwordDescription}
        error={getFieldError('passwordDescription')}
        onChange={({ target }) => onChange({ passwordDescription: target.value })}
      />
    </>
  );
}
