import { expect, test } from 'vitest';
import { getLoop, scene } from '#tests/workers/scene.ts';

test('SYNC-6, COMP-4: a deleted company leaves the device at the next contact with its rows, results and problems, in memory and on disk, even if the device was away', async () => {
  const { clock, server, annDevice } = scene();
  let api = annDevice.open();
  await clock.pass(3_000);
  const [gone] = [...new Set([...server.rows.run.values()].map(({ company }) => company))];
  if (gone === undefined) throw new Error('a story without a result');
  const left = (): readonly number[] => {
    const { engine } = getLoop(api).replica;
    const runs = [...server.rows.run.values()]
      .filter(({ company }) => company === gone)
      .map(({ n }) => n);
    return [
      engine.all('company').filter(({ n }) => n === gone).length,
      engine.all('job').filter(({ company }) => company === gone).length,
      engine.all('problem').filter(({ company }) => company === gone).length,
      engine.runs(runs).size,
    ];
  };
  expect(left().slice(0, 1)).toEqual([1]);
  expect(left().at(-1)).toBeGreaterThan(0);
  annDevice.wire.up = false;
  await clock.pass(60_000);
  server.append([{ company: gone, event: { type: 'company.deleted@1', data: { n: gone } } }]);
  await clock.pass(1_000);
  expect(left().at(-1)).toBeGreaterThan(0);
  annDevice.wire.up = true;
  await clock.pass(120_000);
  expect(getLoop(api).status()).toMatchObject({ kind: 'live', left: 0 });
  expect(left()).toEqual([0, 0, 0, 0]);
  annDevice.kill(api);
  annDevice.wire.up = false;
  api = annDevice.open();
  await clock.pass(5_000);
  expect(left()).toEqual([0, 0, 0, 0]);
  const { engine } = getLoop(api).replica;
  expect([engine.size, engine.all('company').length]).toEqual([
    [...server.rows.run.values()].filter(({ company }) => company !== gone).length,
    server.rows.company.size - 1,
  ]);
});
