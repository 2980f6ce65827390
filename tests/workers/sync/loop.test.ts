import { expect, test } from 'vitest';
import { EVERYTHING } from '#contract/monitoring/query.ts';
import type { RunsView } from '#contract/monitoring/query.ts';
import { makeChance } from '#tests/sim/chance.ts';
import { settle, TestClock } from '#tests/sim/clock.ts';
import { SimDevice } from '#tests/sim/device.ts';
import { SimServer } from '#tests/sim/server.ts';
import { Story } from '#tests/sim/story.ts';
import { SimWire } from '#tests/sim/wire.ts';

function scene(seed = 1) {
  const clock = new TestClock(), chance = makeChance(seed), server = new SimServer(() => clock.now());
  const user = server.addUser('ann'), other = server.addUser('bob');
  const story = new Story(server, chance, () => clock.now());
  story.begin(3, 6, 60);
  const device = new SimDevice(clock, chance, new SimWire(server, clock, chance, user.me.id), user);
  return { clock, chance, server, user, other, story, device };
}

test('SYNC-3, SYNC-5: a device loads newest days first, is live, and a poke brings what is new within a moment', async () => {
  const { clock, server, story, device } = scene();
  const door = device.open();
  const views: RunsView[] = [];
  await door.watch('runs', { filter: EVERYTHING, window: { first: 0, count: 100 }, held: false, round: 0 }, (view) => { views.push(view); });
  await clock.pass(2_000);
  expect(door.session.loop?.status()).toMatchObject({ is: 'live', left: 0, follower: false });
  expect(views.at(-1)?.total).toBe(server.rows.run.size);
  const days = device.wire.asked.filter(({ path }) => path.includes('/runs/')).map(({ path }) => path.slice(-10));
  expect(days).toEqual([...days].sort().reverse());
  story.finish(clock.now() - 1000);
  await settle();
  await clock.pass(50);
  expect(views.at(-1)?.total).toBe(server.rows.run.size);
  expect(views.at(-1)?.committedAt).toBe(server.log.at(-1)?.at);
});
