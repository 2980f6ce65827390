import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '#server/platform/db/store.ts';
import type { Vb365Server } from '#tests/fakes/vb365/server.ts';
import { addJob, addOrganization, uid, type Vb365Organization } from '#tests/fakes/vb365/state.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Fixture } from '../http/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { countMails, cutAnswers, listAudited, type Row } from './job-fields.ts';
import {
  type ImportedOffice,
  NEW_REPOSITORY as NEW,
  startImportedOffice,
} from './imported-office.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface Listed extends Row {
  readonly id: string;
  readonly name: string;
}
interface Settings extends Row {
  readonly version: string;
  readonly shortened: { readonly retention: Row; readonly appliesAt: number } | null;
}
interface Storage {
  readonly proxies: readonly Row[];
  readonly objectStorages: readonly Row[];
  readonly repositories: readonly (Row & { readonly id: string })[];
}

const FAR = { id: uid('far'), hostName: 'proxy-2.example.com', status: 'Offline' } as const;

const getPath = (id: string) => `o365/repositories/${id}/server-settings`;
const { repository, description, retention, cleanUp } = NEW;

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let store: Store;
    let fixture: Fixture;
    let office: Office;
    let admin: Asker;
    let server: Vb365Server;
    let found: Vb365Organization;
    let organizationId: string;
    let sent: ImportedOffice['sent'];
    let readAgain: ImportedOffice['readAgain'];
    let stop: ImportedOffice['stop'];
    beforeAll(async () => {
      store = await open();
    });
    beforeEach(async () => {
      const imported = await startImportedOffice(version, store);
      ({ fixture, office, admin, server, found, sent, readAgain, stop } = imported);
      server.content.proxies.push({ ...FAR, proxyPoolId: null, type: 'Domain' });
      organizationId = await imported.importAll();
      sent.length = 0;
    });
    afterEach(() => stop());

    const list = async (): Promise<readonly Listed[]> =>
      (await admin<{ rows: Listed[] }>('GET', 'o365/repositories')).body.data.rows;
    const names = async () => (await list()).map(({ name }) => name);
    const onServer = () => server.content.repositories.map(({ name }) => name);
    const create = (more: object = {}, who = admin) =>
      who<{ id: string }>('POST', `o365/organizations/${organizationId}/server-repositories`, {
        ...NEW,
        ...more,
      });
    const make = async (more: object = {}): Promise<string> => {
      const made = await create(more);
      expect(made.status).toBe(200);
      return made.body.data.id;
    };
    const read = async (id: string) => (await admin<Settings>('GET', getPath(id))).body.data;
    const update = (id: string, changes: object, who = admin) => who('PATCH', getPath(id), changes);
    const storage = async (who = admin) =>
      who<Storage>('GET', `o365/organizations/${organizationId}/server-storage`);
    /** Somebody changes the second repository on the server. */
    const changeThere = (settings: Row): void => {
      const [, made] = server.content.repositories;
      if (made)
        server.content.repositories[1] = { ...made, settings: { ...made.settings, ...settings } };
    };
    const add = (key = uid('repository Main')) =>
      admin<{ id: string }>(
        'POST',
        `o365/organizations/${organizationId}/server-repositories/${key}`,
        {},
      );
    const row = (name: string): Row => {
      const one = server.content.repositories.find((each) => each.name === name);
      return { ...one, ...one?.settings };
    };
    const audited = () => listAudited(store, office.tenant, 'backuprepository');

    test('VB365-60: a repository is created in a folder of a proxy of the server, and stays listed before a job uses it', async () => {
      expect((await storage()).body.data).toEqual({
        version,
        proxies: [
          {
            id: uid('proxy'),
            name: 'proxy-1.example.com',
            pool: version === 'v8' ? 'Pool 1' : null,
            isOnline: true,
            hasFolders: true,
          },
          { id: FAR.id, name: FAR.hostName, pool: null, isOnline: false, hasFolders: true },
        ],
        objectStorages: [],
        repositories: [{ id: uid('repository Main'), name: 'Main', path: 'D:\\Backups' }],
      });
      sent.length = 0;
      const id = await make();
      expect(sent).toEqual([
        {
          request: `POST /${version}/BackupRepositories`,
          body: {
            name: 'Vault',
            description: 'Third floor',
            path: 'E:\\Vault',
            proxyId: uid('proxy'),
            retentionType: 'ItemLevel',
            retentionPeriodType: 'Daily',
            dailyRetentionPeriod: 90,
            retentionFrequencyType: 'Monthly',
            monthlyDaynumber: 'Last',
            monthlyDayofweek: 'Sunday',
            monthlyTime: '03:30:00',
          },
        },
      ]);
      const expected = {
        id,
        name: 'Vault',
        description: 'Third floor',
        target: { type: 'Server' },
        retentionType: 'ItemLevel',
        retentionPolicy: 'Year1',
        period: { unit: 'days', count: 90 },
        jobs: 0,
      };
      for (let times = 0; times < 3; times += 1) {
        expect(await list()).toMatchObject([expected]);
        await readAgain();
      }
      expect(await read(id)).toMatchObject({
        repository: 'Vault',
        description: 'Third floor',
        path: 'E:\\Vault',
        proxy: 'proxy-1.example.com',
        pool: null,
        objectStorage: null,
        retentionType: 'ItemLevel',
        retention: NEW.retention,
        cleanUp: NEW.cleanUp,
        shortened: null,
      });
      expect(await audited()).toEqual(['backuprepository.created']);
      // Removed on the server, it disappears.
      server.content.repositories.splice(1);
      await readAgain();
      expect(await names()).toEqual([]);
    });

    test('VB365-60: a name that the server or the portal has, and what the server refuses, creates nothing', async () => {
      const taken = await create({ repository: 'main' });
      expect([taken.status, taken.body.message]).toEqual([
        409,
        'A repository with this name already exists on the Veeam server.',
      ]);
      await make();
      expect((await create({ repository: 'VAULT' })).status).toBe(409);
      const refused = await create({ repository: 'Other', proxyId: uid('nobody') });
      expect([refused.status, refused.body.message]).toEqual([
        409,
        expect.stringContaining('The proxy was not found.'),
      ]);
      for (const wrong of [
        { retention: { unit: 'days', count: 0 } },
        { retention: { unit: 'years', policy: 'Years4' } },
        { cleanUp: { type: 'Daily', day: 'Sunday', time: '24:00' } },
        ...[' ', '\\\\files\\share', '//files/share', 'D:\\a\\..\\b', 'D:\\a\\.. \\b'].map(
          (path) => ({ path }),
        ),
        { repository: '' },
      ])
        expect((await create({ repository: 'Other', ...wrong })).status).toBe(400);
      expect(onServer()).toEqual(['Main', 'Vault']);
      await make({ repository: 'Other' });
    });

    test('VB365-60: a repository is extended with an object storage of a version 7 server', async () => {
      const objectStorageId = uid('storage');
      server.content.objectStorages.push({ id: objectStorageId, name: 'Bucket' });
      const created = await create({ objectStorageId });
      if (version === 'v8') {
        expect(created.status).toBe(400);
        expect([(await storage()).body.data.objectStorages, onServer()]).toEqual([[], ['Main']]);
        return;
      }
      expect((await storage()).body.data.objectStorages).toEqual([
        { id: objectStorageId, name: 'Bucket' },
      ]);
      expect(row('Vault')).toMatchObject({ objectStorageId, objectStorageCachePath: 'E:\\Vault' });
      expect((await read(created.body.data.id))['objectStorage']).toBe('Bucket');
    });

    test('VB365-61: a change sends back what Daybook does not know or change', async () => {
      const id = await make();
      const [, made] = server.content.repositories;
      const encryption = { objectStorageEncryptionEnabled: true, encryptionKeyId: uid('key') };
      const bucket = { name: 'bucket', servicePoint: 's3.example.com', customRegionId: 'eu' };
      const objectStorage = {
        type: 'AmazonS3Compatible',
        accountId: uid('account'),
        s3Folder: 'backups',
        enableImmutability: true,
        amazonBucketS3Compatible: bucket,
      };
      changeThere({
        ...encryption,
        dailyTime: '04:05:06.7000000',
        ...(version === 'v8' && { objectStorage: { ...objectStorage, usedSpaceBytes: 5 } }),
      });
      const before = await read(id);
      sent.length = 0;
      expect((await update(id, { version: before.version })).status).toBe(200);
      expect(
        (await update(id, { version: before.version, repository, description, retention, cleanUp }))
          .status,
      ).toBe(200);
      expect(sent).toEqual([]);
      const changes = {
        version: before.version,
        repository: 'Safe',
        retention: { unit: 'years', policy: 'Years5' },
      };
      expect((await update(id, changes)).status).toBe(200);
      const body = sent[0]?.body;
      expect(sent.map(({ request }) => request)).toEqual([
        `PUT /${version}/BackupRepositories/${made?.id}`,
      ]);
      expect(body).toMatchObject({
        name: 'Safe',
        description: 'Third floor',
        path: 'E:\\Vault',
        proxyId: uid('proxy'),
        retentionType: 'ItemLevel',
        retentionPeriodType: 'Yearly',
        yearlyRetentionPeriod: 'Years5',
        dailyTime: '04:05:06.7000000',
        monthlyTime: '03:30:00',
        ...encryption,
      });
      if (version === 'v8') expect(body?.['objectStorage']).toEqual(objectStorage);
      expect(await list()).toMatchObject([
        { name: 'Safe', retentionPolicy: 'Years5', period: null, shortened: null },
      ]);
      await readAgain();
      expect(await list()).toMatchObject([{ name: 'Safe', retentionPolicy: 'Years5' }]);
    });

    test('VB365-61: one that has changed on its server since it was read is not overwritten', async () => {
      const id = await make();
      const before = await read(id);
      changeThere({ description: 'Changed there' });
      const late = await update(id, { version: before.version, repository: 'Safe' });
      expect([late.status, late.body.message]).toEqual([
        409,
        'The repository has changed on the Veeam server. Open it again to see the changes.',
      ]);
      expect(onServer()).toEqual(['Main', 'Vault']);
      await readAgain();
      expect(await list()).toMatchObject([{ description: 'Changed there' }]);
      const { version: now } = await read(id);
      expect((await update(id, { version: now, repository: 'Safe' })).status).toBe(200);
      cutAnswers(server, 'PUT');
      const cut = await update(id, { repository: 'Safer' });
      expect([cut.status, onServer()]).toEqual([200, ['Main', 'Safer']]);
    });

    test('G73, VB365-62: a shorter retention reaches the server after seven days, unless it is undone or changed there', async () => {
      const id = await make();
      const shorter = { retention: { unit: 'days', count: 30 } };
      fixture.pass(6 * MINUTE);
      const stale = await update(id, shorter);
      expect([stale.status, stale.body.error.kind]).toEqual([403, 'reauth_required']);
      expect((await update(id, { retention: { unit: 'months', count: 4 } })).status).toBe(200);
      expect(row('Vault')).toMatchObject({ monthlyRetentionPeriod: 4 });
      admin = await office.as('adam', ['o365_admin', 'admin']);
      expect(await countMails(store, office.tenant)).toBe(0);
      expect((await update(id, shorter)).status).toBe(200);
      // To the office's own administrator and the two of this test; not for the same again.
      expect(await countMails(store, office.tenant)).toBe(3);
      expect((await update(id, shorter)).status).toBe(200);
      expect(await countMails(store, office.tenant)).toBe(3);
      const appliesAt = fixture.context.clock.now() + 7 * DAY;
      const waiting = {
        retentionPolicy: 'Year1',
        period: { unit: 'months', count: 4 },
        shortened: { retentionPolicy: 'Year1', period: { unit: 'days', count: 30 }, appliesAt },
      };
      await readAgain(6 * DAY);
      admin = await office.as('adele', ['o365_admin', 'admin']);
      expect(await list()).toMatchObject([waiting]);
      expect((await read(id)).shortened).toEqual({ ...shorter, appliesAt });
      expect(row('Vault')['retentionPeriodType']).toBe('Monthly');
      expect((await update(id, { shortened: null })).status).toBe(200);
      await readAgain(2 * DAY);
      admin = await office.as('agnes', ['o365_admin', 'admin']);
      expect(await list()).toMatchObject([{ ...waiting, shortened: null }]);

      expect((await update(id, shorter)).status).toBe(200);
      await readAgain(7 * DAY);
      admin = await office.as('alice', ['o365_admin', 'admin']);
      expect(row('Vault')).toMatchObject({
        retentionPeriodType: 'Daily',
        dailyRetentionPeriod: 30,
        description: 'Third floor',
      });
      expect(await list()).toMatchObject([{ period: shorter.retention, shortened: null }]);

      expect((await update(id, { retention: { unit: 'days', count: 10 } })).status).toBe(200);
      changeThere({ dailyRetentionPeriod: 20 });
      await readAgain(7 * DAY);
      admin = await office.as('amber', ['o365_admin', 'admin']);
      expect(row('Vault')).toMatchObject({ dailyRetentionPeriod: 20 });
      expect(await list()).toMatchObject([
        { period: { unit: 'days', count: 20 }, shortened: null },
      ]);
    });

    test('G73, VB365-63: a repository is removed from its server at once, unless a job there uses it', async () => {
      const id = await make();
      const other = addOrganization(server.content, 'Other');
      const job = addJob(server.content, other, 'Theirs', {
        repositoryId: String(row('Vault')['id']),
      });
      const remove = (who = admin) => who('DELETE', `o365/repositories/${id}`);
      const used = await remove();
      expect([used.status, used.body.message]).toEqual([
        409,
        'Jobs on the Veeam server use this repository: Theirs. Delete them or choose another repository for them first.',
      ]);
      server.content.jobs.splice(server.content.jobs.indexOf(job), 1);
      const [main] = server.content.repositories.splice(0, 1);
      const last = await remove();
      expect([last.status, last.body.message]).toEqual([
        409,
        expect.stringContaining('The last repository cannot be removed.'),
      ]);
      if (main) server.content.repositories.unshift(main);
      expect([await names(), onServer()]).toEqual([['Vault'], ['Main', 'Vault']]);
      fixture.pass(6 * MINUTE);
      expect((await remove()).status).toBe(403);
      admin = await office.as('adam', ['o365_admin', 'admin']);
      cutAnswers(server, 'DELETE');
      expect((await remove()).status).toBe(200);
      expect([await names(), onServer()]).toEqual([[], ['Main']]);
      await readAgain();
      expect(await names()).toEqual([]);
      expect(await audited()).toEqual(['backuprepository.created', 'backuprepository.deleted']);
      expect(await countMails(store, office.tenant)).toBe(3);
      // The server keeps its files, so it can come back.
      await make();
      await readAgain();
      expect(await names()).toEqual(['Vault']);
    });

    test('VB365-64: a request whose answer was lost, and two at once, create one repository', async () => {
      const answer = server.answer.bind(server);
      cutAnswers(server, 'POST');
      await make();
      expect(onServer()).toEqual(['Main', 'Vault']);
      server.answer = answer;
      cutAnswers(server, 'POST', { isOffAfterwards: true });
      expect((await create({ repository: 'Second' })).status).toBe(503);
      server.answer = answer;
      expect(await names()).toEqual(['Vault']);
      const somebody = await office.as('bert', ['o365_admin']);
      expect((await create({ repository: 'Second' }, somebody)).status).toBe(409);
      const more = { repository: 'Second', description: 'Again' };
      const both = await Promise.all([create(more), create(more)]);
      expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(onServer()).toEqual(['Main', 'Vault', 'Second']);
      expect(row('Second')).toMatchObject({ description: 'Again' });
      await readAgain();
      expect(await names()).toEqual(['Second', 'Vault']);
    });

    test('VB365-65: only who sees all companies sees and changes what a server has for several', async () => {
      const id = await make();
      const own = await office.as('carl', ['o365_admin'], [1]);
      sent.length = 0;
      const all = [
        await storage(own),
        await create({ repository: 'Carl' }, own),
        await own('GET', getPath(id)),
        await update(id, { repository: 'Carl' }, own),
        await own('DELETE', `o365/repositories/${id}`),
        await own(
          'POST',
          `o365/organizations/${organizationId}/server-repositories/${uid('repository Main')}`,
          {},
        ),
      ];
      expect(all.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
      const stranger = await office.as('dora', ['o365_admin'], [2]);
      const hidden = [await storage(stranger), await stranger('GET', getPath(id))];
      expect(hidden.map(({ status }) => status)).toEqual([404, 404]);
      expect([sent, onServer()]).toEqual([[], ['Main', 'Vault']]);
    });

    test('VB365-66: an organization without backups gets a repository that its server has, and its first job', async () => {
      const [main] = (await storage()).body.data.repositories;
      sent.length = 0;
      const both = await Promise.all([add(), add()]);
      expect(new Set(both.map(({ body }) => body.data.id)).size).toBe(1);
      expect(sent).toEqual([]);
      await readAgain();
      expect(await names()).toEqual(['Main']);
      expect((await storage()).body.data.repositories).toEqual([]);
      const created = await admin('POST', 'o365/jobs', {
        organizationId,
        name: 'First',
        backupType: 'EntireOrganization',
        repositoryId: both[0]?.body.data.id,
        schedulePolicy: {
          schedule: { type: 'Disabled' },
          retryNumber: 0,
          retryWaitInterval: 10,
          backupWindow: null,
        },
      });
      expect(created.status).toBe(200);
      expect(server.content.jobs).toMatchObject([
        { name: 'First', repositoryId: main?.id, organizationId: found.id },
      ]);
      expect((await add(uid('nothing'))).status).toBe(404);
    });

    test('VB365-60: repositories of another organization, and archives, are not offered', async () => {
      if (version === 'v7') return;
      const place = { capacityBytes: 1, freeSpaceBytes: 1, proxyId: uid('proxy'), path: 'F:\\' };
      server.content.repositories.push(
        { ...place, id: uid('a'), name: 'Theirs', settings: { organizationId: uid('x') } },
        { ...place, id: uid('b'), name: 'Archive', settings: { isLongTerm: true } },
        { ...place, id: uid('c'), name: 'Own', settings: { organizationId: found.id } },
      );
      expect((await storage()).body.data.repositories.map(({ name }) => name)).toEqual([
        'Main',
        'Own',
      ]);
      for (const key of [uid('a'), uid('b')])
        expect((await add(key)).status).toBeGreaterThanOrEqual(404);
      await readAgain();
      expect(await names()).toEqual(['Own']);
    });
  });
});
