import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { organization, repository } from '../backup/fixtures.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { makeFixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-sites-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const ROLES = ['User.Read.All', 'Group.Read.All', 'Sites.Manage.All', 'Organization.Read.All'];

/** A tenant whose sites are backed up by the real engine, and a restore session of them. */
async function aBackup() {
  const fixture = await makeFixture({ repositoriesDir: folder }, await freshStore(ONE));
  const { context } = fixture;
  const tenant = createDemoTenant({
    file: null,
    seed: 3,
    now: () => context.clock.now(),
    size: { people: 3, minMails: 1, maxMails: 1, minFiles: 4, maxFiles: 6, maxFileBytes: 5_000 },
  });
  context.cloud.connectTo((request) => tenant.fetch(request));
  const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
  const office = await anOffice(fixture);
  const who = await office.as('admin', ['o365_admin']);
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await who<T>(method, path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    return answer.body.data;
  };
  const { id: organizationId } = await ask<{ id: string }>(
    'POST',
    'o365/organizations',
    organization(1, {
      authType: 'modernLegacy',
      userCode: undefined,
      exchangeOnlineSettings: {
        applicationId: appId,
        applicationSecret: secret,
        officeOrganizationName: tenant.domain,
      },
    }),
  );
  const place = await ask<{ id: string }>('POST', 'o365/repositories', repository(organizationId));
  const { id: jobId } = await ask<{ id: string }>('POST', 'o365/jobs', {
    organizationId,
    name: 'Sites',
    backupType: 'SelectedItems',
    selectedItems: [{ type: 'Site', id: null }],
    repositoryId: place.id,
    schedulePolicy: {
      schedule: { type: 'Disabled' },
      backupWindow: null,
      retryNumber: 0,
      retryWaitInterval: 10,
    },
    runNow: true,
  });
  const jobs = allJobs(context);
  const runner = makeJobRunner(context, {
    'backup-session': jobs['backup-session'],
    'restore-task': jobs['restore-task'],
  });
  await runner.tick();
  const open = async (showDeleted = false): Promise<string> => {
    const session = await ask<{ id: string }>('POST', 'o365/restore/restoresessions', {
      organizationId,
      datetime: context.clock.now(),
      sessionType: 'Vesp',
      showDeleted,
    });
    return `o365/restore/restoresessions/${session.id}/sites`;
  };
  const backUp = async (): Promise<void> => {
    fixture.pass(60_000);
    await ask('POST', `o365/jobs/${jobId}/start`, { organizationId });
    await runner.tick();
  };
  const ended = async (taskId: string): Promise<OutputOf<'getRestoreTask'>> => {
    for (let turns = 0; turns < 10; turns += 1) {
      await runner.tick();
      const task = await ask<OutputOf<'getRestoreTask'>>(
        'GET',
        `o365/restore/tasks/${taskId}?organizationId=${organizationId}`,
      );
      if (task.state === 'done') return task;
      fixture.pass(60_000);
    }
    throw new Error('The restore does not end.');
  };
  return { fixture, tenant, office, who, ask, open, backUp, ended };
}
type Rows<N extends 'listSites' | 'listSiteContent' | 'listSiteDocuments' | 'listSiteItems'> =
  OutputOf<N>;

test('RES-40, RES-26, DL-8, RES-82: by calls alone, sites are browsed, and what they lost is restored and downloaded', async () => {
  const { tenant, who, ask, open, backUp, ended, office } = await aBackup();
  const { admin } = tenant;
  const sites = await open();
  const tops = await ask<Rows<'listSites'>>('GET', sites);
  const expected = admin.listSites().filter(({ parent_id: parent }) => parent === null);
  expect(tops.rows.map(({ name }) => name).sort()).toEqual(expected.map(({ name }) => name).sort());
  const intranet = tops.rows.find(({ name }) => name === 'Intranet');
  const id = intranet?.id ?? '';
  expect(intranet).toMatchObject({
    type: 'site',
    siteURL: 'https://demo.sharepoint.com/sites/intranet',
    nodes: [
      { type: 'subsites', count: 1 },
      { type: 'content', count: null },
    ],
  });
  const below = await ask<Rows<'listSites'>>('GET', `${sites}?parentId=${id}`);
  expect(below.rows.map(({ name }) => name)).toEqual(['Handbook']);
  const found = await ask<Rows<'listSites'>>('GET', `${sites}?search=hand`);
  expect(found.rows.map(({ name }) => name)).toEqual(['Handbook']);
  const site = admin.listSites().find(({ name }) => name === 'Intranet')?.id ?? '';
  const content = await ask<Rows<'listSiteContent'>>('GET', `${sites}/${id}/content`);
  expect(content.rows.map(({ kind, name, folderType }) => [kind, name, folderType])).toEqual([
    ['library', 'Documents', 'LibraryFolder'],
    ['library', 'Drawings', 'LibraryFolder'],
    ['list', 'Suppliers', 'ListFolder'],
    ['list', 'Tasks', 'ListFolder'],
  ]);
  const part = (name: string): string => content.rows.find((one) => one.name === name)?.id ?? '';
  const list = admin.listLists(site).find(({ name }) => name === 'Tasks')?.id ?? '';
  const items = await ask<Rows<'listSiteItems'>>(
    'GET',
    `${sites}/${id}/items?parentId=${part('Tasks')}&sort=name`,
  );
  const titles = admin
    .listRows(site, list)
    .map(({ fields }) => (JSON.parse(fields) as { Title: string }).Title);
  expect(items.rows.map(({ name }) => name).sort()).toEqual(titles.sort());
  const [row] = items.rows;
  const shown = await ask<OutputOf<'getSiteItem'>>('GET', `${sites}/${id}/items/${row?.id}`);
  expect(shown.title).toBe(row?.name);
  expect(shown.fields).toContainEqual({
    name: 'Status',
    label: 'Status',
    value: row?.fields['Status'],
  });
  expect((await who('GET', `${sites}/o999/items/${row?.id}`)).status).toBe(404);
  const folders = await ask<Rows<'listSiteContent'>>(
    'GET',
    `${sites}/${id}/folders?parentId=${part('Documents')}`,
  );
  expect(folders.rows.map(({ name }) => name)).toEqual(['Contracts', 'Meetings']);

  const library = admin.listLibraries(site).find(({ name }) => name === 'Documents')?.id ?? '';
  const files = () =>
    admin
      .listLibraryFiles(library)
      .map(({ name }) => name)
      .sort();
  const rows = () =>
    admin
      .listRows(site, list)
      .map(({ fields }) => fields)
      .sort();
  const [allFiles, allRows] = [files(), rows()];
  const listStates = async (): Promise<readonly string[]> => {
    const states: string[] = [];
    for (const folder of [part('Documents'), ...folders.rows.map((one) => one.id)]) {
      const page = await ask<OutputOf<'compareFolderWithProduction'>>(
        'GET',
        `${sites.replace(/sites$/, '')}compare/folder?folderId=${folder}`,
      );
      states.push(...page.rows.map(({ state }) => state));
    }
    return states;
  };
  const known = await listStates();
  expect([known.length > 0, new Set(known)]).toEqual([true, new Set(['same'])]);
  for (const file of admin.listLibraryFiles(library)) admin.deleteLibraryFile(library, file.id);
  expect(await listStates()).toEqual(known.map(() => 'deleted'));
  const [lost] = admin.listRows(site, list);
  admin.deleteRow(site, list, lost?.n ?? 0);
  for (const [path, body] of [
    [`${sites}/${id}/libraries/${part('Documents')}/restore`, {}],
    [`${sites}/${id}/lists/${part('Tasks')}/restore`, { changedItems: false }],
  ] as const) {
    const dry = await ask<{ taskId: string }>('POST', path, { ...body, dryRun: true });
    const planned = await ended(dry.taskId);
    expect(planned.counts.restored).toBeGreaterThan(0);
    const started = await ask<{ taskId: string }>('POST', path, body);
    const done = await ended(started.taskId);
    expect([done.result, done.counts, done.workload]).toEqual([
      'success',
      planned.counts,
      'sharepoint',
    ]);
  }
  expect([files(), rows()]).toEqual([allFiles, allRows]);
  // What was created again counts as there, also the folders.
  expect(await listStates()).toEqual(known);

  const size = await ask<{ items: number }>('POST', `${sites}/download-size`, {
    nodes: [part('Documents')],
  });
  expect(size.items).toBe(allFiles.length);
  const zip = await ask<OutputOf<'downloadLibrary'>>(
    'POST',
    `${sites}/${id}/libraries/${part('Documents')}/download`,
    {},
  );
  expect(zip.name).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d-library\.zip$/);
  expect([zip.items, zip.missing]).toEqual([allFiles.length, 0]);
  expect(
    (await who('POST', `${sites}/o999/libraries/${part('Documents')}/download`, {})).status,
  ).toBe(404);

  // What is gone from the tenant is only shown where deleted items are.
  admin.removeList(site, list);
  await backUp();
  const later = await open();
  const names = async (at: string): Promise<string[]> =>
    (await ask<Rows<'listSiteContent'>>('GET', `${at}/${id}/content`)).rows.map(({ name }) => name);
  expect(await names(later)).toEqual(['Documents', 'Drawings', 'Suppliers']);
  expect(await names(await open(true))).toContain('Tasks');

  const other = await office.as('reader', []);
  expect((await other('GET', sites)).status).toBe(403);
});

test('RES-40: another site needs a reason, and a site is restored with those below it', async () => {
  const { tenant, who, ask, open, ended } = await aBackup();
  const { admin } = tenant;
  const sites = await open();
  const tops = await ask<Rows<'listSites'>>('GET', sites);
  const id = tops.rows.find(({ name }) => name === 'Intranet')?.id ?? '';
  const path = `${sites}/${id}/restore`;
  const to = { siteURL: 'https://demo.sharepoint.com/sites/projects' };
  expect((await who('POST', path, { ...to, dryRun: true })).status).toBe(400);
  expect((await who('POST', path, { folder: 'Documents' })).status).toBe(400);
  expect((await who('POST', path, { ...to, reason: 'Test', restoreSubsites: true })).status).toBe(
    400,
  );
  const copied = await ask<{ taskId: string }>('POST', path, {
    ...to,
    reason: 'The office moves',
    dryRun: true,
  });
  expect((await ended(copied.taskId)).counts).toMatchObject({ failed: 0 });
  const handbook = admin.listSites().find(({ name }) => name === 'Handbook')?.id ?? '';
  const [list] = admin.listLists(handbook);
  const before = admin.listRows(handbook, list?.id ?? '').length;
  for (const { n } of admin.listRows(handbook, list?.id ?? '').slice(0, 2))
    admin.deleteRow(handbook, list?.id ?? '', n);
  const alone = await ask<{ taskId: string }>('POST', path, { dryRun: true });
  expect((await ended(alone.taskId)).counts.restored).toBe(0);
  const all = await ask<{ taskId: string }>('POST', path, { restoreSubsites: true });
  expect((await ended(all.taskId)).counts).toMatchObject({ restored: 2, failed: 0 });
  expect(admin.listRows(handbook, list?.id ?? '')).toHaveLength(before);
});
