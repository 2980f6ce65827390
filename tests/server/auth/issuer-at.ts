import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { json } from '../outbound/listen.ts';
import type { Query, Outside, Details } from '../outbound/listen.ts';

/** A pair of keys that an issuer, true or false, signs with. */
export interface Keys {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}
export const keys = (kid: string): Keys => ({
  kid,
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});

type Claims = Readonly<Record<string, unknown>>;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
export function jwt(claims: Claims, { kid, privateKey }: Keys, header: Claims = {}): string {
  const head = `${part({ alg: 'ES256', kid, typ: 'JWT', ...header })}.${part(claims)}`;
  return `${head}.${sign('sha256', Buffer.from(head), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** What the user's browser would bring to the issuer. */
export interface Asking {
  readonly state: string;
  readonly nonce: string;
  readonly challenge: string;
  readonly redirect: string;
  readonly clientId: string;
}
export interface Issuer extends Outside {
  readonly keys: Keys;
  /** The ID token of the next code; by default a right one of `kate`. */
  token: (asking: Asking, right: Claims) => string;
  /** Something else than the usual answer to a path. */
  instead: (path: string) => Details | null;
  /** The user agreed: what the browser is led back with. */
  agree(start: string): URLSearchParams & { readonly size: number };
}

/**
 * A small OpenID Connect issuer: codes are good once and only with their verifier and client.
 * `listen` keeps it for as long as it is wanted.
 */
export async function issuerAt(
  listen: (answer: (request: Query) => Details) => Promise<Outside>,
): Promise<Issuer> {
  const own = keys('one');
  const codes = new Map<string, Asking>();
  let count = 0;
  const there: Outside = await listen(({ method, path, body }) => {
    const other = one.instead(path);
    if (other) return other;
    if (path === '/.well-known/openid-configuration') {
      return json({
        issuer: one.url,
        authorization_endpoint: `${one.url}/authorize`,
        token_endpoint: `${one.url}/token`,
        jwks_uri: `${one.url}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (path === '/jwks')
      return json({
        keys: [
          { ...own.publicKey.export({ format: 'jwk' }), kid: own.kid, alg: 'ES256', use: 'sig' },
        ],
      });
    if (path !== '/token' || method !== 'POST') return { status: 404 };
    const form = new URLSearchParams(body);
    const code = form.get('code') ?? '';
    const asking = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (
      !asking ||
      asking.challenge !== challenge ||
      form.get('redirect_uri') !== asking.redirect ||
      form.get('client_id') !== asking.clientId ||
      form.get('client_secret') !== 'oidc-secret'
    )
      return json({ error: 'invalid_grant' }, 400);
    const now = Math.floor(Date.now() / 1_000);
    const right = {
      iss: one.url,
      aud: asking.clientId,
      sub: 'subject-kate',
      nonce: asking.nonce,
      iat: now,
      exp: now + 300,
      email: 'Kate@Example.com',
      email_verified: true,
    };
    return json({
      access_token: 'access',
      token_type: 'Bearer',
      id_token: one.token(asking, right),
    });
  });
  const one: Issuer = {
    ...there,
    keys: own,
    token: (_, right) => jwt(right, own),
    instead: () => null,
    agree(start) {
      const { searchParams: sent } = new URL(start);
      const asking = {
        state: sent.get('state') ?? '',
        nonce: sent.get('nonce') ?? '',
        challenge: sent.get('code_challenge') ?? '',
        redirect: sent.get('redirect_uri') ?? '',
        clientId: sent.get('client_id') ?? '',
      };
      const code = `code-${(count += 1)}`;
      codes.set(code, asking);
      return new URLSearchParams({ code, state: asking.state, iss: one.url });
    },
  };
  return one;
}
