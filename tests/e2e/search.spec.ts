import { expect, test } from '@playwright/test';
import type { Page, Route } from '@playwright/test';
import { personAt, takePictures } from './person.ts';
import { loadApi, createKey, post, getRow, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { axeInBoth, collectErrors } from './page-checks.ts';

let portal: Portal;
test.beforeAll(async () => {
  portal = await startPortal();
});
test.afterAll(async () => {
  await portal.stop();
});

const DAY = 86_400_000;
const ago = (days: number): string => new Date(Date.now() - days * DAY).toISOString();
const failed = (job: string, days: number, message = 'no space left on device') => ({
  job,
  status: 'Failed',
  message,
  startTime: ago(days),
  endTime: ago(days),
  computer: 'SRV-HARBOUR',
});

test('SEEK-4, SEEK-5, SEEK-6: a search lists matches of this device, then of the server; an old result opens among its neighbors; offline it says so', async ({
  page,
}) => {
  const secret = await createKey(portal);
  await post(portal.url, secret, [
    failed('Harbour files', 0.01),
    ...[62, 61, 60].map((days) => ({
      ...failed('Old archive', days),
      computer: 'SRV-OLD',
      status: days === 61 ? 'Failed' : 'Success',
    })),
  ]);
  const api = await loadApi(portal, 'dana');
  const { problems } = (await api('GET', 'sync/bootstrap')) as {
    problems: { n: number; closedAt: number | null }[];
  };
  await api('POST', 'monitoring/backoffice/tickets', {
    problems: [problems.find(({ closedAt }) => closedAt === null)?.n],
    subject: 'The harbour disk is full',
  });

  const errors = collectErrors(page);
  const dana = personAt(page);
  await signIn(page, portal.url, 'dana', portal.password);
  await expect(getRow(page, 'Harbour files')).toBeVisible();
  const option = (name: RegExp) => page.getByRole('option', { name });
  const status = page.getByRole('status', { name: 'Search' });

  // The server is slow: what is here stands, and is chosen. What comes later stands below, and the
  // choice where it was.
  const held: Route[] = [];
  await page.context().route('**/api/v1/monitoring/search?**', (route) => {
    held.push(route);
  });
  await dana.hasPalette();
  await dana.types('harb');
  await expect(page.getByText('Searching the server')).toBeVisible();
  const getSearchedText = (): string =>
    new URL(held.at(-1)?.request().url() ?? portal.url).searchParams.get('text') ?? '';
  await expect.poll(getSearchedText).toBe('harb');
  await dana.types('our');
  await expect(option(/^Harbour files/)).toBeVisible();
  await expect.poll(getSearchedText).toBe('harbour');
  await dana.presses('ArrowDown');
  const before = await page.getByRole('option').allInnerTexts();
  const chosen = await chosenIn(page);
  await page.context().unroute('**/api/v1/monitoring/search?**');
  // the first was called off
  for (const route of held) await route.continue().catch(() => undefined);
  await expect(option(/D-1 The harbour disk is full/)).toBeVisible();
  expect((await page.getByRole('option').allInnerTexts()).slice(0, before.length)).toEqual(before);
  expect(await chosenIn(page)).toBe(chosen);
  await expect(status).toHaveText(/^\d+ found, 1 of them on the server/);
  await axeInBoth(page, 'search');
  await takePictures(page, 'search');

  // Each state in words.
  const field = page.getByRole('combobox', { name: 'Search everything' });
  await field.fill('h');
  await expect(page.getByText('Type two letters to search the server too')).toHaveCount(2);
  await field.fill('zzz of nowhere');
  await expect(status).toHaveText('No matches for “zzz of nowhere”');
  await field.fill('disk is full');
  await option(/D-1/).click();
  await expect(page).toHaveURL(/\/monitoring\/tickets\?state=all&ticket=/);
  await expect(
    page.getByRole('heading', { level: 2, name: 'The harbour disk is full' }),
  ).toBeVisible();

  // Older than the device keeps: found by job and cause, by its day, and opened.
  await dana.hasPalette();
  await dana.types('archive space');
  await expect(option(/^Failed.*Old archive/)).toBeVisible();
  await field.fill(`archive ${ago(61).slice(0, 10)}`);
  await expect(option(/^Failed.*Old archive/)).toBeVisible();
  await dana.pressesUntil('ArrowDown', async () => (await chosenIn(page)).includes('Failed'));
  await dana.presses('Enter');
  const panel = page.getByRole('complementary', { name: 'Job result' });
  await expect(panel.getByText('no space left on device').first()).toBeVisible();
  const around = panel.getByRole('table', { name: 'Runs around that day' });
  await expect(around.getByRole('row')).toHaveCount(4);
  await expect(around.locator('[aria-current=true]')).toContainText('Failed');
  // The list beside it has nothing of that job, and says why and where there is more.
  await expect(
    page.getByRole('heading', { level: 2, name: 'No matching results in 30 days' }),
  ).toBeVisible();
  await expect(
    page.getByText('This device stores the results of 30 days. To find older ones on the server', {
      exact: false,
    }),
  ).toBeVisible();
  await axeInBoth(page, 'old result');
  await takePictures(page, 'old-result');
  await around.getByRole('row').last().getByRole('button').click();
  await expect(panel.getByText('No problems reported')).toBeVisible();

  // Nobody answers: what is here is searched, and that is said.
  await portal.kill();
  await page.getByRole('button', { name: 'Search everything' }).last().click();
  await dana.types('harbour');
  await expect(option(/^Harbour files/)).toBeVisible();
  await expect(
    page.getByText("The server can't be reached. Only data on this device was searched.").first(),
  ).toBeVisible();
  await expect(status).toHaveText(/^\d+ found\. The server can't be reached/);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  expect(errors).toEqual([]);
});

/** The words of the line that Enter means. */
const chosenIn = async (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')
        ?.textContent ?? '',
  );
