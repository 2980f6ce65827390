import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed } from '#contract/result.ts';
import { byUser } from './event-actor.ts';
import type { SessionContext } from '../http/handler.ts';
import type { EventMeta } from '../db/store.ts';

export const by = (ctx: SessionContext): EventMeta =>
  byUser(ctx.session, ctx.command?.id ?? null, ctx.now);

/**
 * Returns whether the user authenticated recently, for calls where only some changes require it
 * (G44).
 */
export const isFresh = (ctx: SessionContext): boolean =>
  ctx.now - ctx.session.authenticatedAt <= LIMITS.freshMs;

const fail = (
  kind: 'not-found' | 'conflict' | 'forbidden' | 'reauth_required',
  message: string,
): Result<never> => failed({ kind, message });
export const NOT_FOUND_RESULT = fail('not-found', MESSAGES.notFound);
export const FORBIDDEN_RESULT = fail('forbidden', MESSAGES.forbidden);
export const REAUTH = fail('reauth_required', MESSAGES.reauth);
export const NOT_YOURSELF = fail('forbidden', MESSAGES.notYourself);
export const LAST_ADMINISTRATOR = fail('conflict', MESSAGES.lastAdministrator);
export const USERNAME_TAKEN = fail('conflict', MESSAGES.usernameTaken);

export const badField = (path: string, message: string): Result<never> => {
  const failure: Failure = { kind: 'bad-input', message, issues: [{ path, message }] };
  return failed(failure);
};

export const usernameNotPlain = (path = 'username'): Result<never> =>
  badField(path, MESSAGES.usernameNotPlain);
