import type { ClientSessionState } from '#workers/api.ts';

/**
 * The session state that a screen requires. `signed-out`: the sign-in pages. `signed-in`:
 * everything else.
 */
export type RouteGate = 'signed-out' | 'signed-in';

/** The session state after it was read from the disk. */
export type KnownWho = Exclude<ClientSessionState, { readonly kind: 'starting' }>;

export type GuardResult =
  | { readonly kind: 'pass' }
  /** Redirect to the sign-in page and remember the requested path. */
  | { readonly kind: 'sign-in' }
  /** Already signed in: redirect to the requested page, or home. */
  | { readonly kind: 'onward' }
  /** Redirect to a page that the user must complete first. */
  | { readonly kind: 'first'; readonly to: string }
  /** Redirect to the forbidden page of the area. */
  | { readonly kind: 'forbidden'; readonly to: string };

/**
 * The navigation to check. `entering`: the address brought a sign-in token, or the sign-in is not
 * finished yet. Signed-in users can then open the sign-in pages, too.
 */
export interface Way {
  readonly path: string;
  readonly entering: boolean;
}

const RESET = '/monitoring/reset-password';
const QUESTIONS = '/monitoring/security-questions';

/** Whether a path is the page of a required step, which comes before the requested page. */
export const isStepPage = (path: string): boolean =>
  /^\/[^/]+\/(reset-password|security-questions)/.test(path);

/** Whether a path is the page of a required password change, in any app. */
export const isResetPage = (path: string): boolean => /^\/[^/]+\/reset-password/.test(path);

/**
 * Runs the first guards in order: signed in, required password change, required security questions.
 * `page-route-guard.ts` has the last guard.
 */
export function guardRoute(who: KnownWho, gate: RouteGate, { path, entering }: Way): GuardResult {
  if (gate === 'signed-out')
    return who.kind === 'in' && !entering ? { kind: 'onward' } : { kind: 'pass' };
  if (who.kind === 'out') return { kind: 'sign-in' };
  const first = getFirst(who);
  return first !== null && first !== path.replace(/\/+$/, '')
    ? { kind: 'first', to: first }
    : { kind: 'pass' };
}

/** Both steps belong to the user's own account, so an impersonated session skips them. */
function getFirst({ me, branding }: Extract<KnownWho, { readonly kind: 'in' }>): string | null {
  if (me.impersonator !== null) return null;
  if (me.passwordReset) return RESET;
  return branding.authType === 'ad' && me.forceSecurityQuestions ? QUESTIONS : null;
}
