import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import {
  clientCredentialsGrant,
  ClientSecretPost,
  Configuration,
  customFetch,
  modifyAssertion,
  PrivateKeyJwt,
} from 'openid-client';
import type { ClientAuth } from 'openid-client';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { TokenSource } from './request.ts';
import { isWrongClock, loginFetch, signInFailure } from './sign-in.ts';
import type { LoginPorts } from './sign-in.ts';
import { graphMessages as t } from './messages.en.ts';
import { failed } from '../../result.ts';

/** An application of a tenant. `directory`: the tenant's id or a domain of it. */
export interface Application {
  readonly directory: string;
  readonly applicationId: string;
  readonly credential: Credential;
}
/** In PEM: a certificate and its private key. */
export type Credential =
  | { readonly kind: 'certificate'; readonly certificate: string; readonly privateKey: string }
  | { readonly kind: 'secret'; readonly secret: string };

/** A token is renewed when it is valid for less than this. */
const RENEW_BEFORE_MS: Ms = 300_000;
const ASSERTION_SECONDS = 300;
/** Lifetime of a token that names none. */
const DEFAULT_SECONDS = 3_599;

/**
 * Tokens of an application that signs in on its own: requested when needed, one request at a time
 * however many wait for it, and kept in memory only. Where the clock here is wrong, certificates
 * sign with the time of Entra.
 */
export function applicationTokens(ports: LoginPorts, application: Application): TokenSource {
  let known: { readonly token: string; readonly until: Ms } | null = null;
  let pending: Promise<EngineResult<string>> | null = null;
  /** How far the clock of Entra is ahead of ours. */
  let aheadMs: Ms = 0;
  let answeredAheadMs: Ms | null = null;
  const requestOnce = async (): Promise<EngineResult<string>> => {
    try {
      const signedAt = ports.clock.now() + aheadMs;
      const config = await loadConfiguration(ports, application, signedAt, (at) => {
        answeredAheadMs = at - ports.clock.now();
      });
      const answer = await clientCredentialsGrant(config, {
        scope: `${ports.cloud.graph}/.default`,
      });
      const seconds = answer.expires_in ?? DEFAULT_SECONDS;
      known = { token: answer.access_token, until: ports.clock.now() + seconds * 1_000 };
      return { ok: true, value: answer.access_token };
    } catch (error) {
      return { ok: false, error: signInFailure(error) };
    }
  };
  const request = async (): Promise<EngineResult<string>> => {
    answeredAheadMs = null;
    const first = await requestOnce();
    if (first.ok || !isWrongClock(first.error) || answeredAheadMs === null) return first;
    aheadMs = answeredAheadMs;
    return requestOnce();
  };
  return {
    async get(signal) {
      if (signal.aborted) return failed('ended', t.stopped);
      const now = ports.clock.now();
      if (known !== null && known.until - RENEW_BEFORE_MS > now)
        return { ok: true, value: known.token };
      pending ??= request().finally(() => {
        pending = null;
      });
      return pending;
    },
    forget(token) {
      if (known?.token === token) known = null;
    },
  };
}

/** The token of a person who signed in by device code: it is not renewed. */
export const fixedToken = (token: string): TokenSource => {
  let isGood = true;
  return {
    get: async () => (isGood ? { ok: true, value: token } : failed('refused', t.refused)),
    forget: (refused) => {
      isGood &&= refused !== token;
    },
  };
};

/** The tokens of a source, until a time: after it, there are none. */
export const tokensUntil = (
  clock: LoginPorts['clock'],
  tokens: TokenSource,
  expiresAt: Ms,
): TokenSource => ({
  get: async (signal) =>
    clock.now() < expiresAt ? tokens.get(signal) : failed('refused', t.rightsEnded),
  forget: (token) => tokens.forget(token),
});

async function loadConfiguration(
  ports: LoginPorts,
  { directory, applicationId, credential }: Application,
  signedAt: Ms,
  onDate: (at: Ms) => void,
): Promise<Configuration> {
  const base = `${ports.cloud.login}/${encodeURIComponent(directory)}`;
  const endpoint = `${base}/oauth2/v2.0/token`;
  const config = new Configuration(
    { issuer: `${base}/v2.0`, token_endpoint: endpoint },
    applicationId,
    {},
    credential.kind === 'secret'
      ? ClientSecretPost(credential.secret)
      : await loadAssertion(signedAt, endpoint, credential),
  );
  config[customFetch] = loginFetch(ports, onDate);
  return config;
}

/** Signs in with a certificate: RFC 7523, with the header and the audience that Entra asks for. */
async function loadAssertion(
  signedAt: Ms,
  audience: string,
  { certificate, privateKey }: Extract<Credential, { kind: 'certificate' }>,
): Promise<ClientAuth> {
  const key = await crypto.subtle.importKey(
    'pkcs8',
    createPrivateKey(privateKey).export({ type: 'pkcs8', format: 'der' }),
    { name: 'RSA-PSS', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const thumbprint = createHash('sha256')
    .update(new X509Certificate(certificate).raw)
    .digest('base64url');
  return PrivateKeyJwt(key, {
    [modifyAssertion](header, payload) {
      const now = Math.floor(signedAt / 1_000);
      header['x5t#S256'] = thumbprint;
      payload['aud'] = audience;
      payload['iat'] = now;
      payload['nbf'] = now;
      payload['exp'] = now + ASSERTION_SECONDS;
    },
  });
}
