import * as v from 'valibot';
import { SessionSchema } from './current-user.ts';

/** Methods for the second step of sign-in. */
export const METHODS = ['passkey', 'totp', 'sms', 'recovery'] as const;
export type Method = (typeof METHODS)[number];

/**
 * The next step after the password, bound to this attempt by a cookie.
 *
 * - `code`: needs one of `methods`, best first. The page offers the first and lets the user choose
 *   another. `passkey`: pass `passkey` (JSON of PublicKeyCredentialRequestOptions) to the browser
 *   and send its response to `auth/login/passkey`. `totp`, `recovery`: `auth/login/factor`. `sms`:
 *   send the six-digit code to `…/sms`. If sms is the first of `methods`, the code is already on
 *   its way; otherwise `…/sms/resend` sends it.
 * - `phone`: needs a mobile number first (`…/sms/phone`), to which a code is sent; then `code`.
 * - `enrol`: needs an authenticator to be set up, by scanning `enrol.uri` (`otpauth:`) or typing
 *   `enrol.secret` (base32). Send its first code to `auth/login/enrol`, which returns the session
 *   with recovery codes to show once. This step may follow `code`: any response may be a further
 *   step.
 *
 * `phone` shows the last two digits of the number (`••• 12`). `mayChangePhone`: `…/sms/resend`
 * accepts another number, once. `resends`: how many more codes can be sent. `until` (ms): when the
 * attempt expires.
 */
export const SignInStepSchema = v.object({
  step: v.picklist(['code', 'phone', 'enrol']),
  methods: v.array(v.picklist(METHODS)),
  phone: v.nullable(v.string()),
  mayChangePhone: v.boolean(),
  resends: v.number(),
  until: v.number(),
  passkey: v.nullable(v.string()),
  enrol: v.nullable(v.object({ secret: v.string(), uri: v.string() })),
});
export type SignInStep = v.InferOutput<typeof SignInStepSchema>;

/** The session, or the next step. */
export const SignInAnswerSchema = v.union([SessionSchema, SignInStepSchema]);
export type SignInAnswer = v.InferOutput<typeof SignInAnswerSchema>;
