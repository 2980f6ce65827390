import type { Role } from '#contract/abilities.ts';
import type { UserListed } from '#contract/users/calls.ts';
import type { IconName } from '#src/ui/icon.tsx';

export const ROLE_WORDS: Readonly<
  Record<Role, { readonly word: string; readonly detail: string }>
> = {
  'admin': {
    word: 'Administrator',
    detail: 'Dashboard, users, companies, sources, licensing, hints and invoices',
  },
  'operator': { word: 'Operator', detail: 'Reads everything, reviews results and keeps rules' },
  'read-only': { word: 'Read only', detail: 'Reads results, dashboard, calendar and reports' },
  'o365_admin': {
    word: 'Microsoft 365 administrator',
    detail: 'Users, and everything of Microsoft 365 backup',
  },
  'super-admin': {
    word: 'Super administrator',
    detail: 'The provider itself: admin area, licensing, reports and sources',
  },
  'sub-sp': { word: 'Sub-provider', detail: 'Invites the users of a provider below' },
};

export const FACTOR_WORDS: Readonly<Record<UserListed['secondFactor'], string>> = {
  none: 'None',
  sms: 'Code by SMS',
  totp: 'Authenticator',
  passkey: 'Passkey',
};
export const AUTH_WORDS: Readonly<Record<UserListed['auth'], string>> = {
  db: 'Password of this portal',
  ad: 'Directory',
};

/** How an account stands, by icon, word and colour. */
export function stateOf({
  deleted,
  invited,
  passwordReset,
  signedIn,
}: Pick<UserListed, 'deleted' | 'invited' | 'passwordReset' | 'signedIn'>): {
  readonly icon: IconName;
  readonly word: string;
  readonly text: string;
} {
  if (deleted) return { icon: 'trash', word: 'Deleted', text: 'text-ink-3' };
  if (invited) return { icon: 'mail', word: 'Invited', text: 'text-running' };
  if (passwordReset) return { icon: 'key', word: 'New password due', text: 'text-warning' };
  return signedIn
    ? { icon: 'success', word: 'Signed in', text: 'text-success' }
    : { icon: 'person', word: 'Active', text: 'text-ink-2' };
}

export const rolesWords = (acl: UserListed['acl']): string =>
  acl.map(({ role }) => ROLE_WORDS[role].word).join(', ');
export const companiesWords = (companies: UserListed['companies']): string =>
  companies === null
    ? 'All companies'
    : companies.length === 0
      ? 'No company'
      : companies.map(({ name }) => name).join(', ');
