import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import { SESSION_RESULTS } from '../backup/jobs.ts';
import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import type { OrganizationId, TaskId, UserId } from '../ids.ts';
import type { RowOf } from '../row.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';

const taskId = uuidSchema<TaskId>();
const organizationId = uuidSchema<OrganizationId>();
const userId = uuidSchema<UserId>();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const counts = v.strictObject({ restored: count, merged: count, skipped: count, failed: count });
const KINDS = ['restore', 'undo'] as const;

/**
 * A restore, or the undo of one, has ended; dry runs aren't logged. `user`: who requested it.
 * `restore`: what an undo undid. `counts`: how its items ended. `bytes`: those of the items that it
 * worked on.
 */
export const restoreTaskEnded = v.strictObject({
  type: v.literal('restoretask.ended@1'),
  data: v.strictObject({
    id: taskId,
    organization: organizationId,
    user: v.nullable(userId),
    kind: v.picklist(KINDS),
    restore: v.nullable(taskId),
    result: v.picklist(SESSION_RESULTS),
    counts,
    bytes: count,
  }),
});

export const RestoreTaskRowSchema = v.object({
  ...restoreTaskEnded.entries.data.entries,
  endedAt: v.number(),
});
export type RestoreTaskRow = RowOf<typeof RestoreTaskRowSchema>;

export function foldRestoreTasks(rows: Rows, { event, at }: LoggedAbout<'restoreTask'>): void {
  rows.restoreTask?.set(event.data.id, { ...event.data, endedAt: at });
}

export const touchesRestoreTasks = ({ data }: EventOf<EventsAbout<'restoreTask'>>): Touch[] => [
  ['restoreTask', data.id],
];
