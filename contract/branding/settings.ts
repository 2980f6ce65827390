import * as v from 'valibot';
import { LIMITS } from '../limits.ts';

const text = v.pipe(v.string(), v.maxLength(LIMITS.nameChars));
const host = v.pipe(v.string(), v.minLength(1), v.maxLength(253), v.regex(/^[\w.:-]+$/));
const https = v.pipe(v.string(), v.maxLength(2_000), v.regex(/^https?:\/\/[^\s@]+$/));

/** Mail by SMTP. The password stands in the secrets as `mail`. */
export const MailSettings = v.strictObject({
  host,
  port: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(65_535)),
  security: v.picklist(['tls', 'starttls', 'none']),
  username: v.nullable(text),
  from: v.pipe(v.string(), v.email()),
  fromName: v.nullable(text),
});
/**
 * Short messages by a gateway of Twilio's form: `POST
 * <url>/2010-04-01/Accounts/<account>/Messages.json`. The token stands in the secrets as `sms`.
 */
export const SmsSettings = v.strictObject({ url: https, account: text, from: text });
/**
 * Active Directory by LDAPS. The service account's password stands in the secrets as `directory`.
 * `ca`: PEM, where it is not a public one.
 */
export const DirectorySettings = v.strictObject({
  url: v.pipe(v.string(), v.maxLength(300), v.regex(/^ldaps?:\/\/[^\s@/]+$/)),
  baseDn: v.pipe(v.string(), v.maxLength(500)),
  domain: text,
  serviceDn: v.pipe(v.string(), v.maxLength(500)),
  ca: v.nullable(v.pipe(v.string(), v.maxLength(20_000))),
});
/**
 * OpenID Connect by code and PKCE. The client's secret stands in the secrets as `oidc`. Who signs
 * in must be a user already: by `sub` once linked, by verified e-mail the first time.
 */
export const OidcSettings = v.strictObject({
  issuer: https,
  clientId: text,
  scope: v.optional(text),
  label: text,
  /**
   * What the issuer asked for counts as the second factor too. Left out it does not: who comes from
   * there is asked for the same as after a password.
   */
  trustsFactor: v.optional(v.boolean()),
});
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
/** Bytes a day (UTC): of each ingest key, and of all of them together. */
export const IngestQuotaSettings = v.strictObject({
  keyBytes: quotaBytes,
  providerBytes: quotaBytes,
});

/** What a provider chose that nobody needs to know before signing in. */
export const ProviderSettingsSchema = v.strictObject({
  /**
   * `own`: who has set one up is asked for it. `sms`: everybody, by SMS where nothing better is set
   * up. `strong`: everybody, by an authenticator or a passkey.
   */
  secondFactor: v.optional(v.picklist(['own', 'sms', 'strong'])),
  /** Security questions beside a code; off by default (they are no factor by themselves). */
  securityQuestions: v.optional(v.boolean()),
  loginAs: v.optional(v.boolean()),
  mail: v.optional(v.nullable(MailSettings)),
  sms: v.optional(v.nullable(SmsSettings)),
  directory: v.optional(v.nullable(DirectorySettings)),
  oidc: v.optional(v.nullable(OidcSettings)),
  sso: v.optional(v.nullable(SsoSettings)),
  /** What sources may store on a day; the defaults where nothing is set. */
  ingestQuota: v.optional(v.nullable(IngestQuotaSettings)),
});
export type ProviderSettings = v.InferOutput<typeof ProviderSettingsSchema>;

export const SECRET_NAMES = ['mail', 'sms', 'directory', 'oidc', 'vac', 'vcd', 'zerto'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
