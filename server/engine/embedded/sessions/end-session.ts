import type { EngineResult } from '#contract/engine/engine.ts';
import type { SessionResult } from '#contract/engine/sessions.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import type { Repository } from '../restic/repository.ts';
import { sessionMessages as t } from '../../shared/sessions.messages.en.ts';
import { scheduleRenewal } from '../repositories/renew-locks.ts';
import { storeSize } from '../repositories/repositories.ts';
import { loadPointObjects, type PointFacts, saveRestorePoint } from './restore-point.ts';
import type { RunningSession, SessionState } from './run-session.ts';
import { cancelWork, countWork, type WorkCounts } from './work.ts';
import type { BackupSessionId, PointId } from '#contract/ids.ts';
import { done } from '../../result.ts';

interface Ending {
  /** Null: nothing can be written. */
  readonly repository: Repository | null;
  /** Why the session as a whole failed. */
  readonly error: string | null;
  /** Another process may have made the snapshot. */
  readonly mayExist: boolean;
}

/**
 * Ends a session: the snapshot, then the restore point with the end of the session in one transaction
 * (ENG-2). The point has the objects that were read; the others are what it lacks.
 */
export async function endBackupSession(
  session: RunningSession,
  state: SessionState,
  { repository, error, mayExist }: Ending,
): Promise<EngineResult<void>> {
  const { context, tenant, id, point } = session;
  const { objects, outcome } = await context.store.tenant(
    tenant,
    async (tx) => ({
      objects: await loadPointObjects(tx, point),
      outcome: await loadOutcome(tx, session),
    }),
    { readOnly: true },
  );
  let snapshot: string | null = null;
  if (repository !== null && objects.length > 0) {
    const saved = await saveRestorePoint(
      repository,
      {
        point,
        session: id,
        job: state.job.id,
        organization: state.job.organization,
        directory: state.directory,
        at: session.pointAt,
        ...outcome,
      },
      objects,
      mayExist,
    );
    if (!saved.ok) return saved;
    snapshot = saved.value;
  }
  const measured = await repository?.measure();
  await context.store.tenant(tenant, async (tx) => {
    if (error !== null) await cancelWork(tx, id);
    // A person without a mailbox or drive lacks nothing, unless the session found nobody else.
    const isEmpty = error === null && objects.length === 0;
    if (isEmpty) await warnOfAbsent(tx, id);
    const counts = await countWork(tx, id, context.clock.now());
    const ended = await tx.sql
      .updateTable('backup_session')
      .set({
        state: 'done',
        ended_at: context.clock.now(),
        ...getOutcome(counts, { isStopped: state.state === 'stopping', isEmpty, error }),
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('state', '<>', 'done')
      .returning(['result', 'message'])
      .executeTakeFirst();
    if (ended === undefined) return;
    const { result, message } = ended;
    if (snapshot === null) await deletePoint(tx, point);
    else {
      await completePoint(tx, point, snapshot, outcome);
      await scheduleRenewal(tx, state.job.repository, session, context.clock.now());
    }
    if (measured?.ok === true) await storeSize(tx, state.job.repository, measured.value);
    if (message !== null) await session.log(tx, result === 'failed' ? 'error' : 'warning', message);
    await scheduleRecurring(tx, 'backup-schedule', context.clock.now());
    await tx.append(
      [
        {
          company: state.job.company,
          entity: `backupjob:${state.job.id}`,
          event: {
            type: 'backupsession.ended@1',
            data: {
              id,
              job: state.job.id,
              result: result ?? 'failed',
              counts: {
                objects: counts.total,
                succeeded: counts.succeeded,
                warned: counts.warned,
                failed: counts.failed,
              },
              bytesRead: counts.bytes,
              bytesStored: state.storedBytes,
              point: snapshot === null ? null : point,
              message,
            },
          },
        },
      ],
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: context.clock.now() },
    );
  });
  return done;
}

function getOutcome(
  { total, warned, failed }: WorkCounts,
  {
    isStopped,
    isEmpty,
    error,
  }: { readonly isStopped: boolean; readonly isEmpty: boolean; readonly error: string | null },
): { readonly result: SessionResult; readonly message: string | null } {
  if (error !== null) return { result: 'failed', message: error };
  if (isStopped) return { result: 'cancelled', message: t.stopped };
  if (total === 0) return { result: 'warning', message: t.nothing };
  if (failed === total) return { result: 'failed', message: t.allFailed };
  if (isEmpty && warned > 0) return { result: 'warning', message: t.allFailed };
  if (failed > 0) return { result: 'warning', message: t.someFailed({ failed, total }) };
  if (warned > 0) return { result: 'warning', message: t.someWarned({ warned, total }) };
  return { result: 'success', message: null };
}

/** Objects that the tenant doesn't have say so themselves. */
const warnOfAbsent = ({ sql: db, tenant }: TenantTx, session: BackupSessionId) =>
  db
    .updateTable('backup_work')
    .set({ state: 'warning' })
    .where('tenant_id', '=', tenant)
    .where('session_id', '=', session)
    .where('state', '=', 'success')
    .where('message', '<>', t.excluded)
    .execute();

const deletePoint = ({ sql: db, tenant }: TenantTx, point: PointId) =>
  db.deleteFrom('restore_point').where('tenant_id', '=', tenant).where('id', '=', point).execute();

/** What a point of a session is like when all of its work has ended. */
type Outcome = Pick<PointFacts, 'result' | 'changes' | 'lacks'>;

async function loadOutcome(
  { sql: db, tenant }: TenantTx,
  { id, point }: RunningSession,
): Promise<Outcome> {
  const { changes } = (await db
    .selectFrom('restore_point')
    .select('changes')
    .where('tenant_id', '=', tenant)
    .where('id', '=', point)
    .executeTakeFirst()) ?? { changes: 0 };
  const incomplete = await db
    .selectFrom('backup_work as w')
    .innerJoin('backup_object as o', (join) =>
      join.onRef('o.tenant_id', '=', 'w.tenant_id').onRef('o.n', '=', 'w.object_n'),
    )
    .select(['o.name', 'w.state'])
    .where('w.tenant_id', '=', tenant)
    .where('w.session_id', '=', id)
    // What a session that failed as a whole had not read yet is lacking, too.
    .where('w.state', '<>', 'success')
    .orderBy('w.object_n')
    .execute();
  return {
    result: incomplete.length === 0 ? 'success' : 'warning',
    changes,
    lacks: incomplete
      .filter(({ state }) => state !== 'warning')
      .slice(0, MAX_LACKING)
      .map(({ name }) => name),
  };
}
const MAX_LACKING = 100;

async function completePoint(
  { sql: db, tenant }: TenantTx,
  point: PointId,
  snapshot: string,
  { result, lacks }: Outcome,
): Promise<void> {
  await db
    .updateTable('restore_point')
    .set({ snapshot, complete: true, result, lacks: JSON.stringify(lacks) })
    .where('tenant_id', '=', tenant)
    .where('id', '=', point)
    .execute();
}
