import { formatList } from '#contract/i18n/list.ts';
import type { Role } from '#contract/abilities.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { ROLE_NAMES } from '#src/features/shared/role-names.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { userMessages as t } from './messages.en.ts';

/** What each role may do. */
export const ROLE_DETAILS: Readonly<Record<Role, string>> = {
  'admin': t.administratorDetail,
  'operator': t.operatorDetail,
  'read-only': t.readOnlyDetail,
  'o365_admin': t.microsoft365AdministratorDetail,
  'super-admin': t.superAdministratorDetail,
  'sub-sp': t.subProviderDetail,
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
  formatList(
    acl.map(({ role }) => ROLE_NAMES[role]),
    'plain',
  );
export const companiesWords = (companies: UserListed['companies']): string =>
  companies === null
    ? t.allCompanies
    : companies.length === 0
      ? t.noCompany
      : formatList(
          companies.map(({ name }) => name),
          'plain',
        );
