import { expect, test } from '@playwright/test';
import {
  aJob,
  anAlarm,
  aRepository,
  aServer,
  aCompany,
  fill,
} from '#tests/server/connections/fakes/vspc-estate.ts';
import { type StandIn, uid, USER, vspcStandIn } from '#tests/server/connections/fakes/vspc.ts';
import { loadApi, getRow, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { collectErrors, sound } from './page-checks.ts';
import { PLAIN_LOOPBACK, withEnvironment } from './server-process.ts';

let portal: Portal;
let vspc: StandIn;

test.beforeEach(async () => {
  // The console of this test stands on this machine, without TLS.
  [portal, vspc] = await Promise.all([withEnvironment(PLAIN_LOOPBACK, startPortal), vspcStandIn()]);
});
test.afterEach(async () => {
  await Promise.all([portal.stop(), vspc.outside.stop()]);
});

test('E2E-1, CONN-1, CONN-2: a console is connected, tested, read and linked, one part of it fails, and its results are in the list', async ({
  page,
}) => {
  const { console } = vspc;
  const hourAgo = Date.now() - 3_600_000;
  const errors = collectErrors(page);
  fill(console, 1, 30, hourAgo);
  console.companies.push(
    aCompany('Nobody here & sons with a name that is longer than what a line of a phone can hold'),
  );
  console.servers.push(aServer('Company 0', 'vbr-9'));
  console.jobs.push(
    aJob({ company: 'Company 0', server: 'vbr-9', name: 'ERP of the console' }, hourAgo, {
      status: 'Failed',
      failureMessage: 'The network path was not found',
    }),
  );
  console.repositories.push(aRepository('vbr-9', 'Main', 4e12, 1e12));
  console.alarms.push(anAlarm('Company 0', 'Main', hourAgo));
  const api = await loadApi(portal, 'admin');
  await api('POST', 'companies', {
    name: 'Linked company',
    applications: {
      vac: { id: uid('company Company 0') },
      vcd: { id: null },
      zerto: { id: null },
      office365: { enabled: false, organizations: [] },
    },
  });

  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/connections`);
  await expect(page.getByRole('heading', { name: 'No connections yet' })).toBeVisible();
  await sound(page, 'no connections');
  await page.getByRole('button', { name: 'New connection' }).click();
  const dialog = page.getByRole('dialog', { name: 'New connection' });
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await dialog.getByLabel('Name', { exact: true }).fill('Head office console');
  await dialog.getByLabel('URL').fill(vspc.outside.url);
  await dialog.getByLabel('Sign-in method').selectOption('password');
  await dialog.getByLabel('Username').fill(USER.name);
  await dialog.getByLabel('Password').fill('not the password');
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText("didn't accept the credentials");
  await sound(page, 'a connection that fails its test');
  await dialog.getByLabel('Password').fill(USER.secret);
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await expect(page.getByRole('heading', { name: 'Head office console' })).toBeVisible();
  await expect(page.getByText("1 company of the console isn't linked")).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByRole('row', { name: /^Jobs Synced/ })).toContainText('31');
  await sound(page, 'connections');
  await page.getByRole('button', { name: 'Show companies' }).click();
  await expect(page.getByRole('dialog').getByText(/^Nobody here & sons/)).toBeVisible();
  await sound(page, 'companies that are not linked');
  await page.keyboard.press('Escape');

  console.fault = (_requested, path) =>
    path === 'alarms/active'
      ? { status: 500, body: '{"errors":[{"message":"The database is being moved."}]}' }
      : null;
  await page.getByRole('button', { name: 'Sync now: Head office console' }).click();
  await expect(page.getByText('1 part failed')).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText(/The database is being moved/)).toBeVisible();
  await sound(page, 'a part that failed');
  console.fault = () => null;
  await page.getByRole('button', { name: 'Try now: Alarms of Head office console' }).click();
  await expect(page.getByText('1 part failed')).toBeHidden({ timeout: 60_000 });
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  await expect(getRow(page, 'ERP of the console')).toContainText('The network path was not found');
  // A source that posts is another matter: its page shows none of these keys.
  await page.goto(`${portal.url}/monitoring/sources`);
  await expect(page.getByRole('heading', { name: 'No sources yet' })).toBeVisible();
  expect(errors).toEqual([]);
});

test('CONN-1: a connection is edited by keyboard alone, and offline the page says what it needs', async ({
  page,
}) => {
  const api = await loadApi(portal, 'admin');
  await api('POST', 'monitoring/connections', {
    kind: 'vspc',
    name: 'Head office console',
    address: vspc.outside.url,
    credentials: { kind: 'password', name: USER.name, secret: USER.secret },
    companyN: null,
    everySec: 3_600,
    enabled: true,
    certificate: null,
  });
  await signIn(page, portal.url, 'admin', portal.password);
  await page.getByRole('link', { name: 'Connections' }).click();
  await page.getByRole('button', { name: 'Edit Head office console' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Edit Head office console' });
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Console two');
  // Closing it or going back asks first, as there are changes, and Esc there goes on with them.
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Close' }).click(),
    () => page.goBack(),
  ]) {
    await leave();
    await expect(question.getByText('You have unsaved changes.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(question).toHaveCount(0);
    await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Console two');
  }
  await page.keyboard.press('Escape');
  await sound(page, 'unsaved changes of a dialog');
  await question.getByRole('button', { name: 'Discard changes' }).press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Head office console' })).toBeVisible();
  // Without changes nothing is asked.
  await page.getByRole('button', { name: 'Edit Head office console' }).press('Enter');
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Edit Head office console' }).press('Enter');
  await dialog.getByLabel('Name', { exact: true }).fill('Console two');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Console two' })).toBeVisible();
  await portal.kill();
  await expect(page.getByText(/Reconnect to add or edit connections/)).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByRole('button', { name: 'Sync now: Console two' })).toBeDisabled();
});
