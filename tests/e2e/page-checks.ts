import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@playwright/test';
import type { Page } from '@playwright/test';
import { beyondTab, takePictures, SIDEBAR } from './person.ts';

const ALL = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
} as const;
/** Those that a theme can break: they look at colours, the others at what the page is made of. */
const OF_COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const;

const from = createRequire(import.meta.url);
/**
 * Written small: it is handed to each page that is opened anew, and the other one is twice as long.
 */
const AXE = readFileSync(
  createRequire(from.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

/**
 * Selectors: what of the page is looked at, or what is not. `sidebar`: it as well, which stands
 * beside every page and is judged with a few of each area. `colours`: by nothing but the rules of
 * colours.
 */
interface Part {
  readonly only?: string;
  readonly but?: string;
  readonly sidebar?: boolean;
  readonly colours?: boolean;
}

/**
 * Nothing for axe on the page as it stands. Only what is violated is handed over: telling
 * everything that is well takes three times as long as looking for it. And it is asked in the page
 * itself, which has no frames, not put together in a second one.
 */
export async function axe(
  page: Page,
  what: string,
  { only, but, sidebar = false, colours = false }: Part = {},
): Promise<void> {
  expect(page.frames()).toHaveLength(1);
  expect(
    await page.locator('[title]').evaluateAll((found) => found.map((one) => one.outerHTML)),
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

/** Nothing for axe in either theme; ends in the light one. */
export async function axeInBoth(page: Page, what: string, part: Part = {}): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await axe(page, `${what}, ${theme}`, { ...part, colours: theme === 'dark' });
  }
}

/**
 * Nothing for axe in both themes, nothing beyond the keyboard, and nothing wider than a phone. With
 * DAYBOOK_PICTURES it is kept as pictures.
 */
export async function sound(
  page: Page,
  what: string,
  part: Pick<Part, 'sidebar'> = {},
): Promise<void> {
  await axeInBoth(page, what, part);
  await takePictures(page, what.replaceAll(' ', '-'));
  expect(await beyondTab(page, part), what).toEqual([]);
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
  if (size) await page.setViewportSize(size);
}

/**
 * What the browser says of the page that should not be: errors, and its content policy. A 401 is
 * how a page learns that nobody is signed in.
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
