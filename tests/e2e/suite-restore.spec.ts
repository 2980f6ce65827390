import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { PHONE } from './hands.ts';
import {
  OUTLOOK,
  addUniqueItem,
  approveCode,
  backUpPerson,
  details,
  getCellTexts,
  goToNode,
  list,
  node,
  openTenant,
  restorePanel,
  rowTexts,
  showFolder,
  shownCode,
  submit,
  tree,
  TASK,
} from './cloud-suite.ts';
import type { TenantPerson } from './cloud-suite.ts';
import { collectErrors, expectTouchable, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
let person: TenantPerson;
let others: readonly TenantPerson[];
/** A mail of the person whose subject no other has. */
let subject = '';

// The organization's application can only read: a test signs in to write.
test.beforeEach(async ({ browser }) => {
  portal = await startPortal('small');
  const backup = await backUpPerson(portal);
  person = backup.person;
  others = backup.people.filter(({ id }) => id !== person.id);
  const page = await openTenant(portal, await browser.newContext(), person.name, 'Mails');
  subject = await addUniqueItem(page, 'mail');
  await backup.runJob();
  await page.context().close();
});
test.afterEach(() => portal.stop());

/** Deletes a mail of the inbox in the tenant. Returns the tenant's page, and the row as it was. */
async function deleteMail(
  page: Page,
): Promise<{ readonly tenant: Page; readonly row: readonly string[] }> {
  const tenant = await openTenant(portal, page.context(), person.name, 'Mails');
  const row = await rowTexts(tenant, subject);
  expect(row).toHaveLength(1);
  await submit(tenant.getByRole('button', { name: `Delete mail: ${subject}`, exact: true }));
  await expect.poll(() => rowTexts(tenant, subject)).toEqual([]);
  await page.bringToFront();
  return { tenant, row };
}

/** Approves the code that the page shows. */
async function grant(page: Page): Promise<void> {
  await expect(shownCode(page)).toBeVisible();
  await approveCode(portal, page.context(), await shownCode(page).innerText());
  await page.bringToFront();
}

/** Presses Tab until a control has the focus. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeVisible();
  for (let tries = 0; tries < 120; tries++) {
    if (await control.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab doesn't reach ${String(control)}`);
}

test('RES-35, RES-24: by keyboard alone, a deleted mail is restored with a code, seen in the tenant with its date and flags, and undone', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const { tenant, row } = await deleteMail(page);
  const { keyboard } = page;
  await page.goto(portal.url + OUTLOOK);
  await expect(page.getByLabel('Username')).toBeFocused();
  await keyboard.type('m365');
  await keyboard.press('Tab');
  await keyboard.type(portal.password);
  await keyboard.press('Enter');
  await tabTo(page, tree(page));
  await keyboard.press('ArrowRight');
  await expect(node(page, /^Inbox/)).toBeVisible();
  await goToNode(page, 'Inbox');
  await keyboard.press('Enter');
  await expect(list(page).getByRole('option').first()).toBeVisible();
  await keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search this folder' })).toBeFocused();
  await keyboard.type(subject);
  await expect(page.getByText('1 match', { exact: true })).toBeVisible();
  await tabTo(page, list(page));
  await expect(details(page).getByRole('heading', { level: 2 })).toHaveText(subject);
  await keyboard.press('x');
  await expect(page.getByRole('checkbox', { name: 'Select all' })).toBeChecked();
  await keyboard.press('r');
  const restore = restorePanel(page);
  await tabTo(page, restore.getByRole('button', { name: 'Dry run' }));
  await keyboard.press('Enter');
  await expect(restore.getByRole('heading', { name: 'Result of the dry run' })).toBeFocused(TASK);
  await tabTo(page, restore.getByRole('button', { name: 'Restore 1 item' }));
  await keyboard.press('Enter');
  await expect(restore.getByRole('heading', { name: 'Sign in to restore' })).toBeFocused();
  await tabTo(page, restore.getByRole('button', { name: 'Get a code' }));
  await keyboard.press('Enter');
  await grant(page);
  await expect(restore.getByRole('heading', { name: 'Restore complete', exact: true })).toBeFocused(
    TASK,
  );
  await tenant.reload();
  await expect.poll(() => rowTexts(tenant, subject)).toEqual(row);
  await tabTo(page, restore.getByRole('button', { name: 'Undo restore' }));
  await keyboard.press('Enter');
  await expect(restore.getByRole('heading', { name: 'Restore undone' })).toBeFocused(TASK);
  await tenant.reload();
  await expect.poll(() => rowTexts(tenant, subject)).toEqual([]);
  expect(errors).toEqual([]);
});

test('RES-35, RES-24: on a phone, a deleted mail is restored with a code and undone', async ({
  browser,
}) => {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const errors = collectErrors(page);
  const { tenant, row } = await deleteMail(page);
  await enter(portal, page, 'm365', OUTLOOK);
  await node(page, person.name).tap();
  await page
    .getByRole('list', { name: 'Folders' })
    .getByRole('button', { name: /^Inbox/ })
    .tap();
  await expect(list(page).getByRole('option').first()).toBeVisible();
  await sound(page, 'inbox on a phone');
  await page.getByRole('button', { name: 'Search', exact: true }).tap();
  await page.getByRole('searchbox', { name: 'Search this folder' }).fill(subject);
  await expect(page.getByText('1 match', { exact: true })).toBeVisible();
  await list(page).getByRole('option').first().locator('[data-select]').tap();
  await page.getByRole('button', { name: 'Restore 1 item' }).tap();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: 'Dry run' }).tap();
  await expect(sheet.getByText('Will be created.')).toBeVisible(TASK);
  await sheet.getByRole('button', { name: 'Restore 1 item' }).tap();
  await sheet.getByRole('button', { name: 'Get a code' }).tap();
  await expect(shownCode(page)).toBeVisible();
  await sound(page, 'code to restore on a phone');
  await grant(page);
  await expect(sheet.getByText('Restore complete', { exact: true })).toBeVisible(TASK);
  await sound(page, 'restored on a phone');
  await tenant.reload();
  await expect.poll(() => rowTexts(tenant, subject)).toEqual(row);
  await page.bringToFront();
  await sheet.getByRole('button', { name: 'Undo restore' }).tap();
  await expect(sheet.getByText('Restore undone')).toBeVisible(TASK);
  await tenant.reload();
  await expect.poll(() => rowTexts(tenant, subject)).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

test('RES-31, RES-32, RES-33: on a phone, an open folder changes the restore point in a sheet, and rows are large enough to touch', async ({
  browser,
}) => {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', OUTLOOK);
  const mailbox = node(page, person.name);
  await expectTouchable(mailbox);
  await mailbox.tap();
  await page
    .getByRole('list', { name: 'Folders' })
    .getByRole('button', { name: /^Inbox/ })
    .tap();
  const box = list(page).getByRole('option').first().locator('[data-select]');
  await expect
    .poll(async () => {
      const size = await box.boundingBox();
      return Math.min(size?.width ?? 0, size?.height ?? 0);
    })
    .toBeGreaterThanOrEqual(44);

  const change = page.getByRole('button', { name: /Change restore point:/ });
  const readPoint = (): number => Number(new URL(page.url()).searchParams.get('point'));
  await expect.poll(readPoint).toBeGreaterThan(0);
  const shown = readPoint();
  await change.tap();
  const sheet = page.getByRole('dialog', { name: 'Restore points' });
  const earlier = sheet.getByRole('button', { name: /^Earlier restore point/ });
  await expect(earlier).toBeVisible();
  await sound(page, 'restore points on a phone');
  await earlier.tap();
  await expect.poll(readPoint).toBeLessThan(shown);
  // The same folder, as it was at the earlier point.
  await expect(sheet.getByRole('button', { name: /^Later restore point/ })).toBeEnabled();
  await sheet.getByRole('button', { name: 'Close' }).tap();
  await expect(sheet).toHaveCount(0);
  await expect(page.getByRole('navigation', { name: 'Path' })).toContainText('Inbox');
  await expect(list(page).getByRole('option').first()).toBeVisible();
  expect(errors).toEqual([]);
  await context.close();
});

test('RES-34, RES-24: a mail goes to a folder of another mailbox, and a whole mailbox gets back what it lacks', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const [other] = others;
  await enter(portal, page, 'm365', OUTLOOK);
  await node(page, person.name).click();
  await node(page, /^Inbox/).click();
  await page.getByRole('searchbox', { name: 'Search this folder' }).fill(subject);
  await expect(page.getByText('1 match', { exact: true })).toBeVisible();
  await list(page).getByRole('option').first().locator('[data-select]').click();
  await page.getByRole('button', { name: 'Restore 1 item' }).click();
  const restore = restorePanel(page);
  await restore.getByRole('radio', { name: /^Another mailbox or folder/ }).click();
  await restore.getByRole('button', { name: 'Dry run' }).click();
  await expect(restore.getByText('Select the user to restore to.')).toBeVisible();
  await expect(restore.getByText('Enter the reason for this restore.')).toBeVisible();
  // The first wrong field has the focus, and its options don't cover what is wrong below.
  const user = restore.getByRole('combobox', { name: 'User' });
  await expect(user).toBeFocused();
  await expect(user).toHaveAttribute('aria-expanded', 'false');
  await sound(page, 'restore to another mailbox in error');
  await user.click();
  await expect(user).toHaveAttribute('aria-expanded', 'true');
  await restore.getByRole('combobox', { name: 'User' }).fill(other?.name ?? '');
  await page.getByRole('option', { name: other?.name ?? '' }).click();
  await restore.getByRole('textbox', { name: 'Folder' }).fill('Restored/From a colleague');
  await restore.getByRole('textbox', { name: 'Reason' }).fill('Handed over, ticket 4711');
  await restore.getByRole('button', { name: 'Dry run' }).click();
  await expect(restore.getByText('Will be created.')).toBeVisible(TASK);
  await sound(page, 'dry run to another mailbox');
  await restore.getByRole('button', { name: 'Restore 1 item' }).click();
  await restore.getByRole('button', { name: 'Get a code' }).click();
  await grant(page);
  await expect(restore.getByRole('heading', { name: 'Restore complete', exact: true })).toBeVisible(
    TASK,
  );
  // They end within an hour, and the panel says when.
  const end = await restore.getByText(/^Undo removes.* \d\d:\d\d [AP]M/).innerText();
  const now = Date.now();
  const shown = new Date(
    `${new Date(now).toISOString().slice(0, 10)} ${/\d\d:\d\d [AP]M/.exec(end)?.[0]} UTC`,
  ).getTime();
  const minutes = ((shown - now) / 60_000 + 1_440) % 1_440;
  expect(minutes).toBeGreaterThan(0);
  expect(minutes).toBeLessThanOrEqual(60);
  const tenant = await openTenant(portal, page.context(), other?.name ?? '', 'Mails');
  await showFolder(tenant, 'Restored/From a colleague');
  expect(await rowTexts(tenant, subject)).toHaveLength(1);
  await page.bringToFront();
  await restore.getByRole('button', { name: 'Done' }).click();

  // The whole mailbox: two mails of two folders are missing.
  const mails = await openTenant(portal, page.context(), person.name, 'Mails');
  const lost: string[] = [];
  for (const folder of ['Inbox', 'Sent Items']) {
    await showFolder(mails, folder);
    const rows = mails.locator('tbody tr');
    const row = (await getCellTexts(rows)).at(-1) ?? '';
    lost.push(row);
    await submit(rows.last().getByRole('button', { name: /^Delete mail/ }));
    await expect.poll(() => getCellTexts(rows)).not.toContain(row);
  }
  await page.bringToFront();
  await node(page, person.name).click();
  await page.getByRole('button', { name: 'Restore mailbox' }).click();
  await sound(page, 'restore mailbox form');
  await restore.getByRole('checkbox', { name: /^Changed items/ }).uncheck();
  await restore.getByRole('button', { name: 'Dry run' }).click();
  await expect(restore.getByRole('heading', { name: 'Result of the dry run' })).toBeVisible(TASK);
  await sound(page, 'dry run of a mailbox');
  await restore.getByRole('button', { name: 'Restore 2 items' }).click();
  await expect(restore.getByRole('heading', { name: 'Restore complete', exact: true })).toBeVisible(
    TASK,
  );
  await sound(page, 'restored mailbox');
  for (const [n, folder] of ['Inbox', 'Sent Items'].entries()) {
    await showFolder(mails, folder);
    expect(await getCellTexts(mails.locator('tbody tr'))).toContain(lost[n]);
  }
  expect(errors).toEqual([]);
});
