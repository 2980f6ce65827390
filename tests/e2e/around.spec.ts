import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Browser, Locator, Page } from '@playwright/test';
import { createKey, loadApi, post, getRow, signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';
import { holdUndo } from './person.ts';
import { axeInBoth, goOffline } from './page-checks.ts';

let portal: SharedPortal;

test.beforeEach(async () => {
  portal = await openPortal();
  const secret = await createKey(portal);
  const headers = { 'content-type': 'application/json', 'authorization': `Bearer ${secret}` };
  await post(portal.url, secret, [
    {
      job: 'SQL nightly',
      status: 'Failed',
      message: 'Unable to connect to host sql.example.net: timed out',
    },
    { job: '=SUM(A1) mail', status: 'Warning', message: '3 files were skipped' },
    { job: 'Old archive', status: 'Success', enabled: false },
  ]);
  const seen = await fetch(`${portal.url}/api/v1/ingest/computers`, {
    method: 'POST',
    headers,
    body: JSON.stringify([{ hostName: 'LONELY-PC', os: 'Debian 13', ipAddresses: ['10.0.0.7'] }]),
  });
  expect(seen.ok).toBe(true);
});
test.afterEach(async () => {
  await portal.stop();
});

async function as(browser: Browser, who: string, base = portal.url): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await holdUndo(page);
  await signIn(page, base, who, portal.password);
  return page;
}

test("VIEW-1, VIEW-2, VIEW-3: a shared view is in a colleague's menu, opens the same list there, and can't be changed", async ({
  browser,
}) => {
  const mine = await as(browser, 'admin');
  const theirs = await as(browser, 'dana');
  await mine.goto(`${portal.url}/monitoring/daily-checks?state=Failed&group=company`);
  await expect(getRow(mine, 'SQL nightly')).toBeVisible();
  await mine.getByRole('button', { name: 'View not saved' }).click();
  await mine.getByLabel('Save this view as').fill('Failures by company');
  await mine.getByRole('switch', { name: 'Share with colleagues' }).click();
  await mine.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(mine.getByRole('button', { name: 'View Failures by company' })).toBeVisible();

  await expect(getRow(theirs, '=SUM(A1) mail')).toBeVisible();
  await theirs.getByRole('button', { name: /^View/ }).click();
  await theirs
    .getByRole('list', { name: 'Shared with you' })
    .getByRole('button', { name: 'Failures by company by Administrator' })
    .click();
  await expect(theirs).toHaveURL(/state=Failed&group=company/);
  await expect(getRow(theirs, 'SQL nightly')).toBeVisible();
  await expect(getRow(theirs, '=SUM(A1) mail')).toBeHidden();
  await theirs.getByRole('button', { name: 'View Failures by company' }).click();
  await expect(theirs.getByRole('list', { name: 'Shared with you' })).toBeVisible();
  await expect(theirs.getByRole('button', { name: 'Edit Failures by company' })).toHaveCount(0);

  await mine.getByRole('button', { name: 'View Failures by company' }).click();
  await mine.getByRole('button', { name: 'Edit Failures by company' }).click();
  await mine.getByRole('button', { name: 'Remove' }).click();
  await expect(theirs.getByText('Shared with you')).toBeHidden();
  await mine.keyboard.press('Escape');
  await mine.getByRole('button', { name: 'Undo' }).click();
  await expect(theirs.getByRole('list', { name: 'Shared with you' })).toBeVisible();
  for (const page of [mine, theirs]) await page.context().close();
});

test('EXP-1, EXP-2, CSV-2: the list is exported with the columns that are shown, offline too', async ({
  browser,
}) => {
  const page = await as(browser, 'dana');
  await expect(getRow(page, 'SQL nightly')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Live/ })).toBeVisible();
  const take = async (message: RegExp): Promise<string> => {
    // The message disappears, maybe before the file is read.
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      expect(page.getByText(message)).toBeVisible(),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^DailyChecks_\d{4}-\d\d-\d\d_\d{6}\.csv$/);
    return readFileSync(await file.path(), 'utf8');
  };
  const lines = (await take(/^DailyChecks_.*: 2 rows\.$/)).split('\r\n');
  expect(lines[0]).toMatch(/^\uFEFFState,Days of the problem,Company,Job,Schedule,Computer,/);
  expect(lines.find((line) => line.includes('SQL nightly'))).toMatch(
    /^Failed,[12],.*,SQL nightly,[^,]*,SRV-1,.*timed out/,
  );
  expect(lines.find((line) => line.includes('SUM(A1)'))).toContain(",'=SUM(A1) mail,");
  expect(lines).toHaveLength(4);
  await goOffline(page);
  const offline = await take(/: 2 rows\. Created offline with results up to/);
  expect(offline.split('\r\n')).toHaveLength(4);
  await page.context().close();
});

test('HAND-1, HAND-3, HAND-4, OUT-2: a shift handed over offline arrives, and the next person sees what is new since then', async ({
  browser,
}) => {
  const mine = await as(browser, 'admin');
  const theirs = await as(browser, 'dana');
  await expect(getRow(mine, 'SQL nightly')).toBeVisible();
  const dialog = mine.getByRole('dialog', { name: 'Hand over' });
  // From here on the dialog is on the device.
  await mine.getByRole('button', { name: 'Hand over' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  await goOffline(mine);
  await mine.getByRole('button', { name: 'Hand over' }).click();
  await expect(dialog.getByText('2 problems')).toBeVisible();
  await dialog.getByLabel('Comment for the next shift').fill('Watch the SQL host');
  await dialog.getByRole('button', { name: 'Hand over' }).click();
  await expect(
    mine.getByText("Handed over. It will be sent when you're back online."),
  ).toBeVisible();
  await expect(theirs.getByText('Watch the SQL host')).toBeHidden();
  await mine.context().setOffline(false);
  const line = theirs.getByRole('region', { name: 'Handover' });
  await expect(line).toContainText(
    /Since the last handover by Administrator at .*: 0 new, 2 still open\./,
    { timeout: 60_000 },
  );
  await expect(line).toContainText('Watch the SQL host');
  await expect(mine.getByRole('region', { name: 'Handover' })).toBeHidden();
  const at = new Date().toISOString();
  await post(portal.url, await createKey(portal), [
    {
      job: 'After the shift',
      startTime: at,
      endTime: at,
      status: 'Failed',
      message: 'no space left on device',
    },
  ]);
  await expect(line).toContainText('1 new, 2 still open.');
  await line.getByRole('button', { name: 'Dismiss handover' }).click();
  await expect(line).toBeHidden();
  await theirs.goto(`${portal.url}/monitoring/evidence?show=hand-overs`);
  await expect(theirs.getByRole('list', { name: 'Handovers' })).toContainText(
    '0 of 2 reviewed, 2 problems to check, 0 snoozed',
  );
  for (const page of [mine, theirs]) await page.context().close();
});

test('LIST-1, LIST-2, LIST-4, DESK-4, DESK-6: a disabled job and a computer without jobs are ignored, shown as ignored, and listed again, by keyboard', async ({
  browser,
}) => {
  const page = await as(browser, 'dana');
  await page.getByRole('tab', { name: 'Disabled jobs 1' }).click();
  await expect(page).toHaveURL(/daily-checks\/disabled-jobs$/);
  await expect(getRow(page, 'Old archive')).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByRole('button', { name: /^Ignore Old archive/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'Disabled jobs 0' })).toBeVisible();
  await expect(page.getByText('No disabled jobs')).toBeVisible();
  await page.getByRole('switch', { name: 'Show ignored, 1' }).click();
  await expect(getRow(page, 'Old archive')).toContainText('Ignored by Dana Reyes');
  await page.keyboard.press('u');
  await expect(page.getByRole('tab', { name: 'Disabled jobs 1' })).toBeVisible();

  await page.getByRole('tab', { name: 'Computers without a job 1' }).click();
  await page.getByRole('button', { name: 'Note on LONELY-PC' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('A kiosk');
  await page.getByRole('button', { name: 'Save note' }).click();
  await expect(getRow(page, 'LONELY-PC')).toContainText('A kiosk');
  await page.getByRole('button', { name: 'Ignore LONELY-PC' }).click();
  await page.getByRole('radio', { name: 'Permanently' }).check();
  await page.getByRole('button', { name: 'Ignore permanently' }).click();
  await expect(page.getByText('Every computer has a job')).toBeVisible();
  await page.goto(`${portal.url}/monitoring/daily-checks/computers?ignored=yes`);
  await expect(getRow(page, 'LONELY-PC')).toContainText('Ignored permanently');
  await goOffline(page);
  await expect(page.getByText('The list of computers comes from the server.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop ignoring LONELY-PC' })).toBeDisabled();
  await page.context().close();
});

test('EVID-5, EVID-6: the evidence and its file say who reviewed what; offline the page says that it needs the network', async ({
  browser,
}) => {
  const page = await as(browser, 'dana');
  await getRow(page, '=SUM(A1) mail')
    .getByRole('button', { name: /^Review/ })
    .click();
  await expect(getRow(page, '=SUM(A1) mail')).toContainText(/Reviewed .* by you/);
  await expect(getRow(page, '=SUM(A1) mail')).not.toContainText('not sent yet');
  await expect(page.getByRole('button', { name: /^Live/ })).not.toHaveAccessibleName(/waiting/);
  await page.goto(`${portal.url}/monitoring/evidence?date=last-2`);
  await expect(getRow(page, '=SUM(A1) mail')).toContainText(/Dana Reyes.*Reviewed.*Warning/);
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = await coming;
  const text = readFileSync(await file.path(), 'utf8');
  expect(file.suggestedFilename()).toMatch(/^Evidence_/);
  expect(text).toMatch(/Dana Reyes,Reviewed,Warning,[^,]*,'=SUM\(A1\) mail,SRV-1,API,/);
  await page.goto(`${portal.url}/monitoring/evidence?date=2020-01-01..2026-01-01`);
  await expect(page.getByText('Choose a period of up to 12 months.')).toBeVisible();
  await goOffline(page);
  await page.getByLabel('Days').selectOption('last-30');
  await expect(
    page.getByText(/Evidence is only on the server, not on this device\./),
  ).toBeVisible();
  await page.context().close();
});

test('FIRST-1: a provider without a source sees the next step', async ({ browser }) => {
  const page = await as(browser, 'olga', portal.otherUrl);
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Connect a source' }).last()).toHaveAttribute(
    'href',
    '/monitoring/sources',
  );
  await page.context().close();
});

/** A review, a shift that was handed over, and a computer that is ignored. */
async function leaveTraces(): Promise<void> {
  const dana = await loadApi(portal, 'dana');
  const { problems } = (await dana('GET', 'sync/bootstrap')) as { problems: { lastRun: number }[] };
  await dana('PUT', `monitoring/backoffice/jobExecutions/${problems[0]?.lastRun}`, {
    change: { kind: 'review', comment: 'a known host' },
  });
  // Nobody is reminded of a shift of their own, so no reminder covers what is checked.
  const admin = await loadApi(portal, 'admin');
  await admin('POST', 'monitoring/hand-overs', {
    id: crypto.randomUUID(),
    since: Date.now() - 3_600_000,
    at: Date.now(),
    cleared: 1,
    of: 2,
    snoozed: 0,
    open: [{ company: 1, problems: 1 }],
    ending: [],
    comment: 'Watch the SQL host',
    query: '',
  });
  const [{ _id: computer } = { _id: '' }] = (await dana(
    'GET',
    'monitoring/reporting/discovery/computers/current',
  )) as { _id: string }[];
  await dana('POST', `monitoring/backoffice/computers/${encodeURIComponent(computer)}/ignore`, {});
}

test('ADMIN-6: the dialogs of the list say at the first wrong field what is missing, and keep what was typed', async ({
  browser,
}) => {
  const page = await as(browser, 'dana');
  const dialog = page.getByRole('dialog');
  /** Submits, and expects the error at the field that then has the focus. */
  const refuses = async (button: RegExp, field: Locator, error: string): Promise<void> => {
    await dialog.getByRole('button', { name: button }).click();
    await expect(field).toBeFocused();
    await expect(field).toHaveAccessibleDescription(error);
    await expect(field).toHaveAttribute('aria-invalid', 'true');
  };
  await getRow(page, 'SQL nightly').locator('[data-do="select"]').click();
  await page.keyboard.press('s');
  const day = dialog.getByLabel('Day', { exact: true });
  await refuses(/^Snooze until/, dialog.getByLabel('Reason'), 'Enter a reason.');
  await dialog.getByLabel('Reason').fill('The disk comes on Monday.');
  await dialog.getByRole('radio', { name: 'Another day' }).click();
  await refuses(/^Snooze$/, day, 'Choose a day.');
  await day.fill('2020-01-01');
  await expect(day).toHaveAccessibleDescription('Choose a time in the future.');
  await expect(dialog.getByLabel('Reason')).toHaveValue('The disk comes on Monday.');
  await axeInBoth(page, 'a snooze with an error', { but: '[role=grid]' });
  const close = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  };
  await close();

  await page.keyboard.press('n');
  await refuses(/^Save note/, dialog.getByRole('textbox', { name: 'Note' }), 'Enter a note.');
  await close();
  await page.keyboard.press('t');
  await dialog.getByRole('button', { name: 'Link an existing ticket' }).click();
  await refuses(/^Link ticket/, dialog.getByLabel('Ticket number'), 'Enter a ticket number.');
  await page.keyboard.press('Escape');

  await page.goto(`${portal.url}/monitoring/daily-checks?state=Failed&group=company`);
  await page.getByRole('button', { name: 'View not saved' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByLabel('Save this view as')).toBeFocused();
  await expect(page.getByLabel('Save this view as')).toHaveAccessibleDescription('Enter a name.');
  await page.context().close();
});

test('E2E-7: the pages and dialogs around the list pass axe in both themes, and fit a phone', async ({
  browser,
}) => {
  await leaveTraces();
  const page = await (await browser.newContext()).newPage();
  await signIn(page, portal.url, 'admin', portal.password);
  // The grid behind what is opened over it has tests of its own.
  const axe = (what: string): Promise<void> => axeInBoth(page, what, { but: '[role=grid]' });
  await page.getByRole('button', { name: /^View/ }).click();
  await expect(page.getByRole('list', { name: 'Views' })).toBeVisible();
  await axe('views');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Hand over' }).click();
  await expect(page.getByLabel('Comment for the next shift')).toBeFocused();
  await axe('hand over');
  await page.keyboard.press('Escape');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const [path, word] of [
      ['daily-checks/disabled-jobs', 'Old archive'],
      ['daily-checks/computers?ignored=yes', 'LONELY-PC'],
      ['evidence?date=last-2', 'Dana Reyes'],
      ['evidence?show=hand-overs', 'Watch the SQL host'],
    ] as const) {
      await page.goto(`${portal.url}/monitoring/${path}`);
      await expect(page.getByText(word).first()).toBeVisible();
      await axe(`${path} at ${width}`);
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
        .toBeLessThanOrEqual(width);
    }
  }
  await page.context().close();
});
