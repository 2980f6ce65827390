import { hostname } from 'node:os';
import { APP_VERSION } from '#contract/app-version.ts';
import type { NewEvent } from '#contract/events.ts';
import { failed, ok } from '#contract/result.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { BUILT_IN } from '#server/platform/jobs/places.ts';
import { byName, findCompany, findOrganization } from './lookup.ts';

/** Proxies are the provider's. Users bound to companies choose them by name. */
export function proxyHandlers(context: AppContext): Pick<Handlers, 'listProxies' | 'listPools'> {
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
          const seesHosts = ctx.session.companies === null;
          const rows = (await listProxyRows(tx)).map(
            ({ id, name, pool, maintenance, hostName, version }) => ({
              _id: id,
              id,
              name,
              pool,
              maintenance,
              hostName: seesHosts ? hostName : null,
              version: seesHosts ? version : null,
            }),
          );
          return ok({ rows, next: null, count: rows.length });
        },
        { readOnly: true },
      ),

    listPools: ({ companyId }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          if (companyId !== undefined && !(await findCompany(tx, ctx.session, companyId)))
            return ok({ rows: [], next: null, count: 0 });
          const pools = new Map<string, number>();
          for (const { pool } of await listProxyRows(tx))
            if (pool !== null) pools.set(pool, (pools.get(pool) ?? 0) + 1);
          const rows = [...pools]
            .map(([name, proxies]) => ({ id: name, name, proxies }))
            .sort(byName);
          return ok({ rows, next: null, count: rows.length });
        },
        { readOnly: true },
      ),
  };
}

/** Returns the proxies of the provider by name. */
export const listProxyRows = async (tx: TenantTx) =>
  (await tx.all('backupProxy')).filter(({ removedAt }) => removedAt === null).sort(byName);

export const hasProxy = async (tx: TenantTx, id: string): Promise<boolean> =>
  (await listProxyRows(tx)).some((row) => row.id === id);

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
