import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';

/** Whose factors: the signed-in user's own; any other id is not found. */
const id = v.pipe(v.string(), v.maxLength(64));
const sixDigits = v.pipe(v.string(), v.trim(), v.regex(/^\d{6}$/, 'six digits'));
const response = v.pipe(v.string(), v.maxLength(16_000));
const text = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(64));

/** A passkey of the user. `key` is its credential's id. Moments in ms. */
const PasskeySchema = v.object({
  key: v.string(),
  name: v.string(),
  madeAt: v.number(),
  usedAt: v.nullable(v.number()),
});

/**
 * What a user has besides the password. `phone` by its last two digits. `sms`: codes are sent to it
 * at sign-in. `policy` is the provider's: `own`, who set one up is asked for it; `sms`, everybody,
 * by SMS at least; `strong`, everybody, by authenticator or passkey.
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
      'By what this user can show again that it is them. `passkey`: JSON of PublicKeyCredentialRequestOptions, good for ten minutes. None: signing in again is all there is.',
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
      'Whose second factor is a code by SMS shows the password here, and gets a code, which `auth/reauth` takes. `phone`: the end of the number.',
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
      'Shows one factor again: for five minutes sensitive changes are taken. Who has a passkey or an authenticator shows that, or a recovery code; whose second factor is a code by SMS the password and then the code (`auth/reauth/sms`). Exactly one of `password`, `code` (of the authenticator, by SMS, or a recovery code) and `passkey` (JSON of AuthenticationResponseJSON).',
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
    summary: 'What the user has besides the password.',
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
      'Begins to set up an authenticator: to be scanned (`uri`, otpauth:) or typed (`secret`, base32). One that stands keeps standing until the new one is confirmed.',
    input: v.strictObject({ id }),
    output: v.object({ secret: v.string(), uri: v.string() }),
    ...changes,
    failures: ['not-found', 'forbidden', 'reauth_required'],
  }),
  confirmTotp: call({
    method: 'PUT',
    path: 'profile/{id}/totp',
    summary:
      'Its first code: from now on it is asked for. Fresh recovery codes, shown once; those before them end.',
    input: v.strictObject({ id, code: sixDigits }),
    output: v.object({ recoveryCodes: codes }),
    ...changes,
    failures: ['not-found', 'bad-input', 'conflict', 'too-many', 'forbidden', 'reauth_required'],
  }),
  removeTotp: call({
    method: 'DELETE',
    path: 'profile/{id}/totp',
    summary:
      'The authenticator is asked for no more. Refused where the provider asks for one and there is no passkey.',
    input: v.strictObject({ id }),
    output: v.object({}),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  renewRecoveryCodes: call({
    method: 'POST',
    path: 'profile/{id}/recovery-codes',
    summary:
      'Ten fresh recovery codes, shown once; those before them end. Only beside an authenticator or a passkey.',
    input: v.strictObject({ id }),
    output: v.object({ codes }),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  setSms: call({
    method: 'PUT',
    path: 'profile/{id}/sms',
    summary:
      'Whether a code by SMS is asked for at sign-in: instead of nothing, or beside something better. The provider may ask for one whatever is set here. On only with a mobile number.',
    input: v.strictObject({ id, on: v.boolean() }),
    output: v.object({}),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  passkeyOptions: call({
    method: 'POST',
    path: 'profile/{id}/passkeys/options',
    summary:
      'What the browser is asked with to make a passkey: JSON of PublicKeyCredentialCreationOptions, good for ten minutes.',
    input: v.strictObject({ id }),
    output: v.object({ options: v.string() }),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  addPasskey: call({
    method: 'POST',
    path: 'profile/{id}/passkeys',
    summary:
      'What the browser answered, as JSON of RegistrationResponseJSON. `recoveryCodes` where the user had none, shown once.',
    input: v.strictObject({ id, name: text, response }),
    output: v.object({ key: v.string(), recoveryCodes: v.nullable(codes) }),
    ...changes,
    failures: ['not-found', 'bad-input', 'conflict', 'forbidden', 'reauth_required'],
  }),
  removePasskey: call({
    method: 'DELETE',
    path: 'profile/{id}/passkeys/{key}',
    summary:
      'The passkey opens nothing any more. Refused where the provider asks for one and there is no authenticator either.',
    input: v.strictObject({ id, key: v.pipe(v.string(), v.maxLength(2_000)) }),
    output: v.object({}),
    ...changes,
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
} as const;
