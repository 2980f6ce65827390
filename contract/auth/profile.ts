import * as v from 'valibot';
import { LIMITS } from '../limits.ts';

export const SSO_PROVIDERS = ['vac', 'vcd', 'zerto'] as const;
export type SsoProvider = (typeof SSO_PROVIDERS)[number];

/** Kinds of email notifications to a person; on by default. */
export const NOTICES = ['security', 'reports', 'product'] as const;

const phone = v.nullable(
  v.pipe(
    v.string(),
    v.regex(/^\+[1-9]\d{6,14}$/, 'a number in international form, such as +15550100200'),
  ),
);
export const PhoneSchema = phone.wrapped;

/** An account in another system: `username` for vac and vcd, `zorgId` for zerto. */
export const SsoSchema = v.strictObject({
  username: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.nameChars)))),
  zorgId: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.nameChars)))),
  enabled: v.boolean(),
});

/**
 * Settings of a person in addition to the name. Users choose `notices` themselves; their
 * administrators set the rest.
 */
export const PersonSettingsSchema = v.strictObject({
  notices: v.optional(
    v.strictObject({
      security: v.optional(v.boolean()),
      reports: v.optional(v.boolean()),
      product: v.optional(v.boolean()),
    }),
  ),
  sso: v.optional(
    v.strictObject({
      vac: v.optional(SsoSchema),
      vcd: v.optional(SsoSchema),
      zerto: v.optional(SsoSchema),
    }),
  ),
  /** Accounts in other systems for which this user is responsible. */
  accounts: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          accountId: v.pipe(v.string(), v.maxLength(LIMITS.nameChars)),
          name: v.optional(v.string()),
        }),
      ),
      v.maxLength(200),
    ),
  ),
  managedFilterType: v.optional(v.nullable(v.picklist(['managed', 'unmanaged']))),
  assignAsConnectWiseOwner: v.optional(v.boolean()),
  veeamServiceAccount: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.nameChars)))),
  isO365Migrator: v.optional(v.boolean()),
  landingPage: v.optional(
    v.nullable(v.pipe(v.string(), v.maxLength(LIMITS.nameChars), v.regex(/^\/(?![/\\])/))),
  ),
  features: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(64))), v.maxLength(50))),
  wizardPromptDismissed: v.optional(v.boolean()),
  /** Every sign-in requires an SMS code. */
  sms: v.optional(v.boolean()),
});
export type PersonSettings = v.InferOutput<typeof PersonSettingsSchema>;
