import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import type { BrowserContext, Page } from '@playwright/test';
import {
  TEAMS,
  details,
  getActiveName,
  getCellTexts,
  goToNode,
  list,
  node,
  openItem,
  openUniqueItem,
  restorePanel,
  submit,
  tree,
  TASK,
} from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { expectTitle, startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

/** Each provider of the demo has an organization, whose teams are backed up when the portal starts. */
let portal: Portal;
const [TEAM, CHANNEL, OTHER_CHANNEL] = ['Projects', 'General', 'Deliveries'];

test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

/** A channel of the simulated organization, on the demo's own page. */
async function openChannel(context: BrowserContext, channel: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${portal.url}/demo/tenant`);
  await page
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name: TEAM, exact: true }) })
    .getByRole('link', { name: channel, exact: true })
    .click();
  await expect(page.getByRole('heading', { name: `${TEAM}: ${channel}` })).toBeVisible();
  // Its rows are counted: the heading arrives before them.
  await page.waitForLoadState();
  return page;
}

/** Opens a channel in the tree, by keyboard. */
async function openByKeyboard(page: Page, channel: string): Promise<void> {
  await expect(node(page, new RegExp(`^${TEAM}`))).toBeVisible();
  await tree(page).focus();
  await goToNode(page, TEAM);
  await page.keyboard.press('ArrowRight');
  await expect(node(page, new RegExp(`^${channel}`))).toBeVisible();
  await goToNode(page, channel);
  expect(await getActiveName(page)).toBe(channel);
  await page.keyboard.press('Enter');
  await expect(list(page, channel).getByRole('option').first()).toBeVisible();
}

test('RES-45, RES-46, RES-47, RES-48: a post that was deleted in the tenant is shown with its replies, tried, restored by keyboard, and seen in the tenant with author, date and replies', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const tenant = await openChannel(page.context(), CHANNEL);
  await page.bringToFront();
  await enter(portal, page, 'm365', TEAMS);
  await expectTitle(page, 'Restore teams');
  await openByKeyboard(page, CHANNEL);
  await sound(page, 'posts of a channel', { sidebar: true });

  const title = await openUniqueItem(page, tenant);
  await expect(details(page).getByRole('heading', { level: 2 })).toHaveText(title);
  const rows = tenant.getByRole('row').filter({ hasText: title });
  const before = await getCellTexts(rows);
  expect(before).toHaveLength(1);
  const author = await details(page).getByRole('definition').first().innerText();
  expect(author).not.toBe('');
  expect(before[0]).toContain(author);
  await details(page).getByRole('button', { name: 'Show post' }).click();
  const shown = page.frameLocator('iframe');
  await expect(shown.locator('body')).toContainText(author);
  expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
  await details(page).getByRole('button', { name: 'Hide' }).click();

  await submit(tenant.getByRole('row').filter({ hasText: title }).getByRole('button').last());
  await expect(rows).toHaveCount(0);

  await page.bringToFront();
  await list(page).focus();
  await page.keyboard.press('x');
  await page.keyboard.press('r');
  const panel = restorePanel(page);
  await expect(panel.getByText("Undo can't remove restored posts", { exact: false })).toBeVisible();
  await sound(page, 'restore of a post');
  await panel.getByRole('button', { name: 'Dry run' }).press('Enter');
  await expect(panel.getByRole('heading', { name: 'Result of the dry run' })).toBeFocused(TASK);
  await expect(panel.getByText("An undo can't remove it.", { exact: false })).toBeVisible();
  await sound(page, 'dry run of a post');
  await panel.getByRole('button', { name: 'Restore 1 item' }).press('Enter');
  await expect(panel.getByRole('heading', { name: 'Restore complete' })).toBeFocused(TASK);
  await tenant.reload();
  // The text of the row has the author, the date and the number of replies.
  await expect.poll(() => getCellTexts(rows)).toEqual(before);
  expect(errors).toEqual([]);
});

test('RES-45, RES-4, DL-8: a file that was deleted in the tenant is restored and undone, and a channel is downloaded as an archive that other programs read', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const tenant = await openChannel(page.context(), OTHER_CHANNEL);
  await page.bringToFront();
  await enter(portal, page, 'm365', TEAMS);
  await openByKeyboard(page, OTHER_CHANNEL);
  await page.keyboard.press('d');
  const dialog = page.getByRole('dialog', { name: 'Download' });
  await expect(dialog.getByText(/^\d+ items, /)).toBeVisible();
  await sound(page, 'download of a channel');
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(zip.suggestedFilename()).toMatch(/-teams-files\.zip$/);
  const path = await zip.path();
  expect(execFileSync('unzip', ['-t', path], { encoding: 'utf8' })).toContain('No errors');
  const names = execFileSync('unzip', ['-Z1', path], { encoding: 'utf8' }).trim().split('\n');
  const threads = names.filter((name) => name.endsWith('.html'));
  expect(threads.length).toBeGreaterThan(0);
  await expect(list(page, OTHER_CHANNEL).getByRole('option')).toHaveCount(threads.length);
  const html = execFileSync('unzip', ['-p', path, escapePattern(threads[0] ?? '')], {
    encoding: 'utf8',
  });
  // Read by a parser that is not ours: that of the browser.
  const thread = await page.context().newPage();
  await thread.setContent(html);
  expect((await thread.locator('body').innerText()).trim()).not.toBe('');
  await expect(thread.locator('script')).toHaveCount(0);
  await thread.close();

  await tree(page).focus();
  await page.keyboard.press('ArrowRight');
  await expect(node(page, /^Files/)).toBeVisible();
  await goToNode(page, 'Files');
  await page.keyboard.press('Enter');
  const name = await openItem(page, list(page, 'Files').getByRole('option').first());
  const rows = tenant.getByRole('row').filter({ hasText: name });
  await submit(tenant.getByRole('button', { name: `Delete file: ${name}`, exact: true }));
  await expect(rows).toHaveCount(0);
  await page.bringToFront();
  await list(page).focus();
  await page.keyboard.press('x');
  await page.keyboard.press('r');
  const panel = restorePanel(page);
  await panel.getByRole('button', { name: 'Dry run' }).press('Enter');
  await panel.getByRole('button', { name: 'Restore 1 item' }).press('Enter');
  await expect(panel.getByRole('heading', { name: 'Restore complete' })).toBeFocused(TASK);
  await tenant.reload();
  await expect(rows).toHaveCount(1);
  await page.bringToFront();
  await panel.getByRole('button', { name: 'Undo restore' }).press('Enter');
  await expect(panel.getByRole('heading', { name: 'Restore undone' })).toBeFocused(TASK);
  await tenant.reload();
  await expect(rows).toHaveCount(0);
  expect(errors).toEqual([]);
});

test('RES-45, RES-47: a tab and a member that were removed in the tenant are restored and seen there', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const tenant = await openChannel(page.context(), CHANNEL);
  const rows = tenant.getByRole('row');
  const tabs = rows.filter({ has: tenant.getByRole('button', { name: /^Remove tab: / }) });
  const members = rows.filter({ has: tenant.getByRole('button', { name: /^Remove member: / }) });
  const [lostTab = '', ...otherTabs] = await getCellTexts(tabs);
  const membersBefore = await getCellTexts(members);
  await page.bringToFront();
  await enter(portal, page, 'm365', TEAMS);
  const restore = async (title: string): Promise<void> => {
    await list(page).focus();
    await page.keyboard.press('x');
    await page.keyboard.press('r');
    const panel = page.getByRole('region', { name: title });
    await panel.getByRole('button', { name: 'Dry run' }).press('Enter');
    await expect(panel.getByRole('heading', { name: 'Result of the dry run' })).toBeFocused(TASK);
    await panel.getByRole('button', { name: 'Restore 1 item' }).press('Enter');
    await expect(panel.getByRole('heading', { name: 'Restore complete' })).toBeFocused(TASK);
    await panel.getByRole('button', { name: 'Close' }).first().click();
    await tenant.reload();
  };

  await test.step('a member', async () => {
    await submit(tenant.getByRole('button', { name: /^Remove member: / }).last());
    expect(await getCellTexts(members)).toEqual(membersBefore.slice(0, -1));
    await page.bringToFront();
    await node(page, new RegExp(`^${TEAM}`)).click();
    await list(page)
      .getByRole('option', { name: /Members and settings/ })
      .click();
    await restore('Restore members and settings');
    expect(await getCellTexts(members)).toEqual(membersBefore);
  });

  await test.step('a tab', async () => {
    await submit(tenant.getByRole('button', { name: /^Remove tab: / }).first());
    expect(await getCellTexts(tabs)).toEqual(otherTabs);
    await page.bringToFront();
    await openByKeyboard(page, CHANNEL);
    await tree(page).focus();
    await page.keyboard.press('ArrowRight');
    await expect(node(page, /^Tabs/)).toBeVisible();
    await goToNode(page, 'Tabs');
    await page.keyboard.press('Enter');
    const name = await openItem(page, list(page, 'Tabs').getByRole('option').first());
    expect(lostTab).toContain(name);
    await restore('Restore 1 item');
    expect(await getCellTexts(tabs)).toEqual([lostTab, ...otherTabs]);
  });
  expect(errors).toEqual([]);
});

test('RES-35, RES-45: on a phone, a tab of a channel and the members of a team are found on a path', async ({
  browser,
}) => {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  const page = await context.newPage();
  await enter(portal, page, 'm365', TEAMS);
  await node(page, new RegExp(`^${TEAM}`)).click();
  const settings = list(page).getByRole('option', { name: /Members and settings/ });
  await expect(settings).toBeVisible();
  const folders = page.getByRole('list', { name: 'Folders' });
  await folders.getByRole('button', { name: new RegExp(`^${CHANNEL}`) }).click();
  await folders.getByRole('button', { name: /^Tabs/ }).click();
  await list(page).getByRole('option').first().click();
  const sheet = page.getByRole('dialog');
  await expect(sheet.getByText('App', { exact: true })).toBeVisible();
  await sound(page, 'a tab on a phone');
  await sheet.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Restore folder' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Dry run' })).toBeVisible();
  await sound(page, 'restore of tabs on a phone');
  await context.close();
});

/** A name of an archive, without what `unzip` takes for a pattern. */
const escapePattern = (name: string): string => name.replaceAll(/[[\]*?\\]/g, String.raw`\$&`);
