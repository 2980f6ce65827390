/** A real WebDAV server, rclone, for one folder, on a port of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolMissing } from '../../e2e/tools.ts';
import { getFreePort } from './dovecot.ts';

/** Why there is none here, for the names of what is skipped; empty where there is. */
export const missing = ((): string => {
  const why = process.platform === 'win32' ? 'no Unix' : toolMissing('rclone', 'rclone');
  return why === null ? '' : ` (skipped: ${why})`;
})();

export const ACCOUNT = { username: 'ann', password: 'Correct-horse-2' };

export interface Rclone {
  readonly url: string;
  readonly folder: string;
  stop(): Promise<void>;
}

export async function startRclone(): Promise<Rclone> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-rclone-'));
  const address = `127.0.0.1:${await getFreePort()}`;
  const { username, password } = ACCOUNT;
  const options = ['--addr', address, '--baseurl', '/dav', '--user', username, '--pass', password];
  const child = spawn('rclone', ['serve', 'webdav', folder, ...options, '--dir-cache-time', '0s'], {
    env: { ...process.env, RCLONE_CONFIG: '/dev/null' },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://${address}/dav/`;
  for (;;) {
    const answers = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answers) return { url, folder, stop };
    if (child.exitCode !== null) {
      await stop();
      throw new Error('rclone did not answer.');
    }
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
}
