import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '#server/platform/db/open.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import { child, type Line } from './children.ts';
import { getRandom } from '../http/hostile.ts';
import { migratedFolder, QUIET } from './databases.ts';
import {
  type Disk,
  type Loss,
  makeDisk,
  readRecord,
  readStart,
  type Recorded,
  type Start,
} from './disk-record.ts';
import { aTenant } from './drafts.ts';

const CUTS = 6 * Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));

const folder = mkdtempSync(join(tmpdir(), 'daybook-power-'));
const dataDir = join(folder, 'data');
let tenant = '';
let start: Start;
let record: readonly Recorded[] = [];

beforeAll(async () => {
  mkdirSync(dataDir);
  await migratedFolder(dataDir);
  const store = await openStore({ ...QUIET, dataDir, databaseUrl: null });
  tenant = await aTenant(store);
  await store.close();
  start = readStart(join(dataDir, 'pg'));
  const file = join(folder, 'record');
  const writer = child('reopen', dataDir, tenant, {
    args: ['--import', join(import.meta.dirname, 'disk-recorder.ts')],
    env: { RECORDED: join(dataDir, 'pg'), RECORD: file },
  });
  // Twice closed and opened again, and killed while it writes.
  while (writer.lines.filter(({ kind }) => kind === 'kept').length <= 20) await pause(5);
  writer.kill();
  await writer.ended;
  record = readRecord(file);
}, 240_000);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test(`G20, LOG-5, LOG-12: a power cut at any write loses nothing that was acknowledged, whatever the disk has of what was not flushed (seed ${SEED})`, async () => {
  const random = getRandom(SEED);
  const cuts = Array.from({ length: CUTS }, () => random.below(record.length));
  const disk = playRecord(true);
  for (const [index, at] of cuts.toSorted((a, b) => a - b).entries()) {
    const loss = index % 3 === 0 ? 'everything' : 'pieces';
    const acknowledged = disk.playTo(at);
    const { sound, events } = await openAfterCut(disk, loss, random);
    const cut = `after entry ${at} of ${record.length}, loses ${loss}`;
    expect({ cut, sound, lost: Math.max(0, acknowledged - events) }).toEqual({
      cut,
      sound: true,
      lost: 0,
    });
  }
}, 600_000);

test('G20: without flushes, the same cut loses what was acknowledged', async () => {
  const disk = playRecord(false);
  const acknowledged = disk.playTo(record.length);
  const { events } = await openAfterCut(disk, 'everything', () => 0);
  expect(acknowledged).toBeGreaterThan(60);
  expect(events).toBeLessThan(acknowledged);
}, 120_000);

/** The disk while the record is played. `playTo` returns the last number acknowledged until there. */
function playRecord(flushes: boolean): Disk & { playTo(end: number): number } {
  const disk = makeDisk(start, flushes);
  let next = 0;
  let acknowledged = 0;
  return {
    ...disk,
    playTo(end) {
      for (const entry of record.slice(next, end)) {
        disk.play(entry);
        if (entry.kind !== 'said') continue;
        const line = JSON.parse(entry.text) as Line;
        if (line.kind === 'kept') acknowledged = line.seq;
      }
      next = end;
      return acknowledged;
    },
  };
}

/** Opens what is on the disk after a power cut. */
async function openAfterCut(
  disk: Disk,
  loss: Loss,
  random: () => number,
): Promise<{ readonly sound: boolean; readonly events: number }> {
  const after = join(folder, 'after');
  disk.cut(join(after, 'pg'), loss, random);
  const store = await openStore({ ...QUIET, dataDir: after, databaseUrl: null, flushes: false });
  try {
    const [verified] = await verify(store, { only: [tenant] });
    if (verified === undefined) throw new Error('There is no log.');
    return { sound: isSound(verified), events: verified.head };
  } finally {
    await store.close();
    rmSync(after, { recursive: true });
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
