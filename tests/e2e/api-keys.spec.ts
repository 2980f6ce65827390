import { expect, test } from '@playwright/test';
import { toast } from './account-person.ts';
import { loadApi, signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { axeInBoth, collectErrors, focusSearch, sound } from './page-checks.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

test('KEY-10, KEY-9, KEY-4: a key is created and copied, used by a program, revoked and refused; the API page is read and searched', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const errors = collectErrors(page);
  const program = async (key: string, path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${portal.url}/api/v1/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}` },
    });
    const body = (await answer.json()) as {
      success: boolean;
      data?: { abilities?: string[]; epoch?: string; cursor?: number; head?: number };
      error?: { kind: string };
    };
    return {
      status: answer.status,
      kind: body.error?.kind ?? null,
      data: body.data,
      rateLimit: answer.headers.get('ratelimit'),
    };
  };
  await signIn(page, portal.url, 'admin', portal.password);
  await page.getByRole('link', { name: 'API keys' }).click();
  await expect(page.getByText('Create a key to let a program use the API.')).toBeVisible();
  await page.getByRole('button', { name: 'New API key' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await expect(dialog.getByText('Select at least one permission.')).toBeVisible();
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.type('Nightly export');
  await dialog.getByLabel('Expires', { exact: true }).selectOption('own');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(dialog.getByText('Choose a date within the next 365 days.')).toBeVisible();
  await sound(page, 'new key');
  await dialog.getByLabel('Expires', { exact: true }).selectOption('30');
  await dialog.getByRole('checkbox', { name: /^Read results/ }).check();
  await dialog.getByRole('button', { name: 'Create key' }).click();

  await expect(page.getByRole('heading', { name: 'Copy this key now' })).toBeVisible();
  await axeInBoth(page, 'the key');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Copy key' }).click();
  await expect(toast(page, 'Key copied')).toBeVisible();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^dbu_[0-9A-Za-z]{49}$/);
  await page.getByRole('button', { name: 'Done' }).click();

  const self = await program(key, 'api-key');
  expect([self.status, self.data?.abilities]).toEqual([200, ['monitoring.daily-checks']]);
  expect(self.rateLimit).toContain('"key";r=299;t=60');
  const begin = await program(key, 'sync/events?after=0&epoch=');
  const all = await program(key, `sync/events?after=0&epoch=${begin.data?.epoch ?? ''}`);
  expect([begin.status, all.status, all.data?.cursor]).toEqual([200, 200, begin.data?.cursor]);
  expect((await program(key, 'monitoring/backoffice/rules')).kind).toBe('forbidden');
  expect((await program(key, 'profile/x/sessions')).kind).toBe('not-by-key');

  await page.reload();
  const row = page
    .getByRole('list', { name: 'API keys' })
    .getByRole('listitem')
    .filter({ hasText: 'Nightly export' })
    .first();
  await expect(row).toContainText(`dbu_…${key.slice(-10, -6)}`);
  await expect(row).toContainText(/last used \d+\/\d+\/\d+ from/);
  await sound(page, 'keys');
  await page.getByRole('button', { name: 'Revoke Nightly export' }).click();
  await dialog.getByRole('button', { name: 'Revoke key' }).click();
  await expect(toast(page, 'API key revoked')).toBeVisible();
  await expect(page.getByText('Create a key to let a program use the API.')).toBeVisible();
  expect(await program(key, 'api-key')).toMatchObject({ status: 401, kind: 'signed-out' });

  await page.goto(`${portal.url}/monitoring/api#events`);
  const call = page.getByRole('button', { name: /GET \/api\/v1\/sync\/events/ });
  await expect(call).toHaveAttribute('aria-expanded', 'true');
  await expect(call).toBeFocused();
  await expect(page.getByText(`curl '${portal.url}/api/v1/sync/events?after=0`)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(call).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('Enter');
  await focusSearch(page);
  await page.keyboard.type('licensing-export');
  await expect(page.getByRole('status').filter({ hasText: /^1 call matching/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.type('passkeys');
  await expect(page.getByText('No calls for API keys match “passkeys”.')).toBeVisible();
  await page.keyboard.press('Escape');
  await sound(page, 'api');
  await page.getByRole('searchbox').fill('passkeys');
  await page.getByRole('button', { name: 'Search all calls' }).click();
  await expect(page.getByRole('button', { name: /DELETE .*profile.*passkeys/ })).toBeVisible();
  expect(errors).toEqual([]);
});

test("KEY-5, KEY-10, KEY-9: an administrator sees and revokes a user's key; a list of calls that failed to load is loaded again", async ({
  page,
}) => {
  const admin = await loadApi(portal, 'admin');
  const dana = await loadApi(portal, 'dana');
  const {
    rows: [{ _id: id } = { _id: '' }],
  } = (await admin('GET', 'monitoring/reporting/users?search=dana')) as { rows: { _id: string }[] };
  const { secret } = (await dana('POST', `profile/${id}/api-keys`, {
    name: 'Wall of the office',
    abilities: ['monitoring.overview'],
    until: Date.now() + 86_400_000,
  })) as { secret: string };
  const loadStatus = async (): Promise<number> =>
    (
      await fetch(`${portal.url}/api/v1/api-key`, {
        headers: { authorization: `Bearer ${secret}` },
      })
    ).status;
  expect(await loadStatus()).toBe(200);
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/users?user=${id}&tab=access`);
  const keys = page.getByRole('list', { name: /^API keys of/ });
  await expect(keys.getByRole('listitem')).toContainText('Wall of the office');
  await axeInBoth(page, 'keys of a user');
  await keys.getByRole('button', { name: 'Revoke Wall of the office' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await expect(toast(page, 'API key revoked')).toBeVisible();
  await expect(keys).toHaveCount(0);
  expect(await loadStatus()).toBe(401);

  await page.route('**/api/v1/openapi.json', (route) => route.fulfill({ status: 500, body: '' }));
  await page.goto(`${portal.url}/monitoring/api`);
  await expect(
    page.getByRole('alert').getByText("The list of calls couldn't be loaded."),
  ).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Rate limits' })).toBeVisible();
  await page.unroute('**/api/v1/openapi.json');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Results', exact: true })).toBeVisible();
});
