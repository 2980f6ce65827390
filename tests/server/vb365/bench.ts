import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { downloadRoutes } from '#server/features/restore/downloads/routes.ts';
import { allHandlers } from '#server/handlers.ts';
import { allJobs } from '#server/jobs.ts';
import type { Store } from '#server/platform/db/store.ts';
import { checkTraffic } from '#tests/fakes/vb365/checked.ts';
import { startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import { addJob, addOrganization, type Vb365Organization } from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { type Fixture, getApp, makeFixture } from '../http/fixtures.ts';
import { getTicks, type Ticks } from '../jobs/ticks.ts';
import { HERE } from '../outbound/listen.ts';
import { cookiesIn } from '../restore/content.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';

export type Background = OutputOf<'getBackgroundDownload'>;
type Started = OutputOf<'downloadMailbox'>;
export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

/** A provider with an organization that was imported from a stand-in of a server. */
export interface Bench {
  readonly fixture: Fixture;
  readonly office: Office;
  admin: Asker;
  readonly server: Vb365Server;
  /** What was asked or answered that the version doesn't publish. */
  readonly problems: readonly string[];
  readonly organizationId: string;
  readonly jobs: Ticks;
  readonly filesFolder: string;
  /** Asks a call of restores, which must succeed. */
  ask<T>(path: string, body?: object): Promise<T>;
  refuse(path: string, body: object): Promise<[status: number, text: string]>;
  list(path: string): Promise<readonly Listed[]>;
  /** Returns how the paths of a new session begin. */
  openSession(sessionType: string): Promise<string>;
  /** An administrator of the tenant signs in with the code of a session. */
  signIn(sessionType: string): Promise<void>;
  startDownload(path: string, body?: object): Promise<Background>;
  getDownload(id: string): Promise<Background>;
  /** The background works until the download has ended. */
  finishDownload(id: string): Promise<Background>;
  /** Reads a finished file as a browser does, and compares its checksum. */
  readFile(download: Background): Promise<Buffer>;
  stop(): Promise<void>;
}

export async function startBench(
  version: 'v7' | 'v8',
  store: Store,
  fill: (server: Vb365Server, organization: Vb365Organization, now: number) => void,
): Promise<Bench> {
  const filesFolder = mkdtempSync(join(tmpdir(), 'daybook-vb365-'));
  const fixture = await makeFixture({ ...HERE, downloadsDir: filesFolder }, store, {
    endsTimers: true,
  });
  const { context } = fixture;
  const server = await startVb365(version, () => context.clock.now());
  const problems = checkTraffic(server);
  const organization = addOrganization(server.content, 'Calloway Freight');
  addJob(server.content, organization, 'Nightly');
  fill(server, organization, context.clock.now());
  const office = await anOffice(fixture);
  const first = await office.as('admin', ['o365_admin']);
  const imported = await first<{ rows: { id: string }[] }>('POST', 'o365/organizations/from-api', {
    apiUrl: server.outside.url,
    username: USER.name,
    password: USER.secret,
    companyId: 1,
  });
  const organizationId = imported.body.data.rows[0]?.id ?? '';
  const handlers = allJobs(context);
  const jobs = getTicks(
    { ...context, store: { ...context.store, tenants: () => Promise.resolve([office.tenant]) } },
    {
      'vb365-server': handlers['vb365-server'],
      'vb365-restore': handlers['vb365-restore'],
      'background-download': handlers['background-download'],
    },
  );
  await jobs.tick();

  const app = getApp(context, allHandlers(context), { routes: downloadRoutes(context) });

  const bench: Bench = {
    fixture,
    office,
    admin: first,
    server,
    problems,
    organizationId,
    jobs,
    filesFolder,
    async ask<T>(path: string, body?: object) {
      const method = body === undefined ? 'GET' : 'POST';
      const answer = await bench.admin<T>(method, `o365/restore/${path}`, body);
      expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
      return answer.body.data;
    },
    async refuse(path, body) {
      const { status, text } = await bench.admin('POST', `o365/restore/${path}`, body);
      return [status, text];
    },
    list: async (path) => (await bench.ask<{ rows: readonly Listed[] }>(path)).rows,
    async openSession(sessionType) {
      fixture.pass(1_000);
      const { id } = await bench.ask<{ id: string }>('restoresessions', {
        organizationId,
        datetime: context.clock.now(),
        sessionType,
      });
      return `restoresessions/${id}`;
    },
    async signIn(sessionType) {
      const { userCode } = await bench.ask<{ userCode: string }>('devicecode', {
        organizationId,
        sessionType,
      });
      server.content.codes.set(userCode, true);
      await bench.ask('token', { organizationId });
    },
    async startDownload(path, body = {}) {
      const { id, url } = await bench.ask<Started>(path, body);
      // A server's file is not there yet.
      expect(url).toBeNull();
      return bench.getDownload(id);
    },
    getDownload: (id) => bench.ask<Background>(`background-downloads/${id}`),
    async finishDownload(id) {
      for (let n = 0; n < 20; n += 1) {
        await jobs.tick();
        const download = await bench.getDownload(id);
        if (download.state !== 'queued' && download.state !== 'running') return download;
        fixture.pass(1_000);
      }
      throw new Error('the download does not end');
    },
    async readFile({ id, parts }) {
      expect(parts).toHaveLength(1);
      const { url } = await bench.ask<{ url: string }>(`background-downloads/${id}/file`);
      const visit = (headers: Record<string, string>) =>
        app.request(
          url,
          { headers: { host: office.host, ...headers } },
          { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
        );
      const whole = await visit({});
      expect(whole.status).toBe(200);
      const bytes = Buffer.from(await whole.arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(parts[0]?.sha256);
      const cookie = cookiesIn(whole).join('; ');
      const part = await visit({ cookie, range: 'bytes=3-9' });
      expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([
        206,
        bytes.subarray(3, 10),
      ]);
      return bytes;
    },
    async stop() {
      await jobs.stop();
      await server.outside.stop();
      rmSync(filesFolder, { recursive: true, force: true });
    },
  };
  return bench;
}
