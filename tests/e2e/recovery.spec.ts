import { expect, test } from '@playwright/test';
import { codeFor, linkFor, countCodes } from './outbox.ts';
import { expectTitle, newPage, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { sound } from './page-checks.ts';
import { signInByApi, signInAt, typeCode, withSettings, getWrongCode } from './ways-in.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal(['fay', 'quinn']);
});
test.afterEach(async () => {
  await portal.stop();
});

test('E2E-12, RECOVER-4: the link in an email sets a new password, once', async ({ browser }) => {
  const page = await newPage(browser);
  await page.goto(`${portal.url}/login`);
  await expectTitle(page, 'Sign in');
  await expect(page.getByRole('link', { name: 'Forgot password' })).toBeVisible();
  await sound(page, 'login');
  await page.getByRole('link', { name: 'Forgot password' }).click();
  await expectTitle(page, 'Forgot your password?');
  await sound(page, 'forgot-password-db');
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText('Enter your username.', { exact: true })).toBeVisible();
  for (const name of ['nobody-of-this-name', 'fay']) {
    await page.getByLabel('Username').fill(name);
    await page.keyboard.press('Enter');
    await expect(page.getByText(/^If this account exists, we've sent it a link/)).toBeVisible();
    if (name !== 'fay') await page.getByRole('button', { name: 'Resend link' }).click();
  }
  const link = await linkFor(portal.url, 'fay@example.com');
  await page.goto(link);
  await expectTitle(page, 'Choose a new password');
  await expect(page).toHaveURL(/\/reset-password-db$/);
  await sound(page, 'reset-password-db');
  const field = page.getByRole('textbox', { name: 'New password' });
  for (const [password, says] of [
    ['', 'Enter a new password.'],
    ['short', 'Choose a password of at least 8 characters.'],
    ['longer-by-two', 'Choose a password of at least 15 characters.'],
    ['passwordpassword', 'This password is too common. Choose another.'],
  ] as const) {
    await field.fill(password);
    await page.keyboard.press('Enter');
    await expect(page.getByText(says, { exact: true })).toBeVisible();
    await expect(field).toBeFocused();
  }
  await field.fill('a quiet new ledger 77');
  await expect(page.getByText(/^At least 15 characters.*: met$/)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(
    page.getByText("Your new password is set. You're signed out everywhere else."),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectTitle(page, 'Sign in');
  await signInAt(page, portal, 'fay', 'a quiet new ledger 77');
  await expectTitle(page, 'Daily checks');
  await page.context().close();

  const again = await newPage(browser);
  for (const over of [
    link,
    `${portal.url}/reset-password-db#never-a-link`,
    `${portal.url}/reset-password-db`,
  ]) {
    await again.goto('about:blank');
    await again.goto(over);
    await expect(again.getByText('This link has expired. Request a new one.')).toBeVisible();
  }
  await signInAt(again, portal, 'fay');
  await expect(again.getByText('The username or password is not valid.')).toBeVisible();
  await again.context().close();
});

test('E2E-12, RECOVER-2: questions and a code unlock an account and set its password, after wrong answers', async ({
  browser,
}) => {
  const quinn = await signInByApi(portal, 'quinn');
  const answers = {
    'What was the name of your first school?': 'Hillside',
    'What was the name of your first pet?': 'Pebble',
    'In which town did your parents meet?': 'Larkham',
  };
  await quinn.call('PUT', `profile/${quinn.id}/security-questions`, {
    answers: Object.entries(answers).map(([question, answer]) => ({ question, answer })),
  });
  await withSettings(portal, { securityQuestions: true }, async () => {
    const page = await newPage(browser);
    const answer = async (wrong: boolean): Promise<void> => {
      for (const [question, right] of Object.entries(answers))
        await page.getByLabel(question).fill(wrong ? `not ${right}` : right);
      await page.getByRole('button', { name: 'Send code' }).click();
    };
    await page.goto(`${portal.url}/unlock`);
    await expectTitle(page, 'Unlock your account');
    await sound(page, 'unlock');
    await page.getByLabel('Username').fill('quinn');
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('What was the name of your first school?')).toBeFocused();
    await sound(page, 'questions');
    await answer(true);
    await expect(page.getByText('Invalid security answers')).toBeVisible();
    const had = await countCodes(portal.url, 'quinn@example.com');
    await answer(false);
    await expectTitle(page, 'Unlock your account');
    const code = await codeFor(portal.url, 'quinn@example.com', had + 1);
    await typeCode(page, getWrongCode(code));
    await expect(
      page.getByText('The account has not been unlocked. Please, try later'),
    ).toBeVisible();
    await sound(page, 'unlock-code');
    await typeCode(page, code);
    await expect(page.getByText('Your account is unlocked.')).toBeVisible();

    await page.goto(`${portal.url}/forgot-password`);
    await page.getByLabel('Username').fill('quinn');
    await page.keyboard.press('Enter');
    const mails = await countCodes(portal.url, 'quinn@example.com');
    await answer(false);
    await expect(page.getByRole('textbox', { name: 'New password' })).toBeVisible();
    await sound(page, 'forgot-password');
    await page
      .getByLabel('Code', { exact: true })
      .fill(await codeFor(portal.url, 'quinn@example.com', mails + 1));
    await page.getByRole('textbox', { name: 'New password' }).fill('quinnquinnquinn-1');
    await page.keyboard.press('Enter');
    await expect(
      page.getByText('Choose a password without your name or the product name.'),
    ).toBeVisible();
    await page.getByRole('textbox', { name: 'New password' }).fill('the gate by the mill 9');
    await page.keyboard.press('Enter');
    await expect(
      page.getByText("Your new password is set. You're signed out everywhere else."),
    ).toBeVisible();
    await signInAt(page, portal, 'quinn', 'the gate by the mill 9');
    await expectTitle(page, 'Daily checks');
    await page.context().close();
  });
});

test('PAGE-7: the fragment leaves the address immediately and says why another site refused; an invalid token opens nothing', async ({
  browser,
}) => {
  const page = await newPage(browser);
  for (const [fragment, says] of [
    ['#refused=denied', 'The sign-in was canceled, or the sign-in service refused it.'],
    ['#refused=<b>anything</b>', 'Error while logging in'],
    ['#token=never-made', 'This sign-in has expired. Start again.'],
    ['#signed-in', 'Sign in to continue.'],
  ] as const) {
    await page.goto('about:blank');
    await page.goto(`${portal.url}/login${fragment}`);
    await expect(page.getByRole('alert').filter({ hasText: says })).toBeVisible();
    await expect(page).toHaveURL(/\/login$/);
  }
  // In the same tab, without a load.
  await page.evaluate(() => {
    location.hash = '#refused=unknown';
  });
  await expect(
    page.getByText("You don't have an account here. Ask your administrator."),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  await page.context().close();
});

test('PROV-7, EMAIL-4: an invented link of an invitation or for an address says at once that it is over, and what to do', async ({
  browser,
}) => {
  const page = await newPage(browser);
  for (const [path, title, next] of [
    [
      '/o365/register#never-made',
      'Create your account',
      'Ask the person who invited you for another invitation.',
    ],
    [
      '/o365/register/never-made',
      'Create your account',
      'Ask the person who invited you for another invitation.',
    ],
    [
      '/confirm-email#never-made',
      'Confirm your email address',
      'You can request a new link in your profile.',
    ],
  ] as const) {
    await page.goto('about:blank');
    await page.goto(`${portal.url}${path}`);
    await expectTitle(page, title);
    await expect(
      page.getByRole('alert').filter({ hasText: 'This link has expired. Request a new one.' }),
    ).toBeVisible();
    await expect(page.getByText(next)).toBeVisible();
    await expect(page.getByRole('textbox')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Confirm address' })).toHaveCount(0);
    await expect(page).not.toHaveURL(/#/);
    await sound(page, `over${path.replaceAll(/\W+/g, '-')}`);
  }
  // Without an answer, nothing is known of the link.
  await page.context().route('**/auth/invitation/check', (route) => route.abort());
  await page.goto('about:blank');
  await page.goto(`${portal.url}/o365/register#never-made`);
  const again = page.getByRole('button', { name: 'Check again' });
  await expect(again).toBeVisible();
  await page.context().unrouteAll();
  await again.click();
  await expect(page.getByText('This link has expired. Request a new one.')).toBeVisible();
  await page.context().close();
});

test('E2E-12, EMAIL-3: an invitation signs out the current user and creates an account, once; its address is confirmed by a link', async ({
  browser,
}) => {
  const page = await newPage(browser);
  await signInAt(page, portal, 'admin');
  await expectTitle(page, 'Daily checks');
  const admin = await signInByApi(portal, 'admin');
  const { url } = (await admin.call(
    'POST',
    `service-providers/${admin.provider}/invitations`,
    {},
  )) as { url: string };
  await page.goto(url);
  await expectTitle(page, 'Create your account');
  await expect(page.getByLabel('Your name')).toBeFocused();
  await sound(page, 'register');
  await page.getByLabel('Your name').fill('Nora New');
  await page.getByLabel('Username').fill('dana');
  await page.getByRole('textbox', { name: 'New password' }).fill('a lamp above the stairs 3');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'The username already exists.' }),
  ).toBeVisible();
  await expect(page.getByLabel('Username')).toBeFocused();
  await page.getByLabel('Username').fill('nora');
  await page.getByLabel('Email').fill('nora@example.org');
  await page.keyboard.press('Enter');
  await expect(
    page.getByText('Your account is ready. Sign in as nora. We sent a link to nora@example.org.'),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectTitle(page, 'Sign in');
  await signInAt(page, portal, 'nora', 'a lamp above the stairs 3');
  await expectTitle(page, 'Daily checks');
  await page.goto(`${portal.url}/monitoring/profile`);
  await expect(
    page.getByText('Not confirmed yet. We sent a link to nora@example.org.'),
  ).toBeVisible();
  await sound(page, 'profile-not-confirmed');
  const first = await linkFor(portal.url, 'nora@example.org');
  await page.getByRole('button', { name: 'Resend link' }).click();
  expect(await linkFor(portal.url, 'nora@example.org', 2)).not.toBe(first);
  await page.goto(first);
  await expectTitle(page, 'Confirm your email address');
  await expect(page).toHaveURL(/\/confirm-email$/);
  await sound(page, 'confirm-email');
  await page.getByRole('button', { name: 'Confirm address' }).click();
  await expect(page.getByText('Your email address is confirmed.')).toBeVisible();
  await page.getByRole('button', { name: 'Open the portal' }).click();
  await expectTitle(page, 'Dashboard');
  await page.goto(`${portal.url}/monitoring/profile`);
  await expect(page.getByLabel('Email')).toHaveValue('nora@example.org');
  await expect(page.getByText(/^Not confirmed yet\./)).toHaveCount(0);
  await page.context().close();

  const stranger = await newPage(browser);
  await stranger.goto(first);
  await expect(stranger.getByText('This link has expired. Request a new one.')).toBeVisible();
  await stranger.context().close();

  const again = await newPage(browser);
  await again.goto(url);
  await expect(again.getByText('This link has expired. Request a new one.')).toBeVisible();
  await again.context().close();
});
