import { sql } from 'kysely';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { UpkeepRequest } from '#contract/engine/repositories.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { UpkeepRequests } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleUpkeep } from '#server/platform/jobs/schedule.ts';
import { isAttaching } from '../attach/attachment.ts';
import { accessMessages as t } from '../organizations/messages.en.ts';
import { failed, ok } from '../../result.ts';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import { LOOK_AGAIN_MS } from './reservation.ts';

// Clean-ups and verifications that a person asked for. They are the daily ones, at once.

/** The pause of a clean-up while others use the repository. */
export const BUSY_MS: Ms = 10 * 60_000;
/** Shorter, if somebody has requested it. */
export const getBusyPause = (isRequested: boolean): Ms => (isRequested ? LOOK_AGAIN_MS : BUSY_MS);

/** Asks for a clean-up that removes all that is not needed, also if nothing has expired. */
export const requestCleanUp = (
  context: AppContext,
  scope: EngineScope,
  repository: BackupRepositoryId,
): Promise<EngineResult<void>> =>
  request(context, scope, repository, 'repository-clean-up', (open) => ({
    cleanUp: { ...open, removedPoints: 0, freedBytes: 0 },
  }));

/** Asks for a verification that reads everything, from the beginning. */
export const requestVerification = (
  context: AppContext,
  scope: EngineScope,
  repository: BackupRepositoryId,
): Promise<EngineResult<void>> =>
  request(context, scope, repository, 'repository-verification', (open) => ({
    verification: { ...open, parts: { done: 0, total: null }, damaged: 0 },
  }));

const request = (
  { store, clock }: AppContext,
  { tenant }: EngineScope,
  repository: BackupRepositoryId,
  type: 'repository-clean-up' | 'repository-verification',
  make: (open: UpkeepRequest) => UpkeepRequests,
): Promise<EngineResult<void>> =>
  store.tenant(tenant, async (tx) => {
    const now = clock.now();
    const before = await loadUpkeepRequests(tx, repository);
    if (before === null) return failed('missing', t.noRepository);
    if (await isAttaching(tx, repository)) return failed('busy', t.attaching);
    const key = type === 'repository-clean-up' ? 'cleanUp' : 'verification';
    // A repeated request continues it.
    if (before[key]?.endedAt !== null)
      await storeRequest(tx, repository, make({ requestedAt: now, endedAt: null, message: null }));
    await scheduleUpkeep(tx, type, repository, now);
    return ok(undefined);
  });

export async function loadUpkeepRequests(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<UpkeepRequests | null> {
  const row = await db
    .selectFrom('repository_access')
    .select('requests')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .executeTakeFirst();
  return row?.requests ?? null;
}

/** Replaces one of the two; the other stays as it is. */
export const storeRequest = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  requests: UpkeepRequests,
): Promise<void> => {
  await sql`
    update repository_access set requests = requests || ${JSON.stringify(requests)}::text::jsonb
    where tenant_id = ${tenant} and repository_id = ${repository}`.execute(db);
};

/** Stores why an open request waits. */
export async function noteRequestWait(
  { store }: AppContext,
  tenant: TenantTx['tenant'],
  repository: BackupRepositoryId,
  key: keyof UpkeepRequests,
  message: string,
): Promise<void> {
  await store.tenant(tenant, async (tx) => {
    const { cleanUp, verification } = (await loadUpkeepRequests(tx, repository)) ?? {};
    if (key === 'cleanUp' && cleanUp?.endedAt === null)
      await storeRequest(tx, repository, { cleanUp: { ...cleanUp, message } });
    if (key === 'verification' && verification?.endedAt === null)
      await storeRequest(tx, repository, { verification: { ...verification, message } });
  });
}
