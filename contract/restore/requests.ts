import type { OrganizationId, TaskId, UserId } from '../ids.ts';
import { uuidSchema } from '../id-schema.ts';
import * as v from 'valibot';
import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import { LIMITS } from '../limits.ts';
import type { RowOf } from '../row.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';

const id = uuidSchema<TaskId>();
const organizationId = uuidSchema<OrganizationId>();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const ms = count;
export const reasonText = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(LIMITS.noteChars),
);
const WORKLOADS = ['outlook', 'onedrive', 'sharepoint', 'teams'] as const;
const DECISIONS = ['approved', 'rejected', 'expired', 'withdrawn'] as const;

/**
 * G71: a restore to another place, or of many items. `id`: its task. `target`: another place, by its
 * id in the cloud. `expiresAt`: until when a second person can approve it; null: it started at once.
 */
export const restoreRequested = v.strictObject({
  type: v.literal('restoretask.requested@1'),
  data: v.strictObject({
    id,
    organization: organizationId,
    user: uuidSchema<UserId>(),
    workload: v.picklist(WORKLOADS),
    target: v.nullable(v.strictObject({ organization: organizationId, object: v.string() })),
    items: count,
    reason: reasonText,
    expiresAt: v.nullable(ms),
  }),
});

/** A restore that waited for approval starts, or never does. `user` null: it has expired. */
export const restoreDecided = v.strictObject({
  type: v.literal('restoretask.decided@1'),
  data: v.strictObject({
    id,
    decision: v.picklist(DECISIONS),
    user: v.nullable(uuidSchema<UserId>()),
    reason: v.nullable(reasonText),
  }),
});

const decision = v.object({
  ...v.omit(restoreDecided.entries.data, ['id']).entries,
  at: v.number(),
});
export const RestoreRequestRowSchema = v.object({
  ...restoreRequested.entries.data.entries,
  requestedAt: v.number(),
  decision: v.nullable(decision),
});
export type RestoreRequestRow = RowOf<typeof RestoreRequestRowSchema>;
export type RestoreDecision = NonNullable<RestoreRequestRow['decision']>['decision'];

export function foldRestoreRequests(
  rows: Rows,
  { event, at }: LoggedAbout<'restoreRequest'>,
): void {
  if (event.type === 'restoretask.requested@1') {
    rows.restoreRequest?.set(event.data.id, { ...event.data, requestedAt: at, decision: null });
    return;
  }
  const { id: task, ...decided } = event.data;
  const row = rows.restoreRequest?.get(task);
  if (row) rows.restoreRequest?.set(task, { ...row, decision: { ...decided, at } });
}

export const touchesRestoreRequests = ({
  data,
}: EventOf<EventsAbout<'restoreRequest'>>): Touch[] => [['restoreRequest', data.id]];
