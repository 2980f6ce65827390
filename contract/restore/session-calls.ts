import * as v from 'valibot';
import {
  companyRef,
  CURSOR,
  DEVICE_CODE_STATES,
  deviceCodeOut,
  listPageSchema,
} from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { ESTIMATE_LIMITS } from '../engine/estimate.ts';
import { anyJobId, anyOrganizationId, anyTaskId, moment } from '../paging.ts';
import { reasonText } from './requests.ts';
import { SESSION_TYPES } from './sessions.ts';
import {
  OF_SESSION,
  listedTaskOut,
  OUTCOMES,
  restoreResultOut,
  startedOut,
  taskOut,
} from './shapes.ts';
import { storedIdSchema } from '../id-schema.ts';
import type { BackupJobId, ExplorerId, OrganizationId, PointId } from '../ids.ts';

const gate = 'o365.restorePortal';
const READ = ['bad-input', 'not-found', 'forbidden', 'conflict', 'busy'] as const;
const COMMAND = [...READ, 'key-reused', 'out-of-order'] as const;

/** `companyId`: the organization must be this company's. */
const OF_ORGANIZATION = { organizationId: anyOrganizationId, companyId: v.optional(companyRef) };
const OF_TASK = { taskId: anyTaskId, organizationId: anyOrganizationId };
const pointOut = v.object({
  id: storedIdSchema<PointId>(),
  jobId: storedIdSchema<BackupJobId>(),
  backupTime: v.number(),
  /** Null: unknown. */
  changes: v.nullable(v.number()),
  result: v.picklist(['success', 'warning']),
  /** Objects that it lacks, because they failed. */
  lacks: v.array(v.string()),
});

/** Restore points, restore sessions, and the tasks of restores. */
export const restoreSessionCalls = {
  listRestorePoints: call({
    method: 'GET',
    path: 'o365/restore/restorepoints',
    summary: 'Lists the restore points of an organization, newest first.',
    input: v.strictObject({
      ...OF_ORGANIZATION,
      from: v.optional(moment),
      to: v.optional(moment),
      jobId: v.optional(anyJobId),
      /** Only points that have something of it. */
      sessionType: v.optional(v.picklist(SESSION_TYPES)),
      ...CURSOR,
    }),
    output: listPageSchema(pointOut),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  openRestoreSession: call({
    method: 'POST',
    path: 'o365/restore/restoresessions',
    summary:
      'Opens the newest restore point at or before a time. A session ends after an hour without use.',
    input: v.strictObject({
      ...OF_ORGANIZATION,
      datetime: v.union([v.pipe(v.number(), v.safeInteger(), v.minValue(0)), moment]),
      sessionType: v.picklist(SESSION_TYPES),
      jobId: v.optional(v.nullable(anyJobId), null),
      showDeleted: v.optional(v.boolean(), false),
    }),
    output: v.object({
      _id: v.string(),
      id: storedIdSchema<ExplorerId>(),
      organizationId: storedIdSchema<OrganizationId>(),
      sessionType: v.picklist(SESSION_TYPES),
      showDeleted: v.boolean(),
      point: pointOut,
      endsAt: v.number(),
    }),
    gate,
    operatorAllowed: true,
    failures: COMMAND,
  }),
  stopRestoreSession: call({
    method: 'POST',
    path: 'o365/restore/restoresessions/{restoreSessionId}/stop',
    summary:
      'Ends a restore session and its rights to write, unless `keepRights`. Its restores go on.',
    /** `keepRights`: another restore point of the same work follows. */
    input: v.strictObject({ ...OF_SESSION, keepRights: v.optional(v.boolean(), false) }),
    output: v.object({ success: v.literal(true) }),
    gate,
    operatorAllowed: true,
    failures: COMMAND,
  }),
  getRestoreRights: call({
    method: 'GET',
    path: 'o365/restore/rights',
    summary:
      'Returns which permissions a restore to an organization lacks, or a restore after its dry run, or an undo or a retry (`taskId`).',
    input: v.strictObject({
      ...OF_ORGANIZATION,
      sessionType: v.optional(v.picklist(SESSION_TYPES)),
      taskId: v.optional(anyTaskId),
    }),
    output: v.object({
      /** The organization that is written to. */
      organizationId: storedIdSchema<OrganizationId>(),
      sessionType: v.picklist(SESSION_TYPES),
      missing: v.array(v.string()),
      /** All permissions that a sign-in for it grants. */
      requested: v.array(v.string()),
      /** When the granted rights end; null: the rights are those of the backup application. */
      expiresAt: v.nullable(v.number()),
    }),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  requestRestoreDeviceCode: call({
    method: 'POST',
    path: 'o365/restore/devicecode',
    summary:
      'Returns a code with which an administrator of the tenant grants the rights to restore for this session.',
    input: v.strictObject({
      ...OF_ORGANIZATION,
      /** What is restored; absent: mailboxes, OneDrives and teams. */
      sessionType: v.optional(v.picklist(SESSION_TYPES)),
    }),
    output: v.object({ ...deviceCodeOut.entries, permissions: v.array(v.string()) }),
    gate,
    failures: READ,
  }),
  requestRestoreToken: call({
    method: 'POST',
    path: 'o365/restore/token',
    summary:
      'Checks once whether somebody signed in with the latest code of this user, and grants the rights then.',
    input: v.strictObject(OF_ORGANIZATION),
    output: v.object({
      state: v.picklist(DEVICE_CODE_STATES),
      /** When the rights end. */
      expiresAt: v.nullable(v.number()),
    }),
    gate,
    failures: READ,
  }),
  listRestoreTasks: call({
    method: 'GET',
    path: 'o365/restore/tasks',
    summary: 'Lists the restores, dry runs and undos of an organization, newest first.',
    input: v.strictObject({ ...OF_ORGANIZATION, ...CURSOR }),
    output: listPageSchema(listedTaskOut),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  getRestoreTask: call({
    method: 'GET',
    path: 'o365/restore/tasks/{taskId}',
    summary: 'Returns a restore with its progress.',
    input: v.strictObject(OF_TASK),
    output: taskOut,
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  /** RES-83 */
  getRestoreEstimate: call({
    method: 'GET',
    path: 'o365/restore/tasks/{taskId}/estimate',
    summary: 'Estimates how long the restore of a finished dry run takes at the current limits.',
    input: v.strictObject(OF_TASK),
    output: v.object({
      /** Rounded: nobody knows it exactly. */
      durationMs: v.number(),
      items: v.number(),
      bytes: v.number(),
      /** What decides. `speed`: how fast requests are answered. */
      limit: v.picklist(ESTIMATE_LIMITS),
      /** How many recent restores its speed is from; 0: the speed is assumed. */
      restores: v.number(),
    }),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  listRestoreResults: call({
    method: 'GET',
    path: 'o365/restore/tasks/{taskId}/results',
    summary: 'Lists how each item of a restore ended.',
    input: v.strictObject({ ...OF_TASK, outcome: v.optional(v.picklist(OUTCOMES)), ...CURSOR }),
    output: listPageSchema(restoreResultOut),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  cancelRestoreTask: call({
    method: 'POST',
    path: 'o365/restore/tasks/{taskId}/cancel',
    summary: 'Stops a restore. What it has restored stays.',
    input: v.strictObject(OF_TASK),
    output: v.object({ success: v.literal(true) }),
    gate,
    operatorAllowed: true,
    failures: COMMAND,
  }),
  listRestoreApprovals: call({
    method: 'GET',
    path: 'o365/restore/approvals',
    summary: 'Lists the restores that wait for the approval of a second person, oldest first.',
    input: v.strictObject({}),
    output: v.array(
      v.object({
        ...taskOut.entries,
        organizationId: storedIdSchema<OrganizationId>(),
        organizationName: v.string(),
      }),
    ),
    gate,
    failures: [],
  }),
  approveRestoreTask: call({
    method: 'POST',
    path: 'o365/restore/tasks/{taskId}/approve',
    summary: 'Approves a restore of another user, which starts then.',
    input: v.strictObject({ ...OF_TASK, reason: reasonText }),
    output: v.object({ success: v.literal(true) }),
    gate,
    failures: COMMAND,
  }),
  rejectRestoreTask: call({
    method: 'POST',
    path: 'o365/restore/tasks/{taskId}/reject',
    summary: 'Rejects a restore of another user. It never starts.',
    input: v.strictObject({ ...OF_TASK, reason: reasonText }),
    output: v.object({ success: v.literal(true) }),
    gate,
    failures: COMMAND,
  }),
  undoRestoreTask: call({
    method: 'POST',
    path: 'o365/restore/tasks/{taskId}/undo',
    summary:
      'Removes what a restore created and puts back what it replaced, unless it has changed since. If the restore needed a reason, the undo needs a recent sign-in and may wait for approval.',
    input: v.strictObject(OF_TASK),
    output: startedOut,
    gate,
    operatorAllowed: true,
    failures: [...COMMAND, 'reauth_required'],
  }),
  /** RES-89 */
  retryRestoreTask: call({
    method: 'POST',
    path: 'o365/restore/tasks/{taskId}/retry',
    summary:
      'Restores the failed items of a finished restore again, with its target and options, while its restore session is open. If the restore needed a reason, the retry needs a recent sign-in and may wait for approval.',
    input: v.strictObject(OF_TASK),
    output: startedOut,
    gate,
    operatorAllowed: true,
    failures: [...COMMAND, 'reauth_required'],
  }),
} as const;
