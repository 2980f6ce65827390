import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { offsetAt } from '#contract/time/day.ts';
import type { Store } from '#server/platform/db/store.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';
import type { Vb365Server } from '#tests/fakes/vb365/server.ts';
import { addJob, type Vb365Job, type Vb365Organization } from '#tests/fakes/vb365/state.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Fixture } from '../http/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
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
    const audited = () => listAudited(fixture.context.store, office.tenant);
    const notification = {
      enabled: true,
      notifyOnFailure: false,
      userIds: [],
      externalAddresses: ['night@example.com'],
    };

    test('VB365-44: a creation whose answer was lost has its audit record and recipients and runs once, when the server is read', async () => {
      const job = await importAll();
      const answer = server.answer.bind(server);
      cutAnswers(server, 'POST', { isOffAfterwards: true });
      const lost = await create(job, { notification, runNow: true });
      expect([lost.status, await listJobs()]).toMatchObject([503, [{ name: 'Nightly' }]]);
      server.answer = answer;
      for (let times = 0; times < 3; times += 1) {
        await readAgain();
        const { id } = await loadJob('Weekly');
        const { body } = await admin('GET', `o365/jobs/${id}/notifications`);
        expect(body.data).toMatchObject(notification);
        expect(await audited()).toEqual(['backupjob.created']);
        expect(sent.filter(({ request }) => request.endsWith('/start'))).toHaveLength(1);
      }
    });

    test('VB365-44: another job with the name of a lost creation is neither changed nor taken for it', async () => {
      const job = await importAll();
      const answer = server.answer.bind(server);
      cutAnswers(server, 'POST', { arrives: false });
      expect((await create(job, { notification })).status).toBe(503);
      server.answer = answer;
      const other = addJob(server.content, found, 'Weekly', { description: 'Not ours' });
      expect((await create(job)).status).toBe(409);
      cutAnswers(server, 'POST', { arrives: false });
      expect((await create(job, { name: 'Monthly', notification })).status).toBe(503);
      server.answer = answer;
      addJob(server.content, found, 'Monthly', { description: 'Not ours' });
      await readAgain();
      expect(other).toMatchObject({ name: 'Weekly', description: 'Not ours' });
      expect([(await listJobs()).length, await audited()]).toEqual([3, []]);
    });

    test('VB365-44: of a request that still runs, the server reads nothing too early', async () => {
      const job = await importAll();
      const answer = server.answer.bind(server);
      server.answer = async (request) => {
        const given = await answer(request);
        if (request.method === 'POST' && /jobs$/i.test(request.path)) await readAgain();
        return given;
      };
      expect((await create(job, { notification })).status).toBe(200);
      server.answer = answer;
      await readAgain();
      expect([(await listJobs()).length, await audited()]).toEqual([2, ['backupjob.created']]);
    });

    /** The clocks of the provider are ahead of the server's by these hours. Returns the daily time there. */
    const setClock = async (next: number, hours: number): Promise<string> => {
      const zone = await fixture.context.store.tenant(office.tenant, loadZone, { readOnly: true });
      const wall = next + offsetAt(next, zone);
      const dailyTime = new Date(wall - hours * HOUR).toISOString().slice(11, 16);
      const schedulePolicy = { ...nightly.schedulePolicy, dailyTime: `${dailyTime}:00` };
      Object.assign(nightly, { nextRun: next, schedulePolicy });
      return new Date(wall).toISOString().slice(11, 16);
    };

    test('VB365-41: workdays and weekends that would be other days on the server are refused', async () => {
      const at = Math.ceil(fixture.context.clock.now() / HOUR) * HOUR + HOUR;
      await setClock(at, 3);
      const job = await importAll();
      const before = sent.length;
      for (const dailyType of ['Workdays', 'Weekends']) {
        const wanted = (dailyTime: string) => ({
          schedulePolicy: {
            ...job.schedulePolicy,
            schedule: { type: 'Daily', dailyType, dailyTime },
          },
        });
        const both = [await create(job, wanted('02:59')), await update(job, wanted('02:59'))];
        for (const { status, text } of both)
          expect([status, text]).toEqual([400, expect.stringContaining('another day')]);
        expect(sent).toHaveLength(before);
      }
      const schedule = { type: 'Daily', dailyType: 'Workdays', dailyTime: '03:00' };
      const more = { schedulePolicy: { ...job.schedulePolicy, schedule } };
      expect((await create(job, more)).status).toBe(200);
      expect(named('Weekly')[0]?.schedulePolicy).toMatchObject({
        dailyType: 'Workdays',
        dailyTime: '00:00:00',
      });
    });

    test('VB365-41: the time of a job stays the same before, during and after its run', async () => {
      const step = 15 * MINUTE;
      const start = Math.ceil(fixture.context.clock.now() / step) * step;
      const dailyTime = await setClock(start, 5);
      const job = await importAll();
      expect(job.schedulePolicy.schedule).toMatchObject({ dailyTime });
      fixture.pass(start - fixture.context.clock.now());
      // It runs, is tried again in a while, has no next run, and has the one of tomorrow.
      for (const nextRun of [start, start + 37 * MINUTE, null, start + 24 * HOUR]) {
        Object.assign(nightly, { nextRun });
        await readAgain();
        const shown = await loadJob('Nightly');
        expect([nextRun, shown.schedulePolicy.schedule]).toMatchObject([nextRun, { dailyTime }]);
        const saved = await update(shown, { description: `Next run ${nextRun}` });
        expect([nextRun, saved.status]).toEqual([nextRun, 200]);
      }
    });

    test('VB365-42: a change that the server gets until right before ours is not overwritten', async () => {
      const job = await importAll();
      const answer = server.answer.bind(server);
      let reads = 0;
      server.answer = async (request) => {
        const given = await answer(request);
        const isLast = version === 'v7' ? /jobs\/[^/]+$/i : /excludeditems/i;
        if (request.method === 'GET' && isLast.test(request.path.split('?')[0] ?? '')) {
          reads += 1;
          // The first reading is compared with the page; what comes after the second's items is late.
          if (reads === (version === 'v7' ? 1 : 2))
            Object.assign(nightly, { description: 'Meanwhile', eTag: nightly.eTag + 1 });
        }
        return given;
      };
      expect((await update(job, { name: 'Mine' })).status).toBe(409);
      expect(nightly).toMatchObject({ name: 'Nightly', description: 'Meanwhile' });
    });

    test('VB365-42: a job that the server has otherwise than it was sent is reported and shown as it is', async () => {
      const job = await importAll();
      const answer = server.answer.bind(server);
      server.answer = async (request) => {
        const given = await answer(request);
        if (request.method === 'PUT' || (request.method === 'POST' && /jobs$/i.test(request.path)))
          Object.assign(server.content.jobs.at(-1) ?? {}, { description: 'By the administrator' });
        return given;
      };
      for (const saved of [
        await update(job, { description: 'Mine' }),
        await create(job, { description: 'Mine' }),
      ])
        expect([saved.status, saved.text]).toEqual([
          409,
          expect.stringContaining('different settings than you chose'),
        ]);
      for (const name of ['Nightly', 'Weekly'])
        expect((await loadJob(name)).description).toBe('By the administrator');
      expect(await audited()).toEqual(['backupjob.created', 'backupjob.updated']);
    });

    test('VB365-40: the server is read soon after a job was switched off or on', async () => {
      const job = await importAll();
      for (const action of ['disable', 'enable']) {
        expect((await admin('POST', `o365/jobs/${job.id}/${action}`)).status).toBe(200);
        Object.assign(nightly, { description: action, eTag: nightly.eTag + 1 });
        await readAgain(6_000);
        expect((await loadJob('Nightly')).description).toBe(action);
      }
    });
  });
});
