import { assign, fromPromise, setup } from 'xstate';
import type { Result } from '#contract/result.ts';
import { bugAt, notProvided, getRefusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { Ms } from '#contract/ids.ts';

/** The user to sign in as, and why. */
export interface ImpersonationRequest {
  readonly userId: string;
  readonly reason: string;
}

/**
 * The result of starting or ending: here, at another provider's portal, or not yet, because changes
 * in the other user's name are not sent.
 */
export type ImpersonationResult =
  | { readonly kind: 'in' }
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'unsent'; readonly unsent: number };

interface ImpersonationContext {
  readonly now: () => Ms;
  readonly isImpersonating: boolean;
  readonly request: ImpersonationRequest | null;
  /** Changes in the other user's name that the server has not received. */
  readonly unsent: number;
  readonly refusal: Refusal | null;
}
export type ImpersonationEvent =
  | { readonly type: 'START'; readonly request: ImpersonationRequest }
  | { readonly type: 'EDIT' }
  | { readonly type: 'EXIT' }
  | { readonly type: 'DISCARD' }
  | { readonly type: 'STAY' };

/**
 * Signs in as another user and returns (G42). The administrator's own session opens again, on the
 * page where it was left.
 *
 *   own ─START─▶ starting ─▶ started, elsewhere
 *    ▲──────────────┘ refused
 *   impersonating ─EXIT─▶ exiting ─▶ returned, elsewhere
 *    ▲                └─▶ unsent ─DISCARD─▶ discarding ─▶ returned, elsewhere, unsent
 *    └──────────────────────┘ STAY
 */
export const impersonationMachine = setup({
  types: {
    context: {} as ImpersonationContext,
    events: {} as ImpersonationEvent,
    input: {} as { readonly now: () => Ms; readonly isImpersonating: boolean },
  },
  actors: {
    start: fromPromise<Result<ImpersonationResult>, ImpersonationRequest | null>(notProvided),
    exit: fromPromise<Result<ImpersonationResult>, 'ask' | 'discard'>(notProvided),
  },
  actions: { failOnBug: assign({ refusal: ({ context }) => bugAt(context.now()) }) },
}).createMachine({
  id: 'impersonation',
  context: ({ input }) => ({ ...input, request: null, unsent: 0, refusal: null }),
  initial: 'opening',
  states: {
    opening: {
      always: [
        { guard: ({ context }) => context.isImpersonating, target: 'impersonating' },
        { target: 'own' },
      ],
    },
    own: {
      on: {
        START: {
          target: 'starting',
          actions: assign(({ event }) => ({ request: event.request, refusal: null })),
        },
        EDIT: { actions: assign({ refusal: null }) },
      },
    },
    starting: {
      invoke: {
        id: 'start',
        src: 'start',
        input: ({ context }) => context.request,
        onDone: [
          { guard: ({ event }) => isAt(event.output, 'in'), target: 'started' },
          { guard: ({ event }) => isAt(event.output, 'elsewhere'), target: 'elsewhere' },
          {
            target: 'own',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()) ?? bugAt(context.now()),
            })),
          },
        ],
        onError: { target: 'own', actions: 'failOnBug' },
      },
      exit: assign({ request: null }),
    },
    impersonating: { on: { EXIT: { target: 'exiting', actions: assign({ refusal: null }) } } },
    exiting: {
      invoke: {
        id: 'exit',
        src: 'exit',
        input: 'ask',
        onDone: [
          { guard: ({ event }) => isAt(event.output, 'in'), target: 'returned' },
          { guard: ({ event }) => isAt(event.output, 'elsewhere'), target: 'elsewhere' },
          {
            guard: ({ event }) => isAt(event.output, 'unsent'),
            target: 'unsent',
            actions: assign(({ event }) => ({ unsent: unsentIn(event.output) })),
          },
          {
            target: 'impersonating',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'impersonating', actions: 'failOnBug' },
      },
    },
    unsent: {
      on: {
        DISCARD: { target: 'discarding', actions: assign({ refusal: null }) },
        STAY: 'impersonating',
      },
    },
    discarding: {
      invoke: {
        id: 'discard',
        src: 'exit',
        input: 'discard',
        onDone: [
          { guard: ({ event }) => isAt(event.output, 'in'), target: 'returned' },
          { guard: ({ event }) => isAt(event.output, 'elsewhere'), target: 'elsewhere' },
          {
            target: 'unsent',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'unsent', actions: 'failOnBug' },
      },
    },
    started: { type: 'final' },
    returned: { type: 'final' },
    /** At another provider's portal, to which the page redirects. */
    elsewhere: { type: 'final' },
  },
});

const isAt = (result: Result<ImpersonationResult>, kind: ImpersonationResult['kind']): boolean =>
  result.ok && result.value.kind === kind;
const unsentIn = (result: Result<ImpersonationResult>): number =>
  result.ok && result.value.kind === 'unsent' ? result.value.unsent : 0;
