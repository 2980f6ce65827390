import { type RawBuilder, sql } from 'kysely';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';
import {
  BACKGROUND_JOB_NAMES,
  BACKGROUND_JOB_TYPES,
  type JobPayload,
  type RecurringJobName,
  type RoutedJobName,
  type BackgroundJobName,
} from './job-types.ts';
import { findRoute, type JobRoute } from './places.ts';

/**
 * Makes the provider's recurring job due at `dueAt`, if it isn't due earlier, in the caller's
 * transaction. Call it wherever rows are written that the job works on.
 */
export const scheduleRecurring = (tx: TenantTx, type: RecurringJobName, dueAt: Ms): Promise<void> =>
  schedule(tx, type, '', null, dueAt, null);

/**
 * The same for a job that isn't recurring. `key` tells jobs of this type apart; a job that exists
 * gets the payload.
 */
export const scheduleJob = <N extends Exclude<BackgroundJobName, RecurringJobName | RoutedJobName>>(
  tx: TenantTx,
  type: N,
  key: string,
  payload: JobPayload<N>,
  dueAt: Ms,
): Promise<void> => schedule(tx, type, key, payload, dueAt, null);

/** The same for work for a repository, which runs where the route says. */
export const scheduleRouted = <N extends RoutedJobName>(
  tx: TenantTx,
  type: N,
  key: string,
  payload: JobPayload<N>,
  dueAt: Ms,
  route: JobRoute,
): Promise<void> => schedule(tx, type, key, payload, dueAt, route);

/** The same for work on a repository itself. */
export const scheduleUpkeep = async (
  tx: TenantTx,
  type: Exclude<RoutedJobName, 'backup-session' | 'restore-task'>,
  repository: BackupRepositoryId,
  dueAt: Ms,
): Promise<void> =>
  scheduleRouted(tx, type, repository, { repository }, dueAt, await findRoute(tx, repository));

async function schedule(
  tx: TenantTx,
  type: BackgroundJobName,
  key: string,
  payload: unknown,
  dueAt: Ms,
  route: JobRoute | null,
): Promise<void> {
  const routed = route && {
    repository: route.repository,
    organization: route.organization,
    place: route.place,
    needs_folder: route.needsFolder,
  };
  await tx.sql
    .insertInto('background_job')
    .values({
      tenant_id: tx.tenant,
      type,
      key,
      due_at: dueAt,
      payload: JSON.stringify(payload),
      ...routed,
    })
    .onConflict((on) =>
      on.columns(['tenant_id', 'type', 'key']).doUpdateSet({
        // `least` ignores null.
        due_at: sql<Ms>`least(background_job.due_at, excluded.due_at)`,
        payload: sql`excluded.payload`,
        ...routed,
      }),
    )
    .execute();
  tx.wakeJobs(dueAt);
}

/** A condition for rows without a job: `id` is the column whose text is the key of the job. */
export const hasNoJob = (
  { tenant }: TenantTx,
  type: BackgroundJobName,
  id: string,
): RawBuilder<boolean> =>
  sql<boolean>`not exists (select from background_job as j where j.tenant_id = ${tenant} and j.type = ${type} and j.key = ${sql.ref(id)}::text)`;

const RECURRING_NAMES = BACKGROUND_JOB_NAMES.filter(
  (name) => BACKGROUND_JOB_TYPES[name].isRecurring,
);

/** Adds the recurring jobs of a new provider, due at once. */
export async function addRecurringJobs(tx: TenantTx): Promise<void> {
  await tx.sql
    .insertInto('background_job')
    .values(
      RECURRING_NAMES.map((type) => ({
        tenant_id: tx.tenant,
        type,
        key: '',
        due_at: 0,
        payload: 'null',
      })),
    )
    .onConflict((on) => on.doNothing())
    .execute();
  tx.wakeJobs(0);
}
