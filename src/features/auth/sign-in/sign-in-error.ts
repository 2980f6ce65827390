import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { signInMessages as t } from './sign-in.messages.en.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';

export type SignInError =
  | { readonly kind: 'empty'; readonly what: 'username' | 'password' }
  | { readonly kind: 'refused'; readonly sentence: string }
  /** Attempts are blocked until `until`. */
  | {
      readonly kind: 'throttled';
      readonly sentence: string;
      readonly from: Ms;
      readonly until: Ms;
    };

/**
 * Returns the message of a failed attempt. It never says whether the name or the password was
 * wrong.
 */
export function toSignInError(failure: Failure, now: Ms): SignInError {
  switch (failure.kind) {
    case 'too-many':
      return {
        kind: 'throttled',
        sentence: failure.message || BASE.tooManyTries,
        from: now,
        until: now + failure.retryAfterMs,
      };
    case 'needs-network':
      return { kind: 'refused', sentence: BASE.needsNetwork };
    case 'no-answer':
      return { kind: 'refused', sentence: failure.message || BASE.noAnswer };
    default:
      return { kind: 'refused', sentence: failure.message || BASE.loginFailed };
  }
}

/** Returns `in 9 s` or `in 2:05`, or null once the wait is over. */
export function waitWords(until: Ms, now: Ms): string | null {
  const seconds = Math.ceil((until - now) / 1_000);
  if (seconds <= 0) return null;
  return seconds < 60
    ? t.inSeconds({ seconds })
    : t.inMinutes({
        minutes: Math.floor(seconds / 60),
        seconds: String(seconds % 60).padStart(2, '0'),
      });
}
