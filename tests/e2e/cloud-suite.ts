import { expect } from '@playwright/test';
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { loadApi } from './portal.ts';
import type { Portal } from './portal.ts';

export const OUTLOOK = '/o365/restore/outlook';
export const ONEDRIVE = '/o365/restore/onedrive';
export const SHAREPOINT = '/o365/restore/sharepoint';
export const TEAMS = '/o365/restore/teams';

/**
 * A dry run, a restore or its undo: the server reads and writes real items, after other work that it may
 * have. Three of them are shorter than a test may take.
 */
export const TASK = { timeout: 80_000 };

export const tree = (page: Page): Locator => page.getByRole('tree');
/** A mailbox, drive or folder. A line that says that others are loading has no name of its own. */
export const node = (page: Page, name: string | RegExp): Locator =>
  tree(page)
    .getByRole('treeitem', { name })
    .filter({ has: page.locator('[data-name]') });
export const getName = (row: Locator): Promise<string> => row.locator('[data-name]').innerText();
export const list = (page: Page, folder = ''): Locator =>
  page.getByRole('listbox', { name: new RegExp(`^Items of ${folder}`) });
export const details = (page: Page): Locator => page.getByRole('region', { name: 'Details' });
export const restorePanel = (page: Page): Locator =>
  page.getByRole('region', { name: /^Restore (\d+ (items?|posts?)|folder|mailbox|OneDrive)/ });

/** The node that the keys of the tree mean. */
export async function getActiveName(page: Page): Promise<string> {
  const id = (await tree(page).getAttribute('aria-activedescendant')) ?? '';
  return getName(page.locator(`[id="${id}"]`));
}
/** Moves down in the tree, which has the focus, to a node. */
export async function goToNode(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 40 && (await getActiveName(page)) !== name; n += 1)
    await page.keyboard.press('ArrowDown');
  expect(await getActiveName(page)).toBe(name);
}

/** Opens an item. Returns its title, once the details are about it. */
export async function openItem(page: Page, option: Locator): Promise<string> {
  await option.click();
  let title = '';
  await expect(async () => {
    title = await details(page).getByRole('heading', { level: 2 }).innerText({ timeout: 10_000 });
    await expect(option).toContainText(title, { timeout: 1_000 });
  }).toPass({ timeout: 60_000 });
  return title;
}

/** Opens the first item whose title a single row of the tenant's page has. Returns the title. */
export async function openUniqueItem(page: Page, tenant: Page): Promise<string> {
  const options = list(page).getByRole('option');
  for (let n = 0; n < (await options.count()); n += 1) {
    const title = await openItem(page, options.nth(n));
    if ((await tenant.getByRole('row').filter({ hasText: title }).count()) === 1) return title;
  }
  throw new Error('No item has a title of its own.');
}

/** The person whose mails or files are in the simulated organization, on the demo's own page. */
export async function openTenant(
  portal: Portal,
  context: BrowserContext,
  person: string,
  kind: 'Mails' | 'Files',
): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${portal.url}/demo/tenant`);
  await page
    .getByRole('row')
    .filter({ hasText: person })
    .getByRole('link', { name: `${kind} of ${person}`, exact: true })
    .click();
  await expect(page.getByRole('heading', { level: 1, name: `${kind} of ${person}` })).toBeVisible();
  // Its rows are counted: the heading arrives before them.
  await page.waitForLoadState();
  return page;
}

/**
 * The texts of rows of a page in a tab behind, once all of the page has arrived. Not `innerText`,
 * which depends on whether the browser has laid out the page.
 */
export async function getCellTexts(rows: Locator): Promise<string[]> {
  await rows.page().waitForLoadState();
  return rows.evaluateAll((all) =>
    all.map((row) => Array.from(row.children, ({ textContent }) => textContent).join('\t')),
  );
}

/** Shows a folder of a mailbox of the tenant. */
export async function showFolder(tenant: Page, name: string): Promise<void> {
  const [id] = await tenant.getByRole('combobox', { name: 'Folder' }).selectOption(name);
  await submit(tenant.getByRole('button', { name: 'Show' }));
  await expect(tenant).toHaveURL((url) => url.searchParams.get('folder') === id);
}

/** The text of a mail's row in the tenant: its subject, sender, date and flags. */
export const rowTexts = (page: Page, subject: string): Promise<string[]> =>
  getCellTexts(page.getByRole('row').filter({ hasText: subject }));

/** Adds to the tenant until a name is part of no other. Returns it. */
export async function addUniqueItem(tenant: Page, kind: 'mail' | 'file'): Promise<string> {
  const buttons = tenant.getByRole('button', { name: new RegExp(`^Delete ${kind}: `) });
  const listNames = async (): Promise<readonly string[]> =>
    (
      await buttons.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))
    ).map((label) => label.slice(`Delete ${kind}: `.length));
  const before = new Set(await listNames());
  for (let tries = 0; tries < 30; tries += 1) {
    await submit(tenant.getByRole('button', { name: `Add ${kind}` }));
    const names = await listNames();
    const added = names.find(
      (name) => !before.has(name) && names.filter((one) => one.includes(name)).length === 1,
    );
    if (added !== undefined) return added;
  }
  throw new Error(`no ${kind} with a name of its own`);
}

/** Approves a code in the simulated organization, as its administrator. */
export async function approveCode(
  portal: Portal,
  context: BrowserContext,
  code: string,
): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${portal.url}/demo/tenant`);
  const row = page.getByRole('row').filter({ hasText: code });
  await submit(row.getByRole('button', { name: 'Approve' }));
  await expect(row).toHaveCount(0);
  await page.close();
}

/**
 * Presses the button of a form and waits for the next page. Closing a page that is still loading the
 * next one may take forever.
 */
export async function submit(button: Locator): Promise<void> {
  const page = button.page();
  // Else the end of this page's own load would pass for that of the next one.
  await page.waitForLoadState();
  const loaded = page.waitForEvent('load');
  await button.click();
  await loaded;
}

/**
 * Deletes the organization that the demo has connected, so that its tenant can be connected by hand.
 * Its first sessions end with it.
 */
export async function freeTenant(portal: Portal): Promise<void> {
  const api = await loadApi(portal, 'm365');
  let ids: readonly string[] = [];
  await expect
    .poll(async () => {
      const { rows } = (await api('GET', 'o365/organizations')) as { rows: { id: string }[] };
      ids = rows.map(({ id }) => id);
      return ids.length;
    })
    .toBe(1);
  await api('DELETE', `o365/organizations/${ids[0]}`);
}

/** A person of the simulated organization with a mailbox and a OneDrive. */
export interface TenantPerson {
  readonly id: string;
  readonly name: string;
}

/** The people of the simulated organization, from its own page. */
export async function listPeople(portal: Portal): Promise<readonly TenantPerson[]> {
  const page = await (await fetch(`${portal.url}/demo/tenant`)).text();
  return [
    ...page.matchAll(
      /<tr><td>([^<]*)<\/td>(?:(?!<\/tr>).)*\/people\/([^/"]+)\/mails"(?:(?!<\/tr>).)*\/files"/g,
    ),
  ].map(([, name = '', id = '']) => ({ id, name: name.replaceAll('&#39;', "'") }));
}

/** An organization that was just connected, without jobs. */
interface Connected {
  readonly organization: { readonly id: string; readonly repositoryId: string };
  readonly people: readonly TenantPerson[];
}

/** Connects the simulated organization anew. */
export async function connectTenant(portal: Portal): Promise<Connected> {
  await freeTenant(portal);
  return connectFreed(portal);
}

/** Connects it with a code and a read-only application, as the wizard does. */
export async function connectFreed(portal: Portal): Promise<Connected> {
  const api = await loadApi(portal, 'm365');
  const code = (await api('POST', 'o365/organizations/device-code', {
    targetRegion: 'Worldwide',
    companyObjId: 1,
  })) as { readonly id: string; readonly userCode: string };
  const people = await listPeople(portal);
  const [administrator] = people;
  if (administrator === undefined) throw new Error('a tenant of nobody');
  await fetch(`${portal.url}/demo/tenant/1/codes/${code.userCode}/approve`, {
    method: 'POST',
    body: new URLSearchParams({ user: administrator.id }),
  });
  await expect
    .poll(() => api('POST', 'o365/organizations/device-code/check', { code: code.id }))
    .toEqual({ state: 'granted' });
  const organization = (await api('POST', 'o365/organizations', {
    companyId: 1,
    type: 'Office365',
    name: 'Copperline',
    authType: 'modern',
    region: 'Worldwide',
    isExchangeOnline: true,
    isSharePointOnline: true,
    isTeamsOnline: false,
    isTeamsChatsOnline: false,
    userCode: code.id,
    newApplicationName: 'Northwind backup',
    exchangeOnlineSettings: {},
    sharePointOnlineSettings: {},
    repository: { repository: 'Copperline backups', retentionPolicy: 'Years3' },
  })) as { readonly id: string; readonly repositoryId: string };
  return { organization, people };
}

/**
 * Connects the simulated organization and backs up one person. `runJob` runs another session, which
 * ends with a result.
 */
export async function backUpPerson(
  portal: Portal,
  parts: { readonly mailbox: boolean; readonly oneDrive: boolean } = {
    mailbox: true,
    oneDrive: true,
  },
): Promise<{
  readonly person: TenantPerson;
  readonly people: readonly TenantPerson[];
  readonly runJob: (result?: string) => Promise<void>;
}> {
  const { organization, people } = await connectTenant(portal);
  const api = await loadApi(portal, 'm365');
  const post = (path: string, body: unknown) => api('POST', path, body) as Promise<{ id: string }>;
  const person = people[3];
  if (person === undefined) throw new Error('a tenant of a few');
  const job = await post('o365/jobs', {
    organizationId: organization.id,
    name: `Backup of ${person.name}`,
    backupType: 'SelectedItems',
    selectedItems: [{ type: 'User', id: person.id, ...parts }],
    excludedItems: [],
    repositoryId: organization.repositoryId,
    schedulePolicy: {
      schedule: { type: 'Disabled' },
      backupWindow: null,
      retryNumber: 0,
      retryWaitInterval: 10,
    },
  });
  const runJob = async (result = 'Success'): Promise<void> => {
    const { sessionId } = (await api('POST', `o365/jobs/${job.id}/start`, {
      organizationId: organization.id,
    })) as { readonly sessionId: string };
    await expect
      .poll(
        async () => {
          const { session } = (await api('GET', `o365/jobs/${job.id}/detail/latest`)) as {
            readonly session: { readonly id: string; readonly status: string };
          };
          return session.id === sessionId ? session.status : 'Starting';
        },
        { timeout: 250_000 },
      )
      .toBe(result);
  };
  await runJob();
  return { person, people, runJob };
}

/** The code that the page shows. */
export const shownCode = (page: Page): Locator => page.locator('.select-all');

/** Adds a job that stores the words of contents, and runs it. */
export async function storeWords(portal: Portal): Promise<void> {
  const api = await loadApi(portal, 'm365');
  const { rows } = (await api('GET', 'o365/jobs')) as {
    readonly rows: readonly { readonly organizationId: string; readonly repositoryId: string }[];
  };
  const [first] = rows;
  if (first === undefined) throw new Error('a demo without jobs');
  const { organizationId, repositoryId } = first;
  const job = (await api('POST', 'o365/jobs', {
    organizationId,
    repositoryId,
    name: 'Words of everything',
    backupType: 'EntireOrganization',
    isFullTextEnabled: true,
    selectedItems: [],
    excludedItems: [],
    schedulePolicy: {
      schedule: { type: 'Disabled' },
      backupWindow: null,
      retryNumber: 0,
      retryWaitInterval: 10,
    },
  })) as { readonly id: string };
  await api('POST', `o365/jobs/${job.id}/start`, { organizationId });
  const getStatus = async (): Promise<string | undefined> => {
    const { session } = (await api('GET', `o365/jobs/${job.id}/detail/latest`)) as {
      readonly session: { readonly status: string } | null;
    };
    return session?.status;
  };
  await expect.poll(getStatus, { timeout: 250_000 }).toBe('Success');
}

const OPAQUE = /\.(?:dwg|zip)$/i;
/** What is shown of a file of the simulated tenant. */
export function getShownFile(part: Locator, name: string): Locator {
  if (OPAQUE.test(name)) return part.getByText(/^Only pictures \(PNG/);
  const frame = part.frameLocator('iframe[sandbox=""][title^="Content of"]');
  return frame.locator(/\.jpg$/i.test(name) ? 'img' : 'pre');
}
