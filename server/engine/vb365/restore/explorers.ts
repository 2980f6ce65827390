import { type Expression, type RawBuilder, sql } from 'kysely';
import type {
  EngineResult,
  EngineScope,
  Explorer,
  ExplorerInput,
  Workload,
} from '#contract/engine/engine.ts';
import type { ExplorerId, Ms, TenantId } from '#contract/ids.ts';
import { SESSION_TYPES } from '#contract/restore/sessions.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { EXPLORER_IDLE_MS } from '../../shared/explorer-idle.ts';
import { explorerMessages } from '../../shared/explorer.messages.en.ts';
import { failed, ok } from '../../result.ts';
import type { Vb365Client } from '../client.ts';
import type { OpenedServer } from '../servers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { findServerJobId, findPoint, iso, type JobIds } from './points.ts';
import { ExploreShape } from './shapes.ts';

const [MAIL, FILES, SITES, TEAMS] = SESSION_TYPES;
const TYPES: Readonly<Record<Workload, (typeof SESSION_TYPES)[number]>> = {
  outlook: MAIL,
  onedrive: FILES,
  sharepoint: SITES,
  teams: TEAMS,
};

/** An open restore session. `key`: its id on the server. */
export interface OpenExplorer {
  readonly id: ExplorerId;
  readonly workload: Workload;
  readonly key: string;
  /** When its restore point was made. */
  readonly pointAt: Ms;
}

/**
 * Opens a restore session on the server, for the newest point at or before a moment. `makeRoom`: called
 * with the moment of that point, before.
 */
export async function openSession(
  { client, key, jobs }: Pick<OpenedServer, 'client' | 'key'> & { readonly jobs: JobIds },
  { workload, job, at, showDeleted }: ExplorerInput,
  id: ExplorerId,
  now: Ms,
  makeRoom: (pointAt: Ms) => Promise<void>,
): Promise<EngineResult<{ readonly explorer: Explorer; readonly session: string }>> {
  const point = await findPoint({ client, key }, jobs, { job, at, workload });
  if (point === null) return failed('missing', explorerMessages.noPoint);
  await makeRoom(point.at);
  const jobKey = job === null ? undefined : findServerJobId(jobs, job);
  const session = await client.command(
    {
      method: 'POST',
      path:
        jobKey === undefined
          ? `Organizations/${encodeURIComponent(key)}/explore`
          : `Jobs/${encodeURIComponent(jobKey)}/explore`,
      body: {
        dateTime: iso(point.at),
        type: TYPES[workload],
        showDeleted,
        showAllVersions: false,
      },
    },
    ExploreShape,
  );
  if (session === null) throw new SourceError('failed', t.noSessionThere({ host: client.host }));
  const explorer = { id, workload, point, endsAt: now + EXPLORER_IDLE_MS };
  return ok({ explorer, session: session.id });
}

export async function stopSession(client: Vb365Client, session: string): Promise<void> {
  try {
    await client.command({ method: 'POST', path: `RestoreSessions/${session}/Stop` }, null);
  } catch (error) {
    // One that the server has already ended is stopped.
    if (await hasEnded(client, session, error)) return;
    throw error;
  }
}

/** Whether a request failed because the server has ended its session. */
export async function hasEnded(
  client: Vb365Client,
  session: string,
  error: unknown,
): Promise<boolean> {
  return error instanceof SourceError && (error.kind === 'missing' || error.kind === 'failed')
    ? isSessionOver(client, session)
    : false;
}

export async function isSessionOver(client: Vb365Client, session: string): Promise<boolean> {
  try {
    const { state } = await client.read(`RestoreSessions/${session}`, ExploreShape);
    return state === 'Stopped';
  } catch (other) {
    if (other instanceof SourceError) return other.kind === 'missing';
    throw other;
  }
}

export async function storeExplorer(
  { sql: db, tenant }: TenantTx,
  { organization, user }: EngineScope,
  { id, workload, point }: Explorer,
  session: string,
  now: Ms,
): Promise<void> {
  if (user === null) throw new Error('Only users open explorers.');
  await db
    .insertInto('vb365_explorer')
    .values({
      tenant_id: tenant,
      id,
      organization_id: organization,
      user_id: user,
      workload,
      session_key: session,
      point_at: point.at,
      opened_at: now,
      used_at: now,
      stopped_at: null,
    })
    .execute();
}

/** Finds an explorer of the user for a read, and notes that it is used. */
export async function useExplorer(
  { sql: db, tenant }: TenantTx,
  { organization, user }: EngineScope,
  id: ExplorerId,
  now: Ms,
): Promise<EngineResult<OpenExplorer>> {
  const row = await db
    .selectFrom('vb365_explorer')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .where('user_id', '=', user)
    .executeTakeFirst();
  if (row === undefined) return failed('missing', explorerMessages.noSession);
  if (row.stopped_at !== null || now - row.used_at > EXPLORER_IDLE_MS)
    return failed('ended', explorerMessages.sessionEnded);
  // Once a minute is enough for an hour.
  if (now - row.used_at > USE_MS) await noteUse({ sql: db, tenant }, id, now);
  return ok({ id, workload: row.workload, key: row.session_key, pointAt: row.point_at });
}

/** A reading can take minutes: until it ends, its session is noted as used. */
export async function keepUsed<T>(
  { store, clock }: AppContext,
  tenant: TenantId,
  id: ExplorerId,
  work: () => Promise<T>,
): Promise<T> {
  const note = (): Promise<void> => store.tenant(tenant, (tx) => noteUse(tx, id, clock.now()));
  const startedAt = clock.now();
  let noted = Promise.resolve();
  let timer = clock.after(USE_MS, again);
  function again(): void {
    // One that fails is noted the next time.
    noted = note().catch(() => {});
    timer = clock.after(USE_MS, again);
  }
  try {
    return await work();
  } finally {
    timer.cancel();
    await noted;
    if (clock.now() - startedAt > USE_MS) await note().catch(() => {});
  }
}

const noteUse = async (
  { sql: db, tenant }: Pick<TenantTx, 'sql' | 'tenant'>,
  id: ExplorerId,
  now: Ms,
): Promise<void> =>
  void (await db
    .updateTable('vb365_explorer')
    .set({ used_at: now })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where('stopped_at', 'is', null)
    .execute());

/** `mustStop`: nothing needs its session on the server any more. */
interface Ended {
  readonly session: string;
  readonly mustStop: boolean;
}

/** Ends an explorer, and returns it. One that has ended stays ended. */
export async function endExplorer(
  tx: TenantTx,
  { organization, user }: EngineScope,
  id: ExplorerId,
  now: Ms,
): Promise<EngineResult<Ended>> {
  const { sql: db, tenant } = tx;
  const row = await db
    .selectFrom('vb365_explorer')
    .select(['session_key', 'stopped_at', isNeeded(tenant, sql`vb365_explorer.id`).as('isBusy')])
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .where('user_id', '=', user)
    .executeTakeFirst();
  if (row === undefined) return failed('missing', explorerMessages.noSession);
  const wasOpen = row.stopped_at === null;
  if (wasOpen) await storeStop(tx, id, now);
  return ok({ session: row.session_key, mustStop: wasOpen && !row.isBusy });
}

const storeStop = async ({ sql: db, tenant }: TenantTx, id: ExplorerId, now: Ms): Promise<void> =>
  void (await db
    .updateTable('vb365_explorer')
    .set({ stopped_at: now })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute());

/**
 * Stops the sessions that nobody has used for as long as a session lasts, and those that could not
 * be stopped when they ended: the server has room for few, and doesn't know. One that can't be
 * stopped now is tried again the next time. Forgets them a day later. `again`: what its user opens
 * again; its session that was left is stopped as well.
 */
export async function stopIdleSessions(
  { store, clock }: AppContext,
  { tenant, organization, user }: Pick<EngineScope, 'tenant' | 'organization' | 'user'>,
  client: Vb365Client,
  again: { readonly workload: Workload; readonly pointAt: Ms },
): Promise<void> {
  const now = clock.now();
  const isIdle = (at: Ms) =>
    sql<boolean>`(stopped_at is not null or used_at < ${at - EXPLORER_IDLE_MS}
      or (user_id = ${user} and workload = ${again.workload} and point_at = ${again.pointAt} and used_at < ${at - LEFT_MS}))`;
  const idle = await store.tenant(tenant, ({ sql: db }) =>
    db
      .selectFrom('vb365_explorer')
      .select(['id', 'session_key'])
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .where('is_open', '=', true)
      .where(isIdle(now))
      .where(isFree(tenant))
      .execute(),
  );
  for (const { id, session_key: session } of idle) {
    // While the one before was stopped, this one may have been used again.
    const isStillIdle = await store.tenant(
      tenant,
      async ({ sql: db }) =>
        (
          await db
            .updateTable('vb365_explorer')
            .set({ stopped_at: sql<Ms>`coalesce(stopped_at, ${clock.now()})` })
            .where('tenant_id', '=', tenant)
            .where('id', '=', id)
            .where('is_open', '=', true)
            .where(isIdle(clock.now()))
            .where(isFree(tenant))
            .returning('id')
            .execute()
        ).length > 0,
    );
    if (!isStillIdle) continue;
    const isStopped = await stopQuietly(client, session);
    if (isStopped) await store.tenant(tenant, (tx) => storeClosed(tx, id));
    // The others wait as long for an answer.
    if (!isStopped) break;
  }
  await store.tenant(tenant, ({ sql: db }) =>
    db
      .deleteFrom('vb365_explorer')
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .where('stopped_at', '<', now - DAY_MS)
      .where(sql<boolean>`(not is_open or stopped_at < ${now - 7 * DAY_MS})`)
      .where(isFree(tenant))
      .execute(),
  );
}

/** Stops the session that its user has left while a restore or download needed it. */
export async function releaseSession(
  { store }: AppContext,
  tenant: TenantId,
  client: Vb365Client,
  explorer: ExplorerId,
): Promise<void> {
  const left = await store.tenant(tenant, ({ sql: db }) =>
    db
      .selectFrom('vb365_explorer')
      .select('session_key')
      .where('tenant_id', '=', tenant)
      .where('id', '=', explorer)
      .where('stopped_at', 'is not', null)
      .where('is_open', '=', true)
      .where(isFree(tenant))
      .executeTakeFirst(),
  );
  if (left !== undefined && (await stopQuietly(client, left.session_key)))
    await store.tenant(tenant, (tx) => storeClosed(tx, explorer));
}

/** Returns whether the session has ended. One that could not be stopped is tried again later. */
export async function stopQuietly(client: Vb365Client, session: string): Promise<boolean> {
  try {
    await stopSession(client, session);
    return true;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return false;
  }
}

export const storeClosed = async ({ sql: db, tenant }: TenantTx, id: ExplorerId): Promise<void> =>
  void (await db
    .updateTable('vb365_explorer')
    .set({ is_open: false })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute());

const isFree = (tenant: TenantId): RawBuilder<boolean> =>
  sql<boolean>`not ${isNeeded(tenant, sql`vb365_explorer.id`)}`;

/** A restore or a download of the explorer `id` needs its session on the server. */
const isNeeded = (tenant: TenantId, id: Expression<string>): RawBuilder<boolean> =>
  sql<boolean>`(exists (
    select from engine_task as t
    where t.tenant_id = ${tenant} and t.request ->> 'kind' = 'server-restore' and t.state <> 'done'
      and t.request #>> '{input,explorer}' = (${id})::text)
  or exists (
    select from background_download as d
    where d.tenant_id = ${tenant} and d.state in ('queued', 'running')
      and d.server_request ->> 'explorer' = (${id})::text))`;

/** A use is noted once in this time. */
const USE_MS: Ms = 60_000;
/** A page that is used reads more often. It notes that once a minute. */
const LEFT_MS: Ms = 4 * 60_000;
