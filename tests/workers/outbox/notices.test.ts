import { expect, test } from 'vitest';
import { getLoop, must, scene } from '#tests/workers/scene.ts';
import type { createWorkerApi } from '#workers/queries/live-queries.ts';
import { DiskError } from '#workers/disk/disk-errors.ts';

type WorkerApi = ReturnType<typeof createWorkerApi>;
const getNotices = (api: WorkerApi) => getLoop(api).outbox.view().notices;
const note = (content: string) => ({ kind: 'note' as const, content });

/**
 * Bob reviewed `runs` while he had no network; Ann reviewed the first two, and one that he names is
 * of nobody.
 */
async function conflict() {
  const all = scene();
  const { clock, annDevice, bobDevice, bad, server } = all;
  const anns = annDevice.open();
  const bobs = bobDevice.open();
  await clock.pass(2_000);
  const runs = bad().slice(0, 3);
  const fine = must([...server.rows.run.values()].find(({ problem }) => problem === null)).n;
  bobDevice.wire.up = false;
  await bobs.send('changeExecutions', {
    ids: [...runs, fine],
    change: { kind: 'review', comment: 'mine' },
  });
  await anns.send('changeExecutions', {
    ids: runs.slice(0, 2),
    change: { kind: 'review', comment: null },
  });
  await clock.pass(1_000);
  bobDevice.wire.up = true;
  await clock.pass(70_000);
  return { ...all, anns, bobs, runs, fine };
}

test('OUT-5: each refused run of a bulk change is listed with its reason, job and company, and can be retried alone', async () => {
  const { clock, server, anns, bobs, runs, fine, problemOf: getProblem } = await conflict();
  const [details] = getNotices(bobs);
  expect(details).toMatchObject({
    text: "3 of 4 results weren't changed: 2 different reasons.",
    run: runs[0],
    refused: 3,
  });
  expect(getLoop(bobs).status()).toMatchObject({ refused: 0, partly: 1 });
  const id = must(details).id;
  const line = (n: number | undefined) => {
    const run = must(server.rows.run.get(must(n)));
    return {
      run: n,
      jobName: server.rows.job.get(run.job)?.name,
      companyName: server.rows.company.get(run.company)?.name,
      startedAt: Math.floor(run.startedAt / 1000) * 1000,
    };
  };
  expect(getLoop(bobs).outbox.refusedOf(id, 100)).toEqual({
    count: 3,
    reasons: [
      { why: 'ann already reviewed this.', count: 2, runs: runs.slice(0, 2).map(line) },
      { why: 'This result has no problem to review.', count: 1, runs: [line(fine)] },
    ],
  });
  expect(
    getLoop(bobs)
      .outbox.refusedOf(id, 1)
      .reasons.map(({ count, runs: some }) => [count, some.length]),
  ).toEqual([
    [2, 1],
    [1, 0],
  ]);
  await anns.send('changeExecutions', { ids: runs.slice(0, 2), change: { kind: 'reopen' } });
  await clock.pass(1_000);
  const sent = server.log.length;
  expect(await bobs.mend(id, 'retry')).toMatchObject({ ok: true });
  await clock.pass(1_000);
  expect(runs.slice(0, 2).map((run) => getProblem(run)?.review?.comment)).toEqual(['mine', 'mine']);
  const again = server.log
    .slice(sent)
    .flatMap(({ event }) => (event.type === 'problem.reviewed@1' ? event.data.problems : []));
  // not those that were changed the first time
  expect(new Set(again)).toEqual(new Set(runs.slice(0, 2).map((run) => getProblem(run)?.n)));
  expect(getNotices(bobs)).toMatchObject([
    { text: "1 of 3 results weren't changed: This result has no problem to review." },
  ]);
});

test('OUT-5: the reasons of a change that was refused for every run are listed too, also after the browser was closed', async () => {
  const { clock, bobs, bobDevice, runs, fine } = await conflict();
  await bobs.send('changeExecutions', {
    ids: [must(runs[0]), fine],
    change: { kind: 'review', comment: 'again' },
  });
  await clock.pass(1_000);
  const entry = must(getLoop(bobs).outbox.view().entries[0]);
  expect(entry).toMatchObject({
    state: 'refused',
    failure: { kind: 'conflict', message: '2 different reasons.' },
  });
  const details = getLoop(bobs).outbox.refusedOf(entry.id, 10);
  expect(details.reasons.map(({ why, count }) => [why, count])).toEqual([
    ['ann already reviewed this.', 1],
    ['This result has no problem to review.', 1],
  ]);
  bobDevice.kill(bobs);
  const later = bobDevice.open();
  await clock.pass(1_000);
  expect(getLoop(later).outbox.view().entries).toEqual([entry]);
  expect(getLoop(later).outbox.refusedOf(entry.id, 10)).toEqual(details);
});

test('OUT-5, OUT-6: notices survive the browser and are dismissed in all tabs at once', async () => {
  const { clock, anns, bobs, bobDevice, annDevice, runs } = await conflict();
  const third = String(runs[2]);
  await bobs.send('changeExecution', { id: third, change: note('bob') });
  await clock.pass(1_000);
  await anns.send('changeExecution', { id: third, change: note('ann') });
  await clock.pass(1_000);
  const all = getNotices(bobs);
  expect(all.map(({ text }) => text)).toEqual([
    "3 of 4 results weren't changed: 2 different reasons.",
    'ann replaced your note.',
  ]);
  bobDevice.kill(bobs);
  const one = bobDevice.open();
  const two = bobDevice.open();
  await clock.pass(2_000);
  expect([getNotices(one), getNotices(two)]).toEqual([all, all]);
  expect(await two.mend(must(all[0]).id, 'discard')).toMatchObject({ ok: true });
  await clock.pass(100);
  expect([getNotices(one), getNotices(two)]).toEqual([all.slice(1), all.slice(1)]);
  await one.send('changeExecution', { id: third, change: note('bob again') });
  await clock.pass(1_000);
  await anns.send('changeExecution', {
    id: third,
    change: { kind: 'snooze', until: clock.now() + 3_600_000, reason: 'later' },
  });
  await anns.send('changeExecution', { id: third, change: note('ann again') });
  await clock.pass(1_000);
  expect([getNotices(one), getNotices(two)].map((some) => some.map(({ text }) => text))).toEqual([
    ['ann replaced your note.', 'ann replaced your note.'],
    ['ann replaced your note.', 'ann replaced your note.'],
  ]);
  expect(getNotices(anns)).toMatchObject([{ text: 'bob replaced your note.' }]);
  bobDevice.kill(one);
  bobDevice.kill(two);
  expect(await bobDevice.disk.notices()).toHaveLength(2);
  expect(await annDevice.disk.notices()).toHaveLength(1);
});

test('OUT-6: a user who was away is notified too; a snooze that had ended anyway is no loss', async () => {
  const { clock, annDevice, bobDevice, bad } = scene();
  let anns = annDevice.open();
  const bobs = bobDevice.open();
  await clock.pass(2_000);
  const [one = 0, two = 0, three = 0] = bad();
  const snooze = (ms: number) => ({
    kind: 'snooze' as const,
    until: clock.now() + ms,
    reason: 'later',
  });
  await anns.send('changeExecution', { id: String(one), change: note('ann') });
  await anns.send('changeExecution', { id: String(two), change: snooze(10_000) });
  await anns.send('changeExecution', { id: String(three), change: snooze(3_600_000) });
  await clock.pass(2_000);
  annDevice.kill(anns);
  await clock.pass(20_000);
  await bobs.send('changeExecution', { id: String(one), change: note('bob') });
  for (const run of [two, three])
    await bobs.send('changeExecution', { id: String(run), change: snooze(60_000) });
  await clock.pass(2_000);
  anns = annDevice.open();
  await clock.pass(2_000);
  expect(getNotices(anns).map(({ text }) => text)).toEqual([
    'bob replaced your note.',
    'bob replaced your snooze.',
  ]);
});

test('OUT-6: if the disk refuses a notice, it shows as long as the tab is open', async () => {
  const { clock, annDevice, bobDevice, bad } = scene();
  const anns = annDevice.open();
  const bobs = bobDevice.open();
  await clock.pass(2_000);
  const { disk } = getLoop(anns).replica;
  const id = String(bad()[0]);
  disk.keepNotice = () => Promise.reject(new DiskError('full', 'no room'));
  await anns.send('changeExecution', { id, change: note('ann') });
  await clock.pass(1_000);
  await bobs.send('changeExecution', { id, change: note('bob') });
  await clock.pass(1_000);
  await getLoop(anns).outbox.load();
  expect(getNotices(anns)).toMatchObject([{ text: 'bob replaced your note.' }]);
});
