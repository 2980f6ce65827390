import { createMachine } from 'xstate';
import type { SIGN_UP_STEPS } from '#contract/billing/sign-up-calls.ts';

/** What the server says of a sign-up, or that its link is over. */
export type SignUpStep = (typeof SIGN_UP_STEPS)[number];
export interface SignUpMachineEvent {
  readonly type: 'SENT' | 'RESENT' | 'OVER' | 'EDIT' | SignUpStep;
}

/**
 * A sign-up (BILL-19). Its link opens it at the step that the server names.
 *
 *   form ─SENT─▶ emailed ⇄ (RESENT)    opening ─▶ details ─▶ captcha ─▶ checkout ─▶ paying ─▶ ready
 *
 * EDIT leads back to the details: from the page after the form, and from a page to pay on.
 */
export const signUpMachine = createMachine({
  types: {} as {
    readonly events: SignUpMachineEvent;
    readonly input: { readonly hasLink: boolean };
    readonly context: { readonly hasLink: boolean };
  },
  id: 'sign-up',
  context: ({ input }) => input,
  initial: 'start',
  states: {
    start: { always: [{ guard: ({ context }) => context.hasLink, target: 'opening' }, 'form'] },
    form: { on: { SENT: 'emailed' } },
    emailed: { on: { RESENT: 'emailed', EDIT: 'form' } },
    opening: {
      on: {
        details: 'details',
        captcha: 'captcha',
        checkout: 'checkout',
        paying: 'paying',
        ready: 'ready',
        OVER: 'over',
      },
    },
    details: {
      on: {
        captcha: 'captcha',
        checkout: 'checkout',
        paying: 'paying',
        ready: 'ready',
        OVER: 'over',
      },
    },
    captcha: { on: { checkout: 'checkout', paying: 'paying', ready: 'ready', OVER: 'over' } },
    checkout: { on: { EDIT: 'details', paying: 'paying', ready: 'ready', OVER: 'over' } },
    paying: { on: { EDIT: 'details', ready: 'ready', OVER: 'over' } },
    ready: { type: 'final' },
    over: { type: 'final' },
  },
});
