import * as v from 'valibot';
import type { Published } from './schema.ts';
import { flag, int32, int64, links, some, text, time, uid } from './schema-parts.ts';
import type { Vb365Version } from './state.ts';
import { teamRequests } from './team-schema.ts';

// What the OpenAPI documents publish of restore points and restore sessions, as in `schema.ts`.

const is = (body: Published['body'], status = 200): Published => ({ status, body });

/** The requests of a restore session, with the forms of `version`. `page`: a page of rows. */
export function restoreRequests(
  version: Vb365Version,
  page: (row: v.GenericSchema) => v.GenericSchema,
): Readonly<Record<string, Published>> {
  const inV8 = (entries: v.ObjectEntries): v.ObjectEntries => (version === 'v8' ? entries : {});
  const point = some({
    id: text,
    isDeleted: flag,
    repositoryId: uid,
    backupTime: time,
    jobId: uid,
    retrievalId: uid,
    organizationId: uid,
    isExchange: flag,
    isSharePoint: flag,
    isOneDrive: flag,
    isTeams: flag,
    isLongTermCopy: flag,
    isCopy: flag,
    isRetrieved: flag,
    ...inV8({ eTag: int64, objectsEtag: int64, immutabilityExpiresOn: v.nullable(time) }),
  });
  const session = v.strictObject({
    id: uid,
    name: v.optional(text),
    organization: v.optional(text),
    type: v.picklist(['Vex', 'Veod', 'Vesp', 'Vet']),
    creationTime: time,
    endTime: v.optional(v.nullable(time)),
    state: v.picklist(['Working', 'Stopped']),
    result: v.picklist(['Success', 'Warning', 'Failed']),
    initiatedBy: v.optional(text),
    details: v.optional(text),
    scopeName: v.optional(text),
    clientHost: v.optional(text),
    reason: v.optional(text),
    _links: v.optional(links),
    ...inV8({ eTag: v.optional(int64) }),
  });
  const mailbox = some({ id: uid, name: text, email: text, isArchive: flag, isPublic: flag });
  const folder = some({
    id: text,
    name: text,
    description: text,
    type: v.picklist(['Journal', 'Task', 'StickyNote', 'Contact', 'Appointment', 'None']),
    category: v.picklist([
      'Inbox',
      'Outbox',
      'Sent',
      'Deleted',
      'Drafts',
      'PermanentlyDeletedItems',
      'Purges',
      'DiscoveryHolds',
      'Conflicts',
      'SyncIssues',
      'LocalFailures',
      'ServerFailures',
      'Junk',
      'Versions',
      'TeamsMessagesData',
      'None',
    ]),
    ...inV8({ mailboxId: uid }),
  });
  const mail = some({
    id: text,
    itemClass: text,
    subject: text,
    from: text,
    to: text,
    cc: text,
    bcc: text,
    sent: time,
    received: time,
    reminder: flag,
    importance: v.picklist(['Low', 'Normal', 'High']),
    attachments: v.array(some({ name: text, sizeBytes: int64 })),
    ...inV8({ mailboxId: uid }),
  });
  const driveItem = {
    id: text,
    name: text,
    createdBy: text,
    creationTime: time,
    modifiedBy: text,
    modificationTime: time,
    version: v.optional(text),
    versionId: v.optional(v.nullable(int32)),
    isFolder: v.optional(flag),
    _links: v.optional(links),
    ...inV8({ oneDriveId: v.optional(text) }),
  };
  const document = v.strictObject({
    ...driveItem,
    sizeBytes: int64,
    inheritedPermissions: v.optional(flag),
  });
  const site = some({ id: text, name: text, url: text });
  const sitePart = some({
    id: text,
    name: text,
    url: text,
    description: text,
    creationTime: time,
    ...inV8({ siteId: text }),
  });
  const inSite = {
    id: text,
    name: text,
    createdBy: text,
    creationTime: time,
    modifiedBy: text,
    modificationTime: time,
    version: v.optional(text),
    versionId: v.optional(v.nullable(int32)),
    isFolder: v.optional(flag),
    _links: v.optional(links),
    ...inV8({ siteId: v.optional(text) }),
  };
  const siteFolder = v.strictObject({
    ...inSite,
    type: v.optional(v.picklist(['ListFolder', 'LibraryFolder'])),
  });
  const siteDocument = v.strictObject({ ...inSite, sizeBytes: v.optional(int64) });
  const siteRow = v.strictObject({ ...inSite, title: v.optional(text) });
  const foundItem = v.strictObject({
    ...driveItem,
    sizeBytes: v.optional(int64),
    inheritedPermissions: v.optional(flag),
    ...inV8({ siteId: v.optional(text) }),
    type: v.optional(v.picklist(['ListFolder', 'LibraryFolder'])),
    title: v.optional(text),
  });
  const base = 'restoresessions/{id}';
  const statistics = v.strictObject({
    totalItemsCount: int64,
    restoredItemsCount: int64,
    failedItemsCount: int64,
    skippedItemsCount: int64,
    warnings: v.optional(v.array(text)),
    errors: v.optional(v.array(text)),
    items: v.array(
      v.strictObject({
        itemRestoreDetailsType: v.picklist(['Item', 'BulkMailbox', 'BulkOneDrive']),
        title: v.optional(text),
        name: v.optional(text),
        status: v.optional(v.picklist(['Failed', 'Warning', 'Success', 'Skipped'])),
        path: v.optional(text),
        error: v.optional(text),
        warnings: v.optional(v.array(text)),
      }),
    ),
  });
  const begun = v.strictObject({ sessionId: uid });
  const ended = (entries: v.ObjectEntries): v.GenericSchema =>
    version === 'v8' ? begun : v.partial(v.strictObject(entries));
  const mailEnded = {
    exceptions: v.array(text),
    warnings: v.array(text),
    createdItemsCount: int64,
    mergedItemsCount: int64,
    failedItemsCount: int64,
    skippedItemsCount: int64,
    cannotContinueError: text,
  };
  const itemsEnded = ended(mailEnded);
  const foldersEnded = ended({ ...mailEnded, failedFoldersCount: int64 });
  const filesEnded = ended({
    totalItemsCount: int64,
    restoredItemsCount: int32,
    failedItemsCount: int32,
    skippedItemsByErrorCount: int64,
    skippedItemsByNoChangesCount: int64,
    failedRestrictionsCount: v.nullable(int64),
    restoreIssues: v.array(
      v.partial(
        v.strictObject({
          id: uid,
          path: text,
          title: text,
          type: v.picklist(['Item', 'List', 'Site']),
          warnings: v.array(text),
          error: text,
        }),
      ),
    ),
  });
  const issues = {
    failedRestrictionsCount: v.nullable(int64),
    restoreIssues: v.array(
      v.partial(
        v.strictObject({
          id: uid,
          path: text,
          title: text,
          type: v.picklist(['Item', 'List', 'Site']),
          warnings: v.array(text),
          error: text,
        }),
      ),
    ),
  };
  const listsEnded = { restoredListsCount: int32, failedListsCount: int32 };
  const inListsEnded = {
    totalItemsCount: int64,
    restoredItemsCount: int32,
    failedItemsCount: int32,
    skippedItemsByErrorCount: int64,
    skippedItemsByNoChangesCount: int64,
    ...issues,
  };
  const websEnded = ended({
    ...listsEnded,
    restoredWebsCount: int32,
    failedWebsCount: int32,
    ...issues,
  });
  const partsEnded = ended({ ...listsEnded, ...inListsEnded });
  const sites = `${base}/organization/sites/{id}`;
  const restores = (path: string, body: v.GenericSchema) => ({
    [`POST ${sites}${path}/restore`]: is(body),
    [`POST ${sites}${path}/restoreto`]: is(body),
  });
  const mailboxes = `${base}/organization/mailboxes/{id}`;
  const drives = `${base}/organization/onedrives/{id}`;
  return {
    'GET restorepoints': is(page(point)),
    'POST organizations/{id}/explore': is(session, version === 'v8' ? 201 : 200),
    'POST jobs/{id}/explore': is(session, version === 'v8' ? 201 : 200),
    [`GET ${base}`]: is(session),
    [`GET ${base}/organization/mailboxes`]: is(page(mailbox)),
    [`GET ${base}/organization/mailboxes/{id}/folders`]: is(page(folder)),
    [`GET ${base}/organization/mailboxes/{id}/items`]: is(page(mail)),
    [`POST ${base}/organization/mailboxes/{id}/items/{id}/save`]: is('file'),
    [`GET ${base}/organization/onedrives`]: is(page(some({ id: text, name: text, url: text }))),
    [`GET ${base}/organization/onedrives/{id}/folders`]: is(page(v.strictObject(driveItem))),
    [`GET ${base}/organization/onedrives/{id}/documents`]: is(page(document)),
    [`POST ${base}/organization/onedrives/{id}/documents/{id}/save`]: is('file'),
    [`POST ${mailboxes}/items/save`]: is('file'),
    [`POST ${mailboxes}/items/exporttopst`]: is('file'),
    [`POST ${mailboxes}/items/{id}/exporttopst`]: is('file'),
    [`POST ${mailboxes}/folders/{id}/exporttopst`]: is('file'),
    [`POST ${mailboxes}/exporttopst`]: is('file'),
    [`POST ${drives}/save`]: is('file'),
    [`POST ${drives}/folders/{id}/save`]: is('file'),
    [`POST ${drives}/documents/save`]: is('file'),
    'POST devicecode/check': is(some({ authenticated: flag })),
    [`POST ${base}/organization/restoredevicecode`]: is(
      some({ userCode: text, verificationUrl: text, expiresIn: int64, message: text }),
    ),
    ...(version === 'v8' && { [`GET ${base}/statistics`]: is(statistics) }),
    [`GET ${drives}/documents/{id}`]: is(document),
    [`POST ${mailboxes}/restore`]: is(foldersEnded),
    [`POST ${mailboxes}/restoreto`]: is(foldersEnded),
    [`POST ${mailboxes}/folders/{id}/restore`]: is(foldersEnded),
    [`POST ${mailboxes}/folders/{id}/restoreto`]: is(foldersEnded),
    [`POST ${mailboxes}/items/restore`]: is(itemsEnded),
    [`POST ${mailboxes}/items/restoreto`]: is(itemsEnded),
    [`GET ${base}/organization/sites`]: is(page(site)),
    [`GET ${sites}/libraries`]: is(page(sitePart)),
    [`GET ${sites}/lists`]: is(page(sitePart)),
    [`GET ${sites}/folders`]: is(page(siteFolder)),
    [`GET ${sites}/documents`]: is(page(siteDocument)),
    [`GET ${sites}/documents/{id}`]: is(siteDocument),
    [`GET ${sites}/items`]: is(page(siteRow)),
    [`GET ${sites}/items/{id}`]: is(siteRow),
    [`POST ${sites}/libraries/{id}/save`]: is('file'),
    [`POST ${sites}/folders/{id}/save`]: is('file'),
    [`POST ${sites}/documents/{id}/save`]: is('file'),
    [`POST ${sites}/documents/save`]: is('file'),
    ...restores('', websEnded),
    ...restores('/libraries/{id}', partsEnded),
    ...restores('/lists/{id}', partsEnded),
    ...restores('/folders/{id}', filesEnded),
    ...restores('/documents', filesEnded),
    ...restores('/documents/{id}', filesEnded),
    ...restores('/items', filesEnded),
    ...restores('/items/{id}', filesEnded),
    [`POST ${drives}/restore`]: is(filesEnded),
    [`POST ${drives}/copyto`]: is(filesEnded),
    [`POST ${drives}/folders/{id}/restore`]: is(filesEnded),
    [`POST ${drives}/folders/{id}/copyto`]: is(filesEnded),
    [`POST ${drives}/documents/restore`]: is(filesEnded),
    [`POST ${drives}/documents/copyto`]: is(filesEnded),
    [`POST ${drives}/documents/{id}/restore`]: is(filesEnded),
    [`POST ${drives}/documents/{id}/copyto`]: is(filesEnded),
    ...teamRequests(version, page),
    ...Object.fromEntries(
      ['', '/folders/{id}'].flatMap((path) => [
        [`POST ${mailboxes}${path}/search`, is(page(mail))],
        [`POST ${drives}${path}/search`, is(page(foundItem))],
      ]),
    ),
    ...Object.fromEntries(
      ['', '/folders/{id}', '/libraries/{id}', '/lists/{id}'].map((path) => [
        `POST ${sites}${path}/search`,
        is(page(foundItem)),
      ]),
    ),
    [`GET ${drives}/documents/{id}/versions`]: is(page(document)),
    [`GET ${drives}/documents/{id}/versions/{id}`]: is(document),
    [`POST ${drives}/documents/{id}/versions/{id}/save`]: is('file'),
    [`POST ${drives}/documents/{id}/versions/{id}/restore`]: is(filesEnded),
    [`POST ${drives}/documents/{id}/versions/{id}/copyto`]: is(filesEnded),
    [`GET ${sites}/documents/{id}/versions`]: is(page(siteDocument)),
    [`GET ${sites}/documents/{id}/versions/{id}`]: is(siteDocument),
    [`POST ${sites}/documents/{id}/versions/{id}/save`]: is('file'),
    [`GET ${sites}/items/{id}/versions`]: is(page(siteRow)),
    [`GET ${sites}/items/{id}/versions/{id}`]: is(siteRow),
    ...restores('/documents/{id}/versions/{id}', filesEnded),
    ...restores('/items/{id}/versions/{id}', filesEnded),
    [`POST ${base}/stop`]: is(null, version === 'v8' ? 204 : 200),
  };
}
