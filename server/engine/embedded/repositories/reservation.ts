import { sql } from 'kysely';
import type { BackupRepositoryId, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { RepositoryUpkeep } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

// A clean-up needs a repository alone for a while, and sessions follow each other without a gap. One that
// found it in use reserves it: sessions that run come to their end, and others wait for the clean-up.

/** While a clean-up waits, it looks again, and so do those that wait for it. */
export const LOOK_AGAIN_MS: Ms = 20_000;
/** A reservation that isn't renewed expires, such as after a crash. */
const LEASE_MS: Ms = 2 * 60_000;
const RENEW_MS: Ms = 30_000;
/** Sessions that run longer pause for the clean-up. */
const GRACE_MS: Ms = 15 * 60_000;
/**
 * If the clean-up is still waiting by then, something else uses the repository, and backups come first
 * again. Locks of crashed processes expire earlier.
 */
const MAX_MS: Ms = 45 * 60_000;
/** After that, the repository isn't reserved for this long. */
const REST_MS: Ms = 3 * 60 * 60_000;

type Reserved = NonNullable<RepositoryUpkeep['reserved']>;

/** The reservation of a repository by a run of its clean-up. */
export interface Reservation {
  /** Renews one that was made before, until `end`. */
  goOn(): void;
  /** Reserves the repository until the next look. Returns when that is due; null: not soon. */
  wait(): Promise<Ms | null>;
  /** Ends it, unless the clean-up waits. */
  end(): Promise<void>;
}

export function makeReservation(
  { store, clock }: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  run: string,
): Reservation {
  let timer: { cancel(): void } | null = null;
  let renewing: Promise<unknown> = Promise.resolve();
  let isWaiting = false;
  const reserve = (): Promise<boolean> =>
    store.tenant(tenant, (tx) => reserveRepository(tx, repository, run, clock.now()));
  function renewLater(): void {
    timer = clock.after(RENEW_MS, () => {
      // Without the database, it expires.
      renewing = reserve().catch(() => undefined);
      renewLater();
    });
  }
  return {
    goOn: renewLater,
    async wait() {
      isWaiting = true;
      return (await reserve()) ? clock.now() + LOOK_AGAIN_MS : null;
    },
    async end() {
      timer?.cancel();
      await renewing;
      if (!isWaiting && timer !== null)
        await store.tenant(tenant, (tx) => endReservation(tx, repository, run));
    },
  };
}

/** Returns whether the repository is reserved now. Another run of the clean-up takes it over. */
async function reserveRepository(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  run: string,
  now: Ms,
): Promise<boolean> {
  const { rows } = await sql<{ readonly reserved: Reserved | null }>`
    select upkeep -> 'reserved' as reserved from repository_access
    where tenant_id = ${tenant} and repository_id = ${repository} and upkeep ->> 'run' = ${run}
    for update`.execute(db);
  const [row] = rows;
  if (row === undefined) return false;
  const before = row.reserved?.since ?? now;
  const since = before > now || now - before >= MAX_MS + REST_MS ? now : before;
  const reserved = { since, until: Math.min(now + LEASE_MS, since + MAX_MS) };
  await sql`
    update repository_access set upkeep = upkeep || ${JSON.stringify({ reserved })}::text::jsonb
    where tenant_id = ${tenant} and repository_id = ${repository}`.execute(db);
  return isActive(reserved, now);
}

/** Leaves `since`, so that a clean-up that fails each time doesn't delay backups each time. */
const endReservation = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  run: string,
): Promise<void> => {
  await sql`
    update repository_access set upkeep = jsonb_set(upkeep, '{reserved,until}', '0')
    where tenant_id = ${tenant} and repository_id = ${repository} and upkeep ->> 'run' = ${run} and upkeep ? 'reserved'`.execute(
    db,
  );
};

/** A reservation that ends later than any made now could was written by a wrong clock (G13). */
const isActive = ({ until }: Reserved, now: Ms): boolean => until > now && until <= now + LEASE_MS;

/** Whether sessions and verifications that begin now have to wait for a clean-up. */
export const isReserved = async (
  tx: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<boolean> => (await findReservation(tx, repository, now)) !== null;

/** Whether a clean-up has waited so long that sessions pause for it. */
export async function isOverdue(
  tx: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<boolean> {
  const reserved = await findReservation(tx, repository, now);
  return reserved !== null && now - reserved.since >= GRACE_MS;
}

async function findReservation(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<Reserved | null> {
  const { rows } = await sql<{ readonly reserved: Reserved | null }>`
    select upkeep -> 'reserved' as reserved from repository_access
    where tenant_id = ${tenant} and repository_id = ${repository}`.execute(db);
  const reserved = rows[0]?.reserved ?? null;
  return reserved !== null && isActive(reserved, now) ? reserved : null;
}
