import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Vb365Detail } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed } from '../result.ts';
import { vb365Messages as t } from './messages.en.ts';
import { changeDetail, findRepositoryLink, type RepositoryLink } from './repository-links.ts';

/** A request that has not ended after this time never will: its requests to a server end sooner. */
export const SAVE_MS: Ms = 5 * 60_000;

/**
 * Changes a repository of a server. Of several changes at the same time, also by other
 * organizations that use it and on other Daybook servers, one continues, and the others are refused
 * as busy: a change replaces the whole repository there, so each must read what the one before has
 * written.
 */
export async function saveAlone<T>(
  context: AppContext,
  { tenant, organization }: Pick<EngineScope, 'tenant' | 'organization'>,
  repository: BackupRepositoryId,
  save: (link: RepositoryLink) => Promise<EngineResult<T>>,
): Promise<EngineResult<T>> {
  const request = context.chance.uuid();
  const saving = { request, at: context.clock.now() };
  const claimed = await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const link = await findRepositoryLink(tx, organization, repository);
    if (link === null) return failed('missing', t.unknownRepository);
    if (await isBeingSaved(tx, link, saving.at)) return failed('busy', t.savingRepository);
    await changeDetail(tx, repository, (detail) => ({ ...detail, saving }));
    return link;
  });
  if ('ok' in claimed) return claimed;
  try {
    return await save(claimed);
  } finally {
    await context.store.tenant(tenant, (tx) =>
      changeDetail(tx, repository, ({ saving: now, ...detail }) =>
        now === undefined || now.request === request ? detail : { ...detail, saving: now },
      ),
    );
  }
}

/** Organizations of a server can share a repository. */
async function isBeingSaved(
  { sql: db, tenant }: TenantTx,
  { key }: RepositoryLink,
  now: Ms,
): Promise<boolean> {
  const links = await db
    .selectFrom('vb365_object')
    .select('detail')
    .where('tenant_id', '=', tenant)
    .where('kind', '=', 'repository')
    .where('server_key', '=', key)
    .execute();
  return links.some(({ detail }) => isRunning(detail.saving, now));
}

/** A clock that was set back doesn't make one run for longer. */
const isRunning = (saving: Vb365Detail['saving'], now: Ms): boolean =>
  saving !== undefined && Math.abs(now - saving.at) < SAVE_MS;
