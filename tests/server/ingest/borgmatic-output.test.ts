/**
 * What `borgmatic create --json` prints with its standard error: 1.7.7 of Debian 12, and 1.8.14 and
 * 2.0.6 from their sources, all with borg 1.2.4.
 */
import { expect, test } from 'vitest';
import { readBorg } from '#server/features/ingest/tools/borg.ts';
import { fixture } from './fixtures.ts';
import { read } from './tool-output.ts';

const runs = (body: string, exit: number | null) =>
  read(readBorg, body, { exit, tz: 'UTC' }).executions.map(({ execution }) => execution);
const summary = (body: string, exit: number | null) =>
  runs(body, exit).map(({ job, status, message }) => [job, status, message]);

test.each([1, null])(
  'SRC-25: a repository that failed has the name that it has when it succeeds (exit code %s)',
  (exit) => {
    for (const version of ['real', '2.0']) {
      const two = runs(fixture(`borgmatic-${version === 'real' ? 'real-two' : '2.0-good'}.txt`), 0);
      expect(two.map(({ status }) => status)).toEqual(['Success', 'Success']);
      const bad = summary(fixture(`borgmatic-${version}-part.txt`), exit);
      const name = version === 'real' ? 'files (/srv/br3)' : 'files (local)';
      const place = version === 'real' ? '/srv/br3' : '/srv/br2';
      expect(two.map(({ job }) => job)).toContain(name);
      expect(bad).toEqual([[name, 'Failed', `Repository ${place} does not exist.`]]);
    }
    expect(summary(fixture('borgmatic-1.8-part.txt'), exit)).toEqual([
      ['files (local)', 'Failed', 'Repository /srv/br2 does not exist.'],
    ]);
  },
);

test('SRC-25: the exit code 1 of borgmatic is a failure, not a warning of borg', () => {
  for (const exit of [1, null]) {
    expect(summary(fixture('borgmatic-real-failed.txt'), exit)).toEqual([
      ['files (/srv/br2)', 'Failed', 'Repository /srv/br2 does not exist.'],
      ['files (/srv/br3)', 'Failed', 'Repository /srv/br3 does not exist.'],
    ]);
    expect(summary(fixture('borgmatic-real-hook.txt'), exit)).toEqual([
      ['files (/srv/br2)', 'Failed', expect.stringContaining("Command 'false'")],
    ]);
    expect(summary(fixture('borgmatic-real-config.txt'), exit)).toEqual([
      ['files', 'Failed', expect.stringMatching(/configuration file/)],
    ]);
    // borg ended with 1, which borgmatic counts as an error where it reads JSON.
    expect(summary(fixture('borgmatic-real-nosource.txt'), exit)).toEqual([
      [
        'files (/srv/br2)',
        'Warning',
        "Could not be read: /srv/nosrc: [Errno 2] No such file or directory: 'nosrc'",
      ],
    ]);
  }
});

test('SRC-25: an array has the names of its repositories, also if it has one element', () => {
  const two = fixture('borgmatic-real-two.txt');
  const one = JSON.stringify((JSON.parse(two) as unknown[]).slice(0, 1));
  expect(runs(two, 0).map(({ job }) => job)).toEqual(['files (/srv/br2)', 'files (/srv/br3)']);
  expect(runs(one, 0).map(({ job }) => job)).toEqual(['files (/srv/br2)']);
  // Of two configurations, one succeeded.
  expect(summary(`${fixture('borgmatic-real-part.txt')}\n${one}`, 1)).toEqual([
    ['files (/srv/br2)', 'Success', null],
    ['files (/srv/br3)', 'Failed', 'Repository /srv/br3 does not exist.'],
  ]);
  // A retry succeeded, so the line about the first attempt doesn't count.
  expect(
    summary(
      `Repository /srv/br2 does not exist.\n/srv/br2: Error running actions for repository\n${fixture('borgmatic-real-part.txt')}\n${one}`,
      1,
    ).map(([job, status]) => [job, status]),
  ).toEqual([
    ['files (/srv/br2)', 'Success'],
    ['files (/srv/br3)', 'Failed'],
  ]);
  expect(runs(one, 1).map(({ job, status }) => [job, status])).toEqual([
    ['files (/srv/br2)', 'Success'],
    ['files', 'Failed'],
  ]);
});

test('SRC-25: a repository on another computer has the name that borg writes', () => {
  for (const [place, location] of [
    ['backup@pc:br', 'ssh://backup@pc/./br'],
    ['backup@pc:/srv/br', 'ssh://backup@pc/srv/br'],
    ['pc:~/br', 'ssh://pc/~/br'],
    ['ssh://backup@pc:2222/./br', 'ssh://backup@pc:2222/./br'],
    ['file:///srv/br', '/srv/br'],
    ['/srv/a:b', '/srv/a:b'],
  ] as const)
    expect(
      runs(`${place}: Error running actions for repository\n`, 1).map(({ job }) => job),
    ).toEqual([`files (${location})`]);
});

test('SRC-2: an unread file is a warning of the repositories in an array, although the exit code is 0', () => {
  const body = `/srv/src/x: open: [Errno 13] Permission denied: 'x'\n${fixture('borgmatic-real-two.txt')}`;
  for (const exit of [0, null])
    expect(
      runs(body, exit).map(({ status, filesFailed, message }) => [status, filesFailed, message]),
    ).toEqual(
      Array.from({ length: 2 }, () => [
        'Warning',
        1,
        "Could not be read: /srv/src/x: open: [Errno 13] Permission denied: 'x'",
      ]),
    );
});

test('SRC-25: a warning of the repository before is not the reason of the next', () => {
  const body = `/srv/src/x: open: [Errno 13] Permission denied: 'x'\n${fixture('borgmatic-real-part.txt')}`;
  expect(summary(body, 1)).toEqual([
    ['files (/srv/br3)', 'Failed', 'Repository /srv/br3 does not exist.'],
  ]);
});

test('SRC-2: a file that changed was read, and is named after those that could not be read', () => {
  const [one] = JSON.parse(fixture('borgmatic-real-two.txt')) as unknown[];
  const changed = '/srv/src/x: file changed while we backed it up\n';
  const locked = "/srv/src/y: open: [Errno 13] Permission denied: 'y'\n";
  const body = JSON.stringify(one, null, 4);
  expect(summary(`${changed}${body}`, 1)).toEqual([
    ['files', 'Warning', '/srv/src/x: file changed while we backed it up'],
  ]);
  expect(summary(`${changed}${locked}${body}`, 1)).toEqual([
    ['files', 'Warning', `Could not be read: ${locked.trim()}`],
  ]);
});
