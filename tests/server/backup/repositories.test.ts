import { expect, test } from 'vitest';
import { deleteDueRepositories } from '#server/features/backup/repositories.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { eachDatabase } from '../db/databases.ts';
import { aSuite, job, makeAll, repository } from './fixtures.ts';

const DAY = 86_400_000;
interface Repository {
  readonly _id: string;
  readonly retentionPolicy: string;
  readonly shortened: { retentionPolicy: string; appliesAt: number } | null;
  readonly deletesAt: number | null;
}

eachDatabase((kind, open) => {
  test(`SUITE-4: a repository needs a password typed twice, a hint without it, and a free name (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { organization: id, repository: made } = await makeAll(admin, 1, 'Calloway');
    recording.calls.length = 0;
    const wrong: readonly (readonly [string, object])[] = [
      ['repeatPassword', { repeatPassword: 'another horse' }],
      ['repeatPassword', { repeatPassword: undefined }],
      ['passwordDescription', { passwordDescription: 'CORRECT HORSE, I think' }],
      ['password', { password: 'short', repeatPassword: 'short' }],
      ['retentionPolicy', { retentionPolicy: 'Years4' }],
      ['retentionType', { retentionType: 'Forever' }],
      ['repository', { repository: ' ' }],
    ];
    for (const [path, change] of wrong) {
      const { status, body } = await admin('POST', 'o365/repositories', repository(id, change));
      expect([path, status]).toEqual([path, 400]);
      expect(body.error.issues?.map((issue) => issue.path)).toContain(path);
    }
    expect(recording.calls).toEqual([]);
    const taken = await admin(
      'POST',
      'o365/repositories',
      repository(id, { repository: 'CALLOWAY vault' }),
    );
    expect([taken.status, taken.body.message]).toEqual([409, 'This name is already in use.']);
    expect(
      (await admin('POST', 'o365/repositories/all', { organizationsIds: [id] })).body.data,
    ).toMatchObject({
      count: 1,
      rows: [
        {
          _id: made,
          organizationId: id,
          retentionType: 'SnapshotBased',
          passwordDescription: 'The usual animal',
          jobs: 1,
          usedBytes: 4_096,
        },
      ],
    });
  });

  test(`ENG-57, SUITE-4: a clean-up and a verification are requested for a repository that the user sees (${kind})`, async () => {
    const { office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { repository: id } = await makeAll(admin, 1, 'Calloway');
    recording.calls.length = 0;
    for (const path of ['clean-up', 'verify'])
      expect((await admin('POST', `o365/repositories/${id}/${path}`, {})).status).toBe(200);
    const other = await office.as('other', ['o365_admin'], [2]);
    for (const path of ['clean-up', 'verify'])
      expect((await other('POST', `o365/repositories/${id}/${path}`, {})).status).toBe(404);
    expect(recording.calls.map(({ name, input }) => [name, input])).toEqual([
      ['cleanUp', { repository: id }],
      ['verify', { repository: id }],
    ]);
    recording.failing.set('verify', { kind: 'busy', message: 'It is being attached.' });
    const busy = await admin('POST', `o365/repositories/${id}/verify`, {});
    expect([busy.status, busy.body.message]).toEqual([503, 'It is being attached.']);
  });

  test(`G73: a shorter retention needs a recent sign-in and applies after seven days; a longer one applies at once (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { repository: id } = await makeAll(admin, 1, 'Calloway');
    const read = async (): Promise<Repository | undefined> =>
      (await admin<{ rows: Repository[] }>('GET', `o365/repositories?repositoryId=${id}`)).body.data
        .rows[0];
    const choose = async (retentionPolicy: string): Promise<number> =>
      (await admin('PATCH', `o365/repositories/${id}`, { retentionPolicy })).status;
    const now = fixture.context.clock.now();
    expect(await choose('Year1')).toBe(200);
    expect(await read()).toMatchObject({
      retentionPolicy: 'Years5',
      shortened: { retentionPolicy: 'Year1', appliesAt: now + 7 * DAY },
    });
    expect(await choose('Years7')).toBe(200);
    expect(await read()).toMatchObject({ retentionPolicy: 'Years7', shortened: null });
    fixture.pass(6 * 60_000);
    expect(await choose('Keep')).toBe(200);
    const late = await admin('PATCH', `o365/repositories/${id}`, { retentionPolicy: 'Year1' });
    expect([late.status, late.body.error.kind]).toEqual([403, 'reauth_required']);
    const password = await admin('PATCH', `o365/repositories/${id}`, {
      password: 'longer horse',
      repeatPassword: 'longer horse',
    });
    expect([password.status, password.body.error.kind]).toEqual([403, 'reauth_required']);
    expect(await read()).toMatchObject({ retentionPolicy: 'Keep', shortened: null });
    const mails = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql.selectFrom('outgoing').select('id').where('tenant_id', '=', tenant).execute(),
    );
    // To the one who shortens and to the office's own administrator, once.
    expect(mails).toHaveLength(2);
  });

  test(`G73, SUITE-4, LOG-5: a repository in use is not deleted; another one is after seven days, unless somebody keeps it (${kind})`, async () => {
    const { office, ground: fixture } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { organization, repository: id, job: jobId } = await makeAll(admin, 1, 'Calloway');
    const read = async (): Promise<Repository[]> =>
      (await admin<{ rows: Repository[] }>('GET', `o365/repositories?repositoryId=${id}`)).body.data
        .rows;
    const used = await admin('DELETE', `o365/repositories/${id}`);
    expect([used.status, used.body.message]).toEqual([
      409,
      'These jobs use the repository: Calloway mail. Delete them or choose another repository.',
    ]);
    expect((await admin('DELETE', `o365/jobs/${jobId}`)).status).toBe(200);
    const due = fixture.context.clock.now() + 7 * DAY;
    const deleted = await admin('DELETE', `o365/repositories/${id}`);
    expect([deleted.status, deleted.body.data]).toEqual([200, { deletesAt: due }]);
    expect(await read()).toMatchObject([{ deletesAt: due }]);
    const chosen = await admin('POST', 'o365/jobs', job(organization, id, { name: 'Again' }));
    expect([chosen.status, chosen.body.error.issues?.[0]?.path]).toEqual([400, 'repositoryId']);
    const upkeep = (at: number): Promise<void> =>
      fixture.context.store.tenant(office.tenant, (tx) => deleteDueRepositories(tx, at));
    await upkeep(due - 1);
    expect((await admin('PATCH', `o365/repositories/${id}`, { deletesAt: null })).status).toBe(200);
    await upkeep(due + DAY);
    expect(await read()).toMatchObject([{ deletesAt: null }]);
    expect((await admin('DELETE', `o365/repositories/${id}`)).status).toBe(200);
    await upkeep(due);
    await upkeep(due);
    expect(await read()).toEqual([]);
    const { events } = await fixture.context.store.tenant(office.tenant, async (tx) => ({
      events: (await tx.eventsAfter(0, 1_000)).map(({ event }) => event.type),
    }));
    expect(events.filter((type) => type === 'backuprepository.deleted@1')).toHaveLength(1);
    expect(await rebuild(fixture.context.store, { only: [office.tenant] })).toMatchObject([
      { quarantined: 0, differences: [] },
    ]);
  });
});
