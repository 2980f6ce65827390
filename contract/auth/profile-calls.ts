import * as v from 'valibot';
import { storedIdSchema, uuidSchema } from '../id-schema.ts';
import type { TenantId, UserId } from '../ids.ts';
import { RoleSchema } from '../role-schema.ts';
import { call } from '../call.ts';
import { LANGUAGE_TAGS } from '../i18n/language-tags.ts';
import { LIMITS } from '../limits.ts';
import { NotificationSchema } from '../notifications/notices.ts';
import { PersonSettingsSchema, PhoneSchema } from './profile.ts';
import { ThemeSchema } from './preferences.ts';
import { AnswerSchema, QUESTIONS_PER_RECOVERY } from './recovery-questions.ts';

const id = uuidSchema<UserId>();
const text = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(LIMITS.nameChars),
  v.regex(/^\P{Cc}+$/u, 'text on one line'),
);
const email = v.pipe(v.string(), v.trim(), v.maxLength(254), v.email());
const language = v.picklist(LANGUAGE_TAGS);
const timeZone = v.pipe(
  v.string(),
  v.maxLength(64),
  v.regex(/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/, 'a zone of the IANA list, such as Europe/Berlin'),
);
const password = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars));
const {
  notices,
  sso,
  accounts,
  managedFilterType,
  assignAsConnectWiseOwner,
  veeamServiceAccount,
  isO365Migrator,
  features,
  wizardPromptDismissed,
} = PersonSettingsSchema.entries;

/**
 * The complete signed-in user (section 3 of the specification), for the pages that show it. Devices
 * never store it.
 */
export const ProfileSchema = v.object({
  id: storedIdSchema<UserId>(),
  name: v.string(),
  username: v.string(),
  email: v.string(),
  /**
   * Whether the address counts as this user's own (EMAIL-1), and when (ms) the open confirmation
   * link expires; null if no link is open.
   */
  emailVerified: v.boolean(),
  emailLinkUntil: v.nullable(v.number()),
  auth: v.picklist(['ad', 'db']),
  acl: v.array(v.object({ role: RoleSchema })),
  accounts,
  sso,
  managedFilterType,
  assignAsConnectWiseOwner,
  veeamServiceAccount,
  isO365Migrator,
  features,
  notices,
  wizardPromptDismissed,
  passwordReset: v.boolean(),
  forceSecurityQuestions: v.boolean(),
  theme: ThemeSchema,
  mobilePhone: v.nullable(v.string()),
  officePhone: v.nullable(v.string()),
  serviceProviderId: storedIdSchema<TenantId>(),
  masterServiceProviderId: v.nullable(storedIdSchema<TenantId>()),
  landingApp: v.nullable(v.object({ page: v.string() })),
  ackO365TermsOfUse: v.boolean(),
  hasOrganizations: v.boolean(),
  hasJobs: v.boolean(),
  /** Notices that this user has not acknowledged, newest first, as `notifications` returns them. */
  notifications: v.array(NotificationSchema),
  /** The Stripe account; always null, because the portal doesn't collect cards. */
  stripe: v.null(),
  /** The language of messages to the user; null for the portal's. */
  language: v.nullable(v.string()),
  timeZone: v.nullable(v.string()),
  /** The questions that this user answered, never the answers. */
  securityQuestions: v.array(v.string()),
  /** When the password was last changed (ms); null if never. */
  passwordAt: v.nullable(v.number()),
});
export type Profile = v.InferOutput<typeof ProfileSchema>;

/**
 * The profile fields that a user can change. Fields left out stay unchanged. Name, email address
 * and phone numbers need a recently verified factor.
 */
export const profileFields = {
  name: v.optional(text),
  username: v.optional(text),
  email: v.optional(email),
  mobilePhone: v.optional(v.nullable(PhoneSchema)),
  officePhone: v.optional(v.nullable(PhoneSchema)),
  /**
   * Merged into the stored theme, field by field. An invalid theme is ignored, so that it doesn't
   * prevent the other changes.
   */
  theme: v.optional(v.fallback(ThemeSchema, {})),
  language: v.optional(v.nullable(language)),
  timeZone: v.optional(v.nullable(timeZone)),
  notices,
  ackO365TermsOfUse: v.optional(v.literal(true)),
  wizardPromptDismissed,
};

/**
 * An open session. `how`: password, sms, totp, … `impersonator`: the administrator who impersonates
 * the user in it; `acting` is its former name, until the next version. Times are in ms.
 */
export const OpenSessionSchema = v.object({
  id: v.string(),
  current: v.boolean(),
  beganAt: v.number(),
  seenAt: v.number(),
  until: v.number(),
  ip: v.string(),
  agent: v.string(),
  how: v.string(),
  impersonator: v.nullable(v.string()),
  acting: v.nullable(v.string()),
});
export type OpenSession = v.InferOutput<typeof OpenSessionSchema>;

const change = v.strictObject({ id, currentPassword: password, newPassword: password });

/** A user can read and change only their own profile; another id is not found. */
export const profileCalls = {
  readProfile: call({
    method: 'GET',
    path: 'profile/{id}',
    summary: "Returns the user's complete profile.",
    input: v.strictObject({ id }),
    output: ProfileSchema,
    gate: 'signed-in',
    failures: ['not-found'],
    allowedBeforeSetup: true,
  }),
  editProfile: call({
    method: 'PUT',
    path: 'profile/{id}',
    summary:
      'Changes the fields that are sent and leaves the others unchanged, also within the theme. An invalid theme is ignored. If the email address changes, the previous address is notified.',
    input: v.strictObject({ id, ...profileFields }),
    output: ProfileSchema,
    gate: 'signed-in',
    failures: ['not-found', 'bad-input', 'conflict', 'reauth_required'],
  }),
  changePasswordAd: call({
    method: 'POST',
    path: 'profile/{id}/change-password/ad',
    summary:
      'Changes the password in the directory, which applies its own rules (WILL_NOT_PERFORM). Ends all other sessions.',
    input: change,
    output: v.object({}),
    gate: 'signed-in',
    failures: ['wrong-credentials', 'not-found', 'conflict', 'too-many', 'busy'],
    allowedBeforeSetup: true,
  }),
  changePasswordDb: call({
    method: 'POST',
    path: 'profile/{id}/change-password/db',
    summary: 'Changes the password. Ends all other sessions.',
    input: change,
    output: v.object({}),
    gate: 'signed-in',
    failures: ['wrong-credentials', 'not-found', 'conflict', 'bad-input', 'too-many'],
    allowedBeforeSetup: true,
  }),
  setSecurityQuestions: call({
    method: 'PUT',
    path: 'profile/{id}/security-questions',
    summary: "Replaces the user's security questions and answers.",
    input: v.strictObject({
      id,
      answers: v.pipe(v.array(AnswerSchema), v.length(QUESTIONS_PER_RECOVERY)),
    }),
    output: v.object({}),
    gate: 'signed-in',
    failures: ['not-found', 'bad-input', 'too-many'],
  }),
  listSessions: call({
    method: 'GET',
    path: 'profile/{id}/sessions',
    summary: 'Lists where this user is signed in, newest first.',
    input: v.strictObject({ id }),
    output: v.array(OpenSessionSchema),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  endSession: call({
    method: 'DELETE',
    path: 'profile/{id}/sessions/{session}',
    summary: 'Ends one session, or all other sessions with `others`.',
    input: v.strictObject({ id, session: v.union([v.literal('others'), id]) }),
    output: v.object({ ended: v.number() }),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
} as const;
