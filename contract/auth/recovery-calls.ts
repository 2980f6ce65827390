import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { AnswerSchema, QUESTIONS_PER_RECOVERY } from './recovery-questions.ts';

const username = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars));
const newPassword = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars));
const code = v.pipe(v.string(), v.regex(/^\s*\d{3}\s?\d{3}\s*$/, 'six digits'));
const hash = v.pipe(v.string(), v.regex(/^[\w-]{1,200}$/, 'the part of the link behind the #'));

/**
 * The questions for a username. An unknown username gets a response of the same form, so that
 * responses don't reveal which users exist (G36).
 */
export const RecoveryQuestionSchema = v.object({
  authType: v.picklist(['ad', 'db']),
  questions: v.array(v.string()),
});

/**
 * The response after sending a code, whether or not the username exists. `until` (ms): when the
 * code expires.
 */
export const CodeSentSchema = v.object({ until: v.number() });

/** Account recovery. None of these calls signs the user in or skips the second factor. */
export const recoveryCalls = {
  validateUsername: call({
    method: 'GET',
    path: 'auth/validate/{username}',
    summary:
      "Returns the security questions for a username; none if the provider doesn't use them.",
    input: v.strictObject({ username: v.string() }),
    output: RecoveryQuestionSchema,
    gate: 'public',
    failures: ['bad-input', 'too-many'],
  }),
  validateAnswers: call({
    method: 'POST',
    path: 'auth/validate/secret-questions',
    summary:
      'Answers the security questions and sends a code to the address or number on record, bound to this browser by a cookie. Without questions, `answers` is empty.',
    input: v.strictObject({
      username,
      answers: v.pipe(v.array(AnswerSchema), v.maxLength(QUESTIONS_PER_RECOVERY)),
    }),
    output: CodeSentSchema,
    gate: 'public',
    failures: ['wrong-credentials', 'too-many'],
  }),
  unlockAccount: call({
    method: 'POST',
    path: 'profile/unlock',
    summary: 'Unlocks the account with the code. The cookie identifies the account.',
    input: v.strictObject({ username: v.optional(username), code }),
    output: v.object({}),
    gate: 'public',
    failures: ['wrong-credentials', 'conflict', 'too-many', 'busy'],
  }),
  resetPassword: call({
    method: 'POST',
    path: 'profile/reset-password',
    summary:
      'Sets a new password with the code and ends all sessions. The cookie identifies the account.',
    input: v.strictObject({ username: v.optional(username), code, newPassword }),
    output: v.object({}),
    gate: 'public',
    failures: ['wrong-credentials', 'conflict', 'bad-input', 'too-many', 'busy'],
  }),
  forgotPassword: call({
    method: 'POST',
    path: 'profile/forgot-password/email',
    summary:
      'Emails a password reset link to the address on record. The link works once and expires after 15 minutes. The response is the same for every username.',
    input: v.strictObject({ username }),
    output: v.object({}),
    gate: 'public',
    failures: ['too-many'],
  }),
  checkPasswordLink: call({
    method: 'GET',
    path: 'profile/forgot-password/check',
    summary:
      'Checks whether a password reset link is still valid. `hash` is the part of the link after the #.',
    input: v.strictObject({ hash }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found', 'too-many'],
  }),
  checkPasswordLinkSent: call({
    method: 'POST',
    path: 'profile/forgot-password/check',
    summary: "Same as the GET call, with the hash in the body, so that proxies don't log it.",
    input: v.strictObject({ hash }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found', 'too-many'],
  }),
  changePasswordByLink: call({
    method: 'POST',
    path: 'profile/forgot-password/change',
    summary:
      "Sets a new password with a reset link. The link can't be used again, and all sessions end.",
    input: v.strictObject({ hash, newPassword }),
    output: v.object({}),
    gate: 'public',
    failures: ['not-found', 'bad-input', 'too-many'],
  }),
} as const;
