import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { aJob, aServer, fill } from '#tests/server/connections/fakes/vspc-estate.ts';
import { type StandIn, USER, vspcStandIn } from '#tests/server/connections/fakes/vspc.ts';
import { loadApi, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { collectErrors, sound } from './page-checks.ts';

let portal: Portal;
let vspc: StandIn;

test.beforeAll(async () => {
  // The console of this test runs on this machine, without TLS.
  process.env['DAYBOOK_OUTBOUND_ALLOW'] = '127.0.0.0/8';
  process.env['DAYBOOK_OUTBOUND_HTTP'] = '1';
  [portal, vspc] = await Promise.all([startPortal(), vspcStandIn()]);
});
test.afterAll(async () => {
  await Promise.all([portal.stop(), vspc.outside.stop()]);
});

const NAME = 'Console of the head office';
const WAIT = { timeout: 60_000 };
const failure = (page: Page) => page.getByRole('button', { name: /failed to sync/ });
const shot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['SHOTS'];
  if (folder === undefined) return;
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `${folder}/${name}-${scheme}.png` });
  }
  await page.emulateMedia({ colorScheme: null });
};

test('SYNC-14, SYNC-15: a failing collector is named on an open page without a reload, offline too, until it recovers', async ({
  page,
  browser,
}) => {
  const { console } = vspc;
  const hourAgo = Date.now() - 3_600_000;
  const errors = collectErrors(page);
  fill(console, 1, 2, hourAgo);
  console.servers.push(aServer('Company 0', 'vbr-9'));
  console.jobs.push(aJob({ company: 'Company 0', server: 'vbr-9', name: 'ERP' }, hourAgo));
  const api = await loadApi(portal, 'admin');
  await api('POST', 'monitoring/connections', {
    kind: 'vspc',
    name: NAME,
    address: vspc.outside.url,
    companyN: null,
    everySec: 60,
    enabled: true,
    certificate: null,
    credentials: { kind: 'password', name: USER.name, secret: USER.secret },
  });
  const list = async (): Promise<{
    readonly _id: string;
    readonly collections: readonly { readonly entity: string; readonly status: string }[];
  }> => {
    const [one] = (await api('GET', 'monitoring/connections')) as {
      _id: string;
      collections: { entity: string; status: string }[];
    }[];
    if (!one) throw new Error('no connection');
    return one;
  };
  const partIs = (entity: string, status: string): Promise<void> =>
    expect
      .poll(
        async () => (await list()).collections.find((one) => one.entity === entity)?.status,
        WAIT,
      )
      .toBe(status);
  await partIs('alarms', 'succeeded');

  // An operator looks at the list; an administrator at another page. Both see it while they do
  // nothing.
  const own = await browser.newContext();
  const admin = await own.newPage();
  await signIn(page, portal.url, 'dana', portal.password);
  await signIn(admin, portal.url, 'admin', portal.password);
  await expect(failure(page)).toBeHidden();
  const query: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('last-sync')) query.push(request.url());
  });

  console.fault = (_requested, path) =>
    path === 'alarms/active'
      ? { status: 500, body: '{"errors":[{"message":"The database is being moved."}]}' }
      : null;
  const { _id } = await list();
  await api('POST', `monitoring/connections/${_id}/sync`, {});
  await partIs('alarms', 'failed');
  for (const one of [page, admin])
    await expect(failure(one)).toHaveAccessibleName(`1 source failed to sync: ${NAME}`, WAIT);
  await expect(page.getByRole('status').filter({ hasText: 'failed to sync' })).toHaveText(
    `1 source failed to sync: ${NAME}`,
  );
  expect(query).toEqual([]);

  // By keyboard, and only who may open the page of connections is led there.
  await failure(page).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: '1 source failed to sync' });
  await expect(dialog).toContainText(NAME);
  await expect(dialog).toContainText('Alarms: ');
  await expect(dialog).toContainText('The database is being moved.');
  await expect(dialog).toContainText(/Failed \d\d\/\d\d\/\d\d/);
  await expect(dialog.getByRole('link')).toHaveCount(0);
  await sound(page, 'a source that failed to sync');
  await shot(page, 'operator-1440');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(failure(page)).toBeFocused();
  await page.setViewportSize({ width: 390, height: 844 });
  await failure(page).click();
  await shot(page, 'operator-390');
  await page.keyboard.press('Escape');
  await shot(page, 'operator-390-closed');
  await page.setViewportSize({ width: 1440, height: 900 });

  await failure(admin).click();
  await admin.getByRole('dialog').getByRole('link', { name: NAME }).click();
  await expect(admin).toHaveURL(new RegExp(`/monitoring/connections#connection-${_id}$`));
  await expect(admin.getByRole('heading', { name: NAME })).toBeFocused();

  // With no network it is still there, and says of when it is.
  await page.context().setOffline(true);
  await expect(page.getByText(/^Offline since/).first()).toBeAttached(WAIT);
  await failure(page).click();
  await expect(page.getByRole('dialog')).toContainText(/As of \d\d\/\d\d\/\d\d/);
  await shot(page, 'offline-1440');
  await page.keyboard.press('Escape');
  await page.context().setOffline(false);

  console.fault = () => null;
  await api('POST', `monitoring/connections/${_id}/sync`, {});
  await partIs('alarms', 'succeeded');
  for (const one of [page, admin]) await expect(failure(one)).toBeHidden(WAIT);
  await expect(page.getByRole('status').filter({ hasText: 'syncing again' })).toHaveText(
    'All sources are syncing again',
    WAIT,
  );
  expect(query).toEqual([]);
  expect(errors.filter((error) => !/ERR_INTERNET_DISCONNECTED/.test(error))).toEqual([]);
  await own.close();
});
