import { assign, fromPromise, setup } from 'xstate';
import type { DeviceCodeState } from '#contract/engine/engine.ts';
import type { Failure, FailureKind } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { bug, getFailure, notProvided } from './refusal.ts';

/** A code that a person enters on a page of the cloud, as RFC 8628 describes it. */
export interface ShownCode {
  /** Under which the server checks it. */
  readonly id: string;
  readonly userCode: string;
  readonly verificationUrl: string;
  readonly expiresInMs: Ms;
  /** The shortest time between two checks. */
  readonly intervalMs: Ms;
}

/** RFC 8628, section 3.5: what `slow-down` adds to the interval. */
export const SLOW_DOWN_MS: Ms = 5_000;
/** The longest time between two checks while the server doesn't answer. */
export const MAX_INTERVAL_MS: Ms = 60_000;

interface DeviceCodeContext {
  readonly now: () => Ms;
  readonly code: ShownCode | null;
  /** Unix time. */
  readonly expiresAt: Ms;
  readonly intervalMs: Ms;
  /** Why there is no code, or why the last check got no answer. */
  readonly failure: Failure | null;
}

/**
 * A device code. It is checked at the cloud's interval until it is granted, declined or expired.
 *
 *   idle ─REQUEST─▶ requesting ─▶ active.shown ⇄ active.checking ─▶ granted, declined, expired
 *                      └─▶ failed ◀──────────────────┘
 *   granted, declined, expired, failed ─REQUEST─▶ requesting
 */
export const deviceCodeMachine = setup({
  types: {
    context: {} as DeviceCodeContext,
    events: {} as { readonly type: 'REQUEST' } | { readonly type: 'CANCEL' },
    input: {} as { readonly now: () => Ms },
  },
  actors: {
    request: fromPromise<Result<ShownCode>>(notProvided),
    check: fromPromise<Result<DeviceCodeState>, ShownCode | null>(notProvided),
  },
  delays: {
    interval: ({ context }) => context.intervalMs,
    expiry: ({ context }) => Math.max(0, context.expiresAt - context.now()),
  },
  actions: { failOnBug: assign(() => ({ failure: bug() })) },
}).createMachine({
  id: 'device-code',
  context: ({ input }) => ({
    now: input.now,
    code: null,
    expiresAt: 0,
    intervalMs: 0,
    failure: null,
  }),
  initial: 'idle',
  states: {
    idle: { on: { REQUEST: 'requesting' } },
    requesting: {
      entry: assign({ code: null, failure: null }),
      on: { CANCEL: 'idle' },
      invoke: {
        id: 'request',
        src: 'request',
        onDone: [
          {
            guard: ({ event }) => event.output.ok,
            target: 'active',
            actions: assign(({ context, event }) =>
              event.output.ok
                ? {
                    code: event.output.value,
                    expiresAt: context.now() + event.output.value.expiresInMs,
                    intervalMs: event.output.value.intervalMs,
                  }
                : {},
            ),
          },
          {
            target: 'failed',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'failed', actions: 'failOnBug' },
      },
    },
    active: {
      initial: 'shown',
      // Its clock keeps running during a check.
      after: { expiry: 'expired' },
      on: { CANCEL: 'idle' },
      states: {
        shown: { after: { interval: 'checking' } },
        checking: {
          invoke: {
            id: 'check',
            src: 'check',
            input: ({ context }) => context.code,
            onDone: [
              {
                guard: ({ event: { output } }) => output.ok && output.value === 'granted',
                target: '#device-code.granted',
                actions: assign({ failure: null }),
              },
              {
                guard: ({ event: { output } }) => output.ok && output.value === 'declined',
                target: '#device-code.declined',
              },
              {
                guard: ({ event: { output } }) => output.ok && output.value === 'expired',
                target: '#device-code.expired',
              },
              {
                guard: ({ event: { output } }) => output.ok && output.value === 'slow-down',
                target: 'shown',
                actions: assign(({ context }) => ({
                  intervalMs: context.intervalMs + SLOW_DOWN_MS,
                  failure: null,
                })),
              },
              {
                guard: ({ event: { output } }) => output.ok,
                target: 'shown',
                actions: assign({ failure: null }),
              },
              // Not reached: RFC 8628 asks for ever longer waits.
              {
                guard: ({ event: { output } }) => !output.ok && PASSING.has(output.failure.kind),
                target: 'shown',
                actions: assign(({ context, event }) => ({
                  intervalMs: Math.min(MAX_INTERVAL_MS, context.intervalMs * 2),
                  failure: getFailure(event.output),
                })),
              },
              {
                target: '#device-code.failed',
                actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
              },
            ],
            onError: { target: '#device-code.failed', actions: 'failOnBug' },
          },
        },
      },
    },
    // What was signed in for may be refused, such as the tenant, or come too late.
    granted: { on: { REQUEST: 'requesting' } },
    declined: { on: { REQUEST: 'requesting' } },
    expired: { on: { REQUEST: 'requesting' } },
    failed: { on: { REQUEST: 'requesting' } },
  },
});

/** Failures after which the same check may still succeed. */
const PASSING: ReadonlySet<FailureKind> = new Set([
  'needs-network',
  'no-answer',
  'busy',
  'out-of-space',
  'too-many',
  'server-error',
]);

/** The time left to enter the code. */
export const timeLeft = ({ expiresAt }: Pick<DeviceCodeContext, 'expiresAt'>, now: Ms): Ms =>
  Math.max(0, expiresAt - now);
