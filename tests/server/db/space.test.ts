import { mkdtempSync, rmSync } from 'node:fs';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchSpace } from '#server/platform/db/space.ts';
import { QUIET } from './databases.ts';

const MB = 1024 * 1024;
const { statfs } = fs.promises;
let dir = '';
let freeBytes = 0;
let gates: (() => void)[] | null = null;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'daybook-space-'));
  // Answers what was free when it was asked, and with gates only when the test opens them.
  fs.promises.statfs = (async () => {
    const bavail = freeBytes / 4096;
    if (gates !== null)
      await new Promise<void>((open) => {
        gates?.push(open);
      });
    return { bavail, blocks: (10_000 * MB) / 4096, bsize: 4096 };
  }) as unknown as typeof statfs;
  syncBuiltinESMExports();
});
afterEach(() => {
  fs.promises.statfs = statfs;
  syncBuiltinESMExports();
  rmSync(dir, { recursive: true });
});

test('STORE-11: after a write that found no space, earlier checks of the disk no longer count, even running ones', async () => {
  [freeBytes, gates] = [80 * MB, null];
  let now = 0;
  const watch = await watchSpace(
    dir,
    { now: () => now, after: () => ({ cancel: () => undefined }) },
    QUIET.log,
  );
  const states = async (): Promise<string> => (await watch.look()).state;
  expect(await states()).toBe('ok');
  freeBytes = 0;
  expect(await states()).toBe('ok'); // a look is good for a moment
  watch.expire();
  expect(await states()).toBe('full');
  freeBytes = 80 * MB;
  now += 1_000;
  expect(await states()).toBe('ok');

  now += 1_000;
  gates = [];
  const early = states(); // reads a disk with space
  await expect.poll(() => gates?.length).toBe(1);
  freeBytes = 0;
  watch.expire();
  const late = states();
  await expect.poll(() => gates?.length).toBe(2);
  const waiting = gates;
  gates = null;
  for (const open of waiting) open();
  expect(await Promise.all([early, late])).toEqual(['full', 'full']);
  expect(await states()).toBe('full');
  watch.stop();
});
