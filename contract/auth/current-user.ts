import * as v from 'valibot';
import { RoleSchema } from '../role-schema.ts';
import { ProfileSchema } from './profile-calls.ts';
import { SSO_PROVIDERS } from './profile.ts';

/** Somebody else who acts as the user: who, under which number, until when (ms). */
export const ActingSchema = v.object({
  id: v.string(),
  username: v.string(),
  name: v.string(),
  impersonation: v.string(),
  until: v.number(),
});

/**
 * The signed-in user as the page knows it, and keeps it. `companies`: the ones it may see, null for
 * all of the provider's. Phone numbers are not here: they are asked for by the pages that show
 * them, and not kept.
 */
export const MeSchema = v.object({
  id: v.string(),
  username: v.string(),
  name: v.string(),
  email: v.string(),
  roles: v.array(RoleSchema),
  companies: v.nullable(v.array(v.number())),
  serviceProviderId: v.string(),
  masterServiceProviderId: v.nullable(v.string()),
  auth: v.picklist(['ad', 'db']),
  /** A new password is to be chosen before anything else; questions too. */
  passwordReset: v.boolean(),
  forceSecurityQuestions: v.boolean(),
  acceptedTerms: v.boolean(),
  /** Where this user begins instead of the app's own first page. */
  landingPage: v.nullable(v.string()),
  /** The results that the morning's list begins with; null: all. */
  managedFilterType: v.optional(v.nullable(v.picklist(['managed', 'unmanaged'])), null),
  /** Applications that this user may be led to. */
  sso: v.array(v.picklist(['vac', 'vcd', 'zerto'])),
  language: v.nullable(v.string()),
  timeZone: v.nullable(v.string()),
  acting: v.nullable(ActingSchema),
});
export type Me = v.InferOutput<typeof MeSchema>;

const { sso: _systems, ...ofDevice } = MeSchema.entries;
/**
 * The user in the answer to a sign-in: the whole profile, and what a device needs besides. A device
 * keeps only `deviceUser` of it.
 */
export const SignedInUserSchema = v.object({ ...ofDevice, ...ProfileSchema.entries });
export type SignedInUser = v.InferOutput<typeof SignedInUserSchema>;

/** What a device keeps of its user: no phone numbers, accounts or notifications. */
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
  acting: user.acting,
});

/**
 * `token` is the access token: 10 minutes, kept in a worker's memory only. `offlineUntil`: ms, how
 * long this device may open without a network.
 */
export const SessionSchema = v.object({
  token: v.string(),
  tokenExpiresAt: v.number(),
  userId: v.string(),
  user: SignedInUserSchema,
  offlineUntil: v.number(),
  /** Once, where a second factor was set up on the way in. */
  recoveryCodes: v.optional(v.array(v.string())),
});
export type Session = v.InferOutput<typeof SessionSchema>;
