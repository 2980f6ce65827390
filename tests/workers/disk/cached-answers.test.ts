import { describe, expect, test } from 'vitest';
import { MAX_ANSWERS, MAX_ANSWERS_BYTES } from '#workers/disk/cached-answers.ts';
import { MAX_NOTICES } from '#workers/disk/notices.ts';
import type { StoredNotice } from '#workers/types.ts';
import { DISKS, freshIdb, OWNER, placeIn } from './places.ts';
import { command, fresh } from './sample.ts';

const notice = (id: string, at: number): StoredNotice => ({
  id,
  at,
  text: `about ${id}`,
  run: 1,
  refused: { change: { kind: 'reopen' }, by: [{ why: 'Bo already reviewed this.', runs: [1, 2] }] },
});
const answer = (at: number, value: unknown = at) => ({ at, value });

describe.each(DISKS)('on %s', (_name, make) => {
  test('OUT-6: notices stay until dismissed, up to the newest hundred, also after a reload of the data', async () => {
    const { disk, again } = await make();
    for (let at = 1; at <= MAX_NOTICES + 3; at++) await disk.keepNotice(notice(`n${at}`, at));
    await disk.keepNotice({ ...notice('n50', 50), text: 'told anew' });
    await disk.dropNotice('n60');
    await disk.begin(fresh());
    const all = await (await again()).notices();
    expect(all.map(({ at }) => at)).toEqual(
      Array.from({ length: MAX_NOTICES }, (_, i) => i + 4).filter((at) => at !== 60),
    );
    expect(all.find(({ id }) => id === 'n50')).toEqual({ ...notice('n50', 50), text: 'told anew' });
  });

  test('OFF-6: server answers survive reopening: the last one for each query, up to the newest fifty', async () => {
    const { disk, again } = await make();
    await disk.keepAnswer('early', answer(0)); // before there is any data: whose scope is it
    await disk.begin(fresh());
    for (let at = 1; at <= MAX_ANSWERS; at++) await disk.keepAnswer(`q${at}`, answer(at));
    await disk.keepAnswer('q1', answer(100));
    await disk.keepAnswer('q51', answer(101));
    const later = await again();
    expect(
      await Promise.all(
        ['early', 'q1', 'q2', 'q3', 'q51', 'never'].map((one) => later.answerTo(one)),
      ),
    ).toEqual([null, answer(100), null, answer(3), answer(101), null]);
  });

  test('OFF-6: stored answers have a size limit, and a single larger one is not stored', async () => {
    const { disk } = await make();
    await disk.begin(fresh());
    const third = 'x'.repeat(MAX_ANSWERS_BYTES / 3);
    for (const name of ['a', 'b', 'c']) await disk.keepAnswer(name, answer(1, third));
    const there = async (): Promise<string[]> =>
      (
        await Promise.all(
          ['a', 'b', 'c'].map(async (name) => ((await disk.answerTo(name)) ? name : '')),
        )
      ).filter((name) => name !== '');
    expect(await there()).toEqual(['b', 'c']);
    await disk.keepAnswer('c', answer(2, 'x'.repeat(MAX_ANSWERS_BYTES)));
    expect(await there()).toEqual(['b']);
  });

  test('OFF-6: a reload of the data deletes stored answers', async () => {
    const { disk, again } = await make();
    await disk.begin(fresh());
    await disk.keepAnswer('q', answer(1));
    await disk.begin(fresh());
    expect(await (await again()).answerTo('q')).toBeNull();
  });
});

test('OFF-6: an answer from a load that another tab replaced is not stored', async () => {
  const place = await placeIn(freshIdb());
  const mine = await place.open();
  const other = await place.open();
  await mine.begin(fresh());
  await other.begin(fresh());
  await mine.keepAnswer('q', answer(1));
  expect(await other.answerTo('q')).toBeNull();
});

test("OUT-7, OFF-6, C9: signing out with unsent changes keeps this user's notices but no answers; without them it keeps nothing", async () => {
  const idb = freshIdb();
  const place = await placeIn(idb);
  const disk = await place.open();
  await disk.begin(fresh());
  await disk.keepCommand(command('a'));
  await disk.keepNotice(notice('n', 1));
  await disk.keepAnswer('q', answer(1));
  await disk.destroy(true);
  disk.close();
  const again = await (await placeIn(idb)).open();
  expect((await again.notices()).map(({ id }) => id)).toEqual(['n']);
  expect(await again.answerTo('q')).toBeNull();
  await again.destroy(false);
  expect((await idb.indexedDB.databases()).map(({ name }) => name)).toEqual(['daybook']);
  await place.register.leave(OWNER, false);
});

test('G52, OUT-5: a notice that was tampered with says only that it was damaged, and such an answer counts as missing', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  await disk.keepNotice(notice('n', 1));
  await disk.keepAnswer('q', answer(1));
  disk.close();
  await place.register.leave(OWNER, false);
  const other = await (await placeIn(place.idb)).open(); // other keys
  expect([await other.notices(), await other.answerTo('q')]).toEqual([
    [
      {
        id: 'n',
        at: 1,
        text: 'A notice about one of your changes was damaged on this device. Check your latest changes.',
        run: null,
        refused: null,
      },
    ],
    null,
  ]);
});
