import { X509Certificate, createHash, verify } from 'node:crypto';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { Ms } from '#contract/ids.ts';
import { getUuid } from '../random.ts';
import { TOKEN_SECONDS, signAccessToken } from './access-token.ts';
import { type Application, PUBLIC_CLIENT_ID, findApplication } from './applications.ts';
import { digest, isoTime } from './ids.ts';
import { type Person, findPerson } from './people.ts';
import type { Tenant } from './store.ts';

export const LOGIN = 'login.microsoftonline.com';
const CODE_SECONDS = 900;
const INTERVAL_SECONDS = 5;
const AUTHORIZATION_CODE_MS: Ms = 600_000;

interface DeviceCode {
  readonly userCode: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Ms;
  state: 'pending' | 'declined' | { readonly personId: string };
  polledAt: Ms | null;
  intervalMs: Ms;
}
interface Grant {
  readonly clientId: string;
  readonly personId: string;
  readonly scopes: readonly string[];
}

/** The device codes that wait for a user, by their device code. */
export type DeviceCodes = Map<string, DeviceCode>;

interface AuthorizationCode extends Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expiresAt: Ms;
}
/** The codes of the authorization code flow that nobody has redeemed, by code. */
export type AuthorizationCodes = Map<string, AuthorizationCode>;

/** An answer of the token endpoint that isn't a token. */
class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly error: string;
  readonly code: number;
  readonly status: 400 | 401;

  constructor(error: string, code: number, message: string, status: 400 | 401 = 400) {
    super(message);
    this.error = error;
    this.code = code;
    this.status = status;
  }
}

/**
 * What Entra's authorization page does when a person signs in there: returns the address to which it
 * leads the browser. Throws for a request that Entra would refuse on its page.
 */
export function authorize(
  tenant: Tenant,
  codes: AuthorizationCodes,
  page: string,
  personId: string,
): string {
  const { origin, pathname, searchParams: sent } = new URL(page);
  const [, segment = '', ...rest] = pathname.split('/');
  if (origin !== tenant.origin(LOGIN) || rest.join('/') !== 'oauth2/v2.0/authorize')
    throw new OAuthError('invalid_request', 90_023, 'This is not the authorization endpoint.');
  checkTenant(tenant, segment);
  const clientId = needs(sent, 'client_id');
  findClient(tenant, clientId);
  const back = new URL(needs(sent, 'redirect_uri'));
  if (needs(sent, 'response_type') !== 'code' || needs(sent, 'code_challenge_method') !== 'S256')
    throw new OAuthError('unsupported_response_type', 700_054, 'Only code with S256 is known.');
  const code = digest(tenant.seed, 'code', tenant.store.nextSeq(), tenant.now()).toString(
    'base64url',
  );
  codes.set(code, {
    clientId,
    personId,
    scopes: needs(sent, 'scope').split(' ').filter(Boolean).map(shortScope),
    redirectUri: back.href,
    challenge: needs(sent, 'code_challenge'),
    expiresAt: tenant.now() + AUTHORIZATION_CODE_MS,
  });
  back.searchParams.set('code', code);
  back.searchParams.set('state', sent.get('state') ?? '');
  back.searchParams.set('session_state', getUuid(tenant.seed, 'session', tenant.now()));
  return back.href;
}

/** Entra's token endpoints: authorization code, device code, client credentials, refresh token. */
export function entraApp(
  tenant: Tenant,
  codes: DeviceCodes,
  authorizations: AuthorizationCodes,
): Hono {
  const app = new Hono();
  const grants = new Map<string, Grant>();
  let issued = 0;

  app.onError((error, c) => {
    if (!(error instanceof OAuthError)) throw error;
    const trace = getUuid(tenant.seed, 'trace', (issued += 1));
    return c.json(
      {
        error: error.error,
        error_description: `AADSTS${error.code}: ${error.message} Trace ID: ${trace}`,
        error_codes: [error.code],
        timestamp: isoTime(tenant.now()).replace('T', ' '),
        trace_id: trace,
        correlation_id: trace,
      },
      error.status,
    );
  });

  app.get('/:tenant/v2.0/.well-known/openid-configuration', (c) => {
    const base = `${tenant.origin(LOGIN)}/${c.req.param('tenant')}`;
    checkTenant(tenant, c.req.param('tenant'));
    return c.json({
      issuer: `${tenant.origin(LOGIN)}/${tenant.id}/v2.0`,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
      device_authorization_endpoint: `${base}/oauth2/v2.0/devicecode`,
      jwks_uri: `${base}/discovery/v2.0/keys`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
      response_types_supported: ['code'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      tenant_region_scope: 'EU',
      cloud_instance_name: 'microsoftonline.com',
    });
  });

  // Every id token is left out (no `openid` scope is granted), so no key signs one.
  app.get('/:tenant/discovery/v2.0/keys', (c) => c.json({ keys: [] }));

  app.post('/:tenant/oauth2/v2.0/devicecode', async (c) => {
    checkTenant(tenant, c.req.param('tenant'));
    const form = await readForm(c);
    const clientId = needs(form, 'client_id');
    findClient(tenant, clientId);
    const scopes = needs(form, 'scope').split(' ').filter(Boolean).map(shortScope);
    const secret = digest(tenant.seed, 'device', tenant.store.nextSeq(), tenant.now());
    const userCode = [...secret.subarray(0, 9)]
      .map((byte) => 'BCDFGHJKLMNPQRSTVWXZ23456789'[byte % 28])
      .join('');
    const deviceCode = secret.toString('base64url');
    codes.set(deviceCode, {
      userCode,
      clientId,
      scopes,
      expiresAt: tenant.now() + CODE_SECONDS * 1000,
      state: 'pending',
      polledAt: null,
      intervalMs: INTERVAL_SECONDS * 1000,
    });
    const page = 'https://microsoft.com/devicelogin';
    return c.json({
      user_code: userCode,
      device_code: deviceCode,
      verification_uri: page,
      expires_in: CODE_SECONDS,
      interval: INTERVAL_SECONDS,
      message: `To sign in, use a web browser to open the page ${page} and enter the code ${userCode} to authenticate.`,
    });
  });

  /** What `.default` stands for. */
  const consentedTo = (clientId: string): readonly string[] =>
    findApplication(tenant, clientId)?.roles ?? [];

  const answer = (grant: Grant): Record<string, unknown> => {
    const person = findPerson(tenant, grant.personId);
    if (!person || person.removed || !person.enabled)
      throw new OAuthError('invalid_grant', 50057, 'The user account is disabled.');
    const access = grant.scopes
      .filter((scope) => !OPENID.has(scope))
      .flatMap((scope) => (scope === '.default' ? consentedTo(grant.clientId) : [scope]));
    const refresh = digest(tenant.seed, 'refresh', (issued += 1), tenant.now()).toString(
      'base64url',
    );
    if (grant.scopes.includes('offline_access')) grants.set(refresh, grant);
    return {
      token_type: 'Bearer',
      scope: access.join(' '),
      expires_in: TOKEN_SECONDS,
      ext_expires_in: TOKEN_SECONDS,
      access_token: signAccessToken(tenant, {
        appId: grant.clientId,
        person: { id: person.id, upn: person.upn, isAdmin: isAdmin(person) },
        permissions: access,
      }),
      ...(grant.scopes.includes('offline_access') ? { refresh_token: refresh } : {}),
    };
  };

  app.post('/:tenant/oauth2/v2.0/token', async (c) => {
    const segment = c.req.param('tenant');
    checkTenant(tenant, segment);
    c.header('cache-control', 'no-store');
    const form = await readForm(c);
    const clientId = needs(form, 'client_id', form.get('client_assertion') ?? undefined);
    const grantType = needs(form, 'grant_type');
    const client = findClient(tenant, clientId);
    if (grantType === 'urn:ietf:params:oauth:grant-type:device_code')
      return c.json(answer(pollDeviceCode(tenant, codes, needs(form, 'device_code'), clientId)));
    if (grantType === 'authorization_code') {
      if (client) checkClient(tenant, client, form);
      return c.json(answer(redeemCode(tenant, authorizations, form, clientId)));
    }
    if (grantType === 'refresh_token') {
      const token = needs(form, 'refresh_token');
      const grant = grants.get(token);
      if (!grant || grant.clientId !== clientId)
        throw new OAuthError('invalid_grant', 70000, 'The provided refresh token is not valid.');
      return c.json(answer(grant));
    }
    if (grantType !== 'client_credentials')
      throw new OAuthError(
        'unsupported_grant_type',
        70003,
        'The app requested an unsupported grant type.',
      );
    if (['common', 'organizations'].includes(segment))
      throw new OAuthError('invalid_request', 53003, 'Client credentials need the tenant.');
    if (!client || client.isPublic)
      throw new OAuthError(
        'unauthorized_client',
        700_016,
        'Application was not found in the directory.',
      );
    checkClient(tenant, client, form);
    if (!needs(form, 'scope').endsWith('/.default'))
      throw new OAuthError(
        'invalid_scope',
        1_002_012,
        'The provided value for scope is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier.',
      );
    return c.json({
      token_type: 'Bearer',
      expires_in: TOKEN_SECONDS,
      ext_expires_in: TOKEN_SECONDS,
      access_token: signAccessToken(tenant, {
        appId: client.appId,
        person: null,
        permissions: client.roles,
      }),
    });
  });
  return app;
}

const OPENID: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access']);

const shortScope = (scope: string): string =>
  scope.replace(/^https:\/\/graph\.microsoft\.com\//, '');

/** The first person of the tenant administers it. */
const isAdmin = ({ n }: Person): boolean => n === 1;

async function readForm(c: Context): Promise<URLSearchParams> {
  return new URLSearchParams(await c.req.text());
}

function needs(form: URLSearchParams, name: string, assertion?: string): string {
  const value = form.get(name);
  if (value !== null && value !== '') return value;
  const claims = assertion === undefined ? null : readJwt(assertion)?.payload;
  if (typeof claims?.['sub'] === 'string') return claims['sub'];
  throw new OAuthError(
    'invalid_request',
    900_144,
    `The request body must contain the following parameter: '${name}'.`,
  );
}

function checkTenant(tenant: Tenant, segment: string): void {
  if (!['common', 'organizations', tenant.id, tenant.domain].includes(segment.toLowerCase()))
    throw new OAuthError('invalid_request', 90_002, `Tenant '${segment}' not found.`);
}

/** Returns the registration; null for the public client that every tenant knows. */
function findClient(tenant: Tenant, clientId: string): Application | null {
  if (clientId === PUBLIC_CLIENT_ID) return null;
  const client = findApplication(tenant, clientId);
  if (!client)
    throw new OAuthError(
      'unauthorized_client',
      700_016,
      `Application with identifier '${clientId}' was not found in the directory '${tenant.name}'.`,
    );
  return client;
}

function pollDeviceCode(
  tenant: Tenant,
  codes: DeviceCodes,
  deviceCode: string,
  clientId: string,
): Grant {
  const code = codes.get(deviceCode);
  if (!code || code.clientId !== clientId)
    throw new OAuthError('bad_verification_code', 70_018, "The 'device_code' wasn't recognized.");
  const now = tenant.now();
  if (now >= code.expiresAt)
    throw new OAuthError('expired_token', 70_020, 'The provided device code has expired.');
  if (code.state === 'declined')
    throw new OAuthError(
      'authorization_declined',
      70_017,
      'The end user denied the authorization request.',
    );
  if (typeof code.state === 'object') {
    codes.delete(deviceCode);
    return { clientId, personId: code.state.personId, scopes: code.scopes };
  }
  // RFC 8628: whoever asks too soon waits five seconds longer from then on.
  const isTooSoon = code.polledAt !== null && now - code.polledAt < code.intervalMs;
  code.polledAt = now;
  if (isTooSoon) {
    code.intervalMs += 5000;
    throw new OAuthError('slow_down', 70_016, 'The client polls too often.');
  }
  throw new OAuthError(
    'authorization_pending',
    70_016,
    'OAuth 2.0 device flow error. Authorization is pending. Continue polling.',
  );
}

/** A code works once, for the application and address that it was made for, with its verifier. */
function redeemCode(
  tenant: Tenant,
  codes: AuthorizationCodes,
  form: URLSearchParams,
  clientId: string,
): Grant {
  const text = needs(form, 'code');
  const code = codes.get(text);
  codes.delete(text);
  const challenge = createHash('sha256').update(needs(form, 'code_verifier')).digest('base64url');
  if (
    !code ||
    code.clientId !== clientId ||
    code.expiresAt <= tenant.now() ||
    code.redirectUri !== needs(form, 'redirect_uri') ||
    code.challenge !== challenge
  )
    throw new OAuthError('invalid_grant', 70_008, 'The provided authorization code is not valid.');
  return code;
}

function checkClient(tenant: Tenant, client: Application, form: URLSearchParams): void {
  const assertion = form.get('client_assertion');
  if (assertion !== null) {
    if (!isValidAssertion(tenant, client, assertion))
      throw new OAuthError(
        'invalid_client',
        700_027,
        'The certificate used to sign the client assertion is not registered on application.',
        401,
      );
    return;
  }
  const secret = form.get('client_secret');
  if (secret === null)
    throw new OAuthError(
      'invalid_client',
      7_000_218,
      "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
      401,
    );
  const now = isoTime(tenant.now());
  if (!client.passwords.some((known) => known.secretText === secret && known.endDateTime > now))
    throw new OAuthError('invalid_client', 7_000_215, 'Invalid client secret provided.', 401);
}

interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signed: string;
  readonly signature: Buffer;
}

function readJwt(text: string): Jwt | null {
  const [head, payload, signature] = text.split('.');
  if (!head || !payload || !signature) return null;
  try {
    return {
      header: JSON.parse(Buffer.from(head, 'base64url').toString()) as Jwt['header'],
      payload: JSON.parse(Buffer.from(payload, 'base64url').toString()) as Jwt['payload'],
      signed: `${head}.${payload}`,
      signature: Buffer.from(signature, 'base64url'),
    };
  } catch {
    return null;
  }
}

/** Returns whether a JWT is signed with the key of one of the application's valid certificates. */
export function verifyAssertion(tenant: Tenant, client: Application, text: string): Jwt | null {
  const jwt = readJwt(text);
  if (!jwt) return null;
  const now = isoTime(tenant.now());
  const padding = jwt.header['alg'] === 'PS256' ? { padding: 6, saltLength: 32 } : { padding: 1 };
  for (const key of client.keys) {
    if (key.endDateTime <= now) continue;
    const der = Buffer.from(key.key, 'base64');
    const thumbprints = [
      createHash('sha1').update(der).digest('base64url'),
      createHash('sha256').update(der).digest('base64url'),
    ];
    const named = [jwt.header['x5t'], jwt.header['x5t#S256'], jwt.header['kid']].filter(
      (value) => typeof value === 'string',
    );
    if (named.length > 0 && !named.some((value) => isNamed(thumbprints, der, value))) continue;
    const { publicKey } = new X509Certificate(der);
    if (verify('sha256', Buffer.from(jwt.signed), { key: publicKey, ...padding }, jwt.signature))
      return jwt;
  }
  return null;
}

/** A `kid` may be the thumbprint in hexadecimal. */
const isNamed = (thumbprints: readonly string[], der: Buffer, value: string): boolean =>
  thumbprints.includes(value) ||
  createHash('sha1').update(der).digest('hex') === value.toLowerCase();

function isValidAssertion(tenant: Tenant, client: Application, assertion: string): boolean {
  const jwt = verifyAssertion(tenant, client, assertion);
  if (!jwt) return false;
  const { aud, iss, sub, exp, nbf } = jwt.payload;
  const now = tenant.now() / 1000;
  return (
    iss === client.appId &&
    sub === client.appId &&
    typeof exp === 'number' &&
    exp > now &&
    (typeof nbf !== 'number' || nbf <= now + 300) &&
    [aud].flat().some((value) => typeof value === 'string' && isOurEndpoint(tenant, value))
  );
}

const isOurEndpoint = (tenant: Tenant, audience: string): boolean =>
  [tenant.id, tenant.domain, 'organizations', 'common'].some((segment) =>
    [
      `${tenant.origin(LOGIN)}/${segment}/v2.0`,
      `${tenant.origin(LOGIN)}/${segment}/oauth2/v2.0/token`,
    ].includes(audience),
  );
