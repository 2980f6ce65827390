import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { beginAttachment, storeAttachment } from '#server/engine/embedded/attach/attachment.ts';
import { uploadRoutes } from '#server/features/backup/import-upload.ts';
import { allHandlers } from '#server/handlers.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { getItemMessage } from '#server/engine/embedded/pst/items/item-message.ts';
import { makePstWriter } from '#server/engine/embedded/pst/pst-writer.ts';
import { organization, repository } from '../backup/fixtures.ts';
import { CONTACT, TASK, VISIT } from '../engine/pst/outlook-items.ts';
import { UID } from '../engine/pst/readers.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { getApp, makeFixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import { makeMail, makeZip } from './archives.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-import-restore-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A data file with an event, a contact and a task. */
function writeOutlookFile(): Buffer {
  const writer = makePstWriter({ name: 'Ann', uid: UID });
  for (const item of [
    { kind: 'event', value: VISIT },
    { kind: 'contact', value: CONTACT },
    { kind: 'task', value: TASK },
  ] as const)
    writer.addItem([item.kind], getItemMessage(item));
  const pieces = writer.finish();
  const bytes = Buffer.alloc(Math.max(...pieces.map(({ at, bytes: part }) => at + part.length)));
  for (const { at, bytes: part } of pieces) part.copy(bytes, at);
  return bytes;
}

test('IMP-1, IMP-11, ENG-4: imported mail is found, and restored to a mailbox of the tenant, never to a place of its own, and stays when the index is rebuilt', async () => {
  const fixture = await makeFixture(
    { repositoriesDir: join(folder, 'repositories'), downloadsDir: join(folder, 'downloads') },
    await freshStore(ONE),
  );
  const { context } = fixture;
  const tenant = createDemoTenant({
    file: null,
    seed: 5,
    now: () => context.clock.now(),
    size: { people: 2, minMails: 1, maxMails: 2, minFiles: 1, maxFiles: 1, maxFileBytes: 500 },
  });
  context.cloud.connectTo((request) => tenant.fetch(request));
  const { appId, secret } = tenant.admin.registerApplication('Backup', [
    'Mail.ReadWrite',
    'Calendars.ReadWrite',
    'Contacts.ReadWrite',
    'Tasks.ReadWrite.All',
    'MailboxSettings.Read',
    'User.Read.All',
    'Organization.Read.All',
  ]);
  const office = await anOffice(fixture);
  const admin = await office.as('admin', ['o365_admin']);
  const ask = async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
    const answer = await admin<T>(method, path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    return answer.body.data;
  };
  const { id: organizationId } = await ask<{ id: string }>(
    'POST',
    'o365/organizations',
    organization(1, {
      authType: 'modernLegacy',
      userCode: undefined,
      isSharePointOnline: false,
      exchangeOnlineSettings: {
        applicationId: appId,
        applicationSecret: secret,
        officeOrganizationName: tenant.domain,
      },
    }),
  );
  const { id: repositoryId } = await ask<{ id: string }>(
    'POST',
    'o365/repositories',
    repository(organizationId),
  );
  const imports = `o365/organizations/${organizationId}/imports`;
  const app = getApp(context, allHandlers(context), { routes: uploadRoutes(context) });
  const jobs = makeJobRunner(context, {
    'import': allJobs(context).import,
    'restore-task': allJobs(context)['restore-task'],
  });
  const importArchive = async (name: string, bytes: Buffer, mailbox: object) => {
    const { id } = await ask<{ id: string }>('POST', imports, {
      repositoryId,
      name,
      bytes: bytes.length,
      mailbox,
    });
    const { url, ticket } = await ask<OutputOf<'startImportUpload'>>(
      'POST',
      `${imports}/${id}/upload`,
      {},
    );
    const sent = await app.request(
      `${url}?from=0`,
      {
        method: 'PUT',
        headers: { 'host': office.host, 'daybook-upload': ticket },
        body: new Uint8Array(bytes),
      },
      { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
    );
    expect(sent.status).toBe(200);
    await jobs.tick();
    return ask<OutputOf<'getImport'>>('GET', `${imports}/${id}`);
  };
  const zip = makeZip([{ name: 'Old mail/1.eml', content: makeMail(1) }]);
  expect((await importArchive('ann.zip', zip, { name: 'Ann' })).result).toBe('success');

  const { id: session } = await ask<{ id: string }>('POST', 'o365/restore/restoresessions', {
    organizationId,
    datetime: context.clock.now(),
    sessionType: 'Vex',
  });
  const mailboxes = `o365/restore/restoresessions/${session}/mailboxes`;
  const [mailbox] = (await ask<{ rows: { id: string }[] }>('GET', mailboxes)).rows;
  const path = `${mailboxes}/${mailbox?.id}/restore`;
  expect((await admin('POST', path, {})).body.message).toBe(
    'An imported mailbox or drive is in no tenant. Choose another place to restore to.',
  );
  const found = await ask<{ rows: { name: string }[] }>(
    'GET',
    `o365/restore/search?organizationId=${organizationId}&search=mail`,
  );
  expect(found.rows.map(({ name }) => name)).toEqual(['Mail 1']);
  const folders = await ask<{ rows: { id: string }[] }>(
    'GET',
    `${mailboxes}/${mailbox?.id}/folders?parentId=Root`,
  );
  const compared = await admin(
    'GET',
    `o365/restore/restoresessions/${session}/compare/folder?folderId=${folders.rows[0]?.id}`,
  );
  expect(compared.body.message).toBe(
    'This mailbox or drive was imported. Microsoft 365 has nothing to compare it with.',
  );
  const [user] = (
    await ask<{ rows: { id: string }[] }>('GET', `o365/organizations/${organizationId}/users`)
  ).rows;
  const outcomes: unknown[] = [];
  for (let run = 0; run < 2; run++) {
    const { taskId } = await ask<{ taskId: string }>('POST', path, {
      mailbox: user?.id,
      reason: 'She came back.',
    });
    await jobs.tick();
    const results = await ask<{ rows: { name: string; outcome: string }[] }>(
      'GET',
      `o365/restore/tasks/${taskId}/results?organizationId=${organizationId}`,
    );
    outcomes.push(results.rows.map(({ name, outcome }) => [name, outcome]));
  }
  // The second time, the tenant has it.
  expect(outcomes).toEqual([[['Mail 1', 'restored']], [['Mail 1', 'skipped']]]);

  const list = () => ask<OutputOf<'listImports'>>('GET', imports);
  const [before] = (await list()).mailboxes;
  expect([before?.name, before?.items]).toEqual(['Ann', 1]);
  await ask('POST', `o365/restore/restoresessions/${session}/stop`, {});

  // An event, a contact and a task of a PST file are restored to where the tenant has such.
  fixture.pass(60_000);
  const file = await importArchive('ann.pst', writeOutlookFile(), { id: before?.id });
  expect([file.result, file.counts.imported, file.counts.partial]).toEqual(['success', 3, 0]);
  const { id: later } = await ask<{ id: string }>('POST', 'o365/restore/restoresessions', {
    organizationId,
    datetime: context.clock.now(),
    sessionType: 'Vex',
  });
  const restored = async (): Promise<unknown> => {
    const { taskId } = await ask<{ taskId: string }>(
      'POST',
      `o365/restore/restoresessions/${later}/mailboxes/${mailbox?.id}/restore`,
      { mailbox: user?.id, reason: 'She came back.' },
    );
    await jobs.tick();
    const results = await ask<{ rows: { name: string; outcome: string }[] }>(
      'GET',
      `o365/restore/tasks/${taskId}/results?organizationId=${organizationId}`,
    );
    return results.rows
      .map(({ name, outcome }) => [name, outcome] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  };
  const names = ['Dora Özdemir', 'Mail 1', 'Order cables', 'Übergabe 田中'];
  expect(await restored()).toEqual(
    names.map((name) => [name, name === 'Mail 1' ? 'skipped' : 'restored']),
  );
  expect(await restored()).toEqual(names.map((name) => [name, 'skipped']));
  await ask('POST', `o365/restore/restoresessions/${later}/stop`, {});
  const known = (await list()).mailboxes;
  await context.store.tenant(office.tenant, (tx) =>
    storeAttachment(tx, repositoryId, beginAttachment(context.clock.now())),
  );
  await allJobs(context)['repository-attachment']({
    tenant: office.tenant,
    payload: { repository: repositoryId },
    now: context.clock.now(),
    lease: 'a lease',
    signal: new AbortController().signal,
  });
  expect((await list()).mailboxes).toEqual(known);
  const { attachment } = (await ask<OutputOf<'listBackupRepositories'>>('GET', 'o365/repositories'))
    .rows[0] ?? { attachment: null };
  expect([attachment?.isDone, attachment?.problems]).toEqual([true, []]);
});
