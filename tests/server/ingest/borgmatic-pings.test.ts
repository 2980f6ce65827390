import { expect, test } from 'vitest';
import { embedded } from '../db/databases.ts';
import { aPlace, fixture } from './fixtures.ts';

const store = await embedded();

test('PING-9: borgmatic, exactly as it calls: a success with warnings in its log is a warning, with an empty log a success', async () => {
  const matic = await aPlace(store, 'borgmatic');
  const calls = JSON.parse(fixture('borgmatic-hook.json')) as {
    method: string;
    path: string;
    headers: Record<string, string>;
    body: string;
  }[];
  for (const call of calls) {
    const answer = await matic.app.request(call.path.replace('dbk_KEY', matic.secret), {
      method: call.method,
      headers: { ...call.headers, host: matic.host },
      body: call.body,
    });
    expect([call.path, answer.status]).toEqual([call.path, 200]);
    matic.ground.pass(61_000);
  }
  expect(
    (await matic.all('run')).map(({ status, filesFailed, message }) => [
      status,
      filesFailed,
      message,
    ]),
  ).toEqual([
    ['Success', null, null],
    ['Warning', 2, "/srv/src/locked.txt: open: [Errno 13] Permission denied: 'locked.txt'"],
    ['Success', null, null],
    ['Warning', 1, "/nosuch: [Errno 2] No such file or directory: 'nosuch'"],
    ['Success', null, null],
    [
      'Failed',
      null,
      'passphrase supplied in BORG_PASSPHRASE, by BORG_PASSCOMMAND or via BORG_PASSPHRASE_FD is incorrect.',
    ],
    ['Failed', null, expect.stringContaining('returned non-zero exit status 1')],
    ['Failed', null, expect.stringContaining('returned non-zero exit status 2')],
  ]);
});

test('PING-9: the last 100,000 characters of a long log, after an ellipsis, and a signal in words', async () => {
  const matic = await aPlace(store, 'borgmatic');
  const log = `...\n${'/srv/src/long.txt: fine\n'.repeat(4_150)}/srv/src/é.txt: open: [Errno 13] Permission denied: 'é.txt'\n`;
  await matic.app.request(`/ping/${matic.secret}/files`, {
    method: 'POST',
    headers: { host: matic.host },
    body: log.slice(-100_000),
  });
  await matic.ping('/other/137', { body: 'all was well so far' });
  expect((await matic.all('run')).map(({ status, message }) => [status, message])).toEqual([
    ['Warning', "/srv/src/é.txt: open: [Errno 13] Permission denied: 'é.txt'"],
    [
      'Failed',
      'Killed: the command received SIGKILL (signal 9). The machine was probably out of memory, or somebody killed it.',
    ],
  ]);
});

test('PING-10: in a log with very many lines, warnings in the first and last 5,000 are found', async () => {
  const matic = await aPlace(store, 'borgmatic');
  const warning = "/srv/a: open: [Errno 13] Permission denied: 'a'\n";
  const logs = {
    early: `${'a\n'.repeat(4_990)}${warning}${'a\n'.repeat(30_000)}`,
    middle: `${'a\n'.repeat(15_000)}${warning}${'a\n'.repeat(15_000)}`,
    late: `${'a\n'.repeat(30_000)}${warning}${'a\n'.repeat(4_990)}`,
    short: `${'a\n'.repeat(4_990)}${warning}${'a\n'.repeat(4_990)}`,
  };
  for (const [slug, body] of Object.entries(logs)) await matic.ping(`/${slug}`, { body });
  expect((await matic.all('run')).map(({ status }) => status)).toEqual([
    'Warning',
    'Success',
    'Warning',
    'Warning',
  ]);
});
