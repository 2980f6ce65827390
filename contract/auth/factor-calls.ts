import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';

/** Whose factors. Only the signed-in user's own id is found. */
const id = v.pipe(v.string(), v.maxLength(64));
const sixDigits = v.pipe(v.string(), v.trim(), v.regex(/^\d{6}$/, 'six digits'));
const response = v.pipe(v.string(), v.maxLength(16_000));
const text = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(64));

/** A passkey of the user. `key` is the id of its credential. Times are in ms. */
const PasskeySchema = v.object({
  key: v.string(),
  name: v.string(),
  madeAt: v.number(),
  usedAt: v.nullable(v.number()),
});

/**
 * The user's second factors. `phone` shows its last two digits only. `sms`: sign-in sends codes to
 * that number. `policy` is the provider's: `own` requires a second factor from users who set one
 * up; `sms` requires at least SMS codes from everybody; `strong` requires an authenticator or a
 * passkey from everybody.
 */
export const FactorsSchema = v.object({
  policy: v.picklist(['own', 'sms', 'strong']),
  totp: v.nullable(v.object({ since: v.number() })),
  passkeys: v.array(PasskeySchema),
  recoveryCodesLeft: v.number(),
  phone: v.nullable(v.string()),
  sms: v.boolean(),
});
export type Factors = v.InferOutput<typeof FactorsSchema>;

const codes = v.array(v.string());
const changes = { gate: 'signed-in' } as const;

export const factorCalls = {
  reauthOptions: call({
    method: 'POST',
    path: 'auth/reauth/options',
    summary:
      'Returns the factors with which this user can verify their identity again. `passkey`: JSON of PublicKeyCredentialRequestOptions, valid for ten minutes. If there are none, the user must sign in again.',
    input: v.strictObject({}),
    output: v.object({
      methods: v.array(v.picklist(['passkey', 'totp', 'recovery', 'password', 'sms'])),
      passkey: v.nullable(v.string()),
    }),
    gate: 'signed-in',
    failures: ['forbidden'],
    allowedBeforeSetup: true,
  }),
  reauthCode: call({
    method: 'POST',
    path: 'auth/reauth/sms',
    summary:
      'Checks the password and sends an SMS code for `auth/reauth`, for users whose second factor is SMS. `phone`: the last digits of the number.',
    input: v.strictObject({
      password: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars)),
    }),
    output: v.object({ phone: v.string() }),
    gate: 'signed-in',
    failures: ['wrong-credentials', 'too-many', 'busy', 'forbidden', 'reauth_required'],
    allowedBeforeSetup: true,
  }),
  reauth: call({
    method: 'POST',
    path: 'auth/reauth',
    summary:
      'Verifies one factor again and allows sensitive changes for five minutes. Users with a passkey or an authenticator verify that, or a recovery code. Users with SMS codes verify the password and then the code (`auth/reauth/sms`). Send exactly one of `password`, `code` (authenticator, SMS or recovery code) and `passkey` (JSON of AuthenticationResponseJSON).',
    input: v.strictObject({
      password: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars))),
      code: v.optional(v.pipe(v.string(), v.trim(), v.minLength(6), v.maxLength(32))),
      passkey: v.optional(response),
    }),
    output: v.object({ freshUntil: v.number() }),
    gate: 'signed-in',
    failures: [
      'wrong-credentials',
      'bad-input',
      'too-many',
      'busy',
      'forbidden',
      'reauth_required',
    ],
    allowedBeforeSetup: true,
  }),
  getFactors: call({
    method: 'GET',
    path: 'profile/{id}/factors',
    summary: "Returns the user's second factors.",
    input: v.strictObject({ id }),
    output: FactorsSchema,
    gate: 'signed-in',
    failures: ['not-found', 'forbidden'],
    allowedBeforeSetup: true,
  }),
  beginTotp: call({
    method: 'POST',
    path: 'profile/{id}/totp',
    summary:
      'Starts the setup of an authenticator. Scan `uri` (otpauth:) or type `secret` (base32). An existing authenticator stays valid until the new one is confirmed.',
    input: v.strictObject({ id }),
    output: v.object({ secret: v.string(), uri: v.string() }),
    ...changes,
    failures: ['not-found', 'forbidden', 'reauth_required'],
  }),
  confirmTotp: call({
    method: 'PUT',
    path: 'profile/{id}/totp',
    summary:
      'Confirms the authenticator with its first code; sign-in requires it from now on. Returns new recovery codes, shown once; earlier ones stop working.',
    input: v.strictObject({ id, code: sixDigits }),
    output: v.object({ recoveryCodes: codes }),
    ...changes,
    failures: ['not-found', 'bad-input', 'conflict', 'too-many', 'forbidden', 'reauth_required'],
  }),
  removeTotp: call({
    method: 'DELETE',
    path: 'profile/{id}/totp',
    summary:
      'Removes the authenticator. Refused if the provider requires a strong factor and the user has no passkey.',
    input: v.strictObject({ id }),
    output: v.object({}),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  renewRecoveryCodes: call({
    method: 'POST',
    path: 'profile/{id}/recovery-codes',
    summary:
      'Creates ten new recovery codes, shown once; earlier ones stop working. Requires an authenticator or a passkey.',
    input: v.strictObject({ id }),
    output: v.object({ codes }),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  setSms: call({
    method: 'PUT',
    path: 'profile/{id}/sms',
    summary:
      'Switches SMS codes at sign-in on or off, as the only second factor or in addition to a better one. The provider may require them regardless. Switching on requires a mobile number.',
    input: v.strictObject({ id, on: v.boolean() }),
    output: v.object({}),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  passkeyOptions: call({
    method: 'POST',
    path: 'profile/{id}/passkeys/options',
    summary:
      'Returns the options with which the browser creates a passkey: JSON of PublicKeyCredentialCreationOptions, valid for ten minutes.',
    input: v.strictObject({ id }),
    output: v.object({ options: v.string() }),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  addPasskey: call({
    method: 'POST',
    path: 'profile/{id}/passkeys',
    summary:
      'Adds the passkey that the browser created (JSON of RegistrationResponseJSON). Returns `recoveryCodes`, shown once, if the user had none.',
    input: v.strictObject({ id, name: text, response }),
    output: v.object({ key: v.string(), recoveryCodes: v.nullable(codes) }),
    ...changes,
    failures: ['not-found', 'bad-input', 'conflict', 'forbidden', 'reauth_required'],
  }),
  removePasskey: call({
    method: 'DELETE',
    path: 'profile/{id}/passkeys/{key}',
    summary:
      'Removes a passkey. Refused if the provider requires a strong factor and the user has no other.',
    input: v.strictObject({ id, key: v.pipe(v.string(), v.maxLength(2_000)) }),
    output: v.object({}),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
} as const;
