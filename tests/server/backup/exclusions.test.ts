import { expect, test } from 'vitest';
import type { BackupRepositoryId } from '#contract/ids.ts';
import { endErasure } from '#server/engine/embedded/repositories/exclusions.ts';
import { eachDatabase } from '../db/databases.ts';
import { aSuite, makeAll } from './fixtures.ts';
import { addObject } from './objects.ts';

interface Exclusion {
  readonly _id: string;
  readonly name: string;
  readonly endedAt: number | null;
  readonly repositories: readonly { readonly state: string; readonly until: number | null }[];
}
const DAY = 86_400_000;

eachDatabase((kind, open) => {
  test(`ENG-122: an administrator excludes a person and ends it; a legal hold comes first, and the user log has who did it, without a name or reason (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const ours = await makeAll(admin, 1, 'Calloway');
    const { store, clock } = fixture.context;
    const { tenant } = office;
    await store.tenant(tenant, async (tx) => {
      const points = [clock.now() - DAY];
      await addObject(tx, ours, { n: 1, kind: 'mailbox', user: 'ann', bytes: 10, points });
      await addObject(tx, ours, { n: 2, kind: 'drive', user: 'ann', bytes: 10, points });
      await addObject(tx, ours, { n: 3, kind: 'site', user: 'ann', bytes: 10, points });
      await addObject(tx, ours, { n: 4, kind: 'mailbox', user: 'bob', bytes: 10, points });
      await addObject(tx, ours, { n: 5, kind: 'mailbox', user: 'import:x', bytes: 10, points });
    });
    const at = `o365/organizations/${ours.organization}`;
    const path = `${at}/exclusions`;
    const list = async () => (await admin<Exclusion[]>('GET', path)).body.data;
    const placing = { objectId: 'ann', reason: 'A request about a mast' };
    const refuse = async (input: object, where = path) => {
      const { body, text } = await admin('POST', where, input);
      return [body.error.kind, text];
    };
    const countStates = () =>
      store.tenant(tenant, async ({ sql }) =>
        (
          await sql
            .selectFrom('object_point')
            .select('object_n as n')
            .where('tenant_id', '=', tenant)
            .orderBy('object_n')
            .execute()
        ).map(({ n }) => n),
      );
    expect((await refuse({ ...placing, reason: ' ' }))[0]).toBe('bad-input');
    expect((await refuse({ ...placing, objectId: 'nobody' }))[0]).toBe('not-found');
    expect((await refuse({ ...placing, objectId: 'import:x' }))[0]).toBe('not-found');
    const people = await admin<{ id: string }[]>('GET', `${path}/people?search=an`);
    expect(people.body.data.map(({ id }) => id)).toContain('ann');
    expect(people.body.data.map(({ id }) => id)).not.toContain('bob');
    expect(people.body.data.map(({ id }) => id)).not.toContain('import:x');

    // A hold comes first.
    const hold = { kind: 'user', objectId: 'ann', reason: 'A lawsuit' };
    const placed = await admin<{ id: string }>('POST', `${at}/legal-holds`, hold);
    expect(await refuse(placing)).toEqual([
      'conflict',
      expect.stringContaining(
        'ann is on legal hold. Release the hold first: it protects these backups.',
      ) as string,
    ]);
    expect(await countStates()).toEqual([1, 2, 3, 4, 5]);
    await admin('POST', `${at}/legal-holds/${placed.body.data.id}/release`, { reason: 'Over' });

    const excluded = await admin<{ id: string }>('POST', path, placing);
    expect(excluded.status).toBe(200);
    // The site isn't the person's, and has the same id only here.
    expect(await countStates()).toEqual([3, 4, 5]);
    expect(await refuse(placing)).toEqual([
      'conflict',
      expect.stringContaining('ann is excluded from backups already.') as string,
    ]);
    expect(await refuse(hold, `${at}/legal-holds`)).toEqual([
      'conflict',
      expect.stringContaining(
        'ann is excluded from backups on request. End the exclusion first.',
      ) as string,
    ]);
    expect(await list()).toEqual([
      {
        _id: excluded.body.data.id,
        objectId: 'ann',
        name: 'ann',
        reason: 'A request about a mast',
        excludedBy: expect.any(String) as string,
        excludedAt: expect.any(Number) as number,
        endedAt: null,
        repositories: [
          {
            repositoryId: ours.repository,
            name: expect.any(String) as string,
            state: 'removing',
            until: null,
          },
        ],
      },
    ]);

    // The clean-ups of all repositories write down who is excluded, and who is not any more.
    const forgetCleanUps = () =>
      store.tenant(tenant, ({ sql }) =>
        sql
          .deleteFrom('background_job')
          .where('tenant_id', '=', tenant)
          .where('type', '=', 'repository-clean-up')
          .returning('key')
          .execute(),
      );
    expect(await forgetCleanUps()).toEqual([{ key: ours.repository }]);
    const end = `${path}/${excluded.body.data.id}/end`;
    expect((await refuse({ reason: '' }, end))[0]).toBe('bad-input');
    expect((await admin('POST', end, { reason: 'It is over' })).status).toBe(200);
    expect(await forgetCleanUps()).toEqual([{ key: ours.repository }]);
    expect((await admin('POST', end, { reason: 'It is over' })).status).toBe(404);
    expect(await list()).toMatchObject([
      { endedAt: expect.any(Number) as number, repositories: [{ state: 'removing' }] },
    ]);
    // What was removed doesn't come back.
    expect(await countStates()).toEqual([3, 4, 5]);
    expect(await refuse(hold, `${at}/legal-holds`)).toEqual([
      'conflict',
      expect.stringContaining(
        'Backups of ann are still being removed on request. Try again later.',
      ) as string,
    ]);

    // A clean-up has removed it: a file is locked for ten days.
    const until = clock.now() + 10 * DAY;
    const repository = ours.repository as BackupRepositoryId;
    await store.tenant(tenant, async (tx) => {
      for (const [file, removed] of [
        ['data/1', true],
        ['data/2', false],
      ] as const)
        await tx.sql
          .insertInto('repository_file')
          .values({
            tenant_id: tenant,
            repository_id: repository,
            file,
            version: '1',
            locked_until: removed ? until : until + DAY,
            removed,
          })
          .execute();
      await endErasure(tx, repository, [1, 2], clock.now());
    });
    expect(await list()).toMatchObject([{ repositories: [{ state: 'locked', until }] }]);
    fixture.pass(10 * DAY);
    const later = await office.as('later', ['o365_admin']);
    const listLater = async () => (await later<Exclusion[]>('GET', path)).body.data;
    expect(await listLater()).toMatchObject([{ repositories: [{ state: 'locked', until: null }] }]);
    await store.tenant(tenant, ({ sql }) =>
      sql.deleteFrom('repository_file').where('file', '=', 'data/1').execute(),
    );
    expect(await listLater()).toMatchObject([{ repositories: [{ state: 'removed' }] }]);
    expect((await later('POST', `${at}/legal-holds`, hold)).status).toBe(200);

    const recorded = await store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('audit')
        .select(['what', 'detail'])
        .where('tenant_id', '=', tenant)
        .where('what', 'like', 'exclusion.%')
        .orderBy('at')
        .orderBy('what')
        .execute(),
    );
    expect(recorded.map(({ what }) => what)).toEqual(['exclusion.begun', 'exclusion.ended']);
    expect(JSON.stringify(recorded)).toContain(excluded.body.data.id);
    expect(JSON.stringify(recorded)).not.toMatch(/mast|It is over/);
  });

  test(`ENG-122: excluding needs a recent sign-in and the right to manage organizations (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const ours = await makeAll(admin, 1, 'Calloway');
    await fixture.context.store.tenant(office.tenant, (tx) =>
      addObject(tx, ours, { n: 1, kind: 'drive', user: 'ann', bytes: 10, points: [1] }),
    );
    const path = `o365/organizations/${ours.organization}/exclusions`;
    const placing = { objectId: 'ann', reason: 'A request' };
    const reader = await office.as('reader', ['read-only', 'operator', 'admin']);
    expect((await reader('POST', path, placing)).status).toBe(403);
    expect((await reader('GET', path)).status).toBe(403);
    expect((await reader('GET', `${path}/people`)).status).toBe(403);
    fixture.pass(6 * 60_000);
    expect((await admin('POST', path, placing)).body.error.kind).toBe('reauth_required');
  });
});
