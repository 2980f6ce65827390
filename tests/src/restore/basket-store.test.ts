import { afterEach, expect, test, vi } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import type { BasketPlace } from '#src/features/restore/basket/basket.ts';
import { useBasket } from '#src/features/restore/basket/use-basket.ts';
import type { BasketStore } from '#src/features/restore/basket/use-basket.ts';
import type { WorkerClient } from '#workers/api.ts';
import { makeDrafts } from '#workers/queries/drafts.ts';
import { freshIdb, OWNER, placeIn } from '../../workers/disk/places.ts';
import { fresh } from '../../workers/disk/sample.ts';
import { renderHook } from '../render-hook.ts';
import type { RenderedHook } from '../render-hook.ts';

const ANN: BasketPlace = {
  workload: 'outlook',
  point: 'p1',
  at: 1_000,
  showDeleted: false,
  object: 'o1',
};
const BOB: BasketPlace = { ...ANN, workload: 'onedrive', object: 'o2' };

/** The worker's drafts on a disk of this device. */
async function makeDevice() {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  const loop = { replica: { disk } } as unknown as Parameters<typeof makeDrafts>[0]['loop'];
  const drafts = makeDrafts({ loop }, { now: () => 7, after: () => () => undefined });
  setClient(drafts as unknown as WorkerClient);
  return { place, disk };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test('RES-84: a change of a basket is seen by another tab, and another organization has its own', async () => {
  const { disk } = await makeDevice();
  const tab = await renderHook<string, BasketStore | null>(useBasket, 'g1');
  const other = await renderHook(useBasket, 'g1');
  const stranger = await renderHook(useBasket, 'g2');
  await tab.run(() => tab.current()?.add(ANN, ['i1.1', 'i1.2']));
  await waitUntil(other, () => other.current()?.has(ANN, ['i1.1', 'i1.2']) === true);
  // Both change it at once, and neither change is lost.
  await tab.run(() => {
    tab.current()?.remove(ANN, ['i1.1']);
    other.current()?.add(BOB, ['i2.1']);
  });
  for (const hook of [tab, other])
    await waitUntil(
      hook,
      () =>
        hook.current()?.has(ANN, ['i1.2']) === true && hook.current()?.has(BOB, ['i2.1']) === true,
    );
  expect(tab.current()?.basket.map(({ nodes }) => nodes)).toEqual([['i1.2'], ['i2.1']]);
  expect(stranger.current()?.basket).toEqual([]);
  // The same tab at the other organization, and back.
  await tab.render('g2');
  expect(tab.current()?.basket).toEqual([]);
  await tab.render('g1');
  await waitUntil(tab, () => tab.current()?.basket.length === 2);
  await tab.run(() => tab.current()?.clear());
  await waitUntil(other, () => other.current()?.basket.length === 0);
  expect(await disk.readDraft('basket:g1')).toBeNull();
  for (const hook of [tab, other, stranger]) await hook.unmount();
  disk.close();
});

test('RES-84: a basket is there after a reload, and gone after signing out', async () => {
  const { place, disk } = await makeDevice();
  const tab = await renderHook(useBasket, 'g1');
  await tab.run(() => tab.current()?.add(ANN, ['i1.1']));
  await waitUntil(tab, () => tab.current()?.has(ANN, ['i1.1']) === true);
  await tab.unmount();
  const reloaded = await renderHook(useBasket, 'g1');
  await waitUntil(reloaded, () => reloaded.current()?.has(ANN, ['i1.1']) === true);
  await reloaded.unmount();
  await disk.destroy(true);
  disk.close();
  const again = await (await placeIn(place.idb)).open();
  expect(await again.readDraft('basket:g1')).toBeNull();
  again.close();
  await place.register.leave(OWNER, false);
});

test('RES-84: a basket that can not be read now is not replaced', async () => {
  const saved: unknown[] = [];
  let isBroken = true;
  setClient({
    readDraft: () =>
      Promise.resolve(isBroken ? failed({ kind: 'server-error', message: 'Broken.' }) : ok(null)),
    saveDraft: (_name: string, value: unknown) => {
      saved.push(value);
      return Promise.resolve(ok(null));
    },
  } as unknown as WorkerClient);
  const tab = await renderHook(useBasket, 'g1');
  await tab.run(() => tab.current()?.add(ANN, ['i1.1']));
  for (let turn = 0; turn < 20; turn += 1) await tab.run(() => Promise.resolve());
  expect([saved, tab.current()?.basket]).toEqual([[], []]);
  isBroken = false;
  await tab.run(() => tab.current()?.add(ANN, ['i1.1']));
  await waitUntil(tab, () => saved.length === 1);
  await tab.unmount();
});

test('RES-84: a change that ends after another organization was opened shows the basket of that one', async () => {
  const stored = new Map<string, unknown>();
  const late = Promise.withResolvers<void>();
  setClient({
    readDraft: (name: string) => Promise.resolve(ok(stored.get(name) ?? null)),
    saveDraft: async (name: string, value: unknown) => {
      if (stored.has('basket:g2')) await late.promise;
      stored.set(name, value);
      return ok(null);
    },
  } as unknown as WorkerClient);
  const tab = await renderHook<string, BasketStore | null>(useBasket, 'g2');
  await tab.run(() => tab.current()?.add(BOB, ['i2.1']));
  await waitUntil(tab, () => tab.current()?.has(BOB, ['i2.1']) === true);
  await tab.render('g1');
  await tab.run(() => tab.current()?.add(ANN, ['i1.1']));
  await tab.render('g2');
  await waitUntil(tab, () => tab.current()?.has(BOB, ['i2.1']) === true);
  await tab.run(() => late.resolve());
  await waitUntil(tab, () => stored.has('basket:g1'));
  for (let turn = 0; turn < 20; turn += 1) await tab.run(() => Promise.resolve());
  expect(tab.current()?.has(BOB, ['i2.1'])).toBe(true);
  await tab.unmount();
});

/** Lets the disk, the channel and React work until something holds. */
async function waitUntil(
  { run }: Pick<RenderedHook<string, unknown>, 'run'>,
  isTrue: () => boolean,
): Promise<void> {
  for (let tries = 0; tries < 3_000 && !isTrue(); tries += 1)
    await run(
      () =>
        new Promise((resolve) => {
          setTimeout(resolve, 20);
        }),
    );
  expect(isTrue()).toBe(true);
}
