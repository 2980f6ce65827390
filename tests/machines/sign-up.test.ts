import { expect, test } from 'vitest';
import { signUpMachine } from '#machines/sign-up.ts';
import { walk, type Table } from './walk.ts';

/** By hand, from the design: form, emailed, and the steps that the link resumes. */
const WITHOUT_LINK: Table = { form: { SENT: 'emailed' }, emailed: { EDIT: 'form' } };
/** What a link shows is what the server named last: another tab may have gone on, or back. */
const STEPS = { details: 'details', captcha: 'captcha', checkout: 'checkout', paying: 'paying' };
const ENDS = { ready: 'ready', OVER: 'over' };
const without = (step: keyof typeof STEPS): Readonly<Record<string, string>> => {
  const { [step]: _, ...others } = STEPS;
  return { ...others, ...ENDS };
};
const WITH_LINK: Table = {
  opening: { ...STEPS, ...ENDS },
  details: without('details'),
  captcha: without('captcha'),
  checkout: { ...without('checkout'), EDIT: 'details' },
  paying: { ...without('paying'), EDIT: 'details' },
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
