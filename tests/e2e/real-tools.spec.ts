import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { getRow, signIn, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { nobody, runLine, toolMissing } from './tools.ts';

// A backup made by a real tool on this machine shows up in a technician's open grid within five
// seconds of the tool's end.

const WITHIN = { timeout: 60_000 };
let portal: Portal;
let folder: string;

test.beforeEach(async () => {
  portal = await startPortal();
  folder = mkdtempSync(join(tmpdir(), 'daybook-tools-'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'ledger.txt'), 'x'.repeat(300_000));
  writeFileSync(join(folder, 'data', 'notes.txt'), 'a line\n'.repeat(10_000));
  const user = nobody();
  if (user !== undefined)
    for (const path of ['', 'data', 'data/ledger.txt', 'data/notes.txt'])
      chownSync(join(folder, path), user, user);
});
test.afterEach(async () => {
  await portal.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The page's own command for a tool, with a real folder in place of its example. */
async function connect(page: Page, name: string, tool: RegExp, place = 1): Promise<string> {
  await page.goto(`${portal.url}/monitoring/sources`);
  await page.getByRole('button', { name: 'New source' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('radio', { name: tool }).check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByText('Waiting for the first result…')).toBeVisible();
  // the first is the key
  const text = await page.getByRole('dialog').locator('pre, code').nth(place).textContent();
  return text ?? '';
}

const everything = (page: Page) => page.goto(`${portal.url}/monitoring/daily-checks?review=any`);
const env = (name: string) => ({
  RESTIC_REPOSITORY: join(folder, name),
  RESTIC_PASSWORD: 'secret-of-the-repository',
  HOME: folder,
  BORG_BASE_DIR: folder,
  BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: 'yes',
});

test('E2E-1, RUN-1: restic reports a success, an unreadable file and a wrong password', async ({
  page,
  context,
}) => {
  const missing = toolMissing('restic', 'restic');
  test.skip(missing !== null, missing ?? '');
  await signIn(page, portal.url, 'admin', portal.password);
  const line = (await connect(page, 'Files by restic', /^restic/)).replace(
    '/path/to/data',
    join(folder, 'data'),
  );
  expect(line).toContain('restic backup --json');
  const grid = await context.newPage();
  await everything(grid);

  expect(runLine('restic init', env('restic'), nobody()).status).toBe(0);
  const good = runLine(line, env('restic'), nobody());
  expect(good.status, good.said).toBe(0);
  await expect(getRow(grid, 'Files by restic').filter({ hasText: 'Success' })).toBeVisible(WITHIN);
  await expect(page.getByText(/First result arrived/)).toBeVisible(WITHIN);
  await expect(getRow(grid, 'Files by restic')).toContainText(/\d+(\.\d+)? (kB|MB|B)/);

  chmodSync(join(folder, 'data', 'notes.txt'), 0);
  const partly = runLine(line, env('restic'), nobody());
  expect(partly.status, partly.said).toBe(3); // the line hands back what the tool said
  const warned = getRow(grid, 'Files by restic').filter({ hasText: 'Warning' });
  await expect(warned).toBeVisible(WITHIN);
  await expect(warned).toContainText(/notes\.txt|permission denied/i);
  chmodSync(join(folder, 'data', 'notes.txt'), 0o644);

  expect(
    runLine(line, { ...env('restic'), RESTIC_PASSWORD: 'wrong' }, nobody()).status,
  ).toBeGreaterThan(0);
  const failed = getRow(grid, 'Files by restic').filter({ hasText: 'Failed' });
  await expect(failed).toBeVisible(WITHIN);
  await expect(failed).toContainText(/wrong password/i);
});

const nextSecond = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1_000);
  });

test('E2E-1, RUN-1: borg reports a success, an unreadable file and a wrong password', async ({
  page,
  context,
}) => {
  const missing = toolMissing('borg', 'borgbackup');
  test.skip(missing !== null, missing ?? '');
  await signIn(page, portal.url, 'admin', portal.password);
  const line = (await connect(page, 'Files by borg', /^Borg\b(?!matic)/))
    .replace('/path/to/data', join(folder, 'data'))
    .replace('/path/to/repo', join(folder, 'borg'));
  const grid = await context.newPage();
  await everything(grid);
  const own = { ...env('borg'), BORG_PASSPHRASE: 'secret-of-the-repository' };

  expect(runLine(`borg init -e repokey ${join(folder, 'borg')}`, own, nobody()).status).toBe(0);
  const good = runLine(line, own, nobody());
  expect(good.status, good.said).toBe(0);
  await expect(getRow(grid, 'Files by borg').filter({ hasText: 'Success' })).toBeVisible(WITHIN);

  chmodSync(join(folder, 'data', 'notes.txt'), 0);
  // The line names an archive by the second.
  await nextSecond();
  runLine(line, own, nobody());
  await expect(getRow(grid, 'Files by borg').filter({ hasText: 'Warning' })).toBeVisible(WITHIN);
  await expect(getRow(grid, 'Files by borg')).toContainText(/notes\.txt|permission denied/i);
  chmodSync(join(folder, 'data', 'notes.txt'), 0o644);

  runLine(line, { ...own, BORG_PASSPHRASE: 'wrong' }, nobody());
  await expect(getRow(grid, 'Files by borg').filter({ hasText: 'Failed' })).toBeVisible(WITHIN);
  await expect(getRow(grid, 'Files by borg')).toContainText(/passphrase/i);
});

test('E2E-2, RUN-2: borgmatic points its healthchecks hook at the portal unchanged', async ({
  page,
  context,
}) => {
  const missing = toolMissing('borgmatic', 'borgmatic') ?? toolMissing('borg', 'borgbackup');
  test.skip(missing !== null, missing ?? '');
  await signIn(page, portal.url, 'admin', portal.password);
  const hooks = await connect(page, 'Files by borgmatic', /^borgmatic/, 2);
  const grid = await context.newPage();
  await everything(grid);
  const own = { ...env('matic'), BORG_PASSPHRASE: 'secret-of-the-repository' };
  const repository = join(folder, 'matic');
  const config = join(folder, 'config.yaml');
  writeFileSync(
    config,
    `location:\n    source_directories:\n        - ${join(folder, 'data')}\n    repositories:\n        - ${repository}\nretention:\n    keep_daily: 7\n${hooks}`,
  );
  expect(runLine(`borg init -e repokey ${repository}`, own, nobody()).status).toBe(0);

  const good = runLine(`borgmatic create -c ${config} --verbosity 1`, own, nobody());
  expect(good.status, good.said).toBe(0);
  await expect(getRow(grid, 'files-by-borgmatic').filter({ hasText: 'Success' })).toBeVisible(
    WITHIN,
  );

  runLine(
    `borgmatic create -c ${config} --verbosity 1`,
    { ...own, BORG_PASSPHRASE: 'wrong' },
    nobody(),
  );
  const failed = getRow(grid, 'files-by-borgmatic').filter({ hasText: 'Failed' });
  await expect(failed).toBeVisible(WITHIN);
  // borgmatic sends no more than that
  await expect(failed).toContainText(/returned non-zero exit status 2/);
});

test('E2E-3, RUN-3: a job that stops reporting did not run', async ({ page }) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await connect(page, 'Any command', /^Any command/);
  const line = await page
    .getByRole('dialog')
    .locator('pre, code')
    .filter({ hasText: "P='" })
    .first()
    .textContent();
  const ping = /P='([^']+)'/.exec(line ?? '')?.[1] ?? '';
  expect(ping).toContain('/ping/dbk_');
  expect((await fetch(`${ping}?every=3600&grace=3600`)).status).toBe(200);
  await everything(page);
  await expect(getRow(page, 'any-command').filter({ hasText: 'Success' })).toBeVisible(WITHIN);
  // From now on it is late after five seconds, which a busy page may take to open.
  expect((await fetch(`${ping}?every=3&grace=2`)).status).toBe(200);
  await expect(getRow(page, 'any-command').filter({ hasText: 'Did not run' })).toBeVisible({
    timeout: 60_000,
  });
});
