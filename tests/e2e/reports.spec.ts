import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { loadOutbox } from './outbox.ts';
import type { Sent } from './outbox.ts';
import { createKey, loadApi, openPortal, post, startPortal, submitSignIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { collectErrors, sound, withoutConnectionErrors } from './page-checks.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
  await createCompany(portal);
});
test.afterEach(() => portal.stop());

const NAME = 'Weekly for two customers';
const COMPANIES = ['First company', 'Second company'] as const;

async function createCompany(at: SharedPortal): Promise<void> {
  const admin = await loadApi(at, 'admin');
  await admin('POST', 'companies', { name: COMPANIES[1] });
}
/** Creates the report of both companies, one with results. */
async function createReport(at: SharedPortal): Promise<void> {
  await post(at.url, await createKey(at), [{ job: 'Ledger', status: 'Success' }]);
  const dana = await loadApi(at, 'dana');
  await dana('POST', 'monitoring/reporting/reports/settings', {
    setting: {
      name: NAME,
      template: 'multiCustomerReportSummary',
      companies: [1, 2],
      period: 'last-7',
      schedule: { every: 'week', weekday: 1, at: '08:00', timeZone: 'Europe/Berlin' },
      recipients: ['boss@calloway.example', 'desk@example.com'],
      format: 'pdf',
      language: 'en-US',
      enabled: true,
    },
  });
}
async function enter(page: Page, at: SharedPortal): Promise<void> {
  await page.goto(`${at.url}/monitoring/report-settings`);
  await submitSignIn(page, 'dana', at.password);
}
const firstSent = (page: Page): Locator =>
  page.getByRole('list', { name: 'Sent reports' }).getByRole('listitem').first();
/** Sends the report and waits until it is in the history. */
async function sendReport(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: `Send now: ${NAME}` }).click();
  const sent = firstSent(page);
  await expect(sent).toContainText('No mail server', { timeout: 60_000 });
  return sent;
}
async function openReport(page: Page, sent: Locator): Promise<void> {
  await sent.getByRole('button', { name: new RegExp(NAME) }).click();
  await expect(page.getByRole('heading', { level: 2, name: NAME })).toBeFocused();
  await expect(page.getByRole('cell', { name: COMPANIES[0], exact: true })).toBeVisible();
}

test('REPORT-2: a weekly report for two companies is previewed and created, and what is missing is named', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(page, portal);
  await expect(page.getByRole('heading', { level: 2, name: 'No reports yet' })).toBeVisible();
  await sound(page, 'reports empty');

  await page.getByRole('button', { name: 'New report' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'New report' })).toBeFocused();
  await page.getByRole('button', { name: 'Create report' }).click();
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await expect(page.getByText('Enter a name.')).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill(NAME);
  await page.getByLabel('Template').selectOption('Several customers, summary');
  const companies = page.getByRole('combobox', { name: 'Companies' });
  const selected = page.getByRole('list', { name: 'Selected companies' }).getByRole('button');
  for (let i = 0; i < 2; i += 1) {
    await companies.click(); // the second time the focus is there already
    await page.getByRole('option').first().click();
    await expect(selected).toHaveCount(i + 1);
  }
  const chosen = await selected.allInnerTexts();
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
  expect(errors).toEqual([]);
});

test('REPORT-3, REPORT-7: a report is sent by hand; its emails are in the outbox, and its file opens from the history', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await createReport(portal);
  await enter(page, portal);
  const sent = await sendReport(page);
  await expect(sent).toContainText('boss@calloway.example');
  await sound(page, 'reports history');
  const loadMails = async (): Promise<readonly Sent[]> =>
    (await loadOutbox(portal.url)).filter(({ subject }) => subject.startsWith(`${NAME}: `));
  await expect
    .poll(async () => (await loadMails()).map(({ to }) => to).toSorted())
    .toEqual(['boss@calloway.example', 'desk@example.com']);
  const mails = await loadMails();
  expect(mails[0]?.text).toMatch(
    /Success rate: [\d.]+%[\s\S]*Attached: customers-summary_\d{4}-\d\d-\d\d_\d{6}\.pdf/,
  );

  await openReport(page, sent);
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
  expect(errors).toEqual([]);
});

test('REPORT-7: a report that was opened can be read without a server', async ({ page }) => {
  const errors = collectErrors(page);
  const server = await startPortal();
  await createCompany(server);
  await createReport(server);
  await enter(page, server);
  await openReport(page, await sendReport(page));
  await server.kill();
  await page.getByRole('button', { name: 'Back to history' }).click();
  await expect(page.getByText('You can open 1 report on this device.')).toBeVisible({
    timeout: 60_000,
  });
  await firstSent(page)
    .getByRole('button', { name: new RegExp(NAME) })
    .click();
  await expect(page.getByText(/^You're viewing the copy stored on this device/)).toBeVisible();
  await expect(page.getByRole('cell', { name: COMPANIES[1], exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Download PDF/ })).toBeDisabled();
  expect(withoutConnectionErrors(errors)).toEqual([]);
  await server.stop();
});
