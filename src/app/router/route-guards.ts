import type { Who } from '#workers/api.ts';

/**
 * Who may see a screen: only those who are not signed in (the pages of signing in), or whoever is.
 */
export type Gate = 'signed-out' | 'signed-in';

/** Who is signed in, once the disk has been asked. */
export type KnownWho = Exclude<Who, { readonly is: 'starting' }>;

export type GuardResult =
  | { readonly is: 'pass' }
  /** To the sign-in page; `remember` the way. */
  | { readonly is: 'sign-in' }
  /** Signed in already: to where one wanted to go, or home. */
  | { readonly is: 'onward' }
  /** To a page that comes before every other. */
  | { readonly is: 'first'; readonly to: string }
  /** To the forbidden page of the area. */
  | { readonly is: 'forbidden'; readonly to: string };

/**
 * Where one wants to go. `entering`: with what the address brought, or not done with the sign-in:
 * the pages for it are open to who is in, too.
 */
export interface Way {
  readonly path: string;
  readonly entering: boolean;
}

const RESET = '/monitoring/reset-password';
const QUESTIONS = '/monitoring/security-questions';

/**
 * The first guards, in their order: signed in, the password that has to be chosen, the questions
 * that have to be answered. `page-route-guard.ts` has the last.
 */
export function guardRoute(who: KnownWho, gate: Gate, { path, entering }: Way): GuardResult {
  if (gate === 'signed-out')
    return who.is === 'in' && !entering ? { is: 'onward' } : { is: 'pass' };
  if (who.is === 'out') return { is: 'sign-in' };
  const first = firstOf(who);
  return first !== null && first !== path.replace(/\/+$/, '')
    ? { is: 'first', to: first }
    : { is: 'pass' };
}

/** Both are the user's own: who acts as them is not asked. */
function firstOf({ me, branding }: Extract<KnownWho, { readonly is: 'in' }>): string | null {
  if (me.acting !== null) return null;
  if (me.passwordReset) return RESET;
  return branding.authType === 'ad' && me.forceSecurityQuestions ? QUESTIONS : null;
}
