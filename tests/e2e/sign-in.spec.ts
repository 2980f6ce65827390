import { expect, test } from '@playwright/test';
import { generateSync } from 'otplib';
import { codeFor, countCodes } from './outbox.ts';
import { expectTitle, newPage, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { sound } from './page-checks.ts';
import { signInByApi, signInAt, typeCode, withSettings, getWrongCode } from './ways-in.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal(['olivia', 'pat']);
});
test.afterEach(async () => {
  await portal.stop();
});

const getTotp = (secret: string, inMs = 0): string =>
  generateSync({ secret, epoch: Math.floor((Date.now() + inMs) / 1_000) });
const PHONE = '+15550100111';

test('E2E-12: a phone number is saved at sign-in after a wrong code and the right one; the next sign-in sends codes up to the limit', async ({
  browser,
}) => {
  await withSettings(portal, { secondFactor: 'sms' }, async () => {
    const page = await newPage(browser);
    await signInAt(page, portal, 'dana', portal.password, '/monitoring/daily-checks?q=mail');
    await expectTitle(page, 'Your mobile phone');
    await expect(page).toHaveURL(/\/phone$/);
    await sound(page, 'phone');
    await page.getByLabel('Mobile phone').fill('555 0100');
    await page.keyboard.press('Enter');
    await expect(
      page.getByText('Enter the number in international format, such as +15550100200.'),
    ).toBeVisible();
    await page.getByLabel('Mobile phone').fill('+1 (555) 010-0111');
    await page.keyboard.press('Enter');
    await expectTitle(page, 'Enter the code');
    await expect(page).toHaveURL(/\/sms-verification$/);
    await expect(page.getByText('••• 11')).toBeVisible();
    await expect(page.getByLabel('Code', { exact: true })).toHaveAttribute(
      'autocomplete',
      'one-time-code',
    );
    await expect(page.getByLabel('Code', { exact: true })).toHaveAttribute('inputmode', 'numeric');
    await sound(page, 'sms-verification');
    const code = await codeFor(portal.url, PHONE);
    await typeCode(page, '12');
    await expect(page.getByText('Enter the six-digit code.')).toBeVisible();
    await typeCode(page, getWrongCode(code));
    await expect(page.getByText("This code isn't valid.")).toBeVisible();
    await expect(page.getByLabel('Code', { exact: true })).toHaveValue('');
    await typeCode(page, code);
    await expectTitle(page, 'Daily checks');
    await expect(page).toHaveURL(/daily-checks\?q=mail$/);
    await page.context().close();

    const other = await newPage(browser);
    await other.clock.install();
    await signInAt(other, portal, 'dana');
    await expectTitle(other, 'Enter the code');
    // It is theirs now: nobody leads the codes elsewhere on the way in.
    await expect(other.getByRole('button', { name: 'Use another number' })).toHaveCount(0);
    const again = other.getByRole('button', { name: /^Resend code/ });
    await expect(
      other.getByText(/^You can request another code in \d+ s \(2 left\)\.$/),
    ).toBeVisible();
    const first = await codeFor(portal.url, PHONE, 2);
    await other.clock.fastForward(31_000);
    await again.click();
    await expect(other.getByText('Another code sent.')).toBeVisible();
    await expect(other.getByText(/\(1 left\)/)).toBeVisible();
    const second = await codeFor(portal.url, PHONE, 3);
    if (first !== second) {
      await typeCode(other, first);
      await expect(other.getByText("This code isn't valid.")).toBeVisible();
    }
    await expect(other.getByLabel('Code', { exact: true })).toBeFocused();
    // A number takes three codes in an hour: the one that was sent still opens.
    await other.clock.fastForward(31_000);
    await again.click();
    await expect(
      other.getByText("You've reached the limit of codes for this sign-in. Start again later."),
    ).toBeVisible();
    await other.getByRole('button', { name: 'Back to sign in' }).click();
    await expectTitle(other, 'Sign in');
    await other.goBack();
    await expect(other).toHaveURL(/\/login$/);
    await other.context().close();
  });
});

test('E2E-12, FACTOR-8, FACTOR-10: a remembered computer needs a code only before a sensitive change, and an unconfirmed number can be changed at sign-in', async ({
  browser,
}) => {
  await withSettings(portal, { secondFactor: 'sms' }, async () => {
    const page = await newPage(browser);
    await page.clock.install();
    await page.goto(`${portal.url}/login`);
    await page.getByRole('switch', { name: /Remember this computer/ }).click();
    await page.getByLabel('Username').fill('rita');
    await page.getByRole('textbox', { name: 'Password' }).fill(portal.password);
    await page.keyboard.press('Enter');
    await page.getByLabel('Mobile phone').fill('0015550100222');
    await page.keyboard.press('Enter');
    await expectTitle(page, 'Enter the code');
    await page.clock.fastForward(31_000);
    await page.getByRole('button', { name: 'Use another number' }).click();
    await page.getByLabel('New mobile phone').fill('+15550100333');
    await page.getByRole('button', { name: 'Send code' }).click();
    await expect(page.getByText('••• 33')).toBeVisible();
    await typeCode(page, await codeFor(portal.url, '+15550100333'));
    await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
    await page.getByRole('button', { name: 'Log out' }).click();
    await expectTitle(page, 'Sign in');
    const sent = await countCodes(portal.url, '+15550100333');
    await signInAt(page, portal, 'rita');
    await expectTitle(page, 'Daily checks');
    expect(await countCodes(portal.url, '+15550100333')).toBe(sent);
    // What was spared on the way in is shown before a sensitive change.
    await page.getByRole('link', { name: 'Profile' }).click();
    await page.getByLabel('Office phone').fill('+1 555 010 0999');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const request = page.getByRole('dialog', { name: 'Confirm your identity' });
    await request.getByLabel('Password').fill(portal.password);
    await sound(page, 'reauth-sms-password');
    await request.getByRole('button', { name: 'Send code' }).click();
    await expect(request.getByLabel('SMS code')).toBeFocused();
    await sound(page, 'reauth-sms-code');
    const code = await codeFor(portal.url, '+15550100333', sent + 1);
    await request.getByLabel('SMS code').fill(getWrongCode(code));
    await page.keyboard.press('Enter');
    await expect(request.getByText("This code isn't valid.")).toBeVisible();
    await request.getByLabel('SMS code').fill(code);
    await page.keyboard.press('Enter');
    await expect(request).toBeHidden();
    await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
    await page.context().close();
  });
});

test('E2E-12, FACTOR-2: five wrong codes end the sign-in, and the sign-in page says so', async ({
  browser,
}) => {
  await withSettings(portal, { secondFactor: 'sms' }, async () => {
    const page = await newPage(browser);
    await signInAt(page, portal, 'rita');
    await page.getByLabel('Mobile phone').fill(PHONE);
    await page.keyboard.press('Enter');
    await expectTitle(page, 'Enter the code');
    const code = await codeFor(portal.url, PHONE);
    for (let n = 0; n < 5; n++) {
      await expect(page.getByRole('button', { name: 'Continue' })).toBeEnabled({ timeout: 60_000 });
      await typeCode(page, getWrongCode(code));
      if (n < 4) await expect(page.getByText("This code isn't valid.")).toBeVisible();
    }
    await expect(page.getByText('This sign-in has expired. Start again.')).toBeVisible();
    await expect(page).toHaveURL(/\/login$/);
    for (const path of ['/sms-verification', '/phone', '/verification', '/enrol']) {
      await page.goto(portal.url + path);
      await expect(page).toHaveURL(/\/login$/);
    }
    await page.context().close();
  });
});

test('E2E-12, FACTOR-1: a required authenticator is set up at sign-in; its codes and a recovery code work later', async ({
  browser,
}) => {
  let secret = '';
  let stored: string[] = [];
  await withSettings(portal, { secondFactor: 'strong' }, async () => {
    const page = await newPage(browser);
    await signInAt(page, portal, 'olivia');
    await expectTitle(page, 'Set up an authenticator app');
    await expect(page).toHaveURL(/\/enrol$/);
    await sound(page, 'enrol');
    secret = (await page.getByLabel('Key for your authenticator app').innerText()).replace(
      /\s/g,
      '',
    );
    await typeCode(page, getWrongCode(getTotp(secret)));
    await expect(page.getByText("This code isn't valid.")).toBeVisible();
    await typeCode(page, getTotp(secret));
    await expectTitle(page, 'Save your recovery codes');
    await expect(page.getByRole('button', { name: 'Continue' })).toBeDisabled();
    await sound(page, 'recovery-codes');
    stored = await page
      .getByRole('list', { name: 'Recovery codes' })
      .getByRole('listitem')
      .allInnerTexts();
    expect(stored).toHaveLength(10);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('recovery-codes.txt');
    await page.getByRole('checkbox', { name: /I've saved these codes/ }).check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectTitle(page, 'Daily checks');
    await page.context().close();
  });

  const page = await newPage(browser);
  await signInAt(page, portal, 'olivia');
  await expectTitle(page, 'Confirm your identity');
  await expect(page).toHaveURL(/\/verification$/);
  await sound(page, 'verification');
  await typeCode(page, '000000');
  await expect(page.getByText("This code isn't valid.")).toBeVisible();
  await typeCode(page, getTotp(secret, 30_000));
  await expectTitle(page, 'Daily checks');
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectTitle(page, 'Sign in');
  await signInAt(page, portal, 'olivia');
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  for (const [code, right] of [
    ['aaaa-aaaa-aaaa', false],
    [stored[0] ?? '', true],
  ] as const) {
    await page.getByLabel('Recovery code').fill(code);
    await page.keyboard.press('Enter');
    if (!right) await expect(page.getByText("This code isn't valid.")).toBeVisible();
  }
  await expectTitle(page, 'Daily checks');
  await page.context().close();
});

test('E2E-12, FACTOR-6: a passkey signs in after the password or alone, and without one nothing opens', async ({
  browser,
}) => {
  const page = await newPage(browser);
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await signInAt(page, portal, 'pat');
  await expectTitle(page, 'Daily checks');
  const pat = await signInByApi(portal, 'pat');
  const { options } = (await pat.call('POST', `profile/${pat.id}/passkeys/options`, {})) as {
    options: string;
  };
  const made = await page.evaluate(async (json) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(json));
    const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
    return JSON.stringify(credential.toJSON());
  }, options);
  await pat.call('POST', `profile/${pat.id}/passkeys`, { name: 'Test key', response: made });
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectTitle(page, 'Sign in');

  await signInAt(page, portal, 'pat');
  await expectTitle(page, 'Confirm your identity');
  await expect(page.getByRole('button', { name: 'Use passkey' })).toBeFocused();
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.keyboard.press('Enter');
  await expect(
    page.getByText('No passkey was used. Try again, or sign in another way.'),
  ).toBeVisible();
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await page.getByRole('button', { name: 'Use passkey' }).click();
  await expectTitle(page, 'Daily checks');
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectTitle(page, 'Sign in');

  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectTitle(page, 'Sign in');
  await device.send('WebAuthn.clearCredentials', { authenticatorId });
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(
    page.getByText('No passkey was used. Try again, or sign in another way.'),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  await page.context().close();
});

test('MOTION-1: the button to sign in stays where it is when the branding arrives', async ({
  page,
}) => {
  const branding = Promise.withResolvers<void>();
  await page.route('**/api/v1/service-providers/branding', async (route) => {
    await branding.promise;
    await route.continue();
  });
  await page.goto(`${portal.url}/login`);
  const button = page.getByRole('button', { name: 'Sign in', exact: true });
  await expect(button).toBeVisible();
  await expect(page.getByText(/^Use your/)).toHaveCount(0);
  const before = await button.boundingBox();
  branding.resolve();
  await expect(page.getByText(/^Use your/)).toBeVisible();
  expect(await button.boundingBox()).toEqual(before);
});
