import { expect, test } from 'vitest';
import { ofGroup, SINGLE_CAUSES } from '#contract/runs/query.ts';
import type { RunsView } from '#contract/runs/query.ts';
import { ALL } from '#tests/sim/all-runs.ts';
import { getLoop, must, scene } from '#tests/workers/scene.ts';
import { FACETS_SOME } from '#workers/queries/facets-query.ts';

test('COL-7: a held list keeps its rows in place with current texts, counts what waits, and takes it in on request', async () => {
  const { clock, story, annDevice, bad } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const views: RunsView[] = [];
  const question = {
    filter: { ...ALL, review: 'pending' as const },
    window: { first: 0, count: 50 },
    isInUse: true,
    folded: [],
    round: 0,
  };
  const watch = await api.watch('runs', question, (view) => {
    views.push(view);
  });
  await clock.pass(20);
  const before = must(views.at(-1));
  const [run = 0] = bad();
  await api.send('changeExecution', {
    id: String(run),
    change: { kind: 'review', comment: null },
  });
  await clock.pass(100);
  const held = must(views.at(-1));
  expect(held.rows.map(({ n }) => n)).toEqual(before.rows.map(({ n }) => n));
  expect(held.rows.find(({ n }) => n === run)?.review).toBe('cleared');
  expect(held.progress.cleared).toBeGreaterThan(before.progress.cleared);
  let fresh = 0;
  for (let i = 0; fresh === 0 && i < 40; i++) {
    story.finish(clock.now() - 1000);
    await clock.pass(100);
    fresh = views.at(-1)?.fresh ?? 0;
  }
  expect(views.at(-1)?.rows.map(({ n }) => n)).toEqual(before.rows.map(({ n }) => n));
  watch.change({ ...question, round: 1 });
  await clock.pass(20);
  const taken = must(views.at(-1));
  expect(taken).toMatchObject({ fresh: 0 });
  expect(taken.rows.some(({ n }) => n === run)).toBe(false);
  expect(taken.rows.some(({ n }) => !before.rows.some((one) => one.n === n))).toBe(true);
  expect(await api.matching(question.filter)).toHaveLength(taken.total);
  watch.close();
  const count = views.length;
  story.finish(clock.now() - 1000);
  await clock.pass(1_000);
  expect(views.length).toBe(count);
});

test('COL-7: many changes in a frame make one update, and no update comes without a change', async () => {
  const { clock, story, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const views: RunsView[] = [];
  await api.watch(
    'runs',
    { filter: ALL, window: { first: 0, count: 20 }, isInUse: false, folded: [], round: 0 },
    (view) => {
      views.push(view);
    },
  );
  await clock.pass(50);
  const before = views.length;
  for (let i = 0; i < 20; i++) story.finish(clock.now() - 1000);
  await clock.pass(200);
  expect(views.length - before).toBeLessThanOrEqual(4);
  expect(views.length - before).toBeGreaterThan(0);
  const after = views.length;
  await api.syncNow();
  await clock.pass(120_000);
  expect(views.length).toBe(after);
  const versions = views.map(({ version }) => version);
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
});

const getLines = ({ heads, rows }: RunsView) => ({
  heads: heads.map(({ line, key }) => [line, key]),
  rows: rows.map(({ n }) => n),
});

test('COL-7, COL-11: a held list keeps headings and rows in place, folds them, and shows current progress in its headings', async () => {
  const { clock, story, annDevice, bad } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const views: RunsView[] = [];
  const question = {
    filter: { ...ALL, review: 'pending' as const, group: 'job' as const },
    window: { first: 0, count: 500 },
    isInUse: true,
    folded: [] as number[],
    round: 0,
  };
  const watch = await api.watch('runs', question, (view) => {
    views.push(view);
  });
  await clock.pass(20);
  const before = must(views.at(-1));
  const now = (): RunsView => must(views.at(-1));
  const [run = 0] = bad();
  expect([before.heads.length > 1, before.lines]).toEqual([
    true,
    before.heads.length + before.total,
  ]);
  const job = must(before.rows.find(({ n }) => n === run)).job;
  const head = must(before.heads.find(({ key }) => key === job));
  const own = await api.matching(ofGroup(question.filter, head));
  expect([own.length, own.includes(run)]).toEqual([head.rows, true]);
  for (const id of own)
    await api.send('changeExecution', {
      id: String(id),
      change: { kind: 'review', comment: null },
    });
  await clock.pass(100);
  expect(getLines(now())).toEqual(getLines(before));
  expect(now().heads.find(({ key }) => key === job)).toEqual({
    ...head,
    progress: { cleared: head.progress.of, of: head.progress.of },
  });
  for (let i = 0; now().fresh === 0 && i < 40; i++) {
    story.finish(clock.now() - 1000);
    await clock.pass(100);
  }
  expect([now().fresh > 0, getLines(now())]).toEqual([true, getLines(before)]);
  watch.change({ ...question, folded: [job] });
  await clock.pass(20);
  expect(now().lines).toBe(before.lines - head.rows);
  expect(now().rows.map(({ n }) => n)).toEqual(
    before.rows.filter((row) => row.job !== job).map(({ n }) => n),
  );
  expect(now().heads.map(({ key, folded }) => [key, folded])).toEqual(
    before.heads.map(({ key }) => [key, key === job]),
  );
  watch.change({ ...question, round: 1 });
  await clock.pass(20);
  expect([now().fresh, now().heads.some(({ rows }) => rows === 0), now().lines]).toEqual([
    0,
    false,
    now().heads.length + now().total,
  ]);
});

test('COL-7, COL-13: the heading of single causes shows the progress of the causes that it was built from, even if others are single by now', async () => {
  const { clock, story, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const views: RunsView[] = [];
  const now = (): RunsView => must(views.at(-1));
  const question = {
    filter: { ...ALL, review: 'pending' as const, rows: 'jobs' as const, group: 'cause' as const },
    window: { first: 0, count: 500 },
    isInUse: true,
    folded: [],
    round: 0,
  };
  const single = (): RunsView['heads'][number] =>
    must(now().heads.find(({ key }) => key === SINGLE_CAUSES));
  for (let i = 0; i < 40; i++) {
    story.finish(clock.now() - 1000);
    await clock.pass(100);
  }
  await api.watch('runs', question, (view) => {
    views.push(view);
  });
  await clock.pass(20);
  const before = single();
  const own = await api.matching(ofGroup(question.filter, before));
  expect([own.length, before.progress.of]).toEqual([before.rows, before.rows]);
  await api.send('changeExecution', {
    id: String(own[0]),
    change: { kind: 'review', comment: null },
  });
  await clock.pass(100);
  expect(single()).toEqual({ ...before, progress: { cleared: 1, of: before.progress.of } });
  for (const id of own.slice(1))
    await api.send('changeExecution', {
      id: String(id),
      change: { kind: 'review', comment: null },
    });
  await clock.pass(100);
  expect(single()).toEqual({ ...before, progress: { cleared: before.rows, of: before.rows } });
});

test('COL-7, COL-3: of many companies and causes, those with the most runs and the selected ones are sent, with exact counts and the number of the rest; all on request', async () => {
  const { clock, server, story, annDevice } = scene();
  story.begin(90, 180, 400);
  const api = annDevice.open();
  await clock.pass(2_000);
  const views: RunsView[] = [];
  const whole = getLoop(api).replica.engine.select(ALL, clock.now()).facets;
  const last = must(whole.companies.at(-1)).value;
  const question = {
    filter: ALL,
    window: { first: 0, count: 5 },
    isInUse: false,
    folded: [],
    round: 0,
  };
  const watch = await api.watch('runs', { ...question, facets: 'some' }, (view) => {
    views.push(view);
  });
  await clock.pass(20);
  const getFacets = (): RunsView['facets'] => must(views.at(-1)).facets;
  expect(whole.companies.length).toBeGreaterThan(FACETS_SOME + 10);
  expect(getFacets()).toEqual({
    ...whole,
    companies: whole.companies.slice(0, FACETS_SOME),
    left: { companies: whole.companies.length - FACETS_SOME, causes: 0 },
  });
  watch.change({ ...question, filter: { ...ALL, companies: [last] }, facets: 'some' });
  await clock.pass(20);
  expect(getFacets().companies.at(-1)).toEqual(whole.companies.at(-1));
  expect(getFacets().companies.length + must(getFacets().left).companies).toBe(
    whole.companies.length,
  );
  watch.change({ ...question, facets: 'all' });
  await clock.pass(20);
  expect(getFacets()).toEqual(whole);
  watch.change(question);
  await clock.pass(20);
  expect(getFacets()).toEqual(whole);
  watch.change({ ...question, facets: 'none' });
  await clock.pass(20);
  expect(views.at(-1)).toMatchObject({
    total: server.rows.run.size,
    facets: { companies: [], review: [] },
  });
});
