import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { connectWiseStandIn, KEYS, PRIVATE } from '#tests/server/tickets/fakes/connectwise.ts';
import type { ConnectWiseStandIn } from '#tests/server/tickets/fakes/connectwise.ts';
import { loadApi, createKey, post, getRow, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { axeInBoth, collectErrors } from './page-checks.ts';

let portal: Portal;
let cw: ConnectWiseStandIn;
test.beforeAll(async () => {
  // The server of this walk may ask this machine, where ConnectWise is played.
  Object.assign(process.env, ALLOWED);
  portal = await startPortal('none').finally(() => {
    for (const name of Object.keys(ALLOWED)) Reflect.deleteProperty(process.env, name);
  });
  cw = await connectWiseStandIn(() => Date.now());
});
test.afterAll(async () => {
  await portal.stop();
  await cw.stop();
});

const ALLOWED = { DAYBOOK_OUTBOUND_ALLOW: '127.0.0.0/8,::1', DAYBOOK_OUTBOUND_HTTP: '1' };
const failed = (job: string): Parameters<typeof post>[2][number] => ({
  job,
  computer: `${job} server`,
  status: 'Failed',
  message: 'Unable to connect to host: timed out',
  startTime: new Date(Date.now() - 600_000).toISOString(),
});
const SHOTS = process.env['SHOTS'];
const shot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

test('TICKET-9, TICKET-2, TICKET-5, TICKET-6, TICKET-8: ConnectWise is connected and a company mapped; a ticket for two problems is seen by a colleague, closed there, and shown as closed, offline too', async ({
  browser,
}) => {
  const [keeper, dana, other] = [await begun(browser), await begun(browser), await begun(browser)];
  const errors = collectErrors(keeper);
  const api = await loadApi(portal, 'admin');
  const [company] = (await api('GET', 'companies')) as { name: string }[];
  Object.assign(cw.companies[0] ?? {}, { name: company?.name });
  await post(portal.url, await createKey(portal), [failed('Files'), failed('Mail'), failed('Sql')]);

  // Without a system: a ticket is kept here, or a number is named.
  await signIn(dana, portal.url, 'dana', portal.password);
  await getRow(dana, 'Sql').click();
  await dana.keyboard.press('t');
  await expect(dana.getByRole('textbox', { name: 'Subject' })).toHaveValue(
    'Failed: Sql on Sql server',
  );
  await axeInBoth(dana, 'new ticket');
  await dana.getByRole('button', { name: 'Link an existing ticket' }).press('Enter');
  await expect(dana.getByLabel('Ticket number')).toBeFocused();
  await dana.getByLabel('Ticket number').fill('T-77');
  await dana.keyboard.press('Enter');
  await expect(getRow(dana, 'Sql')).toContainText('T-77');

  await signIn(keeper, portal.url, 'admin', portal.password);
  await keeper.goto(`${portal.url}/monitoring/ticketing`);
  await keeper.getByRole('combobox', { name: 'System', exact: true }).selectOption('connectwise');
  await keeper.getByRole('textbox', { name: 'URL', exact: true }).fill(cw.url);
  await keeper.getByRole('textbox', { name: 'Company ID', exact: true }).fill(KEYS.company);
  await keeper.getByRole('textbox', { name: 'Public key', exact: true }).fill(KEYS.publicKey);
  await keeper.getByLabel('Private key').fill('wrong');
  await keeper.getByRole('textbox', { name: 'Client ID', exact: true }).fill(KEYS.clientId);
  await keeper.getByRole('button', { name: 'Save and test' }).click();
  await expect(keeper.getByText('ConnectWise did not accept the keys.')).toBeVisible();
  await keeper.getByLabel('Private key').fill(PRIVATE);
  await keeper.getByRole('button', { name: 'Save and test' }).click();
  await expect(keeper.getByText('ConnectWise answered: 2 boards, 3 statuses.')).toBeVisible();
  await keeper.getByRole('combobox', { name: 'Board', exact: true }).selectOption('Backup');
  await expect(
    keeper.getByRole('combobox', { name: 'Status for new tickets', exact: true }),
  ).toBeVisible();
  await keeper
    .getByRole('combobox', { name: 'Status for new tickets', exact: true })
    .selectOption('New');
  await keeper
    .getByRole('combobox', { name: 'Status for closed tickets', exact: true })
    .selectOption('Completed');
  await keeper
    .getByRole('combobox', { name: 'Priority', exact: true })
    .selectOption('Priority 1 - Critical');
  await keeper.getByRole('button', { name: 'Save and test' }).click();
  await expect(keeper.getByRole('listitem').filter({ hasText: company?.name ?? '' })).toContainText(
    'Not mapped',
  );
  await expect(
    keeper.getByText('No updates received yet.').or(keeper.getByText('Last update')),
  ).toBeVisible();
  await expect(
    keeper.getByRole('combobox', { name: 'Status for new tickets', exact: true }),
  ).toHaveValue('1');
  await expect(
    keeper.getByRole('combobox', { name: 'Status for closed tickets', exact: true }),
  ).toHaveValue('3');
  await keeper.getByRole('button', { name: 'Check and match by name' }).click();
  await keeper.getByRole('button', { name: 'Map company' }).click();
  await expect(keeper.getByRole('listitem').filter({ hasText: company?.name ?? '' })).toContainText(
    'OK',
  );
  await axeInBoth(keeper, 'ticketing');
  await shot(keeper, 'ticketing');
  await keeper.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(() => keeper.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  await shot(keeper, 'ticketing-phone');

  // Two rows, one ticket.
  await signIn(other, portal.url, 'admin', portal.password);
  await dana.goto(`${portal.url}/monitoring/daily-checks`);
  for (const job of ['Files', 'Mail'])
    await getRow(dana, job).locator('[data-do="select"]').click();
  await dana.keyboard.press('t');
  await dana.getByRole('textbox', { name: 'Subject' }).fill('Two hosts cannot be reached');
  await expect(dana.getByText('Opens a ticket in ConnectWise')).toBeVisible();
  await shot(dana, 'new-ticket');
  await dana.getByRole('button', { name: 'Open ticket' }).click();
  await expect(dana.getByText('Ticket 5001 opened')).toBeVisible();
  expect(cw.tickets).toMatchObject([
    {
      summary: 'Two hosts cannot be reached',
      board: { id: 2 },
      priority: { id: 5 },
      closedFlag: false,
    },
  ]);
  for (const job of ['Files', 'Mail']) await expect(getRow(other, job)).toContainText('5001');

  // Closed there: it comes by asking, which a look at the connection brings forward.
  cw.turn(5001, 3);
  await api('POST', 'monitoring/backoffice/ticketing/test', {});
  await getRow(other, 'Files').click();
  await expect(other.locator('.rp-facts')).toContainText(/5001\s*closed/, { timeout: 60_000 });
  await shot(other, 'closed-in-panel');

  // The page of tickets: found, opened again, by keys.
  await dana.goto(`${portal.url}/monitoring/tickets`);
  await expect(dana.getByRole('heading', { level: 2, name: 'No open tickets' })).toBeVisible();
  await axeInBoth(dana, 'no ticket');
  await dana.getByRole('combobox', { name: 'State', exact: true }).selectOption('closed');
  await dana.getByRole('button', { name: /Two hosts/ }).press('Enter');
  await expect(
    dana.getByRole('heading', { level: 2, name: 'Two hosts cannot be reached' }),
  ).toBeFocused();
  await expect(dana.getByText('Closed in the ticketing system')).toBeVisible();
  await axeInBoth(dana, 'ticket');
  await shot(dana, 'ticket');
  await dana.emulateMedia({ colorScheme: 'dark' });
  await shot(dana, 'ticket-dark');
  await dana.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(() => dana.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(390);
  await shot(dana, 'ticket-phone');
  await dana.getByRole('button', { name: 'Reopen ticket' }).click();
  await expect(dana.getByText('Ticket reopened')).toBeVisible();
  await expect.poll(() => cw.tickets[0]?.closedFlag).toBe(false);
  await dana.keyboard.press('Escape');
  await dana.goto(`${portal.url}/monitoring/tickets`);
  await expect(dana.getByRole('button', { name: /Two hosts/ })).toBeVisible();
  await shot(dana, 'list-phone');

  // With no network the row knows it, and a number is named only.
  await expect(other.locator('.rp-facts')).toContainText(/5001\s*open/, { timeout: 60_000 });
  for (const page of [dana, other]) await page.context().setOffline(true);
  await portal.kill();
  await expect(dana.getByText("You're offline. Reconnect to open or edit tickets.")).toBeVisible();
  await expect(dana.getByRole('button', { name: /Two hosts/ })).toBeVisible();
  await expect(getRow(other, 'Files')).toContainText('5001');
  expect(errors).toEqual([]);
  for (const page of [keeper, dana, other]) await page.context().close();
});

const begun = async (browser: import('@playwright/test').Browser): Promise<Page> =>
  (
    await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  ).newPage();
