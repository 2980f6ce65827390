import { assign, fromPromise, setup } from 'xstate';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { bug, getFailure, notProvided } from './refusal.ts';

/** Delay of the prompt after the page has loaded (section 9 of the specification). */
export const PROMPT_DELAY_MS: Ms = 500;

/** Whether the prompt is needed, according to the user's profile. */
export interface PromptNeed {
  /** Whether no job of the provider has reported. */
  readonly isNeeded: boolean;
  /** Whether the user dismissed the prompt on any device. */
  readonly isDismissed: boolean;
}

interface FirstRunContext {
  readonly hasTerms: boolean;
  readonly mayPrompt: boolean;
  /** Whether the user dismissed the prompt in this browser. */
  readonly isDismissedHere: boolean;
  readonly failure: Failure | null;
}
export type FirstRunEvent =
  /** The terms of use are required, or no longer are. */
  | { readonly type: 'TERMS'; readonly isRequired: boolean }
  | { readonly type: 'ACCEPT'; readonly isOffline: boolean }
  | { readonly type: 'DECLINE' }
  | { readonly type: 'DISMISS' };

/**
 * Asks a user one thing at a time after the sign-in: first to accept the terms of use or log out
 * (OWN-9); then, 500 ms after the page has loaded, to connect the first source (WIZARD-1).
 *
 *   terms ─ACCEPT─▶ accepting ─▶ waiting ─(500 ms)─▶ reading ─▶ prompt ─DISMISS─▶ saving ─▶ done
 *     └─DECLINE─▶ declining ─▶ loggedOut                └─▶ saving, done
 */
export const firstRunMachine = setup({
  types: {
    context: {} as FirstRunContext,
    events: {} as FirstRunEvent,
    input: {} as Omit<FirstRunContext, 'failure'>,
  },
  actors: {
    accept: fromPromise<Result<unknown>>(notProvided),
    decline: fromPromise<Result<unknown>>(notProvided),
    read: fromPromise<Result<PromptNeed>>(notProvided),
    save: fromPromise<unknown>(notProvided),
  },
  guards: { isRequired: ({ event }) => event.type === 'TERMS' && event.isRequired },
  delays: { promptDelay: PROMPT_DELAY_MS },
  actions: {
    failOnBug: assign(() => ({ failure: bug() })),
  },
}).createMachine({
  id: 'first-run',
  context: ({ input }) => ({ ...input, failure: null }),
  initial: 'opening',
  on: { TERMS: { guard: 'isRequired', target: '.terms' } },
  states: {
    opening: {
      always: [
        { guard: ({ context }) => context.hasTerms, target: 'terms' },
        { target: 'prompting' },
      ],
    },
    terms: {
      on: {
        // Accepted in another tab.
        TERMS: [{ guard: 'isRequired' }, { target: 'prompting' }],
        ACCEPT: [
          {
            guard: ({ event }) => event.isOffline,
            actions: assign(() => ({
              failure: { kind: 'needs-network', message: MESSAGES.needsNetwork },
            })),
          },
          { target: 'accepting', actions: assign({ failure: null }) },
        ],
        DECLINE: { target: 'declining', actions: assign({ failure: null }) },
      },
    },
    accepting: {
      on: { TERMS: [{ guard: 'isRequired' }, { target: 'prompting' }] },
      invoke: {
        id: 'accept',
        src: 'accept',
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'prompting' },
          {
            target: 'terms',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'terms', actions: 'failOnBug' },
      },
    },
    declining: {
      on: { TERMS: {} },
      invoke: {
        id: 'decline',
        src: 'decline',
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'loggedOut' },
          {
            target: 'terms',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'terms', actions: 'failOnBug' },
      },
    },
    prompting: {
      always: [
        { guard: ({ context }) => context.mayPrompt, target: 'waiting' },
        { target: 'done' },
      ],
    },
    waiting: { after: { promptDelay: 'reading' } },
    reading: {
      invoke: {
        id: 'read',
        src: 'read',
        onDone: [
          // The prompt was dismissed while the server was unreachable.
          {
            guard: ({ context, event }) =>
              context.isDismissedHere && event.output.ok && !event.output.value.isDismissed,
            target: 'saving',
          },
          {
            guard: ({ context, event }) =>
              !context.isDismissedHere &&
              event.output.ok &&
              event.output.value.isNeeded &&
              !event.output.value.isDismissed,
            target: 'prompt',
          },
          { target: 'done' },
        ],
        onError: 'done',
      },
    },
    prompt: { on: { DISMISS: { target: 'saving', actions: assign({ isDismissedHere: true }) } } },
    /** A dismissal that cannot be saved is saved at the next load. */
    saving: { invoke: { id: 'save', src: 'save', onDone: 'done', onError: 'done' } },
    done: {},
    loggedOut: { type: 'final' },
  },
});
