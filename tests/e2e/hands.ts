import { expect } from '@playwright/test';
import type { Browser, BrowserContext, Locator, Page } from '@playwright/test';
import { goToNode, list, node, tree } from './cloud-suite.ts';
import { axeInBoth, sound } from './page-checks.ts';
import { personAt } from './person.ts';

/** How a person uses the product. Whoever has the hands, the walk of a test is the same. */
export interface Hands {
  readonly name: 'mouse' | 'keyboard' | 'phone';
  /** A browser of its own, as this person has it. */
  newContext(this: void, browser: Browser): Promise<BrowserContext>;
  /** Activates a button, link, radio button or entry. */
  press(this: void, control: Locator): Promise<void>;
  /** Selects an option of a list box. */
  select(this: void, option: Locator): Promise<void>;
  /** Replaces what is in a text field. */
  type(this: void, field: Locator, text: string): Promise<void>;
  /** Sets a native select, whose list the browser draws. */
  choose(this: void, field: Locator, label: string): Promise<void>;
  /** Opens a field with options and narrows them by typing to one, which it takes. */
  pick(this: void, field: Locator, index: number): Promise<void>;
  /** Opens a page with the sidebar. */
  openPage(this: void, page: Page, name: string): Promise<void>;
  /** Opens a mailbox or drive, and then a folder of it. */
  openFolder(this: void, page: Page, object: string, folder?: string): Promise<void>;
  /** Searches in the open folder. */
  search(this: void, page: Page, label: string, text: string): Promise<void>;
  /**
   * Chooses the newest restore point of the day before that of the open one. `day`: as the page writes
   * it. `reopen`: opens what a phone has to leave for it.
   */
  openDayBefore(this: void, page: Page, day: string, reopen: () => Promise<void>): Promise<void>;
  /** Opens the first item. Returns where its details are. */
  openItem(this: void, page: Page, title: string): Promise<Locator>;
  /** Closes them, if they cover the list. */
  closeItem(this: void, page: Page): Promise<void>;
  /** Marks the first item of the open folder. */
  mark(this: void, page: Page): Promise<void>;
  /** What a press of `Restore` opened. */
  getRestore(this: void, page: Page): Locator;
  /** Opens a row of the daily checks. Returns where its result is. */
  openResult(this: void, page: Page, row: Locator): Promise<Locator>;
  logOut(this: void, page: Page): Promise<void>;
  /** Expects nothing that axe finds, in both themes, and no content that is too wide. */
  check(this: void, page: Page, what: string): Promise<void>;
}

const DETAILS = { name: 'Details' };
const POINT = { name: 'Restore point' };
const RESULT = { name: 'Job result' };
const RESTORE = { name: /^Restore (\d+ (items?|posts?)|folder|mailbox|OneDrive)/ };
const MENU = { name: 'Menu', exact: true };
const LOG_OUT = { name: 'Log out' };

const readOption = (field: Locator, index: number): Promise<string> =>
  field.page().getByRole('option').nth(index).innerText();
const getOption = (field: Locator, name: string): Locator =>
  field.page().getByRole('option', { name, exact: true });
const getFolder = (page: Page, name: string): Locator => node(page, new RegExp(`^${name}`));
async function expectDetails(details: Locator, title: string): Promise<Locator> {
  await expect(details.getByRole('heading', { level: 2 })).toHaveText(title);
  return details;
}

const mouse: Hands = {
  name: 'mouse',
  // Far from the zone of any provider, where it is another day for half of the time.
  newContext: (browser) =>
    browser.newContext({ reducedMotion: 'reduce', timezoneId: 'Pacific/Kiritimati' }),
  press: (control) => control.click(),
  select: (option) => option.click(),
  type: (field, text) => field.fill(text),
  async choose(field, label) {
    await field.selectOption(label);
  },
  async pick(field, index) {
    await field.click();
    const name = await readOption(field, index);
    await field.fill(name);
    await getOption(field, name).click();
    await expect(field).toHaveValue(name);
  },
  openPage: (page, name) => page.getByRole('link', { name, exact: true }).click(),
  async openFolder(page, object, folder) {
    await node(page, object).click();
    if (folder !== undefined) await getFolder(page, folder).click();
  },
  search: (page, name, text) => page.getByRole('searchbox', { name }).fill(text),
  openDayBefore: (page, day) =>
    page.getByRole('slider', POINT).locator(`g[data-tip*="${day}"]`).last().click(),
  async openItem(page, title) {
    await list(page).getByRole('option').first().click();
    return expectDetails(page.getByRole('region', DETAILS), title);
  },
  closeItem: () => Promise.resolve(),
  mark: (page) => list(page).getByRole('option').first().locator('[data-select]').click(),
  getRestore: (page) => page.getByRole('region', RESTORE),
  async openResult(page, row) {
    await row.click();
    return page.getByRole('complementary', RESULT);
  },
  logOut: (page) => page.getByRole('button', LOG_OUT).click(),
  check: sound,
};

/** More than the controls of any screen. */
const MAX_STEPS = 250;

/** Presses Tab until a control has the focus; among radio buttons, then arrows. */
async function reach(control: Locator): Promise<void> {
  await expect(control).toBeVisible();
  for (let n = 0; n < MAX_STEPS; n += 1) {
    const place = await control.evaluate((one) => {
      const active = document.activeElement;
      if (one === active) return 'here';
      const isBeside =
        one instanceof HTMLInputElement &&
        one.type === 'radio' &&
        active instanceof HTMLInputElement &&
        active.name === one.name;
      return isBeside ? 'beside' : 'elsewhere';
    });
    if (place === 'here') return;
    await control.page().keyboard.press(place === 'beside' ? 'ArrowDown' : 'Tab');
  }
  throw new Error(`The keys don't reach ${String(control)}.`);
}

const keyboard: Hands = {
  ...mouse,
  name: 'keyboard',
  async press(control) {
    await reach(control);
    const isRadio = await control.evaluate(
      (one) => one instanceof HTMLInputElement && one.type === 'radio',
    );
    await control.page().keyboard.press(isRadio ? 'Space' : 'Enter');
  },
  async select(option) {
    const box = option.locator('xpath=ancestor::*[@role="listbox"][1]');
    await reach(box);
    const id = (await option.getAttribute('id')) ?? '';
    for (let n = 0; n < 60 && (await box.getAttribute('aria-activedescendant')) !== id; n += 1)
      await box.page().keyboard.press('ArrowDown');
    await expect(box).toHaveAttribute('aria-activedescendant', id);
    await box.page().keyboard.press('Space');
  },
  async type(field, text) {
    await reach(field);
    await field.page().keyboard.press('ControlOrMeta+a');
    await field.page().keyboard.type(text);
  },
  async choose(field, label) {
    await reach(field);
    await field.page().keyboard.type(label);
    await expect(field.locator('option:checked')).toHaveText(label);
  },
  async pick(field, index) {
    await reach(field);
    const name = await readOption(field, index);
    await field.page().keyboard.type(name);
    await expect(getOption(field, name)).toBeVisible();
    await field.page().keyboard.press('Enter');
    await expect(field).toHaveValue(name);
  },
  openPage: (page, name) => keyboard.press(page.getByRole('link', { name, exact: true })),
  async openFolder(page, object, folder) {
    await reach(tree(page));
    await expect(node(page, object)).toBeVisible();
    await goToNode(page, object);
    if (folder !== undefined) {
      await page.keyboard.press('ArrowRight');
      await expect(getFolder(page, folder)).toBeVisible();
      await goToNode(page, folder);
    }
    await page.keyboard.press('Enter');
  },
  async search(page, name, text) {
    await page.keyboard.press('/');
    await expect(page.getByRole('searchbox', { name })).toBeFocused();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(text);
  },
  async openDayBefore(page) {
    await reach(page.getByRole('slider', POINT));
    await page.keyboard.press('PageDown');
  },
  async openItem(page, title) {
    await reach(list(page));
    await page.keyboard.press('Home');
    return expectDetails(page.getByRole('region', DETAILS), title);
  },
  async mark(page) {
    await reach(list(page));
    await page.keyboard.press('x');
  },
  async openResult(page, row) {
    await expect(row).toBeVisible();
    await personAt(page).pressesUntil('j', () =>
      row.evaluate((one) => one.hasAttribute('data-cursor')),
    );
    await page.keyboard.press('Enter');
    return page.getByRole('complementary', RESULT);
  },
  logOut: (page) => keyboard.press(page.getByRole('button', LOG_OUT)),
  // The order of the keys is proved by what is pressed: another walk would move the focus.
  check: axeInBoth,
};

/** A phone of common size, for `newContext`. */
export const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: 'reduce',
} as const;

const phone: Hands = {
  ...mouse,
  name: 'phone',
  newContext: (browser) => browser.newContext(PHONE),
  press: (control) => control.tap(),
  select: (option) => option.tap(),
  async type(field, text) {
    await field.tap();
    await field.fill(text);
  },
  async pick(field, index) {
    await field.tap();
    const name = await readOption(field, index);
    await field.fill(name);
    await getOption(field, name).tap();
    await expect(field).toHaveValue(name);
  },
  async openPage(page, name) {
    await page.getByRole('button', MENU).tap();
    await page.getByRole('dialog').getByRole('link', { name, exact: true }).tap();
  },
  async openFolder(page, object, folder) {
    await node(page, object).tap();
    if (folder === undefined) return;
    const folders = page.getByRole('list', { name: 'Folders' });
    await folders.getByRole('button', { name: new RegExp(`^${folder}`) }).tap();
  },
  async search(page, name, text) {
    const toggle = page.getByRole('button', { name: 'Search', exact: true });
    // The field stays open from one folder to the next.
    if ((await toggle.getAttribute('aria-expanded')) !== 'true') await toggle.tap();
    await page.getByRole('searchbox', { name }).fill(text);
  },
  async openDayBefore(page, day, reopen) {
    await page.getByRole('navigation', { name: 'Path' }).getByRole('button').first().tap();
    await page.getByRole('combobox', { name: 'Day' }).selectOption({ label: day });
    await reopen();
  },
  async openItem(page, title) {
    await list(page).getByRole('option').first().tap();
    return expectDetails(page.getByRole('dialog'), title);
  },
  closeItem: (page) =>
    page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).tap(),
  mark: (page) => list(page).getByRole('option').first().locator('[data-select]').tap(),
  getRestore: (page) => page.getByRole('dialog', RESTORE),
  async openResult(page, row) {
    await row.tap();
    return page.getByRole('dialog');
  },
  async logOut(page) {
    await page.getByRole('button', MENU).tap();
    await page.getByRole('dialog').getByRole('button', LOG_OUT).tap();
  },
};

export const ALL_HANDS: readonly Hands[] = [mouse, keyboard, phone];
