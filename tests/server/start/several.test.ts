import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { TenantId } from '#contract/ids.ts';
import { checkMasterKey } from '#server/platform/crypto/check-master-key.ts';
import { openStore } from '#server/platform/db/open.ts';
import type { Store } from '#server/platform/db/store.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { freshUrl, missing, QUIET } from '../db/databases.ts';
import { makeFixture, provider } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { smtp, type Smtp } from '../outbound/smtp.ts';

const PATIENT = { timeout: 150_000, interval: 50 };
const folder = mkdtempSync(join(tmpdir(), 'daybook-several-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Run {
  readonly child: ChildProcess;
  readonly dataDir: string;
  readText(): string;
  readonly exit: Promise<number | null>;
}

/** Starts a server in a data folder of its own. */
function start(databaseUrl: string): Run {
  const dataDir = mkdtempSync(join(folder, 'server-'));
  const child = spawn(process.execPath, ['--liftoff-only', 'server/main.ts'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DAYBOOK_DATA: dataDir,
      DAYBOOK_ESTATE: 'none',
      DATABASE_URL: databaseUrl,
      DAYBOOK_SECRET_KEY: HERE.secretKey,
      DAYBOOK_OUTBOUND_ALLOW: HERE.outbound.allow.join(','),
      DAYBOOK_OUTBOUND_HTTP: '1',
      PORT: '0',
    },
  });
  ends.push(() => child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
  const exit = new Promise<number | null>((resolve) => void child.on('exit', resolve));
  return { child, dataDir, readText: () => text, exit };
}

async function isUp(run: Run): Promise<string> {
  await expect.poll(() => run.readText(), PATIENT).toMatch(/Daybook is at http:\S+\//);
  return /Daybook is at (http:\S+)\//.exec(run.readText())?.[1] ?? '';
}

const signIn = async (origin: string, password: string): Promise<number> =>
  (
    await fetch(`${origin}/api/v1/auth/login/db`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password }),
    })
  ).status;

test.skipIf(missing !== '')(
  `START-5: three servers that start together on an empty database make one provider and one administrator, and the only password file opens it on each of them${missing}`,
  async () => {
    const migrated = await freshUrl();
    const client = new Client(migrated);
    await client.connect();
    const name = `empty_${Date.now()}`;
    await client.query(`create database ${name} template template0`);
    await client.end();
    const url = migrated.replace(/\/t_[\da-f]+\?/, `/${name}?`);
    expect(url).not.toBe(migrated);
    const runs = [start(url), start(url), start(url)];
    const origins = await Promise.all(runs.map(isUp));
    const files = runs
      .map(({ dataDir }) => join(dataDir, 'administrator.txt'))
      .filter((file) => existsSync(file));
    expect(files.length).toBe(1);
    const password = /^password: (.*)$/m.exec(readFileSync(files[0] ?? '', 'utf8'))?.[1] ?? '';
    for (const origin of origins) expect(await signIn(origin, password)).toBe(200);
    const shown = runs.filter((run) => run.readText().includes(password));
    expect(shown.length).toBe(1);
    const reader = new Client(url);
    await reader.connect();
    ends.push(() => reader.end());
    const count = async (table: string): Promise<number> =>
      Number((await reader.query(`select count(*) as n from ${table}`)).rows[0]?.n);
    for (const table of ['tenant_list', 'person', 'company']) expect(await count(table)).toBe(1);
  },
);

/** A provider with a mail server that answers `MAIL FROM` when the test says so. */
async function postOffice(): Promise<{
  readonly url: string;
  readonly store: Store;
  readonly mail: Smtp;
  /** Who waits for an answer. */
  readonly waiting: ((error?: Error) => void)[];
  open(): void;
  queue(): Promise<string>;
  load(id: string): Promise<Record<string, unknown> | undefined>;
  loadJob(id: string): Promise<Record<string, unknown> | undefined>;
}> {
  const url = await freshUrl();
  const store = await openStore({ ...QUIET, dataDir: '', databaseUrl: url });
  ends.push(() => store.close());
  const fixture = await makeFixture({ ...HERE }, store);
  // The servers have the clock of the machine.
  fixture.pass(Date.now() - fixture.context.clock.now());
  await checkMasterKey(fixture.context);
  const { tenant } = await provider(fixture);
  const waiting: ((error?: Error) => void)[] = [];
  let isOpen = false;
  const mail = await smtp({
    onMailFrom(_address, _session, done) {
      if (isOpen) done();
      else waiting.push(done);
    },
  });
  const settings = {
    mail: {
      host: '127.0.0.1',
      port: mail.port,
      security: 'none',
      username: null,
      from: 'portal@example.com',
      fromName: null,
    },
  };
  await store.tenant(tenant, ({ sql: db }) =>
    sql`update provider set settings = (settings::jsonb || ${JSON.stringify(settings)}::text::jsonb)::json where tenant_id = ${tenant}`.execute(
      db,
    ),
  );
  const first = <R>(text: ReturnType<typeof sql<R>>): Promise<R | undefined> =>
    store.tenant(tenant, async (tx) => (await text.execute(tx.sql)).rows[0], {
      readOnly: true,
    });
  return {
    url,
    store,
    mail,
    waiting,
    open() {
      isOpen = true;
    },
    queue: () =>
      store.tenant(tenant, (tx) =>
        post(tx, fixture.context, {
          kind: 'mail',
          to: 'jane@example.com',
          subject: 'Taken over',
          text: 'Once.',
        }),
      ),
    load: (id) =>
      first(
        sql<
          Record<string, unknown>
        >`select sent_at, next_at, fault, tries, held_by from outgoing where tenant_id = ${tenant} and id = ${id}`,
      ),
    loadJob: (id) =>
      first(
        sql<
          Record<string, unknown>
        >`select lease_owner, lease_until, due_at, attempts, last_error from background_job where tenant_id = ${tenant} and type = 'mail' and key = ${id}`,
      ),
  };
}

test.skipIf(missing !== '')(
  `JOB-11, JOB-3: a message that a killed server was sending is sent by another one, once, without waiting for the end of what the killed one had taken${missing}`,
  async () => {
    const office = await postOffice();
    const killed = start(office.url);
    await isUp(killed);
    const id = await office.queue();
    await expect.poll(() => office.waiting.length, PATIENT).toBe(1);
    killed.child.kill('SIGKILL');
    await killed.exit;
    // It had it for five minutes, which is longer than this test waits.
    expect(await office.load(id)).toMatchObject({
      sent_at: null,
      tries: 1,
      held_by: expect.any(String),
    });
    office.open();
    await isUp(start(office.url));
    await expect.poll(() => office.mail.arrived.length, PATIENT).toBe(1);
    await expect
      .poll(() => office.load(id), PATIENT)
      .toMatchObject({ sent_at: expect.any(Number), next_at: null, tries: 2, held_by: null });
    await expect.poll(() => office.loadJob(id), PATIENT).toBeUndefined();
    expect(office.mail.arrived.length).toBe(1);
  },
);

test.skipIf(missing !== '')(
  `JOB-11: a server that stood still for longer than its lease stores nothing over what has taken its work over${missing}`,
  async () => {
    const office = await postOffice();
    const paused = start(office.url);
    await isUp(paused);
    const id = await office.queue();
    await expect.poll(() => office.waiting.length, PATIENT).toBe(1);
    paused.child.kill('SIGSTOP');
    // Its lease has ended meanwhile, and a living server has taken the job and the message.
    const presence = office.store.announce('another server');
    ends.push(() => presence.end());
    await presence.announced;
    const until = Date.now() + 300_000;
    await office.store.system((db) =>
      sql`update background_job set lease_owner = 'another server', lease_until = ${until}, attempts = attempts + 1 where type = 'mail' and key = ${id}`.execute(
        db,
      ),
    );
    const tenant = (await office.store.tenants())[0] as TenantId;
    await office.store.tenant(tenant, ({ sql: db }) =>
      sql`update outgoing set held_by = 'its lease', tries = tries + 1 where tenant_id = ${tenant} and id = ${id}`.execute(
        db,
      ),
    );
    const [message, job] = [await office.load(id), await office.loadJob(id)];
    expect(message).toMatchObject({ held_by: 'its lease', fault: null, sent_at: null });
    paused.child.kill('SIGCONT');
    office.waiting[0]?.(Object.assign(new Error('Try later'), { responseCode: 451 }));
    await expect.poll(() => paused.readText(), PATIENT).toContain('a message did not go out');
    // It waits for its jobs.
    paused.child.kill('SIGTERM');
    await paused.exit;
    expect([await office.load(id), await office.loadJob(id)]).toEqual([message, job]);

    // The other server dies too.
    office.open();
    await presence.end();
    const last = start(office.url);
    await isUp(last);
    await expect
      .poll(() => office.load(id), PATIENT)
      .toMatchObject({ sent_at: expect.any(Number), next_at: null, held_by: null });
    expect(office.mail.arrived.length).toBe(1);
  },
);

test.skipIf(missing !== '')(
  `JOB-3, JOB-11: while a server stands still, another one takes its work over, and it stops its jobs as soon as it goes on${missing}`,
  async () => {
    const office = await postOffice();
    const [paused, id] = [start(office.url), await office.queue()];
    await isUp(paused);
    await expect.poll(() => office.waiting.length, PATIENT).toBe(1);
    const owner = (await office.loadJob(id))?.['lease_owner'];
    expect(owner).toEqual(expect.any(String));
    paused.child.kill('SIGSTOP');
    const heir = start(office.url);
    await isUp(heir);
    await expect.poll(() => office.waiting.length, PATIENT).toBe(2);
    expect(heir.readText()).toContain('a server is gone, and its background jobs are taken over');
    const taken = await office.loadJob(id);
    expect(taken).toMatchObject({ lease_owner: expect.any(String), attempts: 2 });
    expect(taken?.['lease_owner']).not.toBe(owner);
    paused.child.kill('SIGCONT');
    await expect
      .poll(() => paused.readText(), PATIENT)
      .toContain('this server stops its background jobs');
    // What it was sending fails only now, and changes nothing.
    office.waiting[0]?.(Object.assign(new Error('Try later'), { responseCode: 451 }));
    office.waiting[1]?.();
    await expect
      .poll(() => office.load(id), PATIENT)
      .toMatchObject({ sent_at: expect.any(Number), fault: null, tries: 2, held_by: null });
    expect(office.mail.arrived.length).toBe(1);
    await expect.poll(() => office.loadJob(id), PATIENT).toBeUndefined();
  },
);
