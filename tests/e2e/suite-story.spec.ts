import { spawnSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import type { BrowserContext, Page } from '@playwright/test';
import {
  approveCode,
  details,
  freeTenant,
  list,
  node,
  ONEDRIVE,
  openTenant,
  restorePanel,
  rowTexts,
  shownCode,
  submit,
  TASK,
} from './cloud-suite.ts';
import { startFront } from './front.ts';
import type { Front } from './front.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter, entry, panel } from './people.ts';
import { expectTitle, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { toolMissing } from './tools.ts';

/** A session backs up real bytes, which takes long on a busy machine. */
const SESSION = { timeout: 120_000 };
let portal: Portal;
/** The portal behind a gateway that can cut a download. */
let front: Front;
test.beforeAll(async () => {
  portal = await startPortal('small');
  front = await startFront(portal.url, 'dist');
});
test.afterAll(async () => {
  await front.stop();
  await portal.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });
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

test('SUITE-50: a tenant is connected with a code, backed up and restored with the mouse', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await freeTenant(portal);
  await test.step('connects a tenant with a code and creates its repository', async () => {
    await enter({ ...portal, url: front.url }, page, 'm365', '/o365/organizations');
    await expectTitle(page, 'Organizations');
    await page.getByRole('button', { name: 'New organization' }).click();
    await expect(heading(page, 'Organization and services')).toBeVisible();
    await page.getByRole('combobox', { name: 'Company' }).click();
    await page.getByRole('option').nth(2).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Copperline');
    await next(page, 'Application').click();
    await next(page, 'New application').click();
    await page.getByRole('textbox', { name: 'Application name' }).fill('Northwind backup');
    await next(page, 'Sign in to Microsoft 365').click();
    await page.getByRole('button', { name: 'Get a code' }).click();
    await expect(shownCode(page)).toBeVisible();
    await sound(page, 'shown code');
    await approveCode(portal, page.context(), await shownCode(page).innerText());
    await page.bringToFront();
    await expect(page.getByText(/^Signed in\./)).toBeVisible();
    await next(page, 'Repository').click();
    await page.getByRole('textbox', { name: 'Repository name' }).fill('Copperline backups');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await expectTitle(page, 'Organizations');
    await expect(entry(page, 'Copperline')).toBeVisible();
  });

  const person = await readPerson(page.context());
  const job = panel(page, `Backup of ${person}`);
  const sessions = job.getByRole('list').last().getByRole('listitem');
  /** Starts a session and waits for its end. */
  const runJob = async (previous: number): Promise<void> => {
    await job.getByRole('button', { name: 'Start job' }).click();
    if (previous > 0) await expect(sessions).toHaveCount(previous);
    // The button to start stays until the server has begun.
    await expect(job.getByRole('heading', { name: 'Last session' })).toBeVisible(SESSION);
    await expect(job.getByRole('button', { name: 'Start job' })).toBeVisible();
    await expect(job.getByRole('status').filter({ hasText: 'Success' })).toBeVisible();
  };

  await test.step('creates a job for one person and runs its first session', async () => {
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('button', { name: 'New job' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(`Backup of ${person}`);
    await page.getByRole('combobox', { name: 'Organization' }).selectOption('Copperline');
    await next(page, 'What to back up').click();
    await page.getByRole('radio', { name: /^Selected items/ }).click();
    await page.getByRole('searchbox', { name: 'Search by name or address' }).fill(person);
    await page.getByRole('option', { name: new RegExp(`^${person}`) }).click();
    await sound(page, 'job wizard with a person');
    await next(page, 'What to leave out').click();
    await next(page, 'Schedule').click();
    await page.getByRole('combobox', { name: 'Runs' }).selectOption('Manually only');
    await sound(page, 'job wizard schedule');
    await page.getByRole('button', { name: 'Create job' }).click();
    await expectTitle(page, 'Jobs');
    await entry(page, `Backup of ${person}`).click();
    await runJob(0);
    await sound(page, 'job panel after the first session');
  });

  const tenant = await openTenant(portal, page.context(), person, 'Mails');
  let subject = '';
  let before: readonly string[] = [];
  await test.step('backs up a new mail, and then its deletion', async () => {
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
    await submit(
      tenant.getByRole('button', { name: `Delete mail: ${subject}`, exact: true }).first(),
    );
    await expect.poll(() => rowTexts(tenant, subject)).toHaveLength(before.length - 1);
    await page.bringToFront();
    await runJob(2);
  });

  await test.step('finds and reads the mail at the restore point before its deletion', async () => {
    await page.getByRole('link', { name: 'Outlook' }).click();
    await expectTitle(page, 'Restore mailboxes');
    await node(page, person).click();
    await node(page, /^Inbox/).click();
    await expect(list(page, 'Inbox').getByRole('option').first()).toBeVisible();
    const slider = page.getByRole('slider', { name: 'Restore point' });
    await expect(slider).toHaveAttribute('aria-valuenow', '3');
    await sound(page, 'a folder at the newest restore point');
    await page.getByRole('searchbox', { name: 'Search this folder' }).fill(subject);
    const found = page.getByRole('region', { name: 'Inbox' });
    const finds = async (count: number): Promise<void> => {
      if (count === 0) await expect(heading(page, 'No matches')).toBeVisible();
      else
        await expect(found.getByText(count === 1 ? '1 match' : `${count} matches`)).toBeVisible();
    };
    await finds(before.length - 1);
    await page.getByRole('button', { name: /^Earlier restore point/ }).click();
    await expect(slider).toHaveAttribute('aria-valuenow', '2');
    await finds(before.length);
    await list(page).getByRole('option').first().click();
    await expect(details(page).getByRole('heading', { level: 2 })).toHaveText(subject);
    await details(page).getByRole('button', { name: 'Show mail' }).click();
    await expect(page.frameLocator('iframe[title^="Text of"]').locator('body')).toContainText(/\w/);
    await details(page).getByRole('button', { name: 'Hide' }).click();
  });

  await test.step('restores the mail after a dry run, with rights that the administrator grants, and undoes it', async () => {
    await list(page).getByRole('option').first().locator('[data-select]').click();
    await page.getByRole('button', { name: 'Restore 1 item' }).click();
    const restore = restorePanel(page);
    await restore.getByRole('button', { name: 'Dry run' }).click();
    await expect(restore.getByText('Will be created.')).toBeVisible(TASK);
    await restore.getByRole('button', { name: 'Restore 1 item' }).click();
    await expect(restore.getByRole('heading', { name: 'Sign in to restore' })).toBeFocused();
    await restore.getByRole('button', { name: 'Get a code' }).click();
    await expect(shownCode(page)).toBeVisible();
    await sound(page, 'code to restore');
    await approveCode(portal, page.context(), await shownCode(page).innerText());
    await page.bringToFront();
    await expect(
      restore.getByRole('heading', { name: 'Restore complete', exact: true }),
    ).toBeVisible(TASK);
    await expect(restore.getByText(/Write permissions end at \d/)).toBeVisible();
    await sound(page, 'restored with a code');
    await tenant.reload();
    expect(await rowTexts(tenant, subject)).toEqual(before);
    await restore.getByRole('button', { name: 'Undo restore' }).click();
    await expect(restore.getByRole('heading', { name: 'Restore undone' })).toBeVisible(TASK);
    await tenant.reload();
    expect(await rowTexts(tenant, subject)).toHaveLength(before.length - 1);
  });
  expect(errors).toEqual([]);
});

test('SUITE-50: the download of a OneDrive that was cut at half of it goes on where it was cut', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const ranges = front.cut(/^\/download\//);
  await enter({ ...portal, url: front.url }, page, 'm365', ONEDRIVE);
  await expectTitle(page, 'Restore OneDrives');
  await node(page, /./).first().click();
  await page.getByRole('button', { name: /^Download/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Download' });
  await expect(dialog.getByText(/^\d+ items?, /)).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  const file = await download.path();
  expect(download.suggestedFilename()).toMatch(/-onedrive\.zip$/);
  expect(ranges).toEqual(['', expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
  expect(toolMissing('unzip', 'unzip')).toBeNull();
  const { status, stdout } = spawnSync('unzip', ['-t', file], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringContaining('No errors detected')]);
  expect(errors).toEqual([]);
});
