import { createHash } from 'node:crypto';
import {
  allowInsecureRequests,
  ClientError,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import type { Configuration, CustomFetch } from 'openid-client';
import { LRUCache } from 'lru-cache';
import type { InferOutput } from 'valibot';
import type { OidcSettings } from '#contract/branding/settings.ts';
import type { Ms } from '#contract/ids.ts';
import { releaseSlotDuring } from '../http/concurrency.ts';
import type { AppContext } from '../app-context.ts';
import { OutboundError } from './address.ts';
import { fetchOutbound } from './fetch.ts';
import { outboundMessages as t } from './messages.en.ts';

export interface IssuerAt {
  readonly settings: InferOutput<typeof OidcSettings>;
  /** Null: a public client that uses only PKCE. */ readonly secret: string | null;
}

const KEEP_MS: Ms = 5 * 60_000;
/** The metadata of issuers, by issuer and client. */
export type Issuers = LRUCache<string, { readonly at: Ms; readonly found: Promise<Configuration> }>;

export const makeIssuers = (): Issuers => new LRUCache({ max: 200 });

/**
 * Returns an issuer's metadata, fetched with `fetchOutbound` and cached for some minutes. Verifies
 * every signature with its keys, even on direct responses. Throws if the issuer can't be reached or
 * its metadata is wrong; `describeIssuerError` describes the error.
 */
export function loadIssuer(
  context: AppContext,
  { settings: { issuer, clientId }, secret }: IssuerAt,
): Promise<Configuration> {
  const { issuers } = context;
  const key = createHash('sha256')
    .update(JSON.stringify([issuer, clientId, secret]))
    .digest('base64url');
  const now = context.clock.now();
  const there = issuers.get(key);
  // Another call may be fetching it; whoever waits for that also holds no slot.
  if (there && now >= there.at && now - there.at < KEEP_MS)
    return releaseSlotDuring(() => there.found);
  const found = ask(context, issuer, clientId, secret);
  issuers.set(key, { at: now, found });
  found.catch(() => issuers.delete(key));
  return found;
}

async function ask(
  context: AppContext,
  issuer: string,
  clientId: string,
  secret: string | null,
): Promise<Configuration> {
  const through: CustomFetch = (address, { method, headers, body }) =>
    fetchOutbound(context, address, { method, headers, body: sent(body) });
  return discovery(
    new URL(issuer),
    clientId,
    {},
    secret === null ? None() : ClientSecretPost(secret),
    {
      [customFetch]: through,
      execute: [
        enableNonRepudiationChecks,
        ...(context.config.outbound?.http === true ? [allowInsecureRequests] : []),
      ],
    },
  );
}

function sent(
  body: Parameters<CustomFetch>[1]['body'],
): string | Uint8Array | URLSearchParams | null {
  if (
    body === undefined ||
    body === null ||
    typeof body === 'string' ||
    body instanceof Uint8Array ||
    body instanceof URLSearchParams
  )
    return body ?? null;
  throw new TypeError('A body of this kind is not sent.');
}

/** Returns a sentence without anything that was sent or received. */
export function describeIssuerError(error: unknown): string {
  for (
    let at: unknown = error, steps = 0;
    at instanceof Error && steps < 5;
    at = at.cause, steps += 1
  )
    if (at instanceof OutboundError) return at.message;
  if (error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return t.issuerName;
  return t.notAnIssuer;
}
