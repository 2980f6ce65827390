import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { deleteRepository } from '#server/engine/embedded/repositories/delete-repository.ts';
import { beginAttaching } from '#server/features/backup/attach-command.ts';
import { allJobs } from '#server/jobs.ts';
import { dump } from '#server/platform/db/dump.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { anyDatabase, freshStore } from '../db/databases.ts';
import { getValue } from '../engine/restic/fixtures.ts';
import { BUCKET, KEY_ID, REGION, SECRET, startS3 } from '../engine/s3/stand-in.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { connect, create, makeTenant, SIZE } from './connected.ts';
import { job, repository } from './fixtures.ts';

type Row = OutputOf<'listBackupRepositories'>['rows'][number];

const run = async (fixture: Fixture, name: keyof ReturnType<typeof allJobs>): Promise<void> => {
  fixture.pass(1_000);
  const { context } = fixture;
  await makeJobRunner(context, { [name]: allJobs(context)[name] }).tick();
};

anyDatabase((kind) => {
  test(`OBJ-4, OBJ-5: backups in a bucket are made, restored and attached, by keys that nobody reads and that can be changed (${kind})`, async () => {
    const s3 = await startS3();
    const outbound = { allow: ['127.0.0.0/8'], http: true, push: [] };
    const stores: Awaited<ReturnType<typeof freshStore>>[] = [];
    const openServer = async (): Promise<Fixture> => {
      const store = await freshStore(kind);
      stores.push(store);
      return makeFixture({ outbound }, store);
    };
    const storage = {
      endpoint: s3.url,
      region: REGION,
      bucket: BUCKET,
      prefix: 'daybook/office',
      accessKeyId: KEY_ID,
      secretAccessKey: SECRET,
    };
    const first = await openServer();
    const tenant = makeTenant(first, 3);
    const { admin, organization, office } = await connect(first, tenant);
    const offer = async (changes: object) => {
      const { status, body } = await admin(
        'POST',
        'o365/repositories',
        repository(organization, { storage: { ...storage, ...changes } }),
      );
      return [status, body.message];
    };

    const host = new URL(s3.url).host;
    expect(await offer({ secretAccessKey: 'another' })).toEqual([
      409,
      `${host} doesn't accept the access key (SignatureDoesNotMatch).`,
    ]);
    expect(await offer({ bucket: 'nowhere' })).toEqual([
      400,
      `There is no bucket nowhere at ${host}.`,
    ]);
    for (const wrong of [
      { endpoint: `${s3.url}/path` },
      { endpoint: 'http://user:secret@127.0.0.1:9000' },
      { bucket: '../other' },
      { prefix: '../other' },
      { prefix: '/x' },
      { region: 'a b' },
      { secretAccessKey: ' ' },
    ])
      expect({ wrong, status: (await offer(wrong))[0] }).toEqual({ wrong, status: 400 });
    expect(s3.objects.size).toBe(0);

    const id = await create(
      admin,
      'o365/repositories',
      repository(organization, { storage: { ...storage, bucket: BUCKET } }),
    );
    const jobId = await create(admin, 'o365/jobs', job(organization, id, { runNow: true }));
    await run(first, 'backup-session');
    const readRow = async (): Promise<Row | undefined> =>
      (await admin<{ rows: Row[] }>('GET', 'o365/repositories')).body.data.rows[0];
    const row = await readRow();
    expect(row).toMatchObject({
      points: 1,
      target: { type: 'S3', bucket: BUCKET, prefix: 'daybook/office', region: REGION },
    });
    expect([...s3.objects.keys()].every((key) => key.startsWith(`daybook/office/${id}/`))).toBe(
      true,
    );
    expect(
      [...s3.objects]
        .filter(([key]) => key.includes('/data/'))
        .reduce((sum, [, bytes]) => sum + bytes.length, 0),
    ).toBe(row?.usedBytes);

    // The requests of this month, as the storage itself has counted them.
    first.pass(60_000);
    const accepted = s3.requests.length;
    await expect
      .poll(async () => {
        const {
          write = 0,
          read = 0,
          delete: removed = 0,
        } = (await readRow())?.storageRequests ?? {};
        return write + read + removed;
      })
      .toBeGreaterThan(s3.objects.size);
    expect((await readRow())?.storageRequests?.month).toBe(
      new Date(first.context.clock.now()).toISOString().slice(0, 7),
    );
    expect(accepted).toBe(s3.requests.length);

    // New keys are checked before they replace the former ones.
    const change = async (secretAccessKey: string): Promise<number> =>
      (
        await admin('PATCH', `o365/repositories/${id}`, {
          storageKeys: { accessKeyId: KEY_ID, secretAccessKey },
        })
      ).status;
    s3.secret = 'the next secret of tests';
    expect(await change('wrong')).toBe(409);
    expect(await change(s3.secret)).toBe(200);
    expect(
      (await admin('POST', `o365/jobs/${jobId}/start`, { organizationId: organization })).status,
    ).toBe(200);
    await run(first, 'backup-session');
    expect(await readRow()).toMatchObject({ points: 2 });

    // On a server that has only the bucket, its keys and the password.
    const second = await openServer();
    const next = await connect(second, tenant);
    const attach = async (more: object): Promise<number> =>
      (
        await next.admin('POST', `o365/repositories/${id}/attach`, {
          organizationId: next.organization,
          password: 'correct horse',
          storage: { ...storage, secretAccessKey: s3.secret, ...more },
        })
      ).status;
    expect(await attach({ storage: null })).toBe(400);
    expect(await attach({ prefix: 'daybook' })).toBe(404);
    expect(await attach({ secretAccessKey: SECRET })).toBe(404);
    expect(await attach({})).toBe(200);
    await run(second, 'repository-attachment');
    expect((await next.admin('GET', 'o365/repositories')).body.data).toMatchObject({
      rows: [{ id, points: 2, attachment: { isDone: true }, target: { type: 'S3' } }],
    });
    const session = await create(next.admin, 'o365/restore/restoresessions', {
      organizationId: next.organization,
      datetime: second.context.clock.now(),
      sessionType: 'Vex',
    });
    const boxes = await next.admin<{ rows: unknown[] }>(
      'GET',
      `o365/restore/restoresessions/${session}/mailboxes`,
    );
    expect(boxes.body.data.rows).toHaveLength(SIZE.people);

    // By the command, too.
    const third = await openServer();
    const last = await connect(third, tenant);
    const begun = await beginAttaching(third.context, last.office.tenant, {
      repository: id,
      organization: last.organization,
      password: 'correct horse',
      storage: { ...storage, certificate: null, secretAccessKey: s3.secret },
      retentionType: 'SnapshotBased',
    });
    expect(begun.kind).toBe('begun');
    await run(third, 'repository-attachment');
    expect((await last.admin('GET', 'o365/repositories')).body.data).toMatchObject({
      rows: [{ id, points: 2, target: { type: 'S3', bucket: BUCKET } }],
    });

    for (const store of stores)
      await dump(store, 0, (line) => {
        const text = JSON.stringify(line);
        for (const secret of [SECRET, s3.secret]) expect(text).not.toContain(secret);
        return Promise.resolve();
      });
    getValue(await deleteRepository(first.context, office.tenant, id));
    expect(s3.objects.size).toBe(0);
  });
});
