import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { CALLS, getCall } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { backUp } from '#server/platform/db/backup-file.ts';
import { dump } from '#server/platform/db/dump.ts';
import { anyDatabase, freshStore } from '../db/databases.ts';
import { makeFixture } from '../http/fixtures.ts';
import { anOffice } from '../sync/fixtures.ts';
import { job, organization, repository } from './fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-canaries-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ROLES = [
  'Mail.ReadWrite',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
  'Files.ReadWrite.All',
  'User.Read.All',
  'Sites.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
  'MailboxItem.ImportExport.All',
];
/** Everybody who reads: all that the roles together see. */
const READERS = ['o365_admin', 'super-admin', 'admin', 'operator'] as const;
const SCALARS = ['device_code', 'access_token', 'refresh_token', 'id_token', 'client_assertion'];

anyDatabase((kind) => {
  test(`G62: of 40 secrets and more that calls take, tokens bring and keys hold, none can be read anywhere (${kind})`, async () => {
    const dir = join(folder, kind);
    const store = await freshStore(kind);
    const fixture = await makeFixture({ repositoriesDir: dir }, store);
    const { context } = fixture;
    const tenant = createDemoTenant({
      file: null,
      seed: 3,
      now: () => context.clock.now(),
      size: {
        people: 2,
        minMails: 3,
        maxMails: 4,
        minFiles: 1,
        maxFiles: 2,
        maxFileBytes: 5_000,
      },
    });
    const secrets = new Map<string, string>();
    const plant = (name: string): string => {
      const secret = `canary-${secrets.size}-${context.chance.uuid()}`;
      secrets.set(secret, name);
      return secret;
    };
    /** What tenants answer: as it is, or an error that repeats what it was sent. */
    let repeats = false;
    context.cloud.connectTo(async (request) => {
      const sent = request.method === 'POST' ? await request.clone().text() : '';
      const signsIn = /\/(token|devicecode)$/.test(new URL(request.url).pathname);
      if (signsIn) harvest(new URLSearchParams(sent).entries());
      if (signsIn && repeats)
        return Response.json(
          { error: 'invalid_client', error_description: `AADSTS7000215: ${sent}` },
          { status: 401 },
        );
      const answer = await tenant.fetch(request);
      if (!signsIn) return answer;
      const text = await answer.text();
      harvest(Object.entries(JSON.parse(text) as object));
      return new Response(text, { status: answer.status, headers: answer.headers });
    });
    function harvest(fields: Iterable<readonly [string, unknown]>): void {
      for (const [name, value] of fields)
        if (SCALARS.includes(name) && typeof value === 'string') secrets.set(value, name);
    }
    const run = async (...names: (keyof ReturnType<typeof allJobs>)[]): Promise<void> => {
      const jobs = allJobs(context);
      const runner = makeJobRunner(
        context,
        Object.fromEntries(names.map((name) => [name, jobs[name]])),
      );
      for (let turns = 0; turns < 3; turns += 1) {
        await runner.tick();
        fixture.pass(1_000);
      }
    };

    const office = await anOffice(fixture);
    const admin = await office.as('admin', ['o365_admin']);
    const statuses: number[] = [];
    const answers: string[] = [];
    const send = async (method: string, path: string, body?: object): Promise<string> => {
      const {
        status,
        text,
        body: answer,
      } = await admin<{ id?: string; taskId?: string }>(method, `o365/${path}`, body);
      statuses.push(status);
      answers.push(text);
      return answer.data?.id ?? '';
    };

    // Every place of an organization that takes a secret, at a tenant that doesn't know it.
    const settings = (where: string) => ({
      account: 'backup@example.com',
      password: plant(`${where} password`),
      applicationId: '00000000-0000-4000-b000-00000000000a',
      applicationSecret: plant(`${where} secret`),
      officeOrganizationName: tenant.domain,
    });
    const access = (where: string, authType: string) => ({
      name: where,
      authType,
      userCode: undefined,
      exchangeOnlineSettings: settings(`${where} exchange`),
      sharePointOnlineSettings: settings(`${where} sharepoint`),
    });
    for (const authType of ['basic', 'modernLegacy', 'modern']) {
      repeats = authType === 'modernLegacy';
      const password = plant(`first repository of ${authType}`);
      await send('POST', 'organizations', {
        ...organization(1, access(`create ${authType}`, authType)),
        repository: {
          repository: 'Vault',
          password,
          repeatPassword: password,
          retentionPolicy: 'Years5',
        },
      });
      expect(statuses.at(-1)).toBeGreaterThanOrEqual(400);
    }
    repeats = false;
    const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
    secrets.set(secret, 'the secret of the application');
    const organizationId = await send(
      'POST',
      'organizations',
      organization(1, {
        authType: 'modernLegacy',
        userCode: undefined,
        exchangeOnlineSettings: {
          ...settings('create'),
          applicationId: appId,
          applicationSecret: secret,
        },
      }),
    );
    expect(statuses.at(-1)).toBe(200);
    for (const authType of ['basic', 'modernLegacy', 'modern']) {
      repeats = authType === 'modernLegacy';
      const {
        companyId: _,
        type: __,
        ...fields
      } = organization(1, access(`update ${authType}`, authType)) as Record<string, unknown>;
      await send('PUT', `organizations/${organizationId}`, fields);
      expect(statuses.at(-1)).toBeGreaterThanOrEqual(400);
    }
    repeats = false;
    await send('POST', 'organizations/from-api', {
      apiUrl: 'https://127.0.0.1:9',
      username: 'svc',
      password: plant('server'),
    });
    await send('POST', 'organizations/device-code', {
      targetRegion: 'Worldwide',
      companyObjId: 1,
    });

    // Repositories: taken, refused for their repetition and for their hint, changed, attached.
    const vault = plant('repository');
    const repositoryId = await send(
      'POST',
      'repositories',
      repository(organizationId, { password: vault, repeatPassword: vault }),
    );
    expect(statuses.at(-1)).toBe(200);
    await send(
      'POST',
      'repositories',
      repository(organizationId, {
        repository: 'Second',
        password: plant('repository'),
        repeatPassword: plant('repetition'),
      }),
    );
    expect(statuses.at(-1)).toBe(400);
    const hinted = plant('hint');
    await send(
      'POST',
      'repositories',
      repository(organizationId, {
        repository: 'Third',
        password: hinted,
        repeatPassword: hinted,
        passwordDescription: `It is ${hinted}`,
      }),
    );
    expect(statuses.at(-1)).toBe(400);
    await send(
      'POST',
      'repositories',
      repository(organizationId, {
        repository: 'Fourth',
        storage: {
          endpoint: 'https://storage.invalid',
          region: 'us-east-1',
          bucket: 'backups',
          prefix: '',
          accessKeyId: plant('access key'),
          secretAccessKey: plant('secret access key'),
        },
      }),
    );
    expect(statuses.at(-1)).toBe(503);
    const changed = plant('changed password');
    await send('PATCH', `repositories/${repositoryId}`, {
      password: changed,
      repeatPassword: changed,
    });
    expect(statuses.at(-1)).toBe(200);
    await send('PATCH', `repositories/${repositoryId}`, {
      password: plant('wrong change'),
      repeatPassword: plant('wrong repetition'),
    });
    await send('PATCH', `repositories/${repositoryId}`, {
      storageKeys: {
        accessKeyId: plant('other access key'),
        secretAccessKey: plant('other secret access key'),
      },
    });
    expect(statuses.at(-1)).toBe(400);
    await send('POST', `repositories/${context.chance.uuid()}/attach`, {
      organizationId,
      password: plant('attached'),
    });

    // A session, a restore, its undo, downloads, and a session that fails.
    const jobId = await send('POST', 'jobs', job(organizationId, repositoryId, { runNow: true }));
    await run('backup-session', 'backup-runs');
    const opened = await send('POST', 'restore/restoresessions', {
      organizationId,
      datetime: context.clock.now(),
      sessionType: 'Vex',
    });
    expect(statuses.at(-1)).toBe(200);
    const boxes = await admin<{ rows: { id: string }[] }>(
      'GET',
      `o365/restore/restoresessions/${opened}/mailboxes`,
    );
    const mailbox = boxes.body.data.rows[0]?.id ?? '';
    expect(mailbox).not.toBe('');
    const at = `restore/restoresessions/${opened}/mailboxes/${mailbox}`;
    const task = await send('POST', `${at}/restore`, {});
    await run('restore-task');
    await send('POST', `restore/tasks/${task}/undo`, { organizationId });
    await run('restore-task');
    const file = await send('POST', `${at}/download`, { downloadInBackground: true });
    await run('background-download');
    const link = await admin<{ url: string | null }>('POST', `o365/${at}/download`, {
      format: 'zip',
    });
    const ticket = /ticket=([\w-]{20,})/.exec(link.body.data.url ?? '')?.[1];
    expect(ticket).toBeDefined();
    secrets.set(ticket ?? '', 'download ticket');
    await send('POST', 'restore/devicecode', { organizationId });
    repeats = true;
    fixture.pass(2 * 3_600_000);
    const again = await office.as('again', ['o365_admin']);
    await again('POST', `o365/jobs/${jobId}/start`, { organizationId });
    await run('backup-session', 'backup-runs', 'restore-rights');
    repeats = false;

    // Every call that reads, by somebody with all roles, with each id in each place.
    const reader = await office.as('reader', [...READERS]);
    const ids = [organizationId, repositoryId, jobId, opened, task, file, office.tenant, '1'];
    for (const name of Object.keys(CALLS) as CallName[]) {
      const { method, path } = getCall(name);
      if (method !== 'GET' || name === 'stream') continue;
      for (const id of path.includes('{') ? ids : ['']) {
        const filled = path.replaceAll(/\{(\w+)\}/g, id);
        for (const query of ['', `?organizationId=${organizationId}`])
          answers.push((await reader('GET', filled + query)).text);
      }
    }
    const { epoch } = (await reader<{ epoch: string }>('GET', 'sync/bootstrap')).body.data;
    answers.push(
      (await reader('GET', `sync/events?protocol=2&after=0&epoch=${epoch}`)).text,
      (await reader('GET', `o365/jobs/${jobId}/detail/latest?organizationId=${organizationId}`))
        .text,
      (await reader('POST', 'o365/restore/background-downloads', {})).text,
      (await reader('GET', 'monitoring/reporting/users/logs/export')).text,
      (await reader('GET', 'admin/events/export')).text,
    );

    const lines: string[] = [];
    for (const table of ['outgoing', 'command', 'audit'] as const)
      lines.push(
        JSON.stringify(
          await store.tenant(office.tenant, ({ sql }) =>
            sql.selectFrom(table).selectAll().where('tenant_id', '=', office.tenant).execute(),
          ),
        ),
      );
    await dump(store, 0, (line) => {
      lines.push(JSON.stringify(line));
      return Promise.resolve();
    });
    const saved = join(folder, `${kind}.gz`);
    await backUp(store, saved, 0);
    const files = readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString('latin1'));
    const events = await store.tenant(office.tenant, (tx) => tx.eventsAfter(0, 10_000));
    const places = {
      answers: answers.join('\n'),
      events: JSON.stringify(events),
      log: fixture.lines.join('\n'),
      dump: lines.join('\n'),
      backup: gunzipSync(readFileSync(saved)).toString('utf8'),
      repository: files.join('\n'),
    };
    expect(secrets.size).toBeGreaterThanOrEqual(40);
    expect([...new Set(secrets.values())]).toEqual(
      expect.arrayContaining(['device_code', 'access_token', 'download ticket']),
    );
    expect(places.events).toContain('backupsession.ended@1');
    expect(places.events).toContain('restoretask.ended@1');
    const found: string[] = [];
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, `the ${place}`).toBeGreaterThan(500);
      if (text.includes('PRIVATE KEY')) found.push(`a private key in the ${place}`);
      for (const [value, name] of secrets)
        for (const spelled of [
          value,
          encodeURIComponent(value),
          Buffer.from(value).toString('base64').slice(0, -4),
          Buffer.from(value).toString('hex'),
        ])
          if (text.includes(spelled)) {
            const i = text.indexOf(spelled);
            found.push(`${name} in the ${place}: ${text.slice(Math.max(0, i - 120), i + 20)}`);
          }
    }
    expect(found).toEqual([]);
  });
});
