import * as v from 'valibot';
import { RoleSchema } from '../role-schema.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { NotificationSchema } from '../notifications/notices.ts';
import { PersonSettingsSchema, PhoneSchema } from './profile.ts';
import { ThemeSchema } from './preferences.ts';
import { AnswerSchema, QUESTIONS_ASKED } from './recovery-questions.ts';

const id = v.pipe(v.string(), v.uuid());
const text = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(LIMITS.nameChars),
  v.regex(/^\P{Cc}+$/u, 'text on one line'),
);
const email = v.pipe(v.string(), v.trim(), v.maxLength(254), v.email());
const language = v.pipe(
  v.string(),
  v.regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a language tag, such as en-GB'),
  v.maxLength(35),
);
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
 * The signed-in user in full (section 3 of the specification): for the pages that show it, never
 * kept on a device.
 */
export const ProfileSchema = v.object({
  id: v.string(),
  name: v.string(),
  username: v.string(),
  email: v.string(),
  /**
   * Whether the address counts as this user's own (EMAIL-1), and until when (ms) a link that was
   * mailed to it confirms it; null: no link is open.
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
  serviceProviderId: v.string(),
  masterServiceProviderId: v.nullable(v.string()),
  landingApp: v.nullable(v.object({ page: v.string() })),
  ackO365TermsOfUse: v.boolean(),
  hasOrganizations: v.boolean(),
  hasJobs: v.boolean(),
  /** What this user has not acknowledged, newest first: as `notifications` answers it. */
  notifications: v.array(NotificationSchema),
  /** The account at Stripe: null, because no cards are collected. */
  stripe: v.null(),
  language: v.nullable(v.string()),
  timeZone: v.nullable(v.string()),
  /** The questions that this user answered, never the answers. */
  securityQuestions: v.array(v.string()),
  /** Ms; null where it was never changed. */
  passwordAt: v.nullable(v.number()),
});
export type Profile = v.InferOutput<typeof ProfileSchema>;

/**
 * What of a profile its user can change. What is left out stays; name and address of the account,
 * and its numbers, need a factor shown a moment ago.
 */
export const profileFields = {
  name: v.optional(text),
  username: v.optional(text),
  email: v.optional(email),
  mobilePhone: v.optional(v.nullable(PhoneSchema)),
  officePhone: v.optional(v.nullable(PhoneSchema)),
  /**
   * Joins what is kept, field by field. A theme that cannot be used changes nothing: it is no
   * reason to refuse the rest of the profile.
   */
  theme: v.optional(v.fallback(ThemeSchema, {})),
  language: v.optional(v.nullable(language)),
  timeZone: v.optional(v.nullable(timeZone)),
  notices,
  ackO365TermsOfUse: v.optional(v.literal(true)),
  wizardPromptDismissed,
};

/**
 * One way in that stands open. `how`: password, sms, totp, … `acting`: who acts as the user in it.
 * Times are ms.
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
  acting: v.nullable(v.string()),
});
export type OpenSession = v.InferOutput<typeof OpenSessionSchema>;

const change = v.strictObject({ id, currentPassword: password, newPassword: password });

/** Everybody's own and nobody else's: another id is not found. */
export const profileCalls = {
  readProfile: call({
    method: 'GET',
    path: 'profile/{id}',
    summary: 'The user with what is kept of it.',
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
      'Changes what is sent and leaves the rest, also of the theme; a theme that is not valid is ignored. A changed address is told to the former one.',
    input: v.strictObject({ id, ...profileFields }),
    output: ProfileSchema,
    gate: 'signed-in',
    failures: ['not-found', 'bad-input', 'conflict', 'reauth_required'],
  }),
  changePasswordAd: call({
    method: 'POST',
    path: 'profile/{id}/change-password/ad',
    summary:
      'A new password in the directory, by its own rules (WILL_NOT_PERFORM). Ends all other sessions.',
    input: change,
    output: v.object({}),
    gate: 'signed-in',
    failures: ['wrong-credentials', 'not-found', 'conflict', 'too-many', 'busy'],
    allowedBeforeSetup: true,
  }),
  changePasswordDb: call({
    method: 'POST',
    path: 'profile/{id}/change-password/db',
    summary: 'A new password. Ends all other sessions.',
    input: change,
    output: v.object({}),
    gate: 'signed-in',
    failures: ['wrong-credentials', 'not-found', 'conflict', 'bad-input', 'too-many'],
    allowedBeforeSetup: true,
  }),
  setSecurityQuestions: call({
    method: 'PUT',
    path: 'profile/{id}/security-questions',
    summary: 'Chooses the questions and answers them, in place of those before.',
    input: v.strictObject({
      id,
      answers: v.pipe(v.array(AnswerSchema), v.length(QUESTIONS_ASKED)),
    }),
    output: v.object({}),
    gate: 'signed-in',
    failures: ['not-found', 'bad-input', 'too-many'],
  }),
  listSessions: call({
    method: 'GET',
    path: 'profile/{id}/sessions',
    summary: 'Where this user is signed in, the latest first.',
    input: v.strictObject({ id }),
    output: v.array(OpenSessionSchema),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
  endSession: call({
    method: 'DELETE',
    path: 'profile/{id}/sessions/{session}',
    summary: 'Ends one session, or with `others` all but this one.',
    input: v.strictObject({ id, session: v.union([v.literal('others'), id]) }),
    output: v.object({ ended: v.number() }),
    gate: 'signed-in',
    failures: ['not-found'],
  }),
} as const;
