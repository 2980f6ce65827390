import type { Role } from '#contract/abilities.ts';
import type { UserListed } from '#contract/users/calls.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { userMessages as t } from './messages.en.ts';

export const ROLE_WORDS: Readonly<
  Record<Role, { readonly label: string; readonly detail: string }>
> = {
  'admin': {
    label: t.administrator,
    detail: t.administratorDetail,
  },
  'operator': { label: t.operator, detail: t.operatorDetail },
  'read-only': { label: t.readOnly, detail: t.readOnlyDetail },
  'o365_admin': {
    label: t.microsoft365Administrator,
    detail: t.microsoft365AdministratorDetail,
  },
  'super-admin': {
    label: t.superAdministrator,
    detail: t.superAdministratorDetail,
  },
  'sub-sp': { label: t.subProvider, detail: t.subProviderDetail },
};

export const FACTOR_WORDS: Readonly<Record<UserListed['secondFactor'], string>> = {
  none: t.none,
  sms: t.smsCode,
  totp: t.authenticator,
  passkey: t.passkey,
};
export const AUTH_WORDS: Readonly<Record<UserListed['auth'], string>> = {
  db: t.portalPassword,
  ad: t.directory,
};

/** Status of an account as icon, word and color. */
export function getUserState({
  deleted,
  invited,
  passwordReset,
  signedIn,
}: Pick<UserListed, 'deleted' | 'invited' | 'passwordReset' | 'signedIn'>): {
  readonly icon: IconName;
  readonly label: string;
  readonly text: string;
} {
  if (deleted) return { icon: 'trash', label: t.deleted, text: 'text-ink-3' };
  if (invited) return { icon: 'mail', label: t.invited, text: 'text-running' };
  if (passwordReset) return { icon: 'key', label: t.passwordChangeDue, text: 'text-warning' };
  return signedIn
    ? { icon: 'success', label: t.signedIn, text: 'text-success' }
    : { icon: 'person', label: t.active, text: 'text-ink-2' };
}

export const rolesWords = (acl: UserListed['acl']): string =>
  acl.map(({ role }) => ROLE_WORDS[role].label).join(', ');
export const companiesWords = (companies: UserListed['companies']): string =>
  companies === null
    ? t.allCompanies
    : companies.length === 0
      ? t.noCompany
      : companies.map(({ name }) => name).join(', ');
