import { createHash } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { collectorHandlers } from '#server/features/connections/handlers.ts';
import type { Store } from '#server/platform/db/store.ts';
import { startSecureVb365, startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import { addJob, addOrganization, addSession } from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { aField, type Field } from '../connections/fakes/field.ts';
import { eachDatabase, anyStore } from '../db/databases.ts';
import { anAsk, HOUR, NOON } from '../ingest/fixtures.ts';
import { json } from '../outbound/listen.ts';

const MINUTE = 60_000;
const DAY = 24 * HOUR;

eachDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let store: Store;
    let field: Field;
    let server: Vb365Server;
    beforeAll(async () => {
      store = await open();
    });
    beforeEach(async () => {
      field = await aField(store);
      server = await startVb365(version, () => field.context.clock.now());
    });
    afterEach(async () => {
      await field.collectors.stop();
      await server.outside.stop();
    });

    /** A company of ours that is linked with an organization by one of its names. */
    const company = (name: string, organization: string | null): Promise<number> =>
      field.company(name, null, organization === null ? [] : [organization]);
    const connect = (address = server.outside.url) =>
      field.connect(address, {
        kind: 'vb365',
        name: 'Suite server',
        credentials: { kind: 'password', ...USER },
      });
    const parts = async (): Promise<Record<string, string>> => {
      const listed = await field.listConnections();
      if (!listed.ok) throw new Error('not listed');
      return Object.fromEntries(
        (listed.value[0]?.collections ?? []).map(({ entity, status, rows, unlinked, error }) => [
          entity,
          `${status} ${rows}/${unlinked}${error === null ? '' : ` ${error}`}`,
        ]),
      );
    };
    const results = async () =>
      (await field.runs())
        .toSorted((a, b) => a.startedAt - b.startedAt)
        .map(({ status, message }) => (message === null ? status : `${status}: ${message}`));

    test('COLLECT-2, COLLECT-3, VB365-6: sessions of linked organizations are results once, with their cause; those of others are counted', async () => {
      const { content } = server;
      const [one, two, other] = [
        addOrganization(content, 'Example One'),
        addOrganization(content, 'Example Two'),
        addOrganization(content, 'Nobody'),
      ];
      const first = await company('First', one.name.toUpperCase());
      const second = await company('Second', two.id);
      const nightly = addJob(content, one, 'Nightly');
      addSession(content, nightly, NOON - 30 * HOUR);
      addSession(content, nightly, NOON - 6 * HOUR, { status: 'Failed', details: 'It failed.' });
      const manual = addJob(content, two, 'Manual', { schedulePolicy: { type: 'ManualOnly' } });
      addSession(content, manual, NOON - 5 * HOUR, { status: 'Stopped' });
      addSession(content, addJob(content, other, 'Unknown'), NOON - 4 * HOUR);
      await connect();
      await field.round();
      const cause =
        version === 'v8' ? 'Failed to process mailbox: The request was throttled.' : 'It failed.';
      expect(await results()).toEqual([
        'Success',
        `Failed: ${cause}`,
        'Error: The session was stopped.',
      ]);
      expect(await parts()).toEqual({
        organizations: 'succeeded 3/1',
        jobs: 'succeeded 3/1',
        // Version 7 lists the sessions of a job, so those of others are never seen.
        sessions: version === 'v8' ? 'succeeded 4/1' : 'succeeded 3/0',
        repositories: 'succeeded 1/1',
        licences: 'succeeded 1/0',
      });
      const jobs = await field.place.all('job');
      expect(
        jobs
          .map(({ name, company: n, source, group, server: owner, schedule }) => ({
            name,
            n,
            source,
            group,
            owner,
            schedule,
          }))
          .toSorted((a, b) => a.n - b.n),
      ).toEqual([
        {
          name: 'Nightly',
          n: first,
          source: 'office365',
          group: 'office365',
          owner: 'Example One',
          schedule: { type: 'kind', kind: 'Daily' },
        },
        {
          name: 'Manual',
          n: second,
          source: 'office365',
          group: 'office365',
          owner: 'Example Two',
          schedule: null,
        },
      ]);

      // Nothing new: nothing is recorded again, and no log is read again.
      const before = server.outside.asked.length;
      await field.round(10 * MINUTE);
      expect(await results()).toHaveLength(3);
      expect(
        server.outside.asked.slice(before).filter(({ path }) => /LogItems/i.test(path)),
      ).toEqual([]);
    });

    test('COLLECT-3, VB365-6: a session is running until it ends, and then the same result', async () => {
      const { content } = server;
      const organization = addOrganization(content, 'Example');
      await company('First', organization.name);
      const job = addJob(content, organization, 'Nightly');
      const session = addSession(content, job, NOON - MINUTE, { status: 'Running' });
      await connect();
      await field.round();
      expect(await results()).toEqual(['Running']);
      await field.round(10 * MINUTE);
      expect(await results()).toEqual(['Running']);
      Object.assign(session, { status: 'Warning', endTime: NOON + 15 * MINUTE });
      session.log.push({ at: NOON, type: 'Warning', message: 'A mailbox has no licence.' });
      session.details = 'A mailbox has no licence.';
      job.lastStatus = 'Warning';
      await field.round(10 * MINUTE);
      expect(await results()).toEqual(['Warning: A mailbox has no licence.']);
      const [run] = await field.runs();
      expect([run?.startedAt, run?.endedAt]).toEqual([NOON - MINUTE, NOON + 15 * MINUTE]);
    });

    test.each([
      ['runs for ten days', 10, NOON + 10 * DAY],
      ['ended long before its server says so', 3, NOON + HOUR],
    ])('COLLECT-3, VB365-6: a session that %s has its end', async (_, days, endTime) => {
      const { content } = server;
      const organization = addOrganization(content, 'Example');
      await company('First', organization.name);
      const job = addJob(content, organization, 'First backup');
      const session = addSession(content, job, NOON, { status: 'Running' });
      await connect();
      await field.round(MINUTE);
      await field.round(days * DAY);
      expect(await results()).toEqual(['Running']);
      Object.assign(session, { status: 'Success', endTime });
      job.lastStatus = 'Success';
      await field.round(10 * MINUTE);
      expect(await results()).toEqual(['Success']);
      expect((await field.runs()).map(({ endedAt }) => endedAt)).toEqual([endTime]);
    });

    test('COLLECT-3, VB365-6: a session that ended during weeks without connection has its end', async () => {
      const { content } = server;
      const organization = addOrganization(content, 'Example');
      await company('First', organization.name);
      const job = addJob(content, organization, 'Nightly');
      const session = addSession(content, job, NOON - MINUTE, { status: 'Running' });
      await connect();
      await field.round();
      expect(await results()).toEqual(['Running']);
      Object.assign(session, { status: 'Success', endTime: NOON + HOUR });
      job.lastStatus = 'Success';
      server.failure = () => json({ message: 'The server is restarting.' }, 503);
      await field.round(10 * DAY);
      server.failure = () => null;
      await field.round(20 * DAY);
      expect(await results()).toEqual(['Success']);
      expect((await field.runs()).map(({ endedAt }) => endedAt)).toEqual([NOON + HOUR]);
    });

    test('COLLECT-2: an organization that is linked later brings its session of this morning', async () => {
      const { content } = server;
      const organization = addOrganization(content, 'Example');
      const job = addJob(content, organization, 'Nightly');
      addSession(content, job, NOON - 6 * HOUR);
      await connect();
      await field.round();
      expect(await results()).toEqual([]);
      await company('First', organization.name);
      await field.round(20 * MINUTE);
      await field.round(20 * MINUTE);
      expect(await results()).toEqual(['Success']);
    });

    test('VB365-8: a job is started, stopped, disabled and enabled on its server, and its new state is read at once', async () => {
      const { content } = server;
      const organization = addOrganization(content, 'Example');
      await company('First', organization.name);
      const job = addJob(content, organization, 'Nightly');
      const id = await connect();
      const handlers = collectorHandlers(field.context);
      const command = (action: 'start' | 'stop' | 'enable' | 'disable', uid = job.id) =>
        handlers.commandServerJob(
          { id, job: uid, action },
          anAsk({ ...field.place.ground, context: field.context }, field.tenant),
        );
      expect(await command('start')).toMatchObject({ failure: { kind: 'not-found' } });
      await field.round();
      expect(await command('start')).toEqual({ ok: true, value: {} });
      expect(job.lastStatus).toBe('Running');
      await field.round();
      expect(await results()).toEqual(['Running']);
      expect(await command('start')).toMatchObject({
        failure: {
          kind: 'conflict',
          message: expect.stringContaining('The job is already running.'),
        },
      });
      expect(await command('disable')).toEqual({ ok: true, value: {} });
      await field.round();
      expect((await field.place.all('job')).map(({ enabled }) => enabled)).toEqual([false]);
      expect(await command('enable')).toEqual({ ok: true, value: {} });
      expect(await command('stop')).toEqual({ ok: true, value: {} });
      await field.round();
      expect(await results()).toEqual(['Error: Stopped by a user.']);
      expect((await field.place.all('job')).map(({ enabled }) => enabled)).toEqual([true]);
      expect(await command('start', 'another')).toMatchObject({ failure: { kind: 'not-found' } });
      await server.outside.stop();
      expect(await command('start')).toMatchObject({ failure: { kind: 'busy' } });
    });

    test('COLLECT-5, VB365-7: an offline server is shown with its reason and asked again after growing waits, and other connections are read meanwhile', async () => {
      const { content } = server;
      const organization = addOrganization(content, 'Example');
      await company('First', organization.name);
      const gone = await startVb365(version, () => field.context.clock.now());
      await gone.outside.stop();
      await connect(gone.outside.url);
      await connect();
      await field.round();
      const find = async (url: string) => {
        const listed = await field.listConnections();
        return listed.ok ? listed.value.find(({ address }) => address === url) : undefined;
      };
      const offline = await find(gone.outside.url);
      const online = await find(server.outside.url);
      expect(offline?.collections.every(({ status }) => status === 'failed')).toBe(true);
      expect(offline?.collections[0]?.error).toBe('127.0.0.1 refused the connection.');
      expect(online?.collections.every(({ status }) => status === 'succeeded')).toBe(true);
      const waits: number[] = [];
      for (let n = 0; n < 4; n += 1) {
        const now = field.context.clock.now();
        const next = (await find(gone.outside.url))?.collections[0]?.nextAt ?? now;
        waits.push(next - now);
        await field.round(next - now);
      }
      expect(waits.every((wait, n) => wait > (waits[n - 1] ?? 0))).toBe(true);
    });

    test('COLLECT-5, VB365-7: a server that is busy is left alone for as long as it asks', async () => {
      addOrganization(server.content, 'Example');
      server.failure = () => ({
        ...json({ message: 'Too many requests.' }, 429),
        headers: { 'retry-after': '1200' },
      });
      await connect();
      await field.round();
      const before = server.outside.asked.length;
      await field.round(15 * MINUTE);
      expect(server.outside.asked).toHaveLength(before);
      server.failure = () => null;
      await field.round(15 * MINUTE);
      expect(await parts()).toMatchObject({ organizations: 'succeeded 1/1' });
    });
  });
});

describe('a connection to a server', () => {
  test('COLLECT-1, CONN-1, VB365-5: a first test shows the certificate with both of its fingerprints; pinned, the server answers', async () => {
    const field = await aField(await anyStore());
    const secure = await startSecureVb365('v8', () => NOON);
    try {
      addOrganization(secure.content, 'Example');
      const handlers = collectorHandlers(field.context);
      const tryIt = (certificate: string | null, secret: string = USER.secret) =>
        handlers.testConnection(
          {
            kind: 'vb365',
            address: secure.url,
            certificate,
            credentials: { kind: 'password', name: USER.name, secret },
          },
          anAsk({ ...field.place.ground, context: field.context }, field.tenant),
        );
      const first = await tryIt(null);
      if (!first.ok) throw new Error(first.failure.message);
      expect(first.value.ok).toBe(false);
      const der = Buffer.from(secure.certificate.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
      const { seen } = first.value;
      expect(seen?.thumbprint).toBe(getHash('sha1', der));
      expect(seen?.fingerprint).toBe(getHash('sha256', der));
      expect(secure.queries).toEqual([]);
      expect(await tryIt(seen?.certificate ?? null)).toEqual({
        ok: true,
        value: {
          ok: true,
          message: 'Veeam Backup for Microsoft 365 responded: 1 organization.',
          seen: null,
        },
      });
      expect(await tryIt(seen?.certificate ?? null, 'wrong')).toMatchObject({
        value: { ok: false, message: expect.stringContaining("didn't accept the credentials") },
      });
      await secure.renewCertificate();
      expect(await tryIt(seen?.certificate ?? null)).toMatchObject({
        value: { ok: false, message: expect.stringContaining('has changed'), seen: {} },
      });
    } finally {
      await secure.stop();
      await field.collectors.stop();
    }
  });
});

const getHash = (name: string, der: Buffer): string =>
  (createHash(name).update(der).digest('hex').toUpperCase().match(/../g) ?? []).join(':');
