import * as v from 'valibot';
import { RoleSchema } from '../role-schema.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyUserId, PAGE, getPage, words } from '../paging.ts';
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

/**
 * The fields of a user that an administrator sets. `companies` null: all companies of the provider.
 */
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
  /** Every sign-in requires an SMS code. */
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
 * A user in the administrator's list. `roles` is one text; `acl` lists the same roles separately.
 * Times are in ms.
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
  /** Invited by email and has not chosen a password yet. */
  invited: v.boolean(),
  deleted: v.boolean(),
  deletedAt: v.nullable(v.number()),
  madeAt: v.number(),
  lastSignIn: v.nullable(v.number()),
  signedIn: v.boolean(),
  secondFactor: v.picklist(SECOND_FACTORS),
  /**
   * Whether the caller may change this user. A caller can't change a user whose roles they couldn't
   * grant.
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
/**
 * `deleted`: `only` deleted users, or `all` users. If left out, only users that are not deleted.
 */
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
    summary: 'Lists the users that the caller manages.',
    input: v.strictObject({ ...QUERY, ...PAGE }),
    output: getPage(UserSchema),
    gate: 'monitoring.users',
    failures: [],
  }),
  exportUsers: call({
    method: 'POST',
    path: 'monitoring/reporting/users/export',
    summary: 'Exports the same users as a CSV file, all pages.',
    input: v.strictObject(QUERY),
    output: 'bytes',
    gate: 'monitoring.users',
    failures: [],
  }),
  createUser: call({
    method: 'POST',
    path: 'users',
    summary:
      'Creates a user. A database user either gets an initial password, which must be changed at first sign-in, or is invited by email to choose one.',
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
      'Changes the fields that are sent; new rights apply from the next call. Adding roles or companies, and changing addresses, phone numbers or linked accounts, requires a factor verified within the last five minutes.',
    // Null means no address; accepted only if the user has none yet.
    input: v.strictObject({
      id: anyUserId,
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
    summary: 'Marks a user as deleted. Their sessions end and nobody can sign in as them.',
    input: v.strictObject({ id: anyUserId }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  removeUser: call({
    method: 'DELETE',
    path: 'users/delete/{id}',
    summary:
      "Deletes a user permanently, including name, addresses, factors and sessions. The log still contains the user's id.",
    input: v.strictObject({ id: anyUserId }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  addUserAccount: call({
    method: 'POST',
    path: 'users/{id}/accounts/{accountId}',
    summary: 'Assigns an account of another system to a user.',
    input: v.strictObject({
      id: anyUserId,
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
    summary: 'Removes an assigned account from a user.',
    input: v.strictObject({
      id: anyUserId,
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
      'Resets all second factors of another user: authenticator, passkeys, recovery codes and, if switched on, SMS codes. Their sessions end and they are notified by email. At the next sign-in they set up the factors that the provider requires.',
    input: v.strictObject({ id: anyUserId }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'forbidden', 'reauth_required'],
  }),
  setPasswordDb: call({
    method: 'PUT',
    path: 'users/{id}/changePassword/db',
    summary:
      'Sets the password of another user. Their sessions end, they are notified by email, and they choose their own password at the next sign-in.',
    input: v.strictObject({ id: anyUserId, password }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required'],
  }),
  setPasswordAd: call({
    method: 'PUT',
    path: 'users/{id}/changePassword/ad',
    summary:
      'Sets the password of another user in the directory. Their sessions end and they are notified by email.',
    input: v.strictObject({ id: anyUserId, password }),
    output: nothing,
    gate: 'monitoring.users',
    failures: ['not-found', 'conflict', 'forbidden', 'reauth_required', 'busy'],
  }),
} as const;
