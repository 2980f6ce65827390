import { expect, test } from '@playwright/test';
import { accountsAt } from './account-person.ts';
import type { Accounts } from './account-person.ts';
import { newPage, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';

let portal: SharedPortal;
let people: Accounts;
test.beforeEach(async () => {
  portal = await openPortal();
  people = await accountsAt(portal);
});
test.afterEach(async () => {
  await portal.stop();
});

/** Sets the own language of a user, as a program would: the pseudo-language isn't offered. */
async function choose(username: string, language: string | null): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${portal.url}/api/v1/auth/login/db`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username, password: portal.password }),
  });
  const { data } = (await answer.json()) as {
    data: { token: string; userId: string; user: { serviceProviderId: string } };
  };
  const changed = await fetch(`${portal.url}/api/v1/profile/${data.userId}`, {
    method: 'PUT',
    headers: { ...headers, authorization: `Bearer ${data.token}` },
    body: JSON.stringify({ language }),
  });
  expect(await changed.json()).toMatchObject({ success: true, data: { language } });
  return data.user.serviceProviderId;
}

test('LANG-4: the page follows the language of the user, starts in it next time, and returns to the portal’s', async ({
  browser,
}) => {
  await choose('dana', 'en-XA');
  const page = await newPage(browser);
  await people.enter(page, 'dana');
  const heading = page.getByRole('heading', { level: 1, name: /^\[Þŕóƒíĺé/ });
  await expect(heading).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-XA');
  // The next start shows no English first, even where the server doesn't answer yet.
  await page.addInitScript(() => {
    const shown: string[] = [];
    Object.assign(window, { shown });
    new MutationObserver(() => {
      shown.push(document.body?.innerText ?? '');
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await expect(heading).toBeVisible();
  const shown = await page.evaluate(() => (window as unknown as { shown: string[] }).shown);
  expect(shown.filter((text) => text.includes('Profile'))).toEqual([]);
  await page.getByRole('button', { name: /Ĺóĝ óúţ/ }).click();
  await expect(page.getByLabel('Username', { exact: true })).toBeVisible();
  await choose('dana', null);
  await page.context().close();
});

test('LANG-4: before the sign-in the page has the language of the portal, and a user’s own choice comes first', async ({
  browser,
}) => {
  const id = await choose('dana', 'en');
  await people.admin('PUT', `service-providers/${id}/branding`, { language: 'en-XA' });
  const page = await newPage(browser);
  await page.goto(people.at('profile'));
  await page.getByLabel(/^\[Úšéŕñàɱé/).fill('dana');
  await page.getByRole('textbox', { name: /^\[Þàššŵóŕđ/ }).fill(portal.password);
  await page.getByRole('button', { name: /^\[Šíĝñ íñ ?ẋ/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  // The pseudo-language isn't offered; the portal's is.
  const language = page.getByRole('combobox', { name: 'Language', exact: true });
  await expect(language.getByRole('option')).toHaveText(['Same as portal', 'English']);
  await language.selectOption('Same as portal');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^\[Þŕóƒíĺé/ })).toBeVisible();
  await people.admin('PUT', `service-providers/${id}/branding`, { language: null });
  await page.context().close();
});
