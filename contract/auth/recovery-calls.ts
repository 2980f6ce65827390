import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { AnswerSchema, QUESTIONS_ASKED } from './recovery-questions.ts';

const username = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars));
const newPassword = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars));
const code = v.pipe(v.string(), v.regex(/^\s*\d{3}\s?\d{3}\s*$/, 'six digits'));
const hash = v.pipe(v.string(), v.regex(/^[\w-]{1,200}$/, 'the part of the link behind the #'));

/**
 * What is asked of this name. The same for a name that nobody has: who exists cannot be told from
 * it (G36).
 */
export const AskedSchema = v.object({
  authType: v.picklist(['ad', 'db']),
  questions: v.array(v.string()),
});

/** A code is on its way, if this is somebody's name. `until`: ms, when it expires. */
export const CodeSentSchema = v.object({ until: v.number() });

/** The ways back in: none of them signs anybody in, and none skips the second factor. */
export const recoveryCalls = {
  validateUsername: call({
    method: 'GET',
    path: 'auth/validate/{username}',
    summary: 'The questions that the owner of a name is asked; none where the provider asks none.',
    input: v.strictObject({ username: v.string() }),
    output: AskedSchema,
    gate: 'public',
    failures: ['bad-input', 'too-many'],
  }),
  validateAnswers: call({
    method: 'POST',
    path: 'auth/validate/secret-questions',
    summary:
      'Answers the questions. Then a code goes to the address or number on record, bound to this browser by a cookie. Without questions `answers` is empty.',
    input: v.strictObject({
      username,
      answers: v.pipe(v.array(AnswerSchema), v.maxLength(QUESTIONS_ASKED)),
    }),
    output: CodeSentSchema,
    gate: 'public',
    failures: ['wrong-credentials', 'too-many'],
  }),
  unlockAccount: call({
    method: 'POST',
    path: 'profile/unlock',
    summary: 'Unlocks the account with the code. The cookie decides whose it is.',
    input: v.strictObject({ username: v.optional(username), code }),
    output: v.object({}),
    gate: 'public',
    failures: ['wrong-credentials', 'conflict', 'too-many', 'busy'],
  }),
  resetPassword: call({
    method: 'POST',
    path: 'profile/reset-password',
    summary:
      'Sets a new password with the code, and ends all sessions. The cookie decides whose it is.',
    input: v.strictObject({ username: v.optional(username), code, newPassword }),
    output: v.object({}),
    gate: 'public',
    failures: ['wrong-credentials', 'conflict', 'bad-input', 'too-many', 'busy'],
  }),
  forgotPassword: call({
    method: 'POST',
    path: 'profile/forgot-password/email',
    summary:
      'Sends a link for a new password to the address on record: for one use, within 15 minutes. The answer is the same for every name.',
    input: v.strictObject({ username }),
    output: v.object({}),
    gate: 'public',
    failures: ['too-many'],
  }),
  checkPasswordLink: call({
    method: 'GET',
    path: 'profile/forgot-password/check',
    summary:
      'Whether a link for a new password is still good. `hash` is what stands in it behind the #.',
    input: v.strictObject({ hash }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found'],
  }),
  checkPasswordLinkSent: call({
    method: 'POST',
    path: 'profile/forgot-password/check',
    summary: 'The same with the hash in the body, where no log of a proxy keeps it.',
    input: v.strictObject({ hash }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found'],
  }),
  changePasswordByLink: call({
    method: 'POST',
    path: 'profile/forgot-password/change',
    summary: 'Sets a new password by a link, uses the link up and ends all sessions.',
    input: v.strictObject({ hash, newPassword }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found', 'bad-input', 'too-many'],
  }),
} as const;
