import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';

/** A user of the daily checks who uses only the keyboard. */
export interface Person {
  /** The row or group heading with the cursor. */
  readonly at: Locator;
  readonly heads: Locator;
  readonly row: (run: string) => Locator;
  presses(...keys: readonly string[]): Promise<void>;
  pressesUntil(key: string, so: () => Promise<boolean>): Promise<void>;
  types(words: string): Promise<void>;
  hasDialog(title: RegExp): Promise<void>;
  /** Opens the command palette and waits until its input has the focus. */
  hasPalette(): Promise<void>;
  isTold(words: string | RegExp): Promise<void>;
  /** Moves to the next unreviewed row and returns its run. */
  nextRow(): Promise<string>;
  rowAt(): Promise<string>;
  goesBackTo(run: string): Promise<void>;
  /** Returns the number that `words` captures in the label of the current row. */
  countAt(words: RegExp): Promise<number>;
  /** Returns the counts under "All clear". */
  allClear(): Promise<{
    readonly done: number;
    readonly of: number;
    readonly cleared: number;
    readonly snoozed: number;
  }>;
  /** Loads and reviews new results until the page has this heading. */
  clearsUntil(title: RegExp): Promise<void>;
  /** Waits until the page is live and has loaded all days. */
  isLive(): Promise<void>;
}

export function personAt(page: Page): Person {
  const { keyboard } = page;
  const at = page.locator('[role=row][data-cursor]');
  // Rows can be rendered again at any moment, so the page is read once.
  const runAt = (): Promise<string | null> =>
    at.evaluateAll(([row]) => row?.getAttribute('data-run') ?? null);
  const isAtUnreviewed = (): Promise<boolean> =>
    at.evaluateAll(
      ([row]) =>
        row !== undefined && row.hasAttribute('data-run') && !row.hasAttribute('data-done'),
    );
  /** The row of the cursor may still be loading: then nobody can say where it is. */
  const atDrawn = async (so: () => Promise<boolean>): Promise<boolean> => {
    await expect(at).toBeVisible();
    return so();
  };
  const until = async (key: string, so: () => Promise<boolean>): Promise<void> => {
    for (let tries = 0; tries < 100; tries++) {
      if (await so()) return;
      await keyboard.press(key);
      await waitForFrames(page);
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
      // Keys do nothing before the list is loaded.
      await expect(page.locator('[data-run], .dc-group').first()).toBeVisible();
      await keyboard.press('j');
      await until('j', () => atDrawn(isAtUnreviewed));
      return rowAt();
    },
    async goesBackTo(run) {
      await until('k', () => atDrawn(async () => (await runAt()) === run));
    },
    async countAt(words) {
      return Number(words.exec((await at.getAttribute('aria-label')) ?? '')?.[1]);
    },
    async allClear() {
      const text = await page.getByText(/^\d+ of \d+ cleared\. New results/).innerText();
      const tally = await page.getByRole('cell').allInnerTexts();
      const [done = 0, of = 0] = [...text.matchAll(/\d+/g)].map(Number);
      const [cleared = 0, snoozed = 0] = tally.map(Number);
      return { done, of, cleared, snoozed };
    },
    async clearsUntil(title) {
      const heading = page.getByRole('heading', { name: title });
      const selection = page.getByRole('toolbar', { name: 'Selection' });
      // A result may arrive between any two keys.
      await expect(async () => {
        await keyboard.press('r');
        if (await heading.isVisible()) return;
        if (!(await selection.isVisible())) await keyboard.press('Control+a');
        await expect(selection).toBeVisible({ timeout: 10_000 });
        await keyboard.press('e');
        await expect(selection).toBeHidden({ timeout: 10_000 });
        await keyboard.press('r');
        await expect(heading).toBeVisible({ timeout: 10_000 });
      }).toPass({ timeout: 120_000 });
    },
    async isLive() {
      await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible({ timeout: 60_000 });
      await expect(page.getByText(/ days loaded$/)).toBeHidden();
    },
  };
}

/** Resolves when the page has drawn what the last event changed. */
export const waitForFrames = (page: Page): Promise<unknown> =>
  page.evaluate(
    () =>
      new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(done));
      }),
  );

/**
 * Messages with an undo stay until they are used, however long a busy machine takes between two keys.
 * Call it before the page is opened.
 */
export const holdUndo = (page: Page): Promise<void> => holdMessages(page, 10_000);

/** The same of messages of a success. */
export const holdSuccess = (page: Page): Promise<void> => holdMessages(page, 3_500);

async function holdMessages(page: Page, lastsMs: number): Promise<void> {
  await page.addInitScript((held) => {
    const start: (work: () => void, ms?: number) => unknown = globalThis.setTimeout;
    const hold: typeof start = (work, ms) => start(work, ms === held ? 2 ** 30 : ms);
    Object.assign(globalThis, { setTimeout: hold });
  }, lastsMs);
}

/**
 * Takes screenshots in light and dark, desktop and phone width, into the folder DAYBOOK_PICTURES.
 * Does nothing if that is not set.
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

export const SIDEBAR = 'aside[aria-label=Sidebar]';

/**
 * Returns the controls of the page, or of the open dialog, that Tab doesn't reach. Skips controls
 * with keys of their own (in rows, groups and menus) and disabled ones. `sidebar`: includes the
 * sidebar; otherwise Tab starts behind it.
 */
export async function beyondTab(
  page: Page,
  { sidebar = false }: { readonly sidebar?: boolean } = {},
): Promise<readonly string[]> {
  const { count, inAll } = await page.evaluate(
    (beside) => {
      const dialog = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? null;
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
      // Read on keyup, when the focus has moved.
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
          // What was disabled or hidden meanwhile can't be reached any more.
          return (
            beyond && one.checkVisibility({ visibilityProperty: true }) && !one.matches(':disabled')
          );
        })
        .map((one) => one.outerHTML.slice(0, 160)),
    [...met],
  );
}
