import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolderTarget } from '#server/engine/embedded/restic/folder-target.ts';
import { systemChance } from '#server/platform/random.ts';
import { listPrograms } from './restic-reader.ts';
import {
  type Files,
  makeFolder,
  makeRepository,
  missing,
  openAt,
  PASSWORD,
  pruneAt,
  randomBytes,
  readFiles,
  runRestic,
  sameFiles,
  saveFiles,
  saveFolder,
  getValue,
} from './fixtures.ts';

const text = (line: string, count: number): Buffer => Buffer.from(`${line}\n`.repeat(count));

const FILES: Files = {
  'users/ana@example.com/mailbox/2026/05/Invoice & offer <1>.eml': text('Dear Ana,', 400),
  'users/ana@example.com/mailbox/2026/05/Größe "XL" \\ 100 %.eml': text('Hello', 3),
  'users/ana@example.com/mailbox/2026/05/日本語\u00a0\u200b😀.eml': text('こんにちは', 30),
  'users/ana@example.com/mailbox/2026/06/tab\tand\nline\u007f.eml': text('odd', 1),
  'users/ben@example.com/onedrive/photo.raw': randomBytes(1, 3_000_000),
  'users/ben@example.com/onedrive/copy of photo.raw': randomBytes(1, 3_000_000),
  'users/ben@example.com/onedrive/empty.txt': Buffer.alloc(0),
  'users/ben@example.com/onedrive/table.csv': text('2026-05-06,42,"a, b"', 50_000),
};

/** Names whose order, or whose characters, are written in a way of their own. */
const NAMES = [
  'B',
  'a',
  'a b',
  '<script>&amp;.html',
  '"quoted" \\ back',
  "it's.txt",
  'tab\tline\nreturn\rbell\u0007\b\f\v\u001b\u007f',
  'Größe Ωmega 日本語',
  'no-break\u00a0zero\u200bsoft\u00adideographic\u3000line\u2028paragraph\u2029',
  '\uffe0 before \u{1f600} by bytes',
  '\u{1f600} after',
  'private \ue000 \u{f0000} tag \u{e0041}',
];

function writeFiles(folder: string, files: Files): void {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}
const readFolder = (folder: string): Files =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path)]),
  );

const programs = listPrograms();
test.skipIf(programs.length < 2)(
  `ENG-12: a current restic is here beside the system's${programs.length < 2 ? ' (skipped: it could not be downloaded)' : ''}`,
  () => {
    expect(new Set(programs.map(({ version }) => version)).size).toBe(programs.length);
  },
);

describe.skipIf(missing !== '').each(programs)(`restic $version${missing}`, ({ path: program }) => {
  const restic = (folder: string, ...args: string[]): Promise<string> =>
    runRestic(program, folder, args);

  test('ENG-12: restic checks, lists, finds, dumps and restores what Daybook wrote, byte for byte', async () => {
    const { folder, target } = await makeRepository();
    const repository = await openAt(target);
    const snapshot = await saveFiles(repository, FILES);
    await repository.close();

    expect(await restic(folder, 'check', '--read-data')).toContain('no errors were found');
    const listed = await restic(folder, 'ls', '--json', snapshot);
    const nodes = listed
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(nodes[0]).toMatchObject({
      id: snapshot,
      hostname: 'daybook',
      username: 'organization',
      tags: ['test'],
      paths: ['/'],
      time: '2026-05-06T07:08:09.12Z',
    });
    expect(
      nodes
        .filter(({ type }) => type === 'file')
        .map(({ path }) => String(path))
        .sort(),
    ).toEqual(
      Object.keys(FILES)
        .map((path) => `/${path}`)
        .sort(),
    );
    expect(nodes.find(({ name }) => name === 'table.csv')).toMatchObject({
      size: 1_050_000,
      mtime: '2026-05-06T07:08:09.12Z',
    });
    expect(await restic(folder, 'find', 'table.csv')).toContain(
      '/ben@example.com/onedrive/table.csv',
    );
    expect(
      await restic(
        folder,
        'dump',
        snapshot,
        '/users/ana@example.com/mailbox/2026/05/日本語\u00a0\u200b😀.eml',
      ),
    ).toBe('こんにちは\n'.repeat(30));

    const restored = makeFolder();
    await restic(folder, 'restore', snapshot, '--target', restored);
    expect(sameFiles(readFolder(restored), FILES)).toEqual([]);
  });

  test('ENG-12: Daybook reads, extends and prunes what restic wrote, with any compression', async () => {
    const source = makeFolder();
    const folder = join(makeFolder(), 'repository');
    writeFiles(source, FILES);
    await restic(folder, 'init', '--repository-version', '2');
    const target = makeFolderTarget(folder, { chance: systemChance });
    // restic's own key costs a second each time: once is enough
    const created = await openAt(target);
    getValue(await created.addPassword(PASSWORD));
    await created.close();
    getValue(await target.remove('keys', created.keyId));
    const backUp = (path: string, ...options: string[]) =>
      restic(folder, 'backup', '--quiet', join(source, path), ...options);
    await backUp('users/ana@example.com/mailbox/2026/06', '--compression', 'off');
    await backUp('users/ana@example.com', '--compression', 'max');
    await backUp('users');

    const repository = await openAt(target);
    const [, second, third] = getValue(await repository.listSnapshots());
    expect(third?.paths).toEqual([join(source, 'users')]);
    const expected = Object.fromEntries(
      Object.entries(FILES).map(([path, bytes]) => [`${source.slice(1)}/${path}`, bytes]),
    );
    expect(sameFiles(await readFiles(repository, third?.id ?? ''), expected)).toEqual([]);
    const added = await saveFiles(repository, { 'new.txt': text('new', 1_000) });
    await repository.close();

    const keep = [second?.id ?? '', added];
    const report = await pruneAt(target, { keep, maxUnusedShare: 0 });
    expect(report).toMatchObject({ snapshotsRemoved: 2, missing: [], damaged: [] });
    expect(report.bytesRemoved).toBeGreaterThan(3_000_000);
    expect(await restic(folder, 'check', '--read-data')).toContain('no errors were found');
    const restored = makeFolder();
    await restic(folder, 'restore', second?.id ?? '', '--target', restored);
    const ana = Object.entries(expected).filter(([path]) => path.includes('ana@example.com'));
    expect(sameFiles(readFolder(restored), Object.fromEntries(ana))).toEqual([]);
    expect(await restic(folder, 'dump', added, '/new.txt')).toBe('new\n'.repeat(1_000));
  });

  test('ENG-12: restic and Daybook write the names of files with the same bytes', async () => {
    const { folder, target } = await makeRepository();
    const source = makeFolder();
    const files = Object.fromEntries(NAMES.map((name) => [name, Buffer.from('x')]));
    writeFiles(source, files);
    const run = spawnSync(program, ['--no-cache', '-r', folder, 'backup', '.', '--quiet'], {
      env: { ...process.env, RESTIC_PASSWORD: PASSWORD },
      cwd: source,
    });
    expect(run.status).toBe(0);
    const repository = await openAt(target);
    const [byRestic] = getValue(await repository.listSnapshots());
    const namesIn = async (tree: string): Promise<string[]> =>
      Buffer.from(getValue(await repository.readBlob('tree', tree)))
        .toString()
        .match(/"name":"(?:[^"\\]|\\.)*"/g) ?? [];
    const names = await namesIn(byRestic?.tree ?? '');
    expect(names).toHaveLength(NAMES.length);
    expect(await namesIn(await saveFolder(repository, files))).toEqual(names);
    await repository.close();
  });

  test('ENG-7: restic and Daybook respect the locks of each other', async () => {
    const { folder, target } = await makeRepository();
    const repository = await openAt(target);
    const snapshot = await saveFiles(repository, { 'a.txt': text('a', 10) });
    // restic reads beside a shared lock, and cleans up only without one
    expect(await restic(folder, 'ls', snapshot)).toContain('/a.txt');
    await expect(restic(folder, 'prune')).rejects.toThrow(/already locked/);
    await repository.close();
    await restic(folder, 'prune');

    const exclusive = await openAt(target, { lock: 'exclusive' });
    await expect(restic(folder, 'dump', snapshot, '/a.txt')).rejects.toThrow(
      /already locked exclusively/,
    );
    await exclusive.close();
    expect(await restic(folder, 'ls', snapshot)).toContain('/a.txt');
    expect(await restic(folder, 'list', 'locks')).toBe('');
  });

  test('ENG-12: a password that Daybook added opens the repository in restic, and one that it removed does not', async () => {
    const { folder, target } = await makeRepository();
    const repository = await openAt(target);
    await saveFiles(repository, { 'a.txt': text('a', 10) });
    getValue(await repository.addPassword('another'));
    const first = repository.keyId;
    await repository.close();
    const other = await openAt(target, { password: 'another' });
    getValue(await other.removeKey(first));
    await other.close();
    await expect(restic(folder, 'snapshots')).rejects.toThrow(/wrong password/);
    expect(await restic(folder, 'snapshots', '--password-command', 'echo another')).toContain(
      '1 snapshots',
    );
  });
});
