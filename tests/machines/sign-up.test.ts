import { expect, test } from 'vitest';
import { signUpMachine } from '#machines/sign-up.ts';
import { walk, type Table } from './walk.ts';

/** By hand, from the design: form, emailed, and the steps that the link resumes. */
const WITHOUT_LINK: Table = { form: { SENT: 'emailed' }, emailed: { EDIT: 'form' } };
const WITH_LINK: Table = {
  opening: {
    OVER: 'over',
    details: 'details',
    captcha: 'captcha',
    checkout: 'checkout',
    paying: 'paying',
    ready: 'ready',
  },
  details: {
    OVER: 'over',
    captcha: 'captcha',
    checkout: 'checkout',
    paying: 'paying',
    ready: 'ready',
  },
  captcha: { OVER: 'over', checkout: 'checkout', paying: 'paying', ready: 'ready' },
  checkout: { EDIT: 'details', OVER: 'over', paying: 'paying', ready: 'ready' },
  paying: { EDIT: 'details', OVER: 'over', ready: 'ready' },
  ready: {},
  over: {},
};

test('BILL-19: a sign-up does in each state what its table says, and nothing else', () => {
  const events = Object.fromEntries(
    (
      [
        'SENT',
        'RESENT',
        'OVER',
        'EDIT',
        'details',
        'captcha',
        'checkout',
        'paying',
        'ready',
      ] as const
    ).map((type) => [type, { type }]),
  );
  expect(walk(signUpMachine, { hasLink: false }, events).table).toEqual(WITHOUT_LINK);
  expect(walk(signUpMachine, { hasLink: true }, events).table).toEqual(WITH_LINK);
});
