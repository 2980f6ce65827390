import * as v from 'valibot';
import { SessionSchema } from './me.ts';

/** How the second step of signing in can be taken. */
export const METHODS = ['sms', 'totp', 'passkey', 'recovery'] as const;
export type Method = (typeof METHODS)[number];

/**
 * What is asked for after the password, bound to this attempt by a cookie. `code`: one of `methods`. `phone`: a mobile number first, to which
 * the code is sent. `enrol`: an authenticator has to be set up, by scanning `enrol.uri` (`otpauth:`) or typing `enrol.secret` (base32).
 * `phone` names the number by its last two digits. `resends`: how often a code can still be sent. `until`: ms, when the attempt ends.
 * `passkey`: JSON of PublicKeyCredentialRequestOptions.
 */
export const SignInStepSchema = v.object({
  step: v.picklist(['code', 'phone', 'enrol']),
  methods: v.array(v.picklist(METHODS)),
  phone: v.nullable(v.string()),
  resends: v.number(),
  until: v.number(),
  passkey: v.nullable(v.string()),
  enrol: v.nullable(v.object({ secret: v.string(), uri: v.string() })),
});
export type SignInStep = v.InferOutput<typeof SignInStepSchema>;

/** In, or one step further. */
export const SignInAnswerSchema = v.union([SessionSchema, SignInStepSchema]);
export type SignInAnswer = v.InferOutput<typeof SignInAnswerSchema>;
