import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { axeInBoth, expectTouchable } from './page-checks.ts';
import { takePictures } from './person.ts';
import { loadApi, post, signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';

const COMPANIES = ['Alder Group', 'Birch Foods', 'Cedar Marine'];

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
  const api = await loadApi(portal, 'admin');
  // The first company has the most results, so that it is listed first.
  for (const [i, name] of COMPANIES.entries()) {
    const { n } = (await api('POST', 'companies', { name })) as { n: number };
    const { secret } = (await api('POST', 'monitoring/sources', {
      name: `Key of ${name}`,
      companyN: n,
      tool: 'api',
    })) as { secret: string };
    const jobs = Array.from({ length: COMPANIES.length - i }, (_, job) => `${name} ${job}`);
    await post(
      portal.url,
      secret,
      jobs.map((job) => ({ job, status: 'Failed', message: 'The disk is full' })),
    );
  }
});
test.afterEach(async () => {
  await portal.stop();
});

const getFilter = (page: Page): Locator =>
  page.getByRole('region', { name: 'Company', exact: true });
/** The names of the listed companies, in order. */
const namesIn = (page: Page): Promise<readonly string[]> =>
  getFilter(page)
    .getByRole('listitem')
    .evaluateAll((items) =>
      items.map((item) => item.querySelector('[data-tip]')?.getAttribute('data-tip') ?? ''),
    );

test('DESK-8: a company is pinned by keyboard offline, comes first on every device, and is unpinned on a phone', async ({
  browser,
}) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, portal.url, 'admin', portal.password);
  await expect.poll(() => namesIn(page)).toEqual(COMPANIES);
  await expect(getFilter(page).getByRole('button', { name: /^Pin / })).toHaveCount(0);

  await getFilter(page).getByRole('button', { name: 'Cedar Marine' }).press('Enter');
  await context.setOffline(true);
  await getFilter(page)
    .getByRole('button', { name: 'Pin Cedar Marine', exact: true })
    .press('Enter');
  await expect(
    getFilter(page).getByRole('button', { name: 'Unpin Cedar Marine', exact: true }),
  ).toBeFocused();
  await expect.poll(() => namesIn(page)).toEqual(['Cedar Marine', 'Alder Group', 'Birch Foods']);
  await getFilter(page).getByRole('button', { name: 'Clear Company' }).press('Enter');
  await expect(
    getFilter(page).getByRole('button', { name: 'Cedar Marine (pinned)' }),
  ).toHaveAttribute('aria-pressed', 'false');
  await axeInBoth(page, 'pinned');
  await takePictures(page, 'pinned');
  await context.setOffline(false);

  const phone = await (
    await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })
  ).newPage();
  await signIn(phone, portal.url, 'admin', portal.password);
  await phone.getByRole('button', { name: /^Filters/ }).click();
  await expect
    .poll(() => namesIn(phone), { timeout: 60_000 })
    .toEqual(['Cedar Marine', 'Alder Group', 'Birch Foods']);
  await getFilter(phone)
    .getByRole('button', { name: /^Cedar Marine/ })
    .click();
  const unpin = getFilter(phone).getByRole('button', { name: 'Unpin Cedar Marine', exact: true });
  await expectTouchable(unpin);
  await takePictures(phone, 'pinned-phone');
  await unpin.click();
  await expect.poll(() => namesIn(phone)).toEqual(COMPANIES);
  await expect.poll(() => namesIn(page), { timeout: 60_000 }).toEqual(COMPANIES);
  await phone.context().close();
  await context.close();
});
