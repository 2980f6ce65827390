import { expect, test } from 'vitest';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { anyDatabase } from '../db/databases.ts';
import { makeFixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';

const booted = async (who: Asker): Promise<Bootstrap> =>
  (await who<Bootstrap>('GET', 'sync/bootstrap')).body.data;
const pinned = async (who: Asker): Promise<unknown> =>
  (await booted(who)).pins.map((pin) => [pin.company, pin.pinned]);
const pin = async (who: Asker, company: number, on = true): Promise<number> =>
  (
    await who('PUT', `profile/${(await booted(who)).me.id}/pinned-companies/${company}`, {
      pinned: on,
    })
  ).status;
const loadEvents = async (who: Asker, { cursor, epoch }: Bootstrap): Promise<string[]> =>
  (
    await who<EventsPage>('GET', `sync/events?protocol=2&after=${cursor}&epoch=${epoch}`)
  ).body.data.events.map(({ event }) => event.type);

anyDatabase((kind, open) => {
  test(`DESK-8, SYNC-6: pins belong to their user, at the start and as events (${kind})`, async () => {
    const office = await anOffice(await makeFixture({}, await open()));
    const ann = await office.as('ann', ['operator']);
    const bob = await office.as('bob', ['operator', 'admin']);
    const starts = [await booted(ann), await booted(bob)] as const;
    expect([await pin(ann, 2), await pin(ann, 1), await pin(ann, 1, false)]).toEqual([
      200, 200, 200,
    ]);
    expect(await pinned(ann)).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(await pinned(bob)).toEqual([]);
    expect(await loadEvents(ann, starts[0])).toEqual(Array(3).fill('company.pinned@1'));
    expect(await loadEvents(bob, starts[1])).toEqual([]);
  });

  test(`DESK-8, G30: nobody pins for another user, or a company that they don't see (${kind})`, async () => {
    const office = await anOffice(await makeFixture({}, await open()));
    const one = await office.as('one', ['operator'], [1]);
    const all = await office.as('all', ['operator']);
    expect([await pin(one, 1), await pin(one, 2), await pin(one, 9), await pin(all, 9)]).toEqual([
      200, 404, 404, 404,
    ]);
    const { id } = (await booted(all)).me;
    expect((await one('PUT', `profile/${id}/pinned-companies/1`, { pinned: true })).status).toBe(
      403,
    );
    expect([await pinned(one), await pinned(all)]).toEqual([[[1, true]], []]);
  });
});
