import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { openEmbedded } from '#server/platform/db/embedded.ts';
import { getTransientError } from '#server/platform/db/retry.ts';
import { migratedImage } from './databases.ts';

const NOBODY = {
  clock: systemClock,
  space: null,
  stopped: () => undefined,
  again: () => undefined,
};

test('STORE-8: a connection to the embedded database starts clean: an open transaction of the previous one is rolled back and reported', async () => {
  const embedded = await openEmbedded(
    { dir: null, image: migratedImage(), flushes: false },
    NOBODY,
  );
  const pool = (): Pool =>
    new Pool({
      stream: () => embedded.connect(),
      max: 1,
      idleTimeoutMillis: 0,
      user: 'postgres',
      database: 'postgres',
      pipeline: true,
    }).on('error', () => undefined);
  const [one, other] = [pool(), pool()];
  const before = await one.connect();
  before.on('error', () => undefined);
  await before.query('create table kept (n int)');
  await before.query(`begin; insert into kept values (1); set app.tenant_id = 'left'`);
  await before.query({ name: 'one', text: 'select 1' });
  const now = await other.connect();
  expect(
    (
      await now.query(
        `select count(*)::int as count, current_setting('app.tenant_id', true) as tenant from kept`,
      )
    ).rows,
  ).toEqual([{ count: 0, tenant: '' }]);
  await expect(before.query('select 1')).rejects.toSatisfy(
    (error) => getTransientError(error) === 'connection',
  );
  expect(
    (await now.query({ name: 'one', text: 'select 2 as two' })).rows,
    'no statement of the one before stands',
  ).toEqual([{ two: 2 }]);
  before.release(true);
  now.release();
  await Promise.all([one.end(), other.end()]);
  await embedded.close();
});

test('STORE-8: statements sent together run in order, and those behind a failed one fail until the transaction ends', async () => {
  const embedded = await openEmbedded(
    { dir: null, image: migratedImage(), flushes: false },
    NOBODY,
  );
  const pool = new Pool({
    stream: () => embedded.connect(),
    max: 1,
    idleTimeoutMillis: 0,
    user: 'postgres',
    database: 'postgres',
    pipeline: true,
  });
  const client = await pool.connect();
  const request = [
    'create table t (n int primary key)',
    'begin',
    'insert into t values (1)',
    'insert into t values (1)',
    'insert into t values (2)',
    'rollback',
    `select count(*)::int as count, repeat('é', 3000000) as long from t`,
  ];
  const answers = await Promise.allSettled(
    request.map((text) => client.query<{ count: number; long: string }>(text)),
  );
  expect(
    answers.map((one) =>
      one.status === 'rejected' ? (one.reason as { code: string }).code : one.value.command,
    ),
  ).toEqual(['CREATE', 'BEGIN', 'INSERT', '23505', '25P02', 'ROLLBACK', 'SELECT']);
  const last = answers.at(-1);
  expect(
    last?.status === 'fulfilled'
      ? [last.value.rows[0]?.count, last.value.rows[0]?.long.length]
      : last,
  ).toEqual([0, 3_000_000]);
  client.release();
  await pool.end();
  await embedded.close();
});

test('STORE-8: a stopped thread is reported, and every later connection counts as lost', async () => {
  const stopped = Promise.withResolvers<number | null>();
  const embedded = await openEmbedded(
    { dir: null, image: migratedImage(), flushes: false },
    {
      ...NOBODY,
      stopped: (_why, againInMs) => {
        stopped.resolve(againInMs);
      },
    },
  );
  const lost: Promise<unknown>[] = [];
  const connection = embedded.connect();
  lost.push(new Promise((resolve) => void connection.once('error', resolve)));
  connection.write(Buffer.from([0, 0, 0, 1])); // no beginning of a connection: the thread gives up
  expect(await stopped.promise, 'what was in memory is gone: it is not begun again').toBeNull();
  lost.push(new Promise((resolve) => void embedded.connect().once('error', resolve)));
  expect((await Promise.all(lost)).map(getTransientError)).toEqual(['connection', 'connection']);
  await embedded.close();
});

test('STORE-8: a folder without a readable database is refused, and nothing is left behind', async () => {
  await expect(
    openEmbedded(
      { dir: null, image: new Blob(['no archive']), flushes: false },
      {
        ...NOBODY,
        stopped() {
          throw new Error('it was never open');
        },
      },
    ),
  ).rejects.toThrow(/./);
});
