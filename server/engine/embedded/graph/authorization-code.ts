import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  Configuration,
  customFetch,
  None,
} from 'openid-client';
import type { Reply } from '#contract/engine/engine.ts';
import { loginFetch, signInFailure } from './sign-in.ts';
import type { LoginPorts } from './sign-in.ts';

/** An application that people of any tenant sign in to. `secret`: null for a public client. */
export interface CodeClient {
  readonly applicationId: string;
  readonly secret: string | null;
  readonly redirectUri: string;
  /** Names of Graph's permissions. */
  readonly permissions: readonly string[];
}

/** Returns the address of the sign-in page (RFC 6749, section 4.1.1, with PKCE, RFC 7636). */
export function getAuthorizationUrl(
  ports: LoginPorts,
  client: CodeClient,
  { state, challenge }: { readonly state: string; readonly challenge: string },
): string {
  return buildAuthorizationUrl(getConfiguration(ports, client), {
    redirect_uri: client.redirectUri,
    scope: client.permissions.map((name) => `${ports.cloud.graph}/${name}`).join(' '),
    response_type: 'code',
    response_mode: 'query',
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    // Who shares a computer chooses the account each time.
    prompt: 'select_account',
  }).href;
}

/** Redeems a code for an access token. The caller has checked the state. */
export async function redeemAuthorizationCode(
  ports: LoginPorts,
  client: CodeClient,
  { code, verifier }: { readonly code: string; readonly verifier: string },
): Reply<string> {
  const address = new URL(client.redirectUri);
  address.searchParams.set('code', code);
  try {
    const answer = await authorizationCodeGrant(getConfiguration(ports, client), address, {
      pkceCodeVerifier: verifier,
    });
    return { ok: true, value: answer.access_token };
  } catch (error) {
    return { ok: false, error: signInFailure(error) };
  }
}

function getConfiguration(ports: LoginPorts, { applicationId, secret }: CodeClient): Configuration {
  const base = `${ports.cloud.login}/organizations`;
  const config = new Configuration(
    {
      issuer: `${base}/v2.0`,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
    },
    applicationId,
    {},
    secret === null ? None() : ClientSecretPost(secret),
  );
  config[customFetch] = loginFetch(ports);
  return config;
}
