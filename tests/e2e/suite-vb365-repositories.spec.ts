import { expect, test } from '@playwright/test';
import { type SecureVb365, startSecureVb365 } from '#tests/fakes/vb365/server.ts';
import { addOrganization } from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { collectErrors, sound } from './page-checks.ts';
import { createUser, enter, NEW_PASSWORD } from './people.ts';
import { getRow, loadApi, type Portal, startPortal } from './portal.ts';
import { LOOPBACK, withEnvironment } from './server-process.ts';

const SERVER = { timeout: 60_000 };

let portal: Portal;
let server: SecureVb365;

test.beforeEach(async () => {
  // The server of this test is on this machine, with a certificate that it has signed itself.
  portal = await withEnvironment(LOOPBACK, startPortal);
  await createUser(portal, 'cora', 'Cora Cloud', ['o365_admin', 'admin']);
  server = await startSecureVb365('v7', Date.now);
});
test.afterEach(async () => {
  await server.stop();
  await portal.stop();
});

test('E2E-1, VB365-60, VB365-61, VB365-62, VB365-63, VB365-66: a repository of a Veeam server is created, changed and removed, and the first job of an organization uses one that the server has', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const { name: domain } = addOrganization(server.content, 'Example Vaults');
  server.content.objectStorages.push({ id: crypto.randomUUID(), name: 'Bucket' });
  const provider = await loadApi(portal, 'admin');
  await provider('POST', 'companies', {
    name: 'Example Vaults',
    applications: {
      vac: { id: null },
      vcd: { id: null },
      zerto: { id: null },
      office365: { enabled: true, organizations: [{ id: domain }] },
    },
  });
  const api = await loadApi({ url: portal.url, password: NEW_PASSWORD }, 'cora');
  await api('POST', 'o365/organizations/from-api', {
    apiUrl: server.url,
    username: USER.name,
    password: USER.secret,
    certificate: server.certificate,
  });

  await enter(portal, page, 'cora', '/o365/jobs/1', NEW_PASSWORD);
  await page.getByLabel('Name', { exact: true }).fill('First job');
  await page.getByLabel('Organization', { exact: true }).selectOption({ label: 'Example Vaults' });
  for (const name of ['What to back up', 'What to leave out', 'Proxy and repository']) {
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('heading', { level: 2, name })).toBeFocused();
  }
  await page
    .getByLabel('Repository', { exact: true })
    .selectOption({ label: 'Main (not used yet)' });
  await sound(page, 'the repository of a first job on a Veeam server');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: /^Create job/ }).click();
  await expect(getRow(page, 'First job')).toBeVisible(SERVER);
  expect(server.content.jobs).toMatchObject([
    { name: 'First job', repositoryId: server.content.repositories[0]?.id },
  ]);

  await page.goto(`${portal.url}/o365/repositories`);
  await expect(getRow(page, 'Main')).toBeVisible(SERVER);
  await page.getByRole('button', { name: 'New repository' }).first().click();
  await page.getByLabel('Organization', { exact: true }).selectOption({ label: 'Example Vaults' });
  await expect(page.getByText('New repository on the Veeam server')).toBeVisible(SERVER);
  await page.getByRole('button', { name: 'Create repository' }).click();
  await expect(page.getByText('Choose a proxy.')).toBeVisible();
  await expect(page.getByText('Enter a folder such as')).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill('Vault');
  await page.getByLabel('Proxy', { exact: true }).selectOption({ label: 'proxy-1.example.com' });
  await page.getByLabel('Folder', { exact: true }).fill('E:\\Vault');
  await page.getByLabel('Period in').selectOption({ label: 'Days' });
  await page.getByLabel('Keep backups').fill('90');
  await page.getByLabel('Remove expired backups').selectOption({ label: 'Once a month' });
  await page.getByLabel('Time').fill('03:30');
  await sound(page, 'a new repository on a Veeam server');
  await page.getByRole('button', { name: 'Create repository' }).click();
  await expect(page.getByText('Repository created')).toBeVisible(SERVER);
  expect(server.content.repositories).toMatchObject([
    { name: 'Main' },
    {
      name: 'Vault',
      path: 'E:\\Vault',
      settings: { dailyRetentionPeriod: 90, retentionFrequencyType: 'Monthly' },
    },
  ]);
  await expect(page.getByText('90 days, per restore point')).toBeVisible();
  await sound(page, 'a created repository of a Veeam server');

  await page.getByRole('button', { name: 'Edit repository' }).click();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Vault', SERVER);
  await page.getByLabel('Name', { exact: true }).fill('Safe');
  await page.getByLabel('Keep backups').fill('30');
  await expect(page.getByText('Older restore points are deleted after seven days.')).toBeVisible();
  await sound(page, 'a changed repository of a Veeam server');
  await page.getByRole('button', { name: 'Save repository' }).click();
  await expect(page.getByText('Repository saved')).toBeVisible(SERVER);
  await expect(page.getByText(/keeps backups for 30 days from/)).toBeVisible();
  expect(server.content.repositories).toMatchObject([
    {},
    { name: 'Safe', settings: { dailyRetentionPeriod: 90 } },
  ]);
  await page.getByRole('button', { name: 'Keep for 90 days' }).click();
  await expect(page.getByText(/keeps backups for 30 days from/)).toHaveCount(0);

  await page.getByRole('button', { name: 'Remove from server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove Safe from its Veeam server?' });
  await dialog.getByRole('textbox').fill('Safe');
  await sound(page, 'the removal of a repository of a Veeam server');
  await dialog.getByRole('button', { name: 'Remove from server' }).click();
  await expect(page.getByText('Repository removed from its server')).toBeVisible(SERVER);
  await expect(getRow(page, 'Safe')).toHaveCount(0);
  expect(server.content.repositories.map(({ name }) => name)).toEqual(['Main']);
  expect(errors).toEqual([]);
});
