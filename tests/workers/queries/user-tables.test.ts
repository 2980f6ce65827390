import { expect, test } from 'vitest';
import { getLoop, scene } from '#tests/workers/scene.ts';
import { getPreferences, getShifts, getViews } from '#workers/queries/user-tables.ts';

const ID = '10000000-0000-4000-8000-000000000001';
const SHIFT = '10000000-0000-4000-8000-000000000002';

test('OUT-4, OUT-2: views, hand-overs and preferences show immediately, survive the browser, are sent once and reach the other device', async () => {
  const { clock, server, ann, annDevice, deviceOf: getDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  annDevice.wire.up = false;
  const hand = {
    id: SHIFT,
    since: 1,
    at: 2,
    cleared: 3,
    of: 4,
    snoozed: 0,
    open: [],
    ending: [],
    comment: null,
    query: '',
  };
  for (const sent of [
    await api.send('saveView', { id: ID, name: 'Mine', query: 'state=Failed', shared: false }),
    await api.send('saveView', {
      id: ID,
      name: 'Mine again',
      query: 'state=Failed',
      shared: false,
    }),
    await api.send('endShift', hand),
    await api.send('prefer', { id: ann.me.id, name: 'density', value: '"dense"' }),
  ])
    expect(sent).toMatchObject({ ok: true });
  const readTables = (one: typeof api): unknown => {
    const loop = getLoop(one);
    return [
      getViews(loop).map(({ name, ownerName }) => [name, ownerName]),
      getShifts(loop).map(({ cleared, name }) => [cleared, name]),
      getPreferences(loop).map(({ value }) => value),
    ];
  };
  const all = [[['Mine again', ann.me.name]], [[3, ann.me.name]], ['"dense"']];
  expect(readTables(api)).toEqual(all);
  annDevice.kill(api);
  const again = annDevice.open();
  await clock.pass(2_000);
  expect(readTables(again)).toEqual(all);
  annDevice.wire.up = true;
  await clock.pass(70_000);
  expect(getLoop(again).status()).toMatchObject({ waiting: 0, refused: 0 });
  expect(server.log.slice(-4).map(({ event }) => event.type)).toEqual([
    'view.saved@1',
    'view.saved@1',
    'shift.handedOver@1',
    'user.preferenceSaved@1',
  ]);
  expect(readTables(again)).toEqual(all);
  const other = getDevice(ann).open(); // from the bootstrap
  await clock.pass(5_000);
  expect(readTables(other)).toEqual(all);
  await api.send('removeView', { id: ID });
  await again.send('removeView', { id: ID });
  await clock.pass(5_000);
  expect(getViews(getLoop(other))).toEqual([]); // from the events
  annDevice.kill(again);
  const last = annDevice.open(); // from the disk
  await clock.pass(100);
  expect(readTables(last)).toEqual([[], all[1], all[2]]);
});
