import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { SessionSchema } from './current-user.ts';
import { PhoneSchema } from './profile.ts';
import { SignInAnswerSchema, SignInStepSchema } from './sign-in-step.ts';

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars));
const password = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars));
/**
 * The name and password of the first step may be sent again, as the first clients do: the attempt's
 * cookie alone decides (A8).
 */
const again = { username: v.optional(v.string()), password: v.optional(v.string()) };
const sixDigits = v.pipe(v.string(), v.trim(), v.regex(/^\d{6}$/, 'six digits'));

/**
 * `rememberComputer`: false, the device is not to be known; true, it is, and no code by SMS is
 * asked for there for 30 days (never the password, an authenticator or a passkey). Left out: the
 * device is known, and codes are asked for.
 */
const remember = { rememberComputer: v.optional(v.boolean()) };
const credentials = v.strictObject({ username: name, password, ...remember });
/**
 * `userUpdatedPhoneOnce`: the server knows it by itself, and refuses what is not so; false or left
 * out says nothing.
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
 * Signing in. A right name and password give a session, or the next step
 * (`contract/auth/sign-in-step.ts`) with an attempt's cookie, which every later call of the same sign-in
 * is decided by. Failures of those later calls: `wrong-credentials`, the code or passkey is not
 * right, try again; `expired`, the attempt is over (ten minutes, five wrong codes, another sign-in
 * begun here): begin anew with the password; `too-many`, not looked at, `retryAfterMs` is told;
 * `conflict`, what is asked does not fit the step (its sentence says why), which still stands.
 */
const second = ['wrong-credentials', 'expired', 'too-many', 'conflict'] as const;

const SMS_SAYS =
  'The code that came by SMS, for a session. `userUpdatedPhoneOnce`: the number was changed in this sign-in, which can be done once; true where it was not is refused.';
const RESEND_SAYS =
  'Another code by SMS; to another number only while no code to the present one was ever typed, and once in a sign-in.';

export const accountCalls = {
  loginDb: call({
    method: 'POST',
    path: 'auth/login/db',
    summary:
      'Sign in with a name and password of the database. In: sets the refresh cookie. Else the next step.',
    input: credentials,
    output: SignInAnswerSchema,
    gate: 'public',
    failures: ['wrong-credentials', 'too-many'],
  }),
  loginAd: call({
    method: 'POST',
    path: 'auth/login/ad',
    summary:
      'Sign in with a name and password of the directory. In: sets the refresh cookie. Else the next step.',
    input: credentials,
    output: SignInAnswerSchema,
    gate: 'public',
    failures: ['wrong-credentials', 'too-many', 'busy'],
  }),
  loginDbSms: call({
    method: 'POST',
    path: 'auth/login/db/sms',
    summary: SMS_SAYS,
    input: sms,
    output: SignInAnswerSchema,
    gate: 'public',
    failures: second,
  }),
  loginAdSms: call({
    method: 'POST',
    path: 'auth/login/ad/sms',
    summary: SMS_SAYS,
    input: sms,
    output: SignInAnswerSchema,
    gate: 'public',
    failures: second,
  }),
  loginDbPhone: call({
    method: 'POST',
    path: 'auth/login/db/sms/phone',
    summary:
      "A mobile number where the step asks for one: a code is sent to it, and once that is typed it is the user's.",
    input: phone,
    output: SignInStepSchema,
    gate: 'public',
    failures: second,
  }),
  loginAdPhone: call({
    method: 'POST',
    path: 'auth/login/ad/sms/phone',
    summary:
      "A mobile number where the step asks for one: a code is sent to it, and once that is typed it is the user's.",
    input: phone,
    output: SignInStepSchema,
    gate: 'public',
    failures: second,
  }),
  loginDbResend: call({
    method: 'POST',
    path: 'auth/login/db/sms/resend',
    summary: RESEND_SAYS,
    input: resend,
    output: SignInStepSchema,
    gate: 'public',
    failures: second,
  }),
  loginAdResend: call({
    method: 'POST',
    path: 'auth/login/ad/sms/resend',
    summary: RESEND_SAYS,
    input: resend,
    output: SignInStepSchema,
    gate: 'public',
    failures: second,
  }),
  loginFactor: call({
    method: 'POST',
    path: 'auth/login/factor',
    summary: 'A code of the authenticator, or a recovery code, for a session.',
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
      'Begins a sign-in by passkey alone, without a name: the step that is answered has what the browser is asked with.',
    input: v.strictObject({}),
    output: SignInStepSchema,
    gate: 'public',
    failures: ['too-many', 'conflict'],
  }),
  loginPasskey: call({
    method: 'POST',
    path: 'auth/login/passkey',
    summary:
      "What the browser answered to the step's `passkey`, as JSON of AuthenticationResponseJSON, for a session.",
    input: v.strictObject({ response: v.pipe(v.string(), v.maxLength(16_000)), ...remember }),
    output: SignInAnswerSchema,
    gate: 'public',
    failures: second,
  }),
  loginStep: call({
    method: 'POST',
    path: 'auth/login/step',
    summary:
      'The step at which the attempt of the cookie stands: for a page that was led to it from elsewhere.',
    input: v.strictObject({}),
    output: SignInStepSchema,
    gate: 'public',
    failures: ['expired'],
  }),
  loginEnrol: call({
    method: 'POST',
    path: 'auth/login/enrol',
    summary:
      'The first code of the authenticator that the step `enrol` had set up: in, with `recoveryCodes` to be shown once.',
    input: v.strictObject({ code: sixDigits, ...remember }),
    output: SignInAnswerSchema,
    gate: 'public',
    failures: second,
  }),
  refresh: call({
    method: 'POST',
    path: 'auth/refresh',
    summary: 'A fresh access token for the refresh cookie, which is rotated.',
    input: v.strictObject({}),
    output: SessionSchema,
    gate: 'public',
    failures: ['signed-out', 'expired'],
  }),
  logout: call({
    method: 'POST',
    path: 'auth/logout',
    summary: 'Ends this session for good.',
    input: v.strictObject({}),
    output: v.object({}),
    gate: 'signed-in',
    failures: [],
    allowedBeforeSetup: true,
  }),
} as const;
