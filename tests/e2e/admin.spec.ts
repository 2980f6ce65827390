import { expect, test } from '@playwright/test';
import type { Browser, Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { linkFor } from './outbox.ts';
import { takePictures } from './person.ts';
import { createKey, post, openPortal, submitSignIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { sound } from './page-checks.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
  await post(portal.url, await createKey(portal), [
    { job: 'SQL nightly', status: 'Failed', message: 'no space left on device' },
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

const toast = (page: Page, words: string | RegExp) =>
  page.getByRole('status', { name: 'Messages' }).getByText(words).last();

async function enter(
  page: Page,
  path = '/admin',
  username = 'admin',
  heading = 'Overview',
  url = portal.url,
): Promise<void> {
  await page.goto(`${url}${path}`);
  await submitSignIn(page, username, portal.password);
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
}
const open = async (page: Page, name: string, heading: string): Promise<void> => {
  await page.goto(`${portal.url}/admin/${name}`);
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
};

/** What another browser sees of the portal before anybody signs in. */
async function stranger(
  browser: Browser,
  url: string,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await look(page);
  await context.close();
}

test("E2E-7, ADMIN-3: every page of the administration passes axe, works by keyboard and fits a phone, and others can't open it", async ({
  page,
  browser,
}) => {
  await enter(page);
  await expect(page).toHaveURL(/\/admin\/dashboard$/);
  for (const [name, heading] of [
    ['dashboard', 'Overview'],
    ['events', 'Events'],
    ['providers', 'Providers'],
    ['branding', 'Branding'],
    ['settings', 'Provider settings'],
    ['notices', 'Notices'],
  ] as const) {
    await open(page, name, heading);
    await expect(page.locator('main [aria-busy=true]')).toHaveCount(0);
    await sound(page, `admin ${name}`, { sidebar: name === 'dashboard' });
  }
  const context = await browser.newContext();
  const other = await context.newPage();
  await enter(other, '/monitoring/daily-checks', 'dana', 'Daily checks');
  await expect(other.getByRole('heading', { name: 'Administration' })).toHaveCount(0);
  await other.goto(`${portal.url}/admin`);
  await expect(other).toHaveURL(/\/admin\/forbidden$/);
  await context.close();
});

test('BRAND-6, BRAND-7: the preview and then another browser show a new accent, title and logo; an unreadable color is corrected', async ({
  page,
  browser,
}) => {
  await enter(page, '/admin/branding', 'admin', 'Branding');
  const accent = page.getByRole('textbox', { name: 'Accent color, light theme', exact: true });
  await accent.fill('#ffd84d');
  await expect(
    page.getByText(/It needs 4\.5:1 on every background, so the portal uses its default/),
  ).toBeVisible();
  await page.getByRole('button', { name: /^Use #[\da-f]{6}, the nearest readable color$/ }).click();
  await expect(
    page.getByText(/Its contrast on the page is [\d.]+:1: easy to read\./),
  ).toBeVisible();
  await accent.fill('#8a1c4a');
  await page.getByLabel('Sidebar title').fill('Quayside Backup');
  await page.locator('input[data-picture=logo]').setInputFiles({
    name: 'logo.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20" width="80" height="20"><script>document.title="run"</script><rect width="80" height="20" fill="#ffcc00" onload="x()"/></svg>',
    ),
  });
  await expect(page.getByLabel('Logo width')).toHaveValue('80');
  const look = page.locator('[data-look=light]:visible').first();
  await expect(look.getByText('Quayside Backup').first()).toBeVisible();
  await expect(look.locator('.bp-button').first()).toHaveCSS(
    'background-color',
    'rgb(138, 28, 74)',
  );
  await expect(look.locator('img').first()).toHaveAttribute('src', /^blob:/);
  await takePictures(page, 'branding-edited');
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(toast(page, /^Branding saved/)).toBeVisible();
  await expect(
    page.getByText(/Scripts and external content were removed from an SVG/),
  ).toBeVisible();
  await stranger(browser, portal.url, async (other) => {
    await expect(other.getByText('Quayside Backup')).toBeVisible();
    await expect(other.getByRole('button', { name: 'Sign in', exact: true })).toHaveCSS(
      'background-color',
      'rgb(138, 28, 74)',
    );
    const logo = other.locator('header img').first();
    await expect(logo).toHaveAttribute('src', /^\/brand\/logo\?v=/);
    const src = await logo.getAttribute('src');
    const svg = await (await fetch(`${portal.url}${src}`)).text();
    expect(svg).toContain('rect');
    expect(svg).not.toMatch(/script|onload/i);
    await enter(other, '/monitoring/daily-checks', 'dana', 'Daily checks');
    await expect(
      other.getByRole('complementary', { name: 'Sidebar' }).getByText('Quayside Backup'),
    ).toBeVisible();
    await expect(
      other.getByRole('complementary', { name: 'Sidebar' }).locator('img').first(),
    ).toHaveAttribute('src', src ?? '');
  });
  await page.reload();
  await expect(accent).toHaveValue('#8a1c4a');
});

test('BRAND-8: a missing mail server is reported in words; its password is never shown and is removed when the address changes', async ({
  page,
}) => {
  await enter(page, '/admin/settings', 'admin', 'Provider settings');
  const mail = page.getByRole('region', { name: 'Email', exact: true });
  await expect(mail.getByText(/Not set up\. Emails wait in the outbox\..*\/outbox/)).toBeVisible();
  await mail.getByRole('button', { name: 'Set up Email' }).click();
  await mail.getByLabel('Server').fill('127.0.0.1');
  await mail.getByLabel('Port').fill('70000');
  await mail.getByLabel('Sender address').fill('portal@example.com');
  await mail.getByLabel('Username').fill('portal');
  await mail.getByLabel('Password').fill('a secret of the test');
  await mail.getByRole('button', { name: 'Save Email' }).click();
  await expect(mail.getByText('Enter a number from 1 to 65535.')).toBeVisible();
  await expect(mail.getByLabel('Port')).toBeFocused();
  await mail.getByLabel('Port').fill('9');
  await mail.getByRole('button', { name: 'Save Email' }).click();
  await expect(toast(page, 'Email saved')).toBeVisible();
  await expect(mail.getByText('A secret is stored. Leave empty to keep it.')).toBeVisible();
  await expect(mail.getByLabel('Password')).toHaveValue('');
  expect(await page.content()).not.toContain('a secret of the test');
  await mail.getByRole('button', { name: 'Test connection: Email' }).click();
  await expect(mail.getByRole('alert')).toBeVisible({ timeout: 60_000 });
  console.log(`tried: ${await mail.getByRole('alert').innerText()}`);
  await expect(mail.getByRole('alert')).not.toContainText(/ECONN|undefined|Error/);
  await sound(page, 'settings with mail');
  await mail.getByLabel('Server').fill('127.0.0.2');
  await mail.getByRole('button', { name: 'Save Email' }).click();
  await expect(
    toast(page, /Its address changed, so the stored secret was removed\./),
  ).toBeVisible();
  await expect(
    mail.getByText("Stored encrypted. You won't be able to see it again."),
  ).toBeVisible();
  await mail.getByRole('button', { name: 'Remove Email' }).click();
  await expect(mail.getByRole('button', { name: 'Set up Email' })).toBeVisible();
});

test('PROV-1, PROV-3, BRAND-7: a sub-provider is created with a host and an invited administrator, and its sign-in page has its branding', async ({
  page,
  browser,
}) => {
  await enter(page, '/admin/providers', 'admin', 'Providers');
  const own = new URL(portal.url).hostname;
  const host = `below-${own}`;
  const below = portal.url.replace(own, host);
  await page.getByRole('button', { name: 'New provider' }).click();
  const dialog = page.getByRole('dialog', { name: 'New provider' });
  await dialog.getByRole('button', { name: 'Create provider' }).click();
  await expect(dialog.getByText("Enter the provider's name.")).toBeVisible();
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await dialog.getByLabel('Name', { exact: true }).fill('Below Backup');
  await dialog.getByLabel('Host names').fill(new URL(portal.otherUrl).hostname);
  await dialog.getByLabel("Administrator's name").fill('Bela Below');
  await dialog.getByLabel('Username').fill('bela');
  await dialog.getByLabel('Email').fill('bela@example.com');
  await dialog.getByRole('button', { name: 'Create provider' }).click();
  await expect(dialog.getByText('This host name belongs to another provider.')).toBeVisible();
  await sound(page, 'new provider');
  await dialog.getByLabel('Host names').fill(host);
  await dialog.getByRole('button', { name: 'Create provider' }).click();
  await expect(toast(page, 'Below Backup created. We invited bela@example.com.')).toBeVisible();
  await page.getByRole('link', { name: 'Branding: Below Backup' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Branding' })).toBeVisible();
  await page.getByLabel('Sidebar title').fill('Below, and well');
  await page
    .getByRole('textbox', { name: 'Accent color, light theme', exact: true })
    .fill('#0b5d3b');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(toast(page, /^Branding saved/)).toBeVisible();
  await stranger(browser, below, async (other) => {
    await expect(other.getByText('Below, and well')).toBeVisible();
    await expect(other.getByRole('button', { name: 'Sign in', exact: true })).toHaveCSS(
      'background-color',
      'rgb(11, 93, 59)',
    );
  });
  await stranger(browser, portal.url, async (other) => {
    // As soon as its own branding is there.
    await expect(other.getByText(/^Use your/)).toBeVisible();
    await expect(other.getByText('Below, and well')).toHaveCount(0);
  });
  await page.goto(`${portal.url}/admin/providers`);
  await page.getByRole('button', { name: 'Invite: Below Backup' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByRole('dialog').getByText(/\/o365\/register#/)).toBeVisible();
  await page.getByRole('button', { name: 'Done' }).click();
  await open(page, 'dashboard', 'Overview');
  await expect(page.getByRole('row', { name: /Below Backup/ })).toContainText(host);
});

test('PROV-4: a user who is invited to the portal gets an email with a link to it', async ({
  page,
}) => {
  await enter(page, '/admin/providers', 'admin', 'Providers');
  await page
    .getByRole('button', { name: /^Invite: / })
    .first()
    .click();
  await page.getByLabel('Email').fill('nothing');
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expect(
    page.getByText('Enter an email address such as name@example.com, or leave this empty.'),
  ).toBeVisible();
  await page.getByLabel('Email').fill('invited@example.org');
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByText('We emailed this link to invited@example.org.')).toBeVisible();
  expect(await linkFor(portal.url, 'invited@example.org')).toContain('/o365/register#');
});

test('ADMIN-5: the address filters the log, an event opens, and the file holds what is filtered', async ({
  page,
}) => {
  await enter(page, '/admin/events', 'admin', 'Events');
  await expect(page.getByRole('button', { name: 'run.finished' }).first()).toBeVisible();
  await page.getByLabel('Type', { exact: true }).selectOption('job.found@1');
  await expect(page).toHaveURL(/type=job\.found/);
  await expect(page.getByRole('button', { name: 'run.finished' })).toHaveCount(0);
  await page.getByRole('button', { name: 'job.found' }).first().click();
  const panel = page.getByRole('dialog', { name: 'job.found' });
  await expect(panel.getByText(/"SQL nightly"/)).toBeVisible();
  await sound(page, 'an event');
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split(/\r?\n/);
  expect(lines[0]).toContain('As another user');
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.slice(1).every((line) => line.includes('job.found@1'))).toBe(true);
  await page.getByRole('searchbox').fill('no such words anywhere');
  await expect(page.getByRole('heading', { name: 'No matching events' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('button', { name: 'run.finished' }).first()).toBeVisible();
  await page.getByLabel('Actor').fill('ADMIN');
  await page.getByLabel('Actor').press('Enter');
  await expect(page).toHaveURL(/actor=ADMIN/);
  await expect(page.getByRole('button', { name: 'key.created' }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'run.finished' })).toHaveCount(0);
});

test('NOTE-3, NOTE-4: a notice for a role is shown to users with that role until it is removed', async ({
  page,
  browser,
}) => {
  await enter(page, '/admin/notices', 'admin', 'Notices');
  await page.getByRole('button', { name: 'New notice' }).click();
  const dialog = page.getByRole('dialog', { name: 'New notice' });
  await dialog.getByLabel('Text').fill('The portal is away on Sunday night.');
  await dialog.getByLabel('Audience', { exact: true }).selectOption('roles');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await expect(dialog.getByText('Select at least one role.')).toBeVisible();
  await dialog.getByLabel('Read only').check();
  await sound(page, 'new notice');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await expect(toast(page, 'Notice published')).toBeVisible();
  await expect(
    page.getByRole('list', { name: 'Notices' }).getByText(/Monitoring · Read only/),
  ).toBeVisible();
  const context = await browser.newContext();
  const rita = await context.newPage();
  await enter(rita, '/monitoring/daily-checks', 'rita', 'Daily checks');
  await expect(rita.getByText('The portal is away on Sunday night.')).toBeVisible();
  await page.getByRole('button', { name: /^Remove: The portal/ }).click();
  await page.getByRole('button', { name: 'Remove notice' }).click();
  await expect(page.getByRole('heading', { name: 'No notices yet' })).toBeVisible();
  const listed = rita.waitForResponse((response) => response.url().endsWith('/notifications'));
  await rita.reload();
  await expect(rita.getByRole('heading', { level: 1, name: 'Daily checks' })).toBeVisible();
  expect(await (await listed).json()).toMatchObject({ success: true, data: [] });
  await expect(rita.getByText('The portal is away on Sunday night.')).toHaveCount(0);
  await context.close();
});

test('BRAND-8: once SMS codes are required, the next sign-in asks for one', async ({
  page,
  browser,
}) => {
  await enter(page, '/admin/settings', 'admin', 'Provider settings');
  await page.getByRole('radio', { name: /^Required, at least by SMS/ }).check();
  await expect(page.getByText(/No SMS gateway is set up below/)).toBeVisible();
  await page.getByRole('button', { name: 'Save sign-in settings' }).click();
  await expect(toast(page, 'Sign-in settings saved')).toBeVisible();
  await stranger(browser, portal.url, async (other) => {
    await submitSignIn(other, 'dana', portal.password);
    await expect(other).toHaveURL(/\/(phone|sms-verification)$/);
  });
});
