import type { EngineErrorKind } from '#contract/engine/engine.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { GraphPorts } from '../graph/request.ts';
import { directoryClient, readGroupSite } from '../sources/directory.ts';
import type { SourceCall } from '../types.ts';
import type { DirectoryScope } from './directory-store.ts';

/** Whether an error says something of one team only. */
const isOfOneTeam = (kind: EngineErrorKind): boolean => kind === 'forbidden' || kind === 'invalid';

/** Requests at the same time. */
const CONCURRENCY = 8;

/**
 * Stores the site of each team that has none stored, so that a legal hold on the team is on its site too
 * (ENG-121), also when both have been deleted since. What can't be read now is read next time.
 */
export async function findTeamSites(
  { store, log }: Pick<AppContext, 'store' | 'log'>,
  ports: GraphPorts,
  { tenant, organization }: DirectoryScope,
  call: SourceCall,
): Promise<void> {
  const teams = await store.tenant(
    tenant,
    ({ sql: db }) =>
      db
        .selectFrom('directory_object')
        .select('id')
        .where('tenant_id', '=', tenant)
        .where('organization_id', '=', organization)
        .where('kind', '=', 'team')
        .where('site_id', 'is', null)
        .where('deleted_at', 'is', null)
        .orderBy('id')
        .execute(),
    { readOnly: true },
  );
  for (let first = 0; first < teams.length; first += CONCURRENCY) {
    if (call.signal.aborted) return;
    const found = await Promise.all(
      teams.slice(first, first + CONCURRENCY).map(async ({ id }) => ({
        id,
        site: await readGroupSite(directoryClient(ports, call), id),
      })),
    );
    await store.tenant(tenant, async ({ sql: db }) => {
      for (const { id, site } of found)
        if (site.ok && site.value !== null)
          await db
            .updateTable('directory_object')
            .set({ site_id: site.value })
            .where('tenant_id', '=', tenant)
            .where('organization_id', '=', organization)
            .where('kind', '=', 'team')
            .where('id', '=', id)
            .execute();
    });
    for (const { id, site } of found)
      if (!site.ok)
        log.warn('the site of a team could not be found', {
          tenant,
          organization,
          team: id,
          error: site.error.message,
        });
    // The next requests would fail, too.
    if (found.some(({ site }) => !site.ok && !isOfOneTeam(site.error.kind))) return;
  }
}
