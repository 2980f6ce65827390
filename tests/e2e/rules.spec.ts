import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { createKey, getRow, post, startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';
import { axe } from './page-checks.ts';

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal('small');
});
test.afterAll(async () => {
  await portal.stop();
});

const JOB = 'Ledger of open files';
const result = (job: string, startedAgo: number): Parameters<typeof post>[2][number] => ({
  job,
  status: 'Warning',
  message: '3 files were in use and could not be read',
  startTime: new Date(Date.now() - startedAgo).toISOString(),
  computer: 'SRV-LEDGER',
});

async function enter(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await submitSignIn(page, 'operator', portal.password);
}
const SHOTS = process.env['SHOTS'];
const shot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

test('RULES-6, RULES-3, RULES-5, E2E-7: a rule is created from a result; the next same result is an exception with the rule in its history; another provider sees nothing of it', async ({
  browser,
}) => {
  const page = await (
    await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  ).newPage();
  const secret = await createKey(portal);
  await post(portal.url, secret, [
    result(JOB, 3_600_000),
    result('Another of open files', 3_600_000),
  ]);
  await enter(page, portal.url);
  await page.getByRole('link', { name: 'Rules', exact: true }).click({ timeout: 60_000 });
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
  await expect(page.getByRole('button', { name: new RegExp(`^${JOB}: known`) })).toContainText(
    ': mark as OK and show a hint.',
  );

  await post(portal.url, secret, [result(JOB, 60_000), result('Another of open files', 60_000)]);
  await page.goto(`${portal.url}/monitoring/daily-checks?q=open+files&review=any`);
  const row = getRow(page, JOB);
  await expect(row).toContainText(`Exception: rule “${JOB}: known” counts it as OK`);
  await expect(
    row.getByRole('button', { name: /^Exception, reopen/, includeHidden: true }),
  ).toBeAttached();
  await expect(getRow(page, 'Another of open files')).not.toContainText('Exception');
  await row.click();
  const history = page.locator('.rp-history');
  await expect(history).toContainText(`Rule “${JOB}: known” counts it as OK`);
  await expect(page.getByText('Close the ledger first').first()).toBeVisible();
  await shot(page, 'exception');

  // A second one, which conflicts with the first, is moved and switched by keys.
  await page.goto(
    `${portal.url}/monitoring/rules?rule=new&name=All+open+files&text=in+use&known=1`,
  );
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
  await axe(page, 'list');
  await shot(page, 'list');
  await page.emulateMedia({ colorScheme: 'dark' });
  await axe(page, 'list, dark');
  await shot(page, 'list-dark');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  await shot(page, 'list-phone');
  await page.getByRole('button', { name: /^All open files/ }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Edit rule' })).toBeFocused();
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  await axe(page, 'editor, dark phone');
  await shot(page, 'editor-phone');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: /^All open files/ })).toBeFocused();
  await page.getByRole('button', { name: /^All open files/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('All open files, changed');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete rule' }).click();
  await expect(page.getByText('Rule deleted')).toBeVisible();

  const theirs = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await enter(theirs, `${portal.url.replace('localhost', 'harbour.localhost')}/monitoring/rules`);
  await expect(theirs.getByRole('heading', { level: 2, name: 'No rules yet' })).toBeVisible({
    timeout: 60_000,
  });
  await theirs.context().close();

  // The list opens without a network, as it was told last.
  await expect(page.getByRole('button', { name: new RegExp(`^${JOB}: known`) })).toBeVisible();
  await page.context().setOffline(true);
  await portal.kill();
  await expect(page.getByText("You're offline. Reconnect to create or edit rules.")).toBeVisible();
  await expect(page.getByRole('button', { name: new RegExp(`^${JOB}: known`) })).toBeVisible();
  await page.context().close();
});
