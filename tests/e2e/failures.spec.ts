import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { signIn, openPortal } from './portal.ts';
import type { SharedPortal } from './portal.ts';

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
});
test.afterEach(async () => {
  await portal.stop();
});

type Answer = 'without a message' | 'with a message' | 'never';
async function failing(
  page: Page,
  address: RegExp,
  answer: Answer,
  work: () => Promise<void>,
): Promise<void> {
  await page.context().route(address, (route) => {
    if (answer === 'never') return route.abort('connectionreset');
    return route.fulfill(
      answer === 'without a message'
        ? { status: 500, body: '' }
        : {
            status: 500,
            contentType: 'application/json',
            body: JSON.stringify({ success: false, message: 'The mail server is full.' }),
          },
    );
  });
  await work();
  await page.context().unroute(address);
}

/** Typed by hand from the specification; evidence, hints and profile by its pattern. */
const READS = [
  [
    'admin',
    'licensing',
    /\/reporting\/licensing(\/companies)?(\?|$)/,
    'Error while trying to get the licenses, try again later.',
  ],
  [
    'admin',
    'report-settings',
    /\/reports\/settings$/,
    'Error while trying to get the reports, try again later.',
  ],
  [
    'admin',
    'users',
    /\/reporting\/users(\?|$)/,
    'Error while trying to get the users, try again later.',
  ],
  [
    'admin',
    'users-logs',
    /\/users\/logs(\?|$)/,
    'Error while trying to get the user logs, try again later.',
  ],
  [
    'admin',
    'companies',
    /\/reporting\/companies(\?|$)/,
    'Error while trying to get the companies, try again later.',
  ],
  [
    'admin',
    'profile',
    /\/api\/v1\/profile\/[^/]+$/,
    'Error while trying to get the profile, try again later.',
  ],
  [
    'admin',
    'hints',
    /\/backoffice\/hints(\?|$)/,
    'Error while getting the hints. Try again later.',
  ],
  ['dana', 'rules', /\/backoffice\/rules$/, 'Error while getting the rules. Try again later.'],
  [
    'dana',
    'tickets',
    /\/backoffice\/tickets(\?|$)/,
    'Error while getting the tickets. Try again later.',
  ],
  [
    'dana',
    'sla',
    /\/get-all-sla-alarm$/,
    'Error while trying to get the SLA alarms, try again later.',
  ],
  [
    'dana',
    'evidence',
    /\/reporting\/evidence(\?|$)/,
    'Error while trying to get the evidence, try again later.',
  ],
  [
    'dana',
    'repositories',
    /\/reporting\/repositories$/,
    'Error while trying to get the repositories, try again later.',
  ],
] as const;

for (const user of ['admin', 'dana'] as const) {
  test(`WORDS-2, WORDS-4: ${user}: when loading fails, each page shows its sentence of the catalog once`, async ({
    page,
  }) => {
    await signIn(page, portal.url, user, portal.password);
    for (const [who, path, address, sentence] of READS) {
      if (who !== user) continue;
      await failing(page, address, 'without a message', async () => {
        await page.goto(`${portal.url}/monitoring/${path}`);
        await expect(page.getByText(sentence), path).toHaveCount(1);
        await expect(page.getByText(/^(Error|No response)/), path).toHaveCount(1);
      });
    }
  });
}

test("FIELD-2, WORDS-2, WORDS-3, WORDS-4: a failed action shows one sentence: the catalog's, the server's where that takes precedence, or that no response came", async ({
  page,
}) => {
  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/users`);
  const download = page.getByRole('button', { name: 'Download CSV' });
  const EXPORT = /\/users\/export$/;
  const errors = page.getByText(/^(Error|No response|The mail server)/);
  await failing(page, EXPORT, 'without a message', async () => {
    await download.click();
    await expect(errors).toHaveText(['Error while trying to export, try again later.']);
  });
  await page.reload();
  await failing(page, EXPORT, 'never', async () => {
    await download.click();
    await expect(errors).toHaveText(['No response received from server. Try again later.']);
  });
  await page.goto(`${portal.url}/monitoring/companies`);
  await page.getByRole('button', { name: 'New company' }).first().click();
  const name = page.getByRole('textbox', { name: /^Name/ });
  await name.fill('Harbor Dental');
  await failing(page, /\/api\/v1\/companies$/, 'with a message', async () => {
    await name.press('Enter');
    await expect(errors).toHaveText(['Error while adding the company. Try again later.']);
    // Screen readers announce only what changes: the same sentence is inserted again.
    const alert = page.getByRole('alert').filter({ has: errors });
    const announced = alert.evaluate(
      (element) =>
        new Promise<boolean>((resolve) => {
          new MutationObserver(() => resolve(true)).observe(element, { childList: true });
        }),
    );
    await name.press('Enter');
    expect(await announced).toBe(true);
    await expect(errors).toHaveText(['Error while adding the company. Try again later.']);
    await expect(alert).toBeInViewport();
  });
});
