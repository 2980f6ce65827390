import { hostname } from 'node:os';
import { APP_VERSION } from '#contract/app-version.ts';
import type { BackupProxyRow, ProxyChoice } from '#contract/backup/repositories.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { NewEvent } from '#contract/events.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { badField } from '#server/platform/auth/guards.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import { FORBIDDEN, NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, Principal } from '#server/platform/http/handler.ts';
import { refusal, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import type { RoutedJobName } from '#server/platform/jobs/job-types.ts';
import { BUILT_IN } from '#server/platform/jobs/places.ts';
import {
  deleteProxyMember,
  listProxyHealth,
  listRunningJobs,
  type ProxyHealth,
  storeProxyMember,
} from '#server/platform/jobs/proxy-processes.ts';
import {
  compareByName,
  findVisibleCompany,
  findOrganization,
  findRepositoryWithOwner,
} from './lookup.ts';
import { backupMessages as t } from './messages.en.ts';

/**
 * Proxies are the provider's. Users bound to companies choose them by name, and see what they do for
 * their companies.
 */
export function proxyHandlers(
  context: AppContext,
): Pick<Handlers, 'listProxies' | 'updateProxy' | 'deleteProxy' | 'listPools'> {
  return {
    listProxies: ({ organizationId }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          if (
            organizationId !== undefined &&
            !(await findOrganization(tx, ctx.session, organizationId))
          )
            return failed(NOT_FOUND);
          const rows = await loadProxies(tx, ctx.session, context.store.kind);
          return ok({ rows, next: null, count: rows.length });
        },
        { readOnly: true },
      ),

    updateProxy: ({ id, ...changes }, ctx) =>
      runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        if (ctx.session.companies !== null) return refusal(FORBIDDEN);
        const row = await findProxy(tx, id);
        if (!row) return refusal(NOT_FOUND);
        const { name } = row;
        const { pool = row.pool, maintenance = row.maintenance } = changes;
        await storeProxyMember(tx, { name, pool, maintenance });
        await audit(tx, context, ctx, {
          what: 'backupproxy.updated',
          user: null,
          detail: { proxy: id, fields: Object.keys(changes).join(', ') },
        });
        return {
          drafts: [
            {
              event: { type: 'backupproxy.updated@1', data: { id, name, pool, maintenance } },
              company: null,
              entity: `backupproxy:${id}`,
            },
          ],
          answer: () => ok({}),
        };
      }),

    deleteProxy: ({ id }, ctx) =>
      runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        if (ctx.session.companies !== null) return refusal(FORBIDDEN);
        const row = await findProxy(tx, id);
        if (!row) return refusal(NOT_FOUND);
        if (row.name === BUILT_IN) return refusal(conflict(t.proxyIsServer));
        const health = await loadHealth(tx, context.store.kind);
        if ((health.get(row.name)?.state ?? 'offline') !== 'offline')
          return refusal(conflict(t.proxyIsOnline));
        const names = await listUsers(tx, id);
        if (names.length > 0)
          return refusal(conflict(t.proxyInUse({ names: names.slice(0, 10).join(', ') })));
        await deleteProxyMember(tx, row.name);
        await audit(tx, context, ctx, {
          what: 'backupproxy.deleted',
          user: null,
          detail: { proxy: id, name: row.name },
        });
        return {
          drafts: [
            {
              event: { type: 'backupproxy.left@1', data: { id } },
              company: null,
              entity: `backupproxy:${id}`,
            },
          ],
          answer: () => ok({}),
        };
      }),

    listPools: ({ companyId }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          if (companyId !== undefined && !(await findVisibleCompany(tx, ctx.session, companyId)))
            return ok({ rows: [], next: null, count: 0 });
          const pools = new Map<string, number>();
          for (const { pool } of await listProxyRows(tx))
            if (pool !== null) pools.set(pool, (pools.get(pool) ?? 0) + 1);
          const rows = [...pools]
            .map(([name, proxies]) => ({ id: name, name, proxies }))
            .sort(compareByName);
          return ok({ rows, next: null, count: rows.length });
        },
        { readOnly: true },
      ),
  };
}

const conflict = (message: string): Failure => ({ kind: 'conflict', message });

const findProxy = async (tx: TenantTx, id: string): Promise<BackupProxyRow | undefined> =>
  (await listProxyRows(tx)).find((row) => row.id === id);

/** The names of the repositories and backup jobs that name a proxy. */
async function listUsers(tx: TenantTx, id: string): Promise<readonly string[]> {
  const repositories = (await tx.all('backupRepository')).filter(
    ({ proxy, removedAt }) => removedAt === null && proxy?.kind === 'proxy' && proxy.id === id,
  );
  const jobs = (await tx.all('backupJob')).filter(
    ({ proxy, removedAt }) => removedAt === null && proxy === id,
  );
  return [...repositories, ...jobs].map(({ name }) => name);
}

async function loadHealth(
  tx: TenantTx,
  kind: Store['kind'],
): Promise<ReadonlyMap<string, ProxyHealth>> {
  // The embedded database has no process but its server.
  const health = kind === 'pglite' ? [] : await listProxyHealth(tx);
  return new Map(health.map((one) => [one.name, one]));
}

async function loadProxies(
  tx: TenantTx,
  session: Principal,
  kind: Store['kind'],
): Promise<OutputOf<'listProxies'>['rows']> {
  const health = await loadHealth(tx, kind);
  const running = await listRunningJobs(tx);
  const seesHosts = session.companies === null;
  const work = new Map<string, OutputOf<'listProxies'>['rows'][number]['work']>();
  for (const { name, type, repository, since } of running) {
    const found = await findRepositoryWithOwner(tx, session, repository);
    if (!found) continue;
    const one = {
      kind: WORK[type],
      organizationName: found.organization.name,
      repositoryName: found.repository.name,
      since,
    };
    work.set(name, [...(work.get(name) ?? []), one]);
  }
  return (await listProxyRows(tx)).map(({ id, name, pool, maintenance, hostName, version }) => {
    const isServer = name === BUILT_IN;
    const process = health.get(name);
    return {
      _id: id,
      id,
      name,
      pool,
      maintenance,
      hostName: seesHosts ? hostName : null,
      version: seesHosts ? (isServer ? APP_VERSION : (process?.version ?? version)) : null,
      isServer,
      state: isServer ? 'online' : (process?.state ?? 'offline'),
      lastSeenAt: process?.seen_at ?? null,
      serverVersion: APP_VERSION,
      hasFolder: isServer || process?.has_folder === true,
      work: work.get(name) ?? [],
    };
  });
}

const WORK: Readonly<
  Record<RoutedJobName, OutputOf<'listProxies'>['rows'][number]['work'][number]['kind']>
> = {
  'backup-session': 'backup',
  'restore-task': 'restore',
  'repository-clean-up': 'clean-up',
  'repository-verification': 'verification',
  'repository-attachment': 'attachment',
  'repository-deletion': 'deletion',
};

/** Returns the proxies of the provider by name. */
export const listProxyRows = async (tx: TenantTx) =>
  (await tx.all('backupProxy')).filter(({ removedAt }) => removedAt === null).sort(compareByName);

/** Returns why work can't run where a person wants it; null if it can. `prefix`: of the field's path. */
export async function proxyRefusal(
  tx: TenantTx,
  choice: ProxyChoice | undefined,
  prefix = '',
): Promise<Result<never> | null> {
  if (choice?.kind !== 'proxy') return null;
  const isThere = (await findProxy(tx, choice.id)) !== undefined;
  return isThere ? null : badField(`${prefix}proxy`, NOT_FOUND.message);
}

/** Returns the event that makes this server the provider's first proxy, if it has none. */
export async function joinServer(tx: TenantTx, { chance }: AppContext): Promise<NewEvent[]> {
  if ((await listProxyRows(tx)).some(({ name }) => name === BUILT_IN)) return [];
  const id = chance.uuid();
  return [
    {
      event: {
        type: 'backupproxy.joined@1',
        data: {
          id,
          name: BUILT_IN,
          hostName: hostname().slice(0, 200) || 'localhost',
          version: APP_VERSION,
          pool: null,
          maintenance: false,
        },
      },
      company: null,
      entity: `backupproxy:${id}`,
    },
  ];
}
