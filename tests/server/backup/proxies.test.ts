import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { APP_VERSION } from '#contract/app-version.ts';
import type { OutputOf } from '#contract/calls.ts';
import { joinProvider } from '#server/features/backup/join-proxy.ts';
import { leaseDueJobs } from '#server/platform/jobs/leases.ts';
import { claimProxyName } from '#server/platform/jobs/proxy-processes.ts';
import { eachDatabase } from '../db/databases.ts';
import { aSuite, makeAll } from './fixtures.ts';

type Proxies = OutputOf<'listProxies'>;

const listWork = (row: Proxies['rows'][number] | undefined) =>
  row?.work.map((one) => [one.kind, one.repositoryName, one.since]);

eachDatabase((kind, open) => {
  test(`PRX-7, PRX-8: administrators see what each proxy does for whom, and set its pool and maintenance; a company's users see its own alone (${kind})`, async () => {
    const { office, recording, ground: fixture } = await aSuite(await open());
    const { context } = fixture;
    const root = await office.as('root', ['o365_admin']);
    const north = await makeAll(root, 1, 'Calloway');
    recording.directory = context.chance.uuid();
    const canary = await makeAll(root, 2, 'Canary');
    await joinProvider(context, office.tenant, {
      name: 'north 1',
      pool: 'north',
      hostName: 'north.example.com',
    });
    const list = async (who = root) => (await who<Proxies>('GET', 'o365/proxies')).body.data.rows;
    const byName = async (name: string, who = root) =>
      (await list(who)).find((row) => row.name === name);
    const id = (await byName('north 1'))?.id ?? '';

    // Two jobs run: one on the server, one on the proxy.
    const lease = (name: string, owner: string) =>
      context.store.system((db) =>
        leaseDueJobs(
          db,
          owner,
          { name, hasFolder: true },
          [
            {
              type: 'repository-verification',
              free: 1,
              per_tenant: 5,
              max_wait: 1_000,
              is_routed: true,
            },
          ],
          [],
          context.clock.now(),
        ),
      );
    const queue = (repository: string, place: string) =>
      context.store.system((db) =>
        sql`insert into background_job (tenant_id, type, key, due_at, payload, repository, place)
          values (${office.tenant}, 'repository-verification', ${repository}, 0, 'null', ${repository}, ${place})
          on conflict (tenant_id, type, key) do update set place = excluded.place, repository = excluded.repository, due_at = 0`.execute(
          db,
        ),
      );
    await queue(north.repository, 'proxy north 1');
    await queue(canary.repository, 'proxy Built-in');
    const presence = context.store.announce('the owner');
    await presence.announced;
    await context.store.system((db) =>
      claimProxyName(
        db,
        {
          name: 'north 1',
          owner: 'the owner',
          host_name: 'north.example.com',
          version: '0.0.1',
          has_folder: false,
        },
        context.clock.now(),
      ),
    );
    expect((await lease('north 1', 'the owner')).jobs).toHaveLength(1);
    expect((await lease('Built-in', 'a server')).jobs).toHaveLength(1);
    const since = context.clock.now();
    const [builtIn, proxy] = await list();
    expect(builtIn).toMatchObject({ name: 'Built-in', isServer: true, state: 'online' });
    // The embedded database has no process but its server.
    expect(proxy).toMatchObject({
      name: 'north 1',
      pool: 'north',
      maintenance: false,
      hostName: 'north.example.com',
      serverVersion: APP_VERSION,
      state: kind === 'postgres' ? 'online' : 'offline',
      version: kind === 'postgres' ? '0.0.1' : APP_VERSION,
      hasFolder: false,
    });
    expect(listWork(proxy)).toEqual([['verification', 'Calloway vault', since]]);
    expect(listWork(builtIn)).toEqual([['verification', 'Canary vault', since]]);
    const cora = await office.as('cora', ['o365_admin'], [1]);
    expect((await byName('Built-in', cora))?.work).toEqual([]);
    expect((await byName('north 1', cora))?.work).toHaveLength(1);
    expect(JSON.stringify(await list(cora))).not.toMatch(/canary|example\.com/i);

    const change = (body: object, who = root) => who('PATCH', `o365/proxies/${id}`, body);
    expect((await change({ maintenance: true }, cora)).status).toBe(403);
    expect((await change({ maintenance: true })).status).toBe(200);
    expect(await byName('north 1')).toMatchObject({ maintenance: true, pool: 'north' });
    await context.store.system((db) =>
      sql`update background_job set lease_owner = null, due_at = 0, place = 'pool south'`.execute(
        db,
      ),
    );
    expect((await lease('north 1', 'the owner')).jobs).toEqual([]);
    expect((await change({ maintenance: false })).status).toBe(200);
    expect((await lease('north 1', 'the owner')).jobs).toEqual([]);
    expect((await change({ pool: 'south' })).status).toBe(200);
    expect((await lease('north 1', 'the owner')).jobs).toHaveLength(1);

    // It starts again, of another host, with the pool that was chosen here.
    await joinProvider(context, office.tenant, {
      name: 'north 1',
      pool: undefined,
      hostName: 'other.example.com',
    });
    expect(await byName('north 1')).toMatchObject({
      id,
      pool: 'south',
      hostName: 'other.example.com',
    });

    const remove = (who = root) => who('DELETE', `o365/proxies/${id}`);
    expect((await remove(cora)).status).toBe(403);
    if (kind === 'postgres') expect((await remove()).status).toBe(409);
    await presence.end();
    if (kind === 'postgres')
      await expect.poll(async () => (await byName('north 1'))?.state).toBe('offline');
    const path = `o365/repositories/${north.repository}`;
    expect((await root('PATCH', path, { proxy: { kind: 'proxy', id } })).status).toBe(200);
    const refused = await remove();
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('Calloway vault'),
    ]);
    expect((await root('PATCH', path, { proxy: null })).status).toBe(200);
    expect((await remove()).status).toBe(200);
    expect((await list()).map(({ name }) => name)).toEqual(['Built-in']);
    const first = await byName('Built-in');
    expect((await root('DELETE', `o365/proxies/${first?.id}`)).status).toBe(409);
    // What isn't there any more, or never was, is refused by its field.
    const changed = await root('PATCH', path, { proxy: { kind: 'proxy', id } });
    const created = await root('POST', 'o365/repositories', {
      organizationId: north.organization,
      repository: 'Second vault',
      retentionPolicy: 'Years3',
      proxy: { kind: 'proxy', id: '00000000-0000-4000-8000-00000000dead' },
    });
    for (const { status, body } of [changed, created])
      expect([status, body.error.issues?.map((issue) => issue.path)]).toEqual([400, ['proxy']]);
  });
});
