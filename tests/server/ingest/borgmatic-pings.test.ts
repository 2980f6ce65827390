import { expect, test } from 'vitest';
import { getRecipe } from '#src/features/ingest/install-commands.ts';
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

interface Recorded {
  readonly version: string;
  /** The lines in its configuration. */
  readonly lines: string;
  readonly calls: readonly { path: string; userAgent: string; body: string }[];
}

test.each(JSON.parse(fixture('borgmatic-versions.json')) as Recorded[])(
  'PING-9, COPY-2: borgmatic $version with the lines for it: what it sends of a good run, one with an unreadable file, and a missing repository',
  async ({ lines, calls }) => {
    const { text, also } = getRecipe('borgmatic', {
      origin: 'https://daybook.example',
      secret: 'dbk_KEY',
      job: 'Files',
      now: 0,
    });
    expect([text, also?.text]).toContain(lines);
    const matic = await aPlace(store, 'borgmatic');
    for (const { path, userAgent, body } of calls) {
      const answer = await matic.app.request(path.replace('dbk_KEY', matic.secret), {
        method: 'POST',
        headers: { 'user-agent': userAgent, 'host': matic.host },
        body,
      });
      expect([path, answer.status]).toEqual([path, 200]);
      matic.ground.pass(61_000);
    }
    const unread = [
      'Warning',
      1,
      "/srv/src/locked.txt: open: [Errno 13] Permission denied: 'locked.txt'",
    ];
    const all = (await matic.all('run')).map(({ status, filesFailed, message }) => [
      status,
      filesFailed,
      message,
    ]);
    expect(all).toEqual(
      calls.length === 3
        ? [unread]
        : [
            ['Success', null, null],
            unread,
            ['Failed', null, 'Repository /srv/brh does not exist.'],
          ],
    );
  },
);
