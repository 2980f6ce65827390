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
export function checkPasswordRules(
  password: string,
  min: number = LIMITS.minPasswordChars,
): readonly PasswordRule[] {
  const length = Array.from(password).length;
  return [
    {
      label:
        min > LIMITS.minPasswordCharsWithFactor
          ? t.passwordLengthOrFactor({ min, withFactor: LIMITS.minPasswordCharsWithFactor })
          : t.passwordLength({ min }),
      met: length >= min,
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
  return Array.from(password).length < LIMITS.minPasswordCharsWithFactor
    ? t.passwordTooShort({ min: LIMITS.minPasswordCharsWithFactor })
    : null;
}
