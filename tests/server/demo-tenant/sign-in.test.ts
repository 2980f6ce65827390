import { createPrivateKey, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { PUBLIC_CLIENT_ID } from '#server/demo/tenant/applications.ts';
import { makeCertificate, noOpenssl } from './certificate.ts';
import { aCloud, postForm } from './fixtures.ts';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function aCode() {
  const cloud = await aCloud();
  const { body } = await postForm(cloud.tenant, 'organizations/oauth2/v2.0/devicecode', {
    client_id: PUBLIC_CLIENT_ID,
    scope: 'https://graph.microsoft.com/User.Read.All Mail.Read offline_access',
  });
  const poll = () =>
    postForm(cloud.tenant, 'organizations/oauth2/v2.0/token', {
      grant_type: DEVICE,
      client_id: PUBLIC_CLIENT_ID,
      device_code: body.device_code,
    });
  return { ...cloud, code: body, poll };
}

test('GRAPH-1: a device code waits for a user, and slows down frequent requests', async () => {
  const { tenant, clock, code, poll } = await aCode();
  expect(code).toMatchObject({
    verification_uri: 'https://microsoft.com/devicelogin',
    expires_in: 900,
    interval: 5,
    user_code: expect.stringMatching(/^[A-Z0-9]{9}$/),
  });
  expect(await poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
  clock.now += 2000;
  expect(await poll()).toMatchObject({ status: 400, body: { error: 'slow_down' } });
  clock.now += 9000;
  expect(await poll()).toMatchObject({ body: { error: 'slow_down' } });
  clock.now += 15_000;
  expect(await poll()).toMatchObject({
    body: { error: 'authorization_pending', error_codes: [70_016] },
  });
  const [first] = tenant.admin.listUsers();
  expect(tenant.admin.listDeviceCodes()).toMatchObject([{ userCode: code.user_code }]);
  expect(tenant.admin.approveDeviceCode(code.user_code, first?.upn ?? '')).toBe(true);
  clock.now += 15_000;
  const granted = await poll();
  expect(granted).toMatchObject({
    status: 200,
    body: { token_type: 'Bearer', scope: 'User.Read.All Mail.Read', expires_in: 3599 },
  });
  const claims = JSON.parse(
    Buffer.from(granted.body.access_token.split('.')[1], 'base64url').toString(),
  );
  expect(claims).toMatchObject({ tid: tenant.id, oid: first?.id, scp: 'User.Read.All Mail.Read' });
  expect(await poll()).toMatchObject({ body: { error: 'bad_verification_code' } });
});

test('GRAPH-1: an authorization code is redeemed once, with its verifier, at its address', async () => {
  const { tenant, clock } = await aCloud();
  const [first] = tenant.admin.listUsers();
  // RFC 7636, appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const redirectUri = 'https://portal.example.com/callback';
  const page = new URL('https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize');
  page.search = new URLSearchParams({
    client_id: PUBLIC_CLIENT_ID,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'https://graph.microsoft.com/User.Read',
    state: 'a state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }).toString();
  const getCode = (): string => {
    const back = new URL(tenant.admin.signIn(page.href, first?.upn ?? ''));
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([
      redirectUri,
      'a state',
    ]);
    return back.searchParams.get('code') ?? '';
  };
  const redeem = (code: string, more: Record<string, string> = {}) =>
    postForm(tenant, 'organizations/oauth2/v2.0/token', {
      grant_type: 'authorization_code',
      client_id: PUBLIC_CLIENT_ID,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      code,
      ...more,
    });
  const code = getCode();
  expect(await redeem(code)).toMatchObject({ status: 200, body: { scope: 'User.Read' } });
  const refusal = { status: 400, body: { error: 'invalid_grant' } };
  expect(await redeem(code)).toMatchObject(refusal);
  expect(await redeem(getCode(), { code_verifier: `${verifier}x` })).toMatchObject(refusal);
  expect(
    await redeem(getCode(), { redirect_uri: 'https://portal.example.com/other' }),
  ).toMatchObject(refusal);
  const late = getCode();
  clock.now += 600_000;
  expect(await redeem(late)).toMatchObject(refusal);
});

test('GRAPH-1: a device code is declined, or expires', async () => {
  const declined = await aCode();
  expect(declined.tenant.admin.declineDeviceCode(declined.code.user_code)).toBe(true);
  expect(await declined.poll()).toMatchObject({ body: { error: 'authorization_declined' } });
  const late = await aCode();
  late.clock.now += 900_000;
  expect(await late.poll()).toMatchObject({ body: { error: 'expired_token' } });
  expect(late.tenant.admin.approveDeviceCode(late.code.user_code, 'x')).toBe(false);
});

test('GRAPH-1: a refresh token gives a token of the same user', async () => {
  const { tenant, clock, call, code, poll } = await aCode();
  const [first] = tenant.admin.listUsers();
  tenant.admin.approveDeviceCode(code.user_code, first?.id ?? '');
  const { body } = await poll();
  clock.now += 3_600_000;
  expect(await call('/users', bearer(body.access_token))).toMatchObject({
    status: 401,
    body: { error: { code: 'InvalidAuthenticationToken' } },
  });
  const renewed = await postForm(tenant, `${tenant.id}/oauth2/v2.0/token`, {
    grant_type: 'refresh_token',
    client_id: PUBLIC_CLIENT_ID,
    refresh_token: body.refresh_token,
  });
  expect(await call('/users', bearer(renewed.body.access_token))).toMatchObject({ status: 200 });
  tenant.admin.removeUser(first?.id ?? '');
  expect(
    await postForm(tenant, `${tenant.id}/oauth2/v2.0/token`, {
      grant_type: 'refresh_token',
      client_id: PUBLIC_CLIENT_ID,
      refresh_token: renewed.body.refresh_token,
    }),
  ).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test('GRAPH-1: the default scope is what the application has consent for', async () => {
  const { tenant } = await aCloud();
  const { appId } = tenant.admin.registerApplication('Restore', [
    'Mail.ReadWrite',
    'User.Read.All',
  ]);
  const { body: code } = await postForm(tenant, `${tenant.id}/oauth2/v2.0/devicecode`, {
    client_id: appId,
    scope: 'https://graph.microsoft.com/.default openid',
  });
  tenant.admin.approveDeviceCode(code.user_code, tenant.admin.listUsers()[0]?.id ?? '');
  const { body } = await postForm(tenant, `${tenant.id}/oauth2/v2.0/token`, {
    grant_type: DEVICE,
    client_id: appId,
    device_code: code.device_code,
  });
  expect(body).toMatchObject({ scope: 'Mail.ReadWrite User.Read.All' });
});

test('GRAPH-1: an application gets a token by its secret, for its own tenant only', async () => {
  const { tenant, client } = await aCloud();
  const ask = (change: Record<string, string>, segment = tenant.id) =>
    postForm(tenant, `${segment}/oauth2/v2.0/token`, {
      grant_type: 'client_credentials',
      client_id: client.appId,
      client_secret: client.secret,
      scope: 'https://graph.microsoft.com/.default',
      ...change,
    });
  expect(await ask({})).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
  expect(await ask({ client_secret: 'wrong' })).toMatchObject({
    status: 401,
    body: { error: 'invalid_client', error_codes: [7_000_215] },
  });
  expect(await ask({ scope: 'Mail.Read' })).toMatchObject({ body: { error: 'invalid_scope' } });
  expect(await ask({ client_id: '6a1a2d5e-0000-4000-8000-000000000000' })).toMatchObject({
    status: 400,
    body: { error: 'unauthorized_client', error_codes: [700_016] },
  });
  expect(await ask({}, '6a1a2d5e-0000-4000-8000-000000000001')).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', error_codes: [90_002] },
  });
});

test.skipIf(noOpenssl !== '')(
  `GRAPH-1: an application signs its assertion with its certificate${noOpenssl}`,
  async () => {
    const { tenant, client, clock } = await aCloud();
    const [own, other] = [makeCertificate(), makeCertificate()];
    tenant.admin.addCertificate(client.appId, own.der);
    const ask = (claims: Record<string, unknown>, key = own.key) => {
      const seconds = clock.now / 1000;
      const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({
        aud: `https://login.microsoftonline.com/${tenant.id}/oauth2/v2.0/token`,
        iss: client.appId,
        sub: client.appId,
        jti: 'once',
        nbf: seconds,
        exp: seconds + 300,
        ...claims,
      })}`;
      const signature = sign('sha256', Buffer.from(text), createPrivateKey(key));
      return postForm(tenant, `${tenant.id}/oauth2/v2.0/token`, {
        grant_type: 'client_credentials',
        client_id: client.appId,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: `${text}.${signature.toString('base64url')}`,
        scope: 'https://graph.microsoft.com/.default',
      });
    };
    expect(await ask({})).toMatchObject({ status: 200 });
    for (const claims of [
      { exp: clock.now / 1000 - 1 },
      { aud: 'https://example.com' },
      { iss: 'x' },
    ])
      expect(await ask(claims)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client', error_codes: [700_027] },
      });
    expect(await ask({}, other.key)).toMatchObject({ status: 401 });
  },
);

test('GRAPH-1: the endpoints are published under the tenant and its domain', async () => {
  const { tenant } = await aCloud();
  for (const segment of [tenant.id, tenant.domain, 'organizations']) {
    const response = await tenant.fetch(
      new Request(
        `https://login.microsoftonline.com/${segment}/v2.0/.well-known/openid-configuration`,
      ),
    );
    expect(await response.json()).toMatchObject({
      issuer: `https://login.microsoftonline.com/${tenant.id}/v2.0`,
      token_endpoint: `https://login.microsoftonline.com/${segment}/oauth2/v2.0/token`,
      device_authorization_endpoint: `https://login.microsoftonline.com/${segment}/oauth2/v2.0/devicecode`,
    });
  }
});
