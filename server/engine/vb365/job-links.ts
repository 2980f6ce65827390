import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { isSameName } from '#contract/backup/same-name.ts';
import type { EngineScope } from '#contract/engine/engine.ts';
import type { BackupJobId, BackupRepositoryId, Ms, OrganizationId, UserId } from '#contract/ids.ts';
import type { NewVb365Job } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Sighting } from './server-clock.ts';

// Which job of a server is which of ours. While a job is being created, its row has a claim instead
// of a key: a request whose answer was lost finds its job by the name.

const CLAIM = 'new:';
/** What stands for the key of what is being created. */
export const getClaimKey = (id: string): string => `${CLAIM}${id}`;

export const isClaim = (key: string): boolean => key.startsWith(CLAIM);

/** A request that has not ended after this time never will. */
const OPEN_MS: Ms = 2 * 60_000;
/**
 * How long a request whose answer was lost can be repeated. After that, a job of the same name is more
 * likely someone else's.
 */
export const CLAIM_MS: Ms = 60 * 60_000;

/** `sent`: the fingerprint of what an earlier request has sent; null: nothing. */
export interface Claim {
  readonly id: BackupJobId;
  readonly isRepeated: boolean;
  readonly sent: string | null;
}

/** Whether a request that creates a job or repository can still be running. */
export const isCreating = (
  creating: Pick<NewVb365Job, 'isLost'> | undefined,
  at: Ms,
  now: Ms,
): boolean => creating !== undefined && !creating.isLost && at > now - OPEN_MS;

/**
 * Returns the id for a new job; that of an earlier request by the same user if its answer was lost.
 * Null: a request for a job of this name is still running.
 */
export async function claimJob(
  tx: TenantTx,
  { organization, user }: Pick<EngineScope, 'organization' | 'user'>,
  id: BackupJobId,
  creating: NewVb365Job,
  now: Ms,
): Promise<Claim | null> {
  const { name } = creating;
  await tx.lock();
  const { sql: db, tenant } = tx;
  const links = await db
    .selectFrom('vb365_object')
    .select(['id', 'detail', 'commanded_at'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('kind', '=', 'job')
    .execute();
  const same = links.filter(
    ({ detail }) => detail.creating !== undefined && isSameName(detail.creating.name, name),
  );
  // A job that has a row was created, whatever it is called now.
  const rows = await tx.rows(
    'backupJob',
    same.map((one) => one.id),
  );
  const open = same.filter((one) => !rows.has(one.id as BackupJobId));
  if (open.some(({ detail, commanded_at: at }) => isCreating(detail.creating, at, now)))
    return null;
  const earlier = open.find(
    (one) => one.detail.creating?.user === user && one.commanded_at > now - CLAIM_MS,
  );
  if (earlier !== undefined) {
    // Of two identical requests, one continues.
    const sent = earlier.detail.creating?.sent;
    const again = { ...creating, ...(sent !== undefined && { sent }) };
    await db
      .updateTable('vb365_object')
      .set({ detail: JSON.stringify({ creating: again }), commanded_at: now })
      .where('tenant_id', '=', tenant)
      .where('id', '=', earlier.id)
      .execute();
    return { id: earlier.id as BackupJobId, isRepeated: true, sent: sent ?? null };
  }
  await db
    .insertInto('vb365_object')
    .values({
      tenant_id: tenant,
      organization_id: organization,
      kind: 'job',
      id,
      server_key: getClaimKey(id),
      detail: JSON.stringify({ creating }),
      commanded_at: now,
    })
    .execute();
  return { id, isRepeated: false, sent: null };
}

/** The answer of the server was lost: the request can be repeated. */
export const markLost = (tx: TenantTx, id: BackupJobId): Promise<void> =>
  updateClaim(tx, id, { isLost: true });

/** Stores what is sent, to distinguish the job from others of its name. */
export const markSent = (tx: TenantTx, id: BackupJobId, sent: string): Promise<void> =>
  updateClaim(tx, id, { sent });

async function updateClaim(
  { sql: db, tenant }: TenantTx,
  id: BackupJobId,
  change: Partial<NewVb365Job>,
): Promise<void> {
  const known = await db
    .selectFrom('vb365_object')
    .select('detail')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  if (known?.detail.creating === undefined) return;
  await db
    .updateTable('vb365_object')
    .set({ detail: JSON.stringify({ creating: { ...known.detail.creating, ...change } }) })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}

/** The name is free again. Does nothing once the job or repository is linked. */
export async function forgetClaim(
  { sql: db, tenant }: TenantTx,
  id: BackupJobId | BackupRepositoryId,
): Promise<void> {
  await db
    .deleteFrom('vb365_object')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where('server_key', '=', getClaimKey(id))
    .execute();
}

/** Whether a job of the server is one of ours already. */
export const isLinked = async (
  { sql: db, tenant }: TenantTx,
  { organization }: Pick<EngineScope, 'organization'>,
  jobKey: string,
): Promise<boolean> =>
  (await db
    .selectFrom('vb365_object')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('kind', '=', 'job')
    .where('server_key', '=', jobKey)
    .executeTakeFirst()) !== undefined;

/** Stores which job of the server a job is, and that what was read of it before is out of date. */
export async function linkJob(
  { sql: db, tenant }: TenantTx,
  { organization }: Pick<EngineScope, 'organization'>,
  {
    id,
    jobKey,
    at,
  }: {
    readonly id: BackupJobId;
    readonly jobKey: string;
    readonly at: Ms;
  },
): Promise<void> {
  const known = await db
    .selectFrom('vb365_object')
    .select('detail')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  // Without a version, its items are read the next time.
  const { version: _version, ...detail } = known?.detail ?? {};
  await db
    .updateTable('vb365_object')
    .set({ server_key: jobKey, detail: JSON.stringify(detail), commanded_at: at })
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

/** What was read of a job or repository before this moment is out of date. */
export async function markCommand(
  { sql: db, tenant }: TenantTx,
  id: BackupJobId | BackupRepositoryId,
  at: Ms,
): Promise<void> {
  await db
    .updateTable('vb365_object')
    .set({ commanded_at: at })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}

/** Returns what the jobs of an organization showed last of their server's clock, by their ids there. */
export const loadSightings = async (
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
): Promise<ReadonlyMap<string, { readonly id: BackupJobId; readonly sighting: Sighting }>> =>
  new Map(
    (
      await db
        .selectFrom('vb365_object')
        .select(['id', 'server_key', 'detail'])
        .where('tenant_id', '=', tenant)
        .where('organization_id', '=', organization)
        .where('kind', '=', 'job')
        .execute()
    ).flatMap(({ id, server_key: key, detail: { clock } }) =>
      clock === undefined ? [] : [[key, { id: id as BackupJobId, sighting: clock }]],
    ),
  );

/** Returns the jobs that have to be started, and who requested it. */
export const loadStarts = async (
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
): Promise<readonly { readonly id: BackupJobId; readonly user: UserId | null }[]> =>
  (
    await db
      .selectFrom('vb365_object')
      .select(['id', 'detail'])
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .where('kind', '=', 'job')
      .execute()
  ).flatMap(({ id, detail: { runNow } }) =>
    runNow === undefined
      ? []
      : [{ id: id as BackupJobId, user: runNow === 'nobody' ? null : runNow }],
  );

export async function forgetStart({ sql: db, tenant }: TenantTx, id: BackupJobId): Promise<void> {
  const known = await db
    .selectFrom('vb365_object')
    .select('detail')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  const { runNow: _started, ...detail } = known?.detail ?? {};
  await db
    .updateTable('vb365_object')
    .set({ detail: JSON.stringify(detail) })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}

/** Null: the organization has no such job, or its server doesn't. */
export async function findJobKey(
  tx: TenantTx,
  organization: OrganizationId,
  id: BackupJobId,
): Promise<{ readonly row: BackupJobRow; readonly jobKey: string } | null> {
  const row = (await tx.rows('backupJob', [id])).get(id);
  if (row?.removedAt !== null || row.organization !== organization) return null;
  const jobKey = await findKey(tx, organization, id);
  return jobKey === null || isClaim(jobKey) ? null : { row, jobKey };
}

/** Returns the id of a repository on the server; null if the organization has no such repository. */
export const findRepositoryKey = (
  tx: TenantTx,
  organization: OrganizationId,
  id: BackupRepositoryId,
): Promise<string | null> => findKey(tx, organization, id);

const findKey = async (
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  id: BackupJobId | BackupRepositoryId,
): Promise<string | null> =>
  (
    await db
      .selectFrom('vb365_object')
      .select('server_key')
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .where('id', '=', id)
      .executeTakeFirst()
  )?.server_key ?? null;
