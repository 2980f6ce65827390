import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import ICAL from 'ical.js';
import { details, list, node, openItem, OUTLOOK, submit, tree, TASK } from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { takePictures } from './person.ts';
import { expectTitle, startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;

test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

const folder = (page: Page, name: string, level: number): Locator =>
  tree(page).getByRole('treeitem', { name: new RegExp(`^${name} \\d`), level });
const panel = (page: Page): Locator => page.getByRole('region', { name: /^Restore 1 item/ });
const rows = (tenant: Page, name: string): Locator =>
  tenant.getByRole('row').filter({ hasText: name });

/** Opens a folder below a mailbox, and one below that. */
async function openFolder(page: Page, top: string, name: string): Promise<void> {
  // Both may have the same name.
  await folder(page, top, 2).click();
  await page.keyboard.press('ArrowRight');
  await folder(page, name, 3).click();
  await expect(list(page)).toHaveAccessibleName(new RegExp(`^Items of ${name}`));
  await expect(list(page).getByRole('option').first()).toBeVisible();
}

/** Leaves the preview, whose frame axe can't enter. */
async function hidePreview(page: Page, what: string): Promise<void> {
  await takePictures(page, `preview-of-${what.replaceAll(' ', '-')}`);
  await details(page).getByRole('button', { name: 'Hide' }).click();
  await expect(page.locator('iframe')).toHaveCount(0);
  await sound(page, what);
}

/** Deletes the shown item in the tenant, restores it, and sees it there again. */
async function loseAndRestore(page: Page, tenant: Page, name: string): Promise<void> {
  await tenant.bringToFront();
  await tenant.reload();
  const before = await rows(tenant, name).count();
  await tenant
    .getByRole('button', { name: `Delete item: ${name}`, exact: true })
    .first()
    .click();
  await expect(rows(tenant, name)).toHaveCount(before - 1);
  await page.bringToFront();
  await list(page).focus();
  await page.keyboard.press('x');
  await page.keyboard.press('r');
  await panel(page).getByRole('button', { name: 'Dry run' }).click();
  await expect(panel(page).getByText('Will be created.')).toBeVisible(TASK);
  await panel(page).getByRole('button', { name: 'Restore 1 item' }).click();
  await expect(panel(page).getByRole('heading', { name: 'Restore complete' })).toBeVisible(TASK);
  await panel(page).getByRole('button', { name: 'Close' }).first().click();
  await tenant.reload();
  await expect(rows(tenant, name)).toHaveCount(before);
}

/** Downloads the selected item. Returns the name and the text of its file. */
async function download(page: Page): Promise<{ readonly name: string; readonly text: string }> {
  await list(page).focus();
  await page.keyboard.press('d');
  const dialog = page.getByRole('dialog', { name: 'Download' });
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

test('RES-61, ENG-71, DL-20, DL-21: a deleted event, a deleted contact and a deleted task are found, shown, restored, seen in the tenant, and downloaded for another program', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', OUTLOOK);
  await expectTitle(page, 'Restore mailboxes');
  await expect(node(page, /./).first()).toBeVisible();
  const mailbox = node(page, /./).nth(1);
  const person = await mailbox.locator('[data-name]').innerText();
  await mailbox.click();
  await page.keyboard.press('ArrowRight');

  const tenant = await page.context().newPage();
  await tenant.goto(`${portal.url}/demo/tenant`);
  const heading = `Calendar, contacts and tasks of ${person}`;
  await tenant.getByRole('link', { name: heading }).click();
  await expect(tenant.getByRole('heading', { level: 1, name: heading })).toBeVisible();
  await page.bringToFront();

  await openFolder(page, 'Calendars', 'Calendar');
  const meeting = list(page).getByRole('option').filter({ hasText: 'Monday meeting' });
  await meeting.click();
  await expect(details(page).getByRole('heading', { level: 2 })).toHaveText('Monday meeting');
  await expect(details(page).getByText('Organizer')).toBeVisible();
  await details(page).getByRole('button', { name: 'Show event' }).click();
  const shown = page.frameLocator('iframe[title="Text of “Monday meeting”"]');
  await expect(shown.getByText('every week on Monday')).toBeVisible();
  await expect(shown.getByText('Monday meeting (moved)')).toBeVisible();
  await hidePreview(page, 'an event of a backup');
  await loseAndRestore(page, tenant, 'Monday meeting');
  const event = await download(page);
  expect(event.name).toBe('Monday meeting.ics');
  const calendar = new ICAL.Component(ICAL.parse(event.text) as unknown[]);
  const parts = calendar.getAllSubcomponents('vevent').map((part) => new ICAL.Event(part));
  expect(parts.map(({ summary }) => summary)).toEqual(['Monday meeting', 'Monday meeting (moved)']);
  expect(parts[0]?.attendees.length).toBeGreaterThan(0);

  await openFolder(page, 'Contacts', 'Contacts');
  const contact = await openItem(page, list(page).getByRole('option').first());
  await details(page).getByRole('button', { name: 'Show contact' }).click();
  await expect(page.frameLocator('iframe').getByText('Mobile phone')).toBeVisible();
  await hidePreview(page, 'a contact of a backup');
  await loseAndRestore(page, tenant, contact);
  const card = await download(page);
  expect(card.name).toBe(`${contact}.vcf`);
  const read = new ICAL.Component(ICAL.parse(card.text) as unknown[]);
  expect(read.getFirstPropertyValue('fn')).toBe(contact);
  expect(String(read.getFirstPropertyValue('email'))).toContain('@');

  await test.step('a task is shown, restored and downloaded', async () => {
    await openFolder(page, 'Tasks', 'Tasks');
    const task = await openItem(page, list(page).getByRole('option').first());
    await details(page).getByRole('button', { name: 'Show task' }).click();
    await expect(page.frameLocator('iframe').getByText('Checklist')).toBeVisible();
    await hidePreview(page, 'a task of a backup');
    // Several may have the same title. All of them are lost, and this one is restored.
    const removes = tenant.getByRole('button', { name: `Delete item: ${task}`, exact: true });
    while ((await removes.count()) > 1) await submit(removes.first());
    await loseAndRestore(page, tenant, task);
    const { name, text } = await download(page);
    expect(name).toBe(`${task}.ics`);
    const todo = new ICAL.Component(ICAL.parse(text) as unknown[]).getFirstSubcomponent('vtodo');
    expect(todo?.getFirstPropertyValue('summary')).toBe(task);
  });
  expect(errors).toEqual([]);
});
