import * as v from 'valibot';
import { storedIdSchema, uuidSchema } from '../id-schema.ts';
import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import type { BackupJobId, ExplorerId, OrganizationId, UserId } from '../ids.ts';
import type { RowOf } from '../row.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';

/** Exchange, OneDrive, SharePoint, Teams. */
export const SESSION_TYPES = ['Vex', 'Veod', 'Vesp', 'Vet'] as const;

const userId = uuidSchema<UserId>();
const explorerId = uuidSchema<ExplorerId>();
const organizationId = uuidSchema<OrganizationId>();
const jobId = uuidSchema<BackupJobId>();
const ms = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/**
 * A user browses backups of an organization as of `pointAt`. `id`: the user. `job` null: the points
 * of all jobs.
 */
export const restoreSessionOpened = v.strictObject({
  type: v.literal('restoresession.opened@1'),
  data: v.strictObject({
    id: userId,
    session: explorerId,
    organization: organizationId,
    job: v.nullable(jobId),
    sessionType: v.picklist(SESSION_TYPES),
    pointAt: ms,
    showDeleted: v.boolean(),
  }),
});

/** `id`: the user. */
export const restoreSessionStopped = v.strictObject({
  type: v.literal('restoresession.stopped@1'),
  data: v.strictObject({ id: userId, session: explorerId }),
});

const storedExplorerId = storedIdSchema<ExplorerId>();
const storedUserId = storedIdSchema<UserId>();
const storedOrganizationId = storedIdSchema<OrganizationId>();
const storedJobId = storedIdSchema<BackupJobId>();

export const RestoreSessionRowSchema = v.object({
  id: storedExplorerId,
  user: storedUserId,
  organization: storedOrganizationId,
  job: v.nullable(storedJobId),
  sessionType: v.picklist(SESSION_TYPES),
  pointAt: v.number(),
  showDeleted: v.boolean(),
  openedAt: v.number(),
  /** When it was stopped. */
  removedAt: v.nullable(v.number()),
});
export type RestoreSessionRow = RowOf<typeof RestoreSessionRowSchema>;

export function foldRestoreSessions(
  rows: Rows,
  { event, at }: LoggedAbout<'restoreSession'>,
): void {
  switch (event.type) {
    case 'restoresession.opened@1': {
      const { id: user, session, ...fields } = event.data;
      rows.restoreSession?.set(session, {
        ...fields,
        id: session,
        user,
        openedAt: at,
        removedAt: null,
      });
      return;
    }
    case 'restoresession.stopped@1': {
      const session = rows.restoreSession?.get(event.data.session);
      if (session) rows.restoreSession?.set(session.id, { ...session, removedAt: at });
      return;
    }
    default:
      event satisfies never;
  }
}

export const touchesRestoreSessions = ({
  data,
}: EventOf<EventsAbout<'restoreSession'>>): Touch[] => [['restoreSession', data.session]];
