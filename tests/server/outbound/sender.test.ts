import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderSettings, SecretName } from '#contract/branding/settings.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import type { Post } from '#server/platform/mail/queue-mail.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { mail, getRetryWait } from '#server/platform/mail/sender.ts';
import { makeFixture, provider } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { HERE, json, outside } from './outside.ts';
import type { Outside, Details } from './outside.ts';
import { smtp } from './smtp.ts';
import { mailTicks } from '../jobs/ticks.ts';

const MAIL: Post = {
  kind: 'mail',
  to: 'kate@example.com',
  subject: 'Grüße – a subject',
  text: 'Hello Kate,\n\nopen https://portal.example/login#reset=x&y=1 <now>.',
};
const SMS: Post = { kind: 'sms', to: '+15550100200', text: 'Your code is 123456.' };

const mailAt = (port: number, more: object = {}): ProviderSettings => ({
  mail: {
    host: '127.0.0.1',
    port,
    security: 'none',
    username: 'portal',
    from: 'portal@example.com',
    fromName: null,
    ...more,
  },
});
const smsAt = ({ url }: Pick<Outside, 'url'>): ProviderSettings => ({
  sms: { url, account: 'AC 1/2', from: '+15550100100' },
});

const REPORTED = {
  none: /^Emails require TLS/,
  starttls: /does not offer TLS/,
  tls: /^The connection to .+ failed|didn't respond/,
} as const;

test("POST-3: waits double from 15 seconds to half an hour, and follow the other side's request within that", () => {
  expect([1, 2, 3, 7, 8, 50].map((tries) => getRetryWait(tries, null))).toEqual([
    15_000, 30_000, 60_000, 960_000, 1_800_000, 1_800_000,
  ]);
  expect([getRetryWait(1, 120_000), getRetryWait(4, 1_000), getRetryWait(1, 86_400_000)]).toEqual([
    120_000, 120_000, 1_800_000,
  ]);
});

anyDatabase((_name, open) => {
  let fixture: Fixture;
  const posts: { stop(): Promise<void> }[] = [];
  afterAll(async () => {
    await Promise.all(posts.map((one) => one.stop()));
  });
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  /** A provider with these settings, its post, and what it keeps of messages. */
  async function one(
    settings: ProviderSettings,
    secrets: Partial<Record<SecretName, string>> = {},
    context = fixture.context,
  ) {
    const { tenant } = await provider(fixture);
    await context.store.tenant(tenant, async (tx) => {
      await tx.sql
        .updateTable('provider')
        .set({ settings: JSON.stringify(settings) })
        .where('tenant_id', '=', tenant)
        .execute();
      for (const [name, value] of Object.entries(secrets))
        await storeSecret(tx, context, name as SecretName, value);
    });
    const sender = mailTicks(context);
    posts.push(sender);
    return {
      tenant,
      sender,
      put: (what: Post) => context.store.tenant(tenant, (tx) => post(tx, context, what)),
      rows: () =>
        context.store.tenant(tenant, ({ sql }) =>
          sql.selectFrom('outgoing').selectAll().where('tenant_id', '=', tenant).execute(),
        ),
      pass: async (ms: number) => {
        fixture.pass(ms);
        await sender.tick();
      },
    };
  }

  test('POST-1: an email arrives once, with text and HTML, from the provider, and its content is deleted after sending', async () => {
    const server = await smtp();
    const { put, sender, rows, pass, tenant } = await one(mailAt(server.port), {
      mail: 'smtp-secret',
    });
    await put(MAIL);
    await sender.tick();
    expect(server.arrived).toMatchObject([
      { from: 'portal@example.com', to: ['kate@example.com'], user: 'portal' },
    ]);
    const raw = server.arrived[0]?.raw ?? '';
    expect(raw).toMatch(/^From: Provider \d+ <portal@example\.com>\r$/m);
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(raw).toMatch(/multipart\/alternative/);
    const whole = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect(whole).toContain('open https://portal.example/login#reset=x&y=1 <now>.');
    expect(whole).toContain('<a href="https://portal.example/login#reset=x&amp;y=1">');
    expect(whole).toContain('&lt;now&gt;');
    expect(await rows()).toMatchObject([
      { sealed: '', sent_at: fixture.context.clock.now(), next_at: null, tries: 1, fault: null },
    ]);
    await pass(86_400_000);
    expect(server.arrived).toHaveLength(1);
    await pass(7 * 86_400_000);
    expect(await rows()).toEqual([]);
    expect(fixture.lines.join('\n')).not.toMatch(
      new RegExp(`kate@example|Grüße|reset=x|${tenant}.*smtp-secret`),
    );
  });

  test('POST-1: a message of the Twilio form arrives once', async () => {
    const gateway = await outside(() => json({ sid: 'SM1' }, 201));
    const { put, sender, rows, pass } = await one(smsAt(gateway), { sms: 'sms-token' });
    await put(SMS);
    await sender.tick();
    await pass(600_000);
    expect(gateway.asked).toMatchObject([
      {
        method: 'POST',
        path: '/2010-04-01/Accounts/AC%201%2F2/Messages.json',
        body: 'To=%2B15550100200&From=%2B15550100100&Body=Your+code+is+123456.',
        headers: {
          'authorization': `Basic ${Buffer.from('AC 1/2:sms-token').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
    ]);
    expect(await rows()).toMatchObject([{ tries: 1, next_at: null, sealed: '' }]);
  });

  test('POST-2: a message that would add a header or another recipient is not sent', async () => {
    const server = await smtp();
    const { put, sender, rows } = await one(mailAt(server.port), { mail: 'smtp-secret' });
    for (const to of [
      'kate@example.com\r\nBcc: all@example.com',
      'kate@example.com, ben@example.com',
      'kate@example.com>\r\nRCPT TO:<ben@example.com',
      '"a b"@example.com',
      'kate',
      'kate@example.com;ben@example.com',
    ])
      await put({ ...MAIL, to });
    await put({ ...MAIL, subject: 'Hello\r\nBcc: all@example.com' });
    await put({ ...MAIL, subject: 'Hello\nX: y' });
    await sender.tick();
    expect(server.arrived).toEqual([]);
    expect(
      (await rows()).map(({ next_at, sent_at, fault: error }) => [next_at, sent_at, error]),
    ).toEqual(
      Array.from({ length: 8 }, () => [null, null, 'The address or the subject is not valid.']),
    );
  });

  test("POST-2: a provider's name stays one name, whatever is in it", async () => {
    const server = await smtp();
    const { put, sender } = await one(
      mailAt(server.port, {
        fromName: 'Evil" <a@example.com>\r\nBcc: all@example.com\r\n\r\nBody',
      }),
      { mail: 'smtp-secret' },
    );
    await put(MAIL);
    await sender.tick();
    const { to, raw } = server.arrived[0] ?? { to: [], raw: '' };
    expect([to, server.arrived[0]?.from]).toEqual([['kate@example.com'], 'portal@example.com']);
    expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/^bcc:/im);
    expect(raw).toMatch(/^To: kate@example\.com\r$/m);
  });

  test("POST-2: nothing is sent without TLS unless the operator allows it, nor with another host's certificate", async () => {
    const plain = await smtp();
    const strict: Fixture = {
      ...fixture,
      context: {
        ...fixture.context,
        config: { ...fixture.context.config, outbound: { allow: ['127.0.0.0/8'], http: false } },
      },
    };
    for (const [settings, server] of [
      [mailAt(plain.port), plain],
      [mailAt(plain.port, { security: 'starttls' }), plain],
      [mailAt(plain.port, { security: 'tls' }), plain],
    ] as const) {
      const { put, rows } = await one(settings, { mail: 'smtp-secret' });
      await put(MAIL);
      const sender = mailTicks(strict.context);
      await sender.tick();
      await sender.stop();
      expect([
        server.arrived,
        (await rows()).map(({ sent_at, tries }) => [sent_at, tries]),
      ]).toEqual([[], [[null, 1]]]);
      expect((await rows())[0]?.fault).toMatch(REPORTED[settings.mail?.security ?? 'none']);
    }
    for (const [security, server] of [
      ['starttls', await smtp({ disabledCommands: [] })],
      ['tls', await smtp({ secure: true })],
    ] as const) {
      const { put, sender, rows } = await one(mailAt(server.port, { security }), {
        mail: 'smtp-secret',
      });
      await put(MAIL);
      await sender.tick();
      expect([server.arrived, (await rows())[0]?.fault, (await rows())[0]?.next_at]).toEqual([
        [],
        expect.stringContaining('certificate') as unknown,
        fixture.context.clock.now() + 15_000,
      ]);
    }
  });

  test('POST-3: permanent refusals are dropped; temporary ones are retried within limits, and never after sending', async () => {
    let answer: Details = { status: 429, headers: { 'retry-after': '90' } };
    const gateway = await outside(() => answer);
    const { put, sender, rows, pass } = await one(smsAt(gateway), { sms: 'sms-token' });
    await put(SMS);
    await sender.tick();
    expect(await rows()).toMatchObject([
      {
        tries: 1,
        next_at: fixture.context.clock.now() + 90_000,
        fault: 'The gateway refused the message (429).',
      },
    ]);
    await pass(89_999);
    expect(gateway.asked).toHaveLength(1);
    answer = { status: 503 };
    await pass(1);
    expect([gateway.asked.length, (await rows())[0]?.next_at]).toEqual([
      2,
      fixture.context.clock.now() + 30_000,
    ]);
    answer = json({ sid: 'SM1' }, 201);
    await pass(30_000);
    await pass(86_400_000);
    expect([gateway.asked.length, (await rows())[0]?.sent_at !== null]).toEqual([3, true]);

    answer = json({ code: 21_211, message: 'The number +15550100200 is not valid.' }, 400);
    await put(SMS);
    await sender.tick();
    expect((await rows()).filter(({ sent_at }) => sent_at === null)).toMatchObject([
      { tries: 1, next_at: null, fault: 'The gateway refused the message (400, 21211).' },
    ]);
    await pass(86_400_000);
    expect(gateway.asked).toHaveLength(4);

    answer = { status: 500 };
    await put(SMS);
    await sender.tick();
    for (let n = 0; n < 8; n += 1) await pass(1_800_000);
    expect(gateway.asked).toHaveLength(4 + 5);
  });

  test('POST-3: an unknown mailbox is dropped, a full one is retried, and so is a wrong password', async () => {
    let refusal = { code: 550, text: 'No such user' };
    const server = await smtp({}, () => refusal);
    const { put, sender, rows } = await one(mailAt(server.port), { mail: 'smtp-secret' });
    await put(MAIL);
    await sender.tick();
    expect(await rows()).toMatchObject([
      { next_at: null, fault: '127.0.0.1 refused the mail (550).' },
    ]);
    refusal = { code: 452, text: 'Full' };
    await put({ ...MAIL, to: 'ben@example.com' });
    await sender.tick();
    expect((await rows()).filter(({ next_at }) => next_at !== null)).toMatchObject([
      { tries: 1, fault: '127.0.0.1 refused the mail (452).' },
    ]);
    const wrong = await one(mailAt(server.port), { mail: 'another' });
    await wrong.put(MAIL);
    await wrong.sender.tick();
    expect(await wrong.rows()).toMatchObject([
      { tries: 1, fault: '127.0.0.1 refused the username and password.' },
    ]);
    expect((await wrong.rows())[0]?.next_at).toBe(fixture.context.clock.now() + 15_000);
  });

  test('POST-4: many servers on one database send each message once', async () => {
    let sent = 0;
    const gateway = await outside(async () => {
      sent += 1;
      await new Promise((resolve) => void setTimeout(resolve, 5));
      return json({}, 201);
    });
    const { put, rows } = await one(smsAt(gateway), { sms: 'sms-token' });
    for (let n = 0; n < 25; n += 1) await put({ ...SMS, text: `Message ${n}.` });
    const servers = Array.from({ length: 5 }, () => mailTicks(fixture.context));
    await Promise.all(servers.map((server) => server.tick()));
    await Promise.all(servers.map((server) => server.stop()));
    expect([
      sent,
      new Set(gateway.asked.map(({ body }) => body)).size,
      (await rows()).every(({ tries, sent_at }) => tries === 1 && sent_at !== null),
    ]).toEqual([25, 25, true]);
  });

  test("POST-4: a message that a server took and didn't finish is taken over after seven minutes", async () => {
    const late = Promise.withResolvers<Details>();
    let answer = late.promise;
    const gateway = await outside(() => answer);
    const { put, rows, pass, tenant, sender } = await one(smsAt(gateway), { sms: 'sms-token' });
    await put(SMS);
    const unfinished = sender.tick();
    await expect.poll(() => gateway.asked.length).toBe(1);
    const other = mailTicks(fixture.context);
    await other.tick();
    expect(gateway.asked.length).toBe(1);
    answer = Promise.resolve(json({}, 201));
    fixture.pass(7 * 60_000);
    await other.tick();
    await other.stop();
    expect([gateway.asked.length, (await rows())[0]?.sent_at !== null, tenant !== '']).toEqual([
      2,
      true,
      true,
    ]);
    // What the first server hears at last doesn't count any more.
    late.resolve(json({}, 500));
    await unfinished;
    await pass(0);
    expect(await rows()).toMatchObject([{ fault: null, tries: 2 }]);
    expect(gateway.asked.length).toBe(2);
  });

  test("POST-5: without a gateway a message is stored for a week, and isn't sent when one is set up later", async () => {
    const { put, sender, rows, pass, tenant } = await one({});
    await put(MAIL);
    await sender.tick();
    expect(await rows()).toMatchObject([{ next_at: null, sent_at: null, tries: 0, fault: null }]);
    const server = await smtp();
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('provider')
        .set({ settings: JSON.stringify(mailAt(server.port, { username: null })) })
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    await pass(6 * 86_400_000);
    expect([server.arrived, (await rows()).length]).toEqual([[], 1]);
    await pass(86_400_001 + 3_600_000);
    expect(await rows()).toEqual([]);
  });

  test('POST-5: a username without its password, and a gateway without its token, are no gateway', async () => {
    const server = await smtp();
    const gateway = await outside(() => json({}, 201));
    const { put, sender, rows } = await one({ ...mailAt(server.port), ...smsAt(gateway) });
    await put(MAIL);
    await put(SMS);
    await sender.tick();
    expect([
      server.connections,
      gateway.asked,
      (await rows()).map(({ next_at }) => next_at),
    ]).toEqual([0, [], [null, null]]);
  });

  test('POST-6: a message is sent within seconds of its transaction, without a tick, and not before', async () => {
    const gateway = await outside(() => json({}, 201));
    const { put } = await one(smsAt(gateway), { sms: 'sms-token' });
    const runner = makeJobRunner(fixture.context, { mail: mail(fixture.context) });
    posts.push(runner);
    runner.start();
    await put(SMS);
    await expect.poll(() => gateway.asked.length, { timeout: 60_000 }).toBe(1);
  });
});
