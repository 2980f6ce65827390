import { LIMITS } from '#contract/limits.ts';
import { accountMessages as t } from './messages.en.ts';

/** A password rule that is shown while typing. `met`: null if only the server can check it. */
export interface PasswordRule {
  readonly label: string;
  readonly met: boolean | null;
}

/**
 * Returns the rules for passwords that this portal stores. Only the length counts, not the kinds of
 * characters (G35).
 */
export function getRules(
  password: string,
  least: number = LIMITS.passwordLeast,
): readonly PasswordRule[] {
  const length = Array.from(password).length;
  return [
    {
      label:
        least > LIMITS.passwordLeastWithFactor
          ? t.passwordLengthOrFactor({ min: least, withFactor: LIMITS.passwordLeastWithFactor })
          : t.passwordLength({ min: least }),
      met: length >= least,
    },
    { label: t.passwordContent, met: null },
  ];
}

/**
 * Returns why the password is too short to send, or null. With a second factor a shorter password
 * is allowed; the server checks that.
 */
export function findTooShort(password: string): string | null {
  if (password === '') return t.newPasswordMissing;
  return Array.from(password).length < LIMITS.passwordLeastWithFactor
    ? t.passwordTooShort({ min: LIMITS.passwordLeastWithFactor })
    : null;
}
