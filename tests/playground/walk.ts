/**
 * Walks the morning round by keyboard against the playground, and asks axe and the clock on the
 * way: `node tests/playground/walk.ts <address>`.
 */
import { AxeBuilder } from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { chromium } from 'playwright';
import type { BrowserContext, Page } from 'playwright';
import { NOW } from './scene.ts';

const [address = 'http://127.0.0.1:5173', ...only] = process.argv.slice(2);
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const CHROMIUM = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: CHROMIUM });

interface At {
  readonly checks?: object;
  readonly scene?: object;
  readonly theme?: 'light' | 'dark';
  readonly phone?: boolean;
  readonly query?: string;
}

async function open({
  checks = {},
  scene = {},
  theme = 'light',
  phone = false,
  query = '',
}: At): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
  const context = await browser.newContext({
    viewport: phone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    hasTouch: phone,
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  await page.addInitScript(
    ([saidChecks, saidScene, saidTheme]) => {
      localStorage.setItem('checks', JSON.stringify(saidChecks));
      localStorage.setItem('scene', JSON.stringify(saidScene));
      localStorage.setItem('theme', saidTheme);
    },
    [checks, scene, theme] as const,
  );
  page.on('pageerror', (error) => {
    throw error;
  });
  await page.goto(`${address}/monitoring/daily-checks${query}`);
  await page.waitForSelector('[data-run], .dc-list h2');
  return { page, context };
}
const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(120);
  }
};
const focused = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('data-index') ?? null);
const query = (page: Page): string => new URL(page.url()).search;
const count = (page: Page, what: string): Promise<number> => page.locator(what).count();
const grid = '[role=grid]';
const rows = async (page: Page): Promise<number> =>
  Number(await page.getAttribute(grid, 'aria-rowcount')) - 1;

const WALKS: Readonly<Record<string, () => Promise<void>>> = {
  async keyboard() {
    const { page, context } = await open({});
    const all = await rows(page);
    await press(page, 'j');
    assert.equal(await focused(page), '0');
    await press(page, 'j', 'j', 'k');
    assert.equal(await focused(page), '1');
    await press(page, 'e');
    assert.equal(await focused(page), '2', 'after a review the focus stands on the next row');
    assert.equal(
      await page.locator('[data-index="1"]').getAttribute('data-done'),
      '',
      'the row stays in its place and recedes',
    );
    assert.match(await page.locator('[data-index="1"]').innerText(), /Reviewed 07:46 AM by you/);
    assert.equal(await rows(page), all);
    await press(page, 'u');
    assert.equal(
      await page.locator('[data-index="1"]').getAttribute('data-done'),
      null,
      'U takes it back',
    );
    await press(page, 'x', 'j', 'x', 'Shift+J', 'Shift+J');
    assert.match(await page.locator('.dc-bulk').innerText(), /^4 selected/);
    await press(page, 'e');
    assert.equal(await count(page, '.dc-bulk'), 0);
    assert.equal(await count(page, '[data-done]'), 4);
    assert.match(await page.locator('output[aria-label=Messages]').innerText(), /4 reviewed/);
    assert.equal(await focused(page), '6');
    await press(page, 'r');
    assert.equal(await rows(page), all - 4, 'R takes in: what is reviewed leaves');
    await press(page, 'Control+a');
    assert.match(await page.locator('.dc-bulk').innerText(), new RegExp(`^${all - 4} selected`));
    await press(page, 'Escape');
    assert.equal(await count(page, '.dc-bulk'), 0);
    await press(page, 'j', 'Enter');
    assert.match(query(page), /run=\d+/);
    await page.waitForSelector('.rp h2');
    const first = await page.locator('.rp h2').innerText();
    await press(page, 'j', 'j');
    assert.notEqual(
      await page.locator('.rp h2').innerText(),
      first,
      'J moves on with the panel open',
    );
    assert.equal(await count(page, '.rp'), 1);
    const before = query(page);
    await press(page, 'e');
    assert.notEqual(query(page), before, 'after a review the panel shows the next result');
    await press(page, 'Escape');
    assert.equal(await count(page, '.rp'), 0);
    await press(page, '/');
    await page.keyboard.type('sql xej');
    assert.equal(
      await page.inputValue('input[type=search] >> nth=0'),
      'sql xej',
      'no key is stolen from a field',
    );
    await press(page, 'Escape', 'Escape');
    assert.equal(await page.inputValue('input[type=search] >> nth=0'), '');
    await press(page, '?');
    await page.waitForSelector('[role=dialog] h2');
    assert.match(await page.locator('[role=dialog]').innerText(), /Show new results/);
    await press(page, 'Escape');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    await press(page, 'f');
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /To check/);
    await page.locator('.dc-facet', { hasText: 'Failed' }).first().press('Enter');
    await page.waitForTimeout(150);
    assert.match(query(page), /state=Failed/);
    await page.goBack();
    await page.waitForTimeout(150);
    assert.equal(query(page), '', 'Back takes a filter off');
    await context.close();
  },

  async snooze() {
    const { page, context } = await open({});
    await press(page, 'j', 's');
    await page.waitForSelector('[role=dialog] h2');
    const send = page.getByRole('button', { name: /^Snooze until/ });
    assert.equal(await send.isDisabled(), true, 'a reason is required');
    await page.locator('input[required]').fill('Host is being moved');
    assert.match(await send.innerText(), /Snooze until 11\/21\/26 08:00 AM/);
    await page.getByLabel('Monday').check();
    assert.match(await send.innerText(), /Snooze until 11\/23\/26 08:00 AM/);
    await send.click();
    await page.waitForTimeout(200);
    assert.match(
      await page.locator('[data-index="0"]').innerText(),
      /Snoozed until 11\/23\/26 08:00 AM by you/,
    );
    assert.equal(await focused(page), '1');
    await press(page, 'n');
    await page.waitForSelector('textarea');
    await page.locator('textarea').fill('Client back Monday');
    await page.keyboard.press('Control+Enter');
    await page.waitForTimeout(200);
    assert.equal(await count(page, '[data-index="1"] [aria-label="Has a note"]'), 1);
    await context.close();
  },

  async held() {
    const { page, context } = await open({});
    const all = await rows(page);
    const arrive = (n: number): Promise<void> =>
      page.evaluate(
        (more) =>
          (globalThis as unknown as { play: { arrive(count: number): void } }).play.arrive(more),
        n,
      );
    await arrive(2);
    await page.waitForTimeout(150);
    assert.equal(await rows(page), all + 2, 'nobody works in the list: new rows come in');
    await press(page, 'j', 'j');
    await arrive(3);
    await page.waitForTimeout(150);
    assert.equal(await rows(page), all + 2, 'the cursor has been moved: new rows wait');
    assert.match(await page.locator('.dc-list').innerText(), /3 new, press/);
    await press(page, 'x', 'r');
    assert.equal(await rows(page), all + 5);
    assert.match(
      await page.locator('.dc-bulk').innerText(),
      /^1 selected/,
      'the selection survives',
    );
    await context.close();
  },

  async reader() {
    const { page, context } = await open({ scene: { roles: ['read-only'] } });
    await press(page, 'j', 'e', 'x', 's', 'n');
    assert.equal(await count(page, '[data-done]'), 0);
    assert.equal(await count(page, '[role=dialog]'), 0);
    assert.doesNotMatch(await page.locator('.dc-bulk').innerText(), /Review|Snooze|Note/);
    await press(page, 'Enter');
    await page.waitForSelector('.rp h2');
    assert.equal(await count(page, '.rp-foot'), 0);
    await context.close();
  },

  async offline() {
    const { page, context } = await open({ checks: { offline: true } });
    await press(page, 'j', 'e', 'e');
    assert.match(
      await page.locator('.dc-list').innerText(),
      /Offline since 07:40 AM[\s\S]*Showing results up to 07:34 AM[\s\S]*2 unsent changes/,
    );
    assert.match(await page.locator('[data-index="0"]').innerText(), /not sent yet/);
    await press(page, 'Enter');
    await page.waitForSelector('.rp h2');
    await page.waitForTimeout(400);
    assert.match(await page.locator('.rp').innerText(), /You're offline/);
    await context.close();
  },

  async refused() {
    const { page, context } = await open({ checks: { refuse: true } });
    await press(page, 'j', 'e');
    assert.match(
      await page.locator('output[aria-label=Messages]').innerText(),
      /The change couldn't be saved on this device/,
    );
    await context.close();
  },

  async states() {
    for (const [at, words] of [
      [{ checks: { cleared: 'all' } }, /All clear since 07:44 AM/],
      [{ checks: { runs: 0 } }, /No results yet[\s\S]*Connect a source/],
      [{ checks: { runs: 0 }, scene: { roles: ['operator'] } }, /Ask an administrator to connect/],
      [{ query: '?q=zzzz' }, /No matching results[\s\S]*Clear/],
      [{ checks: { loadedDays: 12 } }, /12 of 30 days loaded/],
    ] as const) {
      const { page, context } = await open(at);
      await page.waitForTimeout(300);
      assert.match(await page.locator('.dc-list').innerText(), words);
      await context.close();
    }
  },

  async address() {
    const { page, context } = await open({
      query: '?company=3,4&order=newest&rows=runs&review=any',
    });
    const total = await rows(page);
    await page.goto(`${address}/monitoring/daily-checks`);
    await page.waitForSelector('[data-run]');
    assert.match(
      query(page),
      /company=3,4/,
      'what was chosen is kept for an address without filters',
    );
    assert.equal(await rows(page), total);
    await context.close();
  },

  axeLight: () => axe('light', false),
  axeDark: () => axe('dark', false),
  axePhoneLight: () => axe('light', true),
  axePhoneDark: () => axe('dark', true),

  async axeStates() {
    for (const checks of [{ cleared: 'all' }, { runs: 0 }, { offline: true }]) {
      const { page, context } = await open({ checks });
      const { violations } = await new AxeBuilder({ page }).analyze();
      assert.deepEqual(
        violations.map(({ id }) => id),
        [],
        JSON.stringify(checks),
      );
      await context.close();
    }
  },

  async scroll() {
    for (const [runs, jobs] of [
      [10_000, 1_000],
      [200_000, 8_000],
    ] as const) {
      const { page, context } = await open({
        checks: { runs, jobs },
        query: '?review=any&rows=runs&date=last-30&order=newest',
      });
      const total = await rows(page);
      const took = await page.evaluate(async () => {
        const long: number[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) long.push(entry.duration);
        }).observe({ type: 'longtask' });
        const scroller = document.querySelector('[role=grid]');
        const frames: number[] = [];
        let last = performance.now();
        for (let i = 0; i < 180; i += 1) {
          scroller?.scrollBy(0, i < 120 ? 90 : 1_500);
          await new Promise<void>((resolve) => {
            requestAnimationFrame(() => resolve());
          });
          frames.push(performance.now() - last);
          last = performance.now();
        }
        await new Promise((resolve) => {
          setTimeout(resolve, 300);
        });
        frames.sort((a, b) => a - b);
        return {
          long,
          p95: frames[Math.floor(frames.length * 0.95)] ?? 0,
          drawn: document.querySelectorAll('[data-index]').length,
          blank: document.querySelectorAll('.dc-bars').length,
        };
      });
      say(
        `  ${total} rows: frame p95 ${took.p95.toFixed(1)} ms, ${took.drawn} rows drawn, ${took.blank} blank at rest, long tasks ${JSON.stringify(took.long.map(Math.round))}`,
      );
      assert.equal(took.blank, 0);
      assert.ok(took.drawn < 60);
      await context.close();
    }
  },
};

async function axe(theme: 'light' | 'dark', phone: boolean): Promise<void> {
  const { page, context } = await open({ theme, phone });
  const found: string[] = [];
  const look = async (where: string): Promise<void> => {
    await page.waitForTimeout(500);
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
      .analyze();
    for (const { id, nodes } of violations)
      say(
        `  ${where}: ${id}: ${nodes
          .slice(0, 3)
          .map((node) => `${node.html.slice(0, 160)} ${node.failureSummary?.slice(0, 200)}`)
          .join(' | ')}`,
      );
    found.push(...violations.map(({ id }) => `${where}: ${id}`));
  };
  await press(page, 'j', 'e', 'x', 'j');
  await look('grid');
  await press(page, 'Enter');
  await page.waitForSelector('.rp');
  await look('panel');
  await press(page, 'Escape', 'Escape', 'Escape');
  for (const [key, where] of [
    ['s', 'snooze'],
    ['n', 'note'],
    ['?', 'help'],
  ] as const) {
    await press(page, 'j', key);
    await page.waitForSelector('[role=dialog] h2');
    await look(where);
    await press(page, 'Escape');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
  }
  if (phone) {
    await press(page, 'f');
    await look('facets');
  }
  await context.close();
  assert.deepEqual(found, []);
}

let failures = 0;
for (const [name, walk] of Object.entries(WALKS)) {
  if (only.length > 0 && !only.includes(name)) continue;
  try {
    await walk();
    say(`passed  ${name}`);
  } catch (error) {
    failures += 1;
    say(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
await browser.close();
process.exitCode = failures === 0 ? 0 : 1;
