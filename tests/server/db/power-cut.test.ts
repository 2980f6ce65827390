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

/** What a process has written, with what it has said, from the begin of its folder. */
interface Recording {
  readonly tenants: readonly string[];
  readonly start: Start;
  readonly record: readonly Recorded[];
}
/** One writer, whose folder is closed twice and opened again. */
let alone: Recording;
/** Six writers at once, of two providers: they take turns, and share flushes. */
let crowd: Recording;

beforeAll(async () => {
  alone = await recordWriter('reopen', 1, 20);
  crowd = await recordWriter('crowd', 2, 60);
}, 480_000);

/** Records a process until it has acknowledged that much and is killed while it writes. */
async function recordWriter(
  does: 'reopen' | 'crowd',
  tenantCount: number,
  appends: number,
): Promise<Recording> {
  const dataDir = join(folder, does);
  mkdirSync(dataDir);
  await migratedFolder(dataDir);
  const store = await openStore({ ...QUIET, dataDir, databaseUrl: null });
  const tenants: string[] = [];
  while (tenants.length < tenantCount) tenants.push(await aTenant(store));
  await store.close();
  const start = readStart(join(dataDir, 'pg'));
  const file = join(folder, `record of ${does}`);
  const writer = child(does, dataDir, tenants.join(','), {
    args: ['--import', join(import.meta.dirname, 'disk-recorder.ts')],
    env: { RECORDED: join(dataDir, 'pg'), RECORD: file },
  });
  while (writer.lines.filter(({ kind }) => kind === 'acknowledged').length <= appends)
    await pause(5);
  writer.kill();
  await writer.ended;
  return { tenants, start, record: readRecord(file) };
}

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const CASES = [
  ['one writer', () => alone],
  ['several writers at once', () => crowd],
] as const;

for (const [name, getRecording] of CASES)
  test(`G20, LOG-5, LOG-12: a power cut at any write of ${name} loses nothing that was acknowledged, whatever the disk has of what was not flushed (seed ${SEED})`, async () => {
    const recording = getRecording();
    const { length } = recording.record;
    const random = getRandom(SEED);
    const cuts = Array.from({ length: CUTS }, () => random.below(length));
    const disk = playRecord(recording, true);
    for (const [index, at] of cuts.toSorted((a, b) => a - b).entries()) {
      const loss = index % 3 === 0 ? 'everything' : 'pieces';
      const acknowledged = disk.playTo(at);
      const logs = await openAfterCut(recording, disk, loss, random);
      for (const tenant of recording.tenants) {
        const { sound, events } = logs.get(tenant) ?? { sound: false, events: 0 };
        const cut = `after entry ${at} of ${length}, loses ${loss}`;
        const lost = Math.max(0, (acknowledged.get(tenant) ?? 0) - events);
        expect({ cut, sound, lost }).toEqual({ cut, sound: true, lost: 0 });
      }
    }
  }, 600_000);

test('G20: the writers of a crowd are acknowledged in turns, those of all providers', () => {
  const acknowledged = crowd.record.flatMap((entry) => {
    const line = entry.kind === 'said' ? (JSON.parse(entry.text) as Line) : null;
    return line?.kind === 'acknowledged' ? [line.tenant] : [];
  });
  expect(new Set(acknowledged)).toEqual(new Set(crowd.tenants));
  expect(acknowledged.length).toBeGreaterThan(60);
});

test('G20: without flushes, the same cut loses what was acknowledged', async () => {
  for (const recording of [alone, crowd]) {
    const disk = playRecord(recording, false);
    const acknowledged = disk.playTo(recording.record.length);
    const logs = await openAfterCut(recording, disk, 'everything', () => 0);
    for (const tenant of recording.tenants) {
      const last = acknowledged.get(tenant) ?? 0;
      expect(last).toBeGreaterThan(30);
      expect(logs.get(tenant)?.events).toBeLessThan(last);
    }
  }
}, 120_000);

/** The disk while a record is played. `playTo` returns the last number acknowledged until there, by tenant. */
function playRecord(
  { start, record }: Recording,
  flushes: boolean,
): Disk & { playTo(end: number): ReadonlyMap<string, number> } {
  const disk = makeDisk(start, flushes);
  let next = 0;
  const acknowledged = new Map<string, number>();
  return {
    ...disk,
    playTo(end) {
      for (const entry of record.slice(next, end)) {
        disk.play(entry);
        if (entry.kind !== 'said') continue;
        const line = JSON.parse(entry.text) as Line;
        if (line.kind === 'acknowledged')
          acknowledged.set(line.tenant, Math.max(line.seq, acknowledged.get(line.tenant) ?? 0));
      }
      next = end;
      return acknowledged;
    },
  };
}

/** Opens what is on the disk after a power cut, and verifies the log of each tenant. */
async function openAfterCut(
  { tenants }: Recording,
  disk: Disk,
  loss: Loss,
  random: () => number,
): Promise<ReadonlyMap<string, { readonly sound: boolean; readonly events: number }>> {
  const after = join(folder, 'after');
  disk.cut(join(after, 'pg'), loss, random);
  const store = await openStore({ ...QUIET, dataDir: after, databaseUrl: null, flushes: false });
  try {
    const verified = await verify(store, { only: tenants });
    return new Map(
      verified.map((log) => [log.tenant, { sound: isSound(log), events: log.head }] as const),
    );
  } finally {
    await store.close();
    rmSync(after, { recursive: true });
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
