import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { backUpPerson, openTenant, submit } from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { startPortal } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal('small');
});
test.afterEach(() => portal.stop());

const section = (page: Page, name: string): Locator =>
  page.getByRole('region', { name, exact: true });
/** The figure beside a name in a section. */
const figure = (page: Page, name: string, label: string): Locator =>
  section(page, name)
    .getByRole('listitem')
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator('span')
    .last();

test("SUITE-22: the six sections of the dashboard count what the tenant's own page shows", async ({
  page,
}) => {
  const errors = collectErrors(page);
  // Of the drive alone, whose files have the sizes that the tenant shows.
  const { person, runJob } = await backUpPerson(portal, { mailbox: false, oneDrive: true });
  const tenant = await openTenant(portal, page.context(), person.name, 'Files');
  const sizes = await tenant.locator('tbody tr td:nth-child(3)').allInnerTexts();
  const bytes = sizes.reduce((sum, size) => sum + Number(size.replaceAll(/\D/g, '')), 0);
  await tenant.goto(`${portal.url}/demo/tenant`);
  const people = await tenant
    .getByRole('row')
    .filter({ has: tenant.getByRole('button', { name: /^Remove person/ }) })
    .count();

  await enter(portal, page, 'm365', '/o365/dashboard');
  await expect(figure(page, 'Backup status', 'Success')).toHaveText('1');
  for (const state of ['Warning', 'Failed', 'Stopped', 'Running now'])
    await expect(figure(page, 'Backup status', state)).toHaveText('0');
  await expect(figure(page, 'Users status', 'Protected')).toHaveText('1');
  await expect(figure(page, 'Users status', 'Not protected')).toHaveText(String(people - 1));
  await expect(figure(page, 'Users status', 'Removed from the directory')).toHaveText('0');
  await expect(section(page, 'License activity').getByText('1 new user')).toBeVisible();
  await expect(section(page, 'Licenses').getByText('1 license in use')).toBeVisible();
  await expect(figure(page, 'Licenses', 'Copperline')).toHaveText('1');
  const storage = section(page, 'Highest storage users');
  await expect(storage.getByText(person.name)).toBeVisible();
  await expect(storage.getByText(`${(bytes / 1_000_000).toFixed(1)} MB`)).toBeVisible();
  const retention = section(page, 'Retention').getByRole('listitem');
  await expect(retention).toHaveCount(1);
  await expect(retention).toContainText('3 years');
  await expect(retention).toContainText('1 repository, 1 restore point');
  await sound(page, 'dashboard of the cloud suite', { sidebar: true });

  // The person leaves: the next session has nothing to back up.
  await submit(tenant.getByRole('button', { name: `Remove person: ${person.name}`, exact: true }));
  await expect(tenant.getByText(person.name, { exact: true })).toHaveCount(0);
  await runJob('Warning');
  await page.bringToFront();
  await page.reload();
  await expect(figure(page, 'Backup status', 'Warning')).toHaveText('1');
  await expect(figure(page, 'Users status', 'Protected')).toHaveText('0');
  await expect(figure(page, 'Users status', 'Not protected')).toHaveText(String(people - 1));
  await expect(figure(page, 'Users status', 'Removed from the directory')).toHaveText('1');
  await expect(retention).toContainText('1 repository');
  expect(errors).toEqual([]);
});
