import { expect, test } from '@playwright/test';
import { collectErrors, sound } from './page-checks.ts';
import { enter, panel } from './people.ts';
import { startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

const LONG = { timeout: 120_000 };

test('SUITE-20: a repository is verified and cleaned up on request, and one that is not there is not attached', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/repositories');
  const first = page.locator('[data-entry]').first();
  const name = (await first.innerText()).split('\n')[0] ?? '';
  await first.click();
  const repository = panel(page, name);
  await repository.getByRole('button', { name: 'Verify now' }).click();
  await expect(repository.getByText('Last requested verification: no damage found')).toBeVisible(
    LONG,
  );
  await repository.getByRole('button', { name: 'Clean up now' }).click();
  await expect(
    repository.getByText(/^Last requested clean-up: removed no restore points and freed/),
  ).toBeVisible(LONG);
  await sound(page, 'repository after its upkeep');

  await page.getByRole('button', { name: 'Attach existing repository' }).click();
  const attach = page.getByRole('dialog', { name: 'Attach existing repository' });
  await attach.getByRole('button', { name: 'Attach', exact: true }).click();
  await expect(attach.getByText(/^Enter an ID such as/)).toBeVisible();
  await expect(attach.getByText('Enter the password.')).toBeVisible();
  await sound(page, 'attaching a repository in error');
  await attach
    .getByRole('textbox', { name: 'Repository ID' })
    .fill('3f0c2a52-8d7e-4a1b-9c55-0b6f6f0e7d11');
  await attach.getByLabel('Encryption password').fill('not the password');
  await attach.getByRole('button', { name: 'Attach', exact: true }).click();
  await expect(attach.getByRole('alert')).toContainText(/^No repository with this ID and password/);
  await page.setViewportSize({ width: 390, height: 844 });
  await sound(page, 'a repository that could not be attached, on a phone');
  // The browser names the refusal, too.
  expect(errors.filter((error) => !/status of 4\d\d/.test(error))).toEqual([]);
});
