import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { StartReason } from '#contract/engine/sessions.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { MESSAGES } from '#contract/messages.ts';
import { loadStoppedCompanies } from '#server/platform/queries/stopped-backups.ts';
import { failed, ok } from '../../result.ts';
import { sessionMessages as t } from '../../shared/sessions.messages.en.ts';
import { startSession, stopSession } from './session-rows.ts';
import type { BackupJobId, BackupSessionId, PointId } from '#contract/ids.ts';

export const startJob = (
  context: AppContext,
  { tenant, organization, user }: EngineScope,
  { job, reason }: { readonly job: BackupJobId; readonly reason: StartReason },
): Promise<EngineResult<BackupSessionId>> =>
  context.store.tenant(tenant, async (tx) => {
    const row = (await tx.rows('backupJob', [job])).get(job);
    if (row?.removedAt !== null || row.organization !== organization)
      return failed('missing', t.unknownJob);
    if ((await loadStoppedCompanies(tx)).has(row.company))
      return failed('conflict', MESSAGES.backupsStopped);
    return startSession(tx, row, {
      id: context.chance.uuid() as BackupSessionId,
      point: context.chance.uuid() as PointId,
      reason,
      user,
      at: context.clock.now(),
    });
  });

export const stopJob = (
  context: AppContext,
  { tenant, organization }: EngineScope,
  { job }: { readonly job: BackupJobId },
): Promise<EngineResult<void>> =>
  context.store.tenant(tenant, async (tx) => {
    const row = (await tx.rows('backupJob', [job])).get(job);
    if (row?.organization !== organization) return failed('missing', t.unknownJob);
    const isStopping = await stopSession(tx, job, context.clock.now());
    return isStopping ? ok(undefined) : failed('conflict', t.notRunning);
  });
