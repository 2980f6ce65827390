import { LIMITS } from '#contract/limits.ts';

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
          ? `At least ${least} characters; ${LIMITS.passwordLeastWithFactor} if you sign in with a second step`
          : `At least ${least} characters`,
      met: length >= least,
    },
    { words: 'No common password, and not your name', met: null },
  ];
}

/**
 * Why it is not worth sending, or null. What is long enough with a second step is the server's to
 * judge.
 */
export function shortOf(password: string): string | null {
  if (password === '') return 'Enter a new password.';
  return Array.from(password).length < LIMITS.passwordLeastWithFactor
    ? `Choose a password of at least ${LIMITS.passwordLeastWithFactor} characters.`
    : null;
}
