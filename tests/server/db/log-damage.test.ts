import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantId } from '#contract/ids.ts';
import { openStore, type OpenStore } from '#server/platform/db/open.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import { child } from './children.ts';
import { getRandom } from '../http/hostile.ts';
import { migratedFolder, QUIET } from './databases.ts';
import { aTenant, byClock, jobDraft, runDraft } from './drafts.ts';

const FLIPS = 10 * Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));

const folder = mkdtempSync(join(tmpdir(), 'daybook-damage-'));
const dataDir = join(folder, 'data');
const LOG = join('pg', 'pg_wal');
let tenant: TenantId;
let acknowledged = 0;

beforeAll(async () => {
  mkdirSync(dataDir);
  await migratedFolder(dataDir);
  const store = await open(dataDir);
  tenant = await aTenant(store);
  await store.close();
  const writer = child('write', dataDir, tenant);
  while (writer.lines.filter(({ kind }) => kind === 'acknowledged').length <= 30) await pause(5);
  writer.kill();
  await writer.ended;
  for (const line of writer.lines) if (line.kind === 'acknowledged') acknowledged = line.seq;
}, 240_000);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const open = (dir: string, acceptedLoss: string | null = null): Promise<OpenStore> =>
  openStore({ ...QUIET, dataDir: dir, databaseUrl: null, acceptedLoss });

/** Works with a copy of the killed server's folder. */
async function withCopy<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const copy = join(folder, 'copy');
  cpSync(dataDir, copy, { recursive: true });
  try {
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** The file of the log that was written last, and where its last byte that isn't zero is. */
function getLog(): { readonly name: string; readonly end: number } {
  const names = readdirSync(join(dataDir, LOG)).filter((one) => /^[\dA-F]{24}$/.test(one));
  const written = names
    .toSorted()
    .map((name) => ({
      name,
      end: readFileSync(join(dataDir, LOG, name)).findLastIndex((byte) => byte !== 0),
    }))
    .filter(({ end }) => end > 0);
  const last = written.at(-1);
  if (last === undefined) throw new Error('There is no log.');
  return last;
}

function flip(dir: string, at: number, bit: number): void {
  const path = join(dir, LOG, getLog().name);
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(path, bytes);
}

test('G22, LOG-11: the log of a killed server is whole, so it starts with everything that was acknowledged', async () => {
  await withCopy(async (dir) => {
    const store = await open(dir);
    const [verified] = await verify(store, { only: [tenant] });
    await store.close();
    expect(verified && isSound(verified)).toBe(true);
    expect(verified?.head).toBeGreaterThanOrEqual(acknowledged);
    expect(acknowledged).toBeGreaterThan(90);
  });
}, 120_000);

test(`G22, STORE-20: after a flipped bit in the log, a start has everything that was acknowledged or names file and place (seed ${SEED})`, async () => {
  const random = getRandom(SEED);
  const { name, end } = getLog();
  let refused = 0;
  for (let flips = 0; flips < FLIPS; flips += 1) {
    // The newest 100 kB have the acknowledged changes; what is before the last checkpoint isn't read.
    const at = Math.max(0, end - random.below(100_000));
    const bit = random.below(8);
    await withCopy(async (dir) => {
      flip(dir, at, bit);
      const before = readFileSync(join(dir, LOG, name));
      const found = await open(dir).catch((error: Error) => error);
      if (found instanceof Error) {
        refused += 1;
        expect(found.message).toContain(join(dir, LOG, name));
        const place = Number(/ at byte (\d+)/.exec(found.message)?.[1]);
        expect(place).toBeLessThanOrEqual(at);
        // Nothing is changed, so that all that is left can be saved.
        expect(readFileSync(join(dir, LOG, name)).equals(before)).toBe(true);
        return;
      }
      const head = await found.tenant(tenant, (tx) => tx.head(), { readOnly: true });
      await found.close();
      expect({ at, bit, lost: Math.max(0, acknowledged - head.seq) }).toEqual({ at, bit, lost: 0 });
    });
  }
  expect(refused).toBeGreaterThan(FLIPS / 2);
}, 600_000);

test('G22, LOG-6, STORE-20: the operator can go on without what was lost: with the place that was named, and only it; devices reload', async () => {
  await withCopy(async (dir) => {
    const epochBefore = await withCopyOfCopy(dir);
    const place = await loseEnd(dir);
    await expect(open(dir, '0/1')).rejects.toThrow('DAYBOOK_ACCEPTED_LOSS');
    const store = await open(dir, place);
    const { seq, epoch } = await store.tenant(tenant, (tx) => tx.head(), { readOnly: true });
    await store.tenant(tenant, async (tx) => {
      const n = await tx.take('run', 1);
      await tx.append([runDraft({ n })], byClock);
    });
    await store.close();
    expect(seq).toBeLessThan(acknowledged);
    expect(epoch).not.toBe(epochBefore);
    const again = await open(dir);
    const head = await again.tenant(tenant, (tx) => tx.head(), { readOnly: true });
    const [verified] = await verify(again, { only: [tenant] });
    await again.close();
    expect([head, verified && isSound(verified)]).toEqual([{ seq: seq + 1, epoch, cut: 0 }, true]);
  });
}, 120_000);

/**
 * Makes `dir` a copy of the killed server's folder, with a flipped bit of the log that
 * makes a start refuse, and returns the place that it names. The killed server had written changes
 * after the last acknowledged one; their loss is none, so the bit must be before them.
 */
async function loseEnd(dir: string): Promise<string> {
  const { end } = getLog();
  for (let back = 4_000; back < Math.min(end, 1_000_000); back *= 2) {
    // A start that isn't refused goes on from its own end of the log, in which nothing is lost.
    rmSync(dir, { recursive: true, force: true });
    cpSync(dataDir, dir, { recursive: true });
    flip(dir, end - back, 3);
    const found = await open(dir).catch((error: Error) => error);
    if (found instanceof Error)
      return /DAYBOOK_ACCEPTED_LOSS=([\dA-F]+\/[\dA-F]+)/.exec(found.message)?.[1] ?? '';
    await found.close();
  }
  throw new Error('No damage was found.');
}

async function withCopyOfCopy(dir: string): Promise<string> {
  const other = join(folder, 'other');
  cpSync(dir, other, { recursive: true });
  const store = await open(other);
  const { epoch } = await store.tenant(tenant, (tx) => tx.head(), { readOnly: true });
  await store.close();
  rmSync(other, { recursive: true });
  return epoch;
}

test('G22, LOG-12: a damaged page is named with its table and provider, and the other providers are checked', async () => {
  const dir = join(folder, 'pages');
  mkdirSync(dir);
  await migratedFolder(dir);
  const store = await open(dir);
  const [first, second] = [await aTenant(store), await aTenant(store)];
  for (const [one, mark] of [
    [first, 'mark-of-the-first'],
    [second, 'mark-of-the-second'],
  ] as const)
    await store.tenant(one, async (tx) => {
      await tx.append([jobDraft(1)], byClock);
      await tx.append(
        Array.from({ length: 200 }, (_, n) => runDraft({ n: n + 1, message: `${mark} ${n}` })),
        byClock,
      );
    });
  await store.close();
  const base = join(dir, 'pg', 'base', '5');
  /** The files of the events and of the rows both have the message. */
  const files = readdirSync(base)
    .map((name) => join(base, name))
    .filter((path) => existsSync(path) && readFileSync(path).includes('mark-of-the-first 7"'));
  expect(files.length).toBeGreaterThanOrEqual(2);
  const found = new Set<string>();
  for (const path of files) {
    const whole = readFileSync(path);
    const bytes = Buffer.from(whole);
    const at = bytes.indexOf('mark-of-the-first 7"');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const damaged = await open(dir);
    const all = await verify(damaged, { only: [first, second] });
    await damaged.close();
    writeFileSync(path, whole);
    expect(all.map(({ tenant: one }) => one)).toEqual([first, second]);
    const [one, other] = all;
    expect(one && isSound(one)).toBe(false);
    for (const { table, reason } of one?.unreadable ?? []) {
      found.add(table);
      expect(reason).toContain('invalid page');
    }
    // A page may have rows of both; all that can be read of the other is right.
    expect(other?.damages.filter(({ kind }) => kind !== 'unreadable')).toEqual([]);
  }
  expect([...found].toSorted()).toEqual(['event', 'run']);
}, 240_000);

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
