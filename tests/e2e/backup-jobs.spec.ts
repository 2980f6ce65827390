import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { connectFreed, freeTenant } from './cloud-suite.ts';
import { PHONE } from './hands.ts';
import { loadOutbox } from './outbox.ts';
import { axeInBoth, collectErrors, sound, waitForBuild } from './page-checks.ts';
import { enter, panel } from './people.ts';
import { expectTitle, loadApi, newPage, signIn, startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;

test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

const REASON = "The job's selection contains nothing to back up.";
const MAIL = 'Mail of all people';
const ADDRESS = 'watch@example.net';

test.describe('with the page stored on this device', () => {
  test.use({ serviceWorkers: 'allow' });

  test('WIZ-9, WIZ-12, ENG-81: a half-filled backup job survives a reload offline, goes on there and is created online', async ({
    page,
  }) => {
    await enter(portal, page, 'm365', '/o365/jobs/1', portal.password);
    const heading = (name: string) => page.getByRole('heading', { level: 2, name });
    await expect(heading('Name and organization')).toBeFocused();
    await waitForBuild(page);
    await page.getByRole('textbox', { name: 'Name' }).fill('Drafted offline');
    await page
      .getByRole('combobox', { name: 'Version history of files' })
      .selectOption({ label: 'Last 10 versions' });
    await page.getByRole('switch', { name: 'Search in texts' }).press('Space');
    // The tests' browser is on Linux.
    await expect(page.getByRole('button', { name: /^Next/ }).locator('kbd')).toHaveText(
      'Ctrl Enter',
    );
    await page.keyboard.press('Control+Enter');
    await expect(heading('What to back up')).toBeFocused();
    await expect(page.getByText('Draft saved on this device.')).toBeVisible();
    await page.context().setOffline(true);
    await page.reload();
    await expect(heading('What to back up')).toBeVisible();
    await page.keyboard.press('Control+Enter');
    await expect(heading('What to leave out')).toBeFocused();
    await page.keyboard.press('Control+Enter');
    await expect(heading('Schedule')).toBeFocused();
    await page.getByRole('combobox', { name: 'Runs' }).selectOption({ label: 'Manually only' });
    const create = page.getByRole('button', { name: /^Create job/ });
    await expect(create).toBeDisabled();
    await page.context().setOffline(false);
    await expect(create).toBeEnabled({ timeout: 70_000 });
    await create.press('Enter');
    await expectTitle(page, 'Jobs');
    await expect(page.getByRole('button', { name: 'Drafted offline' })).toBeVisible();
    await page.goto(`${portal.url}/o365/jobs/1`);
    await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('');
    const api = await loadApi(portal, 'm365');
    const { rows } = (await api('GET', 'o365/jobs')) as {
      rows: { id: string; name: string; isFullTextEnabled: boolean; fileVersions: unknown }[];
    };
    const job = rows.find(({ name }) => name === 'Drafted offline');
    expect([job?.isFullTextEnabled, job?.fileVersions]).toEqual([true, 10]);
  });
});

/** Counts the headers that a page draws, and those without the button that closes a wizard. */
async function countHeaders(page: Page): Promise<() => Promise<readonly [number, number]>> {
  await page.addInitScript(() => {
    const drawn = new Set<Element>();
    const unclosable = new Set<Element>();
    new MutationObserver(() => {
      for (const header of document.querySelectorAll('header:has(h1)')) {
        drawn.add(header);
        if (!header.textContent.includes('Close, keep draft')) unclosable.add(header);
      }
      document.documentElement.dataset['headers'] = `[${drawn.size},${unclosable.size}]`;
    }).observe(document, { childList: true, subtree: true });
  });
  return async () =>
    JSON.parse((await page.locator('html').getAttribute('data-headers')) ?? '') as [number, number];
}

test('WIZ-13: the wizards have one header, from loading to the first step', async ({ page }) => {
  await enter(portal, page, 'm365', '/o365/jobs', portal.password);
  await expectTitle(page, 'Jobs');
  const api = await loadApi(portal, 'm365');
  const { rows } = (await api('GET', 'o365/jobs')) as { rows: { id: string; name: string }[] };
  const id = rows.find(({ name }) => name === MAIL)?.id ?? '';
  const headers = await countHeaders(page);
  for (const [path, title, step] of [
    ['jobs/1', 'New backup job', 'Name and organization'],
    [`jobs/1?edit=${id}`, 'Edit backup job', 'Name and organization'],
    ['restore-operator-roles/1', 'New restore operator role', 'Name'],
    ['organizations/new/1', 'New organization', 'Organization and services'],
  ] as const) {
    await page.goto(`${portal.url}/o365/${path}`);
    await expectTitle(page, title);
    await expect(page.getByRole('heading', { level: 2, name: step, exact: true })).toBeFocused();
    expect(await headers(), title).toEqual([1, 0]);
  }
});

async function openJob(page: Page, name: string): Promise<void> {
  await enter(portal, page, 'm365', '/o365/jobs', portal.password);
  await expectTitle(page, 'Jobs');
  await page.getByRole('button', { name }).press('Enter');
  await expect(panel(page, name)).toBeVisible();
}

test('PLAN-4, PLAN-5: a job that another starts after names it before it is deleted, and once disabled, the other says why it never starts', async ({
  page,
}) => {
  const api = await loadApi(portal, 'm365');
  const { rows } = (await api('GET', 'o365/jobs')) as {
    rows: { id: string; name: string; organizationId: string; repositoryId: string }[];
  };
  const first = rows.find(({ name }) => name === MAIL);
  await api('POST', 'o365/jobs', {
    organizationId: first?.organizationId,
    repositoryId: first?.repositoryId,
    name: 'Follower',
    backupType: 'EntireOrganization',
    schedulePolicy: {
      schedule: { type: 'Chained', chainedAfter: first?.id },
      backupWindow: null,
      retryNumber: 0,
      retryWaitInterval: 10,
    },
  });
  await openJob(page, MAIL);
  await panel(page, MAIL).getByRole('button', { name: 'Delete job' }).click();
  const dialog = page.getByRole('dialog', { name: `The job ${MAIL} can't be deleted` });
  await expect(dialog.getByRole('link', { name: 'Follower' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: /Delete/ })).toHaveCount(0);
  await api('POST', `o365/jobs/${first?.id ?? ''}/disable`, {});
  await dialog.getByRole('link', { name: 'Follower' }).click();
  await expect(panel(page, 'Follower')).toContainText(
    `The job ${MAIL}, which this job follows, is disabled.`,
  );
  await api('POST', `o365/jobs/${first?.id ?? ''}/enable`, {});
  await expect(panel(page, 'Follower')).not.toContainText('is disabled');
});

test('PAGE-10, E2E-7: on a phone, a job opens as a sheet over its list, with the focus in it and back on the job', async ({
  browser,
}) => {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', '/o365/jobs', portal.password);
  const job = page.getByRole('button', { name: MAIL });
  await job.tap();
  const sheet = page.getByRole('dialog', { name: MAIL, exact: true });
  await expect(sheet).toHaveAttribute('aria-modal', 'true');
  await expect(sheet.getByRole('heading', { level: 2, name: MAIL })).toBeVisible();
  await sound(page, 'job as a sheet');
  // The focus goes round in the sheet, and to a dialog over it and back.
  for (let n = 0; n < 30; n += 1) {
    await page.keyboard.press('Tab');
    await expect
      .poll(() => sheet.evaluate((all) => all.contains(document.activeElement)))
      .toBe(true);
  }
  const edit = sheet.getByRole('button', { name: 'Edit notifications' });
  await edit.tap();
  const dialog = page.getByRole('dialog', { name: 'Notifications' });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(edit).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await expect(job).toBeFocused();
  await expect(page).toHaveURL(/\/o365\/jobs$/);
  // Turned, the tablet shows the same sheet, which loses nothing that is typed in it.
  await job.tap();
  await page.setViewportSize({ width: 1180, height: 820 });
  await expect(sheet.getByRole('heading', { level: 2, name: MAIL })).toBeVisible();
  await sheet.getByRole('button', { name: 'Close' }).tap();
  await expect(job).toBeFocused();
  expect(errors).toEqual([]);
  await context.close();
});

test('SUITE-30: a backup job with trouble is in the daily checks, with its cause and its source', async ({
  page,
}) => {
  await signIn(
    page,
    `${portal.url}/monitoring/daily-checks?q=selection+contains`,
    'operator',
    portal.password,
  );
  const row = page.getByRole('row').filter({ hasText: REASON });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText('Warning');
  await expect(row).toContainText(/Mail of \w+/);
  await expect(page.getByRole('button', { name: /^Microsoft 365/ }).first()).toBeVisible();
});

/** Makes the customer who sees only this company its user to notify. */
async function notifyCustomer(company: string): Promise<void> {
  const api = await loadApi(portal, 'admin');
  const companies = (await api('GET', 'companies')) as readonly {
    _id: string;
    name: string;
    users: readonly { _id: string; username: string }[];
  }[];
  for (const { _id: id, name, users } of companies)
    if (name === company)
      await api('PUT', `companies/${id}`, {
        notify: users.filter((user) => user.username === 'customer').map(({ _id: user }) => user),
      });
}

test('SUITE-33, SUITE-34: by keyboard, a job gets recipients and is started; its session is shown, logged and mailed', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await openJob(page, MAIL);
  const details = panel(page, MAIL);
  await details.getByRole('button', { name: 'Edit notifications' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Notifications' });
  await dialog.getByRole('switch', { name: 'Send emails after sessions' }).press('Space');
  await dialog.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(dialog.getByText('Add a user or an email address.')).toBeVisible();
  // The company of the job names its users to notify; without any, the product says where.
  const addUsers = dialog.getByRole('button', { name: /^Add users to notify of / });
  await addUsers.press('Enter');
  await expect(
    page.getByText(/ has no users to notify yet\. Add them in Companies\.$/),
  ).toBeVisible();
  await notifyCustomer((await addUsers.innerText()).replace('Add users to notify of ', ''));
  await addUsers.press('Enter');
  await expect(dialog.getByText(/\(customer\)/)).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Other email addresses' }).fill(ADDRESS);
  await axeInBoth(page, 'notifications of a job');
  await dialog.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(dialog).toBeHidden();
  await expect(details.getByText('After every session')).toBeVisible();

  // A session of its schedule may be running, or begin before the key is pressed.
  const start = details.getByRole('button', { name: 'Start job' });
  await expect(async () => {
    await expect(start).toBeEnabled();
    await start.press('Enter');
    await expect(details.getByText('Started by a user')).toBeVisible({ timeout: 10_000 });
  }).toPass({ timeout: 120_000 });
  await expect(details.getByRole('heading', { name: 'Last session' })).toBeVisible();
  await details.getByRole('button', { name: 'Show full log' }).press('Enter');
  const log = page.getByRole('dialog', { name: /^Session log from/ });
  await expect(log.getByText('The session started.')).toBeVisible();
  await page.keyboard.press('Escape');
  await waitForBackups(portal);
  await expect
    .poll(async () => (await loadOutbox(portal.url)).filter(({ to }) => to === ADDRESS).length)
    .toBeGreaterThan(0);
  const [mail] = (await loadOutbox(portal.url)).filter(({ to }) => to === ADDRESS);
  expect(mail?.subject).toContain(MAIL);
  await sound(page, 'job panel', { sidebar: true });
  expect(errors).toEqual([]);
});

test('SUITE-34: a running session shows its progress, its wait and what failed, on a phone too; a failed answer keeps the last one', async ({
  browser,
}) => {
  const page = await newPage(browser);
  let isBroken = false;
  await page
    .context()
    .route('**/detail/latest*', async (route) =>
      isBroken && !(await hasPressed(page))
        ? route.fulfill({ status: 503, json: { success: false, message: 'Busy.', kind: 'busy' } })
        : route.fulfill({ json: { success: true, data: RUNNING } }),
    );
  await openJob(page, MAIL);
  const details = panel(page, MAIL);
  await expect(details.getByRole('heading', { name: 'Current session' })).toBeVisible();
  await expect(details.getByRole('progressbar', { name: 'Objects backed up' })).toHaveAttribute(
    'value',
    '3',
  );
  await expect(details.getByText(/^Waiting until .*: Microsoft 365 is throttling/)).toBeVisible();
  await expect(details.getByText('The mailbox is being moved.')).toBeVisible();
  await expect(details.getByText('Show 2 more')).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await sound(page, 'running session on a phone');
  await axeInBoth(page, 'running session');
  isBroken = true;
  await page.reload();
  const again = details.getByRole('button', { name: 'Try again' });
  await expect(again).toBeVisible();
  await page.evaluate(() =>
    addEventListener(
      'click',
      () => {
        document.documentElement.dataset['pressed'] = '';
      },
      { capture: true, once: true },
    ),
  );
  await again.click();
  await expect(details.getByRole('heading', { name: 'Current session' })).toBeVisible();
  await page.context().close();
});

test('WIZ-9, WIZ-12: wizards that were open before the first organization begin with it', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await freeTenant(portal);
  await enter(portal, page, 'm365', '/o365/jobs/1', portal.password);
  // Tabs share the page to open after the sign-in.
  await expectTitle(page, 'New backup job');
  const roles = await page.context().newPage();
  await roles.goto(`${portal.url}/o365/restore-operator-roles/1`);
  for (const tab of [page, roles])
    await expect(heading2(tab, 'Create an organization first')).toBeVisible();
  await connectFreed(portal);

  await expect(heading2(page, 'Name and organization')).toBeFocused();
  await page.getByRole('textbox', { name: 'Name' }).fill('First');
  await page.keyboard.press('Control+Enter');
  await expect(heading2(page, 'What to back up')).toBeFocused();

  await roles.bringToFront();
  await expect(heading2(roles, 'Name')).toBeFocused();
  await roles.getByRole('textbox', { name: 'Name' }).fill('First');
  await roles.keyboard.press('Control+Enter');
  await expect(heading2(roles, 'Organization')).toBeFocused();
  await roles.keyboard.press('Control+Enter');
  await expect(heading2(roles, 'Operators')).toBeFocused();
  expect(errors).toEqual([]);
});

test('WIZARD-2: with an organization and no job, the prompt leads to the first step of a job; the menu explains restore operators', async ({
  page,
}) => {
  const api = await loadApi(portal, 'm365');
  const { rows } = (await api('GET', 'o365/jobs')) as {
    rows: { id: string; organizationId: string }[];
  };
  await enter(portal, page, 'm365', '/o365/dashboard', portal.password);
  const operators = page.getByRole('link', { name: 'Restore Operators' });
  await operators.hover();
  await expect(page.getByRole('tooltip')).toHaveText(
    'Setup a Restore Operator if you wish one end-user to restore data for other end-users.',
  );
  const prompt = page.getByRole('region', { name: 'Get started' });
  await expect(prompt).toHaveCount(0);
  for (const { id } of rows) await api('DELETE', `o365/jobs/${id}`);
  await expect(
    prompt.getByText('Please create a new Job under your Organization', { exact: true }),
  ).toBeVisible();
  await prompt.getByRole('link', { name: 'New job' }).click();
  await expect(page).toHaveURL(/\/o365\/jobs\/1(\?|$)/);
  await expect(heading2(page, 'Name')).toBeVisible();
  await expect(prompt).toBeHidden();
});

const heading2 = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });

/**
 * A button was pressed since the page was loaded. Answers are broken until then: a request of the
 * page's own would take the button away before it is pressed.
 */
const hasPressed = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.dataset['pressed'] !== undefined).catch(() => false);

const object = (n: number) => ({
  name: `Person ${n}`,
  kind: n % 2 === 0 ? 'drive' : 'mailbox',
  state: n === 1 ? 'failed' : n === 2 ? 'waiting' : n === 3 ? 'running' : 'success',
  items: n * 7,
  bytes: n * 1_000_000,
  message: n === 1 ? 'The mailbox is being moved.' : null,
});
const RUNNING = {
  session: {
    id: '0a1b2c3d-0000-4000-8000-000000000001',
    jobId: '0a1b2c3d-0000-4000-8000-000000000002',
    state: 'running',
    status: 'Running',
    reason: 'schedule',
    creationTime: Date.now() - 60_000,
    endTime: null,
    details: null,
    progress: {
      objects: { done: 3, total: 10 },
      items: { done: 412, total: null },
      bytes: { done: 48_000_000, total: null },
      storedBytes: 12_000_000,
      waiting: { until: Date.now() + 90_000, reason: 'Microsoft 365 is throttling requests.' },
    },
    objects: Array.from({ length: 10 }, (_, n) => object(n + 1)),
  },
  logs: [
    { n: 1, at: Date.now() - 60_000, level: 'info', message: 'The session started.' },
    {
      n: 2,
      at: Date.now() - 30_000,
      level: 'warning',
      message: 'Person 1: 2 items could not be read.',
    },
  ],
  isLogDeleted: false,
};
