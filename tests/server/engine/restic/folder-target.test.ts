import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolderTarget } from '#server/engine/embedded/restic/folder-target.ts';
import type { FileType } from '#server/engine/embedded/restic/target.ts';
import { systemChance } from '#server/platform/random.ts';
import { mayMount } from '../../db/full-site.ts';
import { getKind, makeFolder, makeRepository, getValue } from './fixtures.ts';

const NAME = 'ab'.repeat(32);
const BYTES = Buffer.from('0123456789');
const makeTarget = (folder: string) => makeFolderTarget(folder, { chance: systemChance });

test('ENG-14: a file is read whole or in part, listed with its size, and gone after its removal', async () => {
  const { folder, target } = await makeRepository();
  for (const type of ['data', 'index', 'keys', 'locks', 'snapshots'] as const) {
    getValue(await target.write(type, NAME, BYTES));
    expect(Buffer.from(getValue(await target.read(type, NAME))).toString()).toBe('0123456789');
    expect(Buffer.from(getValue(await target.read(type, NAME, 2, 5))).toString()).toBe('234');
    expect(getValue(await target.list(type))).toContainEqual({ name: NAME, sizeBytes: 10 });
    getValue(await target.remove(type, NAME));
    getValue(await target.remove(type, NAME));
    expect(getKind(await target.read(type, NAME))).toBe('missing');
    expect(getValue(await target.list(type)).some(({ name }) => name === NAME)).toBe(false);
  }
  expect(existsSync(join(folder, 'data', 'ab'))).toBe(true);
});

test('ENG-14, G66: only ids are names of files', async () => {
  const { folder, target } = await makeRepository();
  const wrong = [
    '',
    '..',
    '../config',
    'config',
    NAME.toUpperCase(),
    `${NAME}0`,
    `../${NAME}`,
    'x'.repeat(64),
  ];
  for (const type of ['data', 'index', 'keys', 'locks', 'snapshots'] satisfies FileType[])
    for (const name of wrong) {
      expect({
        name,
        write: getKind(await target.write(type, name, BYTES)),
        read: getKind(await target.read(type, name)),
        remove: getKind(await target.remove(type, name)),
      }).toEqual({ name, write: 'invalid', read: 'invalid', remove: 'invalid' });
    }
  expect(existsSync(join(folder, 'config'))).toBe(true);
});

test('ENG-14: a file that is too short is damaged, and a folder that is away is unreachable, not empty', async () => {
  const { folder, target } = await makeRepository();
  getValue(await target.write('data', NAME, BYTES));
  expect(getKind(await target.read('data', NAME, 5, 11))).toBe('damaged');
  expect(getKind(await target.read('data', NAME, 20, 21))).toBe('damaged');
  renameSync(folder, `${folder}-away`);
  expect(getKind(await target.read('data', NAME))).toBe('unreachable');
  expect(getKind(await target.write('data', NAME, BYTES))).toBe('unreachable');
  expect(getKind(await target.list('data'))).toBe('unreachable');
  expect(getKind(await target.list('snapshots'))).toBe('unreachable');
  expect(existsSync(folder)).toBe(false);
  mkdirSync(folder); // an empty mount point
  expect(getKind(await target.read('data', NAME))).toBe('unreachable');
  expect(getKind(await target.list('data'))).toBe('unreachable');
});

test('ENG-14: what an interrupted write left is not a file, and is removed', async () => {
  const { folder, target } = await makeRepository();
  getValue(await target.write('data', NAME, BYTES));
  const before = readdirSync(folder, { recursive: true }).length;
  writeFileSync(join(folder, 'data', 'ab', `${NAME}.0b0e8a52.unfinished`), 'half');
  writeFileSync(join(folder, 'index', `${NAME}.0b0e8a52.unfinished`), 'half');
  expect(getValue(await target.list('data'))).toHaveLength(1);
  expect(getValue(await target.list('index'))).toHaveLength(0);
  getValue(await target.removeUnfinished());
  expect(readdirSync(folder, { recursive: true })).toHaveLength(before);
});

const run = (command: string, ...args: string[]): void =>
  expect(spawnSync(command, args).status).toBe(0);
const unmounted = mayMount() ? '' : ' (skipped: no tmpfs can be mounted)';
test.skipIf(unmounted !== '')(
  `ENG-14: a full drive and a read-only one are failures that say so, and leave no part of a file${unmounted}`,
  async () => {
    const folder = makeFolder();
    run('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder);
    try {
      const target = makeTarget(folder);
      getValue(await target.prepare());
      getValue(await target.write('config', 'config', BYTES));
      const full = await target.write('data', NAME, Buffer.alloc(2_000_000));
      expect(full).toMatchObject({
        ok: false,
        error: { kind: 'busy', message: expect.stringContaining('drive is full') },
      });
      expect(getValue(await target.list('data'))).toEqual([]);
      expect(readdirSync(join(folder, 'data', 'ab'))).toEqual([]);
      getValue(await target.write('data', NAME, BYTES));
      run('mount', '-o', 'remount,ro', folder);
      expect(getKind(await target.write('index', NAME, BYTES))).toBe('forbidden');
      expect(getKind(await target.remove('data', NAME))).toBe('forbidden');
      expect(getValue(await target.list('data'))).toHaveLength(1);
    } finally {
      run('umount', '-l', folder);
    }
  },
);

test('ENG-14: destroying a repository removes its folder, can be repeated, and fails while the drive is away', async () => {
  const { folder: drive } = await makeRepository();
  const folder = join(drive, 'mounted', 'repository');
  const target = makeTarget(folder);
  getValue(await target.prepare());
  getValue(await target.write('data', NAME, BYTES));
  getValue(await target.destroy());
  expect(existsSync(folder)).toBe(false);
  getValue(await target.destroy());
  rmdirSync(join(drive, 'mounted'));
  expect(getKind(await target.destroy())).toBe('unreachable');
});
