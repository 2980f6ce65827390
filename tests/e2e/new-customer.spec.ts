import { expect, test, type Page } from '@playwright/test';
import { approveCode, freeTenant, listPeople, shownCode } from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { entry, panel } from './people.ts';
import { expectTitle, loadApi, startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';
import { pay, register, ZOE } from './sign-up.ts';

/** A session backs up real bytes, which takes long on a busy machine. */
const SESSION = { timeout: 120_000 };
let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal('small');
  await freeTenant(portal);
});
test.afterEach(async () => {
  await portal.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });
const next = (page: Page, step: string) =>
  page.getByRole('button', { name: `Next: ${step}`, exact: false });

test('SUITE-50, BILL-19, BILL-20, WIZARD-2: a new customer registers, pays, connects a tenant, backs it up, and is counted this month', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const requests = watchGoogle(page);
  await register(page, portal, ZOE);
  await pay(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await submitSignIn(page, ZOE.email, ZOE.password);

  // The prompts of the first run lead to the organization, filled in up to the sign-in, and to the job.
  const prompt = page.getByRole('region', { name: 'Get started' });
  await prompt.getByRole('link', { name: 'New organization' }).click();
  await page.getByRole('button', { name: 'Get a code' }).click();
  await expect(shownCode(page)).toBeVisible();
  await approveCode(portal, page.context(), await shownCode(page).innerText());
  await page.bringToFront();
  await expect(page.getByText(/^Signed in\./)).toBeVisible();
  await next(page, 'Repository').click();
  await expect(page.getByRole('textbox', { name: 'Repository name' })).toHaveValue(ZOE.company);
  await page.getByRole('button', { name: 'Create organization' }).click();
  await expectTitle(page, 'Organizations');
  await expect(entry(page, ZOE.company)).toBeVisible();
  await prompt.getByRole('link', { name: 'New job' }).click();
  const person = (await listPeople(portal))[3]?.name ?? '';
  const job = `Backup of ${person}`;
  await page.getByRole('textbox', { name: 'Name' }).fill(job);
  await next(page, 'What to back up').click();
  await page.getByRole('radio', { name: /^Selected items/ }).click();
  await page.getByRole('searchbox', { name: 'Search by name or address' }).fill(person);
  await page.getByRole('option', { name: new RegExp(`^${person}`) }).click();
  await next(page, 'What to leave out').click();
  await next(page, 'Schedule').click();
  await page.getByRole('combobox', { name: 'Runs' }).selectOption('Manually only');
  await page.getByRole('button', { name: 'Create job' }).click();
  await expectTitle(page, 'Jobs');
  await entry(page, job).click();
  const session = panel(page, job);
  await session.getByRole('button', { name: 'Start job' }).click();
  await expect(session.getByRole('heading', { name: 'Last session' })).toBeVisible(SESSION);
  await expect(session.getByRole('status').filter({ hasText: 'Success' })).toBeVisible(SESSION);

  // The one user of the backup is what the month counts.
  await page.goto(`${portal.url}/o365/subscriptions`);
  await expect(heading(page, ZOE.company)).toBeVisible();
  await sound(page, 'the subscription of a new customer');
  const owner = await loadApi(portal, 'owner');
  await owner('POST', 'o365/subscriptions/refresh', {});
  const { rows } = (await owner('GET', 'o365/subscriptions')) as {
    rows: { companyName: string; usage: { users: number } | null }[];
  };
  const counted = rows.find(({ companyName }) => companyName === ZOE.company);
  expect(counted?.usage?.users).toBeGreaterThan(0);
  expect(requests).toEqual([]);
  expect(errors).toEqual([]);
});

test('BILL-19: the widget of reCAPTCHA is in a frame of its own, and only while it is on', async ({
  page,
}) => {
  const owner = await loadApi(portal, 'owner');
  const settings = (await owner('GET', 'o365/billing/settings')) as object;
  const turn = (isOn: boolean): Promise<unknown> =>
    owner('PUT', 'o365/billing/settings', {
      ...settings,
      recaptcha: { isOn, siteKey: 'site-1' },
    });
  await owner('PUT', 'o365/billing/secrets/recaptcha', { value: 'captcha-secret' });
  await turn(true);
  const requests = watchGoogle(page);
  await register(page, portal, {
    ...ZOE,
    email: 'dan@dahlia.example.com',
    company: 'Dahlia Foods',
  });
  await expect(page.getByRole('heading', { name: 'Confirm that you are human' })).toBeVisible();
  const widget = page.frameLocator('iframe[title="reCAPTCHA"]');
  // Google's answer decides, not the widget's.
  await widget.getByRole('button', { name: 'robot of site-1' }).click();
  await expect(page.getByRole('alert')).toContainText("The reCAPTCHA wasn't solved.");
  await widget.getByRole('button', { name: 'human of site-1' }).click();
  await expect(page.getByRole('button', { name: 'Continue to payment' })).toBeVisible();
  // The page itself loads nothing of Google's; each attempt has a new widget.
  expect(requests.map(({ frame }) => new URL(frame).pathname)).toEqual([
    '/recaptcha',
    '/recaptcha',
  ]);
  await turn(false);
  expect((await page.request.get(`${portal.url}/recaptcha`)).status()).toBe(404);
});

interface GoogleRequest {
  readonly url: string;
  readonly frame: string;
}

/**
 * Stands in for Google's widget as developers.google.com/recaptcha/docs/display publishes it: the script
 * fills each `.g-recaptcha`, and calls the function that `data-callback` names with the response. Returns
 * the requests so far.
 */
function watchGoogle(page: Page): readonly GoogleRequest[] {
  const requests: GoogleRequest[] = [];
  void page.route(/^https:\/\/www\.(google|gstatic)\.com\//, async (route) => {
    const request = route.request();
    requests.push({ url: request.url(), frame: request.frame().url() });
    if (new URL(request.url()).pathname !== '/recaptcha/api.js') return route.abort();
    return route.fulfill({ contentType: 'text/javascript', body: WIDGET });
  });
  return requests;
}

const WIDGET = `
for (const place of document.querySelectorAll('.g-recaptcha'))
  for (const response of ['human', 'robot']) {
    const button = document.createElement('button');
    button.textContent = response + ' of ' + place.dataset.sitekey;
    button.addEventListener('click', () => window[place.dataset.callback](response));
    place.append(button);
  }
`;
