import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { beyondTab, takePictures, SIDEBAR } from './person.ts';

const ALL = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
} as const;
/** The rules that depend on the theme. */
const OF_COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const;

const from = createRequire(import.meta.url);
/** Minified, because each new page loads it. */
const AXE = readFileSync(
  createRequire(from.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

/**
 * Selectors of what is checked (`only`) and what is not (`but`). `sidebar`: checks the sidebar too,
 * which is the same on every page. `colours`: only the rules that depend on the theme.
 */
interface Part {
  readonly only?: string;
  readonly but?: string;
  readonly sidebar?: boolean;
  readonly colours?: boolean;
}

/**
 * Expects no axe violations on the page. Reporting only violations takes a third of the time. Legacy
 * mode runs in the page itself, which has no frames but previews, in which no script can run.
 */
export async function axe(
  page: Page,
  what: string,
  { only, but, sidebar = false, colours = false }: Part = {},
): Promise<void> {
  await expect(page.locator('iframe:not([sandbox=""])')).toHaveCount(0);
  expect(
    await page
      .locator('[title]:not(iframe)')
      .evaluateAll((found) => found.map((one) => one.outerHTML)),
    `${what}: the browser's own tooltip`,
  ).toEqual([]);
  const there = await page.evaluate(() => 'axe' in globalThis);
  const builder = new AxeBuilder({ page, axeSource: there ? ';' : AXE }).setLegacyMode().options({
    runOnly: colours
      ? { ...OF_COLOURS, values: [...OF_COLOURS.values] }
      : { ...ALL, values: [...ALL.values] },
    resultTypes: ['violations'],
  });
  if (only !== undefined) builder.include(only);
  if (but !== undefined) builder.exclude(but);
  if (!sidebar) builder.exclude(SIDEBAR);
  const { violations } = await builder.analyze();
  expect(violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
}

/** Expects no axe violations in either theme. Leaves the page in the light theme. */
export async function axeInBoth(page: Page, what: string, part: Part = {}): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await axe(page, `${what}, ${theme}`, { ...part, colours: theme === 'dark' });
  }
}

/**
 * A shortcut in `aria-keyshortcuts`: modifiers, then one key, with their names of UI Events (WAI-ARIA
 * 1.2, 6.6).
 */
const SHORTCUT =
  /^((Alt|AltGraph|Control|Meta|Shift)\+)*([!-*,-~]|Enter|Escape|Tab|Space|Delete|Backspace|Home|End|Page(Up|Down)|Arrow(Up|Down|Left|Right)|F\d+)$/;

/** Returns the values of `aria-keyshortcuts` that no screen reader knows how to announce. */
async function wrongShortcuts(page: Page): Promise<readonly string[]> {
  const values = await page
    .locator('[aria-keyshortcuts]')
    .evaluateAll((all) => all.map((element) => element.getAttribute('aria-keyshortcuts') ?? ''));
  return values.filter((value) => !value.split(' ').every((shortcut) => SHORTCUT.test(shortcut)));
}

/** Returns the titles of pages that are cut off at the top of the window. */
const findCutTitles = (page: Page): Promise<readonly string[]> =>
  page
    .locator('header h1')
    .evaluateAll((all) =>
      all
        .filter((title) => title.getBoundingClientRect().top < 0)
        .map((title) => title.textContent),
    );

/**
 * Expects no axe violations in both themes, every control in the tab order, shortcuts that can be
 * announced, and on a phone no wider content and no title that is cut off. Takes screenshots if DAYBOOK_PICTURES is set.
 */
export async function sound(
  page: Page,
  what: string,
  part: Pick<Part, 'sidebar'> = {},
): Promise<void> {
  await axeInBoth(page, what, part);
  await takePictures(page, what.replaceAll(' ', '-'));
  expect(await beyondTab(page, part), what).toEqual([]);
  expect(await wrongShortcuts(page), what).toEqual([]);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(
      () =>
        page.evaluate(() =>
          Math.max(
            document.documentElement.scrollWidth,
            document.querySelector('main')?.scrollWidth ?? 0,
          ),
        ),
      { message: what },
    )
    .toBeLessThanOrEqual(390);
  expect(await findCutTitles(page), what).toEqual([]);
  if (!size) return;
  await page.setViewportSize(size);
  // The next key is for the page in its former size.
  await page.evaluate(
    () =>
      new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(done));
        setTimeout(done, 2_000);
      }),
  );
}

/**
 * Collects the errors and violations of the content security policy from now on. Skips 401, which a
 * signed-out page gets.
 */
export function collectErrors(page: Page): readonly string[] {
  const heard: string[] = [];
  page.on('console', (message) => {
    if (
      (message.type() === 'error' ||
        /Content Security Policy|TrustedScript/.test(message.text())) &&
      !/status of 401/.test(message.text())
    )
      heard.push(message.text());
  });
  page.on('pageerror', (error) => heard.push(String(error)));
  return heard;
}

/** Presses the key of the page's search, and waits until its field has the focus. */
export async function focusSearch(page: Page): Promise<void> {
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox').and(page.locator(':focus'))).toBeVisible();
}

/** Expects that a control or part is large enough to touch, once it is drawn. */
export const expectTouchable = (part: Locator): Promise<void> =>
  expect
    .poll(async () => (await part.boundingBox())?.height, { message: String(part) })
    .toBeGreaterThanOrEqual(44);

/**
 * Scrolls a list, tree or grid until its active row or cell is out of sight, and expects that it is
 * still one that a screen reader finds.
 */
export async function expectActiveOutOfSight(list: Locator): Promise<void> {
  const id = (await list.getAttribute('aria-activedescendant')) ?? '';
  await list.evaluate(async (inner) => {
    let scroller: Element = inner;
    while (
      scroller.parentElement &&
      scroller.scrollHeight <= scroller.clientHeight &&
      scroller.scrollWidth <= scroller.clientWidth
    )
      scroller = scroller.parentElement;
    const { scrollTop, scrollLeft, scrollHeight, scrollWidth } = scroller;
    scroller.scrollTo(scrollLeft > 0 ? 0 : scrollWidth, scrollTop > 0 ? 0 : scrollHeight);
    // Rows out of sight are removed when the scrolling has come to rest.
    await new Promise((done) => setTimeout(done, 500));
  });
  const active = list.page().locator(`[id="${id}"]`);
  await expect(active).not.toBeInViewport();
  await expect(active).toHaveCount(1);
}

/** Leaves out what the browser reports when the server or the network goes away. */
export const withoutConnectionErrors = (errors: readonly string[]): readonly string[] =>
  errors.filter(
    (error) =>
      !/net::ERR_(?:CONNECTION_(?:REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|INTERNET_DISCONNECTED)/.test(
        error,
      ),
  );

/**
 * Takes the network away and waits until the page knows. The dialog is opened before, because a part
 * that is not on the device yet can't be opened any more.
 */
export async function goOffline(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Live/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Sync' });
  await expect(dialog.getByRole('button', { name: 'Sync now' })).toBeVisible();
  await page.context().setOffline(true);
  await dialog.getByRole('button', { name: 'Sync now' }).click();
  await expect(dialog.getByText(/^Offline since/)).toBeVisible({ timeout: 60_000 });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toHaveCount(0);
}

/**
 * Records what a screen reader is given to say, the last of which is the newest. Call it before the
 * page is opened; returns what loads the messages since the page was loaded.
 */
export async function recordAnnouncements(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.addInitScript(() => {
    const spoken: string[] = [];
    Object.assign(globalThis, { spoken });
    new MutationObserver(() =>
      spoken.push(
        document.querySelector('.sr-only[aria-live=polite]')?.lastElementChild?.textContent ?? '',
      ),
    ).observe(document, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (globalThis as { spoken?: readonly string[] }).spoken ?? []);
}

/** Waits until the build is kept and the page is served by the service worker. */
export async function waitForBuild(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible();
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state))
    .toBe('activated');
}

/**
 * How many records of results the databases of this browser hold: pages and changes of runs, and
 * chunks of the tables beside them.
 */
export const countStoredResults = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    let count = 0;
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await new Promise<IDBDatabase>((done, failed) => {
        const request = indexedDB.open(name);
        request.addEventListener('success', () => {
          done(request.result);
        });
        request.addEventListener('error', () => {
          failed(new Error('a database could not be opened'));
        });
      });
      for (const store of ['segments', 'patches', 'books']) {
        if (!database.objectStoreNames.contains(store)) continue;
        const keys = await new Promise<IDBValidKey[]>((done) => {
          const request = database.transaction(store).objectStore(store).getAllKeys();
          request.addEventListener('success', () => {
            done(request.result);
          });
        });
        count += keys.filter(
          (key) =>
            store !== 'books' ||
            (Array.isArray(key) &&
              ['job', 'problem', 'cause', 'company'].some((table) => table === key[0])),
        ).length;
      }
      database.close();
    }
    return count;
  });
