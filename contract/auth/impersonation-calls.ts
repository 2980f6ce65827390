import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import type { TenantId, UserId } from '../ids.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { SessionSchema } from './current-user.ts';

/** The page of another provider's portal, on another site, at which to continue. */
export const ElsewhereSchema = v.object({ url: v.string() });
/** A session as another user, here or in another provider's portal. */
export const ImpersonationOutputSchema = v.union([SessionSchema, ElsewhereSchema]);
export type ImpersonationOutput = v.InferOutput<typeof ImpersonationOutputSchema>;

export const impersonationCalls = {
  loginAs: call({
    method: 'POST',
    path: 'auth/login-as',
    summary:
      'Signs an administrator in as a user of this provider, or of a provider below it (then at the returned address), for at most an hour. Sets the refresh cookie.',
    input: v.strictObject({
      userId: uuidSchema<UserId>(),
      reason: v.pipe(v.string(), v.trim(), v.minLength(5), v.maxLength(LIMITS.reasonChars)),
      /** The user's provider, if it isn't the caller's. */
      serviceProviderId: v.optional(uuidSchema<TenantId>()),
    }),
    output: ImpersonationOutputSchema,
    gate: 'signed-in',
    failures: ['forbidden', 'not-found', 'reauth_required'],
  }),
  exitLoginAs: call({
    method: 'POST',
    path: 'auth/login-as/exit',
    summary:
      "Ends the impersonation and resumes the administrator's session, here or at the returned address.",
    input: v.strictObject({}),
    output: ImpersonationOutputSchema,
    gate: 'signed-in',
    failures: ['conflict', 'signed-out'],
  }),
  loginToken: call({
    method: 'POST',
    path: 'auth/login-token',
    summary:
      'Signs in with a token that works once and expires after a minute. Sets the refresh cookie.',
    input: v.strictObject({ token: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) }),
    output: SessionSchema,
    gate: 'public',
    failures: ['wrong-credentials', 'too-many'],
  }),
} as const;
