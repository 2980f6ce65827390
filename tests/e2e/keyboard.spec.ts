import { expect, test } from '@playwright/test';
import type { Browser, Locator, Page } from '@playwright/test';
import { beyondTab, holdUndo, personAt } from './person.ts';
import type { Person } from './person.ts';
import { expectTitle, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;

test.beforeEach(async () => {
  portal = await startPortal('small');
});
test.afterEach(async () => {
  await portal.stop();
});

/** Daily checks, opened and live, and what the keys are seen by. */
interface Desk {
  readonly page: Page;
  readonly hannah: Person;
  readonly list: string;
  readonly selection: Locator;
  readonly dialog: Locator;
  /** Returns the index of the row at the cursor. */
  readonly line: () => Promise<number>;
  /** Presses a key on the next row and expects its words on it. Returns the ID of the row. */
  readonly does: (key: string, words: RegExp) => Promise<string>;
  /** Presses a key that asks, expects the dialog with every control in reach of Tab, and closes it. */
  readonly asks: (key: string, title: RegExp) => Promise<void>;
}

/** What each line of the help sheet says, and how it is seen to do that. */
type Keys = Readonly<Record<string, () => Promise<void>>>;

const openDesk = async (browser: Browser): Promise<Desk> => {
  const page = await (await browser.newContext()).newPage();
  await holdUndo(page);
  await signIn(page, portal.url, 'operator2', portal.password);
  const hannah = personAt(page);
  await hannah.isLive();
  await expect(page.locator('[data-run]').first()).toBeVisible();
  const dialog = page.getByRole('dialog');
  return {
    page,
    hannah,
    list: `${portal.url}/monitoring/daily-checks`,
    selection: page.getByRole('toolbar', { name: 'Selection' }),
    dialog,
    line: async () => Number(await hannah.at.getAttribute('data-index')),
    async does(key, words) {
      const run = await hannah.nextRow();
      await hannah.presses(key);
      await expect(hannah.row(run)).toContainText(words);
      return run;
    },
    async asks(key, title) {
      if ((await hannah.at.count()) === 0) await hannah.nextRow();
      await hannah.presses(key);
      await hannah.hasDialog(title);
      expect(await beyondTab(page), `in ${String(title)}`).toEqual([]);
      await hannah.presses('Escape');
      await expect(dialog).toHaveCount(0);
    },
  };
};

/** Keys that move through the list. */
const moveKeys = ({ hannah, line }: Desk): Keys => ({
  async 'Next and previous row'() {
    await hannah.presses('j', 'j', 'ArrowDown');
    await expect.poll(line).toBe(2);
    await hannah.presses('k', 'ArrowUp');
    await expect.poll(line).toBe(0);
  },
  async 'Page up and down'() {
    await hannah.presses('PageDown');
    await expect.poll(line).toBeGreaterThan(5);
    await hannah.presses('PageUp');
    await expect.poll(line).toBe(0);
  },
  async 'First and last row'() {
    await hannah.presses('End');
    await expect.poll(line).toBeGreaterThan(20);
    await hannah.presses('Home');
    await expect.poll(line).toBe(0);
  },
});

/** Keys that select rows, each from what the one before left. */
const selectionKeys = ({ page, hannah, selection }: Desk): Keys => ({
  async 'Select row'() {
    await hannah.presses('Home');
    await hannah.presses('x');
    await expect(selection).toContainText('1 selected');
    await hannah.presses('Space');
    await expect(selection).toBeHidden();
  },
  async 'Extend selection'() {
    await hannah.presses('Shift+J', 'Shift+J');
    await expect(selection).toContainText('3 selected');
    await hannah.presses('Home', 'j', 'j', 'j', 'j', 'Shift+K');
    await expect(selection).toContainText('5 selected');
  },
  async 'Close, then clear the selection'() {
    await hannah.presses('Enter');
    await expect(page).toHaveURL(/run=\d/);
    await hannah.presses('Escape');
    await expect(page).not.toHaveURL(/run=/);
    await expect(selection).toContainText('5 selected');
    await hannah.presses('Escape');
    await expect(selection).toBeHidden();
  },
  async 'Select all matching results'() {
    await hannah.presses('Control+a');
    await expect(selection).toContainText(/\d\d selected/);
    await hannah.presses('Control+a');
    await expect(selection).toBeHidden();
  },
});

/** Keys that open a result and groups. */
const openKeys = ({ page, hannah, list }: Desk): Keys => ({
  async 'Open a result, or collapse a group'() {
    await hannah.presses('Home', 'Enter');
    await expect(
      page
        .getByRole('complementary', { name: 'Job result' })
        .or(page.getByRole('heading', { name: 'Log', exact: true }))
        .first(),
    ).toBeVisible();
    await hannah.presses('Escape');
    await page.goto(`${list}?group=cause`);
    await expect(hannah.heads.first()).toBeVisible();
    await hannah.presses('j', 'Enter');
    await expect(hannah.at).toHaveAttribute('aria-label', /, collapsed$/);
  },
  async 'Collapse and expand a group'() {
    await hannah.presses('ArrowRight');
    await expect(hannah.at).toHaveAttribute('aria-label', /, expanded$/);
    await hannah.presses('ArrowLeft');
    await expect(hannah.at).toHaveAttribute('aria-label', /, collapsed$/);
    await page.goto(list);
    await expect(page.locator('[data-run]').first()).toBeVisible();
  },
});

/** Keys that review a result or ask what to do with it. */
const reviewKeys = ({ page, hannah, does, asks }: Desk): Keys => {
  let run = '';
  return {
    async 'Review'() {
      run = await does('e', /Reviewed .* by you/);
    },
    async 'Undo (for 10 seconds)'() {
      const first = run;
      run = await does('e', /Reviewed .* by you/);
      await expect(
        page.getByRole('status', { name: 'Messages' }).getByRole('button', { name: 'Undo' }),
      ).toHaveCount(1); // the newest alone covers the page
      await hannah.presses('u');
      await expect(hannah.row(run)).not.toContainText('Reviewed');
      await hannah.presses('u');
      await expect(hannah.row(first)).not.toContainText('Reviewed');
    },
    async 'Review with a comment'() {
      await asks('Shift+E', /^Review /);
    },
    async 'Snooze'() {
      await asks('s', /^Snooze /);
    },
    async 'Note'() {
      await asks('n', /^Note on /);
    },
    async 'Open or link a ticket'() {
      await asks('t', /^Ticket for /);
    },
  };
};

/** Keys that lead elsewhere or change what the list shows. */
const pageKeys = ({ page, hannah, dialog, asks }: Desk): Keys => ({
  async 'Search'() {
    await hannah.presses('/');
    await expect(
      page
        .getByRole('searchbox')
        .or(page.getByRole('textbox', { name: /^Search/ }))
        .first(),
    ).toBeFocused();
    await hannah.presses('Escape');
  },
  async 'Filters'() {
    await hannah.presses('f');
    await expect(
      page.getByRole('complementary', { name: 'Filters' }).locator(':focus'),
    ).toBeVisible();
  },
  async 'Show new results'() {
    const first = await hannah.nextRow();
    await hannah.presses('e');
    await expect(hannah.row(first)).toContainText('Reviewed');
    await hannah.presses('r');
    await expect(hannah.row(first)).toBeHidden();
    await hannah.presses('u');
    await expect(hannah.row(first)).toBeVisible();
  },
  async 'Columns'() {
    await asks('c', /^Columns$/);
    const dense = dialog.getByRole('switch', { name: /^Dense rows/ });
    for (const [is, becomes] of [
      [false, true],
      [true, false],
    ] as const) {
      await hannah.presses('c');
      await expect(dense).toBeChecked({ checked: is });
      await dense.press('Space');
      await expect(dense).toBeChecked({ checked: becomes });
      await page.reload(); // at once: before it was sent
      await expect(page.locator('[data-run]').first()).toBeVisible();
    }
    await hannah.nextRow();
  },
  async 'Go to the dashboard, calendar view or daily checks'() {
    for (const [letter, path, title] of [
      ['d', 'dashboard', 'Dashboard'],
      ['c', 'calendar-report', 'Calendar view'],
      ['j', 'daily-checks', 'Daily checks'],
    ] as const) {
      // The second key counts for a moment only.
      await expect(async () => {
        await hannah.presses('g', letter);
        await expect(page).toHaveURL(new RegExp(`/monitoring/${path}`), { timeout: 10_000 });
      }).toPass({ timeout: 60_000 });
      await expectTitle(page, title);
    }
    await expect(page.locator('[data-run]').first()).toBeVisible();
  },
  async 'Go to a page, company or job'() {
    await hannah.hasPalette();
    await hannah.types('connection');
    await hannah.presses('Escape');
    await expect(dialog).toHaveCount(0);
    await hannah.hasPalette();
    await hannah.types('failed, to');
    await expect(dialog.getByRole('option').first()).toHaveText(/Failed, to check/);
    await hannah.presses('ArrowDown', 'ArrowUp', 'Enter');
    await expect(page).toHaveURL(/state=Failed,Error/);
  },
  async 'Show these shortcuts'() {
    await asks('?', /^Keyboard shortcuts$/);
  },
});

const GROUPS: readonly (readonly [string, (desk: Desk) => Keys])[] = [
  ['move through the list', moveKeys],
  ['select rows', selectionKeys],
  ['open results and groups', openKeys],
  ['review and ask', reviewKeys],
  ['lead to pages and panels', pageKeys],
];

for (const [what, keys] of GROUPS)
  test(`E2E-11: the keys that ${what} do what the help sheet says`, async ({ browser }) => {
    const desk = await openDesk(browser);
    for (const [name, press] of Object.entries(keys(desk))) await test.step(name, press);
    await desk.page.context().close();
  });

test('E2E-11: the help sheet lists exactly the keys that these tests press', async ({
  browser,
}) => {
  const desk = await openDesk(browser);
  await desk.hannah.presses('?');
  await desk.hannah.hasDialog(/^Keyboard shortcuts$/);
  await expect
    .poll(async () => (await desk.dialog.locator('dd').allInnerTexts()).toSorted())
    .toEqual(GROUPS.flatMap(([, keys]) => Object.keys(keys(desk))).toSorted());
  await desk.page.context().close();
});

test('E2E-7, DAY-8: Tab reaches every control of daily checks, with the panel and without', async ({
  browser,
}) => {
  const { page, hannah } = await openDesk(browser);
  expect(await beyondTab(page, { sidebar: true })).toEqual([]);
  await hannah.nextRow();
  await hannah.presses('x', 'Enter');
  await expect(page.getByRole('heading', { name: 'Log', exact: true })).toBeVisible();
  expect(await beyondTab(page)).toEqual([]);
  await page.context().close();
});

test('DAY-8: what is typed right after a key that asks changes nothing behind the dialog', async ({
  browser,
}) => {
  const { page, hannah, dialog } = await openDesk(browser);
  const job = await hannah.nextRow();
  for (const [key, title] of [
    ['Control+k', /^Go to /],
    ['n', /^Note on /],
    ['c', /^Columns$/],
  ] as const) {
    await hannah.presses(key, 'e', 'e', 'e');
    await hannah.hasDialog(title);
    await hannah.presses('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(hannah.row(job)).not.toContainText('Reviewed');
  }
  await page.context().close();
});
