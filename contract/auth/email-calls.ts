import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import type { UserId } from '../ids.ts';
import { call } from '../call.ts';
import { ProfileSchema } from './profile-calls.ts';

const token = v.pipe(v.string(), v.regex(/^[\w-]{1,200}$/, 'the part of the link behind the #'));

/** Confirmation of an email address that its user typed, by a link sent to it (EMAIL-3). */
export const emailCalls = {
  checkEmailLink: call({
    method: 'POST',
    path: 'auth/confirm-email/check',
    summary:
      'Checks whether a link can confirm an email address. It stays valid, and the call returns nothing about it. `token` is the part of the link after the #.',
    input: v.strictObject({ token }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found', 'too-many'],
  }),
  confirmEmail: call({
    method: 'POST',
    path: 'auth/confirm-email',
    summary:
      'Confirms an email address with the link that was sent to it. `token` is the part of the link after the #. The link works once.',
    input: v.strictObject({ token }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found', 'too-many'],
  }),
  sendEmailLink: call({
    method: 'POST',
    path: 'profile/{id}/confirm-email',
    summary:
      "Sends another confirmation link to the user's own email address, at most three an hour.",
    input: v.strictObject({ id: uuidSchema<UserId>() }),
    output: ProfileSchema,
    gate: 'signed-in',
    failures: ['not-found', 'conflict', 'too-many'],
  }),
} as const;
