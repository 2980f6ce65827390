import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import {
  createKey,
  getRow,
  loadApi,
  newPage,
  openPortal,
  post,
  startPortal,
  submitSignIn,
} from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { axe } from './page-checks.ts';
import { ANYTHING, NOTHING_DONE } from '../../contract/rules/rules.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(() => portal.stop());

const JOB = 'Ledger of open files';
const OTHER = 'Another of open files';
const HOUR = 3_600_000;
const result = (job: string, startedAgo: number): Parameters<typeof post>[2][number] => ({
  job,
  status: 'Warning',
  message: '3 files were in use and could not be read',
  startTime: new Date(Date.now() - startedAgo).toISOString(),
  computer: 'SRV-LEDGER',
});

async function enter(page: Page, path: string, username = 'dana'): Promise<void> {
  await page.goto(portal.url + path);
  await submitSignIn(page, username, portal.password);
}
/** Creates a rule that counts a job's results as OK. */
async function createRule(at: SharedPortal): Promise<void> {
  const dana = await loadApi(at, 'dana');
  await dana('POST', 'monitoring/backoffice/rules', {
    rule: {
      name: `${JOB}: known`,
      enabled: true,
      from: null,
      to: null,
      when: { ...ANYTHING, job: JOB },
      does: { ...NOTHING_DONE, exception: true },
    },
  });
}
const rule = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${name}`) });
const isNarrow = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= 390);
const SHOTS = process.env['SHOTS'];
const shot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

test('RULES-6, RULES-3, E2E-7: a rule is created from a result, and the next same result is an exception with the rule in its history', async ({
  page,
}) => {
  const secret = await createKey(portal);
  await post(portal.url, secret, [result(JOB, HOUR), result(OTHER, HOUR)]);
  await enter(page, '/monitoring/rules');
  await expect(page.getByRole('heading', { level: 2, name: 'No rules yet' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'A job with known warnings' })).toBeVisible();
  await axe(page, 'empty');
  await shot(page, 'empty');

  await page.goto(`${portal.url}/monitoring/daily-checks?q=Ledger`);
  await getRow(page, JOB).click();
  await page.getByRole('link', { name: 'Create rule from this result' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'New rule' })).toBeFocused();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(`${JOB}: known`);
  await expect(page.getByText('1 result matches')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Matching results' })).toContainText(JOB);
  await page.getByLabel('Show hint').fill('Close the ledger first');
  await axe(page, 'editor');
  await shot(page, 'editor');
  await page.getByRole('button', { name: 'Create rule' }).click();
  await expect(page.getByText('Rule created')).toBeVisible();
  await expect(rule(page, `${JOB}: known`)).toContainText(': mark as OK and show a hint.');

  await post(portal.url, secret, [result(JOB, 60_000), result(OTHER, 60_000)]);
  await page.goto(`${portal.url}/monitoring/daily-checks?q=open+files&review=any`);
  const row = getRow(page, JOB);
  await expect(row).toContainText(`Exception: rule “${JOB}: known” counts it as OK`);
  await expect(
    row.getByRole('button', { name: /^Exception, reopen/, includeHidden: true }),
  ).toBeAttached();
  await expect(getRow(page, OTHER)).not.toContainText('Exception');
  await row.click();
  const history = page.locator('.rp-history');
  await expect(history).toContainText(`Rule “${JOB}: known” counts it as OK`);
  await expect(page.getByText('Close the ledger first').first()).toBeVisible();
  await shot(page, 'exception');
});

test('RULES-6, RULES-4, E2E-7: a rule that conflicts with another says so, and is moved and switched by keys', async ({
  page,
}) => {
  await post(
    portal.url,
    await createKey(portal),
    [JOB, OTHER].flatMap((job) => [result(job, 2 * HOUR), result(job, HOUR)]),
  );
  await createRule(portal);
  await enter(page, '/monitoring/rules?rule=new&name=All+open+files&text=in+use&known=1');
  await expect(page.getByText('4 results match')).toBeVisible();
  await expect(
    page.getByRole('list', { name: 'Other rules that match these results' }),
  ).toContainText(
    `${JOB}: knownAlso matches 2 of these results and sets the exception. It is higher in the list`,
  );
  await page.getByLabel('Name', { exact: true }).press('Enter');
  await expect(page.getByText('Rule created')).toBeVisible();
  await page.getByRole('button', { name: 'Move All open files up' }).press('Enter');
  await expect(page.getByRole('main').getByRole('listitem').first()).toContainText(
    'All open files',
  );
  const on = page.getByRole('listitem').filter({ hasText: 'All open files' }).getByRole('switch');
  await on.press('Space');
  await expect(on).toHaveAttribute('aria-checked', 'false');
});

test('RULES-6, E2E-9: the list and the editor pass axe in dark and on a phone, and a deleted rule is gone', async ({
  page,
}) => {
  await createRule(portal);
  await enter(page, '/monitoring/rules');
  await expect(rule(page, `${JOB}: known`)).toBeVisible();
  await axe(page, 'list');
  await shot(page, 'list');
  await page.emulateMedia({ colorScheme: 'dark' });
  await axe(page, 'list, dark');
  await shot(page, 'list-dark');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => isNarrow(page)).toBe(true);
  await shot(page, 'list-phone');
  await rule(page, `${JOB}: known`).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Edit rule' })).toBeFocused();
  await expect.poll(() => isNarrow(page)).toBe(true);
  await axe(page, 'editor, dark phone');
  await shot(page, 'editor-phone');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(rule(page, `${JOB}: known`)).toBeFocused();
  await rule(page, `${JOB}: known`).click();
  await page.getByLabel('Name', { exact: true }).fill('Changed');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete rule' }).click();
  await expect(page.getByText('Rule deleted')).toBeVisible();
  await expect(rule(page, `${JOB}: known`)).toHaveCount(0);
});

test('RULES-5: another provider sees no rule of this one', async ({ page }) => {
  await createRule(portal);
  await page.goto(`${portal.otherUrl}/monitoring/rules`);
  await submitSignIn(page, 'olga', portal.password);
  await expect(page.getByRole('heading', { level: 2, name: 'No rules yet' })).toBeVisible();
});

test('RULES-6, OFF-1: the rules of the last sync are listed without a server', async ({
  browser,
}) => {
  const server = await startPortal();
  await createRule(server);
  const page = await newPage(browser);
  await page.goto(`${server.url}/monitoring/rules`);
  await submitSignIn(page, 'dana', server.password);
  await expect(rule(page, `${JOB}: known`)).toBeVisible();
  await page.context().setOffline(true);
  await server.kill();
  await expect(page.getByText("You're offline. Reconnect to create or edit rules.")).toBeVisible();
  await expect(rule(page, `${JOB}: known`)).toBeVisible();
  await page.context().close();
  await server.stop();
});
