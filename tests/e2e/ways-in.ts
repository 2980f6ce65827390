import { expect } from '@playwright/test';
import type { Browser, Page } from '@playwright/test';
import type { Portal } from './portal.ts';

type Call = (method: string, path: string, body?: unknown) => Promise<unknown>;
interface ByApi {
  readonly id: string;
  readonly provider: string;
  readonly call: Call;
}

/** A user with a script, signed in a moment ago. */
export async function byApi(portal: Portal, username: string): Promise<ByApi> {
  const ask = async (
    method: string,
    path: string,
    body: unknown,
    token: string | null,
  ): Promise<unknown> => {
    const headers = {
      'content-type': 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    const details = (await (
      await fetch(`${portal.url}/api/v1/${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    ).json()) as { success: boolean; data: unknown; message?: string };
    if (!details.success) throw new Error(`${method} ${path}: ${details.message}`);
    return details.data;
  };
  const { token, user } = (await ask(
    'POST',
    'auth/login/db',
    { username, password: portal.password },
    null,
  )) as { token: string; user: { id: string; serviceProviderId: string } };
  return {
    id: user.id,
    provider: user.serviceProviderId,
    call: (method, path, body) => ask(method, path, body, token),
  };
}

/** While the provider has other settings. */
export async function withSettings(
  portal: Portal,
  settings: object,
  work: () => Promise<void>,
): Promise<void> {
  const admin = await byApi(portal, 'admin');
  const set = (what: object): Promise<unknown> =>
    admin.call('PUT', `service-providers/${admin.provider}/settings`, what);
  await set(settings);
  try {
    await work();
  } finally {
    await set({ secondFactor: 'own', securityQuestions: false });
  }
}

export const freshPage = async (browser: Browser): Promise<Page> =>
  (await browser.newContext({ reducedMotion: 'reduce' })).newPage();

/** Types name and password at the sign-in page and sends them. */
export async function give(
  page: Page,
  portal: Portal,
  username: string,
  password = portal.password,
  path = '/monitoring/daily-checks',
): Promise<void> {
  await page.goto(portal.url + path);
  await page.getByLabel('Username').fill(username);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
export const isIn = (page: Page): Promise<void> =>
  expect(page.getByRole('heading', { level: 1, name: 'Daily checks' })).toBeVisible();
export const isAt = (page: Page, title: string): Promise<void> =>
  expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
export const typeCode = async (page: Page, code: string): Promise<void> => {
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.keyboard.press('Enter');
};
export const getWrong = (code: string): string =>
  String((Number(code) + 1) % 1_000_000).padStart(6, '0');
