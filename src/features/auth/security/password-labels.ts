import type { Factors } from '#contract/auth/factor-calls.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { ownAccountMessages as t } from './messages.en.ts';

/** Returns the user's minimum password length. With a second factor it is shorter (G35). */
export const getMinimumLength = ({
  policy,
  totp,
  passkeys,
  sms,
}: Pick<Factors, 'policy' | 'totp' | 'passkeys' | 'sms'>): number =>
  policy !== 'own' || totp !== null || passkeys.length > 0 || sms
    ? LIMITS.minPasswordCharsWithFactor
    : LIMITS.minPasswordChars;

/** Returns the rules to display before typing. The directory has its own. */
export function listPasswordRules(auth: 'ad' | 'db', min: number): readonly string[] {
  return auth === 'ad'
    ? [t.directoryRules, t.signsOutElsewhere]
    : [
        min > LIMITS.minPasswordCharsWithFactor
          ? t.passwordLengthOrFactor({ min, withFactor: LIMITS.minPasswordCharsWithFactor })
          : t.passwordLength({ min }),
        t.passwordComposition,
        t.signsOutElsewhere,
      ];
}

export interface PasswordRefusal {
  readonly at: 'current' | 'next' | null;
  readonly sentence: string;
}

/**
 * Returns the message of a refusal, in the specification's words. `fallback`: the page's message
 * for failures that the user cannot fix.
 */
export function passwordRefusal(
  failure: Failure,
  auth: 'ad' | 'db',
  fallback: string,
): PasswordRefusal {
  switch (failure.kind) {
    case 'wrong-credentials':
      if (failure.message.includes('WILL_NOT_PERFORM'))
        return { at: 'next', sentence: ACCOUNT.passwordPolicy };
      return { at: 'current', sentence: auth === 'ad' ? failure.message : ACCOUNT.currentPassword };
    case 'bad-input':
      return failure.issues.some(({ path }) => path === 'newPassword')
        ? { at: 'next', sentence: failure.message }
        : { at: null, sentence: failure.message };
    case 'too-many':
    case 'busy':
    case 'out-of-space':
    case 'needs-network':
    case 'no-answer':
    case 'not-sent':
    case 'forbidden':
    case 'reauth_required':
      return { at: null, sentence: failure.message };
    default:
      return {
        at: null,
        sentence: auth === 'ad' && failure.kind === 'conflict' ? failure.message : fallback,
      };
  }
}
