import { test as base, expect } from '@playwright/test';
import type { Browser, Page } from '@playwright/test';
import { NO_TICKETING } from '#contract/tickets/ticketing.ts';
import { connectWiseStandIn, KEYS, PRIVATE } from '#tests/server/tickets/fakes/connectwise.ts';
import type { ConnectWiseStandIn } from '#tests/server/tickets/fakes/connectwise.ts';
import { loadApi, createKey, post, getRow, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { axeInBoth, collectErrors } from './page-checks.ts';
import { PLAIN_LOOPBACK, withEnvironment } from './server-process.ts';

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

/** A server that may ask this machine, where ConnectWise is played. */
const test = base.extend<{ portal: Portal; cw: ConnectWiseStandIn }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the pattern
  portal: async ({}, use) => {
    const portal = await withEnvironment(PLAIN_LOOPBACK, startPortal);
    await use(portal);
    await portal.stop();
  },
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the pattern
  cw: async ({}, use) => {
    const cw = await connectWiseStandIn(() => Date.now());
    await use(cw);
    await cw.stop();
  },
});

const openPage = async (browser: Browser): Promise<Page> =>
  (
    await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  ).newPage();

/** Connects ConnectWise and maps the first company. Returns what calls the API as administrator. */
const connect = async (portal: Portal, cw: ConnectWiseStandIn) => {
  const api = await loadApi(portal, 'admin');
  await api('PUT', 'monitoring/backoffice/ticketing', {
    settings: {
      ...NO_TICKETING,
      system: 'connectwise',
      connectwise: { url: cw.url, ...KEYS },
      board: '2',
      openStatus: '1',
      closeStatus: '3',
      priority: '5',
    },
    secret: PRIVATE,
  });
  await api('POST', 'monitoring/backoffice/ticketing/test', {});
  const [remote] = cw.companies as { id: number; name: string }[];
  await api('PUT', 'monitoring/backoffice/ticketing/companies', {
    pairs: [{ company: 1, remote: { id: String(remote?.id), name: remote?.name } }],
  });
  return api;
};

/** Opens one ticket for the problems of two rows. */
const openTicket = async (page: Page): Promise<void> => {
  for (const job of ['Files', 'Mail'])
    await getRow(page, job).locator('[data-do="select"]').click();
  await page.keyboard.press('t');
  await page.getByRole('textbox', { name: 'Subject' }).fill('Two hosts cannot be reached');
  await expect(page.getByText('Opens a ticket in ConnectWise')).toBeVisible();
  await shot(page, 'new-ticket');
  await page.getByRole('button', { name: 'Open ticket' }).click();
  await expect(page.getByText('Ticket 5001 opened')).toBeVisible();
};

test('TICKET-2: without a ticketing system, a ticket is named after the result, and an existing number is linked', async ({
  browser,
  portal,
}) => {
  const dana = await openPage(browser);
  await post(portal.url, await createKey(portal), [failed('Sql')]);
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
  await dana.context().close();
});

test('TICKET-9, TICKET-8: ConnectWise is connected with its choices and a company mapped, on a phone too', async ({
  browser,
  portal,
  cw,
}) => {
  const keeper = await openPage(browser);
  const errors = collectErrors(keeper);
  const api = await loadApi(portal, 'admin');
  const [company] = (await api('GET', 'companies')) as { name: string }[];
  Object.assign(cw.companies[0] ?? {}, { name: company?.name });
  await signIn(keeper, portal.url, 'admin', portal.password);
  await keeper.goto(`${portal.url}/monitoring/ticketing`);
  await keeper.getByRole('combobox', { name: 'System', exact: true }).selectOption('connectwise');
  await keeper.getByRole('textbox', { name: 'URL', exact: true }).fill(cw.url);
  await keeper.getByRole('textbox', { name: 'Company ID', exact: true }).fill(KEYS.company);
  await keeper.getByRole('textbox', { name: 'Public key', exact: true }).fill(KEYS.publicKey);
  await keeper.getByLabel('Private key').fill('wrong');
  await keeper.getByRole('textbox', { name: 'Client ID', exact: true }).fill(KEYS.clientId);
  await keeper.getByRole('button', { name: 'Save and test' }).click();
  await expect(keeper.getByText("ConnectWise didn't accept the keys.")).toBeVisible();
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
  expect(errors).toEqual([]);
  await keeper.context().close();
});

test('TICKET-5, TICKET-6: a ticket for two problems is seen by a colleague, closed in ConnectWise, and shown as closed', async ({
  browser,
  portal,
  cw,
}) => {
  const [dana, other] = [await openPage(browser), await openPage(browser)];
  const api = await connect(portal, cw);
  await post(portal.url, await createKey(portal), [failed('Files'), failed('Mail')]);
  await signIn(other, portal.url, 'admin', portal.password);
  await signIn(dana, portal.url, 'dana', portal.password);
  await openTicket(dana);
  expect(cw.tickets).toMatchObject([
    {
      summary: 'Two hosts cannot be reached',
      board: { id: 2 },
      priority: { id: 5 },
      closedFlag: false,
    },
  ]);
  for (const job of ['Files', 'Mail']) await expect(getRow(other, job)).toContainText('5001');

  // Testing the connection also polls it.
  cw.turn(5001, 3);
  await api('POST', 'monitoring/backoffice/ticketing/test', {});
  await getRow(other, 'Files').click();
  await expect(other.locator('.rp-facts')).toContainText(/5001\s*closed/, { timeout: 60_000 });
  await shot(other, 'closed-in-panel');
  for (const page of [dana, other]) await page.context().close();
});

test('TICKET-9, TICKET-6: a closed ticket is found on the page of tickets, reopened there, and read offline', async ({
  browser,
  portal,
  cw,
}) => {
  const [dana, other] = [await openPage(browser), await openPage(browser)];
  const api = await connect(portal, cw);
  await post(portal.url, await createKey(portal), [failed('Files'), failed('Mail')]);
  await signIn(other, portal.url, 'admin', portal.password);
  await signIn(dana, portal.url, 'dana', portal.password);
  await openTicket(dana);
  cw.turn(5001, 3);
  await api('POST', 'monitoring/backoffice/ticketing/test', {});
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
  // What is typed isn't lost without a question.
  const subject = dana.getByRole('textbox', { name: 'Subject' });
  const before = await subject.inputValue();
  await subject.fill('Half a new subject');
  await dana.keyboard.press('Escape');
  await dana.getByRole('button', { name: 'Keep editing' }).click();
  await expect(subject).toHaveValue('Half a new subject');
  await subject.fill(before);
  await dana.getByRole('button', { name: 'Reopen ticket' }).click();
  await expect(dana.getByText('Ticket reopened')).toBeVisible();
  await expect.poll(() => cw.tickets[0]?.closedFlag).toBe(false);
  await dana.keyboard.press('Escape');
  await dana.goto(`${portal.url}/monitoring/tickets`);
  await expect(dana.getByRole('button', { name: /Two hosts/ })).toBeVisible();
  await shot(dana, 'list-phone');

  // Offline, the row still shows the ticket; only linking a number is possible.
  await expect(getRow(other, 'Files')).toContainText('5001');
  for (const page of [dana, other]) await page.context().setOffline(true);
  await portal.kill();
  await expect(dana.getByText("You're offline. Reconnect to open or edit tickets.")).toBeVisible();
  await expect(dana.getByRole('button', { name: /Two hosts/ })).toBeVisible();
  await expect(getRow(other, 'Files')).toContainText('5001');
  for (const page of [dana, other]) await page.context().close();
});
