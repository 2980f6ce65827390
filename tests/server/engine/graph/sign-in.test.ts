import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCertificate } from '#server/engine/embedded/graph/certificate.ts';
import { CLOUDS } from '#server/engine/embedded/graph/clouds.ts';
import { checkDeviceCode, requestDeviceCode } from '#server/engine/embedded/graph/device-code.ts';
import { applicationTokens, fixedToken } from '#server/engine/embedded/graph/tokens.ts';
import type { Credential } from '#server/engine/embedded/graph/tokens.ts';
import { systemChance } from '#server/platform/random.ts';
import { broken, hasPlanted, json, seeded, silence, testClock, getValue } from './fixtures.ts';

const NOW = Date.UTC(2026, 9, 1);
const SIGNAL = new AbortController().signal;

function entra(answer: (form: URLSearchParams, n: number) => Response | Promise<Response>) {
  const clock = testClock(NOW);
  const requests: { readonly url: string; readonly form: URLSearchParams }[] = [];
  const ports = {
    fetch: async (request: Request) => {
      const form = new URLSearchParams(await request.text());
      requests.push({ url: request.url, form });
      return answer(form, requests.length);
    },
    cloud: CLOUDS.Worldwide,
    clock,
    random: seeded(1),
  };
  return { ports, clock, requests };
}
const token = (value: string, seconds = 3_600) =>
  json({ token_type: 'Bearer', access_token: value, expires_in: seconds });
const refusal = (error: string, description = '') =>
  json({ error, error_description: description }, { status: 400 });
const application = (credential: Credential) => ({
  directory: 'harbour.example.com',
  applicationId: '11111111-2222-4333-8444-555555555555',
  credential,
});
const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
const SECRET: Credential = { kind: 'secret', secret: 'planted-secret' };

test('ENG-23: an application signs in with its secret; the token is kept until shortly before its end', async () => {
  const { ports, clock, requests } = entra((_, n) => token(`token ${n}`));
  const tokens = applicationTokens(ports, application(SECRET));
  const many = await Promise.all([tokens.get(SIGNAL), tokens.get(SIGNAL), tokens.get(SIGNAL)]);
  expect(many.map(getValue)).toEqual(['token 1', 'token 1', 'token 1']);
  expect(requests[0]?.url).toBe(
    'https://login.microsoftonline.com/harbour.example.com/oauth2/v2.0/token',
  );
  expect(Object.fromEntries(requests[0]?.form ?? [])).toEqual({
    grant_type: 'client_credentials',
    client_id: '11111111-2222-4333-8444-555555555555',
    client_secret: 'planted-secret',
    scope: 'https://graph.microsoft.com/.default',
  });
  await clock.sleep(54 * 60_000, SIGNAL);
  expect(getValue(await tokens.get(SIGNAL))).toBe('token 1');
  await clock.sleep(2 * 60_000, SIGNAL);
  expect(getValue(await tokens.get(SIGNAL))).toBe('token 2');
  tokens.forget('token 1');
  expect(getValue(await tokens.get(SIGNAL))).toBe('token 2');
  tokens.forget('token 2');
  expect(getValue(await tokens.get(SIGNAL))).toBe('token 3');
});

test('ENG-23: an application signs in with a certificate that was made here, and its key never leaves', async () => {
  const made = await createCertificate(systemChance, NOW, {
    name: 'Daybook Backup, Ltd',
    days: 365,
  });
  const { ports, requests } = entra(() => token('good'));
  const credential = { kind: 'certificate', ...made } as const;
  getValue(await applicationTokens(ports, application(credential)).get(SIGNAL));
  const form = requests[0]?.form ?? new URLSearchParams();
  expect(form.get('client_assertion_type')).toBe(
    'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  );
  expect(form.has('client_secret')).toBe(false);
  const [head = '', body = '', signature = ''] = (form.get('client_assertion') ?? '').split('.');
  const certificate = new X509Certificate(made.certificate);
  expect(decode(head)).toMatchObject({
    'alg': 'PS256',
    'x5t#S256': Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex').toString(
      'base64url',
    ),
  });
  expect(decode(body)).toMatchObject({
    iss: '11111111-2222-4333-8444-555555555555',
    sub: '11111111-2222-4333-8444-555555555555',
    aud: 'https://login.microsoftonline.com/harbour.example.com/oauth2/v2.0/token',
    nbf: NOW / 1_000,
    exp: NOW / 1_000 + 300,
  });
  expect(
    verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key: certificate.publicKey, padding: 6, saltLength: 32 },
      Buffer.from(signature, 'base64url'),
    ),
  ).toBe(true);
  expect(JSON.stringify([...form])).not.toContain(made.privateKey.split('\n')[1]);
});

test('ENG-23: a certificate is self-signed, valid for the days asked for, and known by its thumbprint', async () => {
  const made = await createCertificate(systemChance, NOW, { name: 'Daybook', days: 30 });
  const read = new X509Certificate(made.certificate);
  expect(read.subject).toBe('CN=Daybook');
  expect(read.issuer).toBe('CN=Daybook');
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.fingerprint.replaceAll(':', '')).toBe(made.thumbprint);
  expect([read.validFromDate.getTime(), read.validToDate.getTime()]).toEqual([
    made.startsAt,
    made.expiresAt,
  ]);
  expect(made.expiresAt - made.startsAt).toBe(30 * 86_400_000);
  expect(made.startsAt).toBeLessThan(NOW);
  expect(read.raw.toString('base64')).toBe(made.der);
  expect(createPublicKey(made.privateKey).export({ type: 'spki', format: 'pem' })).toBe(
    read.publicKey.export({ type: 'spki', format: 'pem' }),
  );
});

test('ENG-23: why Entra refuses is a sentence that names what to mend, without a secret', async () => {
  const cases = [
    ['invalid_client', 'AADSTS7000215: planted', 'refused', 'secret', 'applicationSecret'],
    ['invalid_client', 'AADSTS7000222: planted', 'refused', 'expired', 'applicationSecret'],
    ['invalid_client', 'AADSTS700027: planted', 'refused', 'Renew the certificate', undefined],
    [
      'unauthorized_client',
      'AADSTS700016: planted',
      'missing',
      'does not exist in this tenant',
      'applicationId',
    ],
    [
      'invalid_request',
      'AADSTS90002: planted',
      'missing',
      'selected region',
      'officeOrganizationName',
    ],
    ['invalid_grant', 'AADSTS65001: planted', 'forbidden', 'consent', undefined],
    ['invalid_grant', 'AADSTS53003: planted', 'forbidden', 'Conditional Access', undefined],
    ['invalid_grant', 'AADSTS999999: planted', 'refused', '(AADSTS999999)', undefined],
    ['server_says_planted no', '', 'refused', '(400)', undefined],
  ] as const;
  for (const [error, description, kind, part, field] of cases) {
    const { ports } = entra(() => refusal(error, description));
    const result = await applicationTokens(ports, application(SECRET)).get(SIGNAL);
    expect(result, `of ${description}`).toMatchObject({ ok: false, error: { kind } });
    if (result.ok) continue;
    expect(result.error.message, `of ${description}`).toContain(part);
    expect(result.error.field, `of ${description}`).toBe(field);
    expect(hasPlanted(result), `of ${description}`).toBe(false);
  }
});

test('ENG-23: with a clock that is wrong, a certificate signs with the time of Entra; without that, the sentence says so', async () => {
  const made = await createCertificate(systemChance, NOW, { name: 'Daybook', days: 365 });
  const credential = { kind: 'certificate', ...made } as const;
  const hour = 3_600_000;
  for (const offBy of [-26 * hour, -6 * 60_000, 6 * 60_000, 400 * 24 * hour]) {
    let isDated = true;
    const { ports, clock, requests } = entra((form) => {
      const [, body = ''] = (form.get('client_assertion') ?? '').split('.');
      const { nbf, exp } = decode(body) as { nbf: number; exp: number };
      const now = clock.now() + offBy;
      const isValid = nbf * 1_000 <= now && now < exp * 1_000;
      const date: Record<string, string> = isDated ? { date: new Date(now).toUTCString() } : {};
      return isValid
        ? token('good', 600)
        : json(
            { error: 'invalid_client', error_description: 'AADSTS700024: Client assertion …' },
            { status: 401, headers: date },
          );
    });
    const tokens = applicationTokens(ports, application(credential));
    expect([offBy, getValue(await tokens.get(SIGNAL)), requests.length]).toEqual([
      offBy,
      'good',
      2,
    ]);
    // The next one knows the time.
    await clock.sleep(590_000, SIGNAL);
    expect([getValue(await tokens.get(SIGNAL)), requests.length]).toEqual(['good', 3]);
    isDated = false;
    expect(await applicationTokens(ports, application(credential)).get(SIGNAL)).toMatchObject({
      ok: false,
      error: { kind: 'refused', message: expect.stringContaining("Correct the server's time") },
    });
  }
});

test('ENG-23: signing in waits for a busy or unreachable Entra, then says so', async () => {
  const failures = [
    () => json({}, { status: 429, headers: { 'retry-after': '3' } }),
    () => json({}, { status: 503 }),
    silence,
    broken,
  ];
  const good = entra((_, n) => failures[n - 1]?.() ?? token('good'));
  expect(getValue(await applicationTokens(good.ports, application(SECRET)).get(SIGNAL))).toBe(
    'good',
  );
  for (const [failure, kind] of [
    [broken, 'unreachable'],
    [() => json({}, { status: 503 }), 'busy'],
    [() => new Response('<html>'), 'internal'],
    [() => new Response(new Uint8Array(300_000)), 'invalid'],
    [() => json({ token_type: 'Bearer' }), 'internal'],
  ] as const) {
    const bad = entra(failure);
    expect(await applicationTokens(bad.ports, application(SECRET)).get(SIGNAL)).toMatchObject({
      ok: false,
      error: { kind },
    });
    expect(bad.requests.length).toBeLessThanOrEqual(5);
  }
});

test("ENG-23: a person's token is not renewed", async () => {
  const tokens = fixedToken('theirs');
  expect(getValue(await tokens.get(SIGNAL))).toBe('theirs');
  tokens.forget('theirs');
  expect(await tokens.get(SIGNAL)).toMatchObject({ ok: false, error: { kind: 'refused' } });
});

const CLIENT = {
  directory: 'organizations',
  applicationId: '99999999-2222-4333-8444-555555555555',
  permissions: ['Application.ReadWrite.All', 'AppRoleAssignment.ReadWrite.All'],
};

test('ENG-23: a device code is requested and checked as RFC 8628 says: pending, slow down, declined, expired, granted', async () => {
  const { ports, requests } = entra((form) =>
    form.has('device_code')
      ? token('granted', 4_000)
      : json({
          device_code: 'planted-device-code',
          user_code: 'ABCD1234',
          verification_uri: 'https://microsoft.com/devicelogin',
          expires_in: 900,
          interval: 5,
        }),
  );
  const code = getValue(await requestDeviceCode(ports, CLIENT));
  expect(code).toEqual({
    deviceCode: 'planted-device-code',
    userCode: 'ABCD1234',
    verificationUrl: 'https://microsoft.com/devicelogin',
    expiresAt: NOW + 900_000,
    intervalMs: 5_000,
  });
  expect(requests[0]?.url).toBe(
    'https://login.microsoftonline.com/organizations/oauth2/v2.0/devicecode',
  );
  expect(requests[0]?.form.get('scope')).toBe(
    'https://graph.microsoft.com/Application.ReadWrite.All https://graph.microsoft.com/AppRoleAssignment.ReadWrite.All offline_access openid',
  );
  expect(getValue(await checkDeviceCode(ports, CLIENT, code.deviceCode))).toEqual({
    state: 'granted',
    accessToken: 'granted',
    refreshToken: null,
    expiresAt: NOW + 4_000_000,
  });
  expect(Object.fromEntries(requests[1]?.form ?? [])).toEqual({
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: CLIENT.applicationId,
    device_code: 'planted-device-code',
  });
  for (const [error, state] of [
    ['authorization_pending', 'pending'],
    ['slow_down', 'slow-down'],
    ['access_denied', 'declined'],
    ['authorization_declined', 'declined'],
    ['expired_token', 'expired'],
    ['bad_verification_code', 'expired'],
  ] as const) {
    const waiting = entra(() => refusal(error, 'AADSTS70016: planted'));
    expect(getValue(await checkDeviceCode(waiting.ports, CLIENT, 'x')), `of ${error}`).toEqual({
      state,
    });
  }
  const wrong = entra(() => refusal('invalid_client', 'AADSTS700016: planted'));
  expect(await checkDeviceCode(wrong.ports, CLIENT, 'x')).toMatchObject({
    ok: false,
    error: { kind: 'missing' },
  });
});

test("G70: the page on which a code is entered is Microsoft's", async () => {
  for (const page of [
    'https://microsoft.com.example.com/devicelogin',
    'http://microsoft.com/devicelogin',
    'javascript:alert(1)',
    '',
  ]) {
    const { ports } = entra(() =>
      json({ device_code: 'x', user_code: 'y', verification_uri: page, expires_in: 900 }),
    );
    expect((await requestDeviceCode(ports, CLIENT)).ok, `of ${page}`).toBe(false);
  }
});
