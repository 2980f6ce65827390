import { beforeEach, expect, test } from 'vitest';
import { makeApp } from '#server/platform/http/app.ts';
import { ABANDONED } from '#server/features/ingest/decide.ts';
import { embedded } from '../db/databases.ts';
import { pingRoutes } from '#server/features/ingest/ping.ts';
import { aPlace, fixture, HOUR, NOON } from './fixtures.ts';
import type { Place } from './fixtures.ts';

const store = await embedded();
let place: Place;
beforeEach(async () => {
  place = await aPlace(store, 'borgmatic');
});
const RID = '5a0d8d3e-2f0c-4b1a-9a57-0c1d2e3f4a5b';

test('PING-1: a start, then success or failure, is one run with the time between them as its duration', async () => {
  expect(await place.ping('/files/start')).toMatchObject({ status: 200, text: 'OK' });
  expect(await place.all('run')).toMatchObject([{ status: 'Running', startedAt: NOON }]);
  place.ground.pass(90_000);
  await place.ping('/files');
  expect(await place.all('run')).toMatchObject([
    { status: 'Success', startedAt: NOON, endedAt: NOON + 90_000, durationSec: 90, message: null },
  ]);
  place.ground.pass(HOUR);
  await place.ping('/files/start');
  place.ground.pass(5_000);
  await place.ping('/files/fail', {
    body: 'INFO all is ready\nERROR: ssh: connect to host nas port 22: No route to host\n',
  });
  const [, run] = await place.all('run');
  expect(run).toMatchObject({
    status: 'Failed',
    durationSec: 5,
    message: 'ssh: connect to host nas port 22: No route to host',
    hasLog: true,
  });
  expect(await place.log(run?.n ?? 0)).toContain('all is ready');
  expect(await place.all('cause')).toMatchObject([{ kind: 'connection' }]);
  expect(await place.all('job')).toMatchObject([
    { uid: 'files', name: 'files', source: 'borgmatic' },
  ]);
});

test('PING-2: borgmatic 1.7.7, exactly as it calls: it posts to the address with /start and /fail at the end', async () => {
  const calls = JSON.parse(fixture('borgmatic.json')) as {
    method: string;
    path: string;
    headers: Record<string, string>;
    body: string;
  }[];
  for (const call of calls) {
    const answer = await place.app.request(call.path.replace('dbk_KEY', place.secret), {
      method: call.method,
      headers: { ...call.headers, host: place.host },
      body: call.body,
    });
    expect([answer.status, await answer.text()]).toEqual([200, 'OK']);
    place.ground.pass(2_000);
  }
  expect(await place.all('run')).toMatchObject([
    { status: 'Success', durationSec: 2 },
    { status: 'Failed', durationSec: 2, hasLog: true },
  ]);
  expect((await place.all('run'))[1]?.message).toContain('returned non-zero exit status 2');
});

test('PING-3: the ends of concurrent runs are distinguished by rid', async () => {
  const other = RID.replace('5a', '6b');
  await place.ping(`/files/start?rid=${RID}`);
  place.ground.pass(1_000);
  await place.ping(`/files/start?rid=${other}`);
  place.ground.pass(1_000);
  await place.ping(`/files/1?rid=${RID}`);
  place.ground.pass(1_000);
  await place.ping(`/files/0?rid=${other}`);
  await place.ping(`/files/0?rid=${other}`);
  expect(
    (await place.all('run')).map(({ status, durationSec, exitCode }) => [
      status,
      durationSec,
      exitCode,
    ]),
  ).toEqual([
    ['Warning', 2, 1],
    ['Success', 2, 0],
  ]);
  await place.ping(`/other/start?rid=${RID}`);
  expect(await place.all('run')).toHaveLength(3);
});

test('PING-4: every form of address: key alone, words and exit codes, HEAD and GET, query after or before', async () => {
  await place.ping('');
  await place.ping('/start');
  await place.ping('/3');
  await place.ping('/a%20b', { method: 'GET' });
  await place.ping('/head', { method: 'HEAD' });
  await place.ping('/asked?every=24h&grace=1h&host=pc-7/start');
  expect((await place.all('job')).map(({ uid }) => uid)).toEqual([
    'Key of borgmatic',
    'a b',
    'head',
    'asked',
  ]);
  expect((await place.all('job'))[3]).toMatchObject({
    computer: 'pc-7',
    schedule: { type: 'every', everySec: 86_400 },
    graceSec: 3_600,
  });
  expect((await place.all('run')).map(({ status }) => status)).toEqual([
    'Success',
    'Failed',
    'Success',
    'Success',
    'Running',
  ]);
});

test('PING-5: errors have the form that healthchecks clients know', async () => {
  expect(await place.ping('/a/b/c/d')).toMatchObject({ status: 400 });
  expect(await place.ping('/a/256')).toMatchObject({ status: 400 });
  expect(await place.ping('/a/<x>')).toMatchObject({ status: 400 });
  expect(await place.ping('/a?rid=7')).toMatchObject({ status: 400 });
  expect(await place.ping('/a?every=often')).toMatchObject({ status: 400 });
  expect(await place.ping('/a?create=0')).toMatchObject({ status: 404 });
  expect(await place.ping('/a', { method: 'DELETE' })).toMatchObject({ status: 405 });
  const stranger = await place.app.request(`/ping/dbk_${'A'.repeat(43)}/a`, {
    headers: { host: place.host },
  });
  expect([stranger.status, await stranger.text()]).toEqual([404, 'not found']);
  expect(await place.all('job')).toHaveLength(0);
  await place.ping('/a?create=1');
  expect(await place.ping('/a?create=0')).toMatchObject({ status: 200 });
});

test('PING-6: sixty pings a minute per job; another job is not delayed', async () => {
  for (let n = 0; n < 60; n += 1) expect((await place.ping('/busy/log')).status).toBe(200);
  const refused = await place.ping('/busy/log');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect((await place.ping('/other/log')).status).toBe(200);
});

test('PING-6: pings of many different jobs count for their key; another key is not delayed', async () => {
  const { context } = place.ground;
  const app = makeApp(context, {}, { routes: pingRoutes(context, 5) });
  const other = await place.keyFor('api');
  const ping = async (secret: string, slug: string): Promise<number> =>
    (
      await app.request(`/ping/${secret}/${slug}/log`, {
        method: 'POST',
        headers: { host: place.host },
      })
    ).status;
  for (let n = 0; n < 5; n += 1) expect(await ping(place.secret, `job-${n}`)).toBe(200);
  expect([await ping(place.secret, 'job-6'), await ping(other.secret, 'job-6')]).toEqual([
    429, 200,
  ]);
  place.ground.pass(60_000);
  expect(await ping(place.secret, 'job-6')).toBe(200);
});

test('PING-7: a log line changes no state and is in the log of the run; long logs keep head and tail', async () => {
  await place.ping('/files/log', { body: 'nobody runs' });
  expect(await place.all('job')).toHaveLength(0);
  await place.ping('/files/start', { body: 'began' });
  await place.ping('/files/log', { body: 'half way' });
  await place.ping('/files', { body: `done ${'x'.repeat(300_000)} end` });
  const [run] = await place.all('run');
  const log = (await place.log(run?.n ?? 0)) ?? '';
  expect(run?.hasLog).toBe(true);
  expect(log.startsWith('began\nhalf way\ndone x')).toBe(true);
  expect(log.endsWith('x end')).toBe(true);
  expect(log.length).toBeLessThan(101_000);
});

test('PING-8: a start without an end has failed by the next start; a repeated start is one', async () => {
  await place.ping('/files/start');
  place.ground.pass(3_000);
  await place.ping('/files/start');
  expect(await place.all('run')).toHaveLength(1);
  place.ground.pass(24 * HOUR);
  await place.ping('/files/start');
  expect(await place.all('run')).toMatchObject([
    { status: 'Failed', message: ABANDONED },
    { status: 'Running' },
  ]);
  expect(await place.all('cause')).toMatchObject([{ kind: 'silent' }]);
  await place.ping('/files');
  expect((await place.all('problem')).map(({ closedBy }) => closedBy)).toEqual(['success']);
});
