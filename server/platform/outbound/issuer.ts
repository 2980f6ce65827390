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
const MOST = 200;
const known = new WeakMap<
  AppContext,
  Map<string, { readonly at: Ms; readonly found: Promise<Configuration> }>
>();

/**
 * Returns an issuer's metadata, fetched with `fetchOutbound` and cached for some minutes. Verifies
 * every signature with its keys, even on direct responses. Throws if the issuer can't be reached or
 * its metadata is wrong; `issuerFault` describes the error.
 */
export function issuerOf(
  world: AppContext,
  { settings: { issuer, clientId }, secret }: IssuerAt,
): Promise<Configuration> {
  const all =
    known.get(world) ??
    new Map<string, { readonly at: Ms; readonly found: Promise<Configuration> }>();
  known.set(world, all);
  const key = createHash('sha256')
    .update(JSON.stringify([issuer, clientId, secret]))
    .digest('base64url');
  const now = world.clock.now();
  const there = all.get(key);
  // Another call may be fetching it; whoever waits for that also holds no slot.
  if (there && now >= there.at && now - there.at < KEEP_MS)
    return releaseSlotDuring(() => there.found);
  if (all.size >= MOST) all.clear();
  const found = ask(world, issuer, clientId, secret);
  all.set(key, { at: now, found });
  found.catch(() => all.delete(key));
  return found;
}

async function ask(
  world: AppContext,
  issuer: string,
  clientId: string,
  secret: string | null,
): Promise<Configuration> {
  const through: CustomFetch = (address, { method, headers, body }) =>
    fetchOutbound(world, address, { method, headers, body: sent(body) });
  return discovery(
    new URL(issuer),
    clientId,
    {},
    secret === null ? None() : ClientSecretPost(secret),
    {
      [customFetch]: through,
      execute: [
        enableNonRepudiationChecks,
        ...(world.config.outbound?.http === true ? [allowInsecureRequests] : []),
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
  throw new OutboundError('refused', 'A body of this kind is not sent.');
}

/** Returns a sentence without anything that was sent or received. */
export function issuerFault(error: unknown): string {
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
