import type { Role } from '#contract/abilities.ts';
import { roleNameMessages as t } from './role-names.messages.en.ts';

/** Names of the roles, as on all screens. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  'admin': t.administrator,
  'operator': t.operator,
  'read-only': t.readOnly,
  'o365_admin': t.microsoft365Administrator,
  'super-admin': t.superAdministrator,
  'sub-sp': t.subProvider,
};
