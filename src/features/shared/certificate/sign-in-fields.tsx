import { LIMITS } from '#contract/limits.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { certificateMessages as t } from './messages.en.ts';
import { PinnedCertificate } from './pinned-certificate.tsx';

interface SignIn {
  readonly username: string;
  readonly password: string;
  readonly certificate: string;
}

/** How to sign in to a server, and the certificate that it must have. */
export function SignInFields({
  fields: { username, password, certificate },
  errors,
  usernameHint,
  passwordHint,
  onChange,
}: {
  readonly fields: SignIn;
  readonly errors: FormErrors;
  readonly usernameHint?: string;
  readonly passwordHint: string;
  readonly onChange: (changes: Partial<SignIn>) => void;
}) {
  return (
    <>
      <TextField
        label={t.username}
        required
        value={username}
        maxLength={LIMITS.nameChars}
        autoComplete="off"
        spellCheck={false}
        hint={usernameHint}
        error={errors['username'] ?? null}
        onChange={({ target }) => onChange({ username: target.value })}
      />
      <TextField
        label={t.password}
        required
        type="password"
        value={password}
        maxLength={LIMITS.secretChars}
        autoComplete="new-password"
        hint={passwordHint}
        error={errors['password'] ?? null}
        onChange={({ target }) => onChange({ password: target.value })}
      />
      <PinnedCertificate
        certificate={certificate}
        error={errors['certificate'] ?? null}
        onChange={(value) => onChange({ certificate: value })}
      />
    </>
  );
}
