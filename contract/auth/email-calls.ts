import * as v from 'valibot';
import { call } from '../call.ts';
import { ProfileSchema } from './profile-calls.ts';

/** An address that its user typed is confirmed by a link that was mailed to it (EMAIL-3). */
export const emailCalls = {
  confirmEmail: call({
    method: 'POST',
    path: 'auth/confirm-email',
    summary:
      'Confirms an e-mail address with the link that was mailed to it. `token` is the part of the link behind the #. The link works once.',
    input: v.strictObject({
      token: v.pipe(v.string(), v.regex(/^[\w-]{1,200}$/, 'the part of the link behind the #')),
    }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found', 'too-many'],
  }),
  sendEmailLink: call({
    method: 'POST',
    path: 'profile/{id}/confirm-email',
    summary: 'Mails another link that confirms the own e-mail address; three an hour at most.',
    input: v.strictObject({ id: v.pipe(v.string(), v.uuid()) }),
    output: ProfileSchema,
    gate: 'signed-in',
    failures: ['not-found', 'conflict', 'too-many'],
  }),
} as const;
