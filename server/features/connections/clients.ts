import type { CollectorKind } from '#contract/connections/connection.ts';
import type { Credentials } from '#contract/connections/calls.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import {
  type Client,
  toSourceError,
  makeClient,
  type Endpoint,
  type Send,
  type Signer,
} from '#server/platform/systems/client.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { makeVb365Client } from '#server/engine/public/veeam-client.ts';
import { keySigner, tokenSigner } from '#server/platform/systems/tokens.ts';
import { systemMessages } from '#server/platform/systems/messages.en.ts';

/** Returns a client for a kind of system: its API's base path and its sign-in. */
export function clientFor(
  context: AppContext,
  kind: CollectorKind,
  reach: Endpoint,
  timeoutMs?: number,
): Client {
  const { credentials } = reach;
  const { host } = new URL(reach.address);
  if (kind === 'vspc')
    return makeClient(
      context,
      reach,
      credentials.kind === 'key'
        ? keySigner(credentials.secret)
        : vspcTokens(context, host, credentials),
      '/api/v3/',
      timeoutMs,
    );
  if (kind === 'vbr')
    return makeClient(context, reach, vbrTokens(context, host, credentials), '/api/v1/', timeoutMs);
  if (kind === 'vb365') return makeVb365Client(context, reach, timeoutMs);
  return makeClient(
    context,
    reach,
    credentials.kind === 'password'
      ? zertoSession(context, host, credentials)
      : zertoTokens(context, host, credentials),
    '/v1/',
    timeoutMs,
  );
}

/** One cheap request per kind of system that shows whether it responds. */
export const PROBES: Readonly<Record<Exclude<CollectorKind, 'vb365'>, string>> = {
  vspc: 'organizations/companies?limit=1&offset=0',
  vbr: 'jobs/states?skip=0&limit=1',
  zerto: 'vpgs',
};

const getName = (credentials: Credentials): string =>
  credentials.kind === 'key' ? '' : credentials.name;

const vspcTokens = (context: AppContext, host: string, credentials: Credentials) =>
  tokenSigner(context, host, {
    path: 'token',
    begin: { grant_type: 'password', username: getName(credentials), password: credentials.secret },
    renew: (token) => ({ grant_type: 'refresh_token', refresh_token: token }),
  });
const vbrTokens = (context: AppContext, host: string, credentials: Credentials) =>
  tokenSigner(context, host, {
    path: '/api/oauth2/token',
    headers: { 'x-api-version': '1.3-rev2' },
    begin: { grant_type: 'password', username: getName(credentials), password: credentials.secret },
    renew: (token) => ({ grant_type: 'refresh_token', refresh_token: token }),
  });
const zertoTokens = (context: AppContext, host: string, credentials: Credentials) =>
  tokenSigner(context, host, {
    path: '/auth/realms/zerto/protocol/openid-connect/token',
    begin: {
      grant_type: 'client_credentials',
      client_id: getName(credentials),
      client_secret: credentials.secret,
    },
    renew: null,
  });

/** Older versions of Zerto Virtual Manager use a session, opened with a name and a password. */
const zertoSession =
  ({ clock }: AppContext, host: string, credentials: Credentials) =>
  (send: Send): Signer => {
    let session: string | null = null;
    return {
      async headers() {
        if (session === null) {
          const basic = Buffer.from(`${getName(credentials)}:${credentials.secret}`).toString(
            'base64',
          );
          const answer = await send('/v1/session/add', {
            method: 'POST',
            headers: { accept: 'application/json', authorization: `Basic ${basic}` },
          });
          if (answer.status !== 200) throw await toSourceError(answer, host, clock.now());
          session = answer.headers.get('x-zerto-session');
          if (session === null) throw new SourceError('failed', systemMessages.noSession({ host }));
        }
        return { 'x-zerto-session': session };
      },
      refused() {
        session = null;
        return true;
      },
    };
  };
