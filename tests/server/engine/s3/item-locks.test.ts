import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeFolderTarget } from '#server/engine/embedded/restic/folder-target.ts';
import { openRepository } from '#server/engine/embedded/restic/repository.ts';
import { systemChance } from '#server/platform/random.ts';
import { eachDatabase } from '../../db/databases.ts';
import { memoryObject } from '../memory-source.ts';
import { getValue, tools } from '../restic/fixtures.ts';
import { loadFiles, loadPoints } from '../session-bench.ts';
import { makeLockedBench, writeSurvivors } from './locked-bench.ts';

const DAY = 86_400_000;

eachDatabase((name, open) => {
  test(`OBJ-7: with a retention per item, what describes folders stays locked 29 days ahead, however long ago it was written (${name})`, async () => {
    const mailbox = memoryObject('mailbox', 'ann');
    mailbox.putFolder('top', null, 'Clients');
    mailbox.putFolder('below', 'top', 'Tidewater');
    const locked = await makeLockedBench(await open(), [mailbox], { retentionType: 'ItemLevel' });
    const { bench, s3 } = locked;
    const job = await bench.addJob();
    // Longer than a year, and the folders never change.
    for (let n = 0; n < 4; n += 1) {
      mailbox.putItem(`i${n}`, 'below', `content ${n}`, s3.now());
      await locked.backUp(job);
      bench.ground.pass(130 * DAY);
      await locked.cleanUp();
    }
    const folder = writeSurvivors(locked, s3.now() + 29 * DAY);
    const target = makeFolderTarget(folder, { chance: systemChance });
    const opened = getValue(await openRepository(target, { ...tools(), lock: 'none' }));
    const snapshots = getValue(await opened.listSnapshots());
    const { snapshot } = (await loadPoints(bench)).at(-1) ?? {};
    const tree = snapshots.find(({ id }) => id === snapshot)?.tree ?? '';
    const { files, lines } = await loadFiles(opened, tree);
    rmSync(folder, { recursive: true });
    expect([...files.values()].sort()).toEqual(['content 2', 'content 3']);
    expect(lines.join('\n')).toContain('"Clients"');
    expect(lines.join('\n')).toContain('"Tidewater"');
  });
});
