import { expect, test } from '@playwright/test';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import type { DemoTenant } from '#server/demo/tenant/tenant.ts';
import { listen } from '#tests/server/outbound/listen.ts';
import type { Outside } from '#tests/server/outbound/listen.ts';
import { OUTLOOK, TASK, node, restorePanel } from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { createUser, enter, NEW_PASSWORD } from './people.ts';
import { expectTitle, loadApi, startPortal } from './portal.ts';
import type { Portal } from './portal.ts';
import { PLAIN_LOOPBACK, withEnvironment } from './server-process.ts';

/** Without the import of mails, each mail is written by a request of its own. */
const ROLES = [
  'Mail.ReadWrite',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
  'Files.ReadWrite.All',
  'Sites.FullControl.All',
  'User.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];

let portal: Portal;
let tenant: DemoTenant;
let graph: Outside;
/** How many mails the mailbox still takes. */
let room = Infinity;
/** What Exchange Online answers then. */
const FULL = {
  status: 507,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    error: { code: 'ErrorQuotaExceeded', message: 'The mailbox has exceeded its maximum size.' },
  }),
};

test.beforeEach(async () => {
  tenant = createDemoTenant({
    file: null,
    seed: 5,
    now: () => Date.now(),
    size: { people: 3, minMails: 14, maxMails: 16, minFiles: 1, maxFiles: 2, maxFileBytes: 5_000 },
  });
  graph = await listen(async ({ method, path, headers, body }) => {
    if (method === 'POST' && /\/mailFolders\/[^/]+\/messages$/.test(path)) {
      if (room === 0) return FULL;
      room -= 1;
    }
    const answer = await tenant.fetch(
      new Request(`https://${String(headers['x-forwarded-host'])}${path}`, {
        method,
        headers: Object.entries(headers).flatMap(([name, value]) =>
          typeof value === 'string' && name !== 'host' ? [[name, value]] : [],
        ),
        ...(body !== '' && { body }),
      }),
    );
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Buffer.from(await answer.arrayBuffer()),
    };
  });
  portal = await withEnvironment({ ...PLAIN_LOOPBACK, DAYBOOK_GRAPH: graph.url }, startPortal);
  await createUser(portal, 'olin', 'Olin Cloud', ['o365_admin']);
});
test.afterEach(async () => {
  await portal.stop();
  await graph.stop();
  tenant.close();
});

/** Connects the tenant with an application and backs up the mailbox of its first person. */
async function backUp(): Promise<{ readonly user: string; readonly name: string }> {
  const api = await loadApi({ ...portal, password: NEW_PASSWORD }, 'olin');
  const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
  const [person] = tenant.admin.listUsers();
  if (person === undefined) throw new Error('a tenant of nobody');
  const organization = (await api('POST', 'o365/organizations', {
    companyId: 1,
    type: 'Office365',
    name: 'Copperline',
    authType: 'modernLegacy',
    region: 'Worldwide',
    isExchangeOnline: true,
    isSharePointOnline: false,
    isTeamsOnline: false,
    isTeamsChatsOnline: false,
    exchangeOnlineSettings: {
      applicationId: appId,
      applicationSecret: secret,
      officeOrganizationName: tenant.domain,
    },
    repository: { repository: 'Copperline backups', retentionPolicy: 'Years3' },
  })) as { readonly id: string; readonly repositoryId: string };
  const job = (await api('POST', 'o365/jobs', {
    organizationId: organization.id,
    name: 'Mail',
    backupType: 'SelectedItems',
    selectedItems: [{ type: 'User', id: person.id, mailbox: true }],
    excludedItems: [],
    repositoryId: organization.repositoryId,
    schedulePolicy: {
      schedule: { type: 'Disabled' },
      backupWindow: null,
      retryNumber: 0,
      retryWaitInterval: 10,
    },
  })) as { readonly id: string };
  await api('POST', `o365/jobs/${job.id}/start`, { organizationId: organization.id });
  await expect
    .poll(
      async () => {
        const { session } = (await api('GET', `o365/jobs/${job.id}/detail/latest`)) as {
          readonly session: { readonly status: string } | null;
        };
        return session?.status;
      },
      { timeout: 250_000 },
    )
    .toBe('Success');
  return { user: person.id, name: person.name };
}

test('RES-89: items that failed because the mailbox was full are restored again from the list of restores', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const { user, name } = await backUp();
  const listInbox = (): readonly string[] =>
    tenant.admin
      .listMessages(user, 'inbox')
      .map(({ props, received_at: at, read }) => {
        const { subject } = JSON.parse(props) as { readonly subject: string };
        return `${subject} ${at} ${read}`;
      })
      .toSorted();
  const before = listInbox();
  expect(before.length).toBeGreaterThan(1);
  for (const { stable_id: id } of tenant.admin.listMessages(user, 'inbox'))
    tenant.admin.purgeMessage(user, id);
  const count = before.length;

  await enter(portal, page, 'olin', OUTLOOK, NEW_PASSWORD);
  await node(page, name).click();
  await node(page, /^Inbox/).click();
  await page.getByRole('button', { name: 'Restore folder' }).click();
  const restore = restorePanel(page);
  await restore.getByRole('button', { name: 'Dry run' }).click();
  room = 1;
  await restore.getByRole('button', { name: `Restore ${count} items`, exact: true }).click(TASK);
  await expect(
    restore.getByRole('heading', { name: 'Restore complete, with failures' }),
  ).toBeVisible(TASK);
  await expect(restore.getByText(/The mailbox or drive is full/).first()).toBeVisible();
  await sound(page, 'restore with failures');
  expect(listInbox()).toHaveLength(1);
  await restore.getByRole('button', { name: 'Done' }).click();

  room = Infinity;
  await page.getByRole('button', { name: 'Restores', exact: true }).click();
  const history = page.getByRole('dialog', { name: 'Restores of Copperline' });
  const tasks = history.getByRole('listitem');
  await expect(tasks.filter({ hasText: 'Restore of mail' })).toContainText(`${count - 1} failed`);
  await sound(page, 'restores with a retry');
  await history.getByRole('button', { name: 'Retry failed items' }).click();
  const retry = tasks.filter({ hasText: 'Retry of failed items' });
  await expect(retry).toContainText('Complete', TASK);
  await expect(retry).toContainText(`${count - 1} restored`);
  await expect(history.getByRole('button', { name: 'Retry failed items' })).toHaveCount(0);
  await sound(page, 'restores after a retry');
  expect(listInbox()).toEqual(before);
  await history.getByRole('button', { name: 'Close' }).click();
  await expectTitle(page, 'Restore mailboxes');
  expect(errors).toEqual([]);
});
