import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { openKey } from '#server/engine/embedded/restic/keys.ts';
import { PROCESS_SPACE } from '#server/engine/embedded/restic/process-space.ts';
import { makeSealer } from '#server/engine/embedded/restic/seal.ts';
import { writeDocument } from '#server/engine/embedded/restic/unpacked.ts';
import { openRepository, pruneRepository } from '#server/engine/embedded/restic/repository.ts';
import {
  getKind,
  makeClock,
  makeRepository,
  openAt,
  PASSWORD,
  tools,
  getValue,
} from './fixtures.ts';

const MINUTE = 60_000;

test('ENG-7: many share a repository, one has it alone, and readers without a lock need none', async () => {
  const { target } = await makeRepository();
  const open = (lock: 'shared' | 'exclusive' | 'none') =>
    openRepository(target, { ...tools(), lock });
  const [first, second] = [getValue(await open('shared')), getValue(await open('shared'))];
  expect(getKind(await open('exclusive'))).toBe('busy');
  expect(getKind(await pruneRepository(target, tools()))).toBe('busy');
  getValue(await first.close());
  expect(getKind(await open('exclusive'))).toBe('busy');
  getValue(await second.close());
  const alone = getValue(await open('exclusive'));
  expect(getKind(await open('shared'))).toBe('busy');
  expect(getKind(await open('exclusive'))).toBe('busy');
  const reader = getValue(await open('none'));
  getValue(await reader.listSnapshots());
  expect(getKind(await reader.forget('ab'.repeat(32)))).toBe('forbidden');
  expect(getKind(await reader.addPassword('x'))).toBe('forbidden');
  getValue(await alone.close());
  expect(getValue(await target.list('locks'))).toEqual([]);
});

test('ENG-7: of several that want a repository for themselves at once, one gets it at most', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { target } = await makeRepository();
    const opened = await Promise.all(
      ['exclusive', 'shared', 'exclusive'].map((lock) =>
        openRepository(target, { ...tools(), lock: lock === 'shared' ? 'shared' : 'exclusive' }),
      ),
    );
    expect(opened.filter(({ ok }) => ok).length).toBeLessThanOrEqual(1);
    for (const repository of opened) if (repository.ok) getValue(await repository.value.close());
    expect(getValue(await target.list('locks'))).toEqual([]);
  }
});

test('ENG-7: a lock is kept for hours, and one that is not refreshed counts for nothing after 30 minutes', async () => {
  const { target } = await makeRepository();
  const clock = makeClock();
  const working = await openAt(target, { clock });
  await clock.pass(3 * 60 * MINUTE);
  getValue(await working.saveBlob('data', Buffer.from('late')));
  getValue(await working.flush());
  expect(getValue(await target.list('locks'))).toHaveLength(1);
  const other = (at: number) =>
    openRepository(target, { ...tools(makeClock(at)), lock: 'exclusive' });
  expect(getKind(await other(clock.now() + 29 * MINUTE))).toBe('busy');
  const taken = getValue(await other(clock.now() + 36 * MINUTE));
  getValue(await taken.close());
});

test('ENG-7: who could not refresh its lock writes nothing more', async () => {
  const { target } = await makeRepository();
  const clock = makeClock();
  let isAway = false;
  const shaky: typeof target = {
    ...target,
    write: async (type, name, bytes) =>
      isAway && type === 'locks'
        ? { ok: false, error: { kind: 'unreachable', message: 'away' } }
        : target.write(type, name, bytes),
  };
  const working = await openAt(shaky, { clock });
  getValue(await working.saveBlob('data', Buffer.from('early')));
  isAway = true;
  await clock.pass(20 * MINUTE);
  getValue(await working.flush());
  clock.sleep(10 * MINUTE);
  getValue(await working.saveBlob('data', Buffer.from('late')));
  expect(getKind(await working.flush())).toBe('ended');
  expect(getValue(await target.list('data'))).toHaveLength(1);
});

test('ENG-7: after a long sleep, in which others may have cleaned up, nothing more is written', async () => {
  const { target } = await makeRepository();
  const clock = makeClock();
  const working = await openAt(target, { clock });
  clock.sleep(26 * MINUTE);
  getValue(await working.saveBlob('data', Buffer.from('late')));
  expect(getKind(await working.flush())).toBe('ended');
  const other = await openAt(target, { clock });
  clock.sleep(26 * MINUTE);
  clock.wake();
  await expect.poll(async () => getValue(await target.list('locks'))).toHaveLength(0);
  expect(getKind(await other.forget('ab'.repeat(32)))).toBe('ended');
});

test('ENG-7: a lock of a former process with the same number counts for nothing', async () => {
  for (const startedAt of [undefined, performance.timeOrigin - 60_000]) {
    const { target } = await makeRepository();
    const lock = {
      time: new Date(performance.timeOrigin - 1_000).toISOString(),
      exclusive: false,
      hostname: hostname(),
      username: 'daybook',
      pid: process.pid,
      processSpace: PROCESS_SPACE,
      startedAt,
    };
    const { master } = getValue(await openKey(target, PASSWORD, tools()));
    const sealer = await makeSealer(master, tools().chance);
    getValue(await writeDocument(target, sealer, 'locks', JSON.stringify(lock)));
    const next = await openAt(target, { lock: 'exclusive' });
    expect(getKind(await openRepository(target, { ...tools(), lock: 'shared' }))).toBe('busy');
    getValue(await next.close());
  }
});

test('ENG-7: a lock of this process counts after the clock was set back to before its start', async () => {
  const { target } = await makeRepository();
  const clock = makeClock(performance.timeOrigin - 60 * MINUTE);
  const working = await openAt(target, { clock });
  expect(getKind(await openRepository(target, { ...tools(clock), lock: 'exclusive' }))).toBe(
    'busy',
  );
  getValue(await working.saveBlob('data', Buffer.from('mail')));
  getValue(await working.flush());
  getValue(await working.close());
});

test('ENG-7: a lock of a process that is gone on this computer counts for nothing, an unreadable one counts', async () => {
  const { target } = await makeRepository();
  const real = Object.getOwnPropertyDescriptor(process, 'pid');
  Object.defineProperty(process, 'pid', { value: 2 ** 22 + 1, configurable: true });
  try {
    await openAt(target); // left without closing it
  } finally {
    if (real) Object.defineProperty(process, 'pid', real);
  }
  const next = await openAt(target, { lock: 'exclusive' });
  getValue(await next.close());
  getValue(await target.write('locks', 'ab'.repeat(32), Buffer.from('not a lock')));
  expect(getKind(await openRepository(target, { ...tools(), lock: 'shared' }))).toBe('busy');
});

test('ENG-7: a process that this one cannot see may be alive, so its lock counts until it is 30 minutes old', async () => {
  for (const processSpace of ['another boot pid:[4026531836]', undefined]) {
    const { target } = await makeRepository();
    const clock = makeClock();
    const lock = {
      time: new Date(clock.now()).toISOString(),
      exclusive: false,
      hostname: hostname(),
      username: 'daybook',
      pid: 2 ** 22 + 1,
      ...(processSpace !== undefined && { processSpace }),
    };
    const master = getValue(await openKey(target, PASSWORD, tools())).master;
    const sealer = await makeSealer(master, tools().chance);
    getValue(await writeDocument(target, sealer, 'locks', JSON.stringify(lock)));
    const other = (at: number) =>
      openRepository(target, { ...tools(makeClock(at)), lock: 'exclusive' });
    expect(getKind(await other(clock.now() + 29 * MINUTE))).toBe('busy');
    getValue(await getValue(await other(clock.now() + 31 * MINUTE)).close());
  }
});

test('ENG-7: whose lock was removed by somebody with another clock writes no index and no restore point', async () => {
  const { target } = await makeRepository();
  const clock = makeClock();
  const working = await openAt(target, { clock });
  getValue(await working.saveBlob('data', Buffer.from('early')));
  const tree = getValue(await working.saveTree([])).id;
  getValue(await pruneRepository(target, tools(makeClock(clock.now() + 31 * MINUTE))));
  const snapshot = { at: clock.now(), tree, parent: null, paths: ['/'], tags: [], username: 'us' };
  expect(getKind(await working.saveSnapshot(snapshot))).toBe('ended');
  expect(getValue(await target.list('snapshots'))).toEqual([]);
  expect(getValue(await target.list('index'))).toEqual([]);
  expect(getKind(await working.forget('ab'.repeat(32)))).toBe('ended');
});

test('ENG-7: a clean-up that loses its database leaves no lock behind', async () => {
  const { target } = await makeRepository();
  const keepBlobs = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('no database')) }),
  };
  await expect(pruneRepository(target, { ...tools(), keepBlobs })).rejects.toThrow('no database');
  getValue(await pruneRepository(target, tools()));
});
