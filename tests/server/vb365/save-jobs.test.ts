import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { offsetAt } from '#contract/time/day.ts';
import type { Store } from '#server/platform/db/store.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';
import { startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import {
  addDirectoryObject,
  addJob,
  addJobItem,
  addOrganization,
  addSession,
  type Vb365Job,
  type Vb365Organization,
} from '#tests/fakes/vb365/state.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Fixture } from '../http/fixtures.ts';
import { json } from '../outbound/listen.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';
import { cutAnswers, getFields, type JobOut, listAudited } from './job-fields.ts';
import { type ImportedOffice, startImportedOffice } from './imported-office.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let store: Store;
    let fixture: Fixture;
    let office: Office;
    let admin: Asker;
    let server: Vb365Server;
    let found: Vb365Organization;
    let nightly: Vb365Job;
    let organizationId: string;
    let sent: ImportedOffice['sent'];
    let readAgain: ImportedOffice['readAgain'];
    let importServer: ImportedOffice['importAll'];
    let stop: ImportedOffice['stop'];
    beforeAll(async () => {
      store = await open();
    });
    beforeEach(async () => {
      ({
        fixture,
        office,
        admin,
        server,
        found,
        sent,
        readAgain,
        importAll: importServer,
        stop,
      } = await startImportedOffice(version, store));
      nightly = addJob(server.content, found, 'Nightly');
      for (const list of ['users', 'groups', 'teams', 'sites'] as const)
        addDirectoryObject(server.content, found, list, 'Ann');
    });
    afterEach(() => stop());

    const importAll = async (): Promise<JobOut> => {
      organizationId = await importServer(server);
      return loadJob('Nightly');
    };
    const listJobs = async () =>
      (await admin<{ rows: JobOut[] }>('GET', 'o365/jobs')).body.data.rows;
    const loadJob = async (name: string): Promise<JobOut> => {
      const id = (await listJobs()).find((job) => job.name === name)?.id ?? '';
      return (await admin<JobOut>('GET', `o365/jobs/${id}`)).body.data;
    };
    const update = (job: JobOut, more: object) =>
      admin('PUT', `o365/jobs/${job.id}`, { ...getFields(job), ...more });
    const newJob = ({ repositoryId, schedulePolicy }: JobOut, more: object = {}) => ({
      organizationId,
      name: 'Weekly',
      backupType: 'EntireOrganization',
      repositoryId,
      schedulePolicy,
      ...more,
    });
    const create = (job: JobOut, more: object = {}, who = admin) =>
      who<{ id: string }>('POST', 'o365/jobs', newJob(job, more));
    const named = (name: string) => server.content.jobs.filter((job) => job.name === name);
    const itemsAt = (list: string) =>
      server.content.jobItems.filter((one) => one.list === list).map(({ row }) => row);
    const audited = () => listAudited(fixture.context.store, office.tenant);
    const userId = () => server.content.directory.find(({ list }) => list === 'users')?.id;

    test('VB365-41: a change sends back the items, flags and fields that Daybook does not know or show', async () => {
      const user = {
        id: userId(),
        displayName: 'Ann',
        name: 'ann@example.com',
        locationType: 'Cloud',
        office: 'Third floor',
      };
      const items = [
        { id: 'a', type: 'User', user, mailbox: true, archiveMailbox: true, personalSite: false },
        { id: 'b', type: 'PartialOrganization', oneDrive: true, teams: false, teamsChats: true },
        { id: 'c', type: 'PersonalSites' },
        { id: 'd', type: 'OneDriveFolders', folders: ['Desktop', 'Old plans'] },
      ];
      for (const row of items) addJobItem(server.content, nightly, 'selectedItems', row);
      const left = { id: 'e', type: 'OneDriveFolders', folders: ['Music'] };
      addJobItem(server.content, nightly, 'excludedItems', left);
      const hours = Array.from({ length: 168 }, (_, hour) => hour % 24 < 6);
      const schedulePolicy = {
        ...nightly.schedulePolicy,
        dailyTime: '22:00:07.5000000',
        periodicallyOffsetMinutes: 17,
        backupWindowEnabled: true,
        backupWindowSettings: { backupWindow: hours, minuteOffset: -330 },
        periodicallyWindowSettings: { backupWindow: hours, minuteOffset: 45 },
        retryNumber: 99,
        retryWaitInterval: 5_000,
      };
      Object.assign(nightly, { backupType: 'SelectedItems', schedulePolicy });
      const job = await importAll();
      expect((await update(job, { description: 'Changed' })).status).toBe(200);
      expect(nightly).toMatchObject({ name: 'Nightly', description: 'Changed' });
      expect(nightly.schedulePolicy).toEqual(schedulePolicy);
      expect(itemsAt('selectedItems')).toEqual(items);
      expect(itemsAt('excludedItems')).toEqual([left]);

      // A part, the retries and an item change: the rest stays.
      const changed = await loadJob('Nightly');
      const [ann, part] = getFields(changed).selectedItems;
      const more = {
        selectedItems: [{ ...ann, oneDrive: true }, part],
        schedulePolicy: { ...changed.schedulePolicy, retryNumber: 4 },
      };
      expect((await update(changed, more)).status).toBe(200);
      expect(itemsAt('selectedItems')).toEqual([
        { ...items[0], oneDrive: true },
        items[1],
        items[3],
      ]);
      expect(nightly.schedulePolicy).toEqual({ ...schedulePolicy, retryNumber: 4 });
      await readAgain();
      expect((await loadJob('Nightly')).selectedItems).toHaveLength(2);
    });

    test('VB365-41: a field that only a newer server has is sent back', async () => {
      const longTerm = { years: 12, tags: ['a', null, { b: 1.5 }] };
      // The check of the traffic knows published fields only.
      await server.outside.stop();
      server = await startVb365(version, () => fixture.context.clock.now());
      const one = addOrganization(server.content, 'Calloway Freight');
      const own = addJob(server.content, one, 'Nightly', { more: { longTerm, keep: null } });
      const job = await importAll();
      expect((await update(job, { name: 'Every night' })).status).toBe(200);
      expect(own).toMatchObject({ name: 'Every night', more: { longTerm, keep: null } });
    });

    test('VB365-41: a new item has the whole object of the directory, and one that is gone is named', async () => {
      const job = await importAll();
      const ids = new Map(server.content.directory.map(({ list, id }) => [list, id]));
      const selectedItems = [
        { type: 'User', id: ids.get('users'), mailbox: true },
        { type: 'Group', id: ids.get('groups'), oneDrive: true },
        { type: 'Team', id: ids.get('teams'), teamsChats: true },
        { type: 'Site', id: ids.get('sites') },
      ];
      const made = await create(job, { backupType: 'SelectedItems', selectedItems });
      expect([made.status, made.text]).toEqual([200, made.text]);
      expect(itemsAt('selectedItems')).toMatchObject([
        {
          type: 'User',
          user: { id: ids.get('users'), name: 'ann@example.com', locationType: 'Cloud' },
          mailbox: true,
          oneDrive: false,
        },
        { type: 'Group', group: { id: ids.get('groups') }, memberOnedrive: true, members: true },
        { type: 'Team', team: { id: ids.get('teams'), mail: 'ann@example.com' }, teamsChats: true },
        { type: 'Site', site: { id: ids.get('sites'), isPersonal: false } },
      ]);
      await readAgain();
      const types = (await loadJob('Weekly')).selectedItems.map(({ type }) => type);
      expect(types).toEqual(['User', 'Group', 'Team', 'Site']);
      // Dots would name the organization itself.
      for (const id of ['00000000-0000-4000-8000-000000000009', '..']) {
        const refused = await create(job, {
          name: 'Other',
          backupType: 'SelectedItems',
          selectedItems: [{ type: 'User', id, mailbox: true }],
        });
        expect([id, refused.status, named('Other')]).toEqual([id, 400, []]);
      }
    });

    test.each([
      // The server is three hours behind, or nine and a half ahead.
      [3, 'Everyday', '02:30', 'Everyday', '23:30:00'],
      [3, 'Monday', '02:30', 'Sunday', '23:30:00'],
      [-9.5, 'Saturday', '16:00', 'Sunday', '01:30:00'],
      [-9.5, 'Workdays', '04:15', 'Workdays', '13:45:00'],
    ])(
      'VB365-41: a time is written in the clock of the server: %d hours, %s %s is %s %s',
      async (hours, dailyType, dailyTime, day, time) => {
        const { context } = fixture;
        const zone = await context.store.tenant(office.tenant, loadZone, { readOnly: true });
        const next = Math.ceil(context.clock.now() / (24 * HOUR)) * 24 * HOUR + 12 * HOUR;
        const wall = next + offsetAt(next, zone);
        const ahead = new Date(wall - hours * HOUR).toISOString().slice(11, 19);
        Object.assign(nightly, {
          nextRun: next,
          schedulePolicy: { ...nightly.schedulePolicy, dailyTime: ahead },
        });
        const job = await importAll();
        expect(job.schedulePolicy.schedule).toMatchObject({
          dailyTime: new Date(wall).toISOString().slice(11, 16),
        });
        const schedule = { type: 'Daily', dailyType, dailyTime };
        const more = { schedulePolicy: { ...job.schedulePolicy, schedule } };
        expect((await create(job, more)).status).toBe(200);
        expect(named('Weekly')[0]?.schedulePolicy).toMatchObject({
          dailyType: day,
          dailyTime: time,
        });
        expect((await update(job, more)).status).toBe(200);
        expect(nightly.schedulePolicy).toMatchObject({ dailyType: day, dailyTime: time });
      },
    );

    test('VB365-41: a time that nobody changed stays, also while its server does not show the next run', async () => {
      const now = fixture.context.clock.now();
      const dailyTime = new Date(now + 3 * HOUR).toISOString().slice(11, 19);
      const schedulePolicy = { ...nightly.schedulePolicy, dailyTime };
      Object.assign(nightly, { nextRun: now + HOUR, schedulePolicy });
      const job = await importAll();
      expect(job.schedulePolicy.schedule).not.toMatchObject({ dailyTime: dailyTime.slice(0, 5) });
      Object.assign(nightly, { nextRun: null });
      expect((await update(job, { description: 'Every night' })).status).toBe(200);
      expect(nightly).toMatchObject({ description: 'Every night', schedulePolicy: { dailyTime } });
    });

    test('VB365-42: a job that changes while its new items are read is not overwritten', async () => {
      const job = await importAll();
      const answer = server.answer.bind(server);
      server.answer = (request) => {
        if (/\/Users\/./.test(request.path)) nightly.description = 'Meanwhile';
        return answer(request);
      };
      const selectedItems = [{ type: 'User', id: userId(), mailbox: true }];
      const refused = await update(job, {
        name: 'Mine',
        backupType: 'SelectedItems',
        selectedItems,
      });
      expect(refused.status).toBe(409);
      expect(nightly).toMatchObject({ name: 'Nightly', description: 'Meanwhile' });
    });

    test('VB365-43: a deletion has its audit record, also if the server was read before its answer came', async () => {
      const job = await importAll();
      const answer = server.answer.bind(server);
      server.answer = async (request) => {
        const given = await answer(request);
        if (request.method === 'DELETE') await readAgain();
        return given;
      };
      expect((await admin('DELETE', `o365/jobs/${job.id}`)).status).toBe(200);
      expect([await listJobs(), await audited()]).toEqual([[], ['backupjob.deleted']]);
    });

    test('VB365-42: a job that has changed on its server since it was read is not overwritten', async () => {
      const job = await importAll();
      Object.assign(nightly, { description: 'By the administrator', eTag: nightly.eTag + 1 });
      const before = sent.length;
      const refused = await update(job, { name: 'Mine' });
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('has changed')]);
      expect([sent.length, nightly.name]).toEqual([before, 'Nightly']);
      // It is read again soon; a page that was opened before is still refused.
      await readAgain();
      expect((await loadJob('Nightly')).description).toBe('By the administrator');
      expect((await update(job, { name: 'Mine' })).status).toBe(409);
      expect((await update(await loadJob('Nightly'), { name: 'Mine' })).status).toBe(200);
      expect(nightly).toMatchObject({ name: 'Mine', description: 'By the administrator' });
    });

    test('VB365-42: a job whose answer was lost is found by its name, also by the next request', async () => {
      const job = await importAll();
      const answer = server.answer.bind(server);
      cutAnswers(server, 'POST');
      expect((await create(job)).status).toBe(200);
      expect(named('Weekly')).toHaveLength(1);
      server.answer = answer;

      cutAnswers(server, 'POST', { isOffAfterwards: true });
      const lost = await create(job, { name: 'Monthly' });
      expect(lost.status).toBe(503);
      expect((await listJobs()).map(({ name }) => name)).toEqual(['Nightly', 'Weekly']);
      server.answer = answer;
      // Of two that repeat it, one goes on, with a job that can be changed.
      const more = { name: 'Monthly', description: 'Once' };
      const both = await Promise.all([create(job, more), create(job, more)]);
      expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(named('Monthly')).toMatchObject([{ description: 'Once' }]);
      expect((await update(await loadJob('Monthly'), {})).status).toBe(200);
      await readAgain();
      expect((await listJobs()).map(({ name }) => name)).toEqual(['Monthly', 'Nightly', 'Weekly']);

      // Read before it was asked for again: it is in the list, and the name is taken.
      cutAnswers(server, 'POST', { isOffAfterwards: true });
      expect((await create(job, { name: 'Yearly' })).status).toBe(503);
      server.answer = answer;
      await readAgain();
      expect((await create(job, { name: 'Yearly' })).status).toBe(409);
      expect([named('Yearly').length, (await listJobs()).length]).toEqual([1, 4]);
    });

    test('VB365-42: a name is free again after a job was renamed or deleted, and each job keeps its own', async () => {
      const job = await importAll();
      const { id } = (await create(job)).body.data;
      const weekly = await loadJob('Weekly');
      expect((await update(weekly, { name: 'Every week' })).status).toBe(200);
      const second = await create(job);
      expect([second.status, second.body.data.id === id]).toEqual([200, false]);
      expect((await admin('DELETE', `o365/jobs/${second.body.data.id}`)).status).toBe(200);
      const third = await create(job, { description: 'The third' });
      expect(third.status).toBe(200);
      const names = ['Every week', 'Nightly', 'Weekly'];
      for (let times = 0; times < 2; times += 1) {
        expect((await listJobs()).map(({ name }) => name)).toEqual(names);
        expect(server.content.jobs.map(({ name }) => name).toSorted()).toEqual(names);
        expect(await loadJob('Weekly')).toMatchObject({
          id: third.body.data.id,
          description: 'The third',
        });
        expect((await loadJob('Every week')).id).toBe(id);
        await readAgain();
      }
    });

    test('VB365-42: of two requests for the same job at the same time, one makes it', async () => {
      const job = await importAll();
      const statuses = (await Promise.all([create(job), create(job)])).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(named('Weekly')).toHaveLength(1);
      await readAgain();
      expect(await listJobs()).toHaveLength(2);
    });

    test('VB365-42: a change and a deletion whose answers were lost are done', async () => {
      const job = await importAll();
      const answer = server.answer.bind(server);
      // A change that never arrived is not done, even if only its items show that.
      cutAnswers(server, 'PUT', { arrives: false });
      const excludedItems = [{ type: 'User', id: userId(), mailbox: true }];
      expect((await update(job, { excludedItems })).status).toBe(503);
      server.answer = answer;
      expect(itemsAt('excludedItems')).toEqual([]);
      cutAnswers(server, 'PUT');
      expect((await update(job, { name: 'Every night' })).status).toBe(200);
      server.answer = answer;
      expect(nightly.name).toBe('Every night');
      expect((await listJobs()).map(({ name }) => name)).toEqual(['Every night']);
      cutAnswers(server, 'DELETE');
      expect((await admin('DELETE', `o365/jobs/${job.id}`)).status).toBe(200);
      server.answer = answer;
      expect([await listJobs(), server.content.jobs]).toEqual([[], []]);
      await readAgain();
      expect(await listJobs()).toEqual([]);
    });

    test('VB365-42, VB365-40: a job of the same name on the server is not taken for a new one', async () => {
      const job = await importAll();
      addJob(server.content, found, 'weekly', { description: 'Not ours' });
      expect((await create(job)).status).toBe(409);
      expect(server.content.jobs).toHaveLength(2);
      await readAgain();
      expect((await loadJob('weekly')).description).toBe('Not ours');
    });

    test('VB365-40: a running job is stopped and deleted, and one that the server no longer has, too', async () => {
      const job = await importAll();
      addSession(server.content, nightly, fixture.context.clock.now(), { status: 'Running' });
      await readAgain();
      expect((await admin('DELETE', `o365/jobs/${job.id}`)).status).toBe(200);
      expect(server.content.jobs).toEqual([]);
      addJob(server.content, found, 'Other');
      await readAgain();
      const other = await loadJob('Other');
      server.content.jobs.length = 0;
      expect((await update(other, { name: 'Mine' })).status).toBe(404);
      expect((await admin('DELETE', `o365/jobs/${other.id}`)).status).toBe(200);
      await readAgain();
      expect(await listJobs()).toEqual([]);
    });

    test('VB365-43: a server that is off, refuses the sign-in, lacks a right or refuses a change is named, and nothing changes', async () => {
      const job = await importAll();
      const each = async (): Promise<readonly number[]> => [
        (await create(job)).status,
        (await update(job, { name: 'Mine' })).status,
        (await admin('DELETE', `o365/jobs/${job.id}`)).status,
      ];
      for (const [details, status] of [
        [json({ message: 'Not now.' }, 503), 503],
        [json({ message: 'Authorization has been denied.' }, 401), 409],
        [json({ message: 'Not yours.' }, 403), 403],
        [json({ message: 'The licence has expired.' }, 400), 409],
      ] as const) {
        server.failure = ({ method }) => (method === 'GET' ? null : details);
        expect([details.body, await each()]).toEqual([details.body, [status, status, status]]);
      }
      server.failure = () => null;
      expect((await listJobs()).map(({ name }) => name)).toEqual(['Nightly']);
      expect([server.content.jobs.length, await audited()]).toEqual([1, []]);
      // A refusal leaves no claim on the name.
      expect((await create(job)).status).toBe(200);
      expect((await update(job, { name: 'Mine' })).status).toBe(200);
      expect((await admin('DELETE', `o365/jobs/${job.id}`)).status).toBe(200);
      expect(await audited()).toEqual([
        'backupjob.created',
        'backupjob.deleted',
        'backupjob.updated',
      ]);
      await server.outside.stop();
      expect((await create(job, { name: 'Later' })).status).toBe(503);
    });

    test('VB365-43: what a server does not offer is refused before anything is sent', async () => {
      const job = await importAll();
      const before = sent.length;
      const every = { type: 'Periodically', periodicallyEvery: 'Hours12' };
      for (const more of [
        { schedulePolicy: { ...job.schedulePolicy, schedule: { type: 'Continuously' } } },
        { proxyId: '00000000-0000-4000-8000-000000000001' },
        { isFullTextEnabled: true },
        { fileVersions: 10 },
        { isTeamsChatsEnabled: true },
        { backupType: 'SelectedItems', selectedItems: [{ type: 'Site', id: null }] },
        { backupType: 'SelectedItems', selectedItems: [] },
        { repositoryId: '00000000-0000-4000-8000-000000000001' },
        ...(version === 'v7'
          ? [{ schedulePolicy: { ...job.schedulePolicy, schedule: every } }]
          : []),
      ]) {
        const [made, saved] = [await create(job, more), await update(job, more)];
        expect([more, made.status, saved.status]).toEqual([more, 400, 400]);
      }
      expect(sent).toHaveLength(before);
      if (version === 'v8')
        expect(
          (await create(job, { schedulePolicy: { ...job.schedulePolicy, schedule: every } }))
            .status,
        ).toBe(200);
    });

    test('VB365-43: users of another company and of another provider change nothing', async () => {
      const job = await importAll();
      const stranger = await (await anOffice(fixture)).as('stranger', ['o365_admin']);
      const other = await office.as('other', ['o365_admin'], [2]);
      const reader = await office.as('reader', ['read-only']);
      for (const [who, status] of [
        [stranger, 404],
        [other, 404],
        [reader, 403],
      ] as const) {
        expect((await create(job, {}, who)).status).toBe(status);
        const path = `o365/jobs/${job.id}`;
        expect((await who('PUT', path, { ...getFields(job), name: 'Mine' })).status).toBe(status);
        expect((await who('DELETE', path)).status).toBe(status);
      }
      expect(server.content.jobs).toMatchObject([{ name: 'Nightly' }]);
      expect(sent.filter(({ request }) => !request.includes('from-api'))).toEqual([]);
    });
  });
});
