import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
} from 'openid-client';
import type { oidcCalls } from '#contract/auth/oidc-calls.ts';
import { OIDC_IN, OIDC_REFUSED, OIDC_STEP } from '#contract/auth/oidc-errors.ts';
import type { OidcRefusal } from '#contract/auth/oidc-errors.ts';
import { storable } from '#contract/stored-text.ts';
import { LIMITS } from '#contract/limits.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext, Handlers } from '../../platform/http/handler.ts';
import { API } from '../../platform/http/mount.ts';
import { describeIssuerError, loadIssuer } from '../../platform/outbound/issuer.ts';
import type { IssuerAt } from '../../platform/outbound/issuer.ts';
import { OutboundError } from '../../platform/outbound/address.ts';
import { readSecret } from '../../platform/outbound/secret.ts';
import { portalAddress } from '../../platform/tenancy/portal-address.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { beginAttempt, endAttempt, heldAttempt } from './attempts.ts';
import {
  attemptCookie,
  getCookie,
  deviceCookie,
  OIDC_COOKIE,
  oidcCookie,
} from '../../platform/auth/cookie.ts';
import { DEVICE_MS } from './devices.ts';
import { issueSession } from './issue-session.ts';
import { userOfIdentity } from './identity.ts';
import type { Claims } from './identity.ts';
import { getNeededStep, ownedBy, loadPolicy } from './policy.ts';
import { openHere } from './open-session.ts';
import { deriveValue, isSame, redirectTo } from './sign-in-redirect.ts';
import { beginStep } from './sign-in-step.ts';
import { readToken } from '../../platform/auth/tokens.ts';
import type { AuthToken } from '../../platform/auth/tokens.ts';
import { loadProviderSettings } from '../../platform/tenancy/provider-settings.ts';

/**
 * The limit per minute: each start by an anonymous client adds a row and can cause a request to the
 * issuer.
 */
const STARTS = { address: 30, provider: 300 } as const;
/**
 * The maximum length of a subject (OpenID Connect Core 2). An empty one is refused, because all
 * users would share it.
 */
const MAX_SUBJECT_CHARS = 255;

/**
 * Sign-in at an issuer (OpenID Connect, authorization code flow with PKCE). An attempt is valid
 * once, in the browser that began it, for ten minutes (G43).
 */
export function oidcHandlers(
  context: AppContext,
): Pick<Handlers, Exclude<keyof typeof oidcCalls, 'validateSso'>> {
  const byAddress = context.sharedLimits.perMinute('oidc of an address', STARTS.address);
  const byProvider = context.sharedLimits.perMinute('oidc', STARTS.provider);
  return {
    async oidcStart(_, ctx) {
      if (byAddress.ask(ctx.ip, ctx.now) !== null || byProvider.ask(ctx.tenant, ctx.now) !== null)
        return refused('often');
      const found = await context.store.tenant(ctx.tenant, (tx) =>
        loadOidcSettings(tx, context, ctx),
      );
      if (!found) return refused('off');
      const config = await loadIssuer(context, found.at).catch((error: unknown) => {
        warn(context, ctx, describeIssuerError(error));
        return null;
      });
      if (!config) return refused('issuer');
      const { token } = await context.store.tenant(ctx.tenant, (tx) =>
        beginAttempt(tx, context, { kind: 'oidc', userId: null, state: {} }, ctx.now),
      );
      const own = readToken(token);
      if (!own) return refused('over');
      const address = buildAuthorizationUrl(config, {
        redirect_uri: found.back,
        scope: getScope(found.at.settings.scope ?? 'email profile'),
        response_type: 'code',
        state: deriveValue(own, 'state'),
        nonce: deriveValue(own, 'nonce'),
        code_challenge: await calculatePKCECodeChallenge(deriveValue(own, 'verifier')),
        code_challenge_method: 'S256',
      });
      ctx.answer.append('set-cookie', oidcCookie(token, LIMITS.attemptMs));
      return redirectTo(address.href);
    },

    async oidcCallback(input, ctx) {
      const own = readToken(getCookie(ctx.request.headers, OIDC_COOKIE) ?? '');
      // The response belongs to another browser or is forged, so this browser's own attempt
      // continues.
      if (!own || !isSame(input.state ?? '', deriveValue(own, 'state'))) return refused('over');
      ctx.answer.append('set-cookie', oidcCookie('', 0));
      const found = await context.store.tenant(ctx.tenant, async (tx) => {
        const attempt = await heldAttempt(tx, own, ['oidc'], ctx.now);
        if (!attempt) return null;
        await endAttempt(tx, attempt.id, ctx.now);
        return { set: await loadOidcSettings(tx, context, ctx) };
      });
      if (!found) return refused('over');
      if (!found.set) return refused('off');
      if (input.error !== undefined) return refused('denied');
      const claims = await loadClaims(context, ctx, found.set, own, input);
      return typeof claims === 'string'
        ? refused(claims)
        : enter(context, ctx, claims, found.set.at.settings.trustsFactor === true);
    },
  };
}

interface Set {
  readonly at: IssuerAt;
  /** The redirect URI. */ readonly back: string;
}

async function loadOidcSettings(
  tx: TenantTx,
  context: AppContext,
  ctx: RequestContext,
): Promise<Set | null> {
  const { oidc } = await loadProviderSettings(tx);
  return oidc
    ? {
        at: { settings: oidc, secret: await readSecret(tx, context, 'oidc') },
        back: `${await portalAddress(tx, context, ctx)}${API}/auth/oidc/callback`,
      }
    : null;
}

/**
 * Exchanges the code for an ID token and verifies its signature, issuer, audience, times and nonce,
 * and also the issuer named beside the code.
 */
async function loadClaims(
  context: AppContext,
  ctx: RequestContext,
  { at, back }: Set,
  own: AuthToken,
  sent: {
    readonly code?: string | undefined;
    readonly state?: string | undefined;
    readonly iss?: string | undefined;
  },
): Promise<Claims | OidcRefusal> {
  const address = new URL(back);
  for (const name of ['code', 'state', 'iss'] as const)
    if (sent[name] !== undefined) address.searchParams.set(name, sent[name]);
  try {
    const config = await loadIssuer(context, at);
    const answer = await authorizationCodeGrant(config, address, {
      expectedState: deriveValue(own, 'state'),
      expectedNonce: deriveValue(own, 'nonce'),
      pkceCodeVerifier: deriveValue(own, 'verifier'),
      idTokenExpected: true,
    });
    const claims = answer.claims();
    if (
      !claims ||
      claims.sub === '' ||
      claims.sub.length > MAX_SUBJECT_CHARS ||
      storable(claims.sub) !== claims.sub
    )
      return 'answer';
    const { iss, sub, email, email_verified: verified } = claims;
    return {
      issuer: iss,
      subject: sub,
      email: typeof email === 'string' && verified === true ? email : null,
    };
  } catch (error) {
    const away = [error, error instanceof Error ? error.cause : null].some(
      (one) => one instanceof OutboundError,
    );
    warn(
      context,
      ctx,
      away
        ? describeIssuerError(error)
        : error instanceof ClientError
          ? (error.code ?? error.name)
          : error instanceof Error
            ? error.name
            : 'unknown',
    );
    return away ? 'issuer' : 'answer';
  }
}

/**
 * Opens the session. If the provider does not trust the issuer with the second factor, continues
 * with the same step as after a password (FACTOR-1).
 */
async function enter(
  context: AppContext,
  ctx: RequestContext,
  claims: Claims,
  trusted: boolean,
): Promise<Response> {
  const key = await context.sessionKey();
  const session = await context.store.tenant(ctx.tenant, async (tx) => {
    const user = await userOfIdentity(tx, context, ctx, claims);
    if (user.kind === 'refused') {
      await audit(tx, context, ctx, {
        what: 'sign-in.refused',
        user: null,
        detail: { how: 'oidc', why: user.why },
      });
      return user;
    }
    const { userId } = user;
    const owned = await ownedBy(tx, userId);
    // Requests from another site do not include the cookie of a known device.
    const need = trusted
      ? { step: 'none' as const }
      : getNeededStep(await loadPolicy(tx), owned, false);
    if (need.step === 'none')
      return openHere(tx, context, key, ctx, {
        userId,
        how: 'oidc',
        remember: undefined,
        known: null,
      });
    const begun = await beginStep(tx, context, key, ctx, userId, need, owned, { first: 'oidc' });
    return begun.ok ? begun.value : { kind: 'refused' as const, why: 'often' as const };
  });
  context.knownSessions.forget(ctx.tenant);
  if (session.kind === 'refused') return refused(session.why);
  if (session.kind === 'step') {
    if (session.token !== null)
      ctx.answer.append('set-cookie', attemptCookie(session.token, LIMITS.attemptMs));
    return redirectTo(`/login${OIDC_STEP}`);
  }
  if (session.device !== null)
    ctx.answer.append('set-cookie', deviceCookie(session.device, DEVICE_MS));
  const handed = await issueSession(context, session.opened, ctx);
  return handed.ok ? redirectTo(`/login${OIDC_IN}`) : refused('unknown');
}

/** Without `openid` an issuer returns no identity. */
const getScope = (request: string): string =>
  [...new Set(['openid', ...request.split(/\s+/).filter((one) => one !== '')])].join(' ');
const refused = (why: OidcRefusal): Response => redirectTo(`/login${OIDC_REFUSED}${why}`);
const warn = (context: AppContext, { tenant }: RequestContext, error: string): void => {
  context.log.warn('a sign-in at an issuer failed', { tenant, error });
};
