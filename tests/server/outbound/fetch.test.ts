import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { mayReach, OutboundError } from '#server/platform/outbound/address.ts';
import { fetchOutbound } from '#server/platform/outbound/fetch.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { makeFixture } from '../http/fixtures.ts';
import { HERE, outside } from './outside.ts';

let strict: AppContext;
let open: AppContext;
let lines: string[];
beforeAll(async () => {
  const fixture = await makeFixture();
  ({ lines } = fixture);
  strict = {
    ...fixture.context,
    config: { ...fixture.context.config, outbound: { allow: [], http: true } },
  };
  open = { ...fixture.context, config: { ...fixture.context.config, ...HERE } };
});

/**
 * Listeners that nobody may reach: on every address of this machine that a wrong turn could lead
 * to.
 */
let hits = 0;
const canaries = ['127.0.0.1', '::1', '0.0.0.0'].map((host) => {
  const server = createServer((socket) => {
    hits += 1;
    socket.destroy();
  });
  return { host, server };
});
let port = 0;
beforeAll(async () => {
  for (const { host, server } of canaries) {
    await new Promise<void>((resolve) => {
      server.once('error', () => {
        resolve();
      });
      server.listen(port, host, resolve);
    });
    port ||= (server.address() as AddressInfo).port;
  }
});
afterAll(() => {
  for (const { server } of canaries) server.close();
});

const refusal = async (context: AppContext, address: string): Promise<string> =>
  fetchOutbound(context, address, { timeoutMs: 3_000 }).then(
    ({ status }) => `answered ${status}`,
    (error: unknown) => {
      if (!(error instanceof OutboundError)) throw error;
      return error.kind;
    },
  );

/**
 * Everything that stands for this machine, its neighbours or a cloud's metadata, in all spellings.
 * `P`: the canaries' port.
 */
const FORBIDDEN = [
  '127.0.0.1:P',
  '127.1:P',
  '127.0.1:P',
  '2130706433:P',
  '0x7f000001:P',
  '0x7f.0.0.1:P',
  '0177.0.0.1:P',
  '017700000001:P',
  '127.0.0.1.:P',
  '127.255.255.254:P',
  '127.000.000.001:P',
  '0x7f.1:P',
  '%31%32%37.0.0.1:P',
  '①②⑦.0.0.1:P',
  '127。0。0。1:P',
  '127．0．0．1:P',
  '１２７.0.0.1:P',
  '0:P',
  '0.0.0.0:P',
  '0.0.0.1:P',
  'localhost:P',
  'LOCALHOST:P',
  'localhost.:P',
  'ⓛocalhost:P',
  'a.localhost:P',
  '[::1]:P',
  '[0:0:0:0:0:0:0:1]:P',
  '[::]:P',
  '[::ffff:127.0.0.1]:P',
  '[::ffff:7f00:1]:P',
  '[::127.0.0.1]:P',
  '[::7f00:1]:P',
  '[64:ff9b::127.0.0.1]:P',
  '[64:ff9b::7f00:1]:P',
  '[64:ff9b:1::7f00:1]:P',
  '[2002:7f00:1::]:P',
  '[2002:7f00:1::1]:P',
  '[2001:0:7f00:1::]:P',
  '[fe80::1]:P',
  '[fec0::1]:P',
  '[fc00::1]:P',
  '[fd00::1]:P',
  '[fd00:ec2::254]:P',
  '[ff02::1]:P',
  '[100::1]:P',
  '[2001:db8::1]:P',
  '[3fff::1]:P',
  '[5f00::1]:P',
  '10.0.0.1:P',
  '10.255.255.255:P',
  '172.16.0.1:P',
  '172.31.255.255:P',
  '192.168.0.1:P',
  '192.168.1.1:P',
  '169.254.169.254',
  '169.254.0.1:P',
  '[::ffff:169.254.169.254]',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '100.64.0.1:P',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1:P',
  '198.18.0.1:P',
  '198.51.100.1:P',
  '203.0.113.1:P',
  '224.0.0.1:P',
  '239.255.255.250:P',
  '240.0.0.1:P',
  '255.255.255.255:P',
  '192.88.99.1:P',
];

test('OUTB-1, G48: no notation of an address leads into a private network: nothing there is connected to', async () => {
  for (const host of FORBIDDEN)
    for (const scheme of ['http', 'https']) {
      expect(
        await refusal(strict, `${scheme}://${host.replace(':P', `:${port}`)}/`),
        `${scheme}://${host}`,
      ).not.toMatch(/answered/);
    }
  expect(hits).toBe(0);
  expect(FORBIDDEN.length).toBeGreaterThanOrEqual(72);
});

test('OUTB-1, G48: an address has no username, no scheme but https, and no port of another service', async () => {
  for (const address of [
    'https://user@example.com/',
    'https://user:pass@127.0.0.1/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:70/',
    'data:text/plain,x',
    'javascript:1',
    'ws://example.com/',
    '//example.com',
    'example.com',
    '',
    'https://example.com:22/',
    'https://example.com:25/',
    'https://example.com:80/',
    'https://example.com:587/',
    'http://example.com:6/',
    'https://example.com:0/',
    'https://exa mple.com/',
    'https://[::1',
    'https://example.com:99999/',
  ]) {
    expect(await refusal(open, address), `of ${address}`).toBe('refused');
  }
  const https: AppContext = {
    ...open,
    config: { ...open.config, outbound: { allow: ['127.0.0.0/8'], http: false } },
  };
  const there = await outside(() => ({ body: 'x' }));
  expect([await refusal(https, there.url), there.asked]).toEqual(['refused', []]);
});

test('OUTB-1: what the operator allows is reached, and nothing else', async () => {
  const there = await outside(() => ({ body: 'hello' }));
  expect(
    await (
      await fetchOutbound(open, `${there.url}/a?b=c`, {
        method: 'POST',
        headers: { 'x-a': '1' },
        body: new URLSearchParams({ q: 'ä&b' }),
      })
    ).text(),
  ).toBe('hello');
  expect(there.asked).toMatchObject([
    {
      method: 'POST',
      path: '/a?b=c',
      body: 'q=%C3%A4%26b',
      headers: {
        'host': `127.0.0.1:${there.port}`,
        'x-a': '1',
        'content-type': 'application/x-www-form-urlencoded',
      },
    },
  ]);
  const narrow: AppContext = {
    ...open,
    config: { ...open.config, outbound: { allow: ['127.0.0.2', '10.0.0.0/8'], http: true } },
  };
  expect([
    await refusal(narrow, there.url),
    mayReach(narrow, '10.1.2.3'),
    mayReach(narrow, '127.0.0.2'),
    mayReach(narrow, '127.0.0.3'),
    mayReach(narrow, '93.184.215.14'),
    mayReach(narrow, '::ffff:10.1.2.3'),
  ]).toEqual(['refused', true, true, false, true, true]);
});

test('OUTB-2, G48: no redirect is followed, nothing larger than 1 MiB is read, nothing is awaited beyond its time, and no proxy is used', async () => {
  const proxy = await outside(() => ({ body: 'from the proxy' }));
  const there = await outside(({ path }) =>
    path === '/redirect'
      ? { status: 302, headers: { location: '/secret' } }
      : path === '/large'
        ? { body: Buffer.alloc(1_100_000) }
        : path === '/never'
          ? { silent: true }
          : { body: 'here' },
  );
  const answer = await fetchOutbound(open, `${there.url}/redirect`);
  expect([answer.status, there.asked.length]).toEqual([302, 1]);
  await expect(fetchOutbound(open, `${there.url}/large`)).rejects.toThrow('1 MiB');
  await expect(fetchOutbound(open, `${there.url}/never`, { timeoutMs: 100 })).rejects.toThrow(
    'in time',
  );
  // Not by another object in place of `process.env`: threads that start later wouldn't get it.
  try {
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, proxy.url);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    expect(await (await fetchOutbound(open, there.url)).text()).toBe('here');
  } finally {
    vi.unstubAllEnvs();
  }
  expect(proxy.asked).toEqual([]);
});

test('OUTB-2: an unreachable address is one sentence, and the log has neither request nor answer', async () => {
  const gone = await outside(() => ({}));
  await gone.stop();
  await expect(
    fetchOutbound(open, `${gone.url}/path?token=planted-token`, {
      method: 'POST',
      body: 'planted-body',
    }),
  ).rejects.toThrow('127.0.0.1 refused the connection.');
  await expect(fetchOutbound(open, 'https://no-such-host.invalid/')).rejects.toThrow(
    'The host no-such-host.invalid is unknown.',
  );
  const plain = await outside(() => ({ body: 'planted-answer' }));
  await expect(fetchOutbound(open, plain.url.replace('http:', 'https:'))).rejects.toThrow(
    OutboundError,
  );
  expect(lines.join('\n')).not.toContain('planted');
});

const openssl = spawnSync('openssl', ['version']).status === 0 ? '' : ' (skipped: no openssl)';
test.skipIf(openssl !== '')(
  `OUTB-1: an untrusted certificate ends it before any data is sent${openssl}`,
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'daybook-tls-'));
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      join(dir, 'key.pem'),
      '-out',
      join(dir, 'cert.pem'),
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ]);
    expect(made.status).toBe(0);
    let heard = 0;
    const cert = readFileSync(join(dir, 'cert.pem'), 'utf8');
    const server = createSecureServer(
      { key: readFileSync(join(dir, 'key.pem')), cert },
      (_, response) => {
        heard += 1;
        response.end('hello');
      },
    );
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const before = getCACertificates('default');
    try {
      await expect(fetchOutbound(open, address, { method: 'POST', body: 'x' })).rejects.toThrow(
        'The certificate of 127.0.0.1 is not trusted',
      );
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      await expect(fetchOutbound(open, address)).rejects.toThrow(
        'The certificate of 127.0.0.1 is not trusted',
      );
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      expect(heard).toBe(0);
      setDefaultCACertificates([...before, cert]);
      expect(await (await fetchOutbound(open, address)).text()).toBe('hello');
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      setDefaultCACertificates(before);
      server.close();
      rmSync(dir, { recursive: true, force: true });
    }
  },
);
