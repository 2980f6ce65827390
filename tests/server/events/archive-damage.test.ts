import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NewEvent } from '#contract/events.ts';
import { backUp, restoreFrom } from '#server/platform/db/backup-file.ts';
import type { Store } from '#server/platform/db/store.ts';
import { checkLog } from '#server/platform/events/check-log.ts';
import { archiveLog } from '#server/platform/events/archive/archive-log.ts';
import { readInParts } from '#server/platform/events/read-log.ts';
import { NoArchive, rebuild } from '#server/platform/events/rebuild.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import { reportVerified } from '#server/report-integrity.ts';
import { eachDatabase, freshStore } from '../db/databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, problemDraft, runDraft } from '../db/drafts.ts';
import { getRandom } from '../http/hostile.ts';
import {
  ALL,
  appendAll,
  archive,
  damage,
  readCuts,
  readState,
  setSeen,
  subscribed,
} from './archived.ts';

const FLIPS = 24 * Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-archive-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Fourteen events: 1 to 3, 4 to 5, 6 to 9, 10 to 14. */
const BATCHES: readonly (readonly NewEvent[])[] = [
  [companyDraft(1), jobDraft(1), problemDraft(1, 1, 1)],
  [runDraft({ n: 1, problem: 1, message: 'failed' }), subscribed],
  [2, 3, 4, 5].map((n) => runDraft({ n })),
  [6, 7, 8, 9, 10].map((n) => runDraft({ n })),
];

const filled = async (store: Store): Promise<string> => {
  const tenant = await aTenant(store);
  await appendAll(store, tenant, BATCHES);
  return tenant;
};
const verifyOne = async (store: Store, tenant: string) => {
  const [one] = await verify(store, { only: [tenant], archive: folder });
  if (one === undefined) throw new Error('Nothing was verified.');
  return one;
};

/** A store whose transaction of this number is lost: not begun, or committed without an answer. */
const failing = (store: Store, fails: number, isCommitted: boolean): Store => {
  let count = 0;
  return {
    ...store,
    async tenant(tenant, work, how) {
      count += 1;
      if (count !== fails) return store.tenant(tenant, work, how);
      if (isCommitted) await store.tenant(tenant, work, how);
      throw new Error('lost');
    },
  };
};

eachDatabase((name, open) => {
  for (const isCommitted of [false, true])
    test(`ARCH-1, LOG-5: wherever archiving is killed, nothing is lost, and the next time ends it (${isCommitted ? 'after' : 'before'} a commit, ${name})`, async () => {
      const store = await open();
      const whole = await filled(store);
      let isWhole = false;
      let fails = 0;
      while (!isWhole) {
        fails += 1;
        const tenant = await aTenant(store);
        await appendAll(store, tenant, BATCHES);
        await setSeen(store, tenant, 9);
        const broken = failing(store, fails, isCommitted);
        isWhole = await archive(broken, tenant, { folder }).then(
          () => true,
          (error: unknown) => {
            expect((error as Error).message).toBe('lost');
            return false;
          },
        );
        const verified = await verifyOne(store, tenant);
        expect([fails, verified.damages, verified.rebuilt?.differences]).toEqual([fails, [], []]);
        await archive(store, tenant, { folder });
        expect(await readCuts(store, tenant)).toEqual({
          cut: 9,
          parts: [[1, 9]],
          events: [5, 10, 11, 12, 13, 14],
          hashes: [14],
        });
        const { tables } = await readState(store, tenant, 9);
        expect(Object.keys(tables)).toEqual(Object.keys((await readState(store, whole, 9)).tables));
        expect(isSound(await verifyOne(store, tenant))).toBe(true);
      }
      expect(fails, 'every transaction was lost once').toBeGreaterThan(8);
    });

  test(`ARCH-1: a draft and a file that a killed server left don't matter, and two servers move the cut once (${name})`, async () => {
    const store = await open();
    const tenant = await filled(store);
    const other = await filled(store);
    await archive(store, other, { folder });
    const [file = ''] = await readdir(join(folder, other));
    await archive(failing(store, 6, false), tenant, { folder }).catch(() => undefined);
    const left = join(folder, tenant, `${file}.aB3dEf`);
    await mkdir(left);
    await copyFile(join(folder, other, file), join(left, 'draft'));
    await utimes(left, 1, 1);
    // The slower one stops where it finds that the other one has moved the cut.
    const both = await Promise.allSettled([1, 2].map(() => archive(store, tenant, { folder })));
    const counts = both.map((one) => (one.status === 'fulfilled' ? one.value : 0));
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 14]);
    expect(await readdir(join(folder, tenant))).toHaveLength(1);
    expect((await readCuts(store, tenant)).parts).toEqual([[1, 14]]);
    expect(isSound(await verifyOne(store, tenant))).toBe(true);
  });

  test(`ARCH-1, LOG-11: a log that differs from its hashes isn't archived (${name})`, async () => {
    const store = await open();
    for (const statement of [
      'update event set at = at + 1 where seq = 2',
      'delete from event where seq = 2',
      'delete from log_hash where seq = 3',
      `update head set damaged_parts = 1`,
    ]) {
      const tenant = await filled(store);
      await damage(store, tenant, statement);
      const archived = await archive(store, tenant, { folder }).catch((error: Error) => error);
      if (statement.includes('head')) expect(archived).toBe(0);
      else expect((archived as Error).message).toMatch(/can't be archived/);
      expect((await readCuts(store, tenant)).cut).toBe(0);
    }
  });

  test(`LOG-11, G22: a flipped bit or a cut in a file of the archive is found and named, and so is a missing file (${name})`, async () => {
    const store = await open();
    const tenant = await filled(store);
    await setSeen(store, tenant, 5);
    await archive(store, tenant, { folder });
    await setSeen(store, tenant, 14);
    await archive(store, tenant, { folder });
    const files = (await readdir(join(folder, tenant))).map((one) => join(folder, tenant, one));
    const [file = ''] = files;
    expect(files).toHaveLength(2);
    const bytes = await readFile(file);
    const random = getRandom(SEED);
    for (let turn = 0; turn < FLIPS; turn++) {
      // Byte 9 of gzip names a system and changes no content.
      const place = turn === 0 ? 9 : Math.floor(random() * bytes.length);
      const wrong = turn % 8 === 7 ? bytes.subarray(0, place) : Buffer.from(bytes);
      if (turn % 8 !== 7) wrong[place] = (wrong[place] ?? 0) ^ (1 << (turn % 8));
      await writeFile(file, wrong);
      const { damages, rebuilt } = await verifyOne(store, tenant);
      expect([SEED, place, damages, rebuilt]).toEqual([
        SEED,
        place,
        [{ kind: 'bad-file', first: 1, last: 5, file }],
        null,
      ]);
    }
    await expect(rebuild(store, { only: [tenant], archive: folder, write: true })).rejects.toThrow(
      `The file ${file} is damaged.`,
    );
    await rm(file);
    const missing = await verifyOne(store, tenant);
    expect(missing.damages).toEqual([{ kind: 'no-file', first: 1, last: 5, file }]);
    expect([isSound(missing), reportVerified([missing])]).toEqual([false, 1]);
    await expect(rebuild(store, { only: [tenant] })).rejects.toThrow(NoArchive);
    await writeFile(file, bytes);
    expect(isSound(await verifyOne(store, tenant))).toBe(true);
  });

  test.for([
    ['a hash', `update log_cut set hash = repeat('0', 64) where seq = 5`],
    ['the last hash', `update log_cut set hash = repeat('0', 64) where seq = 9`],
    ['a first number', 'update log_cut set first_seq = 5 where seq = 9'],
    ['a last number', 'update log_cut set seq = 6 where seq = 5'],
    ['a sum', `update log_cut set sha256 = repeat('0', 64) where seq = 5`],
    ['a time', 'update log_cut set newest_at = newest_at + 1 where seq = 9'],
    ['a part', 'delete from log_cut where seq = 5'],
    ['the last part', 'delete from log_cut where seq = 9'],
    ['the cut', 'update head set cut_seq = 8'],
    ['no cut', 'update head set cut_seq = 0'],
    ['an event that bills need', 'update event set at = at + 1 where seq = 5'],
    ['its loss', 'delete from event where seq = 5'],
    ['a first event after the cut', 'delete from event where seq = 10'],
    ['a later event', 'update event set at = at + 1 where seq = 11'],
  ] as const)(
    `LOG-11, G22: damage of what the database says about its archive is found: %s (${name})`,
    async ([what, statement]) => {
      const store = await open();
      const tenant = await filled(store);
      for (const seen of [5, 9]) {
        await setSeen(store, tenant, seen);
        await archive(store, tenant, { folder });
      }
      expect(isSound(await verifyOne(store, tenant))).toBe(true);
      await damage(store, tenant, statement);
      const verified = await verifyOne(store, tenant);
      expect([what, verified.damages.length > 0]).toEqual([what, true]);
    },
  );

  test(`LOG-5, G22: a row from archived events that was tampered with is found and put right (${name})`, async () => {
    const store = await open();
    const tenant = await filled(store);
    await archive(store, tenant, { folder });
    const before = await readState(store, tenant, 14);
    await damage(store, tenant, `update run set row = '{"n":2}' where n = 2`);
    const [found] = await rebuild(store, { only: [tenant], archive: folder, write: true });
    expect(found?.differences.map(({ table, id }) => [table, id])).toEqual([['run', 2]]);
    expect(await readState(store, tenant, 14)).toEqual(before);
    expect(isSound(await verifyOne(store, tenant))).toBe(true);
  });

  test(`LOG-11: a check in parts finds nothing missing if events are archived meanwhile (${name})`, async () => {
    const store = await open();
    const tenant = await filled(store);
    let parts = 0;
    const read = readInParts(store, tenant);
    const checked = await checkLog(
      async (work) => {
        parts += 1;
        if (parts === 2) await archive(store, tenant, { folder });
        return read(work);
      },
      { isGrowing: true },
    );
    expect(checked).toMatchObject({ head: 14, sealed: 14, damages: [] });
  });

  test(`ARCH-1, G26: a backup of an archived log restores into the other database, with and without the archive, and is archived further there (${name})`, async () => {
    const from = await open();
    const tenant = await filled(from);
    await setSeen(from, tenant, 5);
    await archive(from, tenant, { folder });
    await setSeen(from, tenant, 14);
    const file = join(folder, `${name}.gz`);
    await backUp(from, file, 5);
    const to = await freshStore(name === 'pglite' ? 'postgres' : 'pglite');
    await restoreFrom(to, file);
    expect(await readState(to, tenant, 5)).toEqual(await readState(from, tenant, 5));
    expect(isSound(await verifyOne(to, tenant))).toBe(true);
    const own = join(folder, tenant);
    await rename(own, `${own}.away`);
    const [without] = await verify(to, { only: [tenant], archive: folder });
    expect(without).toMatchObject({
      damages: [{ kind: 'no-file', first: 1, last: 5 }],
      rebuilt: null,
    });
    await expect(archive(to, tenant, { folder })).rejects.toThrow('The archive has no file');
    await rename(`${own}.away`, own);
    expect(await archive(to, tenant, { folder })).toBe(9);
    expect(isSound(await verifyOne(to, tenant))).toBe(true);
    // The database that the backup came from goes on alone, with another history.
    await from.tenant(tenant, (tx) => tx.append([runDraft({ n: 20 })], byClock));
    await setSeen(from, tenant, 15);
    expect(await archive(from, tenant, { folder })).toBe(10);
    expect(isSound(await verifyOne(from, tenant))).toBe(true);
    expect(isSound(await verifyOne(to, tenant))).toBe(true);
  });

  test(`ARCH-1: archiving ends soon when the server stops (${name})`, async () => {
    const store = await open();
    const tenant = await filled(store);
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    await expect(
      archiveLog({ store, tenant, signal: stop.signal }, { ...ALL, folder }, byClock.at),
    ).rejects.toThrow('stopped');
    expect((await readCuts(store, tenant)).cut).toBe(0);
  });
});
