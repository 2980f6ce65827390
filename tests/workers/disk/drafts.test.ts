import { describe, expect, test } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import { MAX_DRAFTS } from '#workers/disk/drafts.ts';
import { makeDrafts } from '#workers/queries/drafts.ts';
import { SIGNED_OUT } from '#workers/failures.ts';
import { DISKS, freshIdb, OWNER, placeIn } from './places.ts';
import { command, fresh } from './sample.ts';

describe.each(DISKS)('on %s', (_name, make) => {
  test('WIZ-9: a draft is there after reopening, the last one of each name, until it is deleted', async () => {
    const { disk, again } = await make();
    await disk.begin(fresh());
    await disk.saveDraft('organization', 1, { name: 'Acm' });
    await disk.saveDraft('organization', 2, { name: 'Acme' });
    await disk.saveDraft('job', 3, { name: 'Nightly' });
    const later = await again();
    expect(await later.readDraft('organization')).toEqual({ name: 'Acme' });
    await later.deleteDraft('organization');
    expect(
      await Promise.all(['organization', 'job', 'other'].map((name) => later.readDraft(name))),
    ).toEqual([null, { name: 'Nightly' }, null]);
  });

  test('WIZ-9: the newest twenty drafts stay', async () => {
    const { disk } = await make();
    await disk.begin(fresh());
    for (let at = 1; at <= MAX_DRAFTS + 2; at++) await disk.saveDraft(`d${at}`, at, at);
    expect(
      await Promise.all(['d1', 'd2', 'd3', 'd22'].map((name) => disk.readDraft(name))),
    ).toEqual([null, null, 3, 22]);
  });

  test('WIZ-9: drafts outlive a reload of the data, unless the rights of the user changed', async () => {
    const { disk, again } = await make();
    await disk.begin({ ...fresh(), epoch: 'e1' });
    await disk.saveDraft('job', 1, { name: 'Nightly' });
    await disk.begin({ ...fresh(), epoch: 'e1' });
    const later = await again();
    expect(await later.readDraft('job')).toEqual({ name: 'Nightly' });
    await later.begin({ ...fresh(), epoch: 'e2' });
    expect(await later.readDraft('job')).toBeNull();
  });
});

test('WIZ-9, C9: signing out deletes drafts, also when unsent work stays for this user', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  await disk.keepCommand(command('a'));
  await disk.saveDraft('job', 1, { name: 'Nightly' });
  await disk.destroy(true);
  disk.close();
  const again = await (await placeIn(place.idb)).open();
  expect((await again.commands()).map(({ id }) => id)).toEqual(['a']);
  expect(await again.readDraft('job')).toBeNull();
  again.close();
  await place.register.leave(OWNER, false);
});

test('WIZ-9: nobody signed in has no drafts, and a disk that fails says so', async () => {
  const clock = { now: () => 7, after: () => () => undefined };
  const out = makeDrafts({ loop: null }, clock);
  expect(await out.readDraft('job')).toEqual(failed(SIGNED_OUT));
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  const loop = { replica: { disk } } as unknown as Parameters<typeof makeDrafts>[0]['loop'];
  const drafts = makeDrafts({ loop }, clock);
  expect(await drafts.saveDraft('job', { name: 'Nightly' })).toEqual(ok(null));
  expect(await drafts.readDraft('job')).toEqual(ok({ name: 'Nightly' }));
  expect(await drafts.deleteDraft('job')).toEqual(ok(null));
  expect(await drafts.readDraft('job')).toEqual(ok(null));
  disk.close();
  expect(await drafts.saveDraft('job', { name: 'Nightly' })).toMatchObject({
    ok: false,
    failure: { kind: 'storage' },
  });
});
