import * as v from 'valibot';
import { companyRef, CURSOR, listPageSchema } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { anyOrganizationId } from '../paging.ts';
import { SESSION_TYPES } from './sessions.ts';
import { flag, nodeId, nodeIds, OF_SESSION, READ_FAILURES } from './shapes.ts';
import type { NodeId } from '../ids.ts';
import { storedIdSchema } from '../id-schema.ts';

const OBJECT_KINDS = ['mailbox', 'archive', 'drive', 'site', 'team'] as const;
export const ITEM_KINDS = [
  'mail',
  'event',
  'contact',
  'task',
  'note',
  'file',
  'row',
  'post',
  'tab',
  'settings',
] as const;

/**
 * `deleted`: the newest backup lacks it. `seen`: when the first restore point that has it was made,
 * and the last one that has this version. `point`: the ID of that one, and `openAt` the `datetime` of a
 * session that shows it. `isInText`:
 * the words were found in its content.
 */
const foundOut = v.object({
  id: v.string(),
  kind: v.picklist(ITEM_KINDS),
  name: v.string(),
  people: v.string(),
  sizeBytes: v.nullable(v.number()),
  at: v.nullable(v.number()),
  deleted: v.boolean(),
  seen: v.object({ first: v.number(), last: v.number() }),
  versions: v.number(),
  sessionType: v.picklist(SESSION_TYPES),
  object: v.object({ id: v.string(), name: v.string(), kind: v.picklist(OBJECT_KINDS) }),
  path: v.array(v.string()),
  point: v.string(),
  openAt: v.number(),
  isInText: v.boolean(),
});

const CONTAINER_KINDS = ['folder', 'dir', 'library', 'list', 'channel'] as const;
/** `people`: of a file, who changed it. */
const namedOut = v.object({
  id: storedIdSchema<NodeId>(),
  kind: v.picklist([...OBJECT_KINDS, ...CONTAINER_KINDS, ...ITEM_KINDS]),
  name: v.string(),
  people: v.string(),
  sizeBytes: v.nullable(v.number()),
  at: v.nullable(v.number()),
  object: v.object({
    id: storedIdSchema<NodeId>(),
    name: v.string(),
    kind: v.picklist(OBJECT_KINDS),
  }),
});

/** RES-80: one search over all that an organization's backups have. */
export const restoreSearchCalls = {
  searchBackups: call({
    method: 'GET',
    path: 'o365/restore/search',
    summary:
      'Searches all mailboxes, OneDrives, sites and teams of an organization at all restore points, the newest items first.',
    input: v.strictObject({
      organizationId: anyOrganizationId,
      companyId: v.optional(companyRef),
      /** Beginnings of words of the title, of the people, or of the content where the job stores those. */
      search: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100)),
      /** Only what is in sessions of this type. */
      sessionType: v.optional(v.picklist(SESSION_TYPES)),
      /** Only what the newest backup lacks, or only what it has. */
      deleted: v.optional(flag),
      ...CURSOR,
    }),
    output: listPageSchema(foundOut),
    gate: 'o365.restorePortal',
    operatorAllowed: true,
    failures: READ_FAILURES,
  }),
  locateBackupItem: call({
    method: 'GET',
    path: 'o365/restore/restoresessions/{restoreSessionId}/place',
    summary:
      'Returns where an item is in a restore session: what it belongs to, its folders, and its index among their items, newest first.',
    input: v.strictObject({ ...OF_SESSION, itemId: nodeId }),
    output: v.object({
      objects: v.array(v.string()),
      folders: v.array(v.string()),
      index: v.number(),
    }),
    gate: 'o365.restorePortal',
    operatorAllowed: true,
    failures: READ_FAILURES,
  }),
  /** RES-84 */
  nameRestoreNodes: call({
    method: 'POST',
    path: 'o365/restore/restoresessions/{restoreSessionId}/nodes',
    summary:
      'Returns what mailboxes, drives, sites, teams, folders and items are. Those that the restore session lacks are left out.',
    input: v.strictObject({ ...OF_SESSION, nodes: nodeIds }),
    output: v.object({ rows: v.array(namedOut) }),
    gate: 'o365.restorePortal',
    operatorAllowed: true,
    failures: READ_FAILURES,
  }),
} as const;
