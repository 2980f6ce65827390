import * as v from 'valibot';
import { RoleSchema } from '../role-schema.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyId, PAGE, pageOf, words } from '../paging.ts';
import { nameText } from '../text-schema.ts';

const text = v.pipe(v.string(), v.maxLength(LIMITS.nameChars));
const companyN = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const password = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars));
const nothing = v.object({});
const phone = v.nullable(
  v.pipe(
    v.string(),
    v.regex(/^\+[1-9]\d{6,14}$/, 'a number in international form, such as +15550100200'),
  ),
);
/** An account in another system: `username` for vac and vcd, `zorgId` for zerto. */
const sso = v.strictObject({
  username: v.optional(v.nullable(text)),
  zorgId: v.optional(v.nullable(text)),
  enabled: v.boolean(),
});

/** What an administrator sets of a user. `companies` null: all of the provider. */
const FIELDS = {
  username: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1),
    v.maxLength(LIMITS.nameChars),
    v.regex(/^[^\s\p{Cc}]+$/u, 'a name without spaces'),
  ),
  name: nameText(),
  email: v.pipe(v.string(), v.trim(), v.maxLength(254), v.email()),
  roles: v.pipe(v.array(RoleSchema), v.minLength(1), v.maxLength(6)),
  companies: v.nullable(v.pipe(v.array(companyN), v.maxLength(1_000))),
  auth: v.picklist(['ad', 'db']),
};
const MORE = {
  mobilePhone: phone,
  officePhone: phone,
  /** A code by SMS is asked for at every sign-in. */
  sms: v.boolean(),
  sso: v.strictObject({ vac: v.optional(sso), vcd: v.optional(sso), zerto: v.optional(sso) }),
  managedFilterType: v.nullable(v.picklist(['managed', 'unmanaged'])),
  assignAsConnectWiseOwner: v.boolean(),
  forceSecurityQuestions: v.boolean(),
  veeamServiceAccount: v.nullable(text),
  isO365Migrator: v.boolean(),
  landingPage: v.nullable(v.pipe(text, v.regex(/^\/(?![/\\])[^\s\\]*$/))),
  features: v.pipe(v.array(v.pipe(v.string(), v.maxLength(64))), v.maxLength(50)),
};
const SECOND_FACTORS = ['none', 'sms', 'totp', 'passkey'] as const;

/**
 * A user in the administrator's list. `roles` is one text, `acl` the same one by one. Times in ms.
 */
export const UserSchema = v.object({
  _id: v.string(),
  username: v.string(),
  name: v.string(),
  email: v.nullable(v.string()),
  emailVerified: v.boolean(),
  roles: v.string(),
  acl: v.array(v.object({ role: RoleSchema })),
  companies: v.nullable(v.array(v.object({ n: v.number(), _id: v.string(), name: v.string() }))),
  auth: v.picklist(['ad', 'db']),
  mobilePhone: v.nullable(v.string()),
  officePhone: v.nullable(v.string()),
  sms: v.boolean(),
  sso: v.object({ vac: v.nullable(sso), vcd: v.nullable(sso), zerto: v.nullable(sso) }),
  accounts: v.array(v.object({ accountId: v.string(), name: v.nullable(v.string()) })),
  managedFilterType: v.nullable(v.picklist(['managed', 'unmanaged'])),
  assignAsConnectWiseOwner: v.boolean(),
  forceSecurityQuestions: v.boolean(),
  veeamServiceAccount: v.nullable(v.string()),
  isO365Migrator: v.boolean(),
  landingPage: v.nullable(v.string()),
  features: v.array(v.string()),
  passwordReset: v.boolean(),
  /** Invited by mail, and has not chosen a password yet. */
  invited: v.boolean(),
  deleted: v.boolean(),
  deletedAt: v.nullable(v.number()),
  madeAt: v.number(),
  lastSignIn: v.nullable(v.number()),
  signedIn: v.boolean(),
  secondFactor: v.picklist(SECOND_FACTORS),
  /**
   * Whether who asks may change this one: nobody changes a user whose roles one could not grant.
   */
  editable: v.boolean(),
});
export type UserListed = v.InferOutput<typeof UserSchema>;

const USER_SORTS = [
  'username',
  '-username',
  'name',
  '-name',
  'email',
  '-email',
  'lastSignIn',
  '-lastSignIn',
  'madeAt',
  '-madeAt',
] as const;
/** `deleted`: only those that are (`only`), or with them (`all`); without it those that are not. */
const QUERY = {
  search: words,
  sort: v.optional(v.picklist(USER_SORTS)),
  role: v.optional(RoleSchema),
  deleted: v.optional(v.picklist(['only', 'all'])),
};

export const userCalls = {
  listUsers: call({
    method: 'GET',
    path: 'monitoring/reporting/users',
    summary: 'The users that one keeps.',
    input: v.strictObject({ ...QUERY, ...PAGE }),
    output: pageOf(UserSchema),
    gate: 'monitoring.users',
    failures: [],
  }),
  exportUsers: call({
    method: 'POST',
    path: 'monitoring/reporting/users/export',
    summary: 'The same as a CSV file, all pages of it.',
    input: v.strictObject(QUERY),
    output: 'bytes',
    gate: 'monitoring.users',
    failures: [],
  }),
  createUser: call({
    method: 'POST',
    path: 'users',
    summary:
      'Makes a user. Of the database: with a first password, which is to be changed at once, or invited by mail to choose one.',
    input: v.strictObject({
      ...FIELDS,
      ...v.partial(v.strictObject(MORE)).entries,
      password: v.optional(password),
      invite: v.optional(v.boolean()),
    }),
    output: UserSchema,
    gate: 'monitoring.users',
    failures: ['conflict', 'forbidden', 'not-found'],
    apiKeyAllowed: false,
  }),
  editUser: call({
    method: 'PUT',
    path: 'users/{id}',
    summary:
      'Changes the fields that are sent; rights count from the next call on. More roles or companies, addresses, numbers and other accounts need a factor shown within the last five minutes.',
    // Null: none, where the user has had none so far.
    input: v.strictObject({
      id: anyId,
      ...v.partial(v.strictObject({ ...FIELDS, email: v.nullable(FIELDS.email), ...MORE })).entries,
    }),
    output: UserSchema,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
    apiKeyAllowed: false,
  }),
  deleteUser: call({
    method: 'DELETE',
    path: 'users/{id}',
    summary: 'Marks a user as deleted: its sessions end and nobody signs in as it.',
    input: v.strictObject({ id: anyId }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  removeUser: call({
    method: 'DELETE',
    path: 'users/delete/{id}',
    summary:
      'Removes a user for good: name, addresses, factors and sessions go. The log keeps the number.',
    input: v.strictObject({ id: anyId }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  addUserAccount: call({
    method: 'POST',
    path: 'users/{id}/accounts/{accountId}',
    summary: 'Gives a user an account of another system to answer for.',
    input: v.strictObject({
      id: anyId,
      accountId: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars)),
      name: v.optional(text),
    }),
    output: UserSchema,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden'],
    apiKeyAllowed: false,
  }),
  removeUserAccount: call({
    method: 'DELETE',
    path: 'users/{id}/accounts/{accountId}',
    summary: 'Takes the account away.',
    input: v.strictObject({
      id: anyId,
      accountId: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars)),
    }),
    output: UserSchema,
    gate: 'monitoring.users',
    failures: ['not-found', 'forbidden'],
    apiKeyAllowed: false,
  }),
  resetFactors: call({
    method: 'DELETE',
    path: 'users/{id}/factors',
    summary:
      'Takes all second factors of another user away: authenticator, passkeys, recovery codes, and codes by SMS where it asked for them. Its sessions end, and it is told by mail. What the provider asks for is set up anew at the next sign-in.',
    input: v.strictObject({ id: anyId }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'forbidden', 'reauth_required'],
  }),
  setPasswordDb: call({
    method: 'PUT',
    path: 'users/{id}/changePassword/db',
    summary:
      'Sets the password of another user: its sessions end, it is told by mail, and chooses its own at the next sign-in.',
    input: v.strictObject({ id: anyId, password }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  setPasswordAd: call({
    method: 'PUT',
    path: 'users/{id}/changePassword/ad',
    summary: 'The same in the directory.',
    input: v.strictObject({ id: anyId, password }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required', 'busy'],
  }),
} as const;
