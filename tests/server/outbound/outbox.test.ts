import { beforeAll, expect, test } from 'vitest';
import { outboxRoutes } from '#server/platform/mail/outbox.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { makeFixture, provider } from '../http/fixtures.ts';
import type { App, Fixture } from '../http/fixtures.ts';
import { getApp } from '../http/fixtures.ts';

let fixture: Fixture;
let app: App;
let tenant: string;
beforeAll(async () => {
  fixture = await makeFixture();
  app = getApp(fixture.context, {}, { routes: outboxRoutes(fixture.context) });
  ({ tenant } = await provider(fixture));
  const { context } = fixture;
  await context.store.tenant(tenant, (tx) =>
    post(tx, context, {
      kind: 'mail',
      to: 'kate@example.com',
      subject: 'First <b>&',
      text: 'Open https://portal.example/login#reset=a&b=<script>alert(1)</script>\nor "quoted".',
    }),
  );
  fixture.pass(1_000);
  await context.store.tenant(tenant, (tx) =>
    post(tx, context, { kind: 'sms', to: '+15550100200', text: 'Your code is 123456.' }),
  );
});

const ask = async (
  headers: Record<string, string> = {},
  incoming: object = {},
  path = '/outbox',
  of = app,
) => {
  const answer = await of.request(
    path,
    { headers: { host: 'localhost:4300', ...headers } },
    { incoming: { httpVersion: '1.1', socket: { remoteAddress: '127.0.0.1' }, ...incoming } },
  );
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
};

test('POST-7: on the server itself the outbox shows messages without a gateway, newest first, as text within the content policy', async () => {
  const { status, text, headers } = await ask();
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-store',
  ]);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(text.indexOf('Your code is 123456.')).toBeGreaterThan(0);
  expect(text.indexOf('Your code is 123456.')).toBeLessThan(text.indexOf('First &lt;b&gt;&amp;'));
  expect(text).toContain('<a href="https://portal.example/login#reset=a&amp;b=">');
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).not.toMatch(/<script|<style|style=|onclick|<img|<iframe/);
  expect(text).toMatch(
    /<html lang="en">[^]*<title>Outbox \(2\)<\/title>[^]*<h1>Outbox<\/h1>[^]*<main>[^]*<a class="again"|<a class="again"/,
  );
  const css = await ask({}, {}, '/outbox.css');
  expect([
    css.status,
    css.headers.get('content-type'),
    css.text.includes('color-scheme: light dark'),
  ]).toEqual([200, 'text/css; charset=utf-8', true]);
  expect(fixture.lines.join('\n')).not.toMatch(/123456|kate@example/);
});

const from = (remoteAddress: string) => ({ socket: { remoteAddress } });

test('POST-7: nobody else sees it: no other machine, host name, proxy or site', async () => {
  for (const remote of [
    '192.0.2.7',
    '10.0.0.1',
    '::ffff:192.0.2.7',
    'fe80::1',
    '',
    '128.0.0.1',
    '1127.0.0.1',
  ])
    expect((await ask({}, from(remote))).status, `from ${remote}`).toBe(404);
  for (const remote of ['127.0.0.1', '127.0.0.9', '::1', '::ffff:127.0.0.1'])
    expect((await ask({}, from(remote))).status, `from ${remote}`).toBe(200);
  for (const host of [
    'portal.example',
    'localhost.example',
    'harbour.localhost',
    '127.0.0.1.example',
    'localhost@evil.example',
    'evil.example:localhost',
    '',
  ])
    expect((await ask({ host })).status, `as ${host}`).toBe(404);
  for (const host of ['localhost', 'LOCALHOST:4300', '127.0.0.1:4300', '[::1]:4300'])
    expect((await ask({ host })).status, `as ${host}`).toBe(200);
  for (const [name, value] of [
    ['x-forwarded-for', '1.2.3.4'],
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-host', 'localhost'],
    ['x-forwarded-proto', 'http'],
    ['forwarded', 'for=127.0.0.1'],
    ['via', '1.1 proxy'],
    ['x-real-ip', '127.0.0.1'],
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-site'],
  ] as const) {
    expect((await ask({ [name]: value })).status, `${name}: ${value}`).toBe(404);
    expect((await ask({ [name]: value }, {}, '/outbox.css')).status, `${name}: ${value}`).toBe(404);
  }
  expect((await ask({}, { httpVersion: '1.0' })).status).toBe(404);
  expect((await app.request('/outbox', { headers: { host: 'localhost' } })).status).toBe(404);
  const behind = {
    ...fixture.context,
    config: { ...fixture.context.config, trustedProxies: ['10.0.0.1'] },
  };
  expect(
    (await ask({}, {}, '/outbox', getApp(behind, {}, { routes: outboxRoutes(behind) }))).status,
  ).toBe(404);
});

test('POST-7: a kind with a gateway is not shown, and once all providers have all of them there is no such page', async () => {
  const { context } = fixture;
  const set = (settings: object) =>
    context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('provider')
        .set({ settings: JSON.stringify(settings) })
        .where('tenant_id', '=', tenant)
        .execute(),
    );
  const sms = { url: 'https://sms.example', account: 'AC1', from: '+15550100100' };
  const mail = {
    host: 'mail.example',
    port: 465,
    security: 'tls',
    username: null,
    from: 'a@example.com',
    fromName: null,
  };
  await context.store.tenant(tenant, (tx) => storeSecret(tx, context, 'sms', 'token'));
  await set({ sms });
  const half = await ask();
  expect([half.status, half.text.includes('First'), half.text.includes('123456')]).toEqual([
    200,
    true,
    false,
  ]);
  await set({ sms, mail });
  expect((await ask()).status).toBe(404);
  await set({});
  expect((await ask()).status).toBe(200);
});
