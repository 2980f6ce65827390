import { LIMITS } from '#contract/limits.ts';
import { accountMessages as t } from './messages.en.ts';

/** What can be told of a password before it is sent. `met`: null where only the server can tell. */
export interface PasswordRule {
  readonly words: string;
  readonly met: boolean | null;
}

/**
 * The rules for a password that is kept here. The length counts, not which kinds of characters
 * there are (G35).
 */
export function rulesOf(
  password: string,
  least: number = LIMITS.passwordLeast,
): readonly PasswordRule[] {
  const length = Array.from(password).length;
  return [
    {
      words:
        least > LIMITS.passwordLeastWithFactor
          ? t.passwordLengthOrFactor({ min: least, withFactor: LIMITS.passwordLeastWithFactor })
          : t.passwordLength({ min: least }),
      met: length >= least,
    },
    { words: t.passwordContent, met: null },
  ];
}

/**
 * Why it is not worth sending, or null. What is long enough with a second step is the server's to
 * judge.
 */
export function shortOf(password: string): string | null {
  if (password === '') return t.newPasswordMissing;
  return Array.from(password).length < LIMITS.passwordLeastWithFactor
    ? t.passwordTooShort({ min: LIMITS.passwordLeastWithFactor })
    : null;
}
