import type { Page } from '@playwright/test';
import { submitSignIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';

type Call = (method: string, path: string, body?: unknown) => Promise<unknown>;
interface ApiSession {
  readonly id: string;
  readonly provider: string;
  readonly call: Call;
}

/** Signs in over the API. `call` returns the data of an answer. */
export async function signInByApi(portal: SharedPortal, username: string): Promise<ApiSession> {
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
    const response = (await (
      await fetch(`${portal.url}/api/v1/${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    ).json()) as { success: boolean; data: unknown; message?: string };
    if (!response.success) throw new Error(`${method} ${path}: ${response.message}`);
    return response.data;
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

/** Runs `work` with other settings of the provider, and resets them. */
export async function withSettings(
  portal: SharedPortal,
  settings: object,
  work: () => Promise<void>,
): Promise<void> {
  const admin = await signInByApi(portal, 'admin');
  const set = (what: object): Promise<unknown> =>
    admin.call('PUT', `service-providers/${admin.provider}/settings`, what);
  await set(settings);
  try {
    await work();
  } finally {
    await set({ secondFactor: 'own', securityQuestions: false });
  }
}

/** Opens a page and signs in on it. */
export async function signInAt(
  page: Page,
  portal: SharedPortal,
  username: string,
  password = portal.password,
  path = '/monitoring/daily-checks',
): Promise<void> {
  await page.goto(portal.url + path);
  await submitSignIn(page, username, password);
}
export const typeCode = async (page: Page, code: string): Promise<void> => {
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.keyboard.press('Enter');
};
export const getWrongCode = (code: string): string =>
  String((Number(code) + 1) % 1_000_000).padStart(6, '0');
