import type { Failure } from '#contract/errors.ts';
import { STATUS_OF } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { StoreError } from '../db/retry.ts';

/** `{success:true, data}`. */
export const getEnvelope = (data: unknown): string => JSON.stringify({ success: true, data });

/**
 * Returns the status and body of a failure: `{success:false, message, error:{kind, …}}`. Failures
 * that must never be sent become an internal server error.
 */
export function getRefusal(failure: Failure): { readonly status: number; readonly body: string } {
  const status = (STATUS_OF as Partial<Record<Failure['kind'], number>>)[failure.kind];
  if (status === undefined) return getRefusal(SERVER_ERROR);
  const { message, ...rest } = failure;
  return { status, body: JSON.stringify({ success: false, message, error: rest }) };
}

export function refuse(failure: Failure, headers: Headers = new Headers()): Response {
  const { status, body } = getRefusal(failure);
  headers.set('content-type', JSON_TYPE);
  if ('retryAfterMs' in failure)
    headers.set('retry-after', String(Math.max(1, Math.ceil(failure.retryAfterMs / 1000))));
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  return new Response(body, { status, headers });
}

export const JSON_TYPE = 'application/json; charset=utf-8';
export const SERVER_ERROR: Failure = { kind: 'server-error', message: MESSAGES.serverError };
export const NO_SUCH_CALL: Failure = { kind: 'no-such-call', message: MESSAGES.noSuchCall };
export const SIGNED_OUT: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };
export const FORBIDDEN: Failure = { kind: 'forbidden', message: MESSAGES.forbidden };
export const TOO_LARGE: Failure = { kind: 'too-large', message: MESSAGES.tooLarge };
export const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };
/** Returns the failure of one input field. */
export const toFieldFailure = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});
/** Returns the failure for an error of the database; null for any other error. */
export function storeFailure(error: unknown, retryAfterMs: Ms): Failure | null {
  if (error instanceof Error && 'code' in error && error.code === STATEMENT_CANCELED)
    return busyFor(retryAfterMs);
  if (!(error instanceof StoreError)) return null;
  if (error.kind === 'disk-full')
    return {
      kind: 'out-of-space',
      message: MESSAGES.outOfSpace,
      retryAfterMs: Math.max(retryAfterMs, FULL_MS),
    };
  return error.kind === 'unknown'
    ? { ...busyFor(retryAfterMs), message: MESSAGES.outcomeUnknown }
    : busyFor(retryAfterMs);
}
/** Disk space doesn't come back within a second. */
/** PostgreSQL canceled a statement that ran too long. */
const STATEMENT_CANCELED = '57014';
const FULL_MS: Ms = 5_000;
export const busyFor = (retryAfterMs: number): Failure => ({
  kind: 'busy',
  message: MESSAGES.busy,
  retryAfterMs,
});
