import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { SessionSchema } from './current-user.ts';

const id = v.pipe(v.string(), v.uuid());

/** Where to go on: a page of another provider's portal, which is another site. */
export const ElsewhereSchema = v.object({ url: v.string() });
/** In as somebody else, here or at another provider's portal. */
export const ActedSchema = v.union([SessionSchema, ElsewhereSchema]);
export type Acted = v.InferOutput<typeof ActedSchema>;

export const actingCalls = {
  loginAs: call({
    method: 'POST',
    path: 'auth/login-as',
    summary:
      'Signs an administrator in as a user of this provider, or of one below it (then at the address that is answered), for an hour at most. Sets the refresh cookie.',
    input: v.strictObject({
      userId: id,
      reason: v.pipe(v.string(), v.trim(), v.minLength(5), v.maxLength(LIMITS.reasonChars)),
      /** The user's provider, where it is another than the asking user's. */
      serviceProviderId: v.optional(id),
    }),
    output: ActedSchema,
    gate: 'signed-in',
    failures: ['forbidden', 'not-found', 'reauth_required'],
  }),
  exitLoginAs: call({
    method: 'POST',
    path: 'auth/login-as/exit',
    summary:
      'Back to the administrator, whose session goes on, here or at the address that is answered.',
    input: v.strictObject({}),
    output: ActedSchema,
    gate: 'signed-in',
    failures: ['conflict', 'signed-out'],
  }),
  loginToken: call({
    method: 'POST',
    path: 'auth/login-token',
    summary: 'Signs in with a token that is good once and for a minute. Sets the refresh cookie.',
    input: v.strictObject({ token: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) }),
    output: SessionSchema,
    gate: 'public',
    failures: ['wrong-credentials', 'too-many'],
  }),
} as const;
