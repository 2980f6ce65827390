import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Notification } from '#contract/notifications/notices.ts';
import { MESSAGES } from '#contract/messages.ts';
import { deleteOldNotices } from '#server/features/notifications/old-notices.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { idIn, said, thePeople } from '../users/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';

let fixture: Fixture;
const NOT_FOUND = [404, 'not-found', MESSAGES.notFound];
const aNotice = (message: string, more: object = {}): object => ({
  app: 'monitoring',
  severity: 'warning',
  message,
  ...more,
});
const publish = (who: Asker, message: string, more: object = {}): Promise<Answer<Notification>> =>
  who<Notification>('POST', 'notifications/publish', aNotice(message, more));
const read = async (who: Asker, userId: string): Promise<string[]> =>
  (await who<Notification[]>('POST', 'notifications', { userId })).body.data.map(
    ({ message }) => message,
  );
const ack = (who: Asker, notificationId: string, userId: string): Promise<Answer> =>
  who('POST', 'notifications/ack', { notificationId, userId, event: null, username: 'x' });

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test("NOTE-1: a notice is for everybody, for a role, or for one user, newest first, and nobody reads another's", async () => {
    const { root, as, idOf: loadId } = await thePeople(fixture);
    const oper = await as('oper', ['operator']);
    const look = await as('look', ['read-only']);
    const [operId, lookId] = [await loadId('oper'), await loadId('look')];
    await publish(root, 'all');
    fixture.pass(1_000);
    await publish(root, 'operators', {
      roles: ['operator', 'admin'],
      link: 'https://status.example',
      copy: true,
    });
    fixture.pass(1_000);
    await publish(root, 'her', { userId: lookId });
    expect([await read(oper, operId), await read(look, lookId)]).toEqual([
      ['operators', 'all'],
      ['her', 'all'],
    ]);
    expect(said(await oper('POST', 'notifications', { userId: lookId }))).toEqual(NOT_FOUND);
    expect(said(await oper('POST', 'notifications', { userId: randomUUID() }))).toEqual(NOT_FOUND);
    expect((await oper('POST', 'notifications', {})).status).toBe(400);
  });

  test("NOTE-2: an acknowledged notice doesn't return to its reader and stays for others; nobody learns of others' notices", async () => {
    const { root, as, idOf: loadId } = await thePeople(fixture);
    const oper = await as('oper', ['operator']);
    const look = await as('look', ['read-only']);
    const [operId, lookId] = [await loadId('oper'), await loadId('look')];
    const all = idIn((await publish(root, 'all')).body.data);
    const hers = idIn((await publish(root, 'her', { userId: lookId })).body.data);
    for (const [who, notice, user] of [
      [oper, hers, operId],
      [oper, randomUUID(), operId],
      [oper, all, lookId],
      [oper, 'none', operId],
    ] as const)
      expect(said(await ack(who, notice, user))).toEqual(NOT_FOUND);
    expect([(await ack(oper, all, operId)).status, (await ack(oper, all, operId)).status]).toEqual([
      200, 200,
    ]);
    expect([await read(oper, operId), (await read(look, lookId)).toSorted()]).toEqual([
      [],
      ['all', 'her'],
    ]);
    expect(
      (await root<{ message: string; acks: number }[]>('GET', 'notifications/published')).body.data
        .map(({ message, acks }) => `${message} ${acks}`)
        .toSorted(),
    ).toEqual(['all 1', 'her 0']);
  });

  test('NOTE-5: notices are deleted 90 days after they were removed or read by their only reader, unread ones for one user after 400 days', async () => {
    const { root, as, idOf: loadId, tenant } = await thePeople(fixture);
    const oper = await as('oper', ['operator']);
    const operId = await loadId('oper');
    const made = [
      await publish(root, 'all, read'),
      await publish(root, 'all, removed'),
      await publish(root, 'hers, read', { userId: operId }),
      await publish(root, 'hers, unread', { userId: operId }),
    ].map(({ body }) => idIn(body.data));
    for (const n of [0, 2]) await ack(oper, made[n] ?? '', operId);
    await root('DELETE', `notifications/${made[1]}`);
    const { store, clock } = fixture.context;
    const findLeft = async (days: number): Promise<[notices: number[], acks: number[]]> =>
      store.tenant(tenant, async (tx) => {
        await deleteOldNotices(tx, clock.now() + days * 86_400_000);
        const [notices, acks] = [
          await tx.sql
            .selectFrom('notification')
            .select('id')
            .where('tenant_id', '=', tenant)
            .execute(),
          await tx.sql
            .selectFrom('notification_ack')
            .select('notification_id as id')
            .where('tenant_id', '=', tenant)
            .execute(),
        ].map((rows) => rows.map(({ id }) => made.indexOf(id)).toSorted((a, b) => a - b));
        return [notices ?? [], acks ?? []];
      });
    expect(await findLeft(89)).toEqual([
      [0, 1, 2, 3],
      [0, 2],
    ]);
    expect(await findLeft(91)).toEqual([[0, 3], [0]]);
    // More than a statement has parameters.
    await store.tenant(tenant, (tx) =>
      sql`insert into notification (tenant_id, id, row, made_at, ended_at)
        select one.tenant_id, md5(i::text)::uuid, one.row, one.made_at, 1 from generate_series(1, 70000) as i,
          (select tenant_id, row, made_at from notification where tenant_id = ${tenant} limit 1) as one`.execute(
        tx.sql,
      ),
    );
    expect(await findLeft(401)).toEqual([[0], [0]]);
    expect(await read(oper, operId)).toEqual([]);
  });

  test('NOTE-3: users with the admin area who see the whole provider publish and remove notices; links lead to https or this site', async () => {
    const people = await thePeople(fixture);
    const { root, as, idOf: loadId } = people;
    const other = await thePeople(fixture);
    const admin = await as('plain', ['admin', 'operator']);
    const part = await as('part', ['super-admin'], [1]);
    const id = idIn((await publish(root, 'all')).body.data);
    const rootId = await loadId('root');
    for (const who of [admin, part])
      expect([
        (await publish(who, 'x')).status,
        (await who('DELETE', `notifications/${id}`)).status,
        (await who('GET', 'notifications/published')).status,
      ]).toEqual([403, 403, 403]);
    for (const more of [
      { link: 'javascript:alert(1)' },
      { link: 'http://x.example' },
      { link: '//x.example' },
      { severity: 'loud' },
      { app: 'x' },
      { message: '' },
      { roles: ['king'] },
      { _id: id },
    ])
      expect((await publish(root, 'x', more)).status).toBe(400);
    expect(said(await publish(root, 'x', { userId: await other.idOf('root') }))).toEqual(NOT_FOUND);
    expect(said(await other.root('DELETE', `notifications/${id}`))).toEqual(NOT_FOUND);
    expect([
      (await root('DELETE', `notifications/${id}`)).status,
      (await root('DELETE', `notifications/${id}`)).status,
    ]).toEqual([200, 404]);
    expect(await read(root, rootId)).toEqual([]);
    expect((await people.recorded()).map(({ what }) => what)).toEqual(
      expect.arrayContaining(['notification.published', 'notification.ended']),
    );
  });
});
