import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { PHONE } from './hands.ts';
import {
  details,
  getName,
  getShownFile,
  goToNode,
  list,
  node,
  ONEDRIVE,
  openItem,
  openTenant,
  OUTLOOK,
  rowTexts,
  storeWords,
  submit,
  tree,
  TASK,
} from './cloud-suite.ts';
import { collectErrors, goOffline, expectActiveOutOfSight, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { expectTitle, loadApi, newPage, startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

/** Each provider of the demo has an organization, which is backed up when the portal starts. */
let portal: Portal;

test.beforeEach(async () => {
  portal = await startPortal('small');
  // The jobs have made their first restore points.
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

const panel = (page: Page): Locator =>
  page.getByRole('region', { name: /^Restore (1 item|folder)/ });

test('RES-35, RES-30, RES-37: a deleted mail is found by keyboard, tried, restored with its date, seen in the tenant, undone, and listed', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', OUTLOOK);
  await expectTitle(page, 'Restore mailboxes');
  await expect(node(page, /./).first()).toBeVisible();
  await expect(page.getByText('Restore session open')).toBeVisible();
  const person = await getName(node(page, /./).nth(1));

  // The tree by keyboard: the second mailbox, its folders, Inbox.
  await tree(page).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await expect(node(page, new RegExp(`^${person}`))).toHaveAttribute('aria-expanded', 'true');
  await expect(node(page, /^Inbox/)).toBeVisible();
  await goToNode(page, 'Inbox');
  await page.keyboard.press('Enter');
  await expect(node(page, /^Inbox/)).toHaveAttribute('aria-selected', 'true');

  // The first mail.
  const first = list(page, 'Inbox').getByRole('option').first();
  await expect(first).toBeVisible();
  await list(page).focus();
  const head = details(page).getByRole('heading', { level: 2 });
  await expect(head).toBeVisible();
  const subject = await head.innerText();
  await expect(first).toContainText(subject);
  await sound(page, 'restore mailboxes', { sidebar: true });
  await expectActiveOutOfSight(list(page));
  await page.keyboard.press('Home');
  await expect(head).toHaveText(subject);
  await page.setViewportSize({ width: 1440, height: 500 });
  await tree(page).focus();
  await page.keyboard.press('Home');
  await expectActiveOutOfSight(tree(page));
  await page.keyboard.press('ArrowDown');
  await page.setViewportSize({ width: 1440, height: 900 });

  const tenant = await openTenant(portal, page.context(), person, 'Mails');
  const before = await rowTexts(tenant, subject);
  await submit(
    tenant.getByRole('button', { name: `Delete mail: ${subject}`, exact: true }).first(),
  );
  await expect.poll(() => rowTexts(tenant, subject)).toHaveLength(before.length - 1);

  await page.bringToFront();
  await list(page).focus();
  await page.keyboard.press('x');
  await expect(list(page).getByRole('option', { selected: true })).toHaveCount(1);
  await page.keyboard.press('r');
  await expect(panel(page)).toBeVisible();
  await sound(page, 'restore form');
  await panel(page).getByRole('button', { name: 'Dry run' }).press('Enter');
  await expect(panel(page).getByRole('heading', { name: 'Result of the dry run' })).toBeFocused(
    TASK,
  );
  await expect(panel(page).getByText('Will be created.')).toBeVisible(TASK);
  expect(await rowTexts(tenant, subject)).toHaveLength(before.length - 1);
  await sound(page, 'dry run');

  await panel(page).getByRole('button', { name: 'Restore 1 item' }).press('Enter');
  await expect(panel(page).getByRole('heading', { name: 'Restore complete' })).toBeFocused(TASK);
  await expect(panel(page).getByText('Created.')).toBeVisible();
  await tenant.reload();
  await expect
    .poll(async () => (await rowTexts(tenant, subject)).toSorted())
    .toEqual(before.toSorted());

  await panel(page).getByRole('button', { name: 'Undo restore' }).press('Enter');
  await expect(panel(page).getByRole('heading', { name: 'Restore undone' })).toBeFocused(TASK);
  await tenant.reload();
  await expect.poll(() => rowTexts(tenant, subject)).toHaveLength(before.length - 1);

  // Its steps are listed.
  await page.getByRole('button', { name: 'Restores', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Restores of/ });
  const lines = dialog.getByRole('listitem').filter({ has: page.getByRole('button') });
  await expect(lines.first()).toContainText('Undo of a restore');
  await expect(lines.nth(1)).toContainText('Restore of mail');
  await expect(lines.nth(2)).toContainText('Dry run for mail');
  await lines.nth(1).getByRole('button', { name: 'Show results' }).click();
  await expect(lines.nth(1).getByText('Created.')).toBeVisible();
  await sound(page, 'restores');
  await dialog.getByRole('button', { name: 'Close' }).click();

  // A colleague opens the same place by its address.
  const colleague = await newPage(page.context().browser()!);
  const { pathname, search } = new URL(page.url());
  await enter(portal, colleague, 'm365', pathname + search);
  await expect(details(colleague).getByRole('heading', { level: 2 })).toHaveText(subject);
  await expect(node(colleague, /^Inbox/)).toHaveAttribute('aria-selected', 'true');
  await colleague.context().close();
  expect(errors).toEqual([]);
});

test('RES-31, RES-8: what the newest restore point lacks is in the one before, or among the deleted items', async ({
  page,
}) => {
  await enter(portal, page, 'm365', OUTLOOK);
  await node(page, /./).first().click();
  await node(page, /^Inbox/)
    .first()
    .click();
  await list(page).getByRole('option').first().click();
  const subject = await details(page).getByRole('heading', { level: 2 }).innerText();
  const person = await getName(node(page, /./).first());
  // Mails with this subject: others may arrive meanwhile.
  const found = page.getByRole('region', { name: 'Inbox' }).getByText(/^\d+ match(?:es)?$/);
  const search = async (): Promise<void> => {
    await page.getByRole('searchbox', { name: 'Search this folder' }).fill(subject);
    await expect(found).toBeVisible();
  };
  await search();
  const total = Number.parseInt(await found.innerText(), 10);
  expect(total).toBeGreaterThan(0);
  const finds = (count: number): Promise<void> =>
    expect(found).toHaveText(count === 1 ? '1 match' : `${count} matches`);
  const api = await loadApi(portal, 'm365');
  const organizationId = new URL(page.url()).searchParams.get('organization') ?? '';
  const loadPoints = async (): Promise<{ jobId: string; backupTime: number }[]> =>
    (
      (await api(
        'GET',
        `o365/restore/restorepoints?sessionType=Vex&organizationId=${organizationId}`,
      )) as { rows: { jobId: string; backupTime: number }[] }
    ).rows;
  const before = await loadPoints();
  const tenant = await openTenant(portal, page.context(), person, 'Mails');
  await submit(
    tenant.getByRole('button', { name: `Delete mail: ${subject}`, exact: true }).first(),
  );
  await tenant.close();

  // Another session of the job, after the one of its schedule that may be running.
  const job = `o365/jobs/${before[0]?.jobId}`;
  let sessionId = '';
  await expect
    .poll(
      async () => {
        const started = (await api('POST', `${job}/start`, { organizationId }).catch(String)) as
          | string
          | { readonly sessionId: string };
        if (typeof started === 'string') return started;
        ({ sessionId } = started);
        return 'started';
      },
      { timeout: 90_000 },
    )
    .toBe('started');
  // A session that doesn't end says in the failure what it was doing.
  await expect
    .poll(
      async () => {
        const { session, logs } = (await api('GET', `${job}/detail/latest`)) as {
          session: { id: string; state: string; progress: { waiting: unknown } };
          logs: { message: string }[];
        };
        return session.id !== sessionId || session.state === 'done'
          ? 'done'
          : JSON.stringify([session.state, session.progress, logs.at(-1)?.message]);
      },
      { timeout: 180_000 },
    )
    .toBe('done');
  const options = list(page).getByRole('option');
  const newest = (await loadPoints()).length;
  expect(newest).toBeGreaterThan(before.length);

  await page.goto(`${portal.url}${OUTLOOK}`);
  const slider = page.getByRole('slider', { name: 'Restore point' });
  const shown = async (): Promise<number> => Number(await slider.getAttribute('aria-valuenow'));
  await expect.poll(shown).toBeGreaterThanOrEqual(newest);
  await node(page, new RegExp(`^${person}`)).click();
  await node(page, /^Inbox/)
    .first()
    .click();
  await search();
  await finds(total - 1);
  await page.getByRole('switch', { name: 'Show deleted' }).click();
  await finds(total);
  await expect(options.filter({ has: page.getByLabel('deleted') })).toHaveCount(1);
  await page.getByRole('switch', { name: 'Show deleted' }).click();
  await finds(total - 1);
  await slider.focus();
  for (let at = await shown(); at > before.length; at -= 1) {
    await page.keyboard.press('[');
    await expect(slider).toHaveAttribute('aria-valuenow', String(at - 1));
  }
  await finds(total);
  await page.keyboard.press('ArrowRight');
  await expect(slider).toHaveAttribute('aria-valuenow', String(before.length + 1));
});

test('RES-80: one search finds a mail and a file by keyboard, says when they were seen, and opens them there', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', OUTLOOK);
  await node(page, /./).first().click();
  await node(page, /^Inbox/).click();
  const head = details(page).getByRole('heading', { level: 2 });
  const subject = await openItem(page, list(page, 'Inbox').getByRole('option').first());

  await node(page, /./).first().focus();
  await page.keyboard.press('f');
  const field = page.getByRole('searchbox', { name: /^Search mailboxes/ });
  await expect(field).toBeFocused();
  await expect(page.getByRole('heading', { name: 'What are you looking for?' })).toBeVisible();
  await page.keyboard.type(subject);
  const results = page.getByRole('list', { name: 'Search results' }).getByRole('link');
  await expect(results.filter({ hasText: subject }).first()).toContainText('Last seen');
  await sound(page, 'search of all restore points', { sidebar: true });
  await page.keyboard.press('Enter');
  await expect(results.first()).toBeFocused();
  await results.filter({ hasText: subject }).first().press('Enter');
  await expect(head).toHaveText(subject);
  await expect(list(page).getByRole('option').first()).toBeVisible();

  // A file, from the page of mailboxes.
  await page.getByRole('button', { name: 'Search everything' }).click();
  await page.getByRole('combobox', { name: 'Where' }).selectOption('OneDrives');
  await field.fill('docx');
  await expect(results.first()).toContainText('.docx');
  await results.first().click();
  await expectTitle(page, 'Restore OneDrives');
  await expect(head).toContainText('.docx');

  await page.getByRole('button', { name: 'Search everything' }).click();
  await field.fill('zzzzqq');
  await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible();
  await sound(page, 'search without results', { sidebar: true });
  await page.getByRole('button', { name: 'Close search' }).click();
  await expect(node(page, /./).first()).toBeVisible();
  expect(errors).toEqual([]);
});

test('RES-36: a session is stopped and opened again at the same place, an old address says what is missing, and nothing is shown offline', async ({
  page,
}) => {
  await enter(portal, page, 'm365', OUTLOOK);
  await node(page, /./).first().click();
  await node(page, /^Inbox/)
    .first()
    .click();
  await expect(list(page, 'Inbox')).toBeVisible();
  const address = page.url();
  await page.getByRole('button', { name: 'Stop session' }).click();
  await expect(page.getByRole('heading', { name: 'Restore session stopped' })).toBeVisible();
  await sound(page, 'stopped session');
  await page.getByRole('button', { name: 'Open again' }).click();
  await expect(list(page, 'Inbox')).toBeVisible();
  await expect(page).toHaveURL(address);

  await page.goto(address.replace(/path=[^&]*/, 'path=o1~f1.99999'));
  await expect(page.getByRole('heading', { name: 'Not part of this restore point' })).toBeVisible();
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await expect(page.getByRole('heading', { name: 'Choose a mailbox' })).toBeVisible();

  await goOffline(page);
  await expect(
    page.getByText("You're offline. Backed-up content is not stored on this device."),
  ).toBeVisible();
  await page.context().setOffline(false);
});

test('RES-38, G64: a mail is read in its frame, and mails and a OneDrive are downloaded as one file', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', OUTLOOK);
  await node(page, /./).first().click();
  await node(page, /^Inbox/)
    .first()
    .click();
  const options = list(page, 'Inbox').getByRole('option');
  await options.first().click();
  await details(page).getByRole('button', { name: 'Show mail' }).click();
  const text = page.frameLocator('iframe[title^="Text of"]').locator('body');
  await expect(text).toContainText(/\w/);

  const save = async (press: () => Promise<void>): Promise<readonly [string, Buffer]> => {
    await press();
    const dialog = page.getByRole('dialog', { name: 'Download' });
    await expect(dialog.getByText(/^\d+ items?, /)).toBeVisible();
    // The message disappears, maybe before the download begins.
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download' }).click(),
      expect(page.getByText(/^Download of .+ started \(/).last()).toBeVisible(),
    ]);
    return [file.suggestedFilename(), readFileSync(await file.path())];
  };
  await list(page).focus();
  await page.keyboard.press('x');
  const [mailName, mail] = await save(() => page.keyboard.press('d'));
  expect(mailName).toMatch(/\.eml$/);
  expect(mail.toString('latin1')).toMatch(/^(?:[\w-]+: .*\r?\n(?:[ \t].*\r?\n)*)+\r?\n/);
  await list(page).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('x');
  const [mailsName, mails] = await save(() =>
    page.getByRole('button', { name: 'Download', exact: false }).click(),
  );
  expect(mailsName).toMatch(/\.zip$/);
  expect(mails.readUInt16LE(mails.length - 12)).toBe(2);

  await page.goto(`${portal.url}${ONEDRIVE}`);
  await node(page, /./).first().click();
  const button = page.getByRole('button', { name: 'Download', exact: false });
  await expect(button).toBeVisible();
  await sound(page, 'OneDrive with a download');
  const [driveName, drive] = await save(() => button.click());
  expect(driveName).toMatch(/\.zip$/);
  // The first entry, and the end of the directory with its number of entries.
  expect(drive.readUInt32LE(0)).toBe(0x04034b50);
  expect(drive.readUInt32LE(drive.length - 22)).toBe(0x06054b50);
  expect(drive.readUInt16LE(drive.length - 12)).toBeGreaterThan(1);
  expect(errors).toEqual([]);
});

test('RES-35, RES-90: on a phone, a deleted file is found on a path, shown, restored and undone', async ({
  browser,
}) => {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', ONEDRIVE);
  await expectTitle(page, 'Restore OneDrives');
  const row = node(page, /./).first();
  await expect(row).toBeVisible();
  const person = await getName(row);
  await row.tap();
  await expect(page.getByRole('navigation', { name: 'Path' })).toContainText(person);
  const items = list(page).getByRole('option');
  const folders = page.getByRole('list', { name: 'Folders' }).getByRole('button');
  // Down to the first folder that has a file.
  await expect(items.or(folders).first()).toBeVisible();
  while ((await items.count()) === 0) {
    const place = page.url();
    const [inner = ''] = (await folders.first().innerText()).split('\n');
    await folders.first().tap();
    await expect(page).not.toHaveURL(place);
    // The address changes before what is shown.
    await expect(page.locator('[aria-current=location]')).toHaveText(inner);
    await expect(items.or(folders).first()).toBeVisible();
  }
  await items.first().tap();
  const sheet = page.getByRole('dialog');
  const name = await sheet.getByRole('heading', { level: 2 }).innerText();
  await sound(page, 'file on a phone');
  await sheet.getByRole('button', { name: 'Show file' }).tap();
  await expect(getShownFile(sheet, name)).toBeVisible();
  await sound(page, 'shown file on a phone');
  await sheet.getByRole('button', { name: 'Close' }).tap();

  const tenant = await openTenant(portal, context, person, 'Files');
  await submit(tenant.getByRole('button', { name: `Delete file: ${name}`, exact: true }).first());
  await expect(tenant.getByRole('row').filter({ hasText: name })).toHaveCount(0);
  await page.bringToFront();
  await items.first().locator('[data-select]').tap();
  await page.getByRole('button', { name: 'Restore 1 item' }).tap();
  await page.getByRole('dialog').getByRole('button', { name: 'Dry run' }).tap();
  await expect(page.getByText('Will be created.')).toBeVisible(TASK);
  await sound(page, 'dry run on a phone');
  await page.getByRole('dialog').getByRole('button', { name: 'Restore 1 item' }).tap();
  await expect(page.getByText('Restore complete')).toBeVisible(TASK);
  await tenant.reload();
  await expect(tenant.getByRole('row').filter({ hasText: name })).toHaveCount(1);
  await page.bringToFront();
  await page.getByRole('button', { name: 'Undo restore' }).tap();
  await expect(page.getByText('Restore undone')).toBeVisible(TASK);
  await tenant.reload();
  await expect(tenant.getByRole('row').filter({ hasText: name })).toHaveCount(0);
  expect(errors).toEqual([]);
  await context.close();
});

test('RES-87: a mail is found by words that only its text has, once a job stores them, and the result says so', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', OUTLOOK);
  await node(page, /./).first().click();
  await node(page, /^Inbox/).click();
  const options = list(page, 'Inbox').getByRole('option');
  await expect(options.first()).toBeVisible();
  const subjects = (await options.allInnerTexts()).join('\n').toLowerCase();
  const body = details(page).locator('iframe').contentFrame().locator('body');
  let word: string | undefined;
  for (let n = 0; word === undefined; n += 1) {
    await openItem(page, options.nth(n));
    const show = details(page).getByRole('button', { name: 'Show mail' });
    // What is opened once is open for the next mail too.
    await expect(show.or(details(page).getByRole('button', { name: 'Hide' }))).toBeVisible();
    if (await show.isVisible()) await show.click();
    await expect(body).toContainText(/\w/);
    const text = await body.innerText();
    word = (text.match(/\p{Script=Latin}{7,}/gu) ?? []).find(
      (one) => !subjects.includes(one.toLowerCase()),
    );
  }
  const wanted = word;

  const find = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Search everything' }).click();
    await page.getByRole('searchbox', { name: /^Search mailboxes/ }).fill(wanted);
  };
  const results = page.getByRole('list', { name: 'Search results' }).getByRole('link');
  const inText = results.filter({ hasText: 'Found in the text' });
  await find();
  await expect(
    results.first().or(page.getByRole('heading', { name: 'Nothing found' })),
  ).toBeVisible();
  await expect(inText).toHaveCount(0);
  await page.getByRole('button', { name: 'Close search' }).click();

  await storeWords(portal);
  await find();
  await expect(inText.first()).toBeVisible();
  await sound(page, 'search in texts', { sidebar: true });
  await inText.first().click();
  await expect(details(page).getByRole('heading', { level: 2 })).toBeVisible();
  await details(page).getByRole('button', { name: 'Show mail' }).click();
  await expect(body).toContainText(new RegExp(wanted, 'i'));
  expect(errors).toEqual([]);
});
