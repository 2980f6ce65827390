import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { connectPglite } from '#server/platform/db/connect.ts';
import { limitLog } from '#server/platform/db/limit-log.ts';
import { makeLog } from '#server/platform/log.ts';
import { migratedImage } from './databases.ts';

const MB = 1024 * 1024;

test('STORE-17: the log that a restart has to replay grows without a limit, and with one stays below it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-log-'));
  const lines: string[] = [];
  const log = makeLog(systemClock, (_level, line) => lines.push(line));
  const place = { dir, image: migratedImage(), flushes: true };
  const { db, allow, close } = await connectPglite(place, log, systemClock, null);
  const ask = <R>(text: string) => db.executeQuery<R>(CompiledQuery.raw(text));
  const write = (): Promise<unknown> =>
    ask(`insert into noise select repeat(md5(n::text), 55) from generate_series(1, 6000) as n`);
  const findToReplay = async (): Promise<number> => {
    const { rows } = await ask<{ readonly bytes: string }>(
      'select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::text as bytes from pg_control_checkpoint()',
    );
    return Number(rows[0]?.bytes);
  };
  await ask('create table noise (text text)');
  await ask('checkpoint');
  for (let times = 0; times < 3; times++) await write();
  expect(await findToReplay()).toBeGreaterThan(30 * MB);

  const limit = limitLog(db, systemClock, log, allow, 8 * MB);
  await expect.poll(findToReplay).toBeLessThan(8 * MB);
  await write();
  await expect.poll(findToReplay).toBeLessThan(8 * MB);
  await limit.stop();
  const { rows } = await ask<{ readonly count: string }>(
    'select count(*)::text as count from noise',
  );
  expect(rows).toEqual([{ count: '24000' }]);
  expect(lines).toEqual([]);
  await close();
  await rm(dir, { recursive: true, force: true });
}, 300_000);
