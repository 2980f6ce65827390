import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ensureObject } from '#server/engine/embedded/index/objects.ts';
import { makeDirectory } from '#server/engine/embedded/organizations/directory.ts';
import { loadObjectsOnHold } from '#server/engine/embedded/repositories/legal-holds.ts';
import { selectObjects } from '#server/engine/embedded/sessions/select-objects.ts';
import { eachDatabase } from '../db/databases.ts';
import { getValue, json } from './graph/fixtures.ts';
import { createRepositoryRow, makeSessionBench } from './session-bench.ts';
import { tenantGraph } from './sources/tenant.ts';

const row = (id: string, webUrl: string) => ({ id, displayName: id, webUrl });

eachDatabase((name, open) => {
  test(`ENG-121: a hold on a team is also on its site and the sites below, until it is released, also after the team is deleted (${name})`, async () => {
    const store = await open();
    const bench = await makeSessionBench(store, []);
    await createRepositoryRow(bench);
    const { tenant, repository, organization } = bench;
    const graph = tenantGraph({ people: 2, mails: 1, files: 1 });
    const sites = [
      row('host,quay,1', 'https://host/sites/quay'),
      row('host,quay,2', 'https://host/sites/quay/below'),
      row('host,dock,1', 'https://host/sites/dock'),
      row('host,slip,1', 'https://host/sites/slip'),
    ];
    const teams: Record<string, string | null> = { quays: 'host,quay,1', docks: 'host,dock,1' };
    // Nobody may read their sites, which says nothing of those of the others.
    const hidden = Array.from({ length: 9 }, (_, n) => `hidden-${n}`);
    const answer = (url: string): Response | null => {
      if (url.includes('/sites?search') || url.includes('/getAllSites'))
        return json({ value: sites });
      if (url.includes('/groups/delta'))
        return json({
          'value': ['quays', 'docks', ...hidden].map((id) => ({
            id,
            displayName: id,
            groupTypes: ['Unified'],
            resourceProvisioningOptions: ['Team'],
            ...(id in teams || hidden.includes(id) ? {} : { '@removed': { reason: 'deleted' } }),
          })),
          '@odata.deltaLink': 'https://graph.microsoft.com/v1.0/groups/delta?$deltatoken=1',
        });
      const [, team = null] = /\/groups\/([^/]+)\/sites\/root/.exec(url) ?? [];
      if (team === null) return null;
      return hidden.includes(team)
        ? json({ error: { code: 'accessDenied', message: 'Denied.' } }, { status: 403 })
        : json({ id: teams[team] });
    };
    graph.trouble = ({ url }) => answer(url);
    const select = async () => {
      const directory = makeDirectory(
        bench.ground.context,
        graph.ports,
        { tenant, organization },
        graph.call,
      );
      const job = {
        backupType: 'EntireOrganization',
        selectedItems: [],
        excludedItems: [],
      } as const;
      const objects = getValue(await selectObjects(job, directory, ['site', 'team']));
      await store.tenant(tenant, async (tx) => {
        for (const object of objects) await ensureObject(tx, { repository, organization }, object);
      });
    };
    const listOnHold = () =>
      store.tenant(tenant, async (tx) => {
        const numbers = await loadObjectsOnHold(tx, repository, 0);
        const rows = await tx.sql
          .selectFrom('backup_object')
          .select(['n', 'kind', 'directory_id as id'])
          .where('tenant_id', '=', tenant)
          .execute();
        return rows
          .flatMap(({ n, kind, id }) => (numbers.includes(n) ? [`${kind} ${id}`] : []))
          .sort();
      });
    const hold = randomUUID();
    const user = randomUUID();
    await select();
    expect(await listOnHold()).toEqual([]);
    await bench.append({
      type: 'organization.holdplaced@1',
      data: {
        id: organization,
        hold: {
          id: hold,
          kind: 'team',
          object: 'quays',
          name: 'Quays',
          reason: 'R',
          user,
          until: null,
        },
      },
    });
    const covered = ['site host,quay,1', 'site host,quay,2', 'team quays'];
    expect(await listOnHold()).toEqual(covered);
    // Only the repository knows of the team, as on a server that has attached it.
    delete teams['quays'];
    await select();
    expect(await listOnHold()).toEqual(covered);
    await store.tenant(tenant, ({ sql }) =>
      sql
        .deleteFrom('directory_object')
        .where('tenant_id', '=', tenant)
        .where('kind', '=', 'team')
        .execute(),
    );
    expect(await listOnHold()).toEqual(covered);
    await bench.append({
      type: 'organization.holdreleased@1',
      data: { id: organization, hold, user, reason: 'R' },
    });
    expect(await listOnHold()).toEqual([]);
  });
});
