import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eachDatabase } from '../db/databases.ts';
import { makeSuccessor } from './attach-bench.ts';
import { makePeople } from './people.ts';
import {
  attach,
  exclude,
  filterBy,
  getFound,
  loadOrganization,
  readRepository,
  USER,
} from './protections-bench.ts';
import {
  backUp,
  copiesNow,
  crashing,
  createRepositoryRow,
  loadCopies,
  loadPoints,
  makeSessionBench,
  runCleanUp,
  type SessionBench,
} from './session-bench.ts';

const DAY = 86_400_000;
const YEAR = 366 * DAY;

async function hold(bench: SessionBench, person: string, until: number | null = null) {
  const id = randomUUID();
  const { organization } = bench;
  const placed = { kind: 'user' as const, object: person, name: person, reason: 'A lawsuit' };
  await bench.append({
    type: 'organization.holdplaced@1',
    data: { id: organization, hold: { id, ...placed, user: USER, until } },
  });
  return () =>
    bench.append({
      type: 'organization.holdreleased@1',
      data: { id: organization, hold: id, user: USER, reason: 'It has ended' },
    });
}

eachDatabase((name, open) => {
  test(`ENG-122, ENG-4: a repository whose clean-up was interrupted anywhere is attached without an excluded person, says so, and loses the rest of them (${name})`, async () => {
    const store = await open();
    let withRest = 0;
    for (const crashAt of [2, 4, 7]) {
      const objects = makePeople();
      const former = await makeSessionBench(store, objects);
      await createRepositoryRow(former, { retentionPolicy: 'Keep' });
      // Its snapshots are not rewritten yet.
      former.isReadable = false;
      const point = await backUp(former, await former.addJob());
      const copy = filterBy(copiesNow(objects), (person) => person !== 'ann');
      await exclude(former, 'ann');
      await runCleanUp(former, crashing(former, crashAt)).catch(() => null);
      const { texts, records } = await readRepository(former);
      if (records === 0) continue;
      if (texts.has('only of mailbox ann')) withRest += 1;
      const bench = await makeSuccessor(store, former);
      await attach(bench);
      expect(await loadPoints(bench)).toMatchObject([{ id: point, complete: true }]);
      expect(await loadCopies(bench, point)).toEqual(copy);
      expect(await loadOrganization(bench)).toEqual({ holds: [], excluded: ['ann'] });
      expect(await getFound(bench)).toEqual([
        expect.stringMatching(/^excluded (Person )?ann$/) as string,
      ]);
      await runCleanUp(bench);
      const after = await readRepository(bench);
      expect([...after.texts].filter((text) => text.includes('ann'))).toEqual([]);
      expect(after.records).toBe(1);
      // Nothing of the person is backed up here either.
      const next = await backUp(bench, await bench.addJob());
      expect(await loadCopies(bench, next)).toEqual(copy);
    }
    expect(withRest).toBeGreaterThan(0);
  });

  test(`ENG-121, ENG-4: legal holds that apply come with an attached repository, are named, and outlive its retention (${name})`, async () => {
    const objects = makePeople();
    const store = await open();
    const former = await makeSessionBench(store, objects);
    await createRepositoryRow(former, { retentionPolicy: 'Keep' });
    const point = await backUp(former, await former.addJob());
    const copy = copiesNow(objects);
    const until = former.ground.context.clock.now() + 2 * YEAR;
    await hold(former, 'bob', until);
    const release = await hold(former, 'cem');
    await hold(former, 'ann', former.ground.context.clock.now() + DAY);
    await runCleanUp(former);
    await release();
    former.ground.pass(2 * DAY);
    await runCleanUp(former);
    expect((await readRepository(former)).records).toBe(1);

    const bench = await makeSuccessor(store, former, { retentionPolicy: 'Year1' });
    await attach(bench);
    const bob = { kind: 'user', object: 'bob', reason: 'A lawsuit', until };
    expect(await loadOrganization(bench)).toEqual({ holds: [bob], excluded: [] });
    expect(await getFound(bench)).toEqual(['on-hold bob']);
    expect(await loadCopies(bench, point)).toEqual(copy);
    // Attached again, nothing is taken over twice.
    await attach(bench);
    expect(await loadOrganization(bench)).toEqual({ holds: [bob], excluded: [] });
    bench.ground.pass(YEAR);
    await runCleanUp(bench);
    expect(await loadCopies(bench, point)).toEqual(filterBy(copy, (person) => person === 'bob'));
    bench.ground.pass(YEAR);
    await runCleanUp(bench);
    expect(await loadPoints(bench)).toEqual([]);
    // Nothing is left to say.
    expect(await readRepository(bench)).toEqual({ texts: new Set(), records: 0 });
  });

  test(`ENG-121, ENG-122: of a hold and an exclusion that meet when a repository is attached, the hold comes first, and says so (${name})`, async () => {
    const objects = makePeople();
    const store = await open();
    const former = await makeSessionBench(store, objects);
    await createRepositoryRow(former, { retentionPolicy: 'Keep' });
    const point = await backUp(former, await former.addJob());
    const copy = copiesNow(objects);
    await hold(former, 'bob');
    await runCleanUp(former);
    const bench = await makeSuccessor(store, former);
    // Here, bob is excluded; there, he is on hold.
    await exclude(bench, 'bob');
    await attach(bench);
    expect(await getFound(bench)).toEqual(['excluded-on-hold Person bob', 'on-hold bob']);
    await runCleanUp(bench);
    expect(await loadCopies(bench, point)).toEqual(copy);
    const { holds = [] } =
      (await store.tenant(bench.tenant, async (tx) =>
        (await tx.rows('organization', [bench.organization])).get(bench.organization),
      )) ?? {};
    for (const { id } of holds)
      await bench.append({
        type: 'organization.holdreleased@1',
        data: { id: bench.organization, hold: id, user: USER, reason: 'It has ended' },
      });
    await runCleanUp(bench);
    expect(await loadCopies(bench, point)).toEqual(filterBy(copy, (person) => person !== 'bob'));
    expect([...(await readRepository(bench)).texts].filter((text) => text.includes('bob'))).toEqual(
      [],
    );
  });

  test(`ENG-122: a copy of a repository that still has an excluded person brings nobody back (${name})`, async () => {
    const objects = makePeople();
    const bench = await makeSessionBench(await open(), objects);
    await createRepositoryRow(bench, { retentionPolicy: 'Keep' });
    const point = await backUp(bench, await bench.addJob());
    const before = new Map(bench.files);
    await exclude(bench, 'ann');
    await runCleanUp(bench);
    bench.files.clear();
    for (const [file, bytes] of before) bench.files.set(file, bytes);
    await attach(bench);
    const copy = filterBy(copiesNow(objects), (person) => person !== 'ann');
    expect(await getFound(bench)).toEqual(['excluded Person ann']);
    expect(await loadCopies(bench, point)).toEqual(copy);
    await runCleanUp(bench);
    expect([...(await readRepository(bench)).texts].filter((text) => text.includes('ann'))).toEqual(
      [],
    );
  });
});
