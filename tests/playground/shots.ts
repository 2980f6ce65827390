/**
 * Pictures of the daily checks, to hold beside the design: `node tests/playground/shots.ts
 * <address> <folder> [names…]`.
 */
import { chromium } from 'playwright';
import { NOW } from './scene.ts';

const [address = 'http://127.0.0.1:5173', folder = '.', ...only] = process.argv.slice(2);
interface Shot {
  readonly name: string;
  readonly size: readonly [number, number];
  readonly query?: string;
  readonly dark?: boolean;
  readonly checks?: object;
  readonly keys?: readonly string[];
  readonly touch?: boolean;
}
const SHOTS: readonly Shot[] = [
  {
    name: 'open-light',
    size: [1440, 900],
    keys: ['j', 'x', 'j', 'x', 'j', 'e', 'j', 'Enter', 'x'],
  },
  { name: 'open-dark', size: [1440, 900], dark: true, keys: ['j', 'x', 'j', 'x', 'j', 'Enter'] },
  { name: 'closed-light', size: [1440, 900], keys: ['j', 'j', 'e', 'e', 'x', 'j', 'x', 'j'] },
  { name: 'closed-dark', size: [1440, 900], dark: true, keys: ['j', 'j', 'e', 'x'] },
  { name: 'wide-light', size: [1920, 1080], keys: ['j', 'j', 'Enter'] },
  { name: 'phone-light', size: [390, 844], touch: true },
  {
    name: 'phone-dark',
    size: [390, 844],
    dark: true,
    touch: true,
    keys: ['j', 'x', 'j', 'j', 'x'],
  },
  { name: 'phone-open', size: [390, 844], touch: true, keys: ['j', 'j', 'Enter'] },
  { name: 'tablet', size: [1024, 768], keys: ['j', 'j', 'Enter'] },
  { name: 'clear', size: [1440, 900], checks: { cleared: 'all' } },
  { name: 'none', size: [1440, 900], checks: { runs: 0 } },
  { name: 'nothing', size: [1440, 900], query: '?q=zzzz' },
  { name: 'offline', size: [1440, 900], checks: { offline: true }, keys: ['j', 'e', 'e', 'e'] },
  { name: 'loading', size: [1440, 900], checks: { slowMs: 60_000 } },
  { name: 'snooze', size: [1440, 900], keys: ['j', 's'] },
  { name: 'help', size: [1440, 900], dark: true, keys: ['?'] },
  { name: 'zoom', size: [320, 256] },
];

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
for (const shot of SHOTS) {
  if (only.length > 0 && !only.includes(shot.name)) continue;
  const context = await browser.newContext({
    viewport: { width: shot.size[0], height: shot.size[1] },
    hasTouch: shot.touch ?? false,
    colorScheme: shot.dark ? 'dark' : 'light',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  await page.addInitScript(
    ([checks, dark]) => {
      localStorage.setItem('checks', JSON.stringify(checks ?? {}));
      if (dark) localStorage.setItem('theme', 'dark');
    },
    [shot.checks, shot.dark] as const,
  );
  page.on('pageerror', (error) => process.stderr.write(`${shot.name}: ${error.message}\n`));
  page.on('console', (line) => {
    if (line.type() === 'error') process.stderr.write(`${shot.name}: ${line.text()}\n`);
  });
  await page.goto(`${address}/monitoring/daily-checks${shot.query ?? ''}`);
  await page.waitForSelector('h1');
  await page.waitForTimeout(900);
  for (const key of shot.keys ?? []) {
    await page.keyboard.press(key);
    await page.waitForTimeout(150);
  }
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${folder}/${shot.name}.png` });
  await context.close();
}
await browser.close();
