import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { aJob, aServer, fill } from '#tests/server/connections/fakes/vspc-estate.ts';
import { type StandIn, USER, vspcStandIn } from '#tests/server/connections/fakes/vspc.ts';
import { loadApi, newPage, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { collectErrors, recordAnnouncements, sound } from './page-checks.ts';
import { PLAIN_LOOPBACK, withEnvironment } from './server-process.ts';

let portal: Portal;
let vspc: StandIn;

test.beforeEach(async () => {
  // The console of these tests runs on this machine, without TLS.
  [portal, vspc] = await Promise.all([withEnvironment(PLAIN_LOOPBACK, startPortal), vspcStandIn()]);
});
test.afterEach(async () => {
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

/** The connection to the console, with a way to sync it now. */
interface Connection {
  readonly id: string;
  readonly sync: () => Promise<void>;
  readonly waitForAlarms: (status: 'succeeded' | 'failed') => Promise<void>;
}

/** Connects the console, which has two jobs and no alarms. */
async function connect(): Promise<Connection> {
  const { console } = vspc;
  const hourAgo = Date.now() - 3_600_000;
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
  const load = async () => {
    const [one] = (await api('GET', 'monitoring/connections')) as {
      _id: string;
      collections: { entity: string; status: string }[];
    }[];
    if (!one) throw new Error('no connection');
    return one;
  };
  const { _id: id } = await load();
  return {
    id,
    sync: async () => {
      await api('POST', `monitoring/connections/${id}/sync`, {});
    },
    waitForAlarms: (status) =>
      expect
        .poll(
          async () => (await load()).collections.find((one) => one.entity === 'alarms')?.status,
          WAIT,
        )
        .toBe(status),
  };
}
/** From now on the console doesn't answer for its alarms. */
function breakAlarms(): void {
  vspc.console.fault = (_requested, path) =>
    path === 'alarms/active'
      ? { status: 500, body: '{"errors":[{"message":"The database is being moved."}]}' }
      : null;
}
/** Connects a console that fails, and opens the daily checks. */
async function openFailing(page: Page, username = 'dana'): Promise<Connection> {
  breakAlarms();
  const connection = await connect();
  await connection.waitForAlarms('failed');
  await signIn(page, portal.url, username, portal.password);
  await expect(failure(page)).toHaveAccessibleName(`1 source failed to sync: ${NAME}`, WAIT);
  return connection;
}

test('SYNC-14, SYNC-15: a failing collector is named on an open page without a reload, until it recovers', async ({
  page,
  browser,
}) => {
  const errors = collectErrors(page);
  const connection = await connect();
  await connection.waitForAlarms('succeeded');
  // An operator and an administrator look at the list, and do nothing.
  const admin = await newPage(browser);
  const loadAnnouncements = await recordAnnouncements(page);
  await signIn(page, portal.url, 'dana', portal.password);
  await signIn(admin, portal.url, 'admin', portal.password);
  await expect(failure(page)).toBeHidden();
  const query: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('last-sync')) query.push(request.url());
  });

  breakAlarms();
  await connection.sync();
  await connection.waitForAlarms('failed');
  for (const one of [page, admin])
    await expect(failure(one)).toHaveAccessibleName(`1 source failed to sync: ${NAME}`, WAIT);
  await expect.poll(loadAnnouncements).toContain(`1 source failed to sync: ${NAME}`);

  vspc.console.fault = () => null;
  await connection.sync();
  await connection.waitForAlarms('succeeded');
  for (const one of [page, admin]) await expect(failure(one)).toBeHidden(WAIT);
  await expect.poll(loadAnnouncements, WAIT).toContain('All sources are syncing again');
  expect(query).toEqual([]);
  expect(errors).toEqual([]);
  await admin.context().close();
});

test('SYNC-14, E2E-7: by keyboard, an operator reads what failed, on a phone too', async ({
  page,
}) => {
  const errors = collectErrors(page);
  // On a slow line, the code of dialogs comes after the key press that opens the first one.
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  await page.route(/\/assets\/(?:dialog|portal|floating)-[^/]+\.js$/, async (route) => {
    await arrived;
    await route.continue();
  });
  await openFailing(page);
  await failure(page).focus();
  await page.keyboard.press('Enter');
  arrive();
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
  expect(errors).toEqual([]);
});

test('SYNC-14: who may open the page of connections is led to the one that failed', async ({
  page,
}) => {
  const connection = await openFailing(page, 'admin');
  await failure(page).click();
  await page.getByRole('dialog').getByRole('link', { name: NAME }).click();
  await expect(page).toHaveURL(new RegExp(`/monitoring/connections#connection-${connection.id}$`));
  await expect(page.getByRole('heading', { name: NAME })).toBeFocused();
});

test('SYNC-15: offline, a failure is still shown, with the time of the data', async ({ page }) => {
  await openFailing(page);
  // From here on the dialog is on the device.
  await failure(page).click();
  await expect(page.getByRole('dialog')).toContainText(NAME);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.context().setOffline(true);
  await expect(page.getByText(/^Offline since/).first()).toBeAttached(WAIT);
  await failure(page).click();
  await expect(page.getByRole('dialog')).toContainText(/As of \d\d\/\d\d\/\d\d/);
  await shot(page, 'offline-1440');
});
