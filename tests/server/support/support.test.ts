import { beforeAll, expect, test } from 'vitest';
import type { SupportOut } from '#contract/support/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { defaultBranding } from '#server/features/branding/default-branding.ts';
import { login, makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { smtp } from '../outbound/smtp.ts';
import { anyDatabase } from '../db/databases.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { mailTicks } from '../jobs/ticks.ts';

const PATH = 'monitoring/backoffice/support';
const HOUR = 3_600_000;
const REQUEST = { subject: 'Results of the night', message: 'The page stays empty.' };
const plain = defaultBranding('', '', '').features;
let fixture: Fixture;

/** An office whose support section has these links on, and what its mail server got. */
async function supported({
  request = true,
  enabled = true,
  email = 'help@example.com',
  port = null,
}: {
  request?: boolean;
  enabled?: boolean;
  email?: string | null;
  port?: number | null;
} = {}): Promise<Office> {
  const office = await anOffice(fixture);
  await fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
    const { branding } = await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow();
    const features = {
      ...plain,
      supportSection: {
        enabled,
        links: { request, live: false, downloads: false, faq: { enabled: false, url: null } },
      },
    };
    await sql
      .updateTable('provider')
      .set({
        branding: JSON.stringify({ ...branding, supportEmail: email, features }),
        ...(port !== null && {
          settings: JSON.stringify({
            mail: {
              host: '127.0.0.1',
              port,
              security: 'none',
              username: null,
              from: 'portal@example.com',
              fromName: null,
            },
          }),
        }),
      })
      .where('tenant_id', '=', tenant)
      .execute();
  });
  return office;
}
const listed = async (who: Asker): Promise<readonly SupportOut[]> =>
  (await who<{ rows: SupportOut[] }>('GET', PATH)).body.data.rows;
async function posted(): Promise<void> {
  const { clock } = fixture.context;
  const post = mailTicks({
    ...fixture.context,
    clock: {
      ...clock,
      after: (ms, work) => (ms === 500 ? { cancel: () => undefined } : clock.after(ms, work)),
    },
  });
  await post.tick();
  await post.stop();
}

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  test('SUPPORT-1: a request is refused if the section or its link is off, and to strangers', async () => {
    for (const off of [{ request: false }, { enabled: false }]) {
      const dana = await (await supported(off)).as('dana', ['operator']);
      expect([
        (await dana('POST', PATH, REQUEST)).status,
        (await dana('GET', PATH)).status,
      ]).toEqual([403, 403]);
    }
    const office = await supported();
    const stranger = await office.app.request(
      `/api/v1/${PATH}`,
      {
        method: 'POST',
        headers: { 'host': office.host, 'content-type': 'application/json' },
        body: JSON.stringify(REQUEST),
      },
      { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
    );
    expect(stranger.status).toBe(401);
  });

  test('SUPPORT-2: the email goes to support, replies go to the sender, with the context; the list shows the own requests and their outcome', async () => {
    const mails = await smtp({}, (to) =>
      to === 'nobody@example.com' ? { code: 550, text: 'no such user' } : null,
    );
    const office = await supported({ port: mails.port });
    const [dana, rita] = [
      await office.as('dana', ['operator']),
      await office.as('rita', ['read-only'], [1]),
    ];
    const made = await dana<SupportOut>('POST', PATH, {
      ...REQUEST,
      // `faults` is the former name of `errors`.
      context: { page: '/monitoring/daily-checks', version: '2.2.14', faults: 'No answer.' },
    });
    expect(made).toMatchObject({
      status: 200,
      body: {
        data: {
          subject: REQUEST.subject,
          text: 'The page stays empty.\n\nPage: /monitoring/daily-checks\nLast errors: No answer.\nVersion: 2.2.14',
          state: 'waiting',
        },
      },
    });
    await posted();
    expect(mails.arrived.map(({ to }) => to)).toEqual([['help@example.com']]);
    const raw = mails.arrived[0]?.raw ?? '';
    expect(raw).toMatch(/^Reply-To: kate@example\.com\r?$/m);
    expect(raw).toMatch(/^Subject: \[Provider \d+\] Results of the night\r?$/m);
    for (const words of [
      'The page stays empty.',
      'Page: /monitoring/daily-checks',
      'From DANA (dana), kate@example.com.',
    ])
      expect(raw).toContain(words);
    expect(await listed(dana)).toMatchObject([
      { subject: REQUEST.subject, state: 'sent', error: null },
    ]);
    // After a week nothing of the mail is left, and it is still known.
    fixture.pass(8 * 24 * HOUR);
    await posted();
    const { token } = (await login(office.app, office.host, 'dana')).body.data;
    const later = await office.app.request(
      `/api/v1/${PATH}`,
      { headers: { host: office.host, authorization: `Bearer ${token}` } },
      { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
    );
    expect(await later.json()).toMatchObject({ data: { count: 1, rows: [{ state: 'sent' }] } });
    expect((await rita('GET', PATH)).status).toBe(401);
    const kim = await office.as('kim', ['read-only'], [1]);
    expect(await listed(kim)).toEqual([]);
  });

  test('SUPPORT-2: an unsent request says so: waiting if nothing sends email, failed if the mail server refuses it; it is deleted with its user', async () => {
    const dana = await (await supported()).as('dana', ['operator']);
    await dana('POST', PATH, REQUEST);
    await posted();
    expect(await listed(dana)).toMatchObject([{ state: 'kept', error: null }]);
    const mails = await smtp({}, () => ({ code: 550, text: 'no such user' }));
    const office = await supported({ port: mails.port });
    const [cora, adam] = [
      await office.as('cora', ['operator']),
      await office.as('adam', ['admin']),
    ];
    await cora('POST', PATH, REQUEST);
    await posted();
    expect(await listed(cora)).toMatchObject([
      { state: 'failed', error: '127.0.0.1 refused the mail (550).' },
    ]);
    const rows = (): Promise<number> =>
      fixture.context.store.tenant(
        office.tenant,
        async ({ sql, tenant }) =>
          (
            await sql
              .selectFrom('support_request')
              .select('id')
              .where('tenant_id', '=', tenant)
              .execute()
          ).length,
      );
    const gone = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .selectFrom('person')
        .select('id')
        .where('tenant_id', '=', tenant)
        .where('username', '=', 'cora')
        .executeTakeFirstOrThrow(),
    );
    expect(await rows()).toBe(1);
    expect([
      (await adam('DELETE', `users/${gone.id}`)).status,
      (await adam('DELETE', `users/delete/${gone.id}`)).status,
      await rows(),
    ]).toEqual([200, 200, 0]);
  });

  test('SUPPORT-3: five an hour for each user; without an address none', async () => {
    const office = await supported();
    const dana = await office.as('dana', ['operator']);
    const rita = await office.as('rita', ['read-only']);
    const codes = await Promise.all(
      Array.from(
        { length: LIMITS.supportPerHour + 2 },
        async () => (await dana('POST', PATH, REQUEST)).status,
      ),
    );
    expect(codes.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = await dana('POST', PATH, REQUEST);
    expect([refused.body.message, refused.headers.get('retry-after')]).toEqual([
      MESSAGES.supportTooMany({ max: 5 }),
      '3600',
    ]);
    expect((await rita('POST', PATH, REQUEST)).status).toBe(200);
    const mute = await (await supported({ email: null })).as('dana', ['operator']);
    expect(await mute('POST', PATH, REQUEST)).toMatchObject({
      status: 409,
      body: { message: MESSAGES.supportNoAddress },
    });
  });

  test('SUPPORT-4: an address with a query, line breaks in a subject, and unknown parts are refused', async () => {
    const dana = await (await supported()).as('dana', ['operator']);
    for (const bad of [
      { ...REQUEST, context: { page: '/monitoring/daily-checks?q=x' } },
      { ...REQUEST, context: { page: '/a#token' } },
      { ...REQUEST, context: { token: 'x' } },
      { ...REQUEST, subject: 'a\nBcc: b@example.com' },
      { ...REQUEST, subject: ' ' },
      {},
    ]) {
      expect((await dana('POST', PATH, bad)).status).toBe(400);
    }
  });
});
