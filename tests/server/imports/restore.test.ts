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
import { organization, repository } from '../backup/fixtures.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { getApp, makeFixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import { makeMail, makeZip } from './archives.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-import-restore-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('IMP-1, ENG-4: imported mail is found, and restored to a mailbox of the tenant, never to a place of its own, and stays when the index is rebuilt', async () => {
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
  const bytes = makeZip([{ name: 'Old mail/1.eml', content: makeMail(1) }]);
  const imports = `o365/organizations/${organizationId}/imports`;
  const { id } = await ask<{ id: string }>('POST', imports, {
    repositoryId,
    name: 'ann.zip',
    bytes: bytes.length,
    mailbox: { name: 'Ann' },
  });
  const { url, ticket } = await ask<OutputOf<'startImportUpload'>>(
    'POST',
    `${imports}/${id}/upload`,
    {},
  );
  const app = getApp(context, allHandlers(context), { routes: uploadRoutes(context) });
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
  const jobs = makeJobRunner(context, {
    'import': allJobs(context).import,
    'restore-task': allJobs(context)['restore-task'],
  });
  await jobs.tick();
  expect((await ask<OutputOf<'getImport'>>('GET', `${imports}/${id}`)).result).toBe('success');

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
    'An imported mailbox or drive is in no tenant, so there is nothing to compare it with.',
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
  const known = (await list()).mailboxes;
  expect(known.map(({ name, items }) => [name, items])).toEqual([['Ann', 1]]);
  await ask('POST', `o365/restore/restoresessions/${session}/stop`, {});
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
