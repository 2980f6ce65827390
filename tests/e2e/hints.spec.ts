import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { createKey, getRow, post, signIn, startPortal, submitSignIn } from './portal.ts';
import type { Portal } from './portal.ts';
import { sound } from './page-checks.ts';

let portal: Portal;
test.beforeEach(async () => {
  portal = await startPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

const SHOTS = process.env['SHOTS'];
const shot = async (page: Page, name: string): Promise<void> => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

test('HINT-4, HINT-3, E2E-7: an administrator writes a hint; a technician finds it at the result, marks it as helpful, and reads it offline', async ({
  browser,
}) => {
  await post(portal.url, await createKey(portal), [
    { job: 'Files nightly', status: 'Failed', message: 'No space left on device /mnt/vault' },
    { job: 'Mail nightly', status: 'Failed', message: 'Connection refused by host' },
  ]);
  const ann = await (await browser.newContext({ colorScheme: 'dark' })).newPage();
  await ann.goto(`${portal.url}/monitoring/hints`);
  await submitSignIn(ann, 'admin', portal.password);
  await expect(ann.getByRole('heading', { level: 2, name: 'No hints yet' })).toBeVisible();
  await sound(ann, 'empty');
  await ann.getByRole('button', { name: 'New hint' }).click();
  await expect(ann.getByRole('heading', { level: 2, name: 'New hint' })).toBeFocused();
  await ann.getByRole('button', { name: 'Create hint' }).click();
  await expect(ann.getByText('Enter a name.')).toBeVisible();
  await expect(ann.getByLabel('Name', { exact: true })).toBeFocused();
  await ann.getByLabel('Name', { exact: true }).fill('The vault is full');
  await ann.getByLabel('Message contains').fill('no space left');
  await ann.getByLabel('Summary').fill('Old restore points were not removed.');
  await ann.getByLabel('Steps').fill('Look at the vault\n\nPrune what is older than a year');
  await ann.getByRole('button', { name: 'Add link' }).click();
  await ann.getByLabel('Link 1, name').fill('How we prune');
  await ann.getByLabel('Link 1, URL').fill('javascript:alert(1)');
  await ann.getByRole('button', { name: 'Create hint' }).click();
  await expect(ann.getByText('Enter a URL that starts with https:// or http://.')).toBeVisible();
  await ann.getByLabel('Link 1, URL').fill('https://wiki.example.com/prune');
  await sound(ann, 'editor');
  await shot(ann, 'hints-editor-dark');
  await ann.getByRole('button', { name: 'Create hint' }).click();
  await expect(
    ann
      .getByRole('listitem')
      .filter({ hasText: 'The vault is full' })
      .getByText('1 open problem', { exact: true }),
  ).toBeVisible();

  const context = await browser.newContext();
  const dana = await context.newPage();
  await signIn(dana, portal.url, 'dana', portal.password);
  await getRow(dana, 'Files nightly').click();
  const panel = dana.getByRole('complementary', { name: 'Job result' });
  await expect(panel.getByRole('heading', { level: 3, name: 'Hint' })).toBeVisible();
  await expect(
    panel.getByRole('listitem').filter({ hasText: 'Prune what is older than a year' }),
  ).toBeVisible();
  await expect(panel.getByRole('link', { name: /How we prune/ })).toHaveAttribute(
    'rel',
    'noopener noreferrer',
  );
  const marked = dana.waitForResponse((response) => /\/hints\/[^/]+\/helped$/.test(response.url()));
  await panel.getByRole('button', { name: 'This helped' }).click();
  expect((await marked).ok()).toBe(true);
  await expect(panel.getByRole('button', { name: 'Helped', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(panel.getByText('marked the hint “The vault is full” as helpful')).toBeVisible();
  await sound(dana, 'panel');
  await shot(dana, 'hints-panel');
  await ann.reload();
  await expect(ann.getByRole('listitem').filter({ hasText: 'The vault is full' })).toContainText(
    'Helped with 1 problem',
  );
  await shot(ann, 'hints-list-dark');
  await ann.setViewportSize({ width: 390, height: 844 });
  await sound(ann, 'phone');
  await shot(ann, 'hints-list-phone');
  await ann.getByRole('button', { name: /The vault is full/ }).click();
  await expect(ann.getByLabel('Name', { exact: true })).toHaveValue('The vault is full');
  await sound(ann, 'editor on a phone');
  await shot(ann, 'hints-editor-phone');

  await portal.kill();
  await dana.keyboard.press('Escape');
  await getRow(dana, 'Mail nightly').click();
  await expect(panel.getByText('Connection refused by host').first()).toBeVisible();
  await expect(panel.getByRole('heading', { level: 3, name: 'Hint' })).toBeHidden();
  await getRow(dana, 'Files nightly').click();
  await expect(panel.getByText('Old restore points were not removed.')).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Helped', exact: true })).toBeDisabled({
    timeout: 60_000,
  });

  await Promise.all([ann.context().close(), context.close()]);
});
