import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';

/** A person at the list of daily checks who has a keyboard and no mouse. */
export interface Person {
  /** The line that keys mean: a row, or the head of a group. */
  readonly at: Locator;
  readonly heads: Locator;
  readonly row: (run: string) => Locator;
  presses(...keys: readonly string[]): Promise<void>;
  pressesUntil(key: string, so: () => Promise<boolean>): Promise<void>;
  types(words: string): Promise<void>;
  hasDialog(title: RegExp): Promise<void>;
  /** Opens the palette, and waits until it takes words. */
  hasPalette(): Promise<void>;
  isTold(words: string | RegExp): Promise<void>;
  /** Steps on to the next row that is to be checked; answers the run. */
  nextRow(): Promise<string>;
  rowAt(): Promise<string>;
  goesBackTo(run: string): Promise<void>;
  /** The number that the line's words hold. */
  countAt(words: RegExp): Promise<number>;
  /** What the page says under "All clear": so many done of so many, and the tally of how. */
  allClear(): Promise<{
    readonly done: number;
    readonly of: number;
    readonly cleared: number;
    readonly snoozed: number;
  }>;
  /** Takes in what is new and reviews all of it, until the page is ruled off. */
  clearsUntil(title: RegExp): Promise<void>;
  /** Everything of this device is here, and the server answers. */
  isLive(): Promise<void>;
}

export function personAt(page: Page): Person {
  const { keyboard } = page;
  const at = page.locator('[role=row][data-cursor]');
  const runAt = async (): Promise<string | null> =>
    (await at.count()) === 0 ? null : at.getAttribute('data-run', { timeout: 1_000 });
  const until = async (key: string, so: () => Promise<boolean>): Promise<void> => {
    for (let tries = 0; tries < 100; tries++) {
      if (await so()) return;
      await keyboard.press(key);
      await page.waitForTimeout(60);
    }
    throw new Error(`${key} was pressed a hundred times`);
  };
  const rowAt = async (): Promise<string> => {
    await expect(at).toHaveAttribute('data-run', /\d/);
    return (await runAt()) ?? '';
  };
  return {
    at,
    heads: page.locator('.dc-group'),
    row: (run) => page.locator(`[data-run="${run}"]`),
    rowAt,
    pressesUntil: until,
    async presses(...keys) {
      for (const key of keys) await keyboard.press(key);
    },
    async types(words) {
      await keyboard.type(words);
    },
    async hasDialog(title) {
      const dialog = page.getByRole('dialog', { name: title });
      await expect
        .poll(() =>
          dialog.evaluateAll((all) => all.some((one) => one.contains(document.activeElement))),
        )
        .toBe(true);
    },
    async hasPalette() {
      await keyboard.press('Control+k');
      await expect(
        page.getByRole('combobox', { name: 'Pages, companies, jobs, and actions' }),
      ).toBeFocused();
    },
    async isTold(words) {
      await expect(
        page.getByRole('status', { name: 'Messages' }).getByText(words).last(),
      ).toBeVisible();
    },
    async nextRow() {
      // Keys mean nothing before the list is there.
      await expect(page.locator('[data-run], .dc-group').first()).toBeVisible();
      await keyboard.press('j');
      await until(
        'j',
        async () =>
          (await at.count()) > 0 &&
          (await at.getAttribute('data-run')) !== null &&
          (await at.getAttribute('data-done')) === null,
      );
      return rowAt();
    },
    async goesBackTo(run) {
      await until('k', async () => (await runAt()) === run);
    },
    async countAt(words) {
      return Number(words.exec((await at.getAttribute('aria-label')) ?? '')?.[1]);
    },
    async allClear() {
      const details = await page.getByText(/^\d+ of \d+ cleared\. New results/).innerText();
      const tally = await page.getByRole('cell').allInnerTexts();
      const [done = 0, of = 0] = [...details.matchAll(/\d+/g)].map(Number);
      const [cleared = 0, snoozed = 0] = tally.map(Number);
      return { done, of, cleared, snoozed };
    },
    async clearsUntil(title) {
      await expect(async () => {
        await keyboard.press('r');
        if (await page.getByRole('heading', { name: title }).isVisible()) return;
        await keyboard.press('Control+a');
        await expect(page.getByRole('toolbar', { name: 'Selection' })).toBeVisible({
          timeout: 2_000,
        });
        await keyboard.press('e');
        await expect(page.getByRole('toolbar', { name: 'Selection' })).toBeHidden({
          timeout: 2_000,
        });
        await keyboard.press('r');
        await expect(page.getByRole('heading', { name: title })).toBeVisible({ timeout: 2_000 });
      }).toPass({ timeout: 60_000 });
    },
    async isLive() {
      await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible({ timeout: 60_000 });
      await expect(page.getByText(/ days loaded$/)).toBeHidden();
    },
  };
}

/**
 * Pictures of a walk for whoever wants to look at it: with DAYBOOK_PICTURES=<folder> each step is
 * kept light, dark and at the width of a phone. Without it nothing happens.
 */
export async function takePictures(page: Page, step: string): Promise<void> {
  const folder = process.env['DAYBOOK_PICTURES'] ?? '';
  if (folder === '') return;
  mkdirSync(folder, { recursive: true });
  const size = page.viewportSize();
  for (const [name, colorScheme, viewport] of [
    ['light', 'light', size],
    ['dark', 'dark', size],
    ['phone', 'light', { width: 390, height: 844 }],
    ['phone-dark', 'dark', { width: 390, height: 844 }],
  ] as const) {
    if (viewport) await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `${step}-${name}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (size) await page.setViewportSize(size);
  await page.waitForTimeout(300);
}

/** The menu beside every page. */
export const SIDEBAR = 'aside[aria-label=Sidebar]';

/**
 * What can be pressed or filled in and is not met by Tab, going once round the page, or round the
 * dialog that is open. Left out is what has keys of its own: marks in the rows of the list (X, E,
 * U, ← and →), choices of a group or a menu beside the one that Tab meets (arrows), what is
 * disabled. `sidebar`: that as well; else Tab begins behind it.
 */
export async function beyondTab(
  page: Page,
  { sidebar = false }: { readonly sidebar?: boolean } = {},
): Promise<readonly string[]> {
  const { count, inAll } = await page.evaluate(
    (beside) => {
      const dialog = document.querySelector('[role=dialog]');
      const scope = dialog ?? document;
      const own =
        '[role=row][data-index], [role=row][data-index] *, [role=option], [role=menuitem], [role=tab][aria-selected=false], input[type=radio]:not(:checked)';
      const reachable = [
        ...scope.querySelectorAll<HTMLElement>(
          'button, a[href], input, select, textarea, [tabindex="0"], summary',
        ),
      ].filter(
        (one) =>
          one.checkVisibility({ visibilityProperty: true, opacityProperty: false }) &&
          !one.matches(
            `${own}, :disabled, [type=hidden], [aria-hidden=true], [data-headlessui-focus-guard]`,
          ) &&
          one.closest('[inert], [aria-hidden=true]') === null,
      );
      const all = reachable.filter((one) => beside === '' || one.closest(beside) === null);
      if (dialog === null && beside !== '')
        [...document.querySelectorAll<HTMLElement>(`${beside} :is(a[href], button)`)]
          .at(-1)
          ?.focus();
      all.forEach((one, i) => {
        one.dataset['met'] = String(i);
      });
      document.documentElement.dataset['tabs'] = '';
      // As it stands when the key is up again: whatever was led on has arrived.
      addEventListener(
        'keyup',
        () => {
          const at = document.activeElement;
          if (at instanceof HTMLElement && at.dataset['met'] !== undefined)
            document.documentElement.dataset['tabs'] += `${at.dataset['met']} `;
        },
        true,
      );
      return { count: all.length, inAll: reachable.length };
    },
    sidebar ? '' : SIDEBAR,
  );
  expect(count).toBeGreaterThan(0);
  const met = new Set<string>();
  // Twice round the whole document, the sidebar included: the browser may still be moving the focus
  // when the key is up, so one round can miss a control.
  for (let i = 0; i < inAll * 2 + 20 && met.size < count; i++) {
    await page.keyboard.press('Tab');
    // Asked for after as many as there can have been.
    if (i < count - 1) continue;
    for (const one of (
      await page.evaluate(() => document.documentElement.dataset['tabs'] ?? '')
    ).split(' '))
      if (one !== '') met.add(one);
  }
  return page.evaluate(
    (known) =>
      [...document.querySelectorAll<HTMLElement>('[data-met]')]
        .filter((one) => {
          const beyond = !known.includes(one.dataset['met'] ?? '');
          delete one.dataset['met'];
          delete document.documentElement.dataset['tabs'];
          return beyond && one.isConnected;
        })
        .map((one) => one.outerHTML.slice(0, 160)),
    [...met],
  );
}
