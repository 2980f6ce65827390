import { expect, test } from '@playwright/test';
import type { Locator, Page, Route } from '@playwright/test';
import { personAt, takePictures } from './person.ts';
import type { Person } from './person.ts';
import {
  createKey,
  getRow,
  loadApi,
  newPage,
  openPortal,
  post,
  signIn,
  startPortal,
} from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { axeInBoth, collectErrors, withoutConnectionErrors } from './page-checks.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(() => portal.stop());

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
/** Opens the daily checks, which have a failed job. */
async function open(page: Page, at: SharedPortal): Promise<Person> {
  await post(at.url, await createKey(at), [failed('Harbour files', 0.01)]);
  await signIn(page, at.url, 'dana', at.password);
  await expect(getRow(page, 'Harbour files')).toBeVisible();
  return personAt(page);
}
/** Opens a ticket for the failed job. */
async function openTicket(at: SharedPortal): Promise<void> {
  const api = await loadApi(at, 'dana');
  const { problems } = (await api('GET', 'sync/bootstrap')) as {
    problems: { n: number; closedAt: number | null }[];
  };
  await api('POST', 'monitoring/backoffice/tickets', {
    problems: [problems.find(({ closedAt }) => closedAt === null)?.n],
    subject: 'The harbour disk is full',
  });
}
const option = (page: Page, name: RegExp): Locator => page.getByRole('option', { name });
const status = (page: Page): Locator => page.getByRole('status', { name: 'Search' });
const field = (page: Page): Locator => page.getByRole('combobox', { name: 'Search everything' });

test('SEEK-4, SEEK-5: matches of this device come first and stay chosen; those of a slow server come below', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const dana = await open(page, portal);
  await openTicket(portal);
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
  await expect(option(page, /^Harbour files/)).toBeVisible();
  await expect.poll(getSearchedText).toBe('harbour');
  await dana.presses('ArrowDown');
  const before = await page.getByRole('option').allInnerTexts();
  const chosen = await chosenIn(page);
  await page.context().unroute('**/api/v1/monitoring/search?**');
  // the first was called off
  for (const route of held) await route.continue().catch(() => undefined);
  await expect(option(page, /D-1 The harbour disk is full/)).toBeVisible();
  expect((await page.getByRole('option').allInnerTexts()).slice(0, before.length)).toEqual(before);
  expect(await chosenIn(page)).toBe(chosen);
  await expect(status(page)).toHaveText(/^\d+ found, 1 of them on the server/);
  await axeInBoth(page, 'search');
  await takePictures(page, 'search');
  expect(errors).toEqual([]);
});

test('SEEK-4, SEEK-5: a search says what it needs and what it found, and opens a ticket', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const dana = await open(page, portal);
  await openTicket(portal);
  await dana.hasPalette();
  await dana.types('harbour');
  await field(page).fill('h');
  await expect(page.getByText('Type two letters to search the server too')).toHaveCount(2);
  await field(page).fill('zzz of nowhere');
  await expect(status(page)).toHaveText('No matches for “zzz of nowhere”');
  await field(page).fill('disk is full');
  await option(page, /D-1/).click();
  await expect(page).toHaveURL(/\/monitoring\/tickets\?state=all&ticket=/);
  await expect(
    page.getByRole('heading', { level: 2, name: 'The harbour disk is full' }),
  ).toBeVisible();
  expect(errors).toEqual([]);
});

test('SEEK-6: a result older than this device stores is found by job, cause and day, and opens among its neighbors', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await post(
    portal.url,
    await createKey(portal),
    [62, 61, 60].map((days) => ({
      ...failed('Old archive', days),
      computer: 'SRV-OLD',
      status: days === 61 ? 'Failed' : 'Success',
    })),
  );
  const dana = await open(page, portal);
  await dana.hasPalette();
  await dana.types('archive space');
  await expect(option(page, /^Failed.*Old archive/)).toBeVisible();
  await field(page).fill(`archive ${ago(61).slice(0, 10)}`);
  await expect(option(page, /^Failed.*Old archive/)).toBeVisible();
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
  expect(errors).toEqual([]);
});

test("SEEK-4: a search says that the server can't be reached, on a phone too", async ({
  browser,
}) => {
  const server = await startPortal();
  const page = await newPage(browser);
  const errors = collectErrors(page);
  const dana = await open(page, server);
  // From here on the palette is on the device.
  await dana.hasPalette();
  await dana.presses('Escape');
  await server.kill();
  await dana.hasPalette();
  await dana.types('harbour');
  await expect(option(page, /^Harbour files/)).toBeVisible();
  await expect(
    page.getByText("The server can't be reached. Only data on this device was searched.").first(),
  ).toBeVisible();
  await expect(status(page)).toHaveText(/^\d+ found\. The server can't be reached/);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  // Parts that load when nothing else happens are requested in vain.
  expect(withoutConnectionErrors(errors)).toEqual([]);
  await page.context().close();
  await server.stop();
});

/** The words of the line that Enter means. */
const chosenIn = async (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')
        ?.textContent ?? '',
  );
