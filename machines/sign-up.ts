import { setup } from 'xstate';
import type { SIGN_UP_STEPS } from '#contract/billing/sign-up-calls.ts';

/** What the server says of a sign-up, or that its link is over. */
export type SignUpStep = (typeof SIGN_UP_STEPS)[number];
export interface SignUpMachineEvent {
  readonly type: 'SENT' | 'RESENT' | 'OVER' | 'EDIT' | SignUpStep;
}

/**
 * A sign-up (BILL-19). Its link opens it at the step that the server names, and each later answer leads
 * to the step that it names: another tab may have gone on, or back.
 *
 *   form ─SENT─▶ emailed ⇄ (RESENT)    opening ─▶ details ─▶ captcha ─▶ checkout ─▶ paying ─▶ ready
 *
 * EDIT leads back to the details: from the page after the form, and from a page to pay on.
 */
export const signUpMachine = setup({
  types: {
    events: {} as SignUpMachineEvent,
    input: {} as { readonly hasLink: boolean },
    context: {} as { readonly hasLink: boolean },
  },
  guards: { hasLink: ({ context }) => context.hasLink },
}).createMachine({
  id: 'sign-up',
  context: ({ input }) => input,
  initial: 'start',
  on: {
    details: { guard: 'hasLink', target: '.details' },
    captcha: { guard: 'hasLink', target: '.captcha' },
    checkout: { guard: 'hasLink', target: '.checkout' },
    paying: { guard: 'hasLink', target: '.paying' },
    ready: { guard: 'hasLink', target: '.ready' },
    OVER: { guard: 'hasLink', target: '.over' },
  },
  states: {
    start: { always: [{ guard: 'hasLink', target: 'opening' }, 'form'] },
    form: { on: { SENT: 'emailed' } },
    emailed: { on: { RESENT: 'emailed', EDIT: 'form' } },
    opening: {},
    details: {},
    captcha: {},
    checkout: { on: { EDIT: 'details' } },
    paying: { on: { EDIT: 'details' } },
    ready: { type: 'final' },
    over: { type: 'final' },
  },
});
