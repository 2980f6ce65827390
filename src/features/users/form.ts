import type { Role } from '#contract/abilities.ts';
import type { InputOf } from '#contract/calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import { userCalls } from '#contract/users/calls.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import type { FormSchema } from '#src/ui/form-schema.ts';
import type { FormRefusal } from '#src/ui/use-draft-form.ts';
import { getFieldErrors } from '../shared/forms/field-errors.ts';
import { getId } from '../shared/ids.ts';
import { userMessages as t } from './messages.en.ts';

/** An account in another system, as typed. */
export interface SsoDraft {
  readonly name: string;
  readonly enabled: boolean;
}
export const SSO_SYSTEMS = ['vac', 'vcd', 'zerto'] as const;
export type SsoSystem = (typeof SSO_SYSTEMS)[number];

/** A user as typed. `companies`: null for all. `first`: how a new user gets a password. */
export interface UserDraft {
  readonly name: string;
  readonly username: string;
  readonly email: string;
  readonly auth: 'ad' | 'db';
  readonly first: 'invite' | 'password';
  readonly password: string;
  readonly roles: readonly Role[];
  readonly companies: readonly CompanyN[] | null;
  readonly mobilePhone: string;
  readonly officePhone: string;
  readonly sms: boolean;
  readonly sso: Readonly<Record<SsoSystem, SsoDraft>>;
  readonly managedFilterType: 'managed' | 'unmanaged' | null;
  readonly assignAsConnectWiseOwner: boolean;
  readonly forceSecurityQuestions: boolean;
  readonly isO365Migrator: boolean;
  readonly veeamServiceAccount: string;
  readonly landingPage: string;
}

const NO_SSO: SsoDraft = { name: '', enabled: false };

/** `auth`: the sign-in method of a new user, which is the provider's. */
export function toDraft(user: UserListed | null, auth: 'ad' | 'db' = 'db'): UserDraft {
  if (user === null) {
    return {
      name: '',
      username: '',
      email: '',
      auth,
      first: 'invite',
      password: '',
      roles: ['read-only'],
      companies: null,
      mobilePhone: '',
      officePhone: '',
      sms: false,
      sso: { vac: NO_SSO, vcd: NO_SSO, zerto: NO_SSO },
      managedFilterType: null,
      assignAsConnectWiseOwner: false,
      forceSecurityQuestions: false,
      isO365Migrator: false,
      veeamServiceAccount: '',
      landingPage: '',
    };
  }
  const { vac, vcd, zerto } = user.sso;
  return {
    name: user.name,
    username: user.username,
    email: user.email ?? '',
    auth: user.auth,
    first: 'invite',
    password: '',
    roles: user.acl.map(({ role }) => role),
    companies: user.companies && user.companies.map(({ n }) => n),
    mobilePhone: user.mobilePhone ?? '',
    officePhone: user.officePhone ?? '',
    sms: user.sms,
    sso: {
      vac: { name: vac?.username ?? '', enabled: vac?.enabled ?? false },
      vcd: { name: vcd?.username ?? '', enabled: vcd?.enabled ?? false },
      zerto: { name: zerto?.zorgId ?? '', enabled: zerto?.enabled ?? false },
    },
    managedFilterType: user.managedFilterType,
    assignAsConnectWiseOwner: user.assignAsConnectWiseOwner,
    forceSecurityQuestions: user.forceSecurityQuestions,
    isO365Migrator: user.isO365Migrator,
    veeamServiceAccount: user.veeamServiceAccount ?? '',
    landingPage: user.landingPage ?? '',
  };
}

/** Removes spaces, brackets, dots and dashes of a phone number. */
export const stripPhone = (typed: string): string =>
  typed.replace(/[\s().-]/g, '').replace(/^00/, '+');

/** Fields in form order: the first invalid one gets the focus. */
export const USER_FIELDS = [
  'name',
  'username',
  'email',
  'password',
  'roles',
  'companies',
  'mobilePhone',
  'officePhone',
  'sms',
  'vac',
  'vcd',
  'zerto',
  'veeamServiceAccount',
  'landingPage',
] as const;
export type UserField = (typeof USER_FIELDS)[number];
export type UserFormErrors = Readonly<Partial<Record<UserField, string>>>;

const phone = (typed: string): string | null =>
  typed.trim() === '' || /^\+[1-9]\d{6,14}$/.test(stripPhone(typed)) ? null : t.phoneInvalid;

/**
 * Returns whether an email address is required: for new users, and for users who already have one.
 */
export const needsEmail = (user: UserListed | null): boolean =>
  user === null || user.email !== null;

/** Returns the errors of a draft, by field. */
export function getUserErrors(draft: UserDraft, user: UserListed | null): UserFormErrors {
  const isNew = user === null;
  const errors: Partial<Record<UserField, string>> = {};
  const say = (field: UserField, error: string | null): void => {
    if (error !== null) errors[field] = error;
  };
  say('name', draft.name.trim() === '' ? t.nameMissing : null);
  say(
    'username',
    draft.username.trim() === ''
      ? t.usernameMissing
      : /[\s\p{Cc}]/u.test(draft.username.trim())
        ? t.usernameHasSpaces
        : null,
  );
  say(
    'email',
    draft.email.trim() === ''
      ? needsEmail(user)
        ? t.emailMissing
        : null
      : /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(draft.email.trim())
        ? null
        : t.emailInvalid,
  );
  say(
    'password',
    isNew && draft.auth === 'db' && draft.first === 'password' && draft.password === ''
      ? t.firstPasswordMissing
      : null,
  );
  say('roles', draft.roles.length === 0 ? t.roleMissing : null);
  say('companies', draft.companies?.length === 0 ? t.companyMissing : null);
  say('mobilePhone', phone(draft.mobilePhone));
  say('officePhone', phone(draft.officePhone));
  say('sms', draft.sms && draft.mobilePhone.trim() === '' ? t.smsNeedsPhone : null);
  for (const system of SSO_SYSTEMS)
    say(
      system,
      draft.sso[system].enabled && draft.sso[system].name.trim() === ''
        ? t.ssoAccountMissing
        : null,
    );
  say(
    'landingPage',
    draft.landingPage.trim() === '' || /^\/(?![/\\])[^\s\\]*$/.test(draft.landingPage.trim())
      ? null
      : t.landingPageInvalid,
  );
  return errors;
}

/** Maps the path of a server issue to the form's field. */
export function getField(path: string): UserField | null {
  const [head, system] = path.split('.');
  const named = head === 'sso' ? system : head;
  return USER_FIELDS.find((field) => field === named) ?? null;
}

export function createUserInput(draft: UserDraft): InputOf<'createUser'> {
  const { auth, first, password, ...fields } = getInput(draft);
  return {
    ...fields,
    auth,
    ...(auth === 'db' && (first === 'invite' ? { invite: true } : { password })),
  };
}

/** Returns only the changed values. */
export function toChanges(draft: UserDraft, user: UserListed): Omit<InputOf<'editUser'>, 'id'> {
  const { first: _first, password: _password, ...next } = getInput(draft);
  const { first: _f, password: _p, ...before } = getInput(toDraft(user));
  const stood: Readonly<Record<string, unknown>> = before;
  return Object.fromEntries(
    Object.entries(next).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(stood[field]),
    ),
  );
}

export const newUserSchema = makeFormSchema(userCalls.createUser.input, (draft: UserDraft) => ({
  value: createUserInput(draft),
  errors: getUserErrors(draft, null),
}));
export const makeUserEditSchema = (user: UserListed): FormSchema<UserDraft, InputOf<'editUser'>> =>
  makeFormSchema(userCalls.editUser.input, (draft: UserDraft) => ({
    value: { id: getId(user), ...toChanges(draft, user) },
    errors: getUserErrors(draft, user),
  }));

/** Returns why a user was not saved: at the fields, or about the whole form. */
export function explainUserRefusal(failure: Failure): FormRefusal {
  if (failure.kind === 'conflict' && failure.message === MESSAGES.usernameTaken)
    return { errors: { username: failure.message }, above: null };
  const errors = Object.fromEntries(
    Object.entries(getFieldErrors(failure)).flatMap(([path, message]) => {
      const field = getField(path);
      return field === null ? [] : [[field, message]];
    }),
  );
  return { errors, above: Object.keys(errors).length > 0 ? null : getFailureText(failure) };
}

const cut = (text: string): string => text.trim().slice(0, LIMITS.nameChars);
const orNull = (text: string): string | null => (text.trim() === '' ? null : cut(text));

function getInput(draft: UserDraft) {
  const { sso, mobilePhone, officePhone } = draft;
  const account = ({ name, enabled }: SsoDraft) => ({ username: orNull(name), enabled });
  return {
    name: cut(draft.name),
    username: cut(draft.username),
    email: draft.email.trim(),
    auth: draft.auth,
    first: draft.first,
    password: draft.password,
    roles: [...draft.roles],
    companies: draft.companies && [...draft.companies],
    mobilePhone: mobilePhone.trim() === '' ? null : stripPhone(mobilePhone),
    officePhone: officePhone.trim() === '' ? null : stripPhone(officePhone),
    sms: draft.sms,
    sso: {
      vac: account(sso.vac),
      vcd: account(sso.vcd),
      zerto: { zorgId: orNull(sso.zerto.name), enabled: sso.zerto.enabled },
    },
    managedFilterType: draft.managedFilterType,
    assignAsConnectWiseOwner: draft.assignAsConnectWiseOwner,
    forceSecurityQuestions: draft.forceSecurityQuestions,
    isO365Migrator: draft.isO365Migrator,
    veeamServiceAccount: orNull(draft.veeamServiceAccount),
    landingPage: orNull(draft.landingPage),
  };
}
