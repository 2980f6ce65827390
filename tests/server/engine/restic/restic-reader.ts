import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { toolMissing } from '../../../e2e/tools.ts';

// restic as a reader of what Daybook stored: the system's, and a current one.

export interface ResticProgram {
  readonly version: string;
  readonly path: string;
}
export interface Place {
  readonly folder: string;
  readonly password: string;
}

const why = toolMissing('restic', 'restic');
/** For the name of a test; empty: restic is here. */
export const missing = why === null ? '' : ` (skipped: ${why})`;

/** Outlives a run, so that it is downloaded once. */
const CURRENT = resolve('.cache', 'restic', 'restic');
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

let known: readonly ResticProgram[] | null = null;

/** Returns the system's restic and, where Debian's packages can be had as root, a current one. */
export function listPrograms(): readonly ResticProgram[] {
  if (known !== null) return known;
  if (missing === '' && !existsSync(CURRENT)) downloadCurrent();
  known = ['restic', CURRENT].flatMap((path) => {
    const version = /^restic (\S+)/.exec(run(path, ['version']))?.[1];
    return version === undefined ? [] : [{ path, version }];
  });
  return known;
}

/**
 * Unpacks restic's newest package of Debian without installing it. The system's own sources and
 * lists of packages stay as they are.
 */
function downloadCurrent(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const from = run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']);
  const address = from.split('\n').find((line) => /\/debian\/?$/.test(line));
  if (address === undefined) return;
  const place = mkdtempSync(join(tmpdir(), 'daybook-current-restic-'));
  chmodSync(place, 0o755);
  for (const suite of ['unstable', 'stable']) {
    const folder = join(place, suite);
    mkdirSync(join(folder, 'lists', 'partial'), { recursive: true });
    const key = existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : '';
    writeFileSync(join(folder, 'sources.list'), `deb ${key}${address} ${suite} main\n`);
    const settings = [
      `Dir::Etc::sourcelist=${folder}/sources.list`,
      'Dir::Etc::sourceparts=/dev/null',
      `Dir::State::lists=${folder}/lists`,
      'Dir::Cache::pkgcache=',
      'Dir::Cache::srcpkgcache=',
      'Acquire::Languages=none',
      'APT::Sandbox::User=root',
    ].flatMap((setting) => ['-o', setting]);
    run('apt-get', [...settings, 'update', '-qq'], folder);
    run('apt-get', [...settings, 'download', '-qq', `restic/${suite}`], folder);
    const pack = readdirSync(folder).find((name) => name.endsWith('.deb'));
    if (pack === undefined) continue;
    run('dpkg-deb', ['-x', pack, 'files'], folder);
    const program = join(folder, 'files', 'usr', 'bin', 'restic');
    if (!run(program, ['version']).startsWith('restic')) continue;
    mkdirSync(dirname(CURRENT), { recursive: true });
    cpSync(program, `${CURRENT}-${process.pid}`);
    renameSync(`${CURRENT}-${process.pid}`, CURRENT);
    break;
  }
  rmSync(place, { recursive: true, force: true });
}

/** Returns what a program prints; empty if it isn't here. */
const run = (path: string, args: readonly string[], cwd = '.'): string =>
  spawnSync(path, args, { cwd, encoding: 'utf8' }).stdout ?? '';

/** Reads a repository with restic, beside locks that killed processes left. */
export async function readWith(
  { path }: ResticProgram,
  { folder, password }: Place,
  ...args: string[]
): Promise<string> {
  const { stdout } = await promisify(execFile)(
    path,
    ['--no-cache', '--no-lock', '-r', folder, ...args],
    {
      env: { ...process.env, RESTIC_PASSWORD: password },
      maxBuffer: 64 << 20,
      encoding: 'utf8',
    },
  );
  return stdout;
}

/** Reads a repository with every program. Returns what each prints. */
export async function readWithEach(place: Place, ...args: string[]): Promise<string[]> {
  const printed: string[] = [];
  for (const program of listPrograms()) printed.push(await readWith(program, place, ...args));
  return printed;
}

/** The repository has no error for any program, also in its data. */
export async function expectNoErrors(place: Place): Promise<void> {
  for (const program of listPrograms()) await expectNoError(program, place);
}

/** Every program answers that there is no repository yet. */
export async function expectNoRepository(place: Place): Promise<void> {
  for (const program of listPrograms())
    await expect(readWith(program, place, 'snapshots')).rejects.toThrow(NO_REPOSITORY);
}
/** Sources: restic's `OpenRepository`, and its exit code 10 since 0.17. */
const NO_REPOSITORY = /Is there a repository at the following location\?|repository does not exist/;

/** The repository has no error, also in its data. */
export async function expectNoError(program: ResticProgram, place: Place): Promise<void> {
  expect(await readWith(program, place, 'check', '--read-data')).toContain('no errors were found');
}

/** Returns the files of a restore point by path, as restic lists and restores them. */
export async function restoreFiles(
  program: ResticProgram,
  place: Place,
  snapshot: string,
): Promise<Record<string, Buffer>> {
  const target = mkdtempSync(join(tmpdir(), 'daybook-restored-'));
  try {
    const [listed] = await Promise.all([
      readWith(program, place, 'ls', '--json', snapshot),
      readWith(program, place, 'restore', snapshot, '--target', target),
    ]);
    const files: Record<string, Buffer> = {};
    for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) files[path.slice(target.length)] = readFileSync(path);
    }
    const sizes = listed
      .trim()
      .split('\n')
      .map((line): { type?: string; path?: string; size?: number } => JSON.parse(line))
      .filter(({ type }) => type === 'file')
      .map(({ path = '', size = 0 }) => [path, size] as const);
    expect(new Map(Object.entries(files).map(([path, { length }]) => [path, length]))).toEqual(
      new Map(sizes),
    );
    return files;
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}
