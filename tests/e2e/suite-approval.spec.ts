import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { PHONE } from './hands.ts';
import {
  OUTLOOK,
  approveCode,
  backUpPerson,
  list,
  node,
  openItem,
  openTenant,
  restorePanel,
  rowTexts,
  showFolder,
  shownCode,
  TASK,
} from './cloud-suite.ts';
import type { TenantPerson } from './cloud-suite.ts';
import { linkFor } from './outbox.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter, entry, NEW_PASSWORD, panel } from './people.ts';
import { loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
let person: TenantPerson;
let other: TenantPerson | undefined;

test.beforeEach(async () => {
  portal = await startPortal('small');
  const backup = await backUpPerson(portal, { mailbox: true, oneDrive: false });
  person = backup.person;
  other = backup.people.find(({ id }) => id !== person.id);
  const api = await loadApi(portal, 'm365');
  await api('POST', 'users', {
    username: 'second',
    name: 'Selma Iversen',
    email: 'second@example.com',
    roles: ['o365_admin'],
    companies: null,
    auth: 'db',
    invite: true,
  });
  const hash = new URL(await linkFor(portal.url, 'second@example.com')).hash.slice(1);
  await fetch(`${portal.url}/api/v1/profile/forgot-password/change`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hash, newPassword: NEW_PASSWORD }),
  });
});
test.afterEach(() => portal.stop());

/** Restores the newest mail of the inbox to the other mailbox. Returns its subject. */
async function requestRestore(page: Page, reason: string): Promise<string> {
  await node(page, person.name).click();
  await node(page, /^Inbox/).click();
  const first = list(page, 'Inbox').getByRole('option').first();
  await first.locator('[data-select]').click();
  const subject = await openItem(page, first);
  await page.getByRole('button', { name: 'Restore 1 item' }).click();
  const restore = restorePanel(page);
  await restore.getByRole('radio', { name: /^Another mailbox or folder/ }).click();
  await restore.getByRole('combobox', { name: 'User' }).fill(other?.name ?? '');
  await page.getByRole('option', { name: other?.name ?? '' }).click();
  await restore.getByRole('textbox', { name: 'Folder' }).fill('Handed over');
  await restore.getByRole('textbox', { name: 'Reason' }).fill(reason);
  await restore.getByRole('button', { name: 'Dry run' }).click();
  await restore.getByRole('button', { name: 'Restore 1 item' }).click();
  return subject;
}

test('G71: where an organization requires it, a restore to another mailbox waits for a second person, who approves it', async ({
  page,
  browser,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/organizations');
  await entry(page, 'Copperline').click();
  const approval = panel(page, 'Copperline').getByRole('switch', { name: /^Approval of restores/ });
  await approval.click();
  await expect(approval).toBeChecked();
  await sound(page, 'organization with approval of restores');
  await page.getByRole('link', { name: 'Outlook' }).click();
  const subject = await requestRestore(page, 'Handover, ticket 4711');
  const restore = restorePanel(page);
  await restore.getByRole('button', { name: 'Get a code' }).click();
  await expect(shownCode(page)).toBeVisible();
  await approveCode(portal, page.context(), await shownCode(page).innerText());
  await page.bringToFront();
  await expect(restore.getByText('Waiting for approval')).toBeVisible();
  await sound(page, 'restore that waits for approval');
  await page.getByRole('button', { name: 'Restores', exact: true }).click();
  const history = page.getByRole('dialog', { name: 'Restores of Copperline' });
  await expect(history.getByText('Reason: Handover, ticket 4711')).toBeVisible();
  await expect(history.getByText(/Another person has to approve it\./)).toBeVisible();
  await expect(history.getByRole('button', { name: 'Approve' })).toHaveCount(0);
  await sound(page, 'history with a restore that waits');
  await history.getByRole('button', { name: 'Close' }).click();
  await expect(history).toBeHidden();

  // On the phone of somebody else.
  const phone = await browser.newContext(PHONE);
  const second = await phone.newPage();
  const seconds = collectErrors(second);
  await enter(portal, second, 'second', OUTLOOK, NEW_PASSWORD);
  await expect(second.getByText('1 restore waits for approval.')).toBeVisible();
  await second.getByRole('button', { name: 'Show waiting restores' }).tap();
  const waiting = second.getByRole('dialog', { name: 'Waiting for approval' });
  await expect(waiting.getByText('Reason: Handover, ticket 4711')).toBeVisible();
  await waiting.getByRole('button', { name: 'Approve' }).tap();
  await waiting.getByRole('button', { name: 'Approve restore' }).tap();
  await expect(waiting.getByText('Enter a reason.')).toBeVisible();
  await sound(second, 'approval without a reason on a phone');
  await waiting.getByRole('textbox', { name: 'Reason' }).fill('Confirmed by phone');
  await waiting.getByRole('button', { name: 'Approve restore' }).tap();
  await expect(waiting.getByText('No restores are waiting')).toBeVisible();
  expect(seconds).toEqual([]);
  await phone.close();

  await expect(restore.getByRole('heading', { name: 'Restore complete' })).toBeVisible(TASK);
  await page.getByRole('button', { name: 'Restores', exact: true }).click();
  await expect(history.getByText('Approved by Selma Iversen: Confirmed by phone')).toBeVisible();
  await sound(page, 'history with an approved restore');
  const tenant = await openTenant(portal, page.context(), other?.name ?? '', 'Mails');
  await showFolder(tenant, 'Handed over');
  expect(await rowTexts(tenant, subject)).toHaveLength(1);
  expect(errors).toEqual([]);
});
