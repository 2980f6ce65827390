import type { Issue } from '#contract/errors.ts';
import type { OrganizationData } from './definition.ts';
import { getStoragePath } from './storage-data.ts';

/** Returns issues of the server with the names of the wizard's fields. */
export const wizardIssues = (issues: readonly Issue[]): readonly Issue[] =>
  issues.map(({ path, message }) => ({
    path:
      FIELD_OF[path] ??
      (path.startsWith(STORAGE) ? getStoragePath(path.slice(STORAGE.length)) : path),
    message,
  }));
const STORAGE = 'repository.storage.';
const FIELD_OF: Readonly<Record<string, keyof OrganizationData>> = {
  'companyId': 'companyN',
  'authType': 'auth',
  'userCode': 'deviceCode',
  'exchangeOnlineSettings.account': 'exchangeAccount',
  'exchangeOnlineSettings.password': 'exchangePassword',
  'exchangeOnlineSettings.applicationId': 'applicationId',
  'exchangeOnlineSettings.applicationSecret': 'applicationSecret',
  'exchangeOnlineSettings.officeOrganizationName': 'officeOrganizationName',
  'sharePointOnlineSettings.account': 'sharePointAccount',
  'sharePointOnlineSettings.password': 'sharePointPassword',
  'sharePointOnlineSettings.applicationId': 'applicationId',
  'sharePointOnlineSettings.applicationSecret': 'applicationSecret',
  'sharePointOnlineSettings.officeOrganizationName': 'officeOrganizationName',
  'repository.repository': 'repository',
  'repository.password': 'password',
  'repository.repeatPassword': 'repeatPassword',
  'repository.passwordDescription': 'passwordDescription',
  'repository.retentionPolicy': 'retentionPolicy',
};
