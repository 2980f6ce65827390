import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import { makeFolderTarget } from '#server/engine/embedded/restic/folder-target.ts';
import { openRepository } from '#server/engine/embedded/restic/repository.ts';
import { isProtections } from '#server/engine/embedded/repositories/protections.ts';
import { systemChance } from '#server/platform/random.ts';
import { eachDatabase } from '../../db/databases.ts';
import { memoryObject, type MemoryObject } from '../memory-source.ts';
import { getValue, tools } from '../restic/fixtures.ts';
import { loadFiles, loadPoints } from '../session-bench.ts';
import { type LockedBench, makeLockedBench, writeSurvivors } from './locked-bench.ts';

const DAY: Ms = 86_400_000;
const USER = randomUUID();

function makeObjects(): MemoryObject[] {
  const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'bob')];
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 3; n += 1)
      memory.putItem(`i${n}`, 'top', `${memory.object.id} has ${n} ${'long '.repeat(500)}`);
  }
  return objects;
}

/**
 * Returns how many contents of a person a restore point has, in what nobody can delete until a moment, and
 * whether a hold is listed there.
 */
async function readSurvivors(locked: LockedBench, at: Ms, snapshot: string, person: string) {
  const folder = writeSurvivors(locked, at);
  const target = makeFolderTarget(folder, { chance: systemChance });
  const opened = getValue(await openRepository(target, { ...tools(), lock: 'none' }));
  const snapshots = getValue(await opened.listSnapshots());
  let tree = snapshots.find(({ id }) => id === snapshot)?.tree ?? '';
  for (const name of ['users', `${person}@example.com`]) {
    const node = getValue(await opened.readTree(tree)).find((one) => one.name === name);
    tree = node?.kind === 'dir' ? node.subtree : '';
  }
  const { files } = await loadFiles(opened, tree);
  rmSync(folder, { recursive: true });
  return { contents: files.size, isSaid: snapshots.some(isProtections) };
}

const loadSnapshot = async ({ bench }: LockedBench, point: string): Promise<string> =>
  (await loadPoints(bench)).find(({ id }) => id === point)?.snapshot ?? '';

const listData = ({ bucket }: LockedBench): string[] =>
  [...bucket.versions].flatMap(([key, versions]) =>
    /\/(data|snapshots)\//.test(key) && versions.some(({ bytes }) => bytes !== null) ? [key] : [],
  );

eachDatabase((name, open) => {
  for (const retentionType of ['SnapshotBased', 'ItemLevel'] as const)
    test(`ENG-121, OBJ-7: what is on legal hold is locked 30 days ahead for as long as the hold applies, and no longer than 40 days after its release (${retentionType}, ${name})`, async () => {
      const objects = makeObjects();
      const locked = await makeLockedBench(await open(), objects, { retentionType });
      const { bench, s3 } = locked;
      const point = await locked.backUp(await bench.addJob());
      const hold = randomUUID();
      const { organization } = bench;
      const placed = { kind: 'user' as const, object: 'ann', name: 'Ann', reason: 'A lawsuit' };
      await bench.append({
        type: 'organization.holdplaced@1',
        data: { id: organization, hold: { id: hold, ...placed, user: USER, until: null } },
      });
      // Longer than the retention and all locks of it.
      for (const days of [0, 340, 20, 20, 30]) {
        bench.ground.pass(days * DAY);
        await locked.cleanUp();
        const snapshot = await loadSnapshot(locked, point);
        expect(await readSurvivors(locked, s3.now() + 30 * DAY, snapshot, 'ann')).toEqual({
          contents: 3,
          isSaid: true,
        });
      }
      await bench.append({
        type: 'organization.holdreleased@1',
        data: { id: organization, hold, user: USER, reason: 'It has ended' },
      });
      const releasedAt = s3.now();
      const before = listData(locked);
      for (let days = 0; days < 3; days += 1) {
        await locked.cleanUp();
        bench.ground.pass(15 * DAY);
      }
      expect(s3.now()).toBe(releasedAt + 45 * DAY);
      await locked.cleanUp();
      const after = listData(locked);
      expect(before.length).toBeGreaterThan(0);
      // Points with item-level retention stay, without the items.
      const left =
        retentionType === 'ItemLevel' ? [] : after.filter((file) => before.includes(file));
      expect(left).toEqual([]);
    });
});
