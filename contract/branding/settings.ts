import * as v from 'valibot';
import { LIMITS } from '../limits.ts';

const text = v.pipe(v.string(), v.maxLength(LIMITS.nameChars));
const host = v.pipe(v.string(), v.minLength(1), v.maxLength(253), v.regex(/^[\w.:-]+$/));
const https = v.pipe(v.string(), v.maxLength(2_000), v.regex(/^https?:\/\/[^\s@]+$/));

/** Email by SMTP. The password is the secret `mail`. */
export const MailSettings = v.strictObject({
  host,
  port: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(65_535)),
  security: v.picklist(['tls', 'starttls', 'none']),
  username: v.nullable(text),
  from: v.pipe(v.string(), v.email()),
  fromName: v.nullable(text),
});
/**
 * SMS through a gateway with Twilio's API: `POST
 * <url>/2010-04-01/Accounts/<account>/Messages.json`. The token is the secret `sms`.
 */
export const SmsSettings = v.strictObject({ url: https, account: text, from: text });
/**
 * Active Directory by LDAPS. The service account's password is the secret `directory`. `ca`: PEM of
 * the certificate authority, if it isn't a public one.
 */
export const DirectorySettings = v.strictObject({
  url: v.pipe(v.string(), v.maxLength(300), v.regex(/^ldaps?:\/\/[^\s@/]+$/)),
  baseDn: v.pipe(v.string(), v.maxLength(500)),
  domain: text,
  serviceDn: v.pipe(v.string(), v.maxLength(500)),
  ca: v.nullable(v.pipe(v.string(), v.maxLength(20_000))),
});
/**
 * OpenID Connect with code and PKCE. The client secret is the secret `oidc`. Only existing users
 * can sign in: by `sub` once linked, by verified email address the first time.
 */
export const OidcSettings = v.strictObject({
  issuer: https,
  clientId: text,
  scope: v.optional(text),
  label: text,
  /**
   * Whether the issuer's sign-in also counts as the second factor. If left out it doesn't: the user
   * must pass the same steps as after a password.
   */
  trustsFactor: v.optional(v.boolean()),
});
/**
 * The application of Microsoft Entra with which restore operators sign in at Microsoft. Its client
 * secret is the secret `microsoft`; a public client has none.
 */
export const MicrosoftSettings = v.strictObject({ clientId: v.pipe(v.string(), v.uuid()) });
export const SsoSettings = v.strictObject({
  vac: v.nullable(v.strictObject({ url: https })),
  vcd: v.nullable(v.strictObject({ url: https, organization: text })),
  zerto: v.nullable(v.strictObject({ url: https, zssp: https, username: text })),
});

const quotaBytes = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1_000_000),
  v.maxValue(1_000_000_000_000),
);
/** Bytes per UTC day: for each ingest key, and for all of them together. */
export const IngestQuotaSettings = v.strictObject({
  keyBytes: quotaBytes,
  providerBytes: quotaBytes,
});

export const AUDIT_YEARS = [1, 2, 3, 5, 7, 10] as const;

/** Settings of a provider that nobody needs before sign-in. */
export const ProviderSettingsSchema = v.strictObject({
  /**
   * `own`: requires a second factor from users who set one up. `sms`: requires one from everybody,
   * by SMS unless they set up a better one. `strong`: requires an authenticator or a passkey from
   * everybody.
   */
  secondFactor: v.optional(v.picklist(['own', 'sms', 'strong'])),
  /**
   * Security questions in addition to a code. Off by default, because their answers alone are not a
   * factor.
   */
  securityQuestions: v.optional(v.boolean()),
  loginAs: v.optional(v.boolean()),
  /**
   * Whether restores to other places, and large ones, wait for a second person (G71). Organizations
   * can require it for themselves.
   */
  restoreApproval: v.optional(v.boolean()),
  mail: v.optional(v.nullable(MailSettings)),
  sms: v.optional(v.nullable(SmsSettings)),
  directory: v.optional(v.nullable(DirectorySettings)),
  oidc: v.optional(v.nullable(OidcSettings)),
  microsoft: v.optional(v.nullable(MicrosoftSettings)),
  sso: v.optional(v.nullable(SsoSettings)),
  /** For how many years the audit of restores is stored; null: forever. */
  restoreAuditYears: v.optional(v.nullable(v.picklist(AUDIT_YEARS))),
  /** How much sources may store per day. The defaults apply if nothing is set. */
  ingestQuota: v.optional(v.nullable(IngestQuotaSettings)),
});
export type ProviderSettings = v.InferOutput<typeof ProviderSettingsSchema>;

export const SECRET_NAMES = [
  'mail',
  'sms',
  'directory',
  'oidc',
  'microsoft',
  'vac',
  'vcd',
  'zerto',
] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
