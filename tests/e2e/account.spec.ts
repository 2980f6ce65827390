import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { generate } from 'otplib';
import { accountsAt, FIRST, SECOND, toast } from './account-person.ts';
import type { Accounts } from './account-person.ts';
import { panel } from './people.ts';
import { newPage, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { sound } from './page-checks.ts';

const main = (page: Page) => page.getByRole('main');
let portal: SharedPortal;
let people: Accounts;
test.beforeEach(async () => {
  portal = await openPortal();
  people = await accountsAt(portal);
});
test.afterEach(async () => {
  await portal.stop();
});

test('OWN-1, OWN-3: saving a profile sends what changed; an error is shown at its field, and leaving with changes asks first', async ({
  page,
}) => {
  await people.enter(page, 'dana');
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Profile' })).toHaveAttribute('aria-current', 'page');
  await sound(page, 'profile');
  await page.getByLabel('Mobile phone').fill('0555 010 0200');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Enter the number in international form')).toBeVisible();
  await expect(page.getByLabel('Mobile phone')).toBeFocused();
  await page.getByLabel('Mobile phone').fill('+1 555 010 0299');
  await page.getByLabel('Username').fill('rita');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The username already exists.')).toBeVisible();
  await expect(page.getByLabel('Username')).toBeFocused();
  await page.getByLabel('Username').fill('dana');
  await page.getByLabel('Name', { exact: true }).fill('Dana R. Reyes');
  await page.getByRole('link', { name: 'Daily checks' }).click();
  await expect(page.getByRole('heading', { name: 'Leave without saving?' })).toBeVisible();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('switch', { name: /^News/ }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(toast(page, 'Profile saved')).toBeVisible();
  await expect(page.getByLabel('Sidebar').getByText('Dana R. Reyes')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await page.getByRole('radio', { name: 'Forest' }).check();
  await expect
    .poll(() =>
      page.evaluate(() =>
        getComputedStyle(document.documentElement).getPropertyValue('--side').trim(),
      ),
    )
    .toBe('#1f4030');
  await page.reload();
  await expect(page.getByLabel('Mobile phone')).toHaveValue('+15550100299');
  await expect(page.getByRole('switch', { name: /^News/ })).not.toBeChecked();
  await expect(page.getByRole('radio', { name: 'Forest' })).toBeChecked();
  await page.getByRole('radio', { name: 'Provider color' }).check();
});

test('OWN-5: a user who must choose a password reaches only that page and the way out, and continues afterwards', async ({
  page,
}) => {
  await people.makeUser('nora', ['operator'], { landingPage: '/monitoring/calendar-report' });
  await people.enter(page, 'nora', FIRST);
  await expect(
    page.getByRole('heading', { level: 1, name: 'Choose a new password' }),
  ).toBeVisible();
  for (const wanted of [people.at('daily-checks'), portal.url]) {
    await page.goto(wanted);
    await expect(page).toHaveURL(/reset-password$/);
  }
  await expect(page.getByLabel('Current password')).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('navigation')).toBeHidden();
  await sound(page, 'reset-password');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByText(/At least 15 characters/)).toBeVisible();
  await page.getByLabel('Current password').fill(FIRST);
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByLabel('Confirm new password').fill('short');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByText('Choose a password of at least 15 characters.')).toBeVisible();
  await page.getByLabel('New password', { exact: true }).fill(SECOND);
  await page.getByLabel('Confirm new password').fill(SECOND);
  await page.getByLabel('Current password').fill('not this one');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The current password is not valid.')).toBeVisible();
  await expect(page.getByLabel('Current password')).toBeFocused();
  await page.keyboard.type(FIRST);
  await page.keyboard.press('Enter');
  // the user's landing page
  await expect(page.getByRole('heading', { level: 1, name: 'Calendar view' })).toBeVisible();
});

test("OWN-4: changing a password shows its rules first, and an error uses the catalog's sentence", async ({
  page,
}) => {
  await people.makeUser('nora', ['operator']);
  await people.settle('nora');
  await people.enter(page, 'nora', SECOND);
  await page.getByRole('link', { name: 'Change password' }).click();
  await expect(page.getByText(/At least 15 characters/)).toBeVisible();
  await sound(page, 'change-password');
  await page.getByLabel('Current password').fill(SECOND);
  for (const label of ['New password', 'Confirm new password'])
    await page.getByLabel(label, { exact: true }).fill('nora-of-the-test-1234');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(
    page.getByText('Choose a password without your name or the product name.'),
  ).toBeVisible();
  await expect(page.getByLabel('New password', { exact: true })).toBeFocused();
  for (const label of ['New password', 'Confirm new password'])
    await page.getByLabel(label, { exact: true }).fill(`${SECOND}-2`);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(toast(page, "Password changed. You're signed out everywhere else.")).toBeVisible();
  await expect(page.getByLabel('Current password')).toHaveValue('');
  await page.goto(people.at('security-questions'));
  await expect(page.getByRole('heading', { name: 'Your questions' })).toBeVisible();
  await page.getByRole('button', { name: 'Save answers' }).click();
  await expect(page.getByText('Select a question.').first()).toBeVisible();
  for (const [n, answer] of [
    [1, 'Elm Hill'],
    [2, 'Biscuit'],
    [3, 'Elm hill'],
  ] as const) {
    await page.getByLabel(`Question ${n}`).selectOption({ index: n });
    await page.getByLabel(`Answer ${n}`).fill(answer);
  }
  await page.getByRole('button', { name: 'Save answers' }).click();
  await expect(page.getByText('Give each question a different answer.').first()).toBeVisible();
  await sound(page, 'security-questions');
  await page.getByLabel('Answer 3').fill('Granite');
  await page.getByRole('button', { name: 'Save answers' }).click();
  await expect(toast(page, 'Security questions saved')).toBeVisible();
});

test('DAY-25, E2E-12: a user who starts with managed results does so, and a filter chosen afterwards stays', async ({
  browser,
}) => {
  await people.makeUser('mona', ['operator'], { managedFilterType: 'managed' });
  await people.settle('mona');
  const page = await newPage(browser);
  await people.enter(page, 'mona', SECOND);
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await page.getByRole('link', { name: 'Daily checks' }).click();
  await expect(page).toHaveURL(/managed=yes/);
  await page.getByRole('button', { name: /^Clear 1/ }).click();
  await expect(page).not.toHaveURL(/managed=/);
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await page.goto(people.at('daily-checks'));
  await expect(page.getByRole('heading', { level: 1, name: 'Daily checks' })).toBeVisible();
  // The list, which writes its filter into the address.
  await expect(page.getByRole('searchbox')).toBeVisible();
  await expect(page).not.toHaveURL(/managed=/);
  await page.context().close();
});

test("USER-11, OWN-1: a long username and email address are shown in full in the list, in its panel and in the user's profile", async ({
  page,
}) => {
  const long = 'somebody.with-a-rather-long-user-name@a-department.example.com';
  await people.makeUser(long, ['operator'], { name: 'Sam Long', email: long });
  await people.settle(long);
  await people.enter(page, 'admin');
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await page.goto(people.at('users?search=somebody.with'));
  const row = page.getByRole('row').filter({ hasText: 'Sam Long' });
  await expect(row.getByText(long)).toHaveCount(2);
  for (const text of await row.getByText(long).all()) {
    await expect(text).toBeVisible();
    await expect
      .poll(() =>
        text.evaluate(
          (at) => at.scrollWidth <= at.clientWidth && getComputedStyle(at).textOverflow === 'clip',
        ),
      )
      .toBe(true);
  }
  await row.getByRole('button', { name: /^Sam Long/ }).click();
  await expect(panel(page, 'Sam Long').getByText(long).last()).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await people.enter(page, long, SECOND);
  await expect(page.getByLabel('Username')).toHaveAccessibleDescription(new RegExp(long));
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription(new RegExp(long));
});

test('OWN-6: a user sees all sessions and ends the others from one of them', async ({
  browser,
}) => {
  await people.makeUser('sven', ['operator']);
  await people.settle('sven');
  const [one, two] = [await newPage(browser), await newPage(browser)];
  await people.enter(one, 'sven', SECOND);
  await expect(one.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await people.enter(two, 'sven', SECOND);
  await two.getByRole('link', { name: 'Security' }).click();
  const list = two.getByRole('list', { name: 'Sessions' });
  await expect(list.getByRole('listitem')).toHaveCount(3);
  await expect(list.getByText('This session')).toHaveCount(1);
  await sound(two, 'security');
  await two.getByRole('button', { name: 'End all other sessions' }).click();
  await expect(toast(two, '2 sessions ended')).toBeVisible();
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await expect(
    one.getByText('Your session has expired. Please log in again to continue.'),
  ).toBeVisible({ timeout: 60_000 });
  await expect(one).toHaveURL(/\/login$/);
  await Promise.all([one.context().close(), two.context().close()]);
});

/**
 * As if five minutes had gone by since the sign-in: the next change of a factor is refused once, and again
 * after each call of the returned function.
 */
async function expireIdentity(page: Page): Promise<() => void> {
  let refused = 0;
  await page.context().route(/\/api\/v1\/profile\/[^/]+\/(totp|recovery-codes)$/, async (route) => {
    if (route.request().method() !== 'POST' || refused++ > 0) return route.fallback();
    return route.fulfill({
      status: 403,
      contentType: 'application/json',
      body: JSON.stringify({
        success: false,
        message: 'Confirm your identity to continue.',
        error: { kind: 'reauth_required', message: 'Confirm your identity to continue.' },
      }),
    });
  });
  return () => {
    refused = 0;
  };
}

/** Closes the dialog of new recovery codes. Returns the first of them. */
async function saveRecoveryCodes(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading', { name: 'Save your recovery codes' })).toBeVisible();
  const codes = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  const code = await codes.first().innerText();
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  return code;
}

test('OWN-2, OWN-6: an authenticator is set up once the password is confirmed, and removed', async ({
  page,
}) => {
  await people.makeUser('faye', ['operator']);
  await people.settle('faye');
  await people.enter(page, 'faye', SECOND);
  await page.getByRole('link', { name: 'Security' }).click();
  const dialog = page.getByRole('dialog');
  // Who has no factor confirms with the password.
  await expireIdentity(page);
  await page.getByRole('button', { name: 'Set up authenticator' }).click();
  await page.getByLabel('Password').fill('not this one');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The current password is not valid.')).toBeVisible();
  await page.getByLabel('Password').fill(SECOND);
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel(/QR code/)).toBeVisible();
  const secret = (await dialog.getByLabel('Key for your authenticator app').innerText()).replaceAll(
    /\s/g,
    '',
  );
  await sound(page, 'authenticator');
  await dialog.getByLabel('Authenticator code').fill('000000');
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog.getByText("This code isn't valid.")).toBeVisible();
  await dialog.getByLabel('Authenticator code').fill(await generate({ secret }));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog.getByRole('list', { name: 'Recovery codes' })).toBeVisible();
  // The codes are shown once, so Escape doesn't close them.
  await page.keyboard.press('Escape');
  await saveRecoveryCodes(page);
  await expect(main(page).getByText(/On since/)).toBeVisible();
  await expect(main(page).getByText('10 codes left')).toBeVisible();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog.getByRole('button', { name: 'Remove authenticator' }).click();
  await expect(main(page).getByText(/Not set up/)).toBeVisible();
});

test("OWN-2, OWN-6: a passkey is set up, it or a recovery code confirms the user's identity, and it is removed", async ({
  page,
}) => {
  await people.makeUser('gwen', ['operator']);
  await people.settle('gwen');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await people.enter(page, 'gwen', SECOND);
  await page.getByRole('link', { name: 'Security' }).click();
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await dialog.getByLabel('Name').fill('Gwen’s laptop');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  // The first factor comes with recovery codes.
  const first = await saveRecoveryCodes(page);
  await expect(
    page.getByRole('list', { name: 'Passkeys' }).getByText('Gwen’s laptop'),
  ).toBeVisible();

  const expire = await expireIdentity(page);
  const renew = page.getByRole('button', { name: 'Create new codes' });
  await renew.click();
  await expect(page.getByRole('heading', { name: 'Confirm your identity' })).toBeVisible();
  await sound(page, 'reauth');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(main(page).getByText('Confirm your identity to continue.')).toBeVisible();
  expire();
  await renew.click();
  await page.getByRole('button', { name: 'Use passkey' }).click();
  const second = await saveRecoveryCodes(page);
  expire();
  await renew.click();
  await page.getByRole('button', { name: 'Use recovery code' }).click();
  await page.getByLabel('Recovery code', { exact: true }).fill(first);
  // a factor is confirmed by a factor
  await expect(page.getByRole('button', { name: 'Use password' })).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(page.getByText("This code isn't valid.")).toBeVisible();
  await page.getByLabel('Recovery code', { exact: true }).fill(second);
  await page.keyboard.press('Enter');
  await saveRecoveryCodes(page);

  await page.getByRole('button', { name: 'Remove Gwen’s laptop' }).click();
  await dialog.getByRole('button', { name: 'Remove passkey' }).click();
  await expect(toast(page, 'Passkey removed')).toBeVisible();
});
