import { createECDH, createHmac } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { listen } from '#tests/server/outbound/listen.ts';
import type { Outside } from '#tests/server/outbound/listen.ts';
import { loadApi, createKey, post, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { collectErrors, sound } from './page-checks.ts';
import { PLAIN_LOOPBACK, withEnvironment } from './server-process.ts';

test.use({ serviceWorkers: 'allow' });
let portal: Portal;
let receiver: Outside;
let status: number;

test.beforeEach(async () => {
  status = 200;
  // The address of this test stands on this machine, without TLS.
  [portal, receiver] = await Promise.all([
    withEnvironment(PLAIN_LOOPBACK, startPortal),
    listen(() => ({ status })),
  ]);
});
test.afterEach(async () => {
  await Promise.all([portal.stop(), receiver.stop()]);
});

test('E2E-1, NOTIFY-7: a webhook gets a failure, signed with the secret that was shown once, and its response is stored', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/webhooks`);
  await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
  await page.getByRole('button', { name: 'New webhook' }).click();
  const dialog = page.getByRole('dialog', { name: 'New webhook' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.type('Automation');
  await page.keyboard.press('Tab');
  await page.keyboard.type(`${receiver.url}/hook`);
  // Of one company alone, chosen with the keyboard.
  await dialog.getByRole('radio', { name: /^All companies/ }).focus();
  await page.keyboard.press('ArrowDown');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(
    dialog.getByText('Select at least one company. Remove companies that no longer exist.'),
  ).toBeVisible();
  await expect(dialog.getByRole('combobox', { name: 'Add company' })).toBeFocused();
  await page.keyboard.type('first');
  await page.getByRole('option', { name: 'First company' }).click();
  await expect(dialog.getByRole('list', { name: 'Companies' })).toHaveText('First company');
  await sound(page, 'a new webhook');
  await page.keyboard.press('Tab'); // away from the field whose names are open
  await dialog.getByRole('button', { name: 'Save' }).click();
  const secret = await page.getByRole('dialog', { name: 'Automation' }).locator('code').innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(
    page.getByRole('region', { name: 'Automation' }).getByText('First company'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Send test to Automation' }).click();
  await expect(page.getByText('Automation responded with 200')).toBeVisible();

  await post(portal.url, await createKey(portal), [
    {
      job: 'SQL nightly',
      status: 'Failed',
      message: 'Unable to connect to host sql.example.net: timed out',
    },
  ]);
  await expect.poll(() => receiver.asked.length, { timeout: 60_000 }).toBe(2);
  const [, details] = receiver.asked;
  const {
    'webhook-id': id,
    'webhook-timestamp': at,
    'webhook-signature': signature,
  } = details?.headers ?? {};
  expect(signature).toBe(
    `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`${String(id)}.${String(at)}.${details?.body}`)
      .digest('base64')}`,
  );
  expect(details?.body).toContain('"type":"job.failed"');
  await page.getByRole('button', { name: 'History of Automation' }).click();
  const history = page.getByRole('dialog', { name: 'History of Automation' });
  await expect(history.getByRole('listitem').first()).toContainText(
    /Job failed\s*Delivered.*1 try · response 200/,
  );
  await history.getByRole('button', { name: /^Show message: Job failed/ }).click();
  await expect(history.getByText('"name": "SQL nightly"')).toBeVisible();
  await sound(page, 'deliveries');
  status = 503;
  await history.getByRole('button', { name: /^Send again: Job failed/ }).click();
  await expect(history.getByRole('listitem').first()).toContainText(
    'The address responded with status 503.',
    {
      timeout: 60_000,
    },
  );
  await page.keyboard.press('Escape');
  await expect(page.getByText('Failing', { exact: true })).toBeVisible({ timeout: 60_000 });
  await sound(page, 'webhooks');
  expect(errors).toEqual([]);
});

test('E2E-1, NOTIFY-6: a user chooses what is sent by email and push and when not; a browser that refuses is named', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await page.addInitScript(() => {
    Object.defineProperty(Notification, 'permission', { get: () => 'denied' });
  });
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/notifications`);
  await expect(page.getByRole('heading', { name: 'Notifications', level: 1 })).toBeVisible();
  // With the keyboard alone.
  await page.getByRole('switch', { name: /^Send a digest/ }).focus();
  await page.keyboard.press('Space');
  await page.getByLabel('Time', { exact: true }).fill('06:45');
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']) {
    await page.getByRole('checkbox', { name: day }).focus();
    await page.keyboard.press('Space');
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Select at least one day.')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Sunday' }).check();
  await page.getByRole('switch', { name: /^Use quiet hours/ }).click();
  await page.getByRole('checkbox', { name: 'Source stopped reporting: Email' }).uncheck();
  await expect(page.getByText('Blocked by this browser.')).toBeVisible({ timeout: 60_000 });
  await sound(page, 'notifications');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Notifications saved')).toBeVisible();
  await expect(page.getByText('Weekly on Sunday at 06:45')).toBeVisible();
  await expect(page.getByText(/^Next: Sun/)).toBeVisible();
  await page.reload();
  await expect(
    page.getByRole('checkbox', { name: 'Source stopped reporting: Email' }),
  ).not.toBeChecked();
  expect(errors).toEqual([]);
});

test('NOTIFY-5, NOTIFY-6: push starts after the page explains why; what is pushed is shown, and logging out ends it', async ({
  page,
  context,
}) => {
  const api = await loadApi(portal, 'dana');
  await context.grantPermissions(['notifications'], { origin: portal.url });
  // A browser of a test has no push service: it has subscribed with one that nobody answers for.
  const browser = createECDH('prime256v1');
  const p256dh = browser.generateKeys().toString('base64url');
  // Nor does every one ask: Chromium's headless shell refuses whatever was granted.
  await page.addInitScript((point) => {
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    Notification.requestPermission = async () => 'granted';
    const key = 'made';
    const made = {
      endpoint: 'https://push.invalid/one',
      toJSON: () => ({
        endpoint: 'https://push.invalid/one',
        keys: { p256dh: point, auth: 'A'.repeat(22) },
      }),
      unsubscribe: async () => {
        localStorage.removeItem(key);
        return true;
      },
    };
    Object.assign(PushManager.prototype, {
      subscribe: async () => {
        localStorage.setItem(key, '1');
        return made;
      },
      getSubscription: async () => (localStorage.getItem(key) === null ? null : made),
    });
  }, p256dh);
  await signIn(page, portal.url, 'dana', portal.password);
  await page.goto(`${portal.url}/monitoring/notifications`);
  await page
    .getByRole('button', { name: 'Enable notifications in this browser' })
    .click({ timeout: 60_000 });
  const dialog = page.getByRole('dialog', { name: 'Enable notifications in this browser' });
  await expect(dialog.getByRole('button', { name: 'Continue' })).toBeVisible();
  await sound(page, 'why the browser asks');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText('You receive notifications in this browser.')).toBeVisible();
  await page.getByRole('button', { name: /^Send test to / }).click();
  await expect(
    page
      .getByRole('list', { name: 'Browsers with notifications' })
      .getByText('The host push.invalid is unknown.'),
  ).toBeVisible();
  await sound(page, 'a browser that is told');

  // What its push service would hand to the browser.
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  const shown = await worker.evaluate(
    async (data) => {
      const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
      const { registration } = globalThis as unknown as { readonly registration: object };
      Object.assign(registration, {
        showNotification: async (...what: readonly unknown[]) => {
          resolve(what);
        },
      });
      dispatchEvent(
        Reflect.construct(Reflect.get(globalThis, 'PushEvent') as new () => Event, [
          'push',
          { data },
        ]) as Event,
      );
      return promise;
    },
    JSON.stringify({
      title: 'Harbour',
      body: '2 jobs failed at Calloway',
      link: '/monitoring/daily-checks?state=Failed,Error',
      tag: 'failed',
    }),
  );
  expect(shown).toEqual([
    'Harbour',
    {
      body: '2 jobs failed at Calloway',
      tag: 'failed',
      data: '/monitoring/daily-checks?state=Failed,Error',
    },
  ]);

  expect(((await api('GET', 'monitoring/notify')) as { devices: unknown[] }).devices).toHaveLength(
    1,
  );
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByLabel('Username')).toBeVisible();
  await expect.poll(() => page.evaluate(() => localStorage.getItem('made'))).toBeNull();
});
