import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { connectTenant } from './cloud-suite.ts';
import { PHONE } from './hands.ts';
import { axeInBoth, collectErrors, expectTouchable, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { expectTitle, loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import type { Data } from './server-process.ts';

/** As many as a job may have. */
const PEOPLE = 10_000;
const ALL = '10,000';
let portal: Portal;

test.beforeEach(async () => {
  portal = await startPortal('small', [], 'any', hirePeople);
  await connectTenant(portal);
});
test.afterEach(() => portal.stop());

/** Gives the simulated organization workers, until it has as many people as the test needs. */
function hirePeople({ folder }: Data): void {
  const tenants = join(folder, 'demo-tenants');
  for (const file of readdirSync(tenants).filter((name) => name.endsWith('.sqlite'))) {
    const database = new DatabaseSync(join(tenants, file));
    const { missing, n, seq } = database
      .prepare(
        `select ? - count(*) filter (where removed = 0) as missing, max(n) as n,
          (select cast(value as integer) from meta where key = 'seq') as seq from person`,
      )
      .get(PEOPLE) as Readonly<Record<'missing' | 'n' | 'seq', number>>;
    database
      .prepare(
        `with recursive worker (i) as (select 1 union all select i + 1 from worker where i < :missing)
        insert into person (n, id, upn, given_name, surname, name, department, job_title, mail,
          enabled, licensed, mailbox, has_drive, content, created_at, seq)
        select :n + i, printf('00000000-0000-4000-8000-%012d', i),
          printf('w%05d@works.example.com', i), 'Worker', printf('%05d', i), printf('Worker %05d', i),
          'Workshop', 'Fitter', printf('w%05d@works.example.com', i), 1, 0, 'none', 0, 0, 0, :seq + i
        from worker`,
      )
      .run({ missing, n, seq });
    database.prepare("update meta set value = ? where key = 'seq'").run(String(seq + missing));
    database.close();
  }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search by name or address' });
const objects = (page: Page) => page.getByRole('listbox', { name: 'Search by name or address' });
const person = (page: Page, name: string) => objects(page).getByRole('option', { name });
const chosen = (page: Page) => page.getByRole('region', { name: 'Selected' });

/** Opens the step of the wizard that selects people, once all of them are loaded. */
async function openSelection(page: Page, name: string): Promise<void> {
  await enter(portal, page, 'm365', '/o365/jobs/1');
  await expect(heading(page, 'Name and organization')).toBeFocused();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'What to back up')).toBeFocused();
  await page.getByRole('radio', { name: /^Selected items/ }).check();
  await expect(page.getByText(`${ALL} of ${ALL}`)).toBeVisible();
}

/** Creates the job and returns the ids of what it backs up, as the server has them. */
async function createJob(page: Page, name: string): Promise<readonly (string | null)[]> {
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'What to leave out')).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(heading(page, 'Schedule')).toBeFocused();
  await page.getByRole('combobox', { name: 'Runs' }).selectOption({ label: 'Manually only' });
  await page.getByRole('button', { name: /^Create job/ }).press('Enter');
  await expectTitle(page, 'Jobs');
  const api = await loadApi(portal, 'm365');
  const { rows } = (await api('GET', 'o365/jobs')) as { rows: { id: string; name: string }[] };
  const job = (await api('GET', `o365/jobs/${rows.find((row) => row.name === name)?.id}`)) as {
    readonly selectedItems: readonly { readonly id: string | null }[];
  };
  return job.selectedItems.map(({ id }) => id);
}

/** The row that the list says is the current one. */
async function getActive(list: Locator): Promise<Locator> {
  const id = (await list.getAttribute('aria-activedescendant')) ?? '';
  return list.page().locator(`[id="${id}"]`);
}
async function expectActive(page: Page, position: number): Promise<Locator> {
  const list = objects(page);
  await expect
    .poll(async () => Number(await (await getActive(list)).getAttribute('aria-posinset')))
    .toBe(position);
  const row = await getActive(list);
  await expect(row).toBeInViewport();
  return row;
}

test('WIZ-12: by keyboard, people are found, reached and selected among 10,000, the choice outlives a search, and the job has it', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const { keyboard } = page;
  await openSelection(page, 'By keyboard');
  for (let n = 0; n < 20 && !(await isFocused(search(page))); n += 1) await keyboard.press('Tab');
  // Down leads from the search into the list.
  await keyboard.press('ArrowDown');
  await expect(objects(page)).toBeFocused();
  await expectActive(page, 1);
  await keyboard.press('End');
  const last = await expectActive(page, PEOPLE);
  const lastName = await last.locator('span > span').first().innerText();
  await keyboard.press('Space');
  await expect(last).toHaveAttribute('aria-selected', 'true');
  await keyboard.press('PageUp');
  const readPosition = async (): Promise<number> =>
    Number(await (await getActive(objects(page))).getAttribute('aria-posinset'));
  await expect.poll(readPosition).toBeLessThan(PEOPLE - 1);
  const page1 = PEOPLE - (await readPosition());
  await keyboard.press('PageDown');
  await expectActive(page, PEOPLE);
  await keyboard.press('Home');
  await expectActive(page, 1);
  await keyboard.press('PageDown');
  await keyboard.press('ArrowDown');
  await expectActive(page, page1 + 2);
  await keyboard.press('ArrowUp');
  await expectActive(page, page1 + 1);

  // Scrolled away with the wheel, the current row is still one that a screen reader can read.
  await objects(page).hover();
  await page.mouse.wheel(0, PEOPLE * 100);
  await expect(objects(page).locator(`[aria-posinset="${PEOPLE}"]`)).toBeInViewport();
  const away = await getActive(objects(page));
  await expect(away).toHaveAttribute('aria-posinset', String(page1 + 1));
  await expect(away).not.toBeInViewport();

  // Letters go to the search.
  await keyboard.type('worker 00077');
  await expect(search(page)).toBeFocused();
  await expect(search(page)).toHaveValue('worker 00077');
  await expect(page.getByText(`1 of ${ALL}`)).toBeVisible();
  await keyboard.press('ArrowDown');
  await expectActive(page, 1);
  await keyboard.press('Space');
  await expect(person(page, 'Worker 00077')).toHaveAttribute('aria-selected', 'true');
  await sound(page, 'search in a large organization');
  await search(page).focus();
  await keyboard.press('ControlOrMeta+a');
  await keyboard.type('worker 0012');
  await expect(page.getByText(`10 of ${ALL}`)).toBeVisible();
  await keyboard.press('ArrowDown');
  await expect(objects(page)).toBeFocused();
  await keyboard.press('ControlOrMeta+a');
  await expect(chosen(page).getByText('12 items')).toBeVisible();
  await search(page).focus();
  await keyboard.press('Escape');
  await expect(page.getByText(`${ALL} of ${ALL}`)).toBeVisible();
  for (const name of [lastName, 'Worker 00077', 'Worker 00125'])
    await expect(chosen(page).getByText(name)).toBeVisible();
  expect(await createJob(page, 'By keyboard')).toEqual([
    expect.any(String),
    getId(77),
    ...Array.from({ length: 10 }, (_, n) => getId(120 + n)),
  ]);
  expect(errors).toEqual([]);
});

test('WIZ-12: with the mouse, the list scrolls to its end, all are selected but one, and the job has them', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await openSelection(page, 'By mouse');
  await objects(page).hover();
  await page.mouse.wheel(0, PEOPLE * 100);
  const last = objects(page).locator(`[aria-posinset="${PEOPLE}"]`);
  await last.click();
  await expect(last).toHaveAttribute('aria-selected', 'true');
  // The list has the focus and goes on from there.
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await expectActive(page, 1);
  await expect(chosen(page).getByText('2 items')).toBeVisible();
  await page.getByRole('button', { name: `Select all ${ALL}` }).click();
  await expect(chosen(page).getByText(`${ALL} items`)).toBeVisible();
  await axeInBoth(page, 'large organization');
  await search(page).fill('w00300@');
  await person(page, 'Worker 00300').click();
  await search(page).fill('');
  await expect(chosen(page).getByText('9,999 items')).toBeVisible();
  const saved = await createJob(page, 'By mouse');
  expect(new Set(saved).size).toBe(PEOPLE - 1);
  expect(saved).not.toContain(getId(300));
  expect(errors).toEqual([]);
});

test('WIZ-12: on a phone, people are found and selected among 10,000', async ({ browser }) => {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const errors = collectErrors(page);
  await openSelection(page, 'By phone');
  await search(page).fill('worker 0450');
  await expect(page.getByText(`10 of ${ALL}`)).toBeVisible();
  const row = person(page, 'Worker 04507');
  await expectTouchable(row);
  await row.tap();
  await expect(row).toHaveAttribute('aria-selected', 'true');
  await search(page).fill('');
  await expect(chosen(page).getByText('Worker 04507')).toBeVisible();
  await sound(page, 'large organization on a phone');
  expect(await createJob(page, 'By phone')).toEqual([getId(4_507)]);
  expect(errors).toEqual([]);
  await context.close();
});

const isFocused = (control: Locator): Promise<boolean> =>
  control.evaluate((one) => one === document.activeElement);
/** The id of a worker of `hirePeople`. */
const getId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
