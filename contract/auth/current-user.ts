import * as v from 'valibot';
import { RoleSchema } from '../role-schema.ts';

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

/**
 * `token` is the access token: 10 minutes, kept in a worker's memory only. `offlineUntil`: ms, how
 * long this device may open without a network.
 */
export const SessionSchema = v.object({
  token: v.string(),
  tokenExpiresAt: v.number(),
  userId: v.string(),
  user: MeSchema,
  offlineUntil: v.number(),
  /** Once, where a second factor was set up on the way in. */
  recoveryCodes: v.optional(v.array(v.string())),
});
export type Session = v.InferOutput<typeof SessionSchema>;
