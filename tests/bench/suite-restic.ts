/** What restic needs for the files of a repository's restore points, beside the benches of sessions. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { REPOSITORY_PASSWORD } from './suite-place.ts';

const RESTIC = { ...process.env, RESTIC_PASSWORD: REPOSITORY_PASSWORD };

/** Backs the files of restore points up into a repository of its own. */
export interface ResticPeer {
  /**
   * Brings the files to the state of the last restore point, and returns the milliseconds in which
   * restic backs them up.
   */
  backUp(): number;
  end(): void;
}

/** Returns null without restic. */
export function beginRestic(repository: string): ResticPeer | null {
  if (spawnSync('restic', ['version']).error !== undefined) return null;
  const place = mkdtempSync(join(tmpdir(), 'daybook-bench-restic-'));
  const [files, latest, own] = [
    join(place, 'files'),
    join(place, 'latest'),
    join(place, 'repository'),
  ];
  mkdirSync(files);
  restic('-r', own, 'init');
  return {
    backUp() {
      restic('-r', repository, 'restore', 'latest', '--target', latest);
      update(files, latest);
      rmSync(latest, { recursive: true });
      const began = performance.now();
      restic('-r', own, 'backup', files);
      return performance.now() - began;
    },
    end() {
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Makes `files` the same as `latest`. Files that are the same already stay: restic skips those. */
function update(files: string, latest: string): void {
  for (const path of listFiles(files))
    if (!existsSync(join(latest, path))) rmSync(join(files, path));
  for (const path of listFiles(latest)) {
    const [old, now] = [join(files, path), join(latest, path)];
    if (existsSync(old) && readFileSync(old).equals(readFileSync(now))) continue;
    mkdirSync(dirname(old), { recursive: true });
    cpSync(now, old);
  }
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));

function restic(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('restic', ['--no-cache', '--quiet', ...args], {
    env: RESTIC,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`restic ${args.join(' ')} failed: ${stderr}`);
}
