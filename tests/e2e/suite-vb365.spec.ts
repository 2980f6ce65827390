import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import {
  addFile,
  addFolder,
  addMail,
  addObject,
  addPoint,
  addRow,
} from '#tests/fakes/vb365/restore-state.ts';
import { startSecureVb365, type SecureVb365 } from '#tests/fakes/vb365/server.ts';
import {
  addDirectoryObject,
  addJob,
  addOrganization,
  addSession,
} from '#tests/fakes/vb365/state.ts';
import type { Vb365Job, Vb365Organization } from '#tests/fakes/vb365/state.ts';
import { addChannel, addPost, addTeam, addTeamFile } from '#tests/fakes/vb365/team-state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { MsgReader } from '#tests/server/engine/msg-reader.ts';
import {
  details,
  list,
  node,
  ONEDRIVE,
  OUTLOOK,
  restorePanel,
  SHAREPOINT,
  TASK,
  TEAMS,
} from './cloud-suite.ts';
import { collectErrors, sound } from './page-checks.ts';
import { createUser, enter, NEW_PASSWORD } from './people.ts';
import { getRow, loadApi, signIn, startPortal, type Portal } from './portal.ts';
import { LOOPBACK, withEnvironment } from './server-process.ts';

const HOUR = 3_600_000;

let portal: Portal;
/** A Veeam server of each test's own. */
let server: SecureVb365;

test.beforeEach(async () => {
  // The servers of these tests are on this machine, with certificates that they have signed themselves.
  portal = await withEnvironment(LOOPBACK, startPortal);
  await createUser(portal, 'cora', 'Cora Cloud', ['o365_admin', 'admin']);
  server = await startSecureVb365('v8', Date.now);
});
test.afterEach(async () => {
  await server.stop();
  await portal.stop();
});

/** Creates the company of an organization. */
async function addCompany({ name, officeName }: Vb365Organization): Promise<void> {
  const api = await loadApi(portal, 'admin');
  await api('POST', 'companies', {
    name: officeName,
    applications: {
      vac: { id: null },
      vcd: { id: null },
      zerto: { id: null },
      office365: { enabled: true, organizations: [{ id: name }] },
    },
  });
}

/** Adds an organization to the server and imports it. */
async function importOrganization(
  name: string,
  fill: (organization: Vb365Organization) => void,
): Promise<Vb365Organization> {
  const organization = addOrganization(server.content, name);
  fill(organization);
  await addCompany(organization);
  const api = await loadApi({ url: portal.url, password: NEW_PASSWORD }, 'cora');
  const { rows } = (await api('POST', 'o365/organizations/from-api', {
    apiUrl: server.url,
    username: USER.name,
    password: USER.secret,
    certificate: server.certificate,
  })) as { rows: object[] };
  expect(rows).toHaveLength(1);
  return organization;
}

/** Opens a page as the administrator of the organizations, and a restore session of one. */
async function openSession(
  page: Page,
  path: string,
  { officeName }: Vb365Organization,
): Promise<void> {
  await enter(portal, page, 'cora', path, NEW_PASSWORD);
  await page.getByLabel('Organization').selectOption({ label: officeName });
  await expect(page.getByRole('region', { name: 'Restore session open' })).toContainText(
    officeName,
  );
}

/** Selects the item that has the focus of a list. */
async function selectItem(items: Locator): Promise<void> {
  await items.focus();
  await items.press('x');
}

/** Starts the restore of the selected item, with a code that the administrator approves. */
async function restoreWithCode(page: Page): Promise<void> {
  const panel = restorePanel(page);
  await panel.getByRole('button', { name: 'Restore 1 item' }).click();
  await panel.getByRole('button', { name: 'Get a code' }).click();
  await expect(panel.getByText('CODE1')).toBeVisible();
  await sound(page, 'a sign-in for a restore on the server of an organization');
  server.content.codes.set('CODE1', true);
  await expect(panel.getByRole('heading', { name: 'Restore complete' })).toBeVisible(TASK);
}

test('E2E-1, CONN-1, VB365-5, VB365-6, VB365-8: a Microsoft 365 server is connected by its certificate, its organization linked, a job started and stopped, and its results are in the list', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const organization = addOrganization(server.content, 'Example Foundation');
  addOrganization(server.content, 'Not linked');
  addSession(
    server.content,
    addJob(server.content, organization, 'Mailboxes nightly'),
    Date.now() - HOUR,
    { status: 'Failed', endTime: Date.now() - HOUR / 2 },
  );
  await addCompany(organization);

  await signIn(page, portal.url, 'admin', portal.password);
  await page.goto(`${portal.url}/monitoring/connections`);
  await page.getByRole('button', { name: 'New connection' }).click();
  const dialog = page.getByRole('dialog', { name: 'New connection' });
  await dialog.getByText('Backup for Microsoft 365', { exact: true }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Suite server');
  await dialog.getByLabel('URL').fill(server.url);
  await dialog.getByLabel('Username').fill(USER.name);
  await dialog.getByLabel('Password').fill(USER.secret);
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('SHA-1 thumbprint');
  // Nothing was sent to a server that nobody has confirmed.
  expect(server.queries).toEqual([]);
  await sound(page, 'a server whose certificate is not pinned yet');
  await dialog.getByRole('button', { name: 'Pin this certificate' }).click();
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await expect(page.getByRole('heading', { name: 'Suite server' })).toBeVisible();
  await expect(page.getByText("1 organization of the server isn't linked")).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByRole('row', { name: /^Sessions Synced/ })).toContainText('1', {
    timeout: 60_000,
  });
  await sound(page, 'a connected server');
  await page.getByRole('button', { name: 'Show organizations' }).click();
  await expect(page.getByRole('dialog').getByText(/notlinked\.onmicrosoft\.com/)).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Jobs', exact: true }).click();
  const jobs = page.getByRole('dialog', { name: 'Jobs, Suite server' });
  await expect(jobs.getByText(/^Example Foundation, Failed, last run/)).toBeVisible();
  await sound(page, 'jobs of a server');
  await jobs.getByRole('button', { name: 'Start Mailboxes nightly' }).click();
  await expect(jobs.getByText(/^Example Foundation, Running, last run/)).toBeVisible({
    timeout: 60_000,
  });
  expect(server.content.jobs[0]?.lastStatus).toBe('Running');
  await jobs.getByRole('button', { name: 'Stop Mailboxes nightly' }).click();
  await expect(jobs.getByText(/^Example Foundation, Stopped, last run/)).toBeVisible({
    timeout: 60_000,
  });
  await page.keyboard.press('Escape');
  await page.goto(`${portal.url}/monitoring/daily-checks`);
  await expect(getRow(page, 'Mailboxes nightly')).toContainText('Stopped by a user', {
    timeout: 60_000,
  });

  await page.goto(`${portal.url}/monitoring/connections`);
  await server.renewCertificate();
  await page.getByRole('button', { name: 'Sync now: Suite server' }).click();
  await expect(page.getByText(/The certificate of 127\.0\.0\.1 has changed/).first()).toBeVisible({
    timeout: 60_000,
  });
  expect(errors).toEqual([]);
});

test('E2E-1, VB365-9, VB365-12: organizations are imported from a server in a dialog, and what only the server can change is disabled', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const organization = addOrganization(server.content, 'Example Imports');
  addSession(
    server.content,
    addJob(server.content, organization, 'Imported nightly'),
    Date.now() - HOUR,
    { status: 'Warning', endTime: Date.now() - HOUR / 2 },
  );
  const api = await loadApi(portal, 'admin');
  await api('POST', 'companies', { name: 'Example Imports Ltd' });

  await enter(portal, page, 'cora', '/o365/organizations', NEW_PASSWORD);
  await page.getByRole('button', { name: 'Import from a Veeam server' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Import from a Veeam server' });
  await dialog.getByRole('button', { name: 'Show organizations' }).click();
  await expect(dialog.getByText('Enter the URL of the server.')).toBeVisible();
  await sound(page, 'import without a server');
  await dialog.getByLabel('URL').fill(server.url);
  await dialog.getByLabel('Username').fill(USER.name);
  await dialog.getByLabel('Password').fill(USER.secret);
  await dialog.getByRole('button', { name: 'Show organizations' }).click();
  await expect(dialog.getByRole('alert')).toContainText('SHA-1 thumbprint');
  await dialog.getByRole('button', { name: 'Pin this certificate' }).click();
  await dialog.getByRole('button', { name: 'Show organizations' }).click();
  const found = page.getByRole('dialog', { name: /^Organizations on 127\.0\.0\.1/ });
  await expect(found.getByText('exampleimports.onmicrosoft.com')).toBeVisible();
  await sound(page, 'the organizations of a server');
  await found.getByRole('combobox').fill('Example Imports');
  await page.getByRole('option', { name: 'Example Imports Ltd' }).click();
  await found.getByRole('button', { name: 'Import 1 organization' }).click();

  await getRow(page, 'exampleimports.onmicrosoft.com').click();
  await expect(page.getByText('A backup has warnings').first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('Veeam Backup for Microsoft 365').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Edit organization' })).toBeDisabled();
  await sound(page, 'an imported organization');
  expect(errors).toEqual([]);
});

test('E2E-1, VB365-10, VB365-12, VB365-40: a job of an imported organization is started and stopped; its job is changed, another one created and deleted on its server', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const jobs: Vb365Job[] = [];
  await importOrganization('Example Jobs', (organization) => {
    const job = addJob(server.content, organization, 'Teams nightly');
    jobs.push(job);
    for (const name of ['Ann Chovey', 'Ben Dover'])
      addDirectoryObject(server.content, organization, 'users', name);
    addSession(server.content, job, Date.now() - HOUR, {
      status: 'Warning',
      endTime: Date.now() - HOUR / 2,
    });
  });
  await enter(portal, page, 'cora', '/o365/jobs', NEW_PASSWORD);
  await getRow(page, 'Teams nightly').click();
  await expect(page.getByText('Processed mailbox').first()).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Start job' }).click();
  await expect(page.getByRole('button', { name: 'Stop job' })).toBeVisible({ timeout: 60_000 });
  expect(jobs.map(({ lastStatus }) => lastStatus)).toEqual(['Running']);
  await page.getByRole('button', { name: 'Stop job' }).click();
  await expect(page.getByText('Stopped by a user.').first()).toBeVisible({ timeout: 60_000 });
  await sound(page, 'a job of an imported organization');

  await page.getByRole('button', { name: 'Edit job' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Teams every night');
  await sound(page, 'the name of a job on a Veeam server');
  const heading = (name: string) => page.getByRole('heading', { level: 2, name });
  const goOn = async (name: string): Promise<void> => {
    await page.keyboard.press('Control+Enter');
    await expect(heading(name)).toBeFocused();
  };
  await goOn('What to back up');
  await goOn('What to leave out');
  await goOn('Schedule');
  await page.getByRole('button', { name: /^Save job/ }).click();
  await expect(page.getByText('Job saved')).toBeVisible();
  expect(jobs.map(({ name }) => name)).toEqual(['Teams every night']);

  await page.goto(`${portal.url}/o365/jobs/1`);
  await page.getByLabel('Name', { exact: true }).fill('One person');
  await page.getByLabel('Organization', { exact: true }).selectOption({ label: 'Example Jobs' });
  await expect(page.getByRole('switch', { name: /^Search in texts/ })).toBeDisabled();
  await sound(page, 'a new job on a Veeam server');
  await goOn('What to back up');
  await page.getByText('Selected items', { exact: true }).click();
  await page.getByRole('option', { name: /^Ann Chovey/ }).click();
  await expect(page.getByLabel('Personal site')).toBeChecked();
  await page.getByLabel('Archive').uncheck();
  await sound(page, 'the items of a job on a Veeam server');
  await goOn('What to leave out');
  await goOn('Schedule');
  await page.getByLabel('Time').fill('21:15');
  await expect(page.getByText(/starts jobs by its own clock/)).toBeVisible();
  await sound(page, 'the schedule of a job on a Veeam server');
  await page.getByRole('button', { name: /^Create job/ }).click();
  await expect(getRow(page, 'One person')).toBeVisible();
  const made = server.content.jobs.find(({ name }) => name === 'One person');
  expect(made?.schedulePolicy).toMatchObject({ type: 'Daily', dailyTime: '21:15:00' });
  expect(server.content.jobItems.map(({ row }) => row)).toMatchObject([
    { type: 'User', user: { displayName: 'Ann Chovey' }, mailbox: true, archiveMailbox: false },
  ]);
  await getRow(page, 'One person').click();
  await page.getByRole('button', { name: 'Delete job' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete job' }).click();
  await expect(page.getByText('Job deleted')).toBeVisible();
  await expect(getRow(page, 'One person')).toHaveCount(0);
  expect(server.content.jobs).toHaveLength(1);

  await page.goto(`${portal.url}/o365/repositories`);
  await getRow(page, 'Main').first().click();
  await expect(page.getByText('On the Veeam server of the organization').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Clean up now' })).toBeDisabled();
  await sound(page, 'a repository of a server');
  expect(errors).toEqual([]);
});

test('E2E-1, VB365-14, VB365-15, VB365-21: a mail of a folder with more than 200 is read at a restore point of the server, and downloaded as an MSG file', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const organization = await importOrganization('Example Mails', (one) => addMails(one, 250));
  await openSession(page, OUTLOOK, organization);
  await node(page, /^Ada Reed/).click();
  await page.keyboard.press('ArrowRight');
  await node(page, /^Inbox/).click();
  await expect(page.getByText('More than 200 items')).toBeVisible();
  const mails = list(page, 'Inbox');
  await mails.press('End');
  await expect(page.getByText('250 items')).toBeVisible();
  await mails.press('Home');
  await mails.getByRole('option', { name: /Minutes of meeting 1\b/ }).click();
  await page.getByRole('button', { name: 'Show mail' }).click();
  await expect(page.frameLocator('iframe').getByText('We agreed on point 1.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Compare with production' })).toHaveAttribute(
    'data-tip',
    'Do this on the Veeam server of the organization.',
  );
  await details(page).getByRole('button', { name: 'Hide' }).click();
  await sound(page, 'a mail of an imported organization');
  await selectItem(mails);
  await page.keyboard.press('d');
  const download = page.getByRole('dialog', { name: 'Download' });
  await expect(download.getByText('1 item', { exact: true })).toBeVisible();
  await expect(download.getByRole('radio', { name: /^MSG/ })).toBeChecked();
  await expect(download.getByRole('radio', { name: /^ZIP/ })).toHaveCount(0);
  await sound(page, 'a download from the server of an organization');
  await download.getByRole('button', { name: 'Download' }).click();
  await expect(page.getByText('Minutes of meeting 1.msg is being prepared')).toBeVisible();
  await page.getByRole('link', { name: 'Open Downloads' }).click();
  const get = page.getByRole('button', { name: 'Download Minutes of meeting 1.msg' });
  await expect(get).toBeVisible({ timeout: 60_000 });
  await sound(page, 'a file that a server made');
  const [file] = await Promise.all([page.waitForEvent('download'), get.click()]);
  const saved = new Uint8Array(readFileSync(await file.path()));
  expect(new MsgReader(saved.buffer).getFileData().subject).toBe('Minutes of meeting 1');
  expect(errors).toEqual([]);
});

test('E2E-1, VB365-14, VB365-17: a mail is restored by the server, with a sign-in by a code, and the session on the server ends with that of the page', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const organization = await importOrganization('Example Restores', (one) => addMails(one, 1));
  await openSession(page, OUTLOOK, organization);
  await node(page, /^Ada Reed/).click();
  await page.keyboard.press('ArrowRight');
  await node(page, /^Inbox/).click();
  const mails = list(page, 'Inbox');
  await mails.getByRole('option', { name: /Minutes of meeting 1\b/ }).click();
  await selectItem(mails);
  await page.keyboard.press('r');
  await expect(restorePanel(page).getByText('It has no dry run', { exact: false })).toBeVisible();
  await sound(page, 'a restore on the server of an organization');
  await restoreWithCode(page);
  expect(server.content.restored).toMatchObject([{ title: 'Minutes of meeting 1', to: null }]);
  await restorePanel(page).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Stop session' }).click();
  await expect(page.getByText('Restore session stopped')).toBeVisible();
  const opened = server.content.restoreSessions.findLast(({ results }) => results === undefined);
  expect(opened).toBeDefined();
  await expect.poll(() => opened?.endTime).not.toBeNull();
  expect(errors).toEqual([]);
});

test('E2E-1, VB365-25, VB365-26: a row of a list of a site is shown, and a file of its library restored by the server', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const organization = await importOrganization('Example Sites', (one) => {
    addPoint(server.content, one, Date.now() - HOUR / 2);
    const site = addObject(server.content, one, 'sites', 'Intranet');
    const library = addFolder(site, 'Documents', null, 'library');
    addFile(site, library, 'handbook.txt', Date.now() - HOUR, Buffer.from('Read me first.'));
    addRow(site, addFolder(site, 'Tasks', null, 'list'), 'Order chairs', Date.now() - HOUR);
  });
  await openSession(page, SHAREPOINT, organization);
  await node(page, /^Intranet/).click();
  await page.keyboard.press('ArrowRight');
  await node(page, /^Content/).click();
  await page.keyboard.press('ArrowRight');
  await node(page, /^Tasks/).click();
  await list(page, 'Tasks')
    .getByRole('option', { name: /Order chairs/ })
    .click();
  await sound(page, 'a row of a site of an imported organization');
  await node(page, /^Documents/).click();
  const files = list(page, 'Documents');
  await files.getByRole('option', { name: /handbook\.txt/ }).click();
  await selectItem(files);
  await page.keyboard.press('r');
  await restoreWithCode(page);
  expect(server.content.restored).toMatchObject([{ title: 'handbook.txt', to: null }]);
  expect(errors).toEqual([]);
});

test('E2E-1, VB365-28, VB365-29: a post of a team is shown, but restored with its channel only; a file of the channel is restored by the server', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const organization = await importOrganization('Example Teams', (one) => {
    addPoint(server.content, one, Date.now() - HOUR / 2);
    const team = addTeam(server.content, one, 'Crew');
    const channel = addChannel(team, 'General');
    addPost(team, channel, 'Departure', Date.now() - HOUR);
    addTeamFile(team, channel, 'rota.txt', Buffer.from('Monday: Ada'));
  });
  await openSession(page, TEAMS, organization);
  await node(page, /^Crew/).click();
  await page.keyboard.press('ArrowRight');
  await node(page, /^General/).click();
  const posts = list(page, 'General');
  await posts.getByRole('option', { name: /Departure/ }).click();
  await expect(page.getByRole('button', { name: 'Show post' })).toBeVisible();
  await sound(page, 'a post of an imported organization');
  await page.getByRole('button', { name: 'Show post' }).click();
  const text = page.frameLocator('iframe[title="Post “Departure” with its replies"]');
  await expect(text.getByText('The text of Departure.')).toBeVisible();
  // Otherwise the preview of the file comes up behind the dialog, and axe can't look into its frame.
  await page.getByRole('button', { name: 'Hide', exact: true }).click();
  await selectItem(posts);
  await expect(page.getByRole('button', { name: /^Restore 1 item/ })).toBeDisabled();
  await node(page, /^General/).click();
  await page.keyboard.press('ArrowRight');
  await node(page, /^Files/).click();
  const files = list(page, 'Files');
  await files.getByRole('option', { name: /rota\.txt/ }).click();
  await selectItem(files);
  await page.keyboard.press('r');
  await expect(restorePanel(page).getByLabel('Versions')).toBeVisible();
  await restoreWithCode(page);
  expect(server.content.restored).toMatchObject([{ title: 'rota.txt', to: null }]);
  expect(errors).toEqual([]);
});

/** A mailbox with the given number of mails in its inbox, in a restore point. */
function addMails(organization: Vb365Organization, count: number): void {
  const mailbox = addObject(server.content, organization, 'mailboxes', 'Ada Reed');
  const inbox = addFolder(mailbox, 'Inbox');
  for (let n = 1; n <= count; n += 1)
    addMail(mailbox, inbox, `Minutes of meeting ${n}`, Date.now() - n * HOUR, {
      html: `<p>We agreed on <b>point ${n}</b>.</p>`,
    });
  addPoint(server.content, organization, Date.now() - HOUR / 2);
}

test('E2E-1, VB365-51, VB365-52: the files of a OneDrive are searched by the server, and the versions of one listed', async ({
  page,
}) => {
  const errors = collectErrors(page);
  const organization = await importOrganization('Example Versions', (one) => {
    const drive = addObject(server.content, one, 'onedrives', 'Ada Reed');
    const plans = addFolder(drive, 'Plans');
    const at = Date.now() - HOUR;
    const earlier = [1, 2].map((n) => ({
      version: `${n}.0`,
      versionId: n * 100,
      at: at - (3 - n) * HOUR,
      bytes: Buffer.from(`Draft ${n}`),
    }));
    addFile(drive, plans, 'Budget: draft.txt', at, Buffer.from('The last text'), earlier);
    addFile(drive, null, 'Other.txt', at, Buffer.from('Something else'));
    addPoint(server.content, one, Date.now() - HOUR / 2);
  });
  await openSession(page, ONEDRIVE, organization);
  await node(page, /^Ada Reed/).click();
  await expect(list(page).getByRole('option', { name: /Other\.txt/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Search everything' })).toBeDisabled();
  await page.getByRole('searchbox', { name: 'Search this folder' }).fill('budget:');
  await list(page)
    .getByRole('option', { name: /Budget: draft\.txt/ })
    .click();
  await expect(list(page).getByRole('option')).toHaveCount(1);
  await details(page).getByRole('button', { name: 'Show versions' }).click();
  const boxes = details(page).getByRole('checkbox', { name: /^Select the version of/ });
  await expect(boxes).toHaveCount(3);
  await sound(page, 'versions of a file on the server of an organization');
  expect(errors).toEqual([]);
});
