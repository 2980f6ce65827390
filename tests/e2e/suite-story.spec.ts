import { spawnSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import type { BrowserContext, Locator, Page } from '@playwright/test';
import {
  approveCode,
  freeTenant,
  list,
  openTenant,
  rowTexts,
  shownCode,
  submit,
  TASK,
} from './cloud-suite.ts';
import { startFront } from './front.ts';
import type { Front } from './front.ts';
import { ALL_HANDS } from './hands.ts';
import { collectErrors, withoutConnectionErrors } from './page-checks.ts';
import { passTime } from './pass-time.ts';
import { entry, panel } from './people.ts';
import { expectTitle, getRow, loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { pay, register, ZOE } from './sign-up.ts';
import { toolMissing } from './tools.ts';

/** A session backs up real bytes, which takes long on a busy machine. */
const SESSION = { timeout: 250_000 };
const DAY_MINUTES = 1_440;
const REFUSED = /The application does not exist in this tenant/;
// Each story has a portal of its own.
test.describe.configure({ mode: 'parallel' });
let portal: Portal;
/** The portal behind a gateway that can cut a download. */
let front: Front;
test.beforeEach(async () => {
  portal = await startPortal('small');
  front = await startFront(portal.url, 'dist');
});
test.afterEach(async () => {
  await front.stop();
  await portal.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });
const button = (inside: Page | Locator, name: string | RegExp) =>
  inside.getByRole('button', { name, exact: typeof name === 'string' });
const next = (page: Page, step: string) =>
  page.getByRole('button', { name: `Next: ${step}`, exact: false });

/** The name of a person of the tenant, from the page of the simulated organization. */
async function readPerson(context: BrowserContext): Promise<string> {
  const directory = await context.newPage();
  await directory.goto(`${portal.url}/demo/tenant`);
  const person = await directory
    .getByRole('row')
    .filter({ has: directory.getByRole('link', { name: /^Mails of/ }) })
    .nth(3)
    .getByRole('cell')
    .first()
    .innerText();
  await directory.close();
  return person;
}

interface Account {
  readonly username: string;
  readonly password: string;
}

/** When the newest restore point of yesterday was made, in the provider's zone. */
async function readYesterday({ username, password }: Account): Promise<{
  readonly day: string;
  readonly time: string;
}> {
  const api = await loadApi({ url: portal.url, password }, username);
  const { rows } = (await api('GET', 'o365/organizations')) as { rows: { id: string }[] };
  const { timeZone } = (await api('GET', 'service-providers/branding')) as { timeZone: string };
  const points = (await api(
    'GET',
    `o365/restore/restorepoints?organizationId=${rows[0]?.id}&sessionType=Vex`,
  )) as { rows: { backupTime: number }[] };
  const [newest, before] = points.rows.map(({ backupTime }) => backupTime);
  const at = before ?? 0;
  expect((newest ?? 0) - at).toBeGreaterThan(86_400_000);
  const write = (parts: Intl.DateTimeFormatOptions): string =>
    new Date(at).toLocaleString('en-US', { timeZone, ...parts }).replaceAll('\u202f', ' ');
  return {
    day: write({ month: '2-digit', day: '2-digit', year: '2-digit' }),
    time: write({ hour: '2-digit', minute: '2-digit' }),
  };
}

/** Microsoft's side of the story is done with the mouse: it is no page of the product. */
for (const hands of ALL_HANDS)
  test(`SUITE-50: by ${hands.name}, ${hands.name === 'mouse' ? 'a new user registers and pays, ' : ''}a tenant is connected with a code, backed up, restored, undone and downloaded, and its failing job is in the daily checks`, async ({
    browser,
  }) => {
    // The whole path with five sessions of backup and six tasks of restore, as long as four tests.
    test.setTimeout(1_200_000);
    const { press, type, choose, check } = hands;
    const context = await hands.newContext(browser);
    const page = await context.newPage();
    const errors = collectErrors(page);
    await freeTenant(portal);
    const signIn = async ({ username, password }: Account, path: string): Promise<void> => {
      await page.goto(front.url + path);
      await type(page.getByLabel('Username'), username);
      await type(page.getByRole('textbox', { name: 'Password' }), password);
      await press(button(page, 'Sign in'));
    };

    // A user of the demo, or one who comes to the portal just now.
    const isNew = hands.name === 'mouse';
    const user: Account = isNew
      ? { username: ZOE.email, password: ZOE.password }
      : { username: 'm365', password: portal.password };
    if (isNew)
      await test.step('registers, and pays on the page that stands in for the payment provider', async () => {
        await register(page, portal, ZOE);
        await pay(page);
      });

    await test.step('connects a tenant with a code and creates its repository', async () => {
      await signIn(user, '/o365/organizations');
      await expectTitle(page, 'Organizations');
      await check(page, 'organizations');
      await press(button(page, 'New organization'));
      await expect(heading(page, 'Organization and services')).toBeVisible();
      const company = page.getByRole('combobox', { name: 'Company' });
      if (isNew) await choose(company, ZOE.company);
      else await hands.pick(company, 2);
      await type(page.getByRole('textbox', { name: 'Name' }), 'Copperline');
      await check(page, 'organization wizard');
      await press(next(page, 'Application'));
      await press(next(page, 'New application'));
      await type(page.getByRole('textbox', { name: 'Application name' }), 'Northwind backup');
      await press(next(page, 'Sign in to Microsoft 365'));
      await press(button(page, 'Get a code'));
      await expect(shownCode(page)).toBeVisible();
      await check(page, 'shown code');
      await approveCode(portal, context, await shownCode(page).innerText());
      await page.bringToFront();
      await expect(page.getByText(/^Signed in\./)).toBeVisible();
      await press(next(page, 'Repository'));
      await type(page.getByRole('textbox', { name: 'Repository name' }), 'Copperline backups');
      await check(page, 'repository of an organization');
      await press(button(page, /^Create organization/));
      await expectTitle(page, 'Organizations');
      await expect(entry(page, 'Copperline')).toBeVisible();
    });

    const person = await readPerson(context);
    await page.bringToFront();
    const name = `Backup of ${person}`;
    const job = panel(page, name);
    const sessions = job.getByRole('list').last().getByRole('listitem');
    /** Starts a session and waits for its end. */
    const runJob = async (previous: number): Promise<void> => {
      await press(button(job, 'Start job'));
      if (previous > 0) await expect(sessions).toHaveCount(previous);
      // The button to start stays until the server has begun.
      await expect(job.getByRole('heading', { name: 'Last session' })).toBeVisible(SESSION);
      await expect(button(job, 'Start job')).toBeVisible();
      await expect(job.getByRole('status').filter({ hasText: 'Success' })).toBeVisible();
    };
    const openJob = async (): Promise<void> => {
      await press(entry(page, name));
      await expect(job.getByRole('heading', { name, level: 2 })).toBeVisible();
      await expect
        .poll(() => job.evaluate((all) => all.contains(document.activeElement)))
        .toBe(true);
    };

    await test.step('creates a job for one person and runs its first session', async () => {
      await hands.openPage(page, 'Jobs');
      await expectTitle(page, 'Jobs');
      await press(button(page, 'New job'));
      await type(page.getByRole('textbox', { name: 'Name' }), name);
      await choose(page.getByRole('combobox', { name: 'Organization' }), 'Copperline');
      await check(page, 'job wizard');
      await press(next(page, 'What to back up'));
      await press(page.getByRole('radio', { name: /^Selected items/ }));
      await type(page.getByRole('searchbox', { name: 'Search by name or address' }), person);
      await hands.select(page.getByRole('option', { name: new RegExp(`^${person}`) }));
      await check(page, 'job wizard with a person');
      await press(next(page, 'What to leave out'));
      await press(next(page, 'Schedule'));
      await choose(page.getByRole('combobox', { name: 'Runs' }), 'Manually only');
      await check(page, 'job wizard schedule');
      await press(button(page, /^Create job/));
      await expectTitle(page, 'Jobs');
      await openJob();
      await runJob(0);
      await check(page, 'job panel after the first session');
    });

    const tenant = await openTenant(portal, context, person, 'Mails');
    let subject = '';
    let before: readonly string[] = [];
    await test.step('backs up a new mail', async () => {
      const subjects = (): Promise<string[]> =>
        tenant.locator('tbody td:first-child').allTextContents();
      const known = await subjects();
      await submit(tenant.getByRole('button', { name: 'Add mail' }));
      await expect.poll(subjects).not.toEqual(known);
      [subject = ''] = await subjects();
      // Some mails arrive flagged.
      if (!(await rowTexts(tenant, subject))[0]?.includes('Flagged'))
        await submit(
          tenant.getByRole('button', { name: `Flag mail: ${subject}`, exact: true }).first(),
        );
      await expect
        .poll(async () => (await rowTexts(tenant, subject))[0])
        .toMatch(/\d UTC\s+(Un)?[Rr]ead.*Flagged/);
      before = await rowTexts(tenant, subject);
      await page.bringToFront();
      await runJob(1);
      await hands.closeItem(page);
      await hands.logOut(page);
      await expect(page.getByLabel('Username')).toBeVisible();
    });

    await passTime(portal, DAY_MINUTES);

    await test.step('on the next day, backs up the deletion of the mail', async () => {
      await signIn(user, '/o365/jobs');
      await expectTitle(page, 'Jobs');
      await openJob();
      await tenant.reload();
      await submit(
        tenant.getByRole('button', { name: `Delete mail: ${subject}`, exact: true }).first(),
      );
      await expect.poll(() => rowTexts(tenant, subject)).toHaveLength(before.length - 1);
      await page.bringToFront();
      await runJob(2);
      await hands.closeItem(page);
    });

    await test.step('finds and reads the mail as of yesterday', async () => {
      const yesterday = await readYesterday(user);
      await hands.openPage(page, 'Outlook');
      await expectTitle(page, 'Restore mailboxes');
      const slider = page.getByRole('slider', { name: 'Restore point' });
      await expect(slider).toHaveAttribute('aria-valuenow', '3');
      await hands.openFolder(page, person, 'Inbox');
      await expect(list(page, 'Inbox').getByRole('option').first()).toBeVisible();
      await check(page, 'a folder at the newest restore point');
      await hands.search(page, 'Search this folder', subject);
      const found = page.getByRole('region', { name: 'Inbox' });
      const finds = async (count: number): Promise<void> => {
        if (count === 0) await expect(heading(page, 'No matches')).toBeVisible();
        else
          await expect(found.getByText(count === 1 ? '1 match' : `${count} matches`)).toBeVisible();
      };
      await finds(before.length - 1);
      const hasDay = async (): Promise<void> => {
        await expect(slider).toHaveAttribute('aria-valuenow', '2');
        await expect(slider).toHaveAttribute(
          'aria-valuetext',
          `${yesterday.day} ${yesterday.time}`,
        );
        const day = page.getByRole('combobox', { name: 'Day' });
        await expect(day.locator('option:checked')).toHaveText(yesterday.day);
      };
      await hands.openDayBefore(page, yesterday.day, async () => {
        await hasDay();
        await hands.openFolder(page, person, 'Inbox');
        await hands.search(page, 'Search this folder', subject);
      });
      await finds(before.length);
      if (hands.name !== 'phone') await hasDay();
      const details = await hands.openItem(page, subject);
      await press(button(details, 'Show mail'));
      const text = page.frameLocator('iframe[title^="Text of"]').locator('body');
      await expect(text).toContainText(/\w/);
      await press(button(details, 'Hide'));
      await check(page, 'details of a mail');
      await hands.closeItem(page);
    });

    await test.step('restores the mail after a dry run, with rights that the administrator grants, and undoes it', async () => {
      await hands.mark(page);
      await press(button(page, /^Restore 1 item/));
      const restore = hands.getRestore(page);
      await press(button(restore, 'Dry run'));
      await expect(restore.getByText('Will be created.')).toBeVisible(TASK);
      await check(page, 'dry run');
      await press(button(restore, 'Restore 1 item'));
      await expect(restore.getByRole('heading', { name: 'Sign in to restore' })).toBeFocused();
      await press(button(restore, 'Get a code'));
      await expect(shownCode(page)).toBeVisible();
      await check(page, 'code to restore');
      await approveCode(portal, context, await shownCode(page).innerText());
      await page.bringToFront();
      await expect(
        restore.getByRole('heading', { name: 'Restore complete', exact: true }),
      ).toBeVisible(TASK);
      await expect(restore.getByText(/Write permissions end at \d/)).toBeVisible();
      await check(page, 'restored with a code');
      await tenant.reload();
      expect(await rowTexts(tenant, subject)).toEqual(before);
      await page.bringToFront();
      await press(button(restore, 'Undo restore'));
      await expect(restore.getByRole('heading', { name: 'Restore undone' })).toBeVisible(TASK);
      await check(page, 'undone restore');
      await tenant.reload();
      expect(await rowTexts(tenant, subject)).toHaveLength(before.length - 1);
      await page.bringToFront();
      await press(button(restore, 'Done'));
    });

    await test.step('goes on with the download of a OneDrive where it was cut', async () => {
      const ranges = front.cut(/^\/download\//);
      await hands.openPage(page, 'OneDrive');
      await expectTitle(page, 'Restore OneDrives');
      await hands.openFolder(page, person);
      await press(button(page, /^Download/));
      const dialog = page.getByRole('dialog', { name: 'Download' });
      await expect(dialog.getByText(/^\d+ items?, /)).toBeVisible();
      await check(page, 'download of a drive');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        press(button(dialog, 'Download')),
      ]);
      const file = await download.path();
      expect(download.suggestedFilename()).toMatch(/-onedrive\.zip$/);
      expect(ranges).toEqual(['', expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
      expect(toolMissing('unzip', 'unzip')).toBeNull();
      const { status, stdout } = spawnSync('unzip', ['-t', file], { encoding: 'utf8' });
      expect([status, stdout]).toEqual([0, expect.stringContaining('No errors detected')]);
      await check(page, 'started download of a drive');
    });

    await test.step('shows a job that fails among the daily checks', async () => {
      await tenant.goto(`${portal.url}/demo/tenant`);
      const remove = tenant.getByRole('button', { name: 'Remove application: Northwind backup' });
      await submit(remove);
      await expect(remove).toHaveCount(0);
      await page.bringToFront();
      // A running server may use its token until it expires.
      await portal.kill();
      await portal.start();
      await expect(button(page, /^Live/)).toBeVisible({ timeout: 60_000 });
      await hands.openPage(page, 'Jobs');
      await expectTitle(page, 'Jobs');
      await openJob();
      await press(button(job, 'Start job'));
      await expect(job.getByText(REFUSED).first()).toBeVisible(SESSION);
      await expect(job.getByRole('status').filter({ hasText: 'Failed' })).toBeVisible();
      await check(page, 'panel of a job that failed');
      await hands.closeItem(page);
      await hands.logOut(page);
      await expect(page.getByLabel('Username')).toBeVisible();
      await signIn(
        { username: 'operator', password: portal.password },
        '/monitoring/daily-checks?state=Failed&instructionType=office365',
      );
      await expectTitle(page, 'Daily checks');
      await expect(getRow(page, name)).toContainText(REFUSED);
      const result = await hands.openResult(page, getRow(page, name));
      await expect(result.getByText(REFUSED).first()).toBeVisible();
      await check(page, 'result of a job that failed');
    });
    expect(withoutConnectionErrors(errors)).toEqual([]);
    await context.close();
  });
