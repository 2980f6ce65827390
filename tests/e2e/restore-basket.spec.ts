import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { PHONE } from './hands.ts';
import {
  addUniqueItem,
  approveCode,
  backUpPerson,
  details,
  goToNode,
  list,
  listPeople,
  node,
  ONEDRIVE,
  openTenant,
  OUTLOOK,
  rowTexts,
  shownCode,
  submit,
  tree,
} from './cloud-suite.ts';
import {
  collectErrors,
  focusSearch,
  goOffline,
  recordAnnouncements,
  sound,
  withoutConnectionErrors,
} from './page-checks.ts';
import { enter } from './people.ts';
import { startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
let name = '';
let subject = '';
let fileName = '';

// The organization's application can only read: each service needs a sign-in to write.
test.beforeEach(async ({ browser }) => {
  portal = await startPortal('small');
  const context = await browser.newContext();
  // Whom `backUpPerson` backs up.
  name = (await listPeople(portal))[3]?.name ?? '';
  subject = await addUniqueItem(await openTenant(portal, context, name, 'Mails'), 'mail');
  fileName = await addUniqueItem(await openTenant(portal, context, name, 'Files'), 'file');
  await backUpPerson(portal);
  await context.close();
});
test.afterEach(() => portal.stop());

const openBasket = (page: Page, count: number): Locator =>
  page.getByRole('button', { name: count === 0 ? 'Basket' : `Basket · ${count}`, exact: true });
const getPanel = (page: Page): Locator => page.getByRole('dialog', { name: /^Basket of / });

/** Shows an item alone by the search of its folder. */
async function findItem(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search this folder' }).fill(text);
  await expect(page.getByText('1 match', { exact: true })).toBeVisible();
  await expect(list(page).getByRole('option')).toHaveCount(1);
}

/** Approves the code that the page shows next. Returns it. */
async function grant(page: Page, before: string): Promise<string> {
  await page.getByRole('button', { name: 'Get a code' }).click();
  await expect(shownCode(page)).toBeVisible();
  await expect(shownCode(page)).not.toHaveText(before);
  const code = await shownCode(page).innerText();
  await approveCode(portal, page.context(), code);
  await page.bringToFront();
  return code;
}

test('RES-84, RES-85: a mail and a file go into one basket on two pages, and are tried, restored and undone together', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const loadAnnouncements = await recordAnnouncements(page);
  const { keyboard } = page;
  const mails = await openTenant(portal, page.context(), name, 'Mails');
  const mailRow = await rowTexts(mails, subject);
  await submit(mails.getByRole('button', { name: `Delete mail: ${subject}`, exact: true }));
  await expect.poll(() => rowTexts(mails, subject)).toEqual([]);
  const files = await openTenant(portal, page.context(), name, 'Files');
  await submit(files.getByRole('button', { name: `Delete file: ${fileName}`, exact: true }));
  await expect.poll(() => rowTexts(files, fileName)).toEqual([]);
  await page.bringToFront();

  // The mail, with the keyboard alone.
  await enter(portal, page, 'm365', OUTLOOK);
  await expect(node(page, name)).toBeVisible();
  await tree(page).focus();
  await goToNode(page, name);
  await keyboard.press('ArrowRight');
  await expect(node(page, /^Inbox/)).toBeVisible();
  await goToNode(page, 'Inbox');
  await keyboard.press('b');
  await expect(openBasket(page, 1)).toBeVisible();
  await keyboard.press('b');
  await expect(openBasket(page, 0)).toBeVisible();
  await keyboard.press('Enter');
  await expect(list(page).getByRole('option').first()).toBeVisible();
  await focusSearch(page);
  await keyboard.type(subject);
  await expect(page.getByText('1 match', { exact: true })).toBeVisible();
  await list(page).focus();
  await keyboard.press('Home');
  await expect(details(page).getByRole('heading', { level: 2 })).toHaveText(subject);
  await keyboard.press('b');
  await expect(openBasket(page, 1)).toBeVisible();
  await expect(
    list(page).getByRole('option').first().getByRole('img', { name: 'in the basket' }),
  ).toBeVisible();
  await expect.poll(loadAnnouncements).toContain('1 item in the basket');

  // The file, on the other page, after which another tab shows both.
  const other = await page.context().newPage();
  await other.goto(portal.url + OUTLOOK);
  await expect(openBasket(other, 1)).toBeVisible();
  await page.bringToFront();
  await page.goto(portal.url + ONEDRIVE);
  await node(page, name).click();
  await findItem(page, fileName);
  await list(page).getByRole('option').first().click();
  await details(page).getByRole('button', { name: 'Add to basket' }).click();
  await expect(openBasket(page, 2)).toBeVisible();
  await expect(openBasket(other, 2)).toBeVisible();
  await other.close();

  await openBasket(page, 2).click();
  const panel = getPanel(page);
  const mailboxes = panel.getByRole('region', { name: 'Mailboxes' });
  const drives = panel.getByRole('region', { name: 'OneDrives' });
  await expect(mailboxes.getByText(subject, { exact: true })).toBeVisible();
  await expect(mailboxes.getByRole('heading', { name, exact: true })).toBeVisible();
  await expect(drives.getByText(fileName, { exact: true })).toBeVisible();
  await sound(page, 'basket of two services');
  await panel.getByRole('button', { name: 'Dry run' }).click();
  await expect(panel.getByRole('heading', { name: 'Result of the dry run' })).toBeFocused();
  await expect(panel.getByText(/^Takes about (a minute|2 minutes)/)).toBeVisible();
  const lines = panel.getByRole('listitem');
  await expect(lines.filter({ hasText: '1 to restore' })).toHaveCount(2);
  await panel.getByRole('button', { name: 'Restore 2 items' }).click();
  await grant(page, await grant(page, ''));
  await expect(panel.getByRole('heading', { name: 'Restore complete' })).toBeFocused();
  await sound(page, 'restored basket');
  await mails.reload();
  expect(await rowTexts(mails, subject)).toEqual(mailRow);
  await files.reload();
  expect(await rowTexts(files, fileName)).toHaveLength(1);

  // The rights last as long as the sessions, so an undo needs no other code.
  await panel.getByRole('button', { name: 'Undo restore' }).click();
  await expect(panel.getByRole('heading', { name: 'Undo complete' })).toBeFocused();
  await mails.reload();
  expect(await rowTexts(mails, subject)).toEqual([]);
  await files.reload();
  expect(await rowTexts(files, fileName)).toEqual([]);
  expect(errors).toEqual([]);

  // What was undone stays in the basket, until the session is stopped.
  await panel.getByRole('button', { name: 'Done' }).click();
  await expect(openBasket(page, 2)).toBeVisible();
  await page.getByRole('button', { name: 'Stop session' }).click();
  await expect(openBasket(page, 0)).toBeVisible();
});

test('RES-88: what a search over all restore points found goes into the basket by key and by button, and is tried from there', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const { keyboard } = page;
  await enter(portal, page, 'm365', OUTLOOK);
  await page.getByRole('button', { name: 'Search everything' }).click();
  await expect(page.getByRole('searchbox', { name: /^Search mailboxes/ })).toBeFocused();
  await keyboard.type(subject);
  const found = page.getByRole('list', { name: 'Search results' });
  const mail = found.getByRole('link').filter({ hasText: subject });
  await expect(mail).toBeVisible();
  await keyboard.press('Enter');
  await expect(mail).toBeFocused();
  await keyboard.press('b');
  await expect(openBasket(page, 1)).toBeVisible();
  await expect(mail).toBeFocused();
  const button = found.getByRole('button', { name: `Remove ${subject} from the basket` });
  await expect(button).toHaveAttribute('aria-pressed', 'true');
  await sound(page, 'search with a basket', { sidebar: true });
  await button.click();
  await expect(openBasket(page, 0)).toBeVisible();
  await found.getByRole('button', { name: `Add ${subject} to the basket` }).click();
  await expect(openBasket(page, 1)).toBeVisible();

  await page.getByRole('searchbox', { name: /^Search mailboxes/ }).fill(fileName);
  await found.getByRole('button', { name: `Add ${fileName} to the basket` }).click();
  await openBasket(page, 2).click();
  const panel = getPanel(page);
  await expect(
    panel.getByRole('region', { name: 'Mailboxes' }).getByText(subject, { exact: true }),
  ).toBeVisible();
  await expect(
    panel.getByRole('region', { name: 'OneDrives' }).getByText(fileName, { exact: true }),
  ).toBeVisible();
  await panel.getByRole('button', { name: 'Dry run' }).click();
  await expect(panel.getByRole('heading', { name: 'Result of the dry run' })).toBeFocused();
  await panel.getByRole('button', { name: 'Close' }).click();

  // The list of the folder shows the same basket.
  await page.getByRole('searchbox', { name: /^Search mailboxes/ }).fill(subject);
  await mail.click();
  await expect(details(page).getByRole('heading', { level: 2 })).toHaveText(subject);
  await expect(details(page).getByRole('button', { name: 'Remove from basket' })).toBeVisible();
  expect(errors).toEqual([]);
});

test('RES-84, RES-86: on a phone, a basket is changed, downloaded, shown offline, and gone after signing out', async ({
  browser,
}) => {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', ONEDRIVE);
  await node(page, name).tap();
  await expect(list(page).getByRole('option').first()).toBeVisible();
  await page.getByRole('button', { name: 'Add to basket' }).tap();
  await expect(page.getByRole('button', { name: 'Remove from basket' })).toBeVisible();
  await openBasket(page, 1).tap();
  const panel = getPanel(page);
  await expect(panel.getByText('Everything', { exact: true })).toBeVisible();
  await sound(page, 'basket on a phone');
  await panel.getByRole('button', { name: `Remove all of ${name}` }).tap();
  await expect(panel.getByRole('heading', { name: 'The basket is empty' })).toBeVisible();
  await sound(page, 'empty basket on a phone');
  await panel.getByRole('button', { name: 'Undo' }).tap();
  await expect(panel.getByText('Everything', { exact: true })).toBeVisible();
  await panel.getByRole('button', { name: 'Download' }).tap();
  const downloads = page.getByRole('dialog', { name: 'Download the basket' });
  await downloads.getByRole('button', { name: 'Prepare 1 file' }).tap();
  await expect(downloads.getByText('Being prepared')).toBeVisible();
  await expect(downloads.getByRole('link', { name: 'Open Downloads' })).toBeVisible();
  await sound(page, 'download of a basket on a phone');
  await downloads.getByRole('button', { name: 'Back to the basket' }).tap();
  await panel.getByRole('button', { name: 'Close' }).tap();

  await goOffline(page);
  await openBasket(page, 1).tap();
  await expect(
    panel.getByText("You're offline. Reconnect to restore or download.").first(),
  ).toBeVisible();
  await expect(panel.getByText('Names are not stored on this device.')).toBeVisible();
  for (const action of ['Dry run', 'Download'])
    await expect(panel.getByRole('button', { name: action })).toBeDisabled();
  await context.setOffline(false);
  await expect(panel.getByText('Everything', { exact: true })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Dry run' })).toBeEnabled();
  await panel.getByRole('button', { name: 'Close' }).tap();
  expect(withoutConnectionErrors(errors)).toEqual([]);

  await page.getByRole('button', { name: 'Menu' }).tap();
  await page.getByRole('button', { name: 'Log out' }).tap();
  await expect(page.getByLabel('Username')).toBeVisible();
  await enter(portal, page, 'm365', ONEDRIVE);
  await expect(node(page, name)).toBeVisible();
  await expect(openBasket(page, 0)).toBeVisible();
  await context.close();
});
