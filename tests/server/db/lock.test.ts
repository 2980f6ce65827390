import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderHeld, holdFolder } from '#server/platform/db/lock.ts';
import { child, type Child } from './children.ts';

let dir = '';
let started: Child[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'daybook-lock-'));
});
afterEach(async () => {
  for (const one of started) one.kill();
  await Promise.all(started.map((one) => one.ended));
  started = [];
  await rm(dir, { recursive: true, force: true });
});

const start = (): Child => {
  const one = child('hold', dir);
  started.push(one);
  return one;
};

test('LOCK-1, G21: a second process on one folder is refused with a message, also while the first is stopped; a killed one is replaced', async () => {
  const owner = start();
  expect(await owner.first).toEqual({ kind: 'held' });
  const second = start();
  expect(await second.first).toEqual({
    kind: 'refused',
    message: expect.stringMatching(`Another Daybook \\(process ${owner.process.pid} on `),
  });
  expect(await second.ended).toBe(1);

  owner.kill('SIGSTOP');
  expect(await start().first).toMatchObject({ kind: 'refused' });
  owner.kill('SIGCONT');

  owner.kill('SIGKILL');
  await owner.ended;
  expect(await start().first).toEqual({ kind: 'held' });
});

/** `PROOF=100` makes 100 races. */
const RACES = Number(process.env['PROOF'] ?? 1);
const RACERS = 6;

test('LOCK-2, G21: of many that find a dead owner at once, exactly one gets the folder', async () => {
  let dead = start();
  for (let race = 0; race < RACES; race += 1) {
    await dead.first;
    dead.kill();
    await dead.ended;
    const racers = Array.from({ length: RACERS }, start);
    const lines = await Promise.all(racers.map((one) => one.first));
    const [winner, ...others] = racers.filter((_, at) => lines[at]?.kind === 'held');
    expect([race, others.length]).toEqual([race, 0]);
    expect(lines.filter((line) => line.kind === 'refused')).toHaveLength(RACERS - 1);
    if (winner === undefined) throw new Error('Nobody got the folder.');
    dead = winner;
  }
});

test('LOCK-2: of a hundred in one process, exactly one holds the lock at a time, and no file is left behind', async () => {
  for (let round = 0; round < 10; round++) {
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => holdFolder(dir, 0)));
    const holds = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(holds).toHaveLength(1);
    expect(
      tries.every((one) => one.status === 'fulfilled' || one.reason instanceof FolderHeld),
    ).toBe(true);
    await holds[0]?.release();
  }
  expect(await readdir(dir)).toEqual([expect.stringMatching(/^lock\.\d+$/)]);
});

test('LOCK-3: an owner whose process ID belongs to another process, or from before a reboot, is dead', async () => {
  const hold = await holdFolder(dir, 0);
  const [name = ''] = (await readdir(dir)).filter((one) => /^lock\.\d+$/.test(one));
  const mine = JSON.parse(await readFile(join(dir, name), 'utf8')) as Record<string, unknown>;
  await hold.release();
  const as = (change: Record<string, unknown>): Promise<void> =>
    writeFile(
      join(dir, 'lock.50'),
      JSON.stringify({ ...mine, socket: null, released: false, ...change }),
    );

  await as({});
  await expect(holdFolder(dir, 0)).rejects.toThrow(FolderHeld); // this very process, alive
  await as({ pidSpace: 'pid:[1]' });
  // in another container, and nothing tells of its end
  await expect(holdFolder(dir, 0)).rejects.toThrow(FolderHeld);
  await as({ began: null, boot: null });
  // no /proc: its number is all there is
  await expect(holdFolder(dir, 0)).rejects.toThrow(FolderHeld);
  for (const dead of [
    { began: '1' },
    { boot: 'another' },
    { pid: 2 ** 22 + 1, began: null, boot: null },
  ]) {
    await as(dead);
    await (await holdFolder(dir, 0)).release();
    for (const one of await readdir(dir)) await rm(join(dir, one));
  }
});

test('LOCK-3, G20: a lock that a power cut left torn or empty is dead, unless it is younger than this boot or somebody listens', async () => {
  const lock = join(dir, 'lock.3');
  const leave = async (text: string, at: number): Promise<void> => {
    await writeFile(lock, text);
    await utimes(lock, at, at);
  };
  const now = Date.now() / 1000;
  for (const text of ['', '{"pid":12,"ho', 'null', '\0\0\0\0']) {
    await leave(text, now);
    await expect(holdFolder(dir, 0)).rejects.toThrow(`${lock} is unreadable`);
    await leave(text, 1);
    await (await holdFolder(dir, 0)).release();
    for (const one of await readdir(dir)) await rm(join(dir, one));
  }
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(join(dir, 'lock.x.sock'), resolve));
  await leave('', 1);
  await expect(holdFolder(dir, 0)).rejects.toThrow(`${lock} is unreadable`);
  await new Promise((resolve) => void server.close(resolve));
  await (await holdFolder(dir, 0)).release();
});
