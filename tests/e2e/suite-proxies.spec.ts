import { spawn, type ChildProcess } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { hasPostgres } from './databases.ts';
import { collectErrors, sound } from './page-checks.ts';
import { createUser, enter, entry, NEW_PASSWORD, panel } from './people.ts';
import { startPortal, type Portal } from './portal.ts';
import { end, NODE } from './server-process.ts';

const LONG = { timeout: 240_000 };

let portal: Portal;
let proxy: ChildProcess | null = null;
test.skip(!hasPostgres(), 'Proxies share a PostgreSQL database with the servers.');
test.beforeEach(async () => {
  portal = await startPortal('none');
  await createUser(portal, 'olin', 'Olin Backup', ['o365_admin']);
});
test.afterEach(async () => {
  await end(proxy, 'SIGKILL');
  await portal.stop();
});

/** Starts a proxy on the database of the portal. */
const startProxy = (name: string, pool: string): ChildProcess =>
  spawn(NODE, ['server/proxy.ts', '--name', name, '--pool', pool], {
    stdio: 'inherit',
    env: { ...process.env, DAYBOOK_DATA: portal.dataDir, DATABASE_URL: portal.databaseUrl },
  });

test('PRX-7, PRX-8, E2E-7: by keyboard, a proxy is seen to join, is drained, moved to a pool, and removed when it has left', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'olin', '/o365/repositories', NEW_PASSWORD);
  await page.getByRole('tab', { name: 'Proxies' }).click();
  await expect(page.getByRole('heading', { name: 'No proxies yet' })).toBeVisible();

  proxy = startProxy('night-1', 'north');
  await expect(entry(page, 'night-1')).toBeVisible(LONG);
  const row = page.getByRole('row').filter({ hasText: 'night-1' });
  await expect(row).toContainText('Available', LONG);
  await expect(row).toContainText('north');
  await sound(page, 'proxies');

  await entry(page, 'night-1').press('Enter');
  const details = panel(page, 'night-1');
  await expect(details.getByText('Available')).toBeVisible();
  await expect(details.getByRole('heading', { name: 'Running work' })).toBeVisible();
  await sound(page, 'a proxy');
  await details.getByRole('button', { name: 'Start maintenance' }).press('Enter');
  await expect(
    details.getByText(/^No new work of this portal starts on this proxy\./),
  ).toBeVisible();
  await expect(row).toContainText('Maintenance');
  await sound(page, 'a proxy in maintenance');
  await details.getByRole('button', { name: 'End maintenance' }).press('Enter');
  await expect(row).toContainText('Available', LONG);

  await details.getByRole('button', { name: 'Change pool' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change pool' });
  await dialog.getByLabel('Pool').fill('south');
  await dialog.getByRole('button', { name: 'Change pool' }).press('Enter');
  await expect(dialog).toBeHidden();
  await expect(row).toContainText('south');
  // It can be removed only when it has left.
  await expect(details.getByRole('button', { name: 'Remove proxy' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Pools' }).click();
  await expect(entry(page, 'south')).toBeVisible();
  await page.getByRole('tab', { name: 'Proxies' }).click();

  await end(proxy, 'SIGTERM');
  await expect(row).toContainText('Offline', LONG);
  await entry(page, 'night-1').press('Enter');
  await expect(details.getByRole('button', { name: 'Remove proxy' })).toBeVisible();
  await sound(page, 'a proxy that has left');
  await details.getByRole('button', { name: 'Remove proxy' }).press('Enter');
  const confirm = page.getByRole('dialog', { name: 'Remove the proxy night-1?' });
  await expect(confirm.getByText(/It is added again when it starts\./)).toBeVisible();
  await confirm.getByRole('button', { name: 'Remove proxy' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'No proxies yet' })).toBeVisible();
  expect(errors).toEqual([]);
});
