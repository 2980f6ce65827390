import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { loadOutbox } from './outbox.ts';
import { loadApi, startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';
import { collectErrors, sound } from './page-checks.ts';

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal('small');
});
test.afterAll(async () => {
  await portal.stop();
});

async function enter(page: Page, username: string): Promise<void> {
  await page.goto(portal.url);
  await submitSignIn(page, username, portal.password);
  await page.getByRole('link', { name: 'Scheduled', exact: true }).click({ timeout: 60_000 });
}

test('REPORT-2, REPORT-3, REPORT-7: a weekly report for two companies is previewed, created and sent; its email is in the outbox, and its history is readable offline', async ({
  browser,
}) => {
  const page = await (
    await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      serviceWorkers: 'allow',
    })
  ).newPage();
  const errors = collectErrors(page);
  page.setDefaultTimeout(15_000);
  const api = await loadApi(portal, 'operator');
  for (const { _id: id } of (
    (await api('GET', 'monitoring/reporting/reports/settings')) as {
      settings: readonly { _id: string }[];
    }
  ).settings)
    await api('DELETE', `monitoring/reporting/reports/settings/${id}`);
  await enter(page, 'operator');
  await expect(page.getByRole('heading', { level: 2, name: 'No reports yet' })).toBeVisible();
  await sound(page, 'reports empty');

  await page.getByRole('button', { name: 'New report' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'New report' })).toBeFocused();
  await page.getByRole('button', { name: 'Create report' }).click();
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await expect(page.getByText('Enter a name.')).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill('Weekly for two customers');
  await page.getByLabel('Template').selectOption('Several customers, summary');
  const companies = page.getByRole('combobox', { name: 'Companies' });
  for (let i = 0; i < 2; i += 1) {
    await companies.click(); // the second time the focus is there already
    await page.getByRole('option').first().click();
  }
  const chosen = await page
    .getByRole('list', { name: 'Selected companies' })
    .getByRole('button')
    .allInnerTexts();
  expect(chosen).toHaveLength(2);
  await page.getByLabel('Email addresses').fill('boss@calloway.example, desk@example.com');
  await expect(page.getByText(/^Every Monday at 08:00, /)).toBeVisible();
  await page.getByRole('button', { name: 'Preview' }).click();
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview).toBeFocused();
  for (const name of chosen)
    await expect(preview.getByRole('cell', { name, exact: true })).toBeVisible();
  await sound(page, 'reports editor');
  await page.getByRole('button', { name: 'Create report' }).click();
  await expect(page.getByText('Report created')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Scheduled reports' })).toContainText(
    `Several customers, summary · ${chosen[0] ?? ''} · ${chosen[1] ?? ''} · Last 7 days · PDF · 2 recipients`,
  );
  await sound(page, 'reports list');

  await page.getByRole('button', { name: 'Send now: Weekly for two customers' }).click();
  const sent = page.getByRole('list', { name: 'Sent reports' }).getByRole('listitem').first();
  await expect(sent).toContainText('No mail server', { timeout: 60_000 });
  await expect(sent).toContainText('boss@calloway.example');
  await sound(page, 'reports history');
  const mails = (await loadOutbox(portal.url)).filter(({ subject }) =>
    subject.startsWith('Weekly for two customers: '),
  );
  expect(mails.map(({ to }) => to).toSorted()).toEqual([
    'boss@calloway.example',
    'desk@example.com',
  ]);
  expect(mails[0]?.text).toMatch(
    /Success rate: [\d.]+%[\s\S]*Attached: customers-summary_\d{4}-\d\d-\d\d_\d{6}\.pdf/,
  );

  await sent.getByRole('button', { name: /Weekly for two customers/ }).click();
  await expect(
    page.getByRole('heading', { level: 2, name: 'Weekly for two customers' }),
  ).toBeFocused();
  await expect(page.getByRole('cell', { name: chosen[0] ?? '', exact: true })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Download PDF/ }).click(),
  ]);
  expect([
    download.suggestedFilename().replace(/_.*/, ''),
    readFileSync(await download.path())
      .subarray(0, 5)
      .toString(),
  ]).toEqual(['customers-summary', '%PDF-']);
  await sound(page, 'reports opened');

  // The server goes away.
  await page.waitForTimeout(1_000);
  await portal.kill();
  await page.getByRole('button', { name: 'Back to history' }).click();
  await expect(page.getByText('You can open 1 report on this device.')).toBeVisible({
    timeout: 60_000,
  });
  await page
    .getByRole('list', { name: 'Sent reports' })
    .getByRole('button', { name: /Weekly for two customers/ })
    .click();
  await expect(page.getByText(/^You're viewing the copy stored on this device/)).toBeVisible();
  await expect(page.getByRole('cell', { name: chosen[1] ?? '', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Download PDF/ })).toBeDisabled();
  expect(
    errors.filter(
      (one) =>
        !/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED_ENCODING|status of 50[234]/.test(
          one,
        ),
    ),
  ).toEqual([]);
  await page.context().close();
});
