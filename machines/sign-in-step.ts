import { assign, fromPromise, setup } from 'xstate';
import type { Method } from '#contract/auth/sign-in-step.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { bugAt, mayTryAgain, notProvided, getRefusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { Answering } from './sign-in-requests.ts';

/** Wait before another code can be requested. */
export const RESEND_WAIT_MS: Ms = 30_000;

/** The result of an answer: signed in, or a further step. Codes are shown once. */
export type StepResult =
  | { readonly kind: 'in'; readonly recoveryCodes: readonly string[] | null }
  | { readonly kind: 'step' };

interface StepContext {
  readonly now: () => Ms;
  /** Set only while the request is in flight, so that codes don't stay in memory. */
  readonly ask: Answering | null;
  readonly refusal: Refusal | null;
  /** Why no other code was sent. The one that was sent before stays valid. */
  readonly resendRefusal: Refusal | null;
  /** The method that the user chose instead of the best one. */
  readonly method: Exclude<Method, 'sms'> | null;
  /** The request for the browser's passkey. */
  readonly passkey: string | null;
  /** When the last code was sent; null if none is on its way. */
  readonly sentAt: Ms | null;
  readonly isSentAgain: boolean;
  readonly isPhoneChanged: boolean;
  readonly recoveryCodes: readonly string[] | null;
}
export type StepEvent =
  | { readonly type: 'ANSWER'; readonly ask: Exclude<Answering, { readonly way: 'resend' }> }
  | { readonly type: 'RESEND' }
  | { readonly type: 'SEND_TO_PHONE'; readonly mobilePhone: string }
  | { readonly type: 'CHANGE_PHONE' }
  | { readonly type: 'KEEP_PHONE' }
  | { readonly type: 'CHOOSE_METHOD'; readonly method: Exclude<Method, 'sms'> }
  | { readonly type: 'USE_PASSKEY'; readonly passkey: string | null }
  | { readonly type: 'CONTINUE' };

/**
 * The page of a step after the password. The sign-in machine in the worker decides which step is
 * next; this one is the user's side of a step.
 *
 *   entering ─ANSWER─▶ answering ─▶ in, showingCodes ─CONTINUE─▶ in
 *      │                  ├─▶ entering, with a further step or the reason of the refusal
 *      │                  └─▶ over
 *      ├─USE_PASSKEY─▶ showingPasskey ─▶ answering, entering
 *      ├─RESEND─▶ sending ─▶ entering
 *      └─CHANGE_PHONE─▶ changingPhone ─SEND_TO_PHONE─▶ sendingToPhone ─▶ entering, changingPhone
 */
export const signInStepMachine = setup({
  types: {
    context: {} as StepContext,
    events: {} as StepEvent,
    input: {} as { readonly now: () => Ms; readonly isCodeSent: boolean },
  },
  actors: {
    answer: fromPromise<Result<StepResult>, Answering | null>(notProvided),
    showPasskey: fromPromise<Result<string>, string | null>(notProvided),
  },
  guards: {
    mayAnswer: ({ context }) => mayTryAgain(context.refusal, context.now()),
    mayResend: ({ context }) =>
      context.sentAt === null || context.now() >= context.sentAt + RESEND_WAIT_MS,
  },
  actions: {
    clear: assign({ refusal: null, resendRefusal: null }),
    noteSent: assign({ sentAt: ({ context }) => context.now(), isSentAgain: true }),
    failOnBug: assign({ refusal: ({ context }) => bugAt(context.now()) }),
    failResendOnBug: assign({ resendRefusal: ({ context }) => bugAt(context.now()) }),
  },
}).createMachine({
  id: 'sign-in-step',
  context: ({ input }) => ({
    now: input.now,
    ask: null,
    refusal: null,
    resendRefusal: null,
    method: null,
    passkey: null,
    sentAt: input.isCodeSent ? input.now() : null,
    isSentAgain: false,
    isPhoneChanged: false,
    recoveryCodes: null,
  }),
  initial: 'entering',
  states: {
    entering: {
      on: {
        ANSWER: {
          guard: 'mayAnswer',
          target: 'answering',
          actions: ['clear', assign(({ event }) => ({ ask: event.ask, isSentAgain: false }))],
        },
        RESEND: {
          guard: 'mayResend',
          target: 'sending',
          actions: ['clear', assign({ isSentAgain: false })],
        },
        CHANGE_PHONE: { target: 'changingPhone', actions: 'clear' },
        CHOOSE_METHOD: {
          actions: ['clear', assign(({ event }) => ({ method: event.method }))],
        },
        USE_PASSKEY: {
          guard: 'mayAnswer',
          target: 'showingPasskey',
          actions: ['clear', assign(({ event }) => ({ passkey: event.passkey }))],
        },
      },
    },
    changingPhone: {
      on: {
        SEND_TO_PHONE: {
          guard: 'mayResend',
          target: 'sendingToPhone',
          actions: [
            'clear',
            assign(({ event }) => ({
              ask: { way: 'resend', newMobilePhone: event.mobilePhone },
              isSentAgain: false,
            })),
          ],
        },
        KEEP_PHONE: { target: 'entering', actions: 'clear' },
      },
    },
    showingPasskey: {
      invoke: {
        id: 'showPasskey',
        src: 'showPasskey',
        input: ({ context }) => context.passkey,
        onDone: [
          {
            guard: ({ event }) => event.output.ok,
            target: 'answering',
            actions: assign(({ event }) =>
              event.output.ok ? { ask: { way: 'passkey', response: event.output.value } } : {},
            ),
          },
          {
            target: 'entering',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'entering', actions: 'failOnBug' },
      },
      exit: assign({ passkey: null }),
    },
    answering: {
      invoke: {
        id: 'answer',
        src: 'answer',
        input: ({ context }) => context.ask,
        onDone: [
          {
            guard: ({ event }) => getCodes(event.output) !== null,
            target: 'showingCodes',
            actions: assign(({ event }) => ({ recoveryCodes: getCodes(event.output) })),
          },
          {
            guard: ({ event }) => event.output.ok && event.output.value.kind === 'in',
            target: 'in',
          },
          {
            guard: ({ event }) => !event.output.ok && isOver(event.output.failure),
            target: 'over',
          },
          {
            target: 'entering',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'entering', actions: 'failOnBug' },
      },
      exit: assign({ ask: null }),
    },
    sending: {
      invoke: {
        id: 'send',
        src: 'answer',
        input: { way: 'resend', newMobilePhone: null },
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'entering', actions: 'noteSent' },
          {
            guard: ({ event }) => !event.output.ok && isOver(event.output.failure),
            target: 'over',
          },
          {
            target: 'entering',
            actions: assign(({ context, event }) => ({
              resendRefusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'entering', actions: 'failResendOnBug' },
      },
    },
    sendingToPhone: {
      invoke: {
        id: 'sendToPhone',
        src: 'answer',
        input: ({ context }) => context.ask,
        onDone: [
          {
            guard: ({ event }) => event.output.ok,
            target: 'entering',
            actions: ['noteSent', assign({ isPhoneChanged: true })],
          },
          {
            guard: ({ event }) => !event.output.ok && isOver(event.output.failure),
            target: 'over',
          },
          {
            target: 'changingPhone',
            actions: assign(({ context, event }) => ({
              resendRefusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'changingPhone', actions: 'failResendOnBug' },
      },
      exit: assign({ ask: null }),
    },
    /** The recovery codes of a new authenticator, shown once. */
    showingCodes: { on: { CONTINUE: 'in' }, exit: assign({ recoveryCodes: null }) },
    in: { type: 'final' },
    /** The attempt has ended: the user starts again with the password. */
    over: { type: 'final' },
  },
});

const getCodes = (result: Result<StepResult>): readonly string[] | null =>
  result.ok && result.value.kind === 'in' ? result.value.recoveryCodes : null;
const isOver = ({ kind }: Failure): boolean => kind === 'expired' || kind === 'signed-out';
