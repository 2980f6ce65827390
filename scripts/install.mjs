// Installs the locked dependencies if the lock file changed. Plain JavaScript for Node 20 and
// newer, since nothing is installed yet.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const STAMP = 'node_modules/.lock-sha256';

const lockHash = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Returns whether anything was installed. `folder` has its own package-lock.json. */
export function install(folder = '.') {
  const hash = lockHash(`${folder}/package-lock.json`);
  const stamp = `${folder}/${STAMP}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return false;
  console.log(
    `Installing dependencies${folder === '.' ? '' : ` of ${folder}`} (first start, or package-lock.json changed)…`,
  );
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // No package needs a script of its own to be installed, and none may bring one.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const result = spawnSync(npm, ['ci', ...options], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    console.error('npm ci failed. See its output above.');
    process.exit(1);
  }
  writeFileSync(stamp, hash);
  return true;
}
