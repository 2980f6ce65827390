import * as v from 'valibot';
import { OFFSET } from '../backup/suite-schema.ts';
import { anyExplorerId, anyOrganizationId, words } from '../paging.ts';
import { LIMITS } from '../limits.ts';
import { reasonText } from './requests.ts';
import type { NodeId, TaskId } from '../ids.ts';
import { storedIdSchema } from '../id-schema.ts';

/** Parts of the inputs and outputs that the calls of restore share. */

export const READ_FAILURES = ['bad-input', 'not-found', 'forbidden', 'conflict', 'busy'] as const;
export const COMMAND_FAILURES = [
  ...READ_FAILURES,
  'reauth_required',
  'key-reused',
  'out-of-order',
] as const;
export const DOWNLOAD_FAILURES = [...READ_FAILURES, 'reauth_required'] as const;

/** Id of a mailbox, drive, site, folder or item within a restore session. */
const nodeText: v.GenericSchema<string> = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
export const nodeId = nodeText as v.GenericSchema<string, NodeId>;
export const nodeIds = v.pipe(v.array(nodeId), v.minLength(1), v.maxLength(LIMITS.restoreNodes));
/** The session that is read. It must be the caller's. */
export const OF_SESSION = { restoreSessionId: anyExplorerId };

/** Below which folder; `Root` or absent: the top. */
const parentId = v.optional(
  v.pipe(
    nodeId,
    v.transform((id) => (id.toLowerCase() === 'root' ? undefined : id)),
  ),
);
export const flag = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
);
export const LIST = { search: words, ...OFFSET };
export const PARENT = { parentId };
export const FOLDERS = { ...PARENT, ...LIST };
export const ITEM_LIST_INPUT = {
  parentId,
  sort: v.optional(v.picklist(['name', 'date', 'size'])),
  descending: v.optional(flag),
  ...LIST,
};

/** `seen`: when the first and the last restore point that have it were made. */
const node = {
  id: storedIdSchema<NodeId>(),
  name: v.string(),
  sizeBytes: v.nullable(v.number()),
  at: v.nullable(v.number()),
  deleted: v.boolean(),
  seen: v.object({ first: v.number(), last: v.number() }),
};
/** `children`: how many items it holds itself; of a mailbox or drive, in all its folders. */
const container = {
  ...node,
  children: v.nullable(v.number()),
  /** Of a folder: whether it has folders. */
  hasFolders: v.exactOptional(v.boolean()),
};
export const mailboxOut = v.object({ ...container, kind: v.picklist(['mailbox', 'archive']) });
/** `holds`: what it has instead of mails. */
export const mailFolderOut = v.object({
  ...container,
  kind: v.literal('folder'),
  holds: v.optional(v.picklist(['calendars', 'contacts', 'tasks'])),
});
export const mailItemOut = v.object({
  ...node,
  kind: v.picklist(['mail', 'event', 'contact', 'task', 'note']),
  people: v.string(),
  attachments: v.number(),
  read: v.boolean(),
});
export const driveOut = v.object({ ...container, kind: v.literal('drive') });
export const driveFolderOut = v.object({ ...container, kind: v.literal('dir') });
export const documentOut = v.object({
  ...node,
  kind: v.literal('file'),
  version: v.string(),
  author: v.string(),
});
/** The two nodes below a site. */
const SITE_NODES = ['subsites', 'content'] as const;
export const siteOut = v.object({
  ...container,
  kind: v.literal('site'),
  type: v.literal('site'),
  siteURL: v.string(),
  nodes: v.array(
    v.object({
      type: v.picklist(SITE_NODES),
      name: v.string(),
      /** How many sites are below; null: unknown, and of `content`. */
      count: v.nullable(v.number()),
    }),
  ),
});
const FOLDER_TYPES = ['LibraryFolder', 'ListFolder'] as const;
const siteFolder = { ...container, folderType: v.picklist(FOLDER_TYPES), siteURL: v.string() };
export const sitePartOut = v.object({ ...siteFolder, kind: v.picklist(['library', 'list']) });
/** `list`: a folder of a list, which has rows. */
export const siteFolderOut = v.object({ ...siteFolder, kind: v.picklist(['dir', 'list']) });
/** `fields`: the first values, by the names of their columns. */
export const rowOut = v.object({
  ...node,
  kind: v.literal('row'),
  author: v.string(),
  fields: v.record(v.string(), v.string()),
});
export const storedRowOut = v.object({
  title: v.string(),
  fields: v.array(v.object({ name: v.string(), label: v.string(), value: v.string() })),
});

/** What a download would hold. */
export const SIZE = v.strictObject({ ...OF_SESSION, nodes: nodeIds });
export const sizeOut = v.object({ items: v.number(), bytes: v.number(), isExact: v.boolean() });

/** The words of the specification for what a channel's files are. */
export const CHANNEL_FILE_TYPES = ['File', 'Folder'] as const;
/** The channel that it belongs to; null: to none. */
const channelId = v.nullable(storedIdSchema<NodeId>());
const links = v.object({ restore: v.string(), download: v.string() });
export const teamOut = v.object({ ...container, kind: v.literal('team') });
export const channelOut = v.object({
  ...container,
  kind: v.literal('channel'),
  displayName: v.string(),
  membership: v.picklist(['standard', 'private', 'shared', 'none']),
});
/** `holds`: the folder of a channel's files or tabs. */
export const teamFolderOut = v.object({
  ...container,
  kind: v.literal('dir'),
  holds: v.optional(v.picklist(['files', 'tabs'])),
  fileType: v.literal(CHANNEL_FILE_TYPES[1]),
  channelId,
  /** Paths of the calls that restore and download it. */
  links,
});
export const postOut = v.object({
  ...node,
  kind: v.literal('post'),
  author: v.string(),
  /** Null: unknown. */
  replies: v.nullable(v.number()),
});
export const teamFileOut = v.object({
  ...node,
  kind: v.literal('file'),
  version: v.string(),
  author: v.string(),
  channelId,
  fileType: v.literal(CHANNEL_FILE_TYPES[0]),
  /** Paths of the calls that restore and download it. */
  links,
  modified: v.nullable(v.number()),
  modifiedBy: v.string(),
});
export const tabOut = v.object({
  ...node,
  kind: v.literal('tab'),
  app: v.string(),
  channelId,
  displayName: v.string(),
  type: v.string(),
});
export const settingsOut = v.object({ ...node, kind: v.literal('settings') });

/** What every restore to the original place asks for. */
export const RESTORE_ORIGINAL = {
  /** Names of what was chosen, for the caller's own use. */
  names: v.optional(v.array(v.string())),
  /** Only reports what would be done. */
  dryRun: v.optional(v.boolean(), false),
  /** Needed for another place, and for more than 1,000 items. */
  reason: v.optional(reasonText),
};

/**
 * What every restore asks for. `deletedItems`: restores what the target lacks. `changedItems`:
 * restores what differs there. Another place (`mailbox`, `onedrive`: the cloud's id of a user)
 * needs a reason and a recent sign-in.
 */
const RESTORE = {
  deletedItems: v.optional(v.boolean(), true),
  changedItems: v.optional(v.boolean(), true),
  onConflict: v.optional(v.picklist(['skip', 'replace', 'keep-both'])),
  /** The organization of the other place; absent: the session's. */
  targetOrganizationId: v.optional(anyOrganizationId),
  /** Path of a folder in the other place. */
  folder: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.noteChars))),
  ...RESTORE_ORIGINAL,
};
const user = v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars)));
const off = v.optional(v.boolean(), false);
export const RESTORE_MAIL = {
  ...RESTORE,
  mailbox: user,
  markRestoredAsUnread: off,
  excludeDeletedItems: off,
  excludeDrafts: off,
  excludeInPlaceHoldItems: off,
  excludeLitigationHoldItems: off,
};
export const DOCUMENT_ACTIONS = ['Overwrite', 'Keep'] as const;
/** What a server does with a file that its target has: replaces it, or adds its versions. */
export const LAST_VERSION_ACTIONS = ['Overwrite', 'Merge'] as const;
export const DOCUMENT_VERSIONS = ['All', 'Last'] as const;
/** What the restore creates is shared with the same people again, and by links with new addresses. */
export const RESTORE_PERMISSIONS = v.optional(v.boolean(), false);
export const RESTORE_FILES = {
  ...RESTORE,
  onedrive: user,
  /** What happens to a file that the drive has: it is overwritten, or kept beside. */
  documentAction: v.optional(v.picklist(DOCUMENT_ACTIONS)),
  documentVersion: v.optional(v.picklist(DOCUMENT_VERSIONS)),
  restorePermissions: RESTORE_PERMISSIONS,
};
/**
 * Of sites. `site`: the cloud's id of another site, `siteURL`: its address. `folder`: the path in it,
 * which begins with the name of a library or list.
 */
export const RESTORE_SITE = {
  ...RESTORE,
  site: user,
  siteURL: v.optional(v.pipe(v.string(), v.url(), v.startsWith('https://'), v.maxLength(2_000))),
  documentAction: RESTORE_FILES.documentAction,
  documentVersion: RESTORE_FILES.documentVersion,
  restorePermissions: RESTORE_FILES.restorePermissions,
};

/** How mails are downloaded: `eml` is for a single one. */
export const DOWNLOAD_FORMATS = ['zip', 'eml', 'pst', 'mbox', 'msg'] as const;
/** What every download asks for. PST, mbox and MSG files are always made in the background. */
export const DOWNLOAD = {
  format: v.optional(v.picklist(DOWNLOAD_FORMATS)),
  downloadInBackground: v.optional(v.boolean(), false),
  /** Of the caller, for its own use. */
  restoreSessionData: v.optional(v.looseObject({})),
};
/**
 * `url`: opens once within a minute, and from then on for that browser as long as its session is
 * active, also in ranges. Null: the file is made in the background, and `_id` names it. `bytes` is
 * exact for ZIP and single files. `missing`: items whose content could not be backed up.
 */
export const downloadOut = v.object({
  _id: v.string(),
  id: v.string(),
  url: v.nullable(v.string()),
  name: v.string(),
  bytes: v.number(),
  items: v.number(),
  missing: v.number(),
});

const progress = v.object({ done: v.number(), total: v.nullable(v.number()) });
export const taskOut = v.object({
  id: storedIdSchema<TaskId>(),
  kind: v.picklist(['restore', 'dry-run', 'undo']),
  workload: v.picklist(['outlook', 'onedrive', 'sharepoint', 'teams']),
  state: v.picklist(['awaiting-approval', 'queued', 'running', 'stopping', 'done']),
  result: v.nullable(v.picklist(['success', 'warning', 'failed', 'cancelled'])),
  message: v.nullable(v.string()),
  items: progress,
  bytes: progress,
  waiting: v.nullable(v.object({ until: v.nullable(v.number()), reason: v.string() })),
  counts: v.object({
    restored: v.number(),
    merged: v.number(),
    skipped: v.number(),
    failed: v.number(),
  }),
  /** Empty folders that a restore created, or a dry run would create. Absent: none. */
  folders: v.exactOptional(v.number()),
  createdAt: v.number(),
  startedAt: v.nullable(v.number()),
  endedAt: v.nullable(v.number()),
  /** The restore that this undo undoes, or of which this restore retries what failed. */
  of: v.nullable(storedIdSchema<TaskId>()),
  canUndo: v.boolean(),
  /** Whether its failed items can be retried by the caller. */
  canRetry: v.boolean(),
  /** Of a restore that needed a reason (G71). */
  request: v.nullable(
    v.object({
      reason: v.string(),
      requestedBy: v.string(),
      items: v.number(),
      /** The name of another place; null: the original one. */
      target: v.nullable(v.string()),
      /** Until when it can be approved; null: it needed no approval. */
      expiresAt: v.nullable(v.number()),
      decision: v.nullable(
        v.object({
          decision: v.picklist(['approved', 'rejected', 'expired', 'withdrawn']),
          by: v.nullable(v.string()),
          reason: v.nullable(v.string()),
          at: v.number(),
        }),
      ),
      /** Whether the caller may approve or reject it now. */
      canDecide: v.boolean(),
    }),
  ),
});
/**
 * `by`: the name of who started it; null: no longer known. `object`: the mailbox, drive, site or team
 * that all its items are of; null: several, or none yet. `objects`: how many. `place`: the object that
 * it restores to; null: each goes to its own place.
 */
export const listedTaskOut = v.object({
  ...taskOut.entries,
  by: v.nullable(v.string()),
  object: v.nullable(v.string()),
  objects: v.number(),
  place: v.nullable(v.string()),
});
export const OUTCOMES = ['restored', 'merged', 'skipped', 'failed'] as const;
export const restoreResultOut = v.object({
  name: v.string(),
  path: v.string(),
  outcome: v.picklist(OUTCOMES),
  message: v.nullable(v.string()),
});
/** `id`: the task's. */
export const startedOut = v.object({
  taskId: storedIdSchema<TaskId>(),
  _id: v.string(),
  id: storedIdSchema<TaskId>(),
});
