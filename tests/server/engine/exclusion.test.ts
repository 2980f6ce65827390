import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OrganizationId } from '#contract/ids.ts';
import { repositoryAttachment } from '#server/engine/embedded/attach/attach-job.ts';
import { beginAttachment, storeAttachment } from '#server/engine/embedded/attach/attachment.ts';
import { cleanUp } from '#server/engine/embedded/repositories/clean-up-job.ts';
import { loadRemovals } from '#server/engine/embedded/repositories/exclusions.ts';
import { isProtections } from '#server/engine/embedded/repositories/protections.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import type { MemoryCopy } from './memory-source.ts';
import { exclude, findStored, makePeople } from './people.ts';
import { getValue, makeMemoryTarget, PASSWORD } from './restic/fixtures.ts';
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
  withoutWaits,
} from './session-bench.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const DAY = 86_400_000;

type Copies = Readonly<Record<string, MemoryCopy>>;

const getPerson = (name: string): string => name.split(' ')[1] ?? '';

const without = (copies: Copies, people: ReadonlySet<string>): Copies =>
  Object.fromEntries(Object.entries(copies).filter(([name]) => !people.has(getPerson(name))));

const getTexts = (copies: Copies): string[] =>
  Object.values(copies)
    .flatMap(({ items }) => items.map(({ content }) => content))
    .sort();

/** A clean-up whose process dies at a transaction. */
function runDyingCleanUp(bench: SessionBench, at: number): Promise<unknown> {
  const context = withoutWaits(bench);
  let count = 0;
  const runInTenant = context.store.tenant.bind(context.store);
  const store = Object.create(context.store) as Store;
  const dying: Store['tenant'] = (tenant, work, options) => {
    count += 1;
    return count > at ? Promise.reject(new Error('crash')) : runInTenant(tenant, work, options);
  };
  Object.defineProperty(store, 'tenant', { value: dying });
  return cleanUp({ ...context, store }, async () => ({
    ok: true,
    value: { target: makeMemoryTarget(bench.files), password: PASSWORD },
  }))({
    tenant: bench.tenant,
    payload: { repository: bench.repository },
    now: bench.ground.context.clock.now(),
    signal: new AbortController().signal,
  });
}

/** Whether the removal of each excluded person is done. */
const loadRemovalStates = async ({ ground: fixture, tenant, organization }: SessionBench) =>
  (
    await fixture.context.store.tenant(tenant, (tx) =>
      loadRemovals(tx, organization as OrganizationId),
    )
  ).map(({ isDone }) => isDone);

/** Rebuilds the index of the repository from its files. */
async function attach(bench: SessionBench): Promise<void> {
  const { ground: fixture, tenant, repository } = bench;
  await fixture.context.store.tenant(tenant, (tx) =>
    storeAttachment(tx, repository, beginAttachment(fixture.context.clock.now())),
  );
  await repositoryAttachment(withoutWaits(bench), async () => ({
    ok: true,
    value: { target: makeMemoryTarget(bench.files), password: PASSWORD },
  }))({
    tenant,
    payload: { repository },
    now: fixture.context.clock.now(),
    signal: new AbortController().signal,
  });
}

/** What the repository itself has of a restore point, as restic would restore it. */
async function snapshotTexts(bench: SessionBench, snapshot: string): Promise<string[]> {
  const repository = await bench.open();
  const { problems, files: damaged } = getValue(await repository.check({ readData: true }));
  expect([problems, damaged]).toEqual([[], []]);
  const { tree } =
    getValue(await repository.listSnapshots()).find(({ id }) => id === snapshot) ?? {};
  const { files } = await loadFiles(repository, tree ?? '');
  await repository.close();
  return [...files.values()].sort();
}

const countIndexRows = ({ ground: fixture, tenant }: SessionBench, people: ReadonlySet<string>) =>
  fixture.context.store.tenant(tenant, async ({ sql }) => {
    const rows = [];
    for (const table of ['item', 'folder', 'listed_item', 'object_cursor', 'object_point'] as const)
      rows.push(
        ...(await sql
          .selectFrom(table)
          .innerJoin('backup_object as o', (join) =>
            join
              .onRef('o.tenant_id', '=', `${table}.tenant_id`)
              .onRef('o.n', '=', `${table}.object_n`),
          )
          .select('o.n')
          .where('o.tenant_id', '=', tenant)
          .where('o.directory_id', 'in', ['', ...people])
          .execute()),
      );
    return rows.length;
  });

eachDatabase((kind, open) => {
  test(`ENG-122: excluded people are gone from all restore points at once, from the repository after a clean-up, and are not backed up until the exclusion ends (${kind})`, async () => {
    const action = fc.record({
      put: fc.array(fc.nat(4), { maxLength: 3 }),
      remove: fc.array(fc.nat(4), { maxLength: 2 }),
      object: fc.nat(3),
      toggles: fc.array(fc.constantFrom('ann', 'bob'), { maxLength: 2 }),
      crashAt: fc.option(fc.nat(10)),
      diesAt: fc.option(fc.nat(14)),
      isCleaned: fc.boolean(),
    });
    const store = await open();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('SnapshotBased' as const, 'ItemLevel' as const),
        fc.constantFrom('Year1' as const, 'Keep' as const),
        fc.array(action, { minLength: 3, maxLength: 6 }),
        async (retentionType, retentionPolicy, actions) => {
          const objects = makePeople();
          const bench = await makeSessionBench(store, objects);
          await createRepositoryRow(bench, { retentionType, retentionPolicy });
          const job = await bench.addJob();
          /** The slow, obvious history: whole copies, which lose people when they are excluded. */
          let made: { readonly id: string; copy: Copies }[] = [];
          const ends = new Map<string, () => Promise<void>>();
          /** Also those whose exclusion has ended while their backups are being removed. */
          const blocked = new Set<string>();
          const contents = new Set<string>();
          for (const { put, remove, object, toggles, crashAt, diesAt, isCleaned } of actions) {
            const memory = objects[object];
            for (const n of put)
              memory?.putItem(
                `i${n}`,
                'top',
                `${n} of ${memory.object.kind} ${memory.object.id} at ${made.length}`,
                bench.ground.context.clock.now(),
              );
            for (const n of remove) memory?.removeItem(`i${n}`);
            const copy = without(copiesNow(objects), blocked);
            for (const content of getTexts(copy)) contents.add(content);
            made.push({ id: await backUp(bench, job), copy });
            for (const person of toggles) {
              const end = ends.get(person);
              if (end === undefined) {
                ends.set(person, await exclude(bench, person));
                blocked.add(person);
                made = made.map((point) => ({
                  ...point,
                  copy: without(point.copy, new Set([person])),
                }));
              } else {
                await end();
                ends.delete(person);
              }
            }
            // Hidden at once.
            for (const point of made) expect(await loadCopies(bench, point.id)).toEqual(point.copy);
            bench.ground.pass(DAY);
            if (diesAt !== null) await runDyingCleanUp(bench, diesAt).catch(() => null);
            if (crashAt !== null)
              await runCleanUp(bench, crashing(bench, crashAt)).catch(() => null);
            const isDone = isCleaned || actions.at(-1)?.crashAt === crashAt;
            if (!isDone) {
              // A clean-up that died may have come to its end.
              const removals = await bench.ground.context.store.tenant(bench.tenant, (tx) =>
                loadRemovals(tx, bench.organization as OrganizationId),
              );
              for (const { person, isDone: isOver } of removals)
                if (isOver && !ends.has(person)) blocked.delete(person);
              continue;
            }
            await runCleanUp(bench);
            for (const person of blocked) if (!ends.has(person)) blocked.delete(person);
            const points = await loadPoints(bench);
            expect(points.map(({ id, complete }) => ({ id, complete }))).toEqual(
              made.map(({ id }) => ({ id, complete: true })),
            );
            for (const point of made) {
              expect(await loadCopies(bench, point.id)).toEqual(point.copy);
              const snapshot = points.find(({ id }) => id === point.id)?.snapshot ?? '';
              expect(await snapshotTexts(bench, snapshot)).toEqual(getTexts(point.copy));
            }
            const needed = new Set(made.flatMap((point) => getTexts(point.copy)));
            expect(await findStored(bench, contents)).toEqual([...needed].sort());
            expect(await countIndexRows(bench, new Set(ends.keys()))).toBe(0);
          }
        },
      ),
      { numRuns: 3 * PROOF, endOnFailure: true },
    );
  });

  test(`ENG-122: a person who is excluded while a session reads is in no restore point of it, and the log says how many objects later sessions leave out (${kind})`, async () => {
    const objects = makePeople();
    const bench = await makeSessionBench(await open(), objects);
    await createRepositoryRow(bench);
    const job = await bench.addJob();
    const [mailbox] = objects;
    let isExcluded = false;
    if (mailbox)
      mailbox.trouble.onPage = async () => {
        if (isExcluded) return;
        isExcluded = true;
        await exclude(bench, 'ann');
      };
    const ann = new Set(['ann']);
    const point = await backUp(bench, job);
    expect(isExcluded).toBe(true);
    expect(await loadCopies(bench, point)).toEqual(without(copiesNow(objects), ann));
    await runCleanUp(bench);
    expect(await countIndexRows(bench, ann)).toBe(0);
    const stored = await findStored(bench, getTexts(copiesNow(objects)));
    expect(stored).toEqual([...new Set(getTexts(without(copiesNow(objects), ann)))].sort());
    const next = await backUp(bench, job);
    expect(await loadCopies(bench, next)).toEqual(without(copiesNow(objects), ann));
    const lines = await bench.ground.context.store.tenant(bench.tenant, ({ sql }) =>
      sql
        .selectFrom('backup_log')
        .select('message')
        .where('tenant_id', '=', bench.tenant)
        .where('message', 'like', '%on request.')
        .execute(),
    );
    // Of each person, a job selects mailbox, archive and OneDrive.
    expect(lines.map(({ message }) => message)).toEqual([
      '3 objects are excluded from backups on request.',
    ]);
  });

  test(`ENG-122: what an older copy of the repository brings back of an excluded person is hidden before anybody sees it, and removed (${kind})`, async () => {
    const objects = makePeople();
    const bench = await makeSessionBench(await open(), objects);
    await createRepositoryRow(bench, { retentionPolicy: 'Keep' });
    const point = await backUp(bench, await bench.addJob());
    const copies = copiesNow(objects);
    const older = new Map(bench.files);
    const ann = new Set(['ann']);
    await exclude(bench, 'ann');
    await runCleanUp(bench);
    bench.files.clear();
    for (const [name, bytes] of older) bench.files.set(name, bytes);
    await attach(bench);
    expect(await loadCopies(bench, point)).toEqual(without(copies, ann));
    expect(await loadRemovalStates(bench)).toEqual([false]);
    await runCleanUp(bench);
    expect(await loadRemovalStates(bench)).toEqual([true]);
    expect(await countIndexRows(bench, ann)).toBe(0);
    expect(await findStored(bench, getTexts(copies))).toEqual([
      ...new Set(getTexts(without(copies, ann))),
    ]);
  });

  test(`ENG-122: a person is removed from snapshots that have no restore point, and others stay in them (${kind})`, async () => {
    const objects = makePeople();
    const bench = await makeSessionBench(await open(), objects);
    await createRepositoryRow(bench, { retentionPolicy: 'Keep' });
    const { tenant, ground: fixture } = bench;
    // Of another server, which has its points.
    const foreign = await backUp(bench, await bench.addJob());
    await fixture.context.store.tenant(tenant, async ({ sql }) => {
      for (const table of ['restore_point', 'object_point'] as const)
        await sql.deleteFrom(table).where('tenant_id', '=', tenant).execute();
    });
    // A session of ann alone is killed after its snapshot, before its end is stored.
    const job = await bench.addJob({
      backupType: 'SelectedItems',
      selectedItems: [{ type: 'User', id: 'ann', parts: ['mailbox'] }],
    });
    const session = (await bench.start(job)) ?? '';
    let isDead = false;
    const memory = makeMemoryTarget(bench.files);
    const target = {
      ...memory,
      write: async (...file: Parameters<typeof memory.write>) => {
        isDead ||= file[0] === 'snapshots';
        return memory.write(...file);
      },
    };
    const { store } = fixture.context;
    const dying = Object.create(store) as Store;
    const runInTenant: Store['tenant'] = (id, work, options) =>
      isDead ? Promise.reject(new Error('crash')) : store.tenant(id, work, options);
    Object.defineProperty(dying, 'tenant', { value: runInTenant });
    await expect(bench.run(session, { store: dying, target })).rejects.toThrow('crash');
    const ann = new Set(['ann']);
    await exclude(bench, 'ann');
    for (let runs = 0; runs < 3; runs += 1) {
      if ((await bench.run(session)) === null) break;
      fixture.pass(DAY);
    }
    expect(await loadPoints(bench)).toEqual([]);
    await runCleanUp(bench);
    expect(await loadRemovalStates(bench)).toEqual([true]);
    const repository = await bench.open();
    const [snapshot, ...others] = getValue(await repository.listSnapshots()).filter(
      (one) => !isProtections(one),
    );
    await repository.close();
    expect([foreign === '', others]).toEqual([false, []]);
    expect(await snapshotTexts(bench, snapshot?.id ?? '')).toEqual(
      getTexts(without(copiesNow(objects), ann)),
    );
  });
});
