// The commands of package.json. Plain JavaScript for Node 20 and newer, with nothing installed: it
// installs the rest.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { requireNode } from './require-node.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const [command = 'start', ...rest] = process.argv.slice(2);

requireNode();
install();
const { findNode, run } = await import('./node.mjs');
const node = findNode();
/** The exit code of `server/check-arguments.ts` if the command can run. */
const PROCEED = 100;

const commands = {
  async 'start'() {
    const { build } = await import('./build.mjs');
    return (await build(node)) || (await run(['server/main.ts', ...rest], { node }));
  },
  async 'dev'() {
    const port = process.env.PORT ?? '4300';
    const api = process.env.API_PORT ?? String(Number(port) + 1);
    const codes = await Promise.all([
      run(['--watch', '--watch-preserve-output', 'server/main.ts', ...rest], {
        node,
        env: { PORT: api },
      }),
      run(['node_modules/vite/bin/vite.js', '--port', port, '--strictPort'], {
        node,
        env: { API_PORT: api },
      }),
    ]);
    return Math.max(...codes);
  },
  async 'test'() {
    return (await import('./run-tests.mjs')).runTests(node);
  },
  async 'format'() {
    return (await import('./check.mjs')).format(node);
  },
  async 'check'() {
    const { failed } = await (await import('./check.mjs')).check(node);
    for (const name of failed) console.error(`failed: ${name}`);
    return failed.length === 0 ? 0 : 1;
  },
  async 'bench'() {
    install('tests/bench/peers');
    const { build } = await import('./build.mjs');
    const { findBrowser } = await import('./browser.mjs');
    const browser = findBrowser(node, { windowed: true });
    return (
      (await build(node)) ||
      (await run(['tests/bench/main.ts', ...rest], {
        node,
        env: browser ? { CHROMIUM: browser } : {},
      }))
    );
  },
  async 'soak'() {
    const { build } = await import('./build.mjs');
    const { findBrowser } = await import('./browser.mjs');
    const browser = findBrowser(node);
    return (
      (await build(node)) ||
      (await run(['tests/bench/soak.ts', ...rest], {
        node,
        env: browser ? { CHROMIUM: browser } : {},
      }))
    );
  },
  'rebuild': () => run(['server/rebuild.ts', ...rest], { node }),
  'verify': () => run(['server/verify.ts', ...rest], { node }),
  'backup': () => run(['server/backup.ts', ...rest], { node }),
  'restore': () => run(['server/restore.ts', ...rest], { node }),
  'distribute': () => run(['server/distribute.ts', ...rest], { node }),
  'attach': () => run(['server/attach.ts', ...rest], { node }),
  'check:tenant': () => run(['server/check-tenant.ts', ...rest], { node }),
  'proxy': () => run(['server/proxy.ts', ...rest], { node }),
  'unlock': () => run(['server/unlock.ts', ...rest], { node }),
  'rotate-key': () => run(['server/rotate-key.ts', ...rest], { node }),
};

const runCommand = commands[command];
if (!runCommand) {
  console.error(`Unknown command "${command}". Commands: ${Object.keys(commands).join(', ')}.`);
  process.exit(2);
}
const checked =
  rest.length === 0
    ? PROCEED
    : await run(['server/check-arguments.ts', command, ...rest], { node });
process.exitCode = checked === PROCEED ? await runCommand() : checked;
