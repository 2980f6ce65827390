import * as v from 'valibot';

// What is read of restore points, and of what a restore session shows, in versions 7 and 8.

const text = v.optional(v.nullable(v.string()));
const flag = v.optional(v.nullable(v.boolean()));
const count = v.optional(v.nullable(v.number()));
const key = v.pipe(v.string(), v.minLength(1), v.maxLength(2_000));

export const PointShape = v.object({
  id: key,
  backupTime: text,
  jobId: text,
  isDeleted: flag,
  isExchange: flag,
  isSharePoint: flag,
  isOneDrive: flag,
  isTeams: flag,
});
export type Vb365Point = v.InferOutput<typeof PointShape>;

export const ExploreShape = v.object({ id: v.pipe(v.string(), v.uuid()), state: text });

export const MailboxShape = v.object({ id: key, name: text, email: text, isArchive: flag });
export type Vb365Mailbox = v.InferOutput<typeof MailboxShape>;

export const MailFolderShape = v.object({ id: key, name: text, type: text });
export type Vb365MailFolder = v.InferOutput<typeof MailFolderShape>;

export const MailItemShape = v.object({
  id: key,
  itemClass: text,
  subject: text,
  name: text,
  displayAs: text,
  fullName: text,
  from: text,
  to: text,
  organizer: text,
  email: text,
  owner: text,
  received: text,
  sent: text,
  startTime: text,
  startDate: text,
  date: text,
  postedOn: text,
  attachments: v.optional(v.nullable(v.array(v.unknown()))),
});
export type Vb365MailItem = v.InferOutput<typeof MailItemShape>;

export const DriveShape = v.object({ id: key, name: text, url: text });
export type Vb365Drive = v.InferOutput<typeof DriveShape>;

/** A folder or a file of a drive. */
export const DriveItemShape = v.object({
  id: key,
  name: text,
  sizeBytes: count,
  version: text,
  modifiedBy: text,
  modificationTime: text,
  isFolder: flag,
});
export type Vb365DriveItem = v.InferOutput<typeof DriveItemShape>;

export const SiteShape = v.object({ id: key, name: text, url: text });
export type Vb365Site = v.InferOutput<typeof SiteShape>;
/** A library or a list. */
export const SitePartShape = v.object({ id: key, name: text, url: text, creationTime: text });
export type Vb365SitePart = v.InferOutput<typeof SitePartShape>;
/** A folder, a file or a row. */
export const SiteItemShape = v.object({
  id: key,
  name: text,
  title: text,
  sizeBytes: count,
  version: text,
  createdBy: text,
  creationTime: text,
  modifiedBy: text,
  modificationTime: text,
  isFolder: flag,
});
export type Vb365SiteItem = v.InferOutput<typeof SiteItemShape>;
export const TargetSiteShape = v.object({ id: key, url: text });

export const TeamShape = v.object({ id: key, displayName: text, groupEmail: text });
export type Vb365Team = v.InferOutput<typeof TeamShape>;
export const ChannelShape = v.object({ id: key, displayName: text, type: text });
export type Vb365Channel = v.InferOutput<typeof ChannelShape>;
export const PostShape = v.object({
  postId: v.pipe(v.number(), v.safeInteger()),
  author: text,
  subject: text,
  createdTime: text,
  lastModifiedTime: text,
  isDeleted: flag,
});
export type Vb365Post = v.InferOutput<typeof PostShape>;
/** A folder or a file of a channel. */
export const TeamFileShape = v.object({
  id: key,
  name: text,
  sizeBytes: count,
  uiVersion: text,
  modified: text,
  modifiedBy: text,
  fileType: text,
});
export type Vb365TeamFile = v.InferOutput<typeof TeamFileShape>;
export const TabShape = v.object({ id: key, displayName: text, type: text });
export type Vb365Tab = v.InferOutput<typeof TabShape>;

/** What a search of a team found: a post, a file or a tab by what was searched. */
export const FoundInChannelShape = v.looseObject({ channelId: text });
export type Vb365FoundInChannel = v.InferOutput<typeof FoundInChannelShape>;

export const toPageShape = <S extends v.GenericSchema>(row: S) =>
  v.object({
    results: v.array(row),
    limit: count,
    _links: v.optional(v.nullable(v.object({ next: v.optional(v.unknown()) }))),
  });

export const DeviceCodeShape = v.object({
  userCode: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
  verificationUrl: v.pipe(v.string(), v.url()),
  /** Seconds. */
  expiresIn: v.pipe(v.number(), v.minValue(0)),
});
export const CodeCheckShape = v.object({ authenticated: flag });

export const UserShape = v.object({ id: key, name: text });

/** How a restore began or, in version 7, how it ended. */
export const RestoreAnswerShape = v.object({
  sessionId: v.optional(v.pipe(v.string(), v.uuid())),
  createdItemsCount: count,
  mergedItemsCount: count,
  restoredItemsCount: count,
  failedItemsCount: count,
  skippedItemsCount: count,
  skippedItemsByErrorCount: count,
  skippedItemsByNoChangesCount: count,
  restoredListsCount: count,
  failedListsCount: count,
  restoredWebsCount: count,
  failedWebsCount: count,
  cannotContinueError: text,
  exceptions: v.optional(v.nullable(v.array(v.string()))),
  warnings: v.optional(v.nullable(v.array(v.string()))),
  restoreIssues: v.optional(
    v.nullable(
      v.array(
        v.object({
          title: text,
          name: text,
          path: text,
          error: text,
          warnings: v.optional(v.nullable(v.array(v.string()))),
        }),
      ),
    ),
  ),
});
export type Vb365RestoreAnswer = v.InferOutput<typeof RestoreAnswerShape>;

export const RestoreStateShape = v.object({ state: text, result: text, details: text });

const details = {
  title: text,
  name: text,
  path: text,
  error: text,
  status: text,
  warnings: v.optional(v.nullable(v.array(v.string()))),
  cannotContinueMailboxError: text,
};
/** Version 8: how far a restore is. */
export const StatisticsShape = v.object({
  totalItemsCount: v.number(),
  restoredItemsCount: v.number(),
  failedItemsCount: v.number(),
  skippedItemsCount: v.number(),
  errors: v.optional(v.nullable(v.array(v.string()))),
  items: v.array(
    v.object({
      ...details,
      childItems: v.optional(v.nullable(v.array(v.object(details)))),
    }),
  ),
});
export type Vb365Statistics = v.InferOutput<typeof StatisticsShape>;
