import { expect, test } from 'vitest';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { attach, getFound } from './protections-bench.ts';
import { makeSuccessor } from './attach-bench.ts';
import { memoryObject, type MemoryCopy, type MemoryObject } from './memory-source.ts';
import { makeRandom } from './random.ts';
import { PROOF } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  createRepositoryRow,
  loadCopies,
  loadPoints,
  makeSessionBench,
  type SessionBench,
} from './session-bench.ts';

// A database is set back, and both Daybooks extend the repository, with the same numbers for different
// items. Retention has deleted some points of either. What attaching shows of a point is what the tenant
// had at that time; or the object is named as missing there.

const MINUTE = 60_000;
type Copies = Readonly<Record<string, MemoryCopy>>;

interface Line {
  readonly bench: SessionBench;
  readonly job: string;
}

async function backUpOnce(
  { bench, job }: Line,
  stored: Map<string, Copies>,
): Promise<{ readonly id: string; readonly snapshot: string }> {
  const id = await backUp(bench, job);
  stored.set(id, structuredClone(copiesNow(bench.objects)));
  const snapshot = (await loadPoints(bench)).find((point) => point.id === id)?.snapshot ?? '';
  return { id, snapshot };
}

/** Attaches the files of both on a third server. */
async function merge(store: Store, one: Line, other: Line): Promise<SessionBench> {
  for (const [file, bytes] of other.bench.files) one.bench.files.set(file, bytes);
  one.bench.ground.pass(60 * MINUTE);
  const bench = await makeSuccessor(store, one.bench);
  for (const line of [one.bench, other.bench, bench]) line.isReadable = false;
  await attach(bench);
  return bench;
}

async function diverge(store: Store, objects: MemoryObject[], stored: Map<string, Copies>) {
  const former = await makeSessionBench(store, objects);
  await createRepositoryRow(former, { retentionPolicy: 'Keep' });
  const one: Line = { bench: former, job: await former.addJob() };
  await backUpOnce(one, stored);
  const setBack = await makeSuccessor(store, former);
  await attach(setBack);
  return { one, other: { bench: setBack, job: await setBack.addJob() } satisfies Line };
}

/** Deletes the snapshot of a point, as retention does. */
function forget(
  { bench }: Line,
  { id, snapshot }: { readonly id: string; readonly snapshot: string },
  stored: Map<string, Copies>,
): void {
  bench.files.delete(`snapshots/${snapshot}`);
  stored.delete(id);
}

function pass({ one, other }: { readonly one: Line; readonly other: Line }): void {
  for (const { bench } of [one, other]) bench.ground.pass(MINUTE);
}

/** Returns how many objects of points the index has, after each was compared with what there was. */
async function compare(bench: SessionBench, stored: ReadonlyMap<string, Copies>): Promise<number> {
  let shown = 0;
  const problems = await getFound(bench);
  for (const [point, expected] of stored) {
    const copies = await loadCopies(bench, point);
    for (const [name, copy] of Object.entries(expected)) {
      const [, person] = name.split(' ');
      if (copies[name] === undefined) expect(problems).toContain(`incomplete Person ${person}`);
      else {
        expect({ point, name, copy: copies[name] }).toEqual({ point, name, copy });
        shown += 1;
      }
    }
  }
  return shown;
}

const makeMailbox = (): MemoryObject => {
  const memory = memoryObject('mailbox', 'ann');
  memory.putFolder('top', null, 'Inbox');
  for (const n of [1, 2, 3]) memory.putItem(`i${n}`, 'top', `common ${n}`);
  return memory;
};

eachDatabase((kind, open) => {
  test(`ENG-4: a point never shows items of the other line that have its numbers (${kind})`, async () => {
    const store = await open();
    const stored = new Map<string, Copies>();
    const memory = makeMailbox();
    const lines = await diverge(store, [memory], stored);
    memory.putItem('lost', 'top', 'only in the one line');
    pass(lines);
    const { id } = await backUpOnce(lines.one, stored);
    memory.removeItem('lost');
    memory.putItem('other', 'top', 'only in the other line');
    pass(lines);
    const between = await backUpOnce(lines.other, stored);
    memory.putItem('newest', 'top', 'newest of all');
    pass(lines);
    await backUpOnce(lines.other, stored);
    forget(lines.other, between, stored);
    const bench = await merge(store, lines.one, lines.other);
    expect(await compare(bench, stored)).toBe(2);
    expect(Object.keys(await loadCopies(bench, id))).toEqual([]);
  });

  test(`ENG-4: a point doesn't show what only newer points of the other line have (${kind})`, async () => {
    const store = await open();
    const stored = new Map<string, Copies>();
    const memory = makeMailbox();
    const lines = await diverge(store, [memory], stored);
    memory.putItem('one', 'top', 'in the one line');
    pass(lines);
    await backUpOnce(lines.one, stored);
    memory.removeItem('one');
    // It takes the number that the one line also gave, and is gone before the newest point.
    memory.putItem('gone', 'top', 'gone soon');
    memory.putItem('stays', 'top', 'stays in the other line');
    pass(lines);
    const between = await backUpOnce(lines.other, stored);
    memory.removeItem('gone');
    pass(lines);
    await backUpOnce(lines.other, stored);
    forget(lines.other, between, stored);
    expect(await compare(await merge(store, lines.one, lines.other), stored)).toBe(3);
  });

  test(`ENG-4: what both lines saved alike is shown in the points of both (${kind})`, async () => {
    const store = await open();
    const stored = new Map<string, Copies>();
    const memory = makeMailbox();
    const lines = await diverge(store, [memory], stored);
    memory.putItem('new', 'top', 'saved by both');
    pass(lines);
    await backUpOnce(lines.one, stored);
    const nothing = await backUpOnce(lines.other, stored);
    forget(lines.other, nothing, stored);
    memory.putItem('newest', 'top', 'newest of all');
    pass(lines);
    await backUpOnce(lines.other, stored);
    expect(await compare(await merge(store, lines.one, lines.other), stored)).toBe(3);
  });

  test(`ENG-4: any two lines are shown truly or named as incomplete (${kind})`, async () => {
    const store = await open();
    let shown = 0;
    for (let seed = 1; seed <= 4 * PROOF; seed += 1) {
      const random = makeRandom(seed + Number(process.env['SEED'] ?? 0) * 1_000);
      const stored = new Map<string, Copies>();
      const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'bob')];
      for (const memory of objects) for (const key of ['top', 'old']) memory.putFolder(key, null);
      for (const memory of objects) change(memory, random);
      const lines = await diverge(store, objects, stored);
      const made: { readonly line: Line; readonly id: string; readonly snapshot: string }[] = [];
      for (let session = 0; session < 6; session += 1) {
        for (const memory of objects)
          for (let times = random(4); times > 0; times -= 1) change(memory, random);
        pass(lines);
        const line = random(2) === 0 ? lines.one : lines.other;
        made.push({ line, ...(await backUpOnce(line, stored)) });
      }
      // The newest point of a repository stays.
      for (const point of made.slice(0, -1)) if (random(2) === 0) forget(point.line, point, stored);
      const bench = await merge(store, lines.one, lines.other);
      shown += await compare(bench, stored);
      const newest = made.at(-1)?.id ?? '';
      expect(await loadCopies(bench, newest)).toEqual(stored.get(newest));
    }
    expect(shown).toBeGreaterThan(4 * PROOF * 2);
  });
});

function change(memory: MemoryObject, random: (max: number) => number): void {
  const key = `i${random(6)}`;
  const folder = random(2) === 0 ? 'top' : 'old';
  switch (random(5)) {
    case 0:
      return memory.removeItem(key);
    case 1:
      return memory.moveItem(key, folder);
    case 2:
      return memory.putFolder('old', null, `Old ${random(3)}`);
    default:
      return memory.putItem(key, folder, `content ${random(50)}`);
  }
}
