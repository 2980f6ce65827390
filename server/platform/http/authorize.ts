import type { Features } from '#contract/branding/branding.ts';
import { forbidsImpersonation, requiresRecentFactor } from '#contract/call-classes.ts';
import type { FeatureSwitch } from '#contract/call.ts';
import { getCall } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import type { TenantId } from '#contract/ids.ts';
import { keyAccess } from '#contract/key-access.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { authenticate } from '../auth/authenticate.ts';
import { authenticateKey, keyIn } from '../auth/api-key-auth.ts';
import type { IngestKeys, ProvenKey } from '../auth/ingest-key-auth.ts';
import { loadBranding } from '../tenancy/branding.ts';
import { hasAbility } from '../auth/authorization.ts';
import { loadOperators } from '../auth/operators.ts';
import type { AppContext } from '../app-context.ts';
import { busyFor, FORBIDDEN, NOT_FOUND, SIGNED_OUT } from './envelope.ts';
import type { Principal } from './handler.ts';
import type { KeyRateLimit } from './key-rate-limit.ts';

/** The origin of a request, its ways to prove a key, and response headers about API keys. */
export interface RequestMeta {
  readonly ip: string;
  readonly rateLimit: KeyRateLimit;
  readonly responseHeaders: Headers;
  readonly ingestKeys: IngestKeys;
}

/** What the gate of a call proved. A public call proves nothing. */
export type Proof =
  | { readonly kind: 'public' }
  | { readonly kind: 'session'; readonly session: Principal }
  | { readonly kind: 'ingest-key'; readonly key: ProvenKey };

/**
 * Authorizes a call. `public` calls need nothing, and calls of sources an ingest key. Every other
 * call needs a session of this provider or an API key, and the ability that the call names. A user
 * who must choose a password first can only make the calls that are `allowedBeforeSetup` (AUTH-12);
 * queued commands of a device wait until then. `feature`: requires that the provider has this part
 * of the portal switched on (SWITCH-1). The call classes list what is refused while impersonating
 * (G42) and what needs a recent factor (G44). KEY-3 defines which of this a program may do with a
 * key.
 */
export async function authorize(
  context: AppContext,
  name: CallName,
  tenant: TenantId | null,
  request: Request,
  beside: RequestMeta,
): Promise<Result<Proof>> {
  const call = getCall(name);
  const { gate } = call;
  if (gate === 'public') return ok({ kind: 'public' });
  if (gate === 'ingest-key') {
    if (tenant === null) return failed(NOT_FOUND);
    const key = await beside.ingestKeys.prove(request, call.cachedKeyAllowed === true);
    return key.ok ? ok({ kind: 'ingest-key', key: key.value }) : key;
  }
  if (tenant === null) return failed(SIGNED_OUT);
  const secret = keyIn(request);
  const who = await (secret === null
    ? authenticate(context, tenant, request)
    : byKey(context, name, tenant, secret, beside));
  if (!who.ok) return who;
  const { mustReset, impersonation, authenticatedAt } = who.value;
  if (forbidsImpersonation(name) && impersonation !== null)
    return failed({ kind: 'forbidden', message: MESSAGES.notWhileImpersonating });
  const session = await asOperator(context, tenant, name, who.value);
  if (session === null) return failed(FORBIDDEN);
  if (call.feature !== undefined && !(await isFeatureOn(context, tenant, call.feature)))
    return failed(FORBIDDEN);
  if (mustReset && call.allowedBeforeSetup !== true)
    return failed(
      call.offline === undefined
        ? PASSWORD_FIRST
        : { ...busyFor(QUEUED_WAITS_MS), message: MESSAGES.passwordFirst },
    );
  if (requiresRecentFactor(name) && context.clock.now() - authenticatedAt > LIMITS.freshMs)
    return failed({ kind: 'reauth_required', message: MESSAGES.reauth });
  return ok({ kind: 'session', session });
}

/**
 * Returns who makes the call: the user, or the user as a restore operator, if the call is for them
 * and the user lacks its ability. Null: neither.
 */
async function asOperator(
  context: AppContext,
  tenant: TenantId,
  name: CallName,
  session: Principal,
): Promise<Principal | null> {
  const { gate, operatorAllowed } = getCall(name);
  const isUsers =
    gate === 'signed-in' ||
    (gate !== 'public' && gate !== 'ingest-key' && hasAbility(session, gate));
  if (isUsers) return session;
  if (operatorAllowed !== true) return null;
  const operators = await context.store.tenant(tenant, (tx) => loadOperators(tx, session), {
    readOnly: true,
  });
  return operators.length === 0 ? null : { ...session, operators };
}

/** A branding from before a switch existed lacks it, which means off. */
function isFeatureOn(
  context: AppContext,
  tenant: TenantId,
  feature: FeatureSwitch,
): Promise<boolean> {
  return context.store.tenant(
    tenant,
    async (tx) => {
      const features: Partial<Features> = (await loadBranding(tx)).features;
      const value = features[feature];
      if (typeof value !== 'object') return value === true;
      return 'enabled' in value ? value.enabled : value.ccCollection;
    },
    { readOnly: true },
  );
}

/**
 * Counted first, so that guesses count against their address and cost no more database lookups than
 * the limit allows.
 */
async function byKey(
  context: AppContext,
  name: CallName,
  tenant: TenantId,
  secret: string,
  { ip, rateLimit, responseHeaders }: RequestMeta,
): Promise<Result<Principal>> {
  const now = context.clock.now();
  const addressLimit = rateLimit.count('address', ip, now, responseHeaders);
  if (addressLimit !== null) return failed(addressLimit);
  const who = await authenticateKey(context, tenant, secret, ip);
  if (!who.ok) return who;
  const keyLimit = rateLimit.count('key', who.value.sessionId, now, responseHeaders);
  if (keyLimit !== null) return failed(keyLimit);
  const needs = keyAccess(name);
  if (needs === null) return failed({ kind: 'not-by-key', message: MESSAGES.notByKey });
  if (who.value.mustReset) return failed(PASSWORD_FIRST);
  return needs === 'any' || hasAbility(who.value, needs)
    ? who
    : failed({ kind: 'forbidden', message: MESSAGES.keyLacks({ permission: needs }) });
}

const PASSWORD_FIRST = { kind: 'forbidden', message: MESSAGES.passwordFirst } as const;
const QUEUED_WAITS_MS = 5_000;
