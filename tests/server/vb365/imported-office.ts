import { allJobs } from '#server/jobs.ts';
import type { Store } from '#server/platform/db/store.ts';
import { checkTraffic } from '#tests/fakes/vb365/checked.ts';
import { startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import {
  addOrganization,
  uid,
  type Vb365Organization,
  type Vb365Version,
} from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { getTicks } from '../jobs/ticks.ts';
import { HERE } from '../outbound/listen.ts';
import { anOffice, type Asker, type Office } from '../sync/fixtures.ts';
import type { Row } from './job-fields.ts';

const MINUTE = 60_000;

/** What the page sends for a repository, besides its organization. */
export const NEW_REPOSITORY = {
  repository: 'Vault',
  description: 'Third floor',
  retentionType: 'ItemLevel',
  retention: { unit: 'days', count: 90 },
  cleanUp: { type: 'Monthly', number: 'Last', day: 'Sunday', time: '03:30' },
  proxyId: uid('proxy'),
  path: 'E:\\Vault',
} as const;

/** A provider beside a stand-in of a server, whose one organization it can import. */
export interface ImportedOffice {
  readonly fixture: Fixture;
  readonly office: Office;
  readonly admin: Asker;
  readonly server: Vb365Server;
  readonly found: Vb365Organization;
  /** Changes that the server got, oldest first. */
  readonly sent: { readonly request: string; readonly body: Row | null }[];
  /**
   * Imports the organization, reads its server once, and returns its id. `from`: another server;
   * `who`: another user.
   */
  readonly importAll: (from?: Vb365Server, who?: Asker) => Promise<string>;
  /** Time passes, and the server is read. */
  readonly readAgain: (ms?: number) => Promise<void>;
  /** Throws what was asked or answered that the version doesn't publish. */
  readonly stop: () => Promise<void>;
}

export async function startImportedOffice(
  version: Vb365Version,
  store: Store,
): Promise<ImportedOffice> {
  const fixture = await makeFixture(HERE, store);
  const { context } = fixture;
  const server = await startVb365(version, () => context.clock.now());
  const problems = checkTraffic(server);
  const sent: { request: string; body: Row | null }[] = [];
  const answer = server.answer.bind(server);
  server.answer = (request) => {
    const { method, path, body } = request;
    if (method !== 'GET' && !/token/i.test(path))
      sent.push({ request: `${method} ${path}`, body: JSON.parse(body || 'null') as Row });
    return answer(request);
  };
  const found = addOrganization(server.content, 'Calloway Freight');
  const office = await anOffice(fixture);
  const admin = await office.as('admin', ['o365_admin']);
  const alone: Store = { ...store, tenants: () => Promise.resolve([office.tenant]) };
  const ticks = getTicks(
    { ...context, store: alone },
    { 'vb365-server': allJobs(context)['vb365-server'] },
  );
  let current = server;
  return {
    fixture,
    office,
    admin,
    server,
    found,
    sent,
    async importAll(from = server, who = admin) {
      current = from;
      const { body } = await who<{ rows: { id: string }[] }>(
        'POST',
        'o365/organizations/from-api',
        { apiUrl: from.outside.url, username: USER.name, password: USER.secret, companyId: 1 },
      );
      await ticks.tick();
      return body.data.rows[0]?.id ?? '';
    },
    async readAgain(ms = MINUTE) {
      fixture.pass(ms);
      await ticks.tick();
    },
    async stop() {
      await ticks.stop();
      await current.outside.stop();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
  };
}
