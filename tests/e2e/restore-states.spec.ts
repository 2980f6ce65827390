import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { PHONE } from './hands.ts';
import { list, node, OUTLOOK, TASK, TEAMS } from './cloud-suite.ts';
import { collectErrors, expectTouchable, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;

test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

/** How much of a part is beyond its right edge, in pixels. */
const beyondEdge = (part: Locator): Promise<number> =>
  part.evaluate((element) =>
    Math.max(
      ...[element, ...element.querySelectorAll('*')].map((one) =>
        Math.round(one.getBoundingClientRect().right - element.getBoundingClientRect().right),
      ),
    ),
  );

const ATTACHED = 'Shift at nine.';
const MAIL = [
  'From: Ann Fletcher <ann@example.com>',
  'To: Ben Ortiz <ben@example.org>',
  'Subject: Rota for the harbour office',
  'Message-ID: <rota-2@example.com>',
  'Date: Tue, 03 Nov 2020 10:11:12 +0100',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="part"',
  '',
  '--part',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'See both files.',
  ...['first.txt', 'second.txt'].flatMap((name) => [
    '--part',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Disposition: attachment; filename="${name}"`,
    '',
    ATTACHED,
  ]),
  '--part--',
  '',
].join('\n');

/** Imports a mail with two attachments, which makes another restore point. Opens it in the restore. */
async function importMail(page: Page): Promise<void> {
  const path = test.info().outputPath('harbour.mbox');
  writeFileSync(path, `From ann@example.com Tue Nov  3 09:11:12 2020\n${MAIL}`);
  await page.getByRole('button', { name: 'New import' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New import' });
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: /^Choose file/ }).click();
  await (await chooser).setFiles(path);
  await dialog.getByRole('textbox', { name: 'Name of the mailbox' }).fill('Ann before 2021');
  await dialog.getByRole('button', { name: 'Start import' }).click();
  const details = page.getByRole('region', { name: 'harbour.mbox' });
  await expect(details.getByText('Imported', { exact: true })).toBeVisible(TASK);
  await details.getByRole('link', { name: 'Open in restore' }).click();
}

test('RES-31, E2E-7: an attachment gives the focus back to its button, and so does a restore point on a phone, however late it opens', async ({
  page,
  browser,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/repositories?tab=imports');
  await importMail(page);
  await node(page, /^Ann before 2021/).click();
  await page.keyboard.press('ArrowRight');
  await node(page, /^harbour/).click();
  await list(page).getByRole('option').first().click();
  await page.getByRole('button', { name: 'Show mail' }).press('Enter');
  const second = page.getByRole('button', { name: 'Show attachment second.txt' });
  await second.press('Enter');
  await expect(page.frameLocator('iframe').locator('pre')).toHaveText(ATTACHED);
  await expect(page.getByRole('button', { name: 'Back to the mail' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(second).toBeFocused();
  // Nothing in Microsoft 365 is its counterpart, and asking again would change nothing.
  await page.getByRole('button', { name: 'Compare with production' }).last().press('Enter');
  const comparison = page.getByRole('dialog', { name: 'Backup and production' });
  await expect(comparison.getByText(/imported/)).toBeVisible();
  await expect(comparison.getByRole('button', { name: 'Try again' })).toHaveCount(0);

  const context = await browser.newContext(PHONE);
  const phone = await context.newPage();
  await enter(portal, phone, 'm365', OUTLOOK);
  await node(phone, /./).first().tap();
  const change = phone.getByRole('button', { name: /Change restore point/ });
  await change.press('Enter');
  const sheet = phone.getByRole('dialog', { name: 'Restore points' });
  const earlier = sheet.getByRole('button', { name: /^Earlier restore point/ });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await context.route('**/api/v1/o365/restore/**', async (route) => {
    await released;
    await route.continue();
  });
  await earlier.press('Enter');
  // The bar goes while the other point is opened.
  await expect(
    phone.getByRole('button', { name: /Change restore point/, includeHidden: true }),
  ).toHaveCount(0);
  await phone.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  release();
  await expect(change).toBeFocused();

  // There is none before the first one.
  await change.press('Enter');
  await earlier.focus();
  while ((await earlier.getAttribute('aria-disabled')) !== 'true') await earlier.press('Enter');
  await earlier.press('Enter');
  await expect(earlier).toBeFocused();
  await context.close();
  expect(errors.filter((error) => !/status of 409/.test(error))).toEqual([]);
});

test('RES-45, E2E-7: a dry run of a team fits its panel and a phone, whatever its posts are called', async ({
  page,
}) => {
  await enter(portal, page, 'm365', TEAMS);
  await node(page, /^Projects/).click();
  await page.getByRole('button', { name: /^Restore team/ }).click();
  const panel = page.getByRole('region', { name: /^Restore team/ });
  await panel.getByRole('button', { name: 'Dry run' }).press('Enter');
  await expect(panel.getByRole('heading', { name: 'Result of the dry run' })).toBeFocused(TASK);
  await expect(panel.getByRole('listitem').first()).toBeVisible();
  await expect.poll(() => beyondEdge(panel)).toBe(0);
  await sound(page, 'dry run of a team');
  await page.setViewportSize(PHONE.viewport);
  const sheet = page.getByRole('dialog', { name: /^Restore team/ });
  await expect(sheet.getByRole('listitem').first()).toBeVisible();
  await expect.poll(() => beyondEdge(sheet)).toBe(0);
});

test('PAGE-2, E2E-7: the links of the forbidden page are 44 pixels high on a phone', async ({
  browser,
}) => {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await enter(portal, page, 'reader', '/monitoring/sources');
  // The address changes before the page: until then, the links are those of the sign-in.
  await expect(page.getByRole('heading', { level: 1, name: 'No access' })).toBeVisible();
  const links = page.getByRole('main').getByRole('link');
  await expect(links.first()).toBeVisible();
  for (const link of await links.all()) await expectTouchable(link);
  await context.close();
});

test('PAGE-2, E2E-7: on a phone, a long title takes two lines beside the state of the sync', async ({
  browser,
}) => {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await enter(portal, page, 'm365', '/o365/restore-operator-roles/1');
  const title = page.getByRole('heading', { level: 1, name: 'New restore operator role' });
  // The header is drawn again when the organizations are there and the wizard begins.
  await expect(page.getByRole('form')).toBeVisible();
  await expect(title).toBeVisible();
  const getTop = async (name: string | RegExp): Promise<number> =>
    (await page.getByRole('banner').getByRole('button', { name }).boundingBox())?.y ?? NaN;
  await expect(page.getByRole('banner').getByRole('button', { name: /^Live/ })).toBeVisible();
  await expect.poll(async () => (await getTop(/^Live/)) - (await getTop('Menu'))).toBe(0);
  // Nothing of it is cut.
  await expect
    .poll(() =>
      title.evaluate((one) => [
        one.scrollWidth - one.clientWidth,
        one.scrollHeight - one.clientHeight,
      ]),
    )
    .toEqual([0, 0]);
  await context.close();
});
