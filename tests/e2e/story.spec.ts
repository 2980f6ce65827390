import { expect, test } from '@playwright/test';
import { loadOutbox } from './outbox.ts';
import { personAt } from './person.ts';
import { loadApi, createKey, post, getRow, signIn, startPortal } from './portal.ts';
import type { Portal, Result } from './portal.ts';
import { collectErrors } from './page-checks.ts';

// A technician works through the failed backups of one customer, a bakery, with all parts of
// Monitoring together. The specs of the parts test each of them alone.

let portal: Portal;
let secret: string;
const HOUR = 3_600_000;

/** A result of the bakery that ended so many hours ago. */
const ran = (job: string, hours: number, status: string, message?: string): Result => {
  const end = Date.now() - hours * HOUR;
  return {
    job,
    status,
    computer: COMPUTERS[job] ?? '',
    startTime: new Date(end - 900_000).toISOString(),
    endTime: new Date(end).toISOString(),
    bytesTransferred: 4_000_000_000,
    ...(message === undefined ? {} : { message }),
  };
};
const COMPUTERS: Readonly<Record<string, string>> = {
  'Recipes': 'BAKERY-FS',
  'Cash desk': 'CASH-1',
  'Cameras': 'NVR-1',
  'Laptop of the baker': 'LAP-BAKER',
  'Ovens': 'OVEN-PLC',
};
const OPEN_FILES = '3 files were in use and could not be read';
const FULL = 'No space left on device: /mnt/vault';
const AWAY = 'Unable to connect to host line.bakery.example: timed out';
const arrives = (...results: readonly Result[]): Promise<void> => post(portal.url, secret, results);

test.beforeEach(async () => {
  portal = await startPortal('none', ['ines']);
  secret = await createKey(portal);
  const ann = await loadApi(portal, 'admin');
  const dana = await loadApi(portal, 'dana');
  const [{ _id: bakery }] = (await ann('GET', 'companies')) as [{ _id: string }];
  await ann('PUT', `companies/${bakery}`, { name: 'Harbour Bakery' });
  for (const hours of [78, 54, 30])
    await arrives(...Object.keys(COMPUTERS).map((job) => ran(job, hours, 'Success')));
  // An SLA alarm, a hint and a scheduled report.
  const { jobs } = (await dana('GET', 'sync/bootstrap')) as {
    jobs: { name: string; uid: string }[];
  };
  await dana('POST', 'monitoring/reporting/save-sla-alarm', {
    alarm: {
      name: 'The recipes, every day',
      enabled: true,
      job: { jobInstanceUid: jobs.find(({ name }) => name === 'Recipes')?.uid, key: null },
      group: null,
      maxAgeHours: 26,
      minSuccessPct: null,
      windowDays: 30,
      recipients: [],
    },
  });
  await ann('POST', 'monitoring/backoffice/hints', {
    hint: {
      name: 'The vault is full',
      when: { text: 'no space left', kinds: [], sources: [] },
      summary: 'Restore points of the old server are still there.',
      steps: ['Open the vault', 'Prune what is older than a year'],
      links: [],
      inside: false,
    },
  });
  await dana('POST', 'monitoring/reporting/reports/settings', {
    setting: {
      name: 'Good morning, bakery',
      template: 'detailReport',
      companies: [1],
      period: 'last-2',
      schedule: { every: 'day', at: '10:00', timeZone: 'Europe/Berlin' },
      recipients: ['owner@bakery.example'],
      format: 'pdf',
      language: 'en-US',
      enabled: true,
    },
  });
  // The results of the last night.
  await arrives(
    ran('Recipes', 4, 'Failed', FULL),
    ran('Cash desk', 5, 'Failed', AWAY),
    ran('Cameras', 5, 'Failed', AWAY),
    ran('Laptop of the baker', 3, 'Warning', OPEN_FILES),
    ran('Ovens', 4, 'Success'),
  );
});
test.afterEach(async () => {
  await portal.stop();
});

test('E2E-13: the failed backups of a night are worked off with rules, hints, tickets, SLA alarms and reports', async ({
  browser,
}) => {
  const page = await (await browser.newContext()).newPage();
  const errors = collectErrors(page);
  const dana = personAt(page);
  const menu = page.getByRole('navigation', { name: 'Main' });
  const goesTo = (name: string) => menu.getByRole('link', { name, exact: true }).click();
  const toTheList = () => menu.getByRole('link', { name: /^Daily checks/ }).click();
  const panel = page.getByRole('complementary', { name: 'Job result' });
  const alarm = page.getByRole('listitem').filter({ hasText: 'The recipes, every day' });

  await test.step('shows the four jobs of the night that failed or ended with a warning', async () => {
    await signIn(page, portal.url, 'dana', portal.password);
    for (const job of ['Recipes', 'Cash desk', 'Cameras', 'Laptop of the baker'])
      await expect(getRow(page, job)).toBeVisible();
    await expect(getRow(page, 'Ovens')).toHaveCount(0);
    await expect(menu.getByRole('link', { name: /^Daily checks/ })).toContainText('4');
  });

  await test.step('shows that the SLA target of a failed job is missed', async () => {
    await goesTo('SLA');
    await expect(alarm).toContainText('Target missed');
    await expect(alarm).toContainText('Too old');
  });

  await test.step('shows the hint of a colleague beside the result, and marks it as helpful', async () => {
    await toTheList();
    await getRow(page, 'Recipes').click();
    await expect(
      panel.getByText('Restore points of the old server are still there.'),
    ).toBeVisible();
    await panel.getByRole('button', { name: 'This helped' }).click();
    await expect(panel.getByRole('button', { name: 'Helped', exact: true })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await page.keyboard.press('Escape');
  });

  await test.step('closes the problem and meets the SLA target after a successful run', async () => {
    await arrives(ran('Recipes', 0, 'Success'));
    await goesTo('SLA');
    await expect(alarm).toContainText('On target');
    await toTheList();
    await expect(getRow(page, 'Recipes')).toHaveCount(0);
  });

  await test.step('creates a rule that counts the open files of the laptop as OK', async () => {
    await getRow(page, 'Laptop of the baker').click();
    await panel.getByRole('link', { name: 'Create rule from this result' }).click();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue(
      'Laptop of the baker: known',
    );
    await expect(page.getByText('1 result matches')).toBeVisible();
    await page.getByRole('button', { name: 'Create rule' }).click();
    await expect(page.getByText('Rule created')).toBeVisible();
  });

  await test.step('leaves the next result of the laptop out of the list, and names the rule in the search', async () => {
    await arrives(ran('Laptop of the baker', 0, 'Warning', OPEN_FILES));
    await toTheList();
    await expect(getRow(page, 'Cash desk')).toBeVisible();
    await expect(getRow(page, 'Laptop of the baker')).toHaveCount(0);
    await dana.hasPalette();
    await dana.types('laptop of');
    await page.getByRole('option', { name: /^Results with/ }).click();
    await expect(getRow(page, 'Laptop of the baker').first()).toContainText(
      'Exception: rule “Laptop of the baker: known” counts it as OK',
    );
  });

  await test.step('opens one ticket for two results with the same cause', async () => {
    await toTheList();
    for (const job of ['Cash desk', 'Cameras'])
      await getRow(page, job).locator('[data-do="select"]').click();
    await dana.presses('t');
    await page.getByRole('textbox', { name: 'Subject' }).fill('The line of the bakery is down');
    await page.getByRole('button', { name: 'Open ticket' }).click();
    await expect(page.getByText('Ticket D-1 opened')).toBeVisible();
    for (const job of ['Cash desk', 'Cameras'])
      await expect(getRow(page, job)).toContainText('D-1');
  });

  await test.step('finds the ticket by three words after both jobs have succeeded, and closes it', async () => {
    await arrives(ran('Cash desk', 0, 'Success'), ran('Cameras', 0, 'Success'));
    await dana.hasPalette();
    await dana.types('line bakery down');
    await expect(
      page.getByRole('option', { name: /D-1 The line of the bakery is down/ }),
    ).toBeVisible();
    await dana.pressesUntil('ArrowDown', () =>
      page
        .getByRole('option', { name: /D-1/ })
        .evaluate(
          (one) => one.id === document.activeElement?.getAttribute('aria-activedescendant'),
        ),
    );
    await dana.presses('Enter');
    await expect(
      page.getByRole('heading', { level: 2, name: 'The line of the bakery is down' }),
    ).toBeVisible();
    await expect(page.getByText(/^Ended /)).toHaveCount(2);
    await page.getByRole('button', { name: 'Close ticket' }).click();
    await expect(page.getByText('Ticket closed')).toBeVisible();
  });

  await test.step('shows that nothing is left to check', async () => {
    await toTheList();
    await expect(
      page.getByRole('heading', { name: /^(All clear|Nothing to check)/ }),
    ).toBeVisible();
  });

  await test.step('sends the report to the customer as a PDF', async () => {
    await goesTo('Scheduled');
    await page.getByRole('button', { name: 'Send now: Good morning, bakery' }).click();
    await expect(
      page.getByRole('list', { name: 'Sent reports' }).getByRole('listitem').first(),
    ).toContainText('owner@bakery.example');
    await expect
      .poll(async () =>
        (await loadOutbox(portal.url))
          .filter(({ to }) => to === 'owner@bakery.example')
          .map(
            ({ subject, text }) => `${subject} ${/Attached: .*\.pdf/.test(text) ? 'as a PDF' : ''}`,
          ),
      )
      .toEqual([expect.stringMatching(/^Good morning, bakery: .* as a PDF$/)]);
  });

  await test.step('hands over with a comment', async () => {
    await toTheList();
    await page.getByRole('button', { name: 'Hand over', exact: true }).click();
    await dana.hasDialog(/^Hand over$/);
    await dana.types('The line of the bakery was down, and is back.');
    await dana.presses('Control+Enter');
    await dana.isTold('Handed over');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  await test.step('shows the hand-over to the next technician', async () => {
    const next = await (await browser.newContext()).newPage();
    await signIn(next, portal.url, 'ines', portal.password);
    const details = next.getByRole('region', { name: 'Handover' });
    await expect(details).toContainText(
      /^Since the last handover by Dana Reyes at .*: 0 new, 0 still open/,
    );
    await expect(details).toContainText('The line of the bakery was down, and is back.');
    await next.context().close();
  });
});
