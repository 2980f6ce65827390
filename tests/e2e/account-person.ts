import { expect } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { loadApi, submitSignIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';

/** Users of a portal who sign in with their own accounts. */
export interface Accounts {
  readonly admin: Awaited<ReturnType<typeof loadApi>>;
  readonly at: (path: string) => string;
  /** Opens the profile and signs in. */
  enter(page: Page, username: string, password?: string): Promise<void>;
  /** Creates a user who must change their password, `FIRST`. */
  makeUser(username: string, roles: readonly string[], more?: object): Promise<void>;
  /** Changes the password to `SECOND`. */
  settle(username: string): Promise<void>;
}
export const FIRST = 'paper-lantern-river-71';
export const SECOND = 'granite-teapot-orchard-58';

export async function accountsAt(portal: SharedPortal): Promise<Accounts> {
  const admin = await loadApi(portal, 'admin');
  const json = { 'content-type': 'application/json' };
  const at = (path: string): string => `${portal.url}/monitoring/${path}`;
  return {
    admin,
    at,
    async enter(page, username, password = portal.password) {
      await page.goto(at('profile'));
      await submitSignIn(page, username, password);
    },
    async makeUser(username, roles, more = {}) {
      await admin('POST', 'users', {
        username,
        name: `${username} of the test`,
        email: `${username}@example.com`,
        roles,
        companies: null,
        auth: 'db',
        password: FIRST,
        ...more,
      });
    },
    async settle(username) {
      const answer = await fetch(`${portal.url}/api/v1/auth/login/db`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ username, password: FIRST }),
      });
      const { data } = (await answer.json()) as { data: { token: string; userId: string } };
      const changed = await fetch(
        `${portal.url}/api/v1/profile/${data.userId}/change-password/db`,
        {
          method: 'POST',
          headers: { ...json, authorization: `Bearer ${data.token}` },
          body: JSON.stringify({ currentPassword: FIRST, newPassword: SECOND }),
        },
      );
      expect(await changed.json()).toMatchObject({ success: true });
    },
  };
}

export const toast = (page: Page, words: string | RegExp): Locator =>
  page.getByRole('status', { name: 'Messages' }).getByText(words).last();
