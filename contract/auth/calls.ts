import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { SessionSchema } from './current-user.ts';
import { PhoneSchema } from './profile.ts';
import { SignInAnswerSchema, SignInStepSchema } from './sign-in-step.ts';

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars));
const password = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars));
/**
 * Clients may repeat the username and password of the first step, as the first clients do. Only the
 * attempt's cookie identifies the attempt (FACTOR-2).
 */
const again = { username: v.optional(v.string()), password: v.optional(v.string()) };
const sixDigits = v.pipe(v.string(), v.trim(), v.regex(/^\d{6}$/, 'six digits'));

/**
 * `rememberComputer`: false makes the server forget this device. True skips the SMS code here for
 * 30 days (but never the password, an authenticator or a passkey). If left out, the server
 * remembers the device but still requires codes.
 */
const remember = { rememberComputer: v.optional(v.boolean()) };
const credentials = v.strictObject({ username: name, password, ...remember });
/**
 * `userUpdatedPhoneOnce`: the server tracks this itself and refuses `true` if it isn't the case.
 * False has the same effect as leaving it out.
 */
const sms = v.strictObject({
  ...again,
  smsCode: sixDigits,
  ...remember,
  userUpdatedPhoneOnce: v.optional(v.boolean()),
});
const phone = v.strictObject({ ...again, mobilePhone: PhoneSchema });
const resend = v.strictObject({ ...again, newMobilePhone: v.optional(v.nullable(PhoneSchema)) });

/**
 * Failures of the later calls of a sign-in. A correct name and password return a session, or the
 * next step (`contract/auth/sign-in-step.ts`) with a cookie that identifies the attempt in all
 * later calls. `wrong-credentials`: the code or passkey is wrong; try again. `expired`: the attempt
 * has ended (ten minutes, five wrong codes, another sign-in started in this browser); start again
 * with the password. `too-many`: the code was not checked; wait `retryAfterMs`. `conflict`: the
 * call doesn't fit the current step, as its message explains; the step stays valid.
 */
const second = ['wrong-credentials', 'expired', 'too-many', 'conflict'] as const;

const VERIFIES_SMS = {
  summary:
    'Verifies the SMS code and returns a session. `userUpdatedPhoneOnce`: the number was changed during this sign-in, which is possible once. The server refuses `true` if it was not changed.',
} as const;
const RESENDS_SMS = {
  summary:
    'Sends another SMS code. It can go to another number once per sign-in, and only if no code for the current number was ever entered.',
} as const;

export const accountCalls = {
  loginDb: call({
    method: 'POST',
    path: 'auth/login/db',
    summary:
      'Signs in with a username and password of the database. Returns a session and sets the refresh cookie, or returns the next step.',
    input: credentials,
    output: SignInAnswerSchema,
    gate: 'public',
    failures: ['wrong-credentials', 'too-many'],
  }),
  loginAd: call({
    method: 'POST',
    path: 'auth/login/ad',
    summary:
      'Signs in with a username and password of the directory. Returns a session and sets the refresh cookie, or returns the next step.',
    input: credentials,
    output: SignInAnswerSchema,
    gate: 'public',
    failures: ['wrong-credentials', 'too-many', 'busy'],
  }),
  loginDbSms: call({
    method: 'POST',
    path: 'auth/login/db/sms',
    ...VERIFIES_SMS,
    input: sms,
    output: SignInAnswerSchema,
    gate: 'public',
    failures: second,
  }),
  loginAdSms: call({
    method: 'POST',
    path: 'auth/login/ad/sms',
    ...VERIFIES_SMS,
    input: sms,
    output: SignInAnswerSchema,
    gate: 'public',
    failures: second,
  }),
  loginDbPhone: call({
    method: 'POST',
    path: 'auth/login/db/sms/phone',
    summary:
      'Sets a mobile number if the step requires one, and sends a code to it. The number is saved once the code is entered.',
    input: phone,
    output: SignInStepSchema,
    gate: 'public',
    failures: second,
  }),
  loginAdPhone: call({
    method: 'POST',
    path: 'auth/login/ad/sms/phone',
    summary:
      'Sets a mobile number if the step requires one, and sends a code to it. The number is saved once the code is entered.',
    input: phone,
    output: SignInStepSchema,
    gate: 'public',
    failures: second,
  }),
  loginDbResend: call({
    method: 'POST',
    path: 'auth/login/db/sms/resend',
    ...RESENDS_SMS,
    input: resend,
    output: SignInStepSchema,
    gate: 'public',
    failures: second,
  }),
  loginAdResend: call({
    method: 'POST',
    path: 'auth/login/ad/sms/resend',
    ...RESENDS_SMS,
    input: resend,
    output: SignInStepSchema,
    gate: 'public',
    failures: second,
  }),
  loginFactor: call({
    method: 'POST',
    path: 'auth/login/factor',
    summary: 'Verifies a code of the authenticator or a recovery code, and returns a session.',
    input: v.strictObject({
      method: v.picklist(['totp', 'recovery']),
      code: v.pipe(v.string(), v.trim(), v.minLength(6), v.maxLength(32)),
      ...remember,
    }),
    output: SignInAnswerSchema,
    gate: 'public',
    failures: second,
  }),
  loginPasskeyOptions: call({
    method: 'POST',
    path: 'auth/login/passkey/options',
    summary:
      'Starts a sign-in with a passkey alone, without a username. The returned step contains the options for the browser.',
    input: v.strictObject({}),
    output: SignInStepSchema,
    gate: 'public',
    failures: ['too-many', 'conflict'],
  }),
  loginPasskey: call({
    method: 'POST',
    path: 'auth/login/passkey',
    summary:
      "Verifies the browser's response to the step's `passkey` (JSON of AuthenticationResponseJSON), and returns a session.",
    input: v.strictObject({ response: v.pipe(v.string(), v.maxLength(16_000)), ...remember }),
    output: SignInAnswerSchema,
    gate: 'public',
    failures: second,
  }),
  loginStep: call({
    method: 'POST',
    path: 'auth/login/step',
    summary:
      'Returns the current step of the attempt in the cookie, for a page reached by a redirect.',
    input: v.strictObject({}),
    output: SignInStepSchema,
    gate: 'public',
    failures: ['expired'],
  }),
  loginEnrol: call({
    method: 'POST',
    path: 'auth/login/enrol',
    summary:
      'Verifies the first code of the authenticator that the `enrol` step set up. Returns a session with `recoveryCodes`, which are shown once.',
    input: v.strictObject({ code: sixDigits, ...remember }),
    output: SignInAnswerSchema,
    gate: 'public',
    failures: second,
  }),
  refresh: call({
    method: 'POST',
    path: 'auth/refresh',
    summary: 'Returns a new access token for the refresh cookie and rotates the cookie.',
    input: v.strictObject({}),
    output: SessionSchema,
    gate: 'public',
    failures: ['signed-out', 'expired'],
  }),
  logout: call({
    method: 'POST',
    path: 'auth/logout',
    summary: 'Signs out and ends this session.',
    input: v.strictObject({}),
    output: v.object({}),
    gate: 'signed-in',
    failures: [],
    allowedBeforeSetup: true,
  }),
} as const;
