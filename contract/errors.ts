import type { Ms } from './ids.ts';

/** One thing that is wrong with an input: `path` is dotted, empty for the whole. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/**
 * The closed list of expected failures. `message` is a sentence for a person (from `messages.ts` or
 * the server). Kinds below the line are made on the device and never travel.
 */
export type Failure =
  | { readonly kind: 'bad-input'; readonly message: string; readonly issues: readonly Issue[] }
  | { readonly kind: 'wrong-credentials'; readonly message: string }
  | { readonly kind: 'signed-out'; readonly message: string }
  | { readonly kind: 'expired'; readonly message: string }
  | { readonly kind: 'forbidden'; readonly message: string }
  /** Needs a factor shown within the last minutes: ask again (`reauth`), then repeat the call. */
  | { readonly kind: 'reauth_required'; readonly message: string }
  /** Needs a person who is signed in: an API key does not do. */
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
  /** The server's disk has no space to store anything. Reading still works. */
  | { readonly kind: 'out-of-space'; readonly message: string; readonly retryAfterMs: Ms }
  | { readonly kind: 'server-fault'; readonly message: string }
  // ---- on the device only
  | { readonly kind: 'needs-network'; readonly message: string }
  | { readonly kind: 'no-answer'; readonly message: string }
  /** The request could not be built or handed over, so the server never got it. */
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'storage'; readonly message: string };

export type FailureKind = Failure['kind'];

/** The HTTP status of each kind that travels. */
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
  'server-fault': 500,
} as const satisfies Partial<Record<FailureKind, number>>;
