import { createHmac, timingSafeEqual } from 'node:crypto';
import { GraphError } from './graph-error.ts';
import type { Tenant } from './store.ts';

/** Who calls: an application with its granted roles, or a user with the granted scopes. */
export interface GraphCaller {
  readonly appId: string;
  readonly personId: string | null;
  readonly permissions: ReadonlySet<string>;
}

interface Claims {
  readonly appid: string;
  readonly exp: number;
  readonly tid: string;
  readonly oid?: string;
  readonly roles?: readonly string[];
  readonly scp?: string;
}

export const TOKEN_SECONDS = 3599;

/** Returns an access token in the form of the cloud's: a JWT, opaque to clients. */
export function signAccessToken(
  tenant: Tenant,
  claims: {
    readonly appId: string;
    readonly person: {
      readonly id: string;
      readonly upn: string;
      readonly isAdmin: boolean;
    } | null;
    readonly permissions: readonly string[];
  },
): string {
  const now = Math.floor(tenant.now() / 1000);
  const { person } = claims;
  const payload = {
    aud: 'https://graph.microsoft.com',
    iss: `https://sts.windows.net/${tenant.id}/`,
    iat: now,
    nbf: now,
    exp: now + TOKEN_SECONDS,
    appid: claims.appId,
    tid: tenant.id,
    ver: '1.0',
    ...(person
      ? {
          idtyp: 'user',
          oid: person.id,
          upn: person.upn,
          scp: claims.permissions.join(' '),
          wids: person.isAdmin ? ['62e90394-69f5-4237-9190-012177145e10'] : [],
        }
      : { idtyp: 'app', roles: claims.permissions }),
  };
  const text = `${encode({ typ: 'JWT', alg: 'HS256' })}.${encode(payload)}`;
  return `${text}.${sign(tenant, text)}`;
}

/** @throws GraphError 401 without a valid token of this tenant */
export function readCaller(tenant: Tenant, authorization: string | undefined): GraphCaller {
  if (authorization === undefined || authorization === '')
    throw unauthorized('Access token is empty.');
  const token = /^Bearer (.+)$/i.exec(authorization)?.[1] ?? '';
  const [head, payload, signature, ...rest] = token.split('.');
  if (!head || !payload || !signature || rest.length > 0)
    throw unauthorized('IDX14100: JWT is not well formed.');
  const expected = Buffer.from(sign(tenant, `${head}.${payload}`));
  const input = Buffer.from(signature);
  if (expected.length !== input.length || !timingSafeEqual(expected, input))
    throw unauthorized('Access token validation failure. Invalid signature.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  if (claims.exp * 1000 <= tenant.now())
    throw unauthorized('Lifetime validation failed, the token is expired.');
  return {
    appId: claims.appid,
    personId: claims.oid ?? null,
    permissions: new Set(claims.roles ?? claims.scp?.split(' ')),
  };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const sign = ({ keys }: Tenant, text: string): string =>
  createHmac('sha256', keys.token).update(text).digest('base64url');

const unauthorized = (message: string): GraphError =>
  new GraphError(401, 'InvalidAuthenticationToken', message, {
    'www-authenticate':
      'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", client_id="00000003-0000-0000-c000-000000000000"',
  });
