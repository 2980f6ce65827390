import { expect, test } from 'vitest';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import { readRepositoryUsage } from '#server/engine/embedded/repositories/repositories.ts';
import {
  requestCleanUp,
  requestVerification,
  storeRequest,
} from '#server/engine/embedded/repositories/requests.ts';
import { repositoryVerification } from '#server/engine/embedded/repositories/verify-job.ts';
import type { Repository } from '#server/engine/embedded/restic/repository.ts';
import { failed, ok } from '#server/engine/result.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { memoryObject } from './memory-source.ts';
import { getKind, getValue, makeMemoryTarget, openAt } from './restic/fixtures.ts';
import {
  backUp,
  copiesNow,
  createRepositoryRow,
  loadCopies,
  makeSessionBench,
  runCleanUp,
  type SessionBench,
} from './session-bench.ts';

const DAY = 86_400_000;

async function makeBackup(store: Store) {
  const objects = [memoryObject('mailbox', 'ann'), memoryObject('drive', 'bob')];
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 5; n += 1) memory.putItem(`i${n}`, 'top', `content ${n}`);
  }
  const bench = await makeSessionBench(store, objects);
  await createRepositoryRow(bench);
  const point = await backUp(bench, await bench.addJob());
  return { bench, point, copies: copiesNow(objects) };
}

const getScope = ({ tenant, organization }: SessionBench): EngineScope => ({
  tenant,
  organization,
  user: null,
});
const loadUsage = async (bench: SessionBench) =>
  getValue(await readRepositoryUsage(bench.ground.context, getScope(bench), bench.repository));

const countData = ({ files }: SessionBench): number =>
  [...files.keys()].filter((path) => path.startsWith('data/')).length;

const verify = (
  bench: SessionBench,
  openRepository = async (): Promise<EngineResult<Repository>> => ok(await bench.open()),
) =>
  repositoryVerification(bench.ground.context, { openRepository })({
    tenant: bench.tenant,
    payload: { repository: bench.repository },
    now: bench.ground.context.clock.now(),
    signal: new AbortController().signal,
  });

const openBusy = () => Promise.resolve(failed('busy', 'A clean-up runs.'));

eachDatabase((name, open) => {
  test(`ENG-57, ENG-7: a clean-up that was requested removes what nobody needs, and nothing else (${name})`, async () => {
    const { bench, point, copies } = await makeBackup(await open());
    const { context } = bench.ground;
    const repository = await bench.open();
    getValue(await repository.saveBlob('data', Buffer.from('of a session that never ended')));
    getValue(await repository.flush());
    await repository.close();
    const before = countData(bench);
    // Nothing has expired, so that the daily one has nothing to do.
    await runCleanUp(bench);
    expect(countData(bench)).toBe(before);
    expect((await loadUsage(bench)).cleanUp).toBeNull();

    const requestedAt = context.clock.now();
    getValue(await requestCleanUp(context, getScope(bench), bench.repository));
    expect((await loadUsage(bench)).cleanUp).toMatchObject({ requestedAt, endedAt: null });
    // Somebody else works with the repository.
    const other = await openAt(makeMemoryTarget(bench.files));
    expect(await runCleanUp(bench)).toBe(context.clock.now() + 20_000);
    expect((await loadUsage(bench)).cleanUp).toMatchObject({
      endedAt: null,
      message: expect.stringMatching(
        /^A backup session or another program has been using the repository since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
      ),
    });
    await other.close();
    bench.ground.pass(60_000);
    const endedAt = context.clock.now();
    expect(await runCleanUp(bench)).toBe(endedAt + DAY);
    const { cleanUp } = await loadUsage(bench);
    expect(cleanUp).toMatchObject({ requestedAt, endedAt, message: null, removedPoints: 0 });
    expect(cleanUp?.freedBytes).toBeGreaterThan(0);
    expect(countData(bench)).toBeLessThan(before);
    expect(await loadCopies(bench, point)).toEqual(copies);
    const cleaned = await bench.open();
    expect(getValue(await cleaned.check({ readData: true })).problems).toEqual([]);
    await cleaned.close();
  });

  test(`ENG-57: a verification that was requested reads all parts one after the other, and says what it found (${name})`, async () => {
    const { bench } = await makeBackup(await open());
    const { context } = bench.ground;
    getValue(await requestVerification(context, getScope(bench), bench.repository));
    const { verification } = await loadUsage(bench);
    expect(verification).toMatchObject({ endedAt: null, parts: { done: 0, total: null } });
    // As of a repository of three parts.
    if (verification === null) throw new Error('nothing was requested');
    await context.store.tenant(bench.tenant, (tx) =>
      storeRequest(tx, bench.repository, {
        verification: { ...verification, parts: { done: 0, total: 3 } },
      }),
    );
    bench.isReadable = false;
    for (const [path, bytes] of bench.files)
      if (path.startsWith('data/'))
        bench.files.set(
          path,
          bytes.map((byte) => byte ^ 1),
        );
    const now = context.clock.now();
    expect(await verify(bench, openBusy)).toBe(now + 20_000);
    expect((await loadUsage(bench)).verification).toMatchObject({ message: 'A clean-up runs.' });
    expect(await verify(bench)).toBe(now);
    expect((await loadUsage(bench)).verification).toMatchObject({
      endedAt: null,
      parts: { done: 1, total: 3 },
    });
    expect(await verify(bench)).toBe(now);
    expect(await verify(bench)).toBe(now + DAY);
    expect(await loadUsage(bench)).toMatchObject({
      verifiedAt: now,
      verification: { endedAt: now, parts: { done: 3, total: 3 }, damaged: 10 },
    });
  });

  test(`ENG-57: a request while another is open changes nothing, and one for no repository is refused (${name})`, async () => {
    const { bench } = await makeBackup(await open());
    const { context } = bench.ground;
    getValue(await requestCleanUp(context, getScope(bench), bench.repository));
    const { cleanUp } = await loadUsage(bench);
    bench.ground.pass(60_000);
    getValue(await requestCleanUp(context, getScope(bench), bench.repository));
    expect((await loadUsage(bench)).cleanUp).toEqual(cleanUp);
    expect(getKind(await requestCleanUp(context, getScope(bench), bench.organization))).toBe(
      'missing',
    );
  });
});
