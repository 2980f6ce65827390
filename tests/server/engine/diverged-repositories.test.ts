import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migration0131 } from '#server/platform/db/migrations/0131_unnumbered_objects.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { makeSuccessor } from './attach-bench.ts';
import { exclude, findStored, makePeople } from './people.ts';
import { attach, getFound, USER } from './protections-bench.ts';
import { getValue, PROOF } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  crashing,
  createRepositoryRow,
  loadCopies,
  loadFiles,
  loadPoints,
  makeSessionBench,
  runCleanUp,
  type SessionBench,
} from './session-bench.ts';

// A database is set back, and its Daybook extends the repository again: two points of an object have the
// same number. Attaching indexes the newer one. The other is only in its snapshot.

const MINUTE = 60_000;
const DAY = 86_400_000;
const YEAR = 366 * DAY;

const ANN = 'only of ann, before the database was set back';
const BOB = 'only of bob, before the database was set back';

/** A repository with both lines. `lost`: the point of which the index can have nothing. */
async function makeDiverged(
  store: Store,
  retention: Parameters<typeof createRepositoryRow>[1] = { retentionPolicy: 'Keep' },
) {
  const objects = makePeople();
  const former = await makeSessionBench(store, objects);
  await createRepositoryRow(former, { retentionPolicy: 'Keep' });
  const job = await former.addJob();
  await backUp(former, job);
  const setBack = await makeSuccessor(store, former);
  await attach(setBack);
  const [annsMail, , bobsMail] = objects;
  former.ground.pass(MINUTE);
  annsMail?.putItem('new', 'top', ANN);
  bobsMail?.putItem('new', 'top', BOB);
  const lost = await backUp(former, job);
  setBack.ground.pass(2 * MINUTE);
  annsMail?.putItem('new', 'top', 'only of ann, after that');
  bobsMail?.putItem('new', 'top', 'only of bob, after that');
  const present = await backUp(setBack, await setBack.addJob());
  for (const [file, bytes] of setBack.files) former.files.set(file, bytes);
  former.ground.pass(MINUTE);
  const bench = await makeSuccessor(store, former, retention);
  // The index has less than the files.
  for (const one of [former, setBack, bench]) one.isReadable = false;
  await attach(bench);
  return { bench, lost, present };
}

const requestRewrite = ({ ground: fixture, tenant }: SessionBench) =>
  fixture.context.store.tenant(tenant, ({ sql: db }) =>
    db
      .updateTable('repository_access')
      .set({ upkeep: JSON.stringify({ repack: true, rewrite: true }) })
      .where('tenant_id', '=', tenant)
      .execute(),
  );

/** Returns the contents that the snapshot of a point has; null: there is no such point. */
async function readPoint(bench: SessionBench, id: string): Promise<readonly string[] | null> {
  const snapshot = (await loadPoints(bench)).find((point) => point.id === id)?.snapshot;
  const opened = await bench.open();
  const tree = getValue(await opened.listSnapshots()).find((one) => one.id === snapshot)?.tree;
  const files = tree === undefined ? null : (await loadFiles(opened, tree)).files;
  await opened.close();
  return files && [...new Set(files.values())].filter((text) => text.endsWith('set back')).sort();
}

const loadUnnumbered = async ({ ground: fixture, tenant }: SessionBench) =>
  (
    await fixture.context.store.tenant(tenant, ({ sql: db }) =>
      db
        .selectFrom('restore_point')
        .select(['id', 'unnumbered'])
        .where('tenant_id', '=', tenant)
        .orderBy('at')
        .execute(),
    )
  ).map(({ id, unnumbered }) => ({ id, unnumbered: unnumbered.toSorted() }));

const LOST = [ANN, BOB].sort();

async function expectNoDamage(bench: SessionBench): Promise<void> {
  const opened = await bench.open();
  expect(getValue(await opened.check({ readData: true })).problems).toEqual([]);
  await opened.close();
}

eachDatabase((kind, open) => {
  test(`ENG-4, ENG-7: what attaching can't number is named, and stays when its snapshot is rewritten, also after crashes (${kind})`, async () => {
    const store = await open();
    for (const crashAt of PROOF > 1 ? [0, 1, 2, 3, 4, 5, 6, 7, 8, 99] : [1, 3, 99]) {
      const { bench, lost, present } = await makeDiverged(store);
      expect(await getFound(bench)).toEqual(
        ['ann', 'ann', 'bob', 'cem'].map((person) => `incomplete Person ${person}`),
      );
      expect(await readPoint(bench, lost)).toEqual(LOST);
      await requestRewrite(bench);
      await runCleanUp(bench, crashing(bench, crashAt)).catch(() => null);
      await requestRewrite(bench);
      bench.ground.pass(DAY);
      await runCleanUp(bench);
      expect({ crashAt, texts: await readPoint(bench, lost) }).toEqual({ crashAt, texts: LOST });
      expect(await loadCopies(bench, present)).toEqual(copiesNow(bench.objects));
      await expectNoDamage(bench);
      // Another server finds the same.
      const next = await makeSuccessor(store, bench);
      next.isReadable = false;
      await attach(next);
      await requestRewrite(next);
      await runCleanUp(next);
      expect(await readPoint(next, lost)).toEqual(LOST);
    }
  });

  test(`ENG-4, ENG-122: of what attaching can't number, a clean-up removes excluded people alone (${kind})`, async () => {
    const { bench, lost } = await makeDiverged(await open());
    await exclude(bench, 'ann');
    await runCleanUp(bench);
    expect(await readPoint(bench, lost)).toEqual([BOB]);
    expect(await findStored(bench, LOST)).toEqual([BOB]);
    await expectNoDamage(bench);
  });

  test(`ENG-4, ENG-121: a legal hold is also on what attaching can't number (${kind})`, async () => {
    const { bench, lost } = await makeDiverged(await open(), { retentionPolicy: 'Year1' });
    const id = randomUUID();
    const placed = { kind: 'user' as const, object: 'ann', name: 'ann', reason: 'A lawsuit' };
    await bench.append({
      type: 'organization.holdplaced@1',
      data: { id: bench.organization, hold: { id, ...placed, user: USER, until: null } },
    });
    bench.ground.pass(YEAR);
    await runCleanUp(bench);
    expect(await readPoint(bench, lost)).toEqual([ANN]);
    expect(await findStored(bench, LOST)).toEqual([ANN]);
    await bench.append({
      type: 'organization.holdreleased@1',
      data: { id: bench.organization, hold: id, user: USER, reason: 'It has ended' },
    });
    bench.ground.pass(DAY);
    await runCleanUp(bench);
    expect(await readPoint(bench, lost)).toBe(null);
    expect(await findStored(bench, LOST)).toEqual([]);
  });

  test(`ENG-4, ENG-52: item-level retention removes old items of what attaching can't number, too (${kind})`, async () => {
    const { bench, lost, present } = await makeDiverged(await open(), {
      retentionType: 'ItemLevel',
      retentionPolicy: 'Year1',
    });
    bench.ground.pass(10 * YEAR);
    await runCleanUp(bench);
    expect(await readPoint(bench, lost)).toEqual([]);
    expect(await readPoint(bench, present)).toEqual([]);
    expect(await findStored(bench, LOST)).toEqual([]);
    await expectNoDamage(bench);
  });

  test(`ENG-4: what an earlier version couldn't number is found by the problems that it listed (${kind})`, async () => {
    const store = await open();
    const { bench } = await makeDiverged(store);
    const expected = await loadUnnumbered(bench);
    expect(expected.flatMap(({ unnumbered }) => unnumbered)).toHaveLength(4);
    await store.tenant(bench.tenant, ({ sql: db }) =>
      db
        .updateTable('restore_point')
        .set({ unnumbered: '[]' })
        .where('tenant_id', '=', bench.tenant)
        .execute(),
    );
    await store.system(async (db) => {
      await sql`reset role`.execute(db);
      for (const statement of migration0131.statements)
        if (!statement.includes('add column')) await sql.raw(statement).execute(db);
    });
    expect(await loadUnnumbered(bench)).toEqual(expected);
  });
});
