import * as v from 'valibot';
import { SessionSchema } from './current-user.ts';

/** How the second step of signing in can be taken. */
export const METHODS = ['passkey', 'totp', 'sms', 'recovery'] as const;
export type Method = (typeof METHODS)[number];

/**
 * What is asked for after the password, bound to this attempt by a cookie.
 *
 * - `code`: one of `methods`, the best first; the page offers the first and lets the others be chosen.
 *     `passkey`: the browser is asked with `passkey` (JSON of PublicKeyCredentialRequestOptions), its answer goes to `auth/login/passkey`.
 *     `totp`, `recovery`: `auth/login/factor`. `sms`: the code of six digits goes to `…/sms`. Where sms is the first of `methods` it is on its
 *     way already; else `…/sms/resend` sends it.
 * - `phone`: a mobile number first (`…/sms/phone`), to which a code is sent; then `code`.
 * - `enrol`: an authenticator has to be set up, by scanning `enrol.uri` (`otpauth:`) or typing `enrol.secret` (base32); its first code goes to
 *     `auth/login/enrol`, which gives the session with recovery codes to be shown once. It may come after `code`: any answer may be a further step.
 *
 * `phone` names the number by its last two digits (`••• 12`). `mayChangePhone`: `…/sms/resend` takes another number, once. `resends`: how often a code
 * can still be sent. `until`: ms, when the attempt ends.
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

/** In, or one step further. */
export const SignInAnswerSchema = v.union([SessionSchema, SignInStepSchema]);
export type SignInAnswer = v.InferOutput<typeof SignInAnswerSchema>;
