import { assign, fromPromise, setup } from 'xstate';
import type { SsoProvider } from '#contract/auth/profile.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { bug, getFailure, notProvided } from './refusal.ts';

/** The server's answer: the address to open, and the session of Zerto's portal. */
export interface SystemAccess {
  readonly url: string;
  readonly sessionId: string | null;
}

interface SingleSignOnContext {
  readonly provider: SsoProvider;
  readonly isLater: boolean;
  readonly hasSession: boolean;
  readonly url: string | null;
  readonly failure: Failure | null;
}
export type SingleSignOnEvent = { readonly type: 'REQUEST' } | { readonly type: 'OPEN' };

/**
 * Opens another system. The first click on it opens its page without a request, later clicks ask
 * the server (SSO-3); only the server's answer decides what opens. Zerto's link works once, and sets
 * the flag of its session.
 *
 *   page ─REQUEST─▶ requesting ─▶ ready ─OPEN─▶ page (Zerto), ready (others)
 *                      └─▶ refused ─REQUEST─▶ requesting
 */
export const singleSignOnMachine = setup({
  types: {
    context: {} as SingleSignOnContext,
    events: {} as SingleSignOnEvent,
    input: {} as {
      readonly provider: SsoProvider;
      /** Clicks on this system before this one. */
      readonly earlierClicks: number;
      /** Whether this browser had a session in Zerto's portal. */
      readonly hasSession: boolean;
    },
  },
  actors: { request: fromPromise<Result<SystemAccess>, SsoProvider>(notProvided) },
}).createMachine({
  id: 'single-sign-on',
  context: ({ input: { provider, earlierClicks, hasSession } }) => ({
    provider,
    isLater: earlierClicks > 0,
    hasSession,
    url: null,
    failure: null,
  }),
  initial: 'opening',
  states: {
    opening: {
      always: [
        { guard: ({ context }) => context.isLater, target: 'requesting' },
        { target: 'page' },
      ],
    },
    page: { on: { REQUEST: 'requesting' } },
    requesting: {
      entry: assign({ url: null, failure: null }),
      invoke: {
        id: 'request',
        src: 'request',
        input: ({ context }) => context.provider,
        onDone: [
          {
            guard: ({ event }) => event.output.ok,
            target: 'ready',
            actions: assign(({ context, event }) =>
              event.output.ok
                ? {
                    url: event.output.value.url,
                    hasSession:
                      context.hasSession ||
                      (context.provider === 'zerto' && event.output.value.sessionId !== null),
                  }
                : {},
            ),
          },
          {
            target: 'refused',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: {
          target: 'refused',
          actions: assign(() => ({ failure: bug() })),
        },
      },
    },
    refused: { on: { REQUEST: 'requesting' } },
    ready: {
      on: {
        OPEN: {
          guard: ({ context }) => context.provider === 'zerto',
          target: 'page',
          actions: assign({ url: null }),
        },
      },
    },
  },
});
