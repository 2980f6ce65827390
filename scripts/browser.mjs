// Finds or installs a Chromium: the CHROMIUM variable, PATH, Playwright's download, or (as root)
// Debian's package.
import { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/**
 * The same engine without windows, which take a third of the time of the e2e tests. It doesn't
 * report how much memory a page uses.
 */
const SHELL = 'chromium-headless-shell';
const NAMES = [
  SHELL,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'msedge',
];
const MAC_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const findInstalled = (names) =>
  names
    .flatMap((name) =>
      (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
    )
    .concat(MAC_PATHS)
    .find((file) => existsSync(file));

/**
 * Returns the path of a browser, or null to use Playwright's own. `windowed`: excludes the headless
 * shell. Exits the process if no browser can be installed.
 */
export function findBrowser(node, { windowed = false } = {}) {
  const names = NAMES.filter((name) => !windowed || name !== SHELL);
  const configured = process.env.CHROMIUM;
  if (configured) return configured;
  const installed = findInstalled(names);
  if (installed) return installed;
  console.log('Chromium not found. Downloading it…');
  const download = spawnSync(node, ['node_modules/playwright/cli.js', 'install', 'chromium'], {
    stdio: 'inherit',
    timeout: 300_000,
  });
  if (download.status === 0) return null;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    for (const name of [SHELL, 'chromium'].filter((candidate) => names.includes(candidate))) {
      spawnSync('apt-get', ['install', '-y', '-qq', name], {
        stdio: 'inherit',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
      const browser = findInstalled(names);
      if (browser) return browser;
    }
  }
  console.error(
    'No browser found for the end-to-end tests. Install Chromium, or set CHROMIUM to its path.',
  );
  process.exit(1);
}
