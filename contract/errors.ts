import type { Ms } from './ids.ts';

/** One invalid part of an input. `path` is dotted, and empty for the input as a whole. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/**
 * The closed list of expected failures. `message` is a sentence for a person (from `messages.ts` or
 * the server). Kinds below the line exist on the device only and never cross the network.
 */
export type Failure =
  | { readonly kind: 'bad-input'; readonly message: string; readonly issues: readonly Issue[] }
  | { readonly kind: 'wrong-credentials'; readonly message: string }
  | { readonly kind: 'signed-out'; readonly message: string }
  | { readonly kind: 'expired'; readonly message: string }
  | { readonly kind: 'forbidden'; readonly message: string }
  /**
   * Needs a factor verified within the last minutes: ask for one (`reauth`), then repeat the call.
   */
  | { readonly kind: 'reauth_required'; readonly message: string }
  /** Needs a signed-in person; an API key isn't accepted. */
  | { readonly kind: 'not-by-key'; readonly message: string }
  | { readonly kind: 'not-found'; readonly message: string }
  | { readonly kind: 'no-such-call'; readonly message: string }
  | { readonly kind: 'conflict'; readonly message: string }
  | { readonly kind: 'too-large'; readonly message: string }
  | { readonly kind: 'key-reused'; readonly message: string }
  | { readonly kind: 'out-of-order'; readonly message: string; readonly expected: number }
  | { readonly kind: 'update-needed'; readonly message: string }
  | { readonly kind: 'too-many'; readonly message: string; readonly retryAfterMs: Ms }
  | { readonly kind: 'busy'; readonly message: string; readonly retryAfterMs: Ms }
  /** The server has no disk space left to store anything. Reading still works. */
  | { readonly kind: 'out-of-space'; readonly message: string; readonly retryAfterMs: Ms }
  | { readonly kind: 'server-error'; readonly message: string }
  // ---- on the device only
  | { readonly kind: 'needs-network'; readonly message: string }
  | { readonly kind: 'no-answer'; readonly message: string }
  /** The request could not be built or sent, so the server never received it. */
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'storage'; readonly message: string };

export type FailureKind = Failure['kind'];

/** The HTTP status of each kind that crosses the network. */
export const STATUS_OF = {
  'bad-input': 400,
  'wrong-credentials': 401,
  'signed-out': 401,
  'expired': 401,
  'forbidden': 403,
  'reauth_required': 403,
  'not-by-key': 403,
  'not-found': 404,
  'no-such-call': 404,
  'conflict': 409,
  'too-large': 413,
  'key-reused': 422,
  'out-of-order': 409,
  'update-needed': 426,
  'too-many': 429,
  'busy': 503,
  'out-of-space': 507,
  'server-error': 500,
} as const satisfies Partial<Record<FailureKind, number>>;
