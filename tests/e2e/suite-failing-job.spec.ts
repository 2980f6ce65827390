import { expect, test } from '@playwright/test';
import { backUpPerson, submit } from './cloud-suite.ts';
import type { TenantPerson } from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter, entry, panel } from './people.ts';
import { getRow, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

const REFUSED = /The application does not exist in this tenant/;

let portal: Portal;
let person: TenantPerson;
test.beforeEach(async ({ browser }) => {
  portal = await startPortal('small');
  ({ person } = await backUpPerson(portal, { mailbox: true, oneDrive: false }));
  const page = await browser.newPage();
  await page.goto(`${portal.url}/demo/tenant`);
  const remove = page.getByRole('button', { name: 'Remove application: Northwind backup' });
  await submit(remove);
  await expect(remove).toHaveCount(0);
  await page.close();
  // A running server may use its token until it expires.
  await portal.kill();
  await portal.start();
});
test.afterEach(() => portal.stop());

test('SUITE-30: a job whose application is removed from its tenant fails, and Monitoring has it with its cause, a ticket and an SLA alarm', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const name = `Backup of ${person.name}`;
  await enter(portal, page, 'm365', '/o365/jobs');
  await entry(page, name).click();
  const job = panel(page, name);
  await job.getByRole('button', { name: 'Start job' }).click();
  await expect(job.getByText(REFUSED).first()).toBeVisible();
  await expect(job.getByRole('status').filter({ hasText: 'Failed' })).toBeVisible();
  await sound(page, 'panel of a job that failed');

  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByLabel('Username')).toBeVisible();
  await enter(
    portal,
    page,
    'operator',
    '/monitoring/daily-checks?state=Failed&instructionType=office365',
  );
  const row = getRow(page, name);
  await expect(row).toBeVisible();
  await row.click();
  await expect(row).toContainText(REFUSED);
  await sound(page, 'result of a job that failed');
  await page
    .getByRole('complementary', { name: 'Job result' })
    .getByRole('button', { name: 'Ticket', exact: true })
    .click();
  await page.getByRole('button', { name: 'Link an existing ticket' }).click();
  await page.getByLabel('Ticket number').fill('T-4711');
  await page.keyboard.press('Enter');
  await expect(row).toContainText('T-4711');
  // The demo may have other failures: then the panel shows the next one after a ticket.
  await row.click();
  await expect(page.getByRole('complementary', { name: 'Job result' })).toContainText(name);
  await page.getByRole('link', { name: 'Create SLA alarm for this job' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'New alarm' })).toBeFocused();
  await page.getByLabel('Minimum success rate (%)').fill('90');
  await page.getByRole('button', { name: 'Create alarm' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: name })).toContainText('Target missed');
  expect(errors).toEqual([]);
});
