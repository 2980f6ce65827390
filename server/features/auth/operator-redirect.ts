import { calculatePKCECodeChallenge } from 'openid-client';
import type { SignInApplication } from '#contract/engine/operators.ts';
import { LIMITS } from '#contract/limits.ts';
import {
  OPERATOR_REFUSED,
  OPERATOR_SIGNED_IN,
  type OperatorRefusal,
} from '#contract/restore/operator-calls.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { getCookie, OIDC_COOKIE, oidcCookie } from '../../platform/auth/cookie.ts';
import { readToken } from '../../platform/auth/tokens.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { Handlers, RequestContext } from '../../platform/http/handler.ts';
import { API } from '../../platform/http/mount.ts';
import { readSecret } from '../../platform/outbound/secret.ts';
import { portalAddress } from '../../platform/tenancy/portal-address.ts';
import { beginAttempt, endAttempt, heldAttempt } from './attempts.ts';
import { enterOperator, loadRegion, makeOperatorLimit } from './operator-sign-in.ts';
import { deriveValue, isSame, redirectTo } from './sign-in-redirect.ts';
import { loadProviderSettings } from '../../platform/tenancy/provider-settings.ts';

/** Per minute: each start by an anonymous client adds a row. */
const STARTS = { address: 30, provider: 300 } as const;
const PAGE = '/restore';

/**
 * RES-52: restore operators sign in on Microsoft's page, with an application of the provider and
 * PKCE. An attempt is valid once, in the browser that began it, for ten minutes. Who signed in is
 * what Microsoft says about the access token that it hands to this server alone.
 */
export function operatorRedirectHandlers(
  context: AppContext,
): Pick<Handlers, 'startOperatorSignIn' | 'finishOperatorSignIn'> {
  const { operators } = context.embeddedEngine;
  const limitStarts = makeOperatorLimit(context, 'starts of operator sign-ins', STARTS);
  return {
    async startOperatorSignIn(_, ctx) {
      if (limitStarts(ctx) !== null) return refuse('often');
      const begun = await context.store.tenant(ctx.tenant, async (tx) => {
        const application = await loadApplication(tx, context, ctx);
        if (application === null) return null;
        const what = { kind: 'operator', userId: null, state: {} } as const;
        const { token } = await beginAttempt(tx, context, what, ctx.now);
        return { application, token };
      });
      const own = begun && readToken(begun.token);
      if (!own) return refuse('off');
      const url = await operators.getSignInUrl({
        ...begun.application,
        state: deriveValue(own, 'state'),
        challenge: await calculatePKCECodeChallenge(deriveValue(own, 'verifier')),
      });
      if (!url.ok) return refuse('failed');
      ctx.answer.append('set-cookie', oidcCookie(begun.token, LIMITS.attemptMs));
      return redirectTo(url.value);
    },

    async finishOperatorSignIn({ code, state = '', error }, ctx) {
      const own = readToken(getCookie(ctx.request.headers, OIDC_COOKIE) ?? '');
      // The response belongs to another browser or is forged, so this browser's own attempt
      // continues.
      if (!own || !isSame(state, deriveValue(own, 'state'))) return refuse('over');
      ctx.answer.append('set-cookie', oidcCookie('', 0));
      const found = await context.store.tenant(ctx.tenant, async (tx) => {
        const attempt = await heldAttempt(tx, own, ['operator'], ctx.now);
        // One with a code is of the other way to sign in.
        if (!attempt || attempt.state.code !== undefined) return null;
        await endAttempt(tx, attempt.id, ctx.now);
        const application = await loadApplication(tx, context, ctx);
        const secret = await readSecret(tx, context, 'microsoft');
        return { attempt: attempt.id, application, secret };
      });
      if (!found) return refuse('over');
      const { application, secret, attempt } = found;
      if (application === null) return refuse('off');
      if (error !== undefined) return refuse('denied');
      if (code === undefined) return refuse('failed');
      const verifier = deriveValue(own, 'verifier');
      const person = await operators.redeemCode({ ...application, secret, code, verifier });
      if (!person.ok) {
        const { kind, message } = person.error;
        context.log.warn('a restore operator could not sign in', { tenant: ctx.tenant, message });
        return refuse(kind === 'unreachable' || kind === 'busy' ? 'unreachable' : 'failed');
      }
      const entered = await enterOperator(context, ctx, attempt, person.value);
      return entered.ok ? redirectTo(`${PAGE}${OPERATOR_SIGNED_IN}`) : refuse('noOperator');
    },
  };
}

const refuse = (why: OperatorRefusal): Response => redirectTo(`${PAGE}${OPERATOR_REFUSED}${why}`);

/** Returns the provider's application; null if it has none, or no organization has operators. */
async function loadApplication(
  tx: TenantTx,
  context: AppContext,
  ctx: RequestContext,
): Promise<SignInApplication | null> {
  const { microsoft } = await loadProviderSettings(tx);
  const region = await loadRegion(tx);
  if (!microsoft || region === null) return null;
  const redirectUri = `${await portalAddress(tx, context, ctx)}${API}/o365/operators/callback`;
  return { region, clientId: microsoft.clientId, redirectUri };
}
