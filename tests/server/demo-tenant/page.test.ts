import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { PUBLIC_CLIENT_ID } from '#server/demo/tenant/applications.ts';
import { openDemoTenants } from '#server/demo/demo-tenants.ts';
import { tenantPageRoutes } from '#server/demo/tenant-page/routes.ts';
import { getPlan } from '../demo/fixtures.ts';
import { type Fixture, getApp, makeFixture } from '../http/fixtures.ts';
import { type Cloud, aCloud, postForm } from './fixtures.ts';

/** Text as the page escapes it. */
const name = (text: string): string => text.replaceAll('&', '&amp;').replaceAll("'", '&#39;');

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
});

/** A browser on the server's machine. */
async function aBrowser() {
  const cloud = await aCloud();
  const tenants = {
    list: () => [{ provider: 'Harbour', tenant: cloud.tenant }],
    find: () => cloud.tenant,
    close: () => undefined,
  };
  const app = getApp(fixture.context, {}, { routes: tenantPageRoutes(fixture.context, tenants) });
  const ask = async (path: string, init: RequestInit = {}, incoming: object = {}) => {
    const answer = await app.request(
      path,
      {
        ...init,
        headers: { host: 'localhost:4300', ...Object.fromEntries(new Headers(init.headers)) },
      },
      { incoming: { httpVersion: '1.1', socket: { remoteAddress: '127.0.0.1' }, ...incoming } },
    );
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  /** Presses the button with this name on a page, and returns the page that it leads to. */
  const press = async (path: string, name: string, form: Record<string, string> = {}) => {
    const { text } = await ask(path);
    const forms = [...text.matchAll(/<form method="post" action="([^"]*)">(.*?)<\/form>/g)];
    const found = forms.find(
      ([, , inside = '']) => inside.includes(`"${name}"`) || inside.includes(`>${name}</button>`),
    );
    expect([path, name, found?.[1]]).not.toContain(undefined);
    const action = (found?.[1] ?? '').replaceAll('&amp;', '&');
    const answer = await ask(action, { method: 'POST', body: new URLSearchParams(form) });
    expect(answer.status).toBe(303);
    return ask(answer.headers.get('location') ?? '');
  };
  return { cloud, ask, press };
}

const getUser = ({ tenant }: Cloud) => {
  const user = tenant.admin
    .listUsers()
    .find(({ mailbox, hasDrive }) => mailbox === 'user' && hasDrive);
  if (!user) throw new Error('a tenant without users');
  return user;
};

test('GRAPH-15: the page lists people, and adds and removes them', async () => {
  const { cloud, ask, press } = await aBrowser();
  const { admin } = cloud.tenant;
  const { status, text, headers } = await ask('/demo/tenant');
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-store',
  ]);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(text).toContain(`<h1>Demo tenant: ${cloud.tenant.name}</h1>`);
  for (const { upn } of admin.listUsers()) expect(text).toContain(upn);
  expect(text).not.toMatch(/<script|<style|style=|onclick/);
  expect(text).toMatch(/<html lang="en">[^]*<main>[^]*<th scope="col">Name<\/th>/);
  const before = admin.listUsers();
  const after = await press('/demo/tenant', 'Add person');
  const added = admin.listUsers().find(({ id }) => before.every((user) => user.id !== id));
  expect(after.text).toContain(added?.upn ?? 'nobody');
  const removed = await press('/demo/tenant/1', `Remove person: ${added?.name}`);
  expect(removed.text).not.toContain(`${added?.upn}<`);
  expect(admin.listUsers().map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect((await ask('/demo/tenant.css')).text).toContain('color-scheme');
});

test('GRAPH-15: the page lists the applications with their permissions, and removes them', async () => {
  const { cloud, ask, press } = await aBrowser();
  const { admin } = cloud.tenant;
  const { appId } = admin.registerApplication('Backup & more', ['Mail.Read', 'User.Read.All']);
  expect((await ask('/demo/tenant')).text).toContain(
    '<td>Backup &amp; more</td><td>Mail.Read, User.Read.All</td>',
  );
  const { text } = await press('/demo/tenant', 'Remove application: Backup &amp; more');
  expect(text).not.toContain('Backup &amp; more');
  expect(admin.findApplication(appId)).toBeNull();
});

test('GRAPH-15: the page shows mails and files, and adds, changes, moves and deletes them', async () => {
  const { cloud, ask, press } = await aBrowser();
  const { admin } = cloud.tenant;
  const user = getUser(cloud);
  const mails = `/demo/tenant/1/people/${user.id}/mails`;
  const count = (folder: string): number => admin.listMessages(user.id, folder).length;
  const [inbox, archive] = [count('inbox'), count('archive')];
  await press(mails, 'Add mail');
  expect(count('inbox')).toBe(inbox + 1);
  const arrived = admin.listMessages(user.id, 'inbox').at(-1);
  const { subject } = JSON.parse(arrived?.props ?? '{}');
  admin.flagMessage(user.id, arrived?.id ?? '', false);
  // A mail's row ends with its flags and the buttons that change it.
  const getFlags = (page: string): string =>
    new RegExp(
      `<td>([^<]*)</td><td><form[^>]*><button aria-label="(?:Flag|Unflag) mail: ${name(subject)}"`,
    ).exec(page)?.[1] ?? 'no such mail';
  const flagged = await press(mails, `Flag mail: ${name(subject)}`);
  expect(getFlags(flagged.text)).toMatch(/^(Read|Unread), (Draft, )?Flagged/);
  expect(
    JSON.parse(admin.listMessages(user.id, 'inbox').at(-1)?.props ?? '{}').flag.flagStatus,
  ).toBe('flagged');
  const unflagged = await press(mails, `Unflag mail: ${name(subject)}`);
  expect(getFlags(unflagged.text)).not.toContain('Flagged');
  const archived = await press(mails, `Archive mail: ${name(subject)}`);
  expect(archived.text).toContain('<option value="');
  expect([count('inbox'), count('archive')]).toEqual([inbox, archive + 1]);
  const folder = admin.listFolders(user.id).find(({ well_known }) => well_known === 'archive');
  await press(`${mails}?folder=${folder?.id}`, `Delete mail: ${name(subject)}`);
  expect(count('archive')).toBe(archive);

  expect((await ask(mails)).text).toContain('>Projects/Quay extension/Drawings</option>');

  const files = `/demo/tenant/1/people/${user.id}/files`;
  const inFolder = admin.listFiles(user.id).find((file) => admin.getFolderPath(file) !== '');
  if (!inFolder) throw new Error('a drive without folders');
  expect((await ask(files)).text).toContain(
    `<td>${name(inFolder.name)}</td><td>${name(admin.getFolderPath(inFolder))}</td>`,
  );
  const before = admin.listFiles(user.id);
  await press(files, 'Add file');
  const added = admin.listFiles(user.id).find(({ id }) => before.every((file) => file.id !== id));
  expect(added).toBeDefined();
  await press(files, `Change file: ${name(added?.name ?? '')}`);
  expect(admin.listFiles(user.id).find(({ id }) => id === added?.id)?.version).toBe(
    (added?.version ?? 0) + 1,
  );
  const left = await press(files, `Delete file: ${name(added?.name ?? '')}`);
  expect(left.status).toBe(200);
  expect(admin.listFiles(user.id)).toEqual(before);
  const without = admin.listUsers().find(({ mailbox }) => mailbox === 'none');
  expect((await ask(`/demo/tenant/1/people/${without?.id}/mails`)).status).toBe(404);
});

test('GRAPH-15: a sign-in request is approved as a user, or declined', async () => {
  const { cloud, press, ask } = await aBrowser();
  const request = () =>
    postForm(cloud.tenant, 'organizations/oauth2/v2.0/devicecode', {
      client_id: PUBLIC_CLIENT_ID,
      scope: 'User.Read.All',
    });
  const token = async (code: string) =>
    (
      await postForm(cloud.tenant, 'organizations/oauth2/v2.0/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: PUBLIC_CLIENT_ID,
        device_code: code,
      })
    ).body;
  const first = (await request()).body;
  expect((await ask('/demo/tenant')).text).toContain(first.user_code);
  await press('/demo/tenant', 'Approve', { user: getUser(cloud).id });
  expect(await token(first.device_code)).toMatchObject({ token_type: 'Bearer' });
  const second = (await request()).body;
  const { text } = await press('/demo/tenant', 'Decline');
  expect(text).toContain('No sign-in requests');
  expect(await token(second.device_code)).toMatchObject({ error: 'authorization_declined' });
});

test('GRAPH-15: nobody but the operator sees or does anything', async () => {
  const { cloud, ask } = await aBrowser();
  const user = getUser(cloud);
  const paths = [
    '/demo/tenant',
    '/demo/tenant.css',
    '/demo/tenant/1',
    `/demo/tenant/1/people/${user.id}/mails`,
  ];
  for (const path of paths) {
    expect((await ask(path)).status).toBe(200);
    expect((await ask(path, {}, { socket: { remoteAddress: '192.0.2.7' } })).status).toBe(404);
    for (const headers of [
      { host: 'portal.example' },
      { 'x-forwarded-for': '127.0.0.1' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect((await ask(path, { headers })).status).toBe(404);
  }
  const before = cloud.tenant.admin.listUsers().length;
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { host: 'portal.example' },
  ])
    expect((await ask('/demo/tenant/1/people', { method: 'POST', headers })).status).toBe(404);
  expect(
    (
      await ask(
        '/demo/tenant/1/people',
        { method: 'POST' },
        { socket: { remoteAddress: '10.0.0.1' } },
      )
    ).status,
  ).toBe(404);
  expect(cloud.tenant.admin.listUsers()).toHaveLength(before);
});

test('GRAPH-15: each provider of the demo has its own tenant, which is stored and lives on', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-tenants-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const context = { ...fixture.context, config: { ...fixture.context.config, dataDir } };
  const plan = getPlan();
  const first = openDemoTenants(context, plan);
  const names = first.list().map(({ tenant }) => tenant.id);
  expect(new Set(names).size).toBe(plan.providers.length);
  const [provider] = plan.providers;
  const tenant = first.find(provider?.id ?? '');
  const getMails = (id: string) =>
    (tenant ? first.find(provider?.id ?? '')?.admin.listMessages(id).length : 0) ?? 0;
  const user = tenant?.admin.listUsers().find(({ mailbox }) => mailbox === 'user');
  const before = getMails(user?.id ?? '');
  fixture.pass(3 * 86_400_000);
  expect(getMails(user?.id ?? '')).toBeGreaterThan(before);
  const people = first.find(provider?.id ?? '')?.admin.listUsers();
  first.close();
  const again = openDemoTenants(context, plan);
  expect(again.find(provider?.id ?? '')?.admin.listUsers()).toEqual(people);
  expect(again.find('00000000-0000-4000-8000-000000000000')).toBeNull();
  again.close();
});

test('GRAPH-23: the page shows channels, changes posts, files and tabs in them, and removes members of their team', async () => {
  const { cloud, ask, press } = await aBrowser();
  const { teams } = cloud.tenant.admin;
  const team = teams.list()[0]?.id ?? '';
  const channel = teams.listChannels(team)[0];
  if (!channel) throw new Error('a team without channels');
  const path = `/demo/tenant/1/teams/${team}/channels/${channel.n}`;
  expect((await ask('/demo/tenant')).text).toContain(`href="${path}"`);
  expect((await ask(`/demo/tenant/1/teams/${team}/channels/99`)).status).toBe(404);
  const count = () =>
    teams.listPosts(team, channel.id).filter((post) => post.deleted_at === null).length;
  const before = count();
  expect((await press(path, 'Add post')).status).toBe(200);
  expect(count()).toBe(before + 1);
  await press(path, 'Add reply');
  await press(path, 'Delete post');
  expect(count()).toBe(before);
  const files = teams.listFiles(team, channel.id).length;
  expect((await press(path, 'Add file to the channel')).text).toContain(`Note ${files + 1}.txt`);
  await press(path, `Change file: Note ${files + 1}.txt`);
  await press(path, `Delete file: Note ${files + 1}.txt`);
  expect(teams.listFiles(team, channel.id)).toHaveLength(files);
  expect((await press(path, 'Remove tab')).text).toContain('No tabs');
  const [first] = teams.listMembers(team);
  const user = cloud.tenant.admin.listUsers().find(({ id }) => id === first?.personId);
  const button = `Remove member: ${name(user?.name ?? '')}`;
  expect((await press(path, button)).text).not.toContain(button);
  expect(teams.listMembers(team).map(({ personId }) => personId)).not.toContain(user?.id);
});

test('GRAPH-15, GRAPH-17: the page shows the libraries and lists of sites, and changes their files and rows', async () => {
  const { cloud, ask, press } = await aBrowser();
  const { admin } = cloud.tenant;
  const site = admin.listSites().find((one) => one.name === 'Intranet');
  const id = site?.id ?? '';
  const { text } = await ask('/demo/tenant');
  for (const one of admin.listSites()) expect(text).toContain(name(one.name));
  const [drive] = admin.listLibraries(id);
  const library = `/demo/tenant/1/sites/${encodeURIComponent(id)}/libraries/${encodeURIComponent(drive?.id ?? '')}`;
  const [file] = admin.listLibraryFiles(drive?.id ?? '');
  expect(text).toContain(library);
  await press(library, `Change file: ${name(file?.name ?? '')}`);
  expect(admin.listLibraryFiles(drive?.id ?? '')[0]?.version).toBe((file?.version ?? 0) + 1);
  await press(library, 'Add file');
  await press(library, `Delete file: ${name(file?.name ?? '')}`);
  const files = admin.listLibraryFiles(drive?.id ?? '');
  expect(files.some((one) => one.id === file?.id)).toBe(false);
  const list = admin.listLists(id)[0]?.id ?? '';
  const page = `/demo/tenant/1/sites/${encodeURIComponent(id)}/lists/${list}`;
  const before = admin.listRows(id, list);
  const after = await press(page, 'Add row');
  expect(after.text).toContain('<h1>Rows in Tasks</h1>');
  const added = admin.listRows(id, list).at(-1);
  expect(admin.listRows(id, list)).toHaveLength(before.length + 1);
  const title = (JSON.parse(added?.fields ?? '{}') as { Title: string }).Title;
  admin.changeRow(id, list, added?.n ?? 0, { Title: `${title} now` });
  await press(page, `Change row: ${name(title)} now`);
  expect(admin.listRows(id, list).at(-1)?.version).toBe(3);
  const [first] = before;
  await press(
    page,
    `Delete row: ${name((JSON.parse(first?.fields ?? '{}') as { Title: string }).Title)}`,
  );
  expect(admin.listRows(id, list)).toHaveLength(before.length);
  for (const path of [`${page}x`, `${library}x`, page.replace('lists', 'libraries')])
    expect((await ask(path)).status).toBe(404);
});

test('GRAPH-15, GRAPH-24: the page shows events, contacts and tasks, and adds, changes and deletes them', async () => {
  const { cloud, ask, press } = await aBrowser();
  const { outlook } = cloud.tenant.admin;
  const user = getUser(cloud);
  const path = `/demo/tenant/1/people/${user.id}/outlook`;
  for (const [kind, property] of [
    ['event', 'subject'],
    ['contact', 'displayName'],
    ['task', 'title'],
  ] as const) {
    const before = outlook.list(user.id, kind);
    const getNames = () =>
      outlook.list(user.id, kind).map(({ props }) => String(JSON.parse(props)[property]));
    await press(path, `Add ${kind}`);
    expect(getNames()).toHaveLength(before.length + 1);
    const shown = await press(path, `Change item: ${name(getNames().at(-1) ?? '')}`);
    expect(getNames().some((text) => /\(\d+\)$/.test(text))).toBe(true);
    expect(shown.text).toContain('(2)');
    const changed = getNames().find((text) => text.endsWith('(2)')) ?? '';
    await press(path, `Delete item: ${name(changed)}`);
    expect(getNames()).not.toContain(changed);
  }
  const without = cloud.tenant.admin.listUsers().find(({ mailbox }) => mailbox === 'none');
  expect((await ask(`/demo/tenant/1/people/${without?.id}/outlook`)).status).toBe(404);
});

test('GRAPH-15: the page registers an application with a secret, shows it once, and the tenant accepts it', async () => {
  const { cloud, ask } = await aBrowser();
  const { text } = await ask('/demo/tenant');
  const [, path = ''] = /action="([^"]*\/applications)"/.exec(text) ?? [];
  const { status, text: shown } = await ask(path, { method: 'POST' });
  expect(status).toBe(200);
  const [appId = '', secret = '', domain] = [...shown.matchAll(/<code>([^<]*)<\/code>/g)].map(
    ([, value]) => value,
  );
  expect(domain).toBe(cloud.tenant.domain);
  expect((await ask('/demo/tenant')).text).not.toContain(secret);
  const token = await postForm(cloud.tenant, `${domain}/oauth2/v2.0/token`, {
    grant_type: 'client_credentials',
    client_id: appId,
    client_secret: secret.replaceAll('&amp;', '&'),
    scope: 'https://graph.microsoft.com/.default',
  });
  expect(token.status).toBe(200);
  // It reads what is backed up, and writes nothing.
  const { roles = [] } = cloud.tenant.admin.findApplication(appId) ?? {};
  expect(roles).toEqual(expect.arrayContaining(['Mail.Read', 'Files.Read.All', 'User.Read.All']));
  expect(roles.filter((role) => /Write|Manage|Create|Import|FullControl/.test(role))).toEqual([]);
});
