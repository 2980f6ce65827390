import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eachDatabase } from '../db/databases.ts';
import { aSuite, makeAll } from './fixtures.ts';

eachDatabase((kind, open) => {
  test(`OUT-3: a command that comes twice at once reaches the engine once (${kind})`, async () => {
    const { ground: fixture, office, recording } = await aSuite(await open());
    const admin = await office.as('admin', ['o365_admin']);
    const { organization, job: id } = await makeAll(admin, 1, 'Calloway');
    const started = Promise.withResolvers<undefined>();
    const finish = Promise.withResolvers<undefined>();
    let starts = 0;
    Object.assign(recording.engine.jobs, {
      start: async () => {
        starts += 1;
        started.resolve(undefined);
        await finish.promise;
        return { ok: true, value: `session-${starts}` };
      },
    } satisfies Partial<typeof recording.engine.jobs>);
    const headers = {
      'idempotency-key': randomUUID(),
      'daybook-device': randomUUID(),
      'daybook-order': '1',
    };
    const start = () =>
      admin<object>('POST', `o365/jobs/${id}/start`, { organizationId: organization }, headers);
    const first = start();
    await started.promise;
    const second = start();
    finish.resolve(undefined);
    for (const answer of [await first, await second])
      expect(answer.body.data).toMatchObject({ sessionId: 'session-1' });
    expect((await start()).body.data).toMatchObject({ sessionId: 'session-1' });
    expect(starts).toBe(1);
    // Another server runs a command, and has crashed two minutes later.
    const key = randomUUID();
    await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .insertInto('running_command')
        .values({ tenant_id: tenant, id: key, until: fixture.context.clock.now() + 60_000 })
        .execute(),
    );
    const other = { ...headers, 'idempotency-key': key, 'daybook-order': '2' };
    const again = () =>
      admin('POST', `o365/jobs/${id}/start`, { organizationId: organization }, other);
    const refused = await again();
    expect([refused.status, refused.body.error.kind]).toEqual([503, 'busy']);
    fixture.pass(60_001);
    expect((await again()).status).toBe(200);
    expect(starts).toBe(2);
  });

  test(`OUT-3: a command of a server that died runs on another one after some seconds, that of a living one doesn't, and a clock that was wrong delays nothing (${kind})`, async () => {
    const { ground: fixture, office, recording } = await aSuite(await open());
    const { store, clock } = fixture.context;
    const admin = await office.as('admin', ['o365_admin']);
    const { organization, job: id } = await makeAll(admin, 1, 'Calloway');
    let starts = 0;
    Object.assign(recording.engine.jobs, {
      start: () => Promise.resolve({ ok: true, value: `session-${(starts += 1)}` }),
    });
    const device = randomUUID();
    const holder = randomUUID();
    const claim = async (absentSince: number | null): Promise<string> => {
      const command = randomUUID();
      await store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .insertInto('running_command')
          .values({
            tenant_id: tenant,
            id: command,
            until: clock.now() + 110_000,
            holder,
            absent_since: absentSince,
          })
          .execute(),
      );
      return command;
    };
    const send = async (command: string, order: number): Promise<number> =>
      (
        await admin(
          'POST',
          `o365/jobs/${id}/start`,
          { organizationId: organization },
          {
            'idempotency-key': command,
            'daybook-device': device,
            'daybook-order': String(order),
          },
        )
      ).status;

    // Only PostgreSQL has other servers that live.
    const living = store.announce(holder);
    await living.announced;
    const first = await claim(null);
    if (kind === 'postgres') {
      for (let tries = 0; tries < 4; tries += 1) {
        expect(await send(first, 1)).toBe(503);
        fixture.pass(6_000);
      }
    }
    await living.end();
    await expect
      .poll(async () => (await send(first, 1)) === 503 && (await isNoted(first)))
      .toBe(true);
    fixture.pass(4_000);
    expect([await send(first, 1), starts]).toEqual([503, 0]);
    fixture.pass(1_001);
    expect([await send(first, 1), starts]).toEqual([200, 1]);
    expect([await send(first, 1), starts]).toEqual([200, 1]);

    // Others saw the server missing when the clock was an hour ahead.
    const second = await claim(clock.now() + 3_600_000);
    expect(await send(second, 2)).toBe(503);
    fixture.pass(5_001);
    expect([await send(second, 2), starts]).toEqual([200, 2]);

    async function isNoted(command: string): Promise<boolean> {
      const row = await store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .selectFrom('running_command')
          .select('absent_since')
          .where('tenant_id', '=', tenant)
          .where('id', '=', command)
          .executeTakeFirst(),
      );
      return row?.absent_since === clock.now();
    }
  });

  test(`OUT-3: a server that was away releases no command that another one has taken over (${kind})`, async () => {
    const { ground: fixture, office, recording } = await aSuite(await open());
    const { store, clock } = fixture.context;
    const admin = await office.as('admin', ['o365_admin']);
    const { organization, job: id } = await makeAll(admin, 1, 'Calloway');
    const command = randomUUID();
    const other = randomUUID();
    Object.assign(recording.engine.jobs, {
      // While it runs, another server takes the command over, and it is refused for this one.
      start: async () => {
        await store.tenant(office.tenant, ({ sql, tenant }) =>
          sql
            .updateTable('running_command')
            .set({ holder: other, until: clock.now() + 110_000 })
            .where('tenant_id', '=', tenant)
            .where('id', '=', command)
            .execute(),
        );
        return { ok: false, error: { kind: 'conflict', message: 'No.' } };
      },
    });
    const sent = { 'idempotency-key': command, 'daybook-device': randomUUID() };
    await admin(
      'POST',
      `o365/jobs/${id}/start`,
      { organizationId: organization },
      { ...sent, 'daybook-order': '1' },
    );
    const rows = await store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .selectFrom('running_command')
        .select(['id', 'holder'])
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    expect(rows).toEqual([{ id: command, holder: other }]);
  });
});
