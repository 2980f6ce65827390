import * as v from 'valibot';
import { storedIdSchema } from '../id-schema.ts';
import type { ImpersonationId, TenantId, UserId } from '../ids.ts';
import { renameUser, withFormerNames } from '../former-fields.ts';
import { RoleSchema } from '../role-schema.ts';
import { ProfileSchema } from './profile-calls.ts';
import { SSO_PROVIDERS } from './profile.ts';

/** The administrator who impersonates the user, the ID of the impersonation, and its end (ms). */
export const ImpersonatorSchema = v.object({
  id: storedIdSchema<UserId>(),
  username: v.string(),
  name: v.string(),
  impersonation: storedIdSchema<ImpersonationId>(),
  until: v.number(),
});

/**
 * The signed-in user as pages know it and devices store it. `companies`: those the user can see;
 * null for all of the provider's. Phone numbers are not included: the pages that show them load
 * them, and devices don't store them.
 */
export const MeSchema = v.object({
  id: storedIdSchema<UserId>(),
  username: v.string(),
  name: v.string(),
  email: v.string(),
  roles: v.array(RoleSchema),
  companies: v.nullable(v.array(v.number())),
  serviceProviderId: storedIdSchema<TenantId>(),
  masterServiceProviderId: v.nullable(storedIdSchema<TenantId>()),
  auth: v.picklist(['ad', 'db']),
  /**
   * The user must set a new password before doing anything else; the same for the security
   * questions.
   */
  passwordReset: v.boolean(),
  forceSecurityQuestions: v.boolean(),
  acceptedTerms: v.boolean(),
  /** The user's start page, if it differs from the app's own. */
  landingPage: v.nullable(v.string()),
  /** The filter with which the daily checks start; null: all results. */
  managedFilterType: v.optional(v.nullable(v.picklist(['managed', 'unmanaged'])), null),
  /** Applications to which this user can sign on. */
  sso: v.array(v.picklist(['vac', 'vcd', 'zerto'])),
  language: v.nullable(v.string()),
  timeZone: v.nullable(v.string()),
  impersonator: v.nullable(ImpersonatorSchema),
});
export type Me = v.InferOutput<typeof MeSchema>;

const { sso: _systems, ...ofDevice } = MeSchema.entries;
/**
 * The user as returned by a sign-in: the whole profile, and the fields that a device needs. A
 * device stores only the `deviceUser` part. `acting`: the former name of `impersonator`, until the
 * next version.
 */
export const SignedInUserSchema = withFormerNames(
  v.object({
    ...ofDevice,
    ...ProfileSchema.entries,
    acting: v.optional(v.nullable(ImpersonatorSchema)),
  }),
  renameUser,
);
export type SignedInUser = v.InferOutput<typeof SignedInUserSchema>;

/**
 * Returns the part of the user that a device stores: no phone numbers, accounts or notifications.
 */
export const deviceUser = (user: SignedInUser): Me => ({
  id: user.id,
  username: user.username,
  name: user.name,
  email: user.email,
  roles: user.roles,
  companies: user.companies,
  serviceProviderId: user.serviceProviderId,
  masterServiceProviderId: user.masterServiceProviderId,
  auth: user.auth,
  passwordReset: user.passwordReset,
  forceSecurityQuestions: user.forceSecurityQuestions,
  acceptedTerms: user.acceptedTerms,
  landingPage: user.landingPage,
  managedFilterType: user.managedFilterType ?? null,
  sso: SSO_PROVIDERS.filter((provider) => user.sso?.[provider]?.enabled === true),
  language: user.language,
  timeZone: user.timeZone,
  impersonator: user.impersonator,
});

/**
 * `token` is the access token. It is valid for 10 minutes and stays in a worker's memory.
 * `offlineUntil` (ms): until when this device may open the portal offline.
 */
export const SessionSchema = v.object({
  token: v.string(),
  tokenExpiresAt: v.number(),
  userId: v.string(),
  user: SignedInUserSchema,
  offlineUntil: v.number(),
  /** Present once, after a second factor was set up during sign-in. */
  recoveryCodes: v.optional(v.array(v.string())),
});
export type UserSession = v.InferOutput<typeof SessionSchema>;
