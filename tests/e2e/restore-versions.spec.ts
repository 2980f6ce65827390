import { expect, test } from '@playwright/test';
import type { BrowserContext, Page } from '@playwright/test';
import {
  ONEDRIVE,
  TASK,
  addUniqueItem,
  details,
  getCellTexts,
  getShownFile,
  list,
  listPeople,
  node,
  openTenant,
  restorePanel,
  submit,
} from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { enter } from './people.ts';
import { loadApi, startPortal, waitForBackups } from './portal.ts';
import type { Portal } from './portal.ts';

let portal: Portal;

test.beforeEach(async () => {
  portal = await startPortal('small');
  await waitForBackups(portal);
});
test.afterEach(() => portal.stop());

/** Adds a file, changes it twice, and backs it up. Returns its name. */
async function addVersions(context: BrowserContext, person: string): Promise<string> {
  const files = await openTenant(portal, context, person, 'Files');
  const name = await addUniqueItem(files, 'file');
  for (const _ of [1, 2]) {
    const before = await getSize(files, name);
    await submit(files.getByRole('button', { name: `Change file: ${name}`, exact: true }));
    await expect.poll(() => getSize(files, name)).not.toBe(before);
  }
  await files.close();
  const api = await loadApi(portal, 'm365');
  const { rows } = (await api('GET', 'o365/jobs')) as {
    rows: { id: string; organizationId: string; fileVersions: unknown }[];
  };
  const job = rows.find(({ fileVersions }) => fileVersions === 10);
  const { sessionId } = (await api('POST', `o365/jobs/${job?.id ?? ''}/start`, {
    organizationId: job?.organizationId,
  })) as { readonly sessionId: string };
  await expect
    .poll(
      async () => {
        const { session } = (await api('GET', `o365/jobs/${job?.id ?? ''}/detail/latest`)) as {
          readonly session: { readonly id: string; readonly status: string };
        };
        return session.id === sessionId ? session.status : 'Starting';
      },
      { timeout: 250_000 },
    )
    .toBe('Success');
  return name;
}

const getSize = async (files: Page, name: string): Promise<string> =>
  (await getCellTexts(files.getByRole('row').filter({ hasText: name }))).join(' ');

test('RES-140, RES-81: a version of the history is shown, compared, restored as the present content and undone, by keyboard and on a phone', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const person = (await listPeople(portal))[3]?.name ?? '';
  const fileName = await addVersions(page.context(), person);
  await enter(portal, page, 'm365', ONEDRIVE);
  await node(page, person).click();
  await page.getByRole('searchbox', { name: 'Search this folder' }).fill(fileName);
  await expect(page.getByText('1 match', { exact: true })).toBeVisible();
  await list(page).getByRole('option').first().click();
  await details(page).getByRole('button', { name: 'Show versions' }).press('Enter');
  const versions = details(page).getByRole('list', { name: 'Versions' }).getByRole('listitem');
  await expect(versions).toHaveCount(3);
  await expect(versions.nth(0)).toContainText('Restore point');
  await expect(versions.nth(1)).toContainText('Version 2.0 of Microsoft 365');
  await expect(versions.nth(2)).toContainText('Version 1.0 of Microsoft 365');
  await expect(versions.nth(1)).toContainText(person);
  await sound(page, 'version history');
  /** A phone opens the details as a sheet, which closes the list. */
  const showVersions = async (): Promise<void> => {
    const button = details(page).getByRole('button', { name: 'Show versions' });
    await expect(button.or(versions.first())).toBeVisible();
    if (await button.isVisible()) await button.press('Enter');
    await expect(versions).toHaveCount(3);
  };
  await showVersions();
  await versions
    .nth(2)
    .getByRole('button', { name: /^Show the version of/ })
    .press('Enter');
  const content = page.getByRole('dialog', { name: /^Version of/ });
  await expect(content.getByRole('heading')).toBeVisible();
  await expect(content.locator('iframe, output').first()).toBeVisible();
  await page.keyboard.press('Escape');

  await showVersions();
  const tenant = await openTenant(portal, page.context(), person, 'Files');
  const before = await getSize(tenant, fileName);
  await page.bringToFront();
  await versions
    .nth(2)
    .getByRole('button', { name: /^Restore the version of/ })
    .press('Enter');
  await restorePanel(page).getByLabel('If the target has another version').selectOption('replace');
  await restorePanel(page).getByRole('button', { name: 'Dry run' }).press('Enter');
  await expect(
    restorePanel(page).getByRole('heading', { name: 'Result of the dry run' }),
  ).toBeFocused(TASK);
  await sound(page, 'dry run of a version');
  expect(await getSize(tenant, fileName)).toBe(before);
  await restorePanel(page).getByRole('button', { name: 'Restore 1 item' }).press('Enter');
  await expect(restorePanel(page).getByRole('heading', { name: 'Restore complete' })).toBeFocused(
    TASK,
  );
  const reload = async (): Promise<string> => {
    await tenant.reload();
    return getSize(tenant, fileName);
  };
  await expect.poll(reload).not.toBe(before);
  await restorePanel(page).getByRole('button', { name: 'Undo restore' }).press('Enter');
  await expect(restorePanel(page).getByRole('heading', { name: 'Restore undone' })).toBeFocused(
    TASK,
  );
  expect(errors).toEqual([]);
});

test('ENG-140: a job shows and changes how many versions it backs up', async ({ page }) => {
  await enter(portal, page, 'm365', '/o365/jobs/1', portal.password);
  await expect(
    page.getByRole('heading', { level: 2, name: 'Name and organization' }),
  ).toBeFocused();
  const field = page.getByRole('combobox', { name: 'Version history of files' });
  await expect(field.locator('option:checked')).toHaveText('Off');
  await field.selectOption({ label: 'All versions' });
  await sound(page, 'version history of a job');
});

test('RES-90: a document, a table, slides, a PDF and a photo of a backup are shown', async ({
  page,
}) => {
  const errors = collectErrors(page);
  await enter(portal, page, 'm365', ONEDRIVE);
  const head = details(page).getByRole('heading', { level: 2 });
  const results = page.getByRole('list', { name: 'Search results' }).getByRole('link');
  for (const ending of ['docx', 'xlsx', 'pptx', 'pdf', 'jpg']) {
    await page.getByRole('button', { name: 'Search everything' }).click();
    await page.getByRole('combobox', { name: 'Where' }).selectOption('OneDrives');
    await page.getByRole('searchbox', { name: /^Search mailboxes/ }).fill(ending);
    await results
      .filter({ hasText: `.${ending}` })
      .first()
      .click();
    await expect(head).toContainText(`.${ending}`);
    const name = await head.innerText();
    await details(page).getByRole('button', { name: 'Show file' }).click();
    const shown = getShownFile(details(page), name);
    if (ending === 'jpg')
      await expect
        .poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBe(160);
    // Each made document has its name as its first line.
    else await expect(shown).toContainText(name.replace(/ \d+\.\w+$/, ''));
    await sound(page, `shown ${ending}`);
  }
  expect(errors).toEqual([]);
});
