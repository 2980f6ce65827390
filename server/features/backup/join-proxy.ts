import { APP_VERSION } from '#contract/app-version.ts';
import type { TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { byClock } from '#server/platform/db/store.ts';
import { storeProxyMember } from '#server/platform/jobs/proxy-processes.ts';
import { listProxyRows } from './proxies.ts';

/** A process that joins. `pool` undefined: the pool doesn't change. */
export interface JoiningProxy {
  readonly name: string;
  readonly pool: string | undefined;
  readonly hostName: string;
}

/** Makes the process a proxy of the provider, or updates what changed since it was one. */
export const joinProvider = (
  context: AppContext,
  tenant: TenantId,
  { name, pool, hostName }: JoiningProxy,
): Promise<void> =>
  context.store.tenant(tenant, async (tx) => {
    const known = (await listProxyRows(tx)).find((row) => row.name === name);
    const fields = {
      name,
      pool: pool ?? known?.pool ?? null,
      maintenance: known?.maintenance ?? false,
    };
    const data = {
      id: known?.id ?? context.chance.uuid(),
      ...fields,
      hostName,
      version: APP_VERSION,
    };
    const isSame =
      known?.pool === data.pool && known.hostName === hostName && known.version === data.version;
    if (!isSame)
      await tx.append(
        [
          {
            event:
              known === undefined
                ? { type: 'backupproxy.joined@1', data }
                : { type: 'backupproxy.updated@1', data },
            company: null,
            entity: `backupproxy:${data.id}`,
          },
        ],
        byClock(context.clock.now()),
      );
    await storeProxyMember(tx, fields);
  });
