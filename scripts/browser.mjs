// Finds or installs a Chromium: the CHROMIUM variable, PATH, Playwright's download, or (as root)
// Debian's package.
import { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/**
 * The same engine without the parts for windows, which cost a third of the time of the e2e tests.
 * It doesn't report how much memory a page uses.
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
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const inPath = (names) =>
  names
    .flatMap((name) =>
      (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
    )
    .concat(PLACES)
    .find((file) => existsSync(file));

/**
 * Returns the path of a browser, or null to use Playwright's own. `windowed`: excludes the headless
 * shell. Exits the process if no browser can be installed.
 */
export function findBrowser(node, { windowed = false } = {}) {
  const names = NAMES.filter((name) => !windowed || name !== SHELL);
  const given = process.env.CHROMIUM;
  if (given) return given;
  const found = inPath(names);
  if (found) return found;
  console.log('No Chromium here: getting one…');
  const own = spawnSync(node, ['node_modules/playwright/cli.js', 'install', 'chromium'], {
    stdio: 'inherit',
    timeout: 300_000,
  });
  if (own.status === 0) return null;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    for (const name of [SHELL, 'chromium'].filter((one) => names.includes(one))) {
      spawnSync('apt-get', ['install', '-y', '-qq', name], {
        stdio: 'inherit',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
      const installed = inPath(names);
      if (installed) return installed;
    }
  }
  console.error(
    'No browser for the end-to-end tests: install Chromium or set CHROMIUM to its path.',
  );
  process.exit(1);
}
