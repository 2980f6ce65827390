import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { getCreated } from '#server/engine/vb365/repository-events.ts';
import { byClock, type Store } from '#server/platform/db/store.ts';
import { cleanUpFolders } from '#tests/fakes/vb365/folders.ts';
import type { Vb365Server } from '#tests/fakes/vb365/server.ts';
import { uid } from '#tests/fakes/vb365/state.ts';
import { eachDatabase } from '../db/databases.ts';
import type { Fixture } from '../http/fixtures.ts';
import { json } from '../outbound/listen.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { type ImportedOffice, NEW_REPOSITORY, startImportedOffice } from './imported-office.ts';
import { countMails, cutAnswers, listAudited, type Row } from './job-fields.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const SHORTER = { retention: { unit: 'days', count: 30 } } as const;

const getPath = (id: string) => `o365/repositories/${id}/server-settings`;
const isCreation = (method: string, path: string) =>
  method === 'POST' && /backuprepositories$/i.test(path);

interface Listed extends Row {
  readonly id: string;
  readonly name: string;
}

eachDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let store: Store;
    let fixture: Fixture;
    let office: Office;
    let admin: Asker;
    let server: Vb365Server;
    let organizationId: string;
    let sent: ImportedOffice['sent'];
    let imported: ImportedOffice;
    let readAgain: ImportedOffice['readAgain'];
    beforeAll(async () => {
      store = await open();
    });
    beforeEach(async () => {
      imported = await startImportedOffice(version, store);
      ({ fixture, office, admin, server, sent, readAgain } = imported);
      organizationId = await imported.importAll();
    });
    afterEach(() => imported.stop());

    const now = () => fixture.context.clock.now();
    const list = async (): Promise<readonly Listed[]> =>
      (await admin<{ rows: Listed[] }>('GET', 'o365/repositories')).body.data.rows;
    const create = (more: object = {}) =>
      admin<{ id: string }>('POST', `o365/organizations/${organizationId}/server-repositories`, {
        ...NEW_REPOSITORY,
        ...more,
      });
    const make = async (more: object = {}): Promise<string> => {
      const made = await create(more);
      expect([made.status, made.text]).toEqual([200, made.text]);
      return made.body.data.id;
    };
    const read = async (id: string) =>
      (await admin<{ version: string }>('GET', getPath(id))).body.data;
    const update = (id: string, changes: object) => admin('PATCH', getPath(id), changes);
    const remove = (id: string) => admin('DELETE', `o365/repositories/${id}`);
    const add = (key: string) =>
      admin<{ id: string }>(
        'POST',
        `o365/organizations/${organizationId}/server-repositories/${key}`,
        {},
      );
    const onServer = () => server.content.repositories.map(({ name }) => name);
    const daysThere = (name: string) =>
      server.content.repositories.find((one) => one.name === name)?.settings?.[
        'dailyRetentionPeriod'
      ];
    const audited = () => listAudited(store, office.tenant, 'backuprepository');
    const mails = () => countMails(store, office.tenant);
    /** Time passes, and an administrator signs in again. */
    const wait = async (ms: number, name: string): Promise<void> => {
      await readAgain(ms);
      admin = await office.as(name, ['o365_admin', 'admin']);
    };

    test('G73, VB365-67: a removed repository that is created again in its folder keeps its backups as long as before for seven days', async () => {
      const id = await make();
      const folder = {
        proxyId: uid('proxy'),
        path: 'E:\\Vault\\Store',
        points: [now() - 80 * DAY, now() - 20 * DAY],
      };
      server.content.folders.push(folder);
      expect((await remove(id)).status).toBe(200);
      await wait(3 * DAY, 'anna');
      sent.length = 0;
      for (const path of [
        'E:\\Vault',
        'e:/vault/',
        'E:\\',
        'E:\\Vault\\Store',
        'E:\\VAULT.\\store',
        'E:\\VAULT~1',
      ]) {
        const refused = await create({ ...SHORTER, path });
        expect([path, refused.status]).toEqual([path, 409]);
        expect(refused.body.message).toContain(
          'Vault left backups here with a retention of 90 days',
        );
      }
      const otherType = await create({ retentionType: 'SnapshotBased' });
      expect([otherType.status, otherType.body.message]).toEqual([
        409,
        expect.stringContaining('another retention type'),
      ]);
      expect([sent, onServer()]).toEqual([[], ['Main']]);
      await make({ ...SHORTER, repository: 'Elsewhere', path: 'E:\\Vault2' });
      await make({ ...SHORTER, repository: 'Far', proxyId: addProxy() });
      const again = await make();
      cleanUpFolders(version, server.content, now());
      expect(folder.points).toHaveLength(2);

      // Each removal waits for itself.
      expect((await remove(again)).status).toBe(200);
      await wait(5 * DAY, 'bella');
      expect((await create(SHORTER)).status).toBe(409);
      await wait(2 * DAY, 'clara');
      await make(SHORTER);
      cleanUpFolders(version, server.content, now());
      expect(folder.points).toEqual([]);
    });
    const addProxy = (): string => {
      const id = uid('far');
      server.content.proxies.push({ id, hostName: 'far', status: 'Online', proxyPoolId: null });
      return id;
    };

    test('G73, VB365-67: neither a retention that waits to be shortened, nor an organization that is imported again, shortens it sooner', async () => {
      const id = await make();
      admin = await office.as('adam', ['o365_admin', 'admin']);
      expect((await update(id, SHORTER)).status).toBe(200);
      await wait(6 * DAY, 'anna');
      expect((await remove(id)).status).toBe(200);
      await readAgain();
      expect((await create(SHORTER)).status).toBe(409);
      const again = await make();
      expect(await list()).toMatchObject([{ id: again, shortened: null }]);
      await wait(6 * DAY, 'bella');
      expect(daysThere('Vault')).toBe(90);
      expect((await remove(again)).status).toBe(200);
      await readAgain();
      const ended = await admin('DELETE', `o365/organizations/${organizationId}`, {});
      expect([ended.status, ended.text]).toEqual([200, ended.text]);
      organizationId = await imported.importAll(server, admin);
      const late = await create(SHORTER);
      expect([late.status, late.text]).toEqual([409, expect.stringContaining('90 days')]);
    });

    test('G73, VB365-67: an object storage has its backups, wherever its cache is', async () => {
      if (version === 'v8') {
        // It has no folder that another repository could be in.
        const place = { capacityBytes: 1, freeSpaceBytes: 1, proxyId: uid('proxy'), path: '' };
        const objectStorage = { type: 'AmazonS3Compatible', s3Folder: 'backups' };
        const settings = { retentionType: 'ItemLevel', objectStorage };
        server.content.repositories.push({ ...place, id: uid('cloud'), name: 'Cloud', settings });
        const added = await add(uid('cloud'));
        expect((await remove(added.body.data.id)).status).toBe(200);
        await make(SHORTER);
        return;
      }
      const objectStorageId = uid('storage');
      server.content.objectStorages.push({ id: objectStorageId, name: 'Bucket' });
      const id = await make({ objectStorageId });
      expect((await remove(id)).status).toBe(200);
      await readAgain();
      const place = { objectStorageId, path: 'F:\\Cache', proxyId: addProxy() };
      expect((await create({ ...place, ...SHORTER })).status).toBe(409);
      await make(place);
    });

    test('VB365-61: of several changes at the same time, also of a removal, one goes on', async () => {
      const id = await make();
      const { version: before } = await read(id);
      const answer = server.answer.bind(server);
      const meanwhile: [number, string][] = [];
      server.answer = async (request) => {
        if (request.method === 'PUT' && meanwhile.length === 0) {
          meanwhile.push([0, '']);
          for (const other of [
            await update(id, { version: before, description: 'Second' }),
            await update(id, { description: 'Third' }),
            await remove(id),
          ])
            meanwhile.push([other.status, other.text]);
        }
        return answer(request);
      };
      expect((await update(id, { version: before, repository: 'First' })).status).toBe(200);
      const busy = [503, expect.stringContaining('being saved')];
      expect(meanwhile.slice(1)).toEqual([busy, busy, busy]);
      expect((await update(id, { version: before, description: 'Second' })).status).toBe(409);
      expect((await update(id, { description: 'Third' })).status).toBe(200);
      expect(await list()).toMatchObject([{ name: 'First', description: 'Third' }]);
    });

    test('VB365-61: two changes that begin together never overwrite each other', async () => {
      const id = await make();
      const { version: before } = await read(id);
      const both = await Promise.all([
        update(id, { version: before, repository: 'First' }),
        update(id, { version: before, description: 'Second' }),
      ]);
      const statuses = both.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect([409, 503]).toContain(statuses.find((status) => status !== 200));
      expect(await list()).toMatchObject([
        statuses[0] === 200
          ? { name: 'First', description: 'Third floor' }
          : { name: 'Vault', description: 'Second' },
      ]);
    });

    test('VB365-61: a change whose node of Daybook stopped holds up others for five minutes at most', async () => {
      const id = await make();
      const saving = { request: uid('dead'), at: now() };
      await store.tenant(office.tenant, async ({ sql, tenant }) => {
        await sql
          .updateTable('vb365_object')
          .set({ detail: JSON.stringify({ isAdded: true, saving }) })
          .where('tenant_id', '=', tenant)
          .where('id', '=', id)
          .execute();
      });
      expect((await update(id, { repository: 'Safe' })).status).toBe(503);
      await readAgain(5 * MINUTE);
      expect((await update(id, { repository: 'Safe' })).status).toBe(200);
    });

    test('VB365-64: a repository whose creation was lost is recognized although the server writes its path in its own way', async () => {
      server.content.rewritesPaths = true;
      const answer = server.answer.bind(server);
      cutAnswers(server, 'POST');
      await make({ path: 'e:/Vault/.' });
      server.answer = answer;
      cutAnswers(server, 'POST', { isOffAfterwards: true });
      expect((await create({ repository: 'Second', path: 'e:/second/' })).status).toBe(503);
      server.answer = answer;
      await make({ repository: 'Second', path: 'E:\\Second', proxyId: uid('proxy').toUpperCase() });
      expect(server.content.repositories.map(({ path }) => path)).toEqual([
        'D:\\Backups',
        'E:\\Vault\\',
        'E:\\second\\',
      ]);
      expect(await audited()).toEqual(['backuprepository.created', 'backuprepository.created']);
    });

    test('VB365-64: a server that fails while it creates, or whose answer cannot be read, has created one nevertheless', async () => {
      const answer = server.answer.bind(server);
      const failure = { message: 'The database is busy.', ...(version === 'v8' && CODE) };
      for (const [name, given] of [
        ['Failed', json(failure, 500)],
        ['Busy', json(failure, 503)],
        ['Unreadable', { status: 200, body: '<html>' }],
      ] as const) {
        server.answer = async (request) => {
          const made = await answer(request);
          return isCreation(request.method, request.path) ? given : made;
        };
        await make({ repository: name, path: `E:\\${name}` });
      }
      // It has not: the same user can repeat it.
      server.answer = async (request) =>
        isCreation(request.method, request.path) ? json(failure, 500) : answer(request);
      const failed = await create({ repository: 'Never' });
      expect([failed.status, failed.text]).toEqual([409, expect.stringContaining('busy')]);
      server.answer = answer;
      await make({ repository: 'Never' });
      expect(onServer()).toEqual(['Main', 'Failed', 'Busy', 'Unreadable', 'Never']);
    });
    const CODE = { errorCode: 'HttpError', stackTrace: null };

    test('VB365-63: a removal whose end was lost has its audit record and its emails when the server is read, once', async () => {
      const id = await make();
      admin = await office.as('adam', ['o365_admin', 'admin']);
      const answer = server.answer.bind(server);
      cutAnswers(server, 'DELETE', { isOffAfterwards: true });
      expect((await remove(id)).status).toBe(503);
      expect([onServer(), await audited(), await mails()]).toEqual([['Main'], [CREATED], 0]);
      server.answer = answer;
      for (let times = 0; times < 3; times += 1) {
        await readAgain();
        expect([await list(), await audited(), await mails()]).toEqual([[], [CREATED, DELETED], 3]);
      }
      const byWhom = await store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .selectFrom('audit')
          .select(['what', 'actor_id'])
          .where('tenant_id', '=', tenant)
          .where('what', 'like', 'backuprepository.%')
          .execute(),
      );
      expect(new Set(byWhom.map(({ actor_id: actor }) => actor)).size).toBe(2);
      expect((await create(SHORTER)).status).toBe(409);
    });
    const CREATED = 'backuprepository.created';
    const DELETED = 'backuprepository.deleted';

    test('VB365-63: a removal that the server is read during has one audit record and one email to each administrator', async () => {
      const id = await make();
      admin = await office.as('adam', ['o365_admin', 'admin']);
      await readAgain();
      const answer = server.answer.bind(server);
      server.answer = async (request) => {
        const given = await answer(request);
        if (request.method === 'DELETE') await readAgain();
        return given;
      };
      expect((await remove(id)).status).toBe(200);
      expect([await list(), await audited(), await mails()]).toEqual([[], [CREATED, DELETED], 3]);
    });

    test('VB365-63: a removal that the server never got is forgotten, and not taken for one that somebody makes there', async () => {
      const id = await make();
      admin = await office.as('adam', ['o365_admin', 'admin']);
      const answer = server.answer.bind(server);
      cutAnswers(server, 'DELETE', { arrives: false });
      expect((await remove(id)).status).toBe(503);
      server.answer = answer;
      await wait(6 * MINUTE, 'anna');
      expect([onServer(), (await list()).length]).toEqual([['Main', 'Vault'], 1]);
      server.content.repositories.splice(1);
      await readAgain();
      expect([await list(), await audited(), await mails()]).toEqual([[], [CREATED], 0]);
      await make(SHORTER);
    });

    test('VB365-66: a repository of the server whose name the company has, or of a user who sees too many, is not added', async () => {
      await make();
      const place = { capacityBytes: 1, freeSpaceBytes: 1, proxyId: uid('proxy'), path: 'F:\\' };
      server.content.repositories.push({ ...place, id: uid('same'), name: 'VAULT' });
      const taken = await add(uid('same'));
      expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('name')]);
      await readAgain();
      expect((await list()).map(({ name }) => name)).toEqual(['Vault']);
      // Again is no second one.
      for (let times = 0; times < 2; times += 1)
        expect((await add(uid('repository Main'))).status).toBe(200);
      expect((await list()).map(({ name }) => name)).toEqual(['Main', 'Vault']);
      server.content.repositories.push({ ...place, id: uid('more'), name: 'More' });
      await store.tenant(office.tenant, async (tx) => {
        const [known] = await tx.all('backupRepository');
        if (known === undefined) throw new Error('no repository');
        const owner = { id: known.organization, company: known.company };
        const others = Array.from({ length: LIMITS.backupRepositories - 2 }, (_, n) => ({
          ...known,
          id: uid(`other ${n}`) as typeof known.id,
          name: `Other ${n}`,
          retention: { unit: 'years' as const, policy: known.retentionPolicy },
          shortened: null,
        }));
        await tx.append(
          others.map((one) => getCreated(owner, one)),
          byClock(now()),
        );
      });
      const full = await add(uid('more'));
      expect([full.status, full.text]).toEqual([
        409,
        expect.stringContaining(String(LIMITS.backupRepositories)),
      ]);
      expect((await add(uid('repository Main'))).status).toBe(200);
    });

    test('G73, VB365-66: a retention that was changed on the server before a repository is added is the one that is shortened after seven days', async () => {
      const [main] = server.content.repositories;
      const settings = { retentionPeriodType: 'Daily', dailyRetentionPeriod: 400 };
      if (main) server.content.repositories[0] = { ...main, settings };
      expect((await add(uid('repository Main'))).status).toBe(200);
      const [{ id } = { id: '' }] = await list();
      const year = { retention: { unit: 'years', policy: 'Year1' } };
      expect((await update(id, year)).status).toBe(200);
      expect(daysThere('Main')).toBe(400);
      expect(await list()).toMatchObject([
        { period: { unit: 'days', count: 400 }, shortened: { retentionPolicy: 'Year1' } },
      ]);
      await wait(7 * DAY, 'anna');
      expect(server.content.repositories[0]?.settings).toMatchObject({
        retentionPeriodType: 'Yearly',
        yearlyRetentionPeriod: 'Year1',
      });
    });

    test('G73, VB365-62: a shorter retention is undone while the server cannot be reached', async () => {
      const id = await make();
      admin = await office.as('adam', ['o365_admin', 'admin']);
      expect((await update(id, SHORTER)).status).toBe(200);
      await readAgain(6 * DAY);
      admin = await office.as('anna', ['o365_admin', 'admin']);
      const answer = server.answer.bind(server);
      server.answer = () => Promise.resolve({ status: 503 });
      for (let times = 0; times < 2; times += 1)
        expect((await update(id, { shortened: null })).status).toBe(200);
      expect(await list()).toMatchObject([{ period: { count: 90 }, shortened: null }]);
      // What else is changed needs the server.
      const both = await update(id, { shortened: null, repository: 'Safe' });
      expect(both.status).toBe(503);
      const updated = 'backuprepository.updated';
      expect(await audited()).toEqual([CREATED, updated, updated]);
      await readAgain(2 * DAY);
      server.answer = answer;
      await wait(2 * DAY, 'bella');
      expect([daysThere('Vault'), await list()]).toMatchObject([
        90,
        [{ name: 'Vault', period: { count: 90 }, shortened: null }],
      ]);
    });
  });
});
