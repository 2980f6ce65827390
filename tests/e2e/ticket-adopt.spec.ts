import { expect, test } from '@playwright/test';
import { connectWiseStandIn, KEYS, PRIVATE } from '#tests/server/tickets/fakes/connectwise.ts';
import type { ConnectWiseStandIn } from '#tests/server/tickets/fakes/connectwise.ts';
import { loadApi, createKey, post, getRow, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { axeInBoth, collectErrors } from './page-checks.ts';
import { PLAIN_LOOPBACK, withEnvironment } from './server-process.ts';

let portal: Portal;
let cw: ConnectWiseStandIn;
test.beforeEach(async () => {
  // The server of this walk may ask this machine, where ConnectWise is played.
  portal = await withEnvironment(PLAIN_LOOPBACK, startPortal);
  cw = await connectWiseStandIn(() => Date.now());
});
test.afterEach(async () => {
  await portal.stop();
  await cw.stop();
});

const failed = (job: string): Parameters<typeof post>[2][number] => ({
  job,
  computer: `${job} server`,
  status: 'Failed',
  message: 'Unable to connect to host: timed out',
  startTime: new Date(Date.now() - 600_000).toISOString(),
});

test('TICKET-10, TICKET-11: problems of two companies get a ticket each, and a third one gets a ticket that ConnectWise has', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const api = await loadApi(portal, 'admin');
  const [first] = (await api('GET', 'companies')) as { n: number; name: string }[];
  const second = (await api('POST', 'companies', { name: 'Drummond & Pike' })) as { n: number };
  const key = (await api('POST', 'monitoring/sources', {
    name: 'Second',
    companyN: second.n,
    tool: 'api',
  })) as { secret: string };
  await post(portal.url, await createKey(portal), [failed('Files'), failed('Mail')]);
  await post(portal.url, key.secret, [failed('Sql')]);
  await api('PUT', 'monitoring/backoffice/ticketing', {
    settings: {
      system: 'connectwise',
      connectwise: { url: cw.url, ...KEYS },
      autotask: null,
      board: '2',
      openStatus: '1',
      closeStatus: '3',
      priority: null,
      reopenDays: 0,
      resolveOnSuccess: false,
    },
    secret: PRIVATE,
  });
  await api('POST', 'monitoring/backoffice/ticketing/test', {});
  await api('PUT', 'monitoring/backoffice/ticketing/companies', {
    pairs: [
      { company: first?.n, remote: { id: '101', name: 'Calloway Freight' } },
      { company: second.n, remote: { id: '102', name: 'Drummond & Pike' } },
    ],
  });

  await signIn(page, portal.url, 'dana', portal.password);
  for (const job of ['Files', 'Sql']) await getRow(page, job).locator('[data-do="select"]').click();
  await page.keyboard.press('t');
  await page.getByRole('textbox', { name: 'Subject' }).fill('Since the night');
  await page.getByRole('button', { name: 'Open ticket' }).click();
  await expect(page.getByRole('alert')).toContainText('These are from several.');
  await page.getByRole('button', { name: 'Open one per company' }).press('Enter');
  await expect(page.getByText('2 tickets opened, one for each company')).toBeVisible();
  expect(cw.tickets.map(({ company }) => company)).toEqual(
    expect.arrayContaining([{ id: 101 }, { id: 102 }]),
  );

  // Somebody there has opened one already.
  const request = cw.tickets.find(({ company }) => JSON.stringify(company) === '{"id":101}');
  if (request)
    cw.tickets.push({ ...request, id: 7001, summary: 'Mail is not saved', externalXRef: null });
  await page.keyboard.press('Escape');
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  await getRow(page, 'Mail').click();
  await page.keyboard.press('t');
  await page.getByRole('button', { name: 'Link an existing ticket' }).press('Enter');
  const number = page.getByRole('textbox', {
    name: 'Ticket number or URL in ConnectWise',
  });
  await expect(number).toBeFocused();
  await axeInBoth(page, 'existing ticket');
  await number.fill('6999');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('ConnectWise has no such ticket');
  await number.fill('7001');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Ticket 7001 linked')).toBeVisible();
  await expect(getRow(page, 'Mail')).toContainText('7001');
  expect(errors).toEqual([]);
});
