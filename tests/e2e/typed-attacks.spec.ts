import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { HOSTILE_HTML } from '#tests/server/restore/hostile-mails.ts';
import { collectErrors } from './page-checks.ts';
import { createUser, NEW_PASSWORD } from './people.ts';
import { createKey, getRow, loadApi, openPortal, post, signIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';

/** How many attacks a run types into each field. A soak repeats the test, with others each time. */
const A_RUN = 8;
/** Pages with fields, most of which list what was saved. */
const PAGES = [
  'monitoring/daily-checks',
  'monitoring/tickets',
  'monitoring/companies',
  'monitoring/users',
  'monitoring/users-logs',
  'monitoring/computers',
  'monitoring/support/request',
  'o365/organizations',
  'o365/jobs',
  'o365/repositories',
  'admin/events',
] as const;
/** Pages with the buttons of their forms. */
const FORMS = [
  ['monitoring/rules', 'New rule'],
  ['monitoring/hints', 'New hint'],
  ['monitoring/users', 'New user'],
  ['monitoring/sources', 'New source'],
  ['monitoring/connections', 'New connection'],
  ['monitoring/webhooks', 'New webhook'],
  ['monitoring/report-settings', 'New report'],
  ['o365/organizations', 'New organization'],
  ['admin/notices', 'New notice'],
  ['admin/providers', 'New provider'],
] as const;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(() => portal.stop());

test('G45, TEXT-4: attacks typed into fields, and stored in names, notes and messages, run nothing, ask nobody and break no page', async ({
  page,
}, { repeatEachIndex }) => {
  const attacks = Array.from(
    { length: A_RUN },
    (_, n) => HOSTILE_HTML[(repeatEachIndex * A_RUN + n) % HOSTILE_HTML.length] ?? '',
  ).map((attack) => attack.replaceAll(/\s+/g, ' '));
  const errors = collectErrors(page);
  const ran: string[] = [];
  await page.exposeFunction('pwn', () => ran.push('pwn'));
  page.on('dialog', (dialog) => {
    // The browser asks before it leaves a form that was filled.
    const isOwn = dialog.type() === 'beforeunload';
    if (!isOwn) ran.push(dialog.message());
    void (isOwn ? dialog.accept() : dialog.dismiss());
  });
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).hostname.endsWith('evil.example')) foreign.push(request.url());
  });
  const expectNothing = (where: string): void => {
    expect({ where, ran, foreign, errors }).toEqual({ where, ran: [], foreign: [], errors: [] });
  };

  await store(attacks);
  await openSupport();
  await createUser(portal, 'typist', 'Typist', ['admin', 'operator', 'super-admin', 'o365_admin']);
  await signIn(page, portal.url, 'typist', NEW_PASSWORD);
  await expect(getRow(page, 'Job 0 ')).toBeVisible();
  for (const path of PAGES) {
    await page.setViewportSize(DESK);
    await page.goto(`${portal.url}/${path}`);
    await expect(page.getByRole('banner').getByRole('button', { name: /^Live/ })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`/${path}(\\?|$)`));
    await expectFit(page, path, PHONE);
    await page.setViewportSize(DESK);
    for (const field of await findFields(page, path)) {
      for (const attack of attacks) await field.fill(attack);
      await field.press('Enter');
      expectNothing(`${path}, typed`);
      await expectFit(page, path, DESK);
      await field.fill('').catch(() => undefined); // the page may have taken its form away
    }
    expectNothing(path);
  }
  for (const [path, button] of FORMS) {
    await page.goto(`${portal.url}/${path}`);
    await page.getByRole('button', { name: button }).first().click();
    const form = await findFields(page, button, '[role=dialog], main');
    for (const field of form) {
      for (const attack of attacks) await field.fill(attack);
      await field.press('Tab'); // an open list would lock the other fields
    }
    await form.at(-1)?.press('Enter');
    expectNothing(button);
    await expectFit(page, button, DESK);
    await expect(page.locator('h1'), button).toBeVisible();
  }

  // Saved by hand: a company, a note and a view.
  await page.goto(`${portal.url}/monitoring/companies`);
  await page.getByRole('button', { name: 'New company' }).click();
  const company = `Typed ${attacks[0]}`.slice(0, 60).trim();
  await page.getByLabel('Name', { exact: true }).fill(company);
  await page.getByRole('button', { name: 'Create company' }).click();
  await expect(page.getByText(`${company} created`)).toBeVisible();
  await page.goto(`${portal.url}/monitoring/daily-checks?state=Failed`);
  await getRow(page, 'Job 1 ').click();
  await page.keyboard.press('n');
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: 'Note' })
    .fill(`A note ${attacks[1]}`);
  await page.keyboard.press('Control+Enter');
  await expect(getRow(page, 'Job 1 ').getByLabel('Has a note')).toBeVisible();
  await page.getByRole('button', { name: 'View not saved' }).click();
  await page.getByLabel('Save this view as').fill(`View ${attacks[2]}`.slice(0, 40));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: /^View View/ })).toBeVisible();
  expectNothing('forms');

  // A panel with its log.
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  await getRow(page, 'Job 0 ').click();
  await expect(page.getByRole('heading', { name: 'Log', exact: true })).toBeVisible();
  await expect(
    page.getByText('log: ' + (attacks[0] ?? '').trim().slice(0, 20)).first(),
  ).toBeVisible();
  expectNothing('panel');

  // The search over everything.
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+k');
  const search = page.getByRole('combobox', { name: 'Search everything' });
  for (const attack of attacks) await search.fill(attack.slice(0, 100));
  await search.fill('Company 0');
  await expect(page.getByRole('option').first()).toBeVisible();
  expectNothing('search');
});

/** Names, messages, notes and requests with attacks, as users and tools send them. */
async function store(attacks: readonly string[]): Promise<void> {
  const api = await loadApi(portal, 'admin');
  const secret = await createKey(portal);
  await post(
    portal.url,
    secret,
    attacks.map((attack, n) => ({
      job: `Job ${n} ${attack}`.slice(0, 150),
      computer: `pc ${n} ${attack}`.slice(0, 100),
      status: 'Failed',
      message: `message ${attack}`.slice(0, 400),
      log: `log: ${attack}\n`,
      startTime: new Date(Date.now() - 600_000 - n * 1_000).toISOString(),
      endTime: new Date(Date.now() - 300_000).toISOString(),
    })),
  );
  for (const [n, attack] of attacks.entries())
    await api('POST', 'companies', { name: `Company ${n} ${attack}`.slice(0, 100).trim() });
}

/** Turns on the page of support requests. */
async function openSupport(): Promise<void> {
  const api = await loadApi(portal, 'admin');
  const { id, features } = (await api('GET', 'service-providers/branding')) as {
    readonly id: string;
    readonly features: { readonly supportSection: { readonly links: object } };
  };
  await api('PUT', `service-providers/${id}/branding`, {
    supportEmail: 'support@example.com',
    features: {
      ...features,
      supportSection: { enabled: true, links: { ...features.supportSection.links, request: true } },
    },
  });
}

/** Finds the fields that take any text, and are there to be typed into: at least one. */
async function findFields(
  page: Page,
  where: string,
  parts = 'header, main',
): Promise<readonly Locator[]> {
  const all = page
    .locator(parts)
    .locator('input:not([type]), input[type=text], input[type=search], textarea')
    .filter({ visible: true });
  await expect(all.first(), where).toBeVisible();
  await expect(page.locator('[aria-busy=true]'), where).toHaveCount(0);
  const usable: Locator[] = [];
  for (const field of await all.all()) if (await field.isEditable()) usable.push(field);
  expect(usable, where).not.toEqual([]);
  return usable;
}

/** Expects no content wider than the window. */
async function expectFit(
  page: Page,
  where: string,
  size: { readonly width: number; readonly height: number },
): Promise<void> {
  await page.setViewportSize(size);
  await expect
    .poll(
      () =>
        page.evaluate(() =>
          Math.max(
            document.documentElement.scrollWidth,
            document.querySelector('main')?.scrollWidth ?? 0,
          ),
        ),
      { message: `${where} at ${size.width}` },
    )
    .toBeLessThanOrEqual(size.width);
}
