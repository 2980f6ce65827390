import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineKind } from '#contract/engine/engine.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import { checkTraffic } from '#tests/fakes/vb365/checked.ts';
import {
  addFile,
  addFolder,
  addMail,
  addObject,
  addPoint,
} from '#tests/fakes/vb365/restore-state.ts';
import { startVb365 } from '#tests/fakes/vb365/server.ts';
import { addDirectoryObject, addJob, addOrganization } from '#tests/fakes/vb365/state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';
import { job, organization, repository } from '../../backup/fixtures.ts';
import { makeFixture } from '../../http/fixtures.ts';
import { getTicks, type Ticks } from '../../jobs/ticks.ts';
import { HERE } from '../../outbound/listen.ts';
import { anOffice, type Asker, type Office } from '../../sync/fixtures.ts';
import { BUCKET, KEY_ID, openS3, REGION, SECRET } from '../s3/stand-in.ts';

/** An organization of company 1 with three users and one job that runs at 22:00, by one engine. */
export interface EngineCase {
  readonly kind: EngineKind;
  readonly context: AppContext;
  readonly office: Office;
  readonly admin: Asker;
  readonly organizationId: string;
  readonly jobId: string;
  /** The session that runs does all its work. */
  finish(): Promise<void>;
  /** What the engine does in the background. */
  settle(): Promise<void>;
  pass(ms: number): void;
  stop(): Promise<void>;
}

export const ENGINES: readonly {
  readonly name: string;
  readonly start: (store: Store) => Promise<EngineCase>;
}[] = [
  { name: 'embedded on a folder', start: (store) => startEmbedded(store) },
  { name: 'embedded on S3', start: startOnS3 },
  { name: 'vb365 v8', start: (store) => startImported(store, 'v8') },
  { name: 'vb365 v7', start: (store) => startImported(store, 'v7') },
];

const ROLES = [
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'Files.Read.All',
  'User.Read.All',
  'Sites.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];

const create = async (admin: Asker, path: string, body: object): Promise<string> => {
  const { status, text, body: answer } = await admin<{ id: string }>('POST', path, body);
  if (status !== 200) throw new Error(text);
  return answer.data.id;
};

/** The repositories of the embedded engine are in a bucket. */
async function startOnS3(store: Store): Promise<EngineCase> {
  const s3 = await openS3();
  const engine = await startEmbedded(store, {
    endpoint: s3.url,
    region: REGION,
    bucket: BUCKET,
    prefix: 'contract',
    accessKeyId: KEY_ID,
    secretAccessKey: SECRET,
  });
  s3.now = () => engine.context.clock.now();
  return {
    ...engine,
    async stop() {
      await engine.stop();
      await s3.stop();
      if (![...s3.objects.keys()].some((key) => /^contract\/.*data\//.test(key)))
        throw new Error('The bucket has no packs.');
    },
  };
}

async function startEmbedded(store: Store, storage: object | null = null): Promise<EngineCase> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-contract-'));
  const settings = { repositoriesDir: folder, outbound: HERE.outbound };
  const fixture = await makeFixture(settings, store, { skipsShortWaits: true });
  const { context } = fixture;
  const tenant = createDemoTenant({
    file: null,
    seed: 3,
    now: () => context.clock.now(),
    size: { people: 3, minMails: 1, maxMails: 2, minFiles: 1, maxFiles: 1, maxFileBytes: 500 },
  });
  context.cloud.connectTo((request) => tenant.fetch(request));
  const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
  const office = await anOffice(fixture);
  const admin = await office.as('admin', ['o365_admin']);
  const organizationId = await create(
    admin,
    'o365/organizations',
    organization(1, {
      authType: 'modernLegacy',
      userCode: undefined,
      exchangeOnlineSettings: {
        applicationId: appId,
        applicationSecret: secret,
        officeOrganizationName: tenant.domain,
      },
    }),
  );
  const repositoryId = await create(
    admin,
    'o365/repositories',
    repository(organizationId, { storage }),
  );
  const jobId = await create(admin, 'o365/jobs', job(organizationId, repositoryId));
  const { 'backup-session': session, 'background-download': download } = allJobs(context);
  const sessions = alone(context, office, {
    'backup-session': session,
    'background-download': download,
  });
  return {
    kind: 'embedded',
    context,
    office,
    admin,
    organizationId,
    jobId,
    finish: () => sessions.tick(),
    settle: () => sessions.tick(),
    pass: (ms) => fixture.pass(ms),
    async stop() {
      await sessions.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startImported(store: Store, version: 'v7' | 'v8'): Promise<EngineCase> {
  const fixture = await makeFixture(HERE, store);
  const server = await startVb365(version, () => fixture.context.clock.now());
  const problems = checkTraffic(server);
  const { content } = server;
  const found = addOrganization(content, 'Calloway Freight');
  addJob(content, found, 'Mail');
  const made = fixture.context.clock.now();
  for (const name of ['Ann Chovey', 'Ben Dover', 'Cy Borg']) {
    addDirectoryObject(content, found, 'users', name);
    const mailbox = addObject(content, found, 'mailboxes', name);
    const inbox = addFolder(mailbox, 'Inbox');
    for (const n of [1, 2]) addMail(mailbox, inbox, `Mail ${n} for ${name}`, made - n * 60_000);
    const drive = addObject(content, found, 'onedrives', name);
    addFile(drive, addFolder(drive, 'Plans'), 'plan.txt', made - 60_000, Buffer.from(name));
  }
  const office = await anOffice(fixture);
  const { context } = fixture;
  const admin = await office.as('admin', ['o365_admin']);
  const { 'vb365-server': reading, 'background-download': download } = allJobs(context);
  const servers = alone(context, office, {
    'vb365-server': reading,
    'background-download': download,
  });
  const imported = await admin<{ rows: { id: string }[] }>('POST', 'o365/organizations/from-api', {
    apiUrl: server.outside.url,
    username: USER.name,
    password: USER.secret,
    companyId: 1,
  });
  await servers.tick();
  const organizationId = imported.body.data.rows[0]?.id ?? '';
  const jobs = await admin<{ rows: { id: string }[] }>(
    'GET',
    `o365/organizations/${organizationId}/jobs`,
  );
  return {
    kind: 'vb365',
    context,
    office,
    admin,
    organizationId,
    jobId: jobs.body.data.rows[0]?.id ?? '',
    async finish() {
      const session = content.sessions.find(({ endTime }) => endTime === null);
      const [known] = content.jobs;
      if (!session || !known) throw new Error('no session runs');
      const at = context.clock.now();
      Object.assign(session, { status: 'Success', endTime: at });
      Object.assign(known, { lastStatus: 'Success', lastBackup: at });
      addPoint(content, found, at);
      await servers.tick();
    },
    settle: () => servers.tick(),
    pass: (ms) => fixture.pass(ms),
    async stop() {
      await servers.stop();
      await server.outside.stop();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
  };
}

/** Other tests' providers have jobs of their own. */
const alone = (
  context: AppContext,
  { tenant }: Office,
  handlers: Parameters<typeof getTicks>[1],
): Ticks =>
  getTicks(
    { ...context, store: { ...context.store, tenants: () => Promise.resolve([tenant]) } },
    handlers,
  );
