import { expect, test } from 'vitest';
import { EVERYTHING } from '#contract/runs/query.ts';
import { makeRunsWatch } from '#workers/queries/runs-query.ts';
import { getPins } from '#workers/queries/user-tables.ts';
import { getLoop, must, scene } from '#tests/workers/scene.ts';

test('DESK-8, OUT-2, OUT-4: a company pinned offline comes first immediately, survives the browser, is sent once and reaches the other device', async () => {
  const { clock, server, ann, annDevice, bobDevice, deviceOf: getDevice } = scene();
  let api = annDevice.open();
  await clock.pass(2_000);
  const companies = (one: typeof api) =>
    makeRunsWatch(
      () => getLoop(one).replica,
      () => clock.now(),
      () => getPins(getLoop(one)),
    ).make({
      filter: EVERYTHING,
      window: { first: 0, count: 0 },
      isInUse: false,
      folded: [],
      round: 0,
      facets: 'some',
    }).facets.companies;
  const before = companies(api).map(({ value }) => value);
  expect(before.length).toBeGreaterThan(2);
  const last = must(before.at(-1));
  const pinnedFirst = [[last, true], ...before.slice(0, -1).map((n) => [n, false])];
  const shown = (one: typeof api) =>
    companies(one).map(({ value, pinned = false }) => [value, pinned]);
  annDevice.wire.up = false;
  const pin = (pinned: boolean) =>
    api.send('pinCompany', { id: ann.me.id, company: String(last), pinned });
  expect(await pin(true)).toMatchObject({ ok: true });
  expect(shown(api)).toEqual(pinnedFirst);
  annDevice.kill(api);
  api = annDevice.open();
  await clock.pass(2_000);
  expect(shown(api)).toEqual(pinnedFirst);
  annDevice.wire.up = true;
  await clock.pass(70_000);
  expect(
    server.log
      .filter(({ event }) => event.type === 'company.pinned@1')
      .map(({ event }) => event.data),
  ).toEqual([{ id: ann.me.id, company: last, pinned: true }]);
  const other = getDevice(ann).open();
  await clock.pass(2_000);
  expect(shown(other)).toEqual(pinnedFirst);
  const bob = bobDevice.open();
  await clock.pass(2_000);
  expect(getPins(getLoop(bob))).toEqual(new Set());
  await pin(false);
  await clock.pass(5_000);
  for (const one of [api, other]) expect(companies(one).map(({ value }) => value)).toEqual(before);
});
