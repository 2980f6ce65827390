import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { enter } from './people.ts';
import { expectTitle, loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { sound } from './page-checks.ts';

let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

const SHOTS = process.env['SHOTS'];
const shot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};
const FAQ = { enabled: true, url: 'https://help.example.com/' };

test('SUPPORT-1, SUPPORT-2, SUPPORT-4: a request is sent with details of the page except a removed one, and followed; live support, downloads and offline are shown', async ({
  page,
}) => {
  const admin = await loadApi(portal, 'admin');
  const { id } = (await admin('GET', 'service-providers/branding')) as { id: string };
  const features = {
    rules: true,
    hints: true,
    reporting: { enabled: true, visibleFor: ['all'] },
    supportSection: {
      enabled: false,
      links: { request: true, live: true, downloads: true, faq: FAQ },
    },
    chat: { url: 'https://chat.example.com/' },
  };
  const brand = (enabled: boolean): Promise<unknown> =>
    admin('PUT', `service-providers/${id}/branding`, {
      supportEmail: 'support@example.com',
      supportPhone: '+44 113 496 0155',
      features: { ...features, supportSection: { ...features.supportSection, enabled } },
    });
  await brand(false);
  await enter(portal, page, 'admin', '/monitoring/support/request');
  await expect(page).toHaveURL(/\/monitoring\/forbidden$/);
  await expectTitle(page, 'No access');
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Request' }),
  ).toHaveCount(0);
  await brand(true);
  await page.goto(`${portal.url}/monitoring/rules?q=secret-customer`);
  const menu = page.getByRole('navigation', { name: 'Main' });
  await expect(menu.getByRole('link', { name: 'FAQ (opens in a new tab)' })).toHaveAttribute(
    'href',
    FAQ.url,
  );
  await menu.getByRole('link', { name: 'Request' }).click();
  await expectTitle(page, 'Support request');
  await expect(page.getByText('/monitoring/rules', { exact: true })).toBeVisible();
  await expect(page.getByText('secret-customer')).toHaveCount(0);
  await expect(page.getByText('No requests yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Send request' }).click();
  await expect(page.getByText('Enter a subject.')).toBeVisible();
  await page.getByLabel('Subject').fill('Results of the night');
  await page.getByRole('textbox', { name: 'Message' }).fill('The page stays empty.');
  await page.getByRole('checkbox', { name: 'Browser' }).uncheck();
  await sound(page, 'a request');
  await shot(page, 'request');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Send request' }).press('Enter');
  const row = page.getByRole('listitem').filter({ hasText: 'Results of the night' });
  await expect(row.getByText("Stored (email isn't set up)")).toBeVisible({ timeout: 60_000 });
  await row.locator('summary').press('Enter');
  await expect(row.getByText('Page: /monitoring/rules')).toBeVisible();
  await expect(row.getByText('Browser:')).toHaveCount(0);
  await sound(page, 'what was sent');
  await menu.getByRole('link', { name: 'Live' }).click();
  await expectTitle(page, 'Live support');
  await expect(page.getByRole('link', { name: '+44 113 496 0155' })).toHaveAttribute(
    'href',
    'tel:+441134960155',
  );
  await expect(page.getByRole('link', { name: /Open chat/ })).toHaveAttribute(
    'href',
    'https://chat.example.com/',
  );
  await sound(page, 'live support');
  await shot(page, 'live');
  await menu.getByRole('link', { name: 'Downloads' }).click();
  await expectTitle(page, 'Downloads');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'daybook-run.mjs' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('daybook-run.mjs');
  await sound(page, 'downloads');
  await shot(page, 'downloads');
  await menu.getByRole('link', { name: 'Request' }).click();
  await page.getByLabel('Subject').fill('Typed before');
  await portal.kill();
  await expect(page.getByText('Your text stays on this page.')).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByRole('button', { name: 'Send request' })).toBeDisabled();
  await expect(page.getByLabel('Subject')).toHaveValue('Typed before');
  if (SHOTS !== undefined) {
    await page.emulateMedia({ colorScheme: 'dark' });
    await shot(page, 'request-offline-dark');
    await page.setViewportSize({ width: 390, height: 844 });
    await shot(page, 'request-phone-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('#content').evaluate((main) => {
      main.scrollTo(0, 500);
    });
    await shot(page, 'request-phone');
  }
});
