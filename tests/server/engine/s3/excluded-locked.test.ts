import { expect, test } from 'vitest';
import type { BackupRepositoryId, ExclusionId, OrganizationId } from '#contract/ids.ts';
import { hidePerson, loadRemovals } from '#server/engine/embedded/repositories/exclusions.ts';
import { openStoredRepository } from '#server/engine/embedded/repositories/repositories.ts';
import { eachDatabase } from '../../db/databases.ts';
import { byClock } from '../../db/drafts.ts';
import { memoryObject } from '../memory-source.ts';
import { getValue } from '../restic/fixtures.ts';
import { loadFiles, loadPoints } from '../session-bench.ts';
import { makeLockedBench } from './locked-bench.ts';

const DAY = 86_400_000;
const USER = '00000000-0000-4000-8000-000000000001';
const EXCLUSION = '00000000-0000-4000-8000-000000000002' as ExclusionId;

eachDatabase((name, open) => {
  test(`ENG-122, OBJ-8: in a bucket with Object Lock, an excluded person is hidden at once, and every file with their data is deleted by the first clean-up after the date that is shown (${name})`, async () => {
    const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'bob')];
    for (const memory of objects) {
      memory.putFolder('top', null, 'Inbox');
      for (let n = 0; n < 4; n += 1) memory.putItem(`i${n}`, 'top', `${memory.object.id} has ${n}`);
    }
    const locked = await makeLockedBench(await open(), objects);
    const { bench, bucket, context, s3 } = locked;
    const { tenant } = bench;
    const organization = bench.organization as OrganizationId;
    const repository = bench.repository as BackupRepositoryId;
    const job = await bench.addJob();
    const first = await locked.backUp(job);
    await locked.cleanUp();
    /** Every file that the bucket has before the exclusion may have the person's data. */
    const before = new Set(
      [...bucket.versions].flatMap(([key, versions]) =>
        /\/(data|snapshots)\//.test(key) && versions.some(({ bytes }) => bytes !== null)
          ? [key]
          : [],
      ),
    );
    bench.ground.pass(DAY);
    await context.store.tenant(tenant, async (tx) => {
      await hidePerson(tx, { organization, id: 'ann' }, s3.now());
      const exclusion = { id: EXCLUSION, object: 'ann', name: 'Ann', reason: 'So', user: USER };
      const data = { id: organization, exclusion };
      await tx.append(
        [
          {
            company: 1,
            entity: 'test:1',
            event: { type: 'organization.personexcluded@1', data },
          },
        ],
        { ...byClock, at: s3.now() },
      );
    });
    const loadState = async () => {
      const [state] = await context.store.tenant(tenant, (tx) => loadRemovals(tx, organization));
      return state;
    };
    const readTexts = async (): Promise<string> => {
      const opened = getValue(await openStoredRepository(context, tenant, repository));
      const texts: string[] = [];
      for (const { tree } of getValue(await opened.listSnapshots())) {
        const { files, lines } = await loadFiles(opened, tree);
        texts.push(...files.values(), ...lines);
      }
      await opened.close();
      return texts.join('\n');
    };
    expect(await loadState()).toMatchObject({ isDone: false });
    expect(await readTexts()).toContain('ann has 1');
    expect(await readTexts()).toContain('Person ann');
    await locked.cleanUpIfDue();

    // Hidden: restic, which reads the newest versions, doesn't find it either.
    const texts = await readTexts();
    expect(texts).toContain('bob has 1');
    expect(texts).not.toContain('ann has');
    expect(texts).not.toContain('Person ann');
    const removal = await loadState();
    expect(removal?.isDone).toBe(true);
    const until = removal?.lockedUntil ?? 0;
    const getLeft = () => [...before].filter((key) => (bucket.versions.get(key) ?? []).length > 0);
    const hidden = getLeft().filter((key) => !bucket.objects.has(key));
    expect(hidden.length).toBeGreaterThan(1);
    const last = Math.max(
      ...hidden.flatMap((key) =>
        (bucket.versions.get(key) ?? []).map(({ lock }) => lock?.until ?? 0),
      ),
    );
    // By what the storage says; files of the clean-up itself may be locked a day longer.
    expect(until).toBeGreaterThanOrEqual(last);
    expect(until).toBeLessThanOrEqual(last + DAY);
    expect(until).toBeGreaterThan(s3.now());

    // Backups of others go on, and no lock of what was removed becomes longer.
    bench.ground.pass(DAY);
    const later = await locked.backUp(job);
    await locked.cleanUp();
    expect((await loadPoints(bench)).map(({ id }) => id)).toEqual([first, later]);
    for (let day = s3.now(); day < until; day += 100 * DAY) {
      bench.ground.pass(Math.min(100 * DAY, until - s3.now()));
      expect(await loadState()).toMatchObject({ lockedUntil: until });
      await locked.cleanUp();
    }
    bench.ground.pass(1);
    await locked.cleanUp();
    expect(await loadState()).toMatchObject({ isDone: true, lockedUntil: null });
    expect(hidden.filter((key) => (bucket.versions.get(key) ?? []).length > 0)).toEqual([]);
  });
});
