import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { expectTitle, loadApi, newPage, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { sound } from './page-checks.ts';
import { signInAt } from './ways-in.ts';

const SCRIPT = 'https://js.chat.example/widget.js';
/** A widget that says who it was told is there, and what of the portal it can reach. */
const WIDGET = `const reached = []; for (const [name, reach] of [['page', () => parent.document.title], ['storage', () => localStorage.length], ['cookies', () => document.cookie]]) { try { reach(); reached.push(name); } catch {} }
document.getElementById('chat').innerHTML = '<p>Hello ' + daybookVisitor.name + '</p><p id="token">' + hsConversationsSettings.identificationToken + '</p><p>Reached: ' + (reached.join() || 'nothing') + '</p><label>Message <input></label>';
fetch(location.origin + '/api/v1/service-providers/branding').then(() => document.body.append('called the portal'), () => document.body.append('could not call'));`;
let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

async function widget(page: Page, answers: boolean): Promise<void> {
  await page
    .context()
    .route(SCRIPT, (route) =>
      answers ? route.fulfill({ contentType: 'text/javascript', body: WIDGET }) : route.abort(),
    );
}

test("BRAND-10, E2E-12: a chat is set up, opens over any page with the user's name, closes on Escape, and reaches nothing of the portal", async ({
  browser,
}) => {
  const admin = await newPage(browser);
  await signInAt(admin, portal, 'admin', portal.password, '/monitoring/profile');
  await expect(admin.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await admin.getByRole('link', { name: 'Branding' }).click();
  await admin.getByRole('switch', { name: /^Embedded chat/ }).click();
  await admin.getByLabel('Widget script URL').fill('http://js.chat.example/widget.js');
  await admin.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(admin.getByText(/^Enter the https:\/\/ address of a script/)).toBeVisible();
  await admin.getByLabel('Widget script URL').fill(SCRIPT);
  await admin.getByRole('button', { name: 'Save', exact: true }).click();
  await expect
    .poll(
      async () =>
        (
          (await (await fetch(`${portal.url}/api/v1/service-providers/branding`)).json()) as {
            data: { features: { chat: unknown } };
          }
        ).data.features.chat,
    )
    .toEqual({ url: null, script: SCRIPT, hosts: [] });
  await admin.context().close();

  const page = await newPage(browser);
  await widget(page, true);
  await signInAt(page, portal, 'dana');
  await expectTitle(page, 'Daily checks');
  expect(page.frames()).toHaveLength(1);
  await page.getByRole('button', { name: 'Chat' }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Chat' });
  const frame = page.frameLocator('iframe[title="Chat with support"]');
  await expect(frame.getByText(/^Hello Dana/)).toBeVisible();
  await expect(frame.locator('#token')).toHaveText(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  await expect(frame.getByText('Reached: nothing')).toBeVisible();
  await expect(frame.getByText('could not call')).toBeVisible();
  await frame.getByLabel('Message').fill('Good morning');
  await frame.getByLabel('Message').press('Escape');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('button', { name: 'Chat' })).toBeFocused();
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await expectTitle(page, 'Dashboard');
  await page.getByRole('button', { name: 'Chat' }).click();
  await expect(frame.getByLabel('Message')).toHaveValue('Good morning');
  await expect(panel.getByRole('heading', { name: 'Chat' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await page.context().close();
});

test('BRAND-10, E2E-12: a blocked chat says so and can be tried again, on a phone too', async ({
  browser,
}) => {
  const admin = await loadApi(portal, 'admin');
  const { id, features } = (await admin('GET', 'service-providers/branding')) as {
    id: string;
    features: object;
  };
  await admin('PUT', `service-providers/${id}/branding`, {
    features: { ...features, chat: { script: SCRIPT } },
  });
  const page = await (
    await browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      reducedMotion: 'reduce',
    })
  ).newPage();
  await widget(page, false);
  await signInAt(page, portal, 'dana');
  await expectTitle(page, 'Daily checks');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Chat' }).click();
  const panel = page.getByRole('dialog', { name: 'Chat' });
  await expect(
    panel.getByText(
      "The chat couldn't be loaded. A filter in your browser or network may block it.",
    ),
  ).toBeVisible();
  await sound(page, 'chat-held-back');
  await expect
    .poll(() => panel.boundingBox())
    .toEqual(expect.objectContaining({ width: 390, height: 844 }));
  await page.context().unroute(SCRIPT);
  await widget(page, true);
  await panel.getByRole('button', { name: 'Try again' }).click();
  await expect(
    page.frameLocator('iframe[title="Chat with support"]').getByText(/^Hello Dana/),
  ).toBeVisible();
  await panel.getByRole('button', { name: 'Close chat' }).click();
  await expect(panel).toBeHidden();
  await page.context().close();
});
