import type { Vb365RestoreSession } from './restore-state.ts';
import type { Row } from './rows.ts';
import { uid, type Vb365Version } from './state.ts';

// The bodies of restores, and how version 7 answers them, as the documents of the API describe them.

export const QUOTA = 'The quota is exceeded.';
export type Results = NonNullable<Vb365RestoreSession['results']>;
/** Version 7 answers with the statistics of the restore. */
export const mailAnswer = (list: string, results: Results): Row => {
  const refused = results.filter(({ isRefused }) => isRefused);
  return {
    ...(list !== 'items' && { failedFoldersCount: 0 }),
    createdItemsCount: results.length - refused.length,
    mergedItemsCount: 0,
    failedItemsCount: refused.length,
    skippedItemsCount: 0,
    exceptions: refused.map(({ title }) => `${title}: ${QUOTA}`),
    warnings: [],
    cannotContinueError: '',
  };
};
export const fileAnswer = (results: Results): Row => {
  const refused = results.filter(({ isRefused }) => isRefused);
  return {
    totalItemsCount: results.length,
    restoredItemsCount: results.length - refused.length,
    failedItemsCount: refused.length,
    skippedItemsByErrorCount: 0,
    skippedItemsByNoChangesCount: 0,
    failedRestrictionsCount: null,
    restoreIssues: refused.map(({ title }) => ({
      id: uid(title),
      path: 'Documents',
      title,
      type: 'Item',
      warnings: [],
      error: QUOTA,
    })),
  };
};

/** Of a whole site, version 7 counts the lists alone. */
export const siteAnswer = (list: string, results: Results): Row => {
  const lists = { restoredListsCount: 1, failedListsCount: 0 };
  if (list === 'libraries' || list === 'lists') return { ...lists, ...fileAnswer(results) };
  if (list !== '') return fileAnswer(results);
  const { failedRestrictionsCount, restoreIssues } = fileAnswer(results);
  const webs = { restoredWebsCount: 1, failedWebsCount: 0 };
  return { ...lists, ...webs, failedRestrictionsCount, restoreIssues };
};

/** The fields that are published of the body of a restore of a site and of what it has. */
export function getSiteFields(verb: string, list: string, isOne: boolean): readonly string[] {
  const rows = !isOne && (list === 'items' || list === 'documents') ? list : '';
  const what =
    list === '' || list === 'lists' || list === 'libraries'
      ? 'changedItems deletedItems restoreListViews'
      : '';
  const site =
    list === '' ? 'alias impersonationAccountName restoreSubsites restoreMasterPages' : 'list';
  const place = verb === 'restore' ? 'restorePermissions' : 'siteURL';
  return `${CREDENTIALS} ${rows} ${what} ${site} ${place} sendSharedLinksNotification documentVersion documentLastVersionAction`.split(
    ' ',
  );
}

const CREDENTIALS =
  'userName userPassword userCode applicationId applicationCertificatePassword applicationCertificate';
/** The fields that the version publishes of the body of a restore. */
export function getBodyFields(
  version: Vb365Version,
  isMail: boolean,
  verb: string,
  list: string,
  isOne: boolean,
): readonly string[] {
  const items = list === 'items' && !isOne ? 'items' : '';
  const documents = list === 'documents' && !isOne ? 'documents' : '';
  const choices = list !== 'documents' || version === 'v8' ? 'changedItems deletedItems' : '';
  const permissions = list === 'documents' ? '' : 'restorePermissions sendSharedLinksNotification';
  const mail =
    verb === 'restore'
      ? ''
      : 'changedItems deletedItems markRestoredAsUnread excludeDrafts excludeDeletedItems excludeInPlaceHoldItems excludeLitigationHoldItems mailbox casServer folder officeRegion officeOrganizationName';
  const files =
    verb === 'restore'
      ? 'documentAction'
      : `${choices} ${permissions} onedrive folder documentVersion documentLastVersionAction`;
  const more = isMail
    ? `impersonationAccountName ${items} ${mail}`
    : `officeRegion organizationName ${documents} ${files}`;
  return `${CREDENTIALS} ${more}`.split(' ');
}

/** Rows of sites lack a field that those of drives have. */
export const getSiteRow = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'inheritedPermissions'));
