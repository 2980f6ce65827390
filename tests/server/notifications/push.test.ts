import { spawnSync } from 'node:child_process';
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  verify,
} from 'node:crypto';
import type { ECDH } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NotifyOut } from '#contract/notifications/calls.ts';
import type { NotifySettings } from '#contract/notifications/notifications.ts';
import { pollFacts } from '#server/features/notifications/poll.ts';
import { push } from '#server/features/notifications/push.ts';
import { pushDue } from '#server/features/notifications/push-due.ts';
import { sealMessage } from '#server/features/notifications/web-push.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { fails, settings, createRecipient } from './fixtures.ts';

const HOUR = 3_600_000;
const openssl = spawnSync('openssl', ['version']).status === 0 ? '' : ' (skipped: no openssl)';
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();

/** A push service, and a browser that has subscribed with it. */
interface Service {
  readonly url: string;
  readonly got: {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
  }[];
  status: number;
}
const got: Service['got'] = [];
const service: Service & { status: number } = { url: '', got, status: 201 };
const folder = mkdtempSync(join(tmpdir(), 'push-'));
const usual = getCACertificates();
let server: ReturnType<typeof createServer> | null = null;

beforeAll(async () => {
  if (openssl !== '') return;
  const key = join(folder, 'key');
  const cert = join(folder, 'pem');
  spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
    '-days',
    '2',
    '-subj',
    '/CN=push',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
  ]);
  setDefaultCACertificates([...usual, readFileSync(cert, 'utf8')]);
  const listening = createServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => {
        parts.push(part);
      });
      request.on('end', () => {
        got.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
        response.writeHead(service.status).end();
      });
    },
  );
  server = listening;
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  Object.assign(service, { url: `https://127.0.0.1:${(listening.address() as AddressInfo).port}` });
});
afterAll(async () => {
  setDefaultCACertificates(usual);
  rmSync(folder, { recursive: true, force: true });
  await new Promise<void>((resolve) => {
    if (server) {
      server.closeAllConnections();
      server.close(() => {
        resolve();
      });
    } else resolve();
  });
});

const derive = (secret: Uint8Array, by: Uint8Array, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, by, info, bytes));
const wall = (ms: number): string =>
  new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'Europe/Berlin',
  }).format(ms);
interface Browser {
  readonly subscription: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
  read(body: Buffer): Record<string, string>;
}
let count = 0;
function aBrowser(): Browser {
  const ecdh: ECDH = createECDH('prime256v1');
  const auth = Buffer.alloc(16, 7);
  const own = ecdh.generateKeys();
  count += 1;
  return {
    subscription: {
      endpoint: `${service.url}/send/${count}`,
      keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') },
    },
    /** RFC 8291: the one record of aes128gcm. */
    read(body) {
      const salt = body.subarray(0, 16);
      const length = body[20] ?? 0;
      const theirs = body.subarray(21, 21 + length);
      const sealed = body.subarray(21 + length);
      const secret = derive(
        ecdh.computeSecret(theirs),
        auth,
        Buffer.concat([Buffer.from('WebPush: info\0'), own, theirs]),
        32,
      );
      const open = createDecipheriv(
        'aes-128-gcm',
        derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
        derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12),
      );
      open.setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([open.update(sealed.subarray(0, -16)), open.final()]).toString(
        'utf8',
      );
      if (!plain.endsWith('\x02')) throw new Error('not the last record');
      return JSON.parse(plain.slice(0, -1)) as Record<string, string>;
    },
  };
}

/** The token of VAPID, if it is signed with the key that it names. */
function getVapid(authorization: string): {
  readonly key: string;
  readonly claims: { readonly aud: string; readonly sub: string };
} | null {
  const [, token = '', key = ''] = /^vapid t=([^,]+),\s*k=([\w-]+)/i.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const good = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    {
      key: createPublicKey({
        format: 'jwk',
        key: {
          kty: 'EC',
          crv: 'P-256',
          x: point.subarray(1, 33).toString('base64url'),
          y: point.subarray(33).toString('base64url'),
        },
      }),
      dsaEncoding: 'ieee-p1363',
    },
    Buffer.from(signature, 'base64url'),
  );
  return good
    ? {
        key,
        claims: JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as {
          aud: string;
          sub: string;
        },
      }
    : null;
}

const NEVER: NotifySettings['quiet'] = { on: false, from: '20:00', to: '06:00' };
const loadReported = async (who: Asker): Promise<NotifyOut> =>
  (await who<NotifyOut>('GET', 'monitoring/notify')).body.data;
async function subscribe(who: Asker, browser: Browser): Promise<string> {
  const answer = await who<{ _id: string }>(
    'POST',
    'monitoring/notify/devices',
    browser.subscription,
  );
  if (answer.status !== 200) throw new Error(answer.text);
  const { _id: id } = answer.body.data;
  return id;
}
const turn = async (office: Office): Promise<void> => {
  await pollFacts(fixture.context, office.tenant, now());
  fixture.pass(10_000);
  await pushDue(fixture.context, office.tenant, fixture.context.chance.uuid());
};
const gotBy = ({ subscription: { endpoint } }: Browser): typeof got =>
  got.filter(({ path }) => endpoint.endsWith(path));
const begin = async () => {
  const office = await anOffice(fixture);
  await pollFacts(fixture.context, office.tenant, now());
  service.status = 201;
  return office;
};

test('NOTIFY-5: a message is encrypted as RFC 8291 shows', () => {
  const once = {
    salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
    privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
  };
  const keys = {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  expect(
    sealMessage(keys, 'When I grow up, I want to be a watermelon', once).toString('base64url'),
  ).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
  expect(() => sealMessage({ ...keys, auth: 'short' }, 'x', once)).toThrow('wrong length');
  expect(() =>
    sealMessage({ ...keys, p256dh: keys.p256dh.replace('BCV', 'BCW') }, 'x', once),
  ).toThrow('not valid');
  expect(() => sealMessage(keys, 'x'.repeat(5_000), once)).toThrow('wrong length');
});

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(
      { ...HERE, outbound: { ...HERE.outbound, push: HERE.outbound.allow } },
      await open(),
    );
  });

  test.skipIf(openssl !== '')(
    `NOTIFY-5: each browser of a recipient gets one notification, encrypted for it, without names of users, jobs or computers${openssl}`,
    async () => {
      const office = await begin();
      const mine = aBrowser();
      const phone = aBrowser();
      const hers = aBrowser();
      const dana = await createRecipient(fixture, office, 'dana', settings({ quiet: NEVER }));
      const cora = await createRecipient(fixture, office, 'cora', settings({ quiet: NEVER }), [2]);
      await subscribe(dana, mine);
      await subscribe(dana, phone);
      await subscribe(cora, hers);
      await fails(fixture, office, 1, 'Payroll');
      await fails(fixture, office, 1, 'Files');
      await turn(office);
      await turn(office);
      expect([gotBy(mine).length, gotBy(phone).length, gotBy(hers).length]).toEqual([1, 1, 0]);
      const [sent] = gotBy(mine);
      if (!sent) throw new Error('nothing was pushed');
      const { title, body, link } = mine.read(sent.body);
      expect([title?.startsWith('Provider'), body, link]).toEqual([
        true,
        '2 jobs failed at Calloway Freight',
        '/monitoring/daily-checks?state=Failed,Error&company=1',
      ]);
      expect(JSON.stringify(mine.read(sent.body))).not.toMatch(/Payroll|Files|-pc|dana/i);
      expect(() => phone.read(sent.body)).toThrow('authenticate');
      const vapid = getVapid(sent.headers.authorization ?? '');
      expect([
        vapid?.key,
        vapid?.claims.aud,
        sent.headers['content-encoding'],
        Number(sent.headers['ttl']),
      ]).toEqual([(await loadReported(dana)).vapid, service.url, 'aes128gcm', 3_600]);
      // One of a company: its exact view. Nothing of a category that is switched off, or of a
      // company that is not seen.
      await fails(fixture, office, 2, 'Mail');
      await turn(office);
      expect(gotBy(hers).map(({ body: one }) => hers.read(one)['link'])).toEqual([
        expect.stringMatching(/^\/monitoring\/daily-checks\?review=any&date=last-30&run=\d+$/),
      ]);
      expect(
        (
          await cora('PUT', 'monitoring/notify', {
            settings: settings({
              quiet: NEVER,
              categories: { ...settings().categories, failed: { mail: true, push: false } },
            }),
          })
        ).status,
      ).toBe(200);
      await fails(fixture, office, 2, 'Other');
      await turn(office);
      expect(gotBy(hers)).toHaveLength(1);
      const rows = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql.selectFrom('push_device').selectAll().where('tenant_id', '=', tenant).execute(),
      );
      expect(JSON.stringify([rows, fixture.lines])).not.toContain('/send/');
    },
  );

  test.skipIf(openssl !== '')(
    `NOTIFY-2, NOTIFY-5: in quiet hours nothing is pushed; after them one notification summarizes what came${openssl}`,
    async () => {
      const office = await begin();
      const browser = aBrowser();
      const dana = await createRecipient(
        fixture,
        office,
        'dana',
        settings({ quiet: { on: true, from: wall(now() - HOUR), to: wall(now() + 2 * HOUR) } }),
      );
      await subscribe(dana, browser);
      await fails(fixture, office, 1, 'Files');
      await turn(office);
      fixture.pass(HOUR);
      await fails(fixture, office, 2, 'Mail');
      await turn(office);
      expect(gotBy(browser)).toEqual([]);
      fixture.pass(HOUR);
      await turn(office);
      expect(gotBy(browser).map(({ body }) => browser.read(body)['body'])).toEqual([
        '2 jobs failed',
      ]);
    },
  );

  test.skipIf(openssl !== '')(
    `NOTIFY-5: signing out ends it, as does 404 or 410 of the push service; a browser gets only one user's notifications${openssl}`,
    async () => {
      const office = await begin();
      const browser = aBrowser();
      const second = aBrowser();
      const third = aBrowser();
      const dana = await createRecipient(fixture, office, 'dana', settings({ quiet: NEVER }));
      const cora = await createRecipient(fixture, office, 'cora', settings({ quiet: NEVER }));
      const first = await subscribe(dana, browser);
      expect((await loadReported(dana)).devices).toMatchObject([
        { _id: first, current: true, lastAt: null, error: null },
      ]);
      // Somebody else signs in there: it is theirs from then on, and Dana’s no more.
      expect(
        (
          await cora<{ known: boolean }>('POST', 'monitoring/notify/devices/seen', {
            endpoint: browser.subscription.endpoint,
          })
        ).body.data,
      ).toEqual({ known: false });
      expect((await loadReported(dana)).devices).toEqual([]);
      const own = await subscribe(dana, browser);
      expect(
        (
          await dana<{ known: boolean }>('POST', 'monitoring/notify/devices/seen', {
            endpoint: browser.subscription.endpoint,
          })
        ).body.data,
      ).toEqual({ known: true });
      expect([
        (await cora('DELETE', `monitoring/notify/devices/${own}`)).status,
        (await cora('POST', `monitoring/notify/devices/${own}/test`, {})).status,
      ]).toEqual([404, 404]);
      expect(
        (await dana<{ ok: boolean }>('POST', `monitoring/notify/devices/${own}/test`, {})).body.data
          .ok,
      ).toBe(true);
      service.status = 429;
      await fails(fixture, office, 1, 'Files');
      await turn(office);
      expect((await loadReported(dana)).devices).toMatchObject([
        { error: 'The push service responded with status 429.' },
      ]);
      const tried = gotBy(browser).length;
      service.status = 201;
      fixture.pass(HOUR);
      await turn(office);
      expect([gotBy(browser).length, (await loadReported(dana)).devices[0]?.error]).toEqual([
        tried + 1,
        null,
      ]);
      for (const [status, which] of [
        [410, second],
        [404, third],
      ] as const) {
        await subscribe(dana, which);
        service.status = status;
        await fails(fixture, office, 1, `Job ${status}`);
        await turn(office);
        expect(gotBy(which)).toHaveLength(1);
      }
      expect((await loadReported(dana)).devices).toEqual([]);
      service.status = 201;
      const last = aBrowser();
      await subscribe(dana, last);
      await fails(fixture, office, 1, 'Late');
      await pollFacts(fixture.context, office.tenant, now());
      await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
        sql
          .updateTable('session')
          .set({ ended_at: now() })
          .where('tenant_id', '=', tenant)
          .execute(),
      );
      await turn(office);
      expect(gotBy(last)).toEqual([]);
      expect(
        await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
          sql.selectFrom('push_device').select('id').where('tenant_id', '=', tenant).execute(),
        ),
      ).toEqual([]);
    },
  );
});

test(`NOTIFY-5, OUTB-1: a push service that a user names is in none of the networks that the operator allowed for others${openssl}`, async () => {
  if (openssl !== '') return;
  const { context } = await makeFixture(HERE, fixture.context.store);
  const before = got.length;
  const { subscription } = aBrowser();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const vapid = { key: privateKey.export({ format: 'jwk' }), contact: 'mailto:a@example.com' };
  const notice = { title: 'a', body: 'b', link: '/', tag: 'c' };
  expect(await push(context, vapid, subscription, notice)).toMatchObject({
    ok: false,
    message: expect.stringContaining('private network') as string,
  });
  expect(got.length).toBe(before);
});
