import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { WAITS } from '#server/features/notifications/deliver.ts';
import { pollFacts } from '#server/features/notifications/poll.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE, outside } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { fails, loadMails } from './fixtures.ts';
import { history, HOOKS, listed, made, webhooksOn } from './webhook-fixtures.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let fixture: Fixture;
const { begin, hasty, now, turn, verified } = webhooksOn(() => fixture);

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  test('NOTIFY-4: a 500 and a timeout are retried after growing pauses, under one ID, until it gives up', async () => {
    const { office, ada } = await begin();
    let status: number | null = 500;
    const receiver = await outside(() =>
      status === null
        ? { silent: true }
        : { status, headers: status === 503 ? { 'retry-after': '600' } : {} },
    );
    const { _id: id, secret } = await made(ada, receiver.url);
    await fails(fixture, office, 1, 'Files');
    await turn(office);
    expect(await history(ada, id)).toMatchObject([
      {
        state: 'waiting',
        tries: 1,
        code: 500,
        error: 'The address responded with status 500.',
        nextAt: now() + (WAITS[0] ?? 0),
      },
    ]);
    // What comes meanwhile waits behind it, in its order.
    fixture.pass(1);
    await fails(fixture, office, 1, 'Mail');
    await turn(office);
    expect(receiver.asked).toHaveLength(2);
    await turn(office);
    expect(receiver.asked).toHaveLength(2);
    fixture.pass(WAITS[0] ?? 0);
    status = null;
    await turn(office, hasty());
    expect((await history(ada, id)).find(({ body }) => body.includes('"Files"'))).toMatchObject({
      state: 'waiting',
      tries: 2,
      code: null,
      error: "127.0.0.1 didn't respond in time.",
    });
    // It says itself when.
    status = 503;
    fixture.pass(WAITS[1] ?? 0);
    await turn(office);
    expect(Math.max(...(await history(ada, id)).map(({ nextAt }) => nextAt ?? 0))).toBe(
      now() + 600_000,
    );
    status = 200;
    fixture.pass(HOUR);
    await turn(office);
    expect((await history(ada, id)).map(({ state }) => state)).toEqual(['sent', 'sent']);
    const ids = receiver.asked
      .filter(({ body }) => body.includes('"Files"'))
      .map(({ headers }) => headers['webhook-id']);
    expect([new Set(ids).size, ids.length >= 3, (await listed(ada))[0]?.failingSince]).toEqual([
      1,
      true,
      null,
    ]);
    expect(
      receiver.asked.at(-1) &&
        verified(receiver.asked.at(-1) ?? { method: '', path: '', headers: {}, body: '' }, secret),
    ).toBe(true);
    // To the end: given up, and sent once more at will.
    status = 500;
    await fails(fixture, office, 1, 'Web');
    await turn(office);
    for (const wait of WAITS) {
      fixture.pass(wait);
      await turn(office);
    }
    const delivery = (await history(ada, id)).find(({ body }) => body.includes('"Web"'));
    const { _id: lost } = delivery ?? { _id: '' };
    expect(delivery).toMatchObject({ state: 'failed', tries: WAITS.length + 1, nextAt: null });
    status = 200;
    expect((await ada('POST', `${HOOKS}/${id}/deliveries/${lost}/again`, {})).status).toBe(200);
    await turn(office);
    expect((await history(ada, id)).find(({ _id }) => _id === lost)).toMatchObject({
      state: 'sent',
      tries: 1,
      code: 200,
    });
  });

  test('NOTIFY-4: after five days of failures, and immediately if it is gone, it is turned off, and its creator is notified', async () => {
    const { office, ada } = await begin();
    let status = 500;
    const receiver = await outside(() => ({ status }));
    const { _id: id } = await made(ada, receiver.url);
    for (let day = 0; day < 6 && (await listed(ada))[0]?.enabled === true; day += 1) {
      await fails(fixture, office, 1, `Files ${day}`);
      for (let hours = 0; hours < 24; hours += 4) {
        await turn(office);
        fixture.pass(4 * HOUR);
      }
    }
    const [hook] = await listed(ada);
    expect([
      hook?.enabled,
      (hook?.stoppedAt ?? 0) - (hook?.failingSince ?? 0) >= LIMITS.webhookFailMs,
      hook?.waiting,
    ]).toEqual([false, true, 0]);
    expect(
      (await loadMails(fixture, office)).map(({ subject, text }) => [
        subject,
        text.includes('for 5 days. The address responded with status 500.'),
      ]),
    ).toEqual([['Webhook turned off: Desk', true]]);
    const before = receiver.asked.length;
    const [{ _id: newest } = { _id: '' }] = await history(ada, id);
    await fails(fixture, office, 1, 'Later');
    fixture.pass(DAY);
    await turn(office);
    expect([
      receiver.asked.length,
      (await ada('POST', `${HOOKS}/${id}/deliveries/${newest}/again`, {})).body.message,
    ]).toEqual([before, MESSAGES.webhookOff]);
    // Switched on again it begins anew; an address that is gone says so once.
    await ada('PUT', `${HOOKS}/${id}`, {
      webhook: { name: 'Desk', url: receiver.url, enabled: true, categories: ['failed'] },
    });
    expect((await listed(ada))[0]).toMatchObject({
      enabled: true,
      stoppedAt: null,
      failingSince: null,
    });
    status = 410;
    await fails(fixture, office, 1, 'Gone');
    await turn(office);
    expect([
      (await listed(ada))[0]?.enabled,
      (await loadMails(fixture, office)).length,
      (await history(ada, id))[0]?.state,
    ]).toEqual([false, 2, 'failed']);
  });

  test('NOTIFY-4: the queue is limited: many facts go in one delivery, and the oldest are dropped for an address that falls behind', async () => {
    const { office, ada } = await begin();
    const receiver = await outside(() => ({ status: 500 }));
    const { _id: id } = await made(ada, receiver.url);
    const many = LIMITS.webhookFacts * 2 + 1;
    await office.post(
      1,
      Array.from({ length: many }, (_, n) => ({
        job: `Job ${n}`,
        computer: 'pc',
        status: 'Failed',
        startTime: new Date(now() - 60_000).toISOString(),
        endTime: new Date(now()).toISOString(),
        message: 'Broken',
      })),
    );
    await turn(office);
    expect((await history(ada, id)).map(({ facts }) => facts).toSorted((a, b) => b - a)).toEqual([
      LIMITS.webhookFacts,
      LIMITS.webhookFacts,
      1,
    ]);
    await fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
      const row = await sql
        .selectFrom('webhook_delivery')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .limit(1)
        .executeTakeFirstOrThrow();
      await sql
        .insertInto('webhook_delivery')
        .values(
          Array.from({ length: LIMITS.webhookWaiting }, (_, n) => ({
            ...row,
            id: fixture.context.chance.uuid(),
            made_at: now() + n,
          })),
        )
        .execute();
    });
    fixture.pass(1_000);
    await fails(fixture, office, 1, 'One more');
    await pollFacts(fixture.context, office.tenant, now());
    expect((await listed(ada))[0]?.waiting).toBe(LIMITS.webhookWaiting);
    const stored = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .selectFrom('webhook_delivery')
        .select(['state', 'body'])
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    expect([
      stored.filter(({ state }) => state === 'dropped').length,
      stored.find(({ body }) => body.includes('One more'))?.state,
    ]).toEqual([4, 'waiting']);
  });
});
