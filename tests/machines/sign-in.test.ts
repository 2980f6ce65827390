import { expect, test } from 'vitest';
import { createActor, fromPromise } from 'xstate';
import { signInMachine } from '#machines/sign-in.ts';
import type { SignInResult, SignInRequest } from '#machines/sign-in-requests.ts';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import { settle, TestClock } from '#tests/sim/clock.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

function asking(answers: (SignInResult | 'bug')[]) {
  const clock = new TestClock();
  const request: unknown[] = [];
  const actor = createActor(
    signInMachine.provide({
      actors: {
        ask: fromPromise<SignInResult, SignInRequest | null>(({ input }) => {
          request.push(input);
          const answer = answers.shift() ?? 'bug';
          return answer === 'bug' ? Promise.reject(new Error('bug')) : Promise.resolve(answer);
        }),
      },
    }),
    {
      input: { now: () => clock.now() },
      clock: {
        setTimeout: (work: () => void, ms: number) => clock.after(ms, work),
        clearTimeout: (off: unknown) => {
          (off as () => void)();
        },
      },
    },
  );
  actor.start();
  const submit = async (): Promise<unknown> => {
    actor.send({
      type: 'SUBMIT',
      ask: { way: 'password', auth: 'db', username: 'ann', password: 'secret' },
    });
    await settle();
    return actor.getSnapshot().value;
  };
  const answer = async (code = '123456'): Promise<unknown> => {
    actor.send({ type: 'ANSWER', ask: { way: 'sms', code } });
    await settle();
    return actor.getSnapshot().value;
  };
  return { actor, asked: request, clock, submit, answer };
}

const no = (
  kind: 'wrong-credentials' | 'no-answer' | 'server-error' | 'expired' | 'conflict',
): SignInResult => ({ kind: 'failed', failure: { kind, message: kind } });

test('SIGN-1: every answer has its state, each allows another try, and none keeps the password', async () => {
  const {
    actor,
    asked: request,
    submit,
  } = asking([no('wrong-credentials'), no('no-answer'), no('server-error'), 'bug', { kind: 'in' }]);
  expect([await submit(), await submit(), await submit(), await submit()]).toEqual([
    'wrong',
    'noNetwork',
    'wrong',
    'wrong',
  ]);
  expect(JSON.stringify(actor.getPersistedSnapshot())).not.toContain('secret');
  actor.send({ type: 'EDIT' });
  expect(actor.getSnapshot().value).toBe('idle');
  expect(await submit()).toBe('in');
  expect(request).toHaveLength(5);
});

test('SIGN-2: after a rate limit, no request is sent before its time, and the time is shown', async () => {
  const {
    actor,
    asked: request,
    clock,
    submit,
  } = asking([
    { kind: 'failed', failure: { kind: 'too-many', message: '', retryAfterMs: 5_000 } },
    { kind: 'in' },
  ]);
  const start = clock.now();
  expect(await submit()).toBe('throttled');
  expect(actor.getSnapshot().context.until).toBe(start + 5_000);
  expect(await submit()).toBe('throttled');
  await clock.pass(4_999);
  expect(await submit()).toBe('throttled');
  expect(request).toHaveLength(1);
  await clock.pass(1);
  expect(actor.getSnapshot().value).toBe('idle');
  expect(await submit()).toBe('in');
});

const getStep = (step: SignInStep['step']): SignInResult => ({
  kind: 'step',
  step: {
    step,
    methods: step === 'code' ? ['sms'] : [],
    phone: null,
    mayChangePhone: false,
    resends: 2,
    until: 600_000,
    passkey: null,
    enrol: step === 'enrol' ? { secret: 'A', uri: 'otpauth://totp/a' } : null,
  },
});

test('SIGN-1: a step is requested, a wrong code keeps it open, another step may follow, and the last answer signs in', async () => {
  const {
    actor,
    asked: request,
    submit,
    answer,
  } = asking([
    getStep('phone'),
    getStep('code'),
    no('wrong-credentials'),
    no('no-answer'),
    no('conflict'),
    'bug',
    { kind: 'in' },
  ]);
  expect(await submit()).toBe('phone');
  expect(await answer()).toBe('code');
  expect([await answer('111111'), await answer(), await answer(), await answer()]).toEqual([
    'code',
    'code',
    'code',
    'code',
  ]);
  expect(actor.getSnapshot().context.failure?.kind).toBe('server-error');
  expect(JSON.stringify(actor.getPersistedSnapshot())).not.toContain('111111');
  expect(await answer()).toBe('in');
  expect(request).toHaveLength(7);
});

test('SIGN-1, SIGN-2: an expired attempt starts with the password again; a delayed one continues after its time, or is left', async () => {
  const late: SignInResult = {
    kind: 'failed',
    failure: { kind: 'too-many', message: '', retryAfterMs: 3_000 },
  };
  const {
    actor,
    asked: request,
    clock,
    submit,
    answer,
  } = asking([getStep('code'), no('expired'), getStep('enrol'), late, late, getStep('code')]);
  await submit();
  expect(await answer()).toBe('wrong');
  expect(actor.getSnapshot().context).toMatchObject({ step: null, failure: { kind: 'expired' } });
  expect(await submit()).toBe('enrol');
  expect(await answer()).toBe('held');
  expect(await answer()).toBe('held');
  expect(request).toHaveLength(4);
  await clock.pass(3_000);
  expect(actor.getSnapshot().value).toBe('enrol');
  expect(await answer()).toBe('held');
  actor.send({ type: 'BACK' });
  expect(actor.getSnapshot()).toMatchObject({
    value: 'idle',
    context: { step: null, until: null },
  });
  expect(await submit()).toBe('code');
});

test("SIGN-2: a code that can't be sent again leaves the previous one valid", async () => {
  const { actor, submit, answer } = asking([
    getStep('code'),
    { kind: 'failed', failure: { kind: 'too-many', message: 'no more', retryAfterMs: 60_000 } },
    { kind: 'in' },
  ]);
  await submit();
  actor.send({ type: 'ANSWER', ask: { way: 'resend', newMobilePhone: null } });
  await settle();
  expect(actor.getSnapshot()).toMatchObject({
    value: 'code',
    context: { failure: { message: 'no more' } },
  });
  expect(await answer()).toBe('in');
});

const EVENTS = {
  'SUBMIT': {
    type: 'SUBMIT',
    ask: { way: 'password', auth: 'db', username: 'ann', password: 'a secret' },
  },
  'ANSWER': { type: 'ANSWER', ask: { way: 'sms', code: '987654' } },
  'EDIT': { type: 'EDIT' },
  'BACK': { type: 'BACK' },
  ...Object.fromEntries(
    (['ask', 'answer'] as const).flatMap((actor) => [
      [`${actor}: signed in`, done(actor, { kind: 'in' })],
      [`${actor}: code`, done(actor, getStep('code'))],
      [`${actor}: phone`, done(actor, getStep('phone'))],
      [`${actor}: enrol`, done(actor, getStep('enrol'))],
      [`${actor}: wrong`, done(actor, no('wrong-credentials'))],
      [`${actor}: no answer`, done(actor, no('no-answer'))],
      [`${actor}: expired`, done(actor, no('expired'))],
      [
        `${actor}: too many`,
        done(actor, {
          kind: 'failed',
          failure: { kind: 'too-many', message: '', retryAfterMs: 10 },
        }),
      ],
      [`${actor}: bug`, bug(actor)],
    ]),
  ),
  'throttled over': { type: 'xstate.after.wait.sign-in.throttled' },
  'held over': { type: 'xstate.after.wait.sign-in.held' },
};

const STEP = { ANSWER: 'answering', BACK: 'idle', SUBMIT: 'asking' };
/**
 * The specification, section 4: credentials, then an SMS code or a phone to be saved, then the user
 * is signed in. A refused answer leaves its step as it is, in whichever of the three it was.
 */
const SAME_STEP = 'code | enrol | phone';
const TABLE: Table = {
  idle: { SUBMIT: 'asking' },
  asking: {
    'ask: signed in': 'in',
    'ask: code': 'code',
    'ask: phone': 'phone',
    'ask: enrol': 'enrol',
    'ask: wrong': 'wrong',
    'ask: no answer': 'noNetwork',
    'ask: expired': 'wrong',
    'ask: too many': 'throttled',
    'ask: bug': 'wrong',
  },
  wrong: { SUBMIT: 'asking', EDIT: 'idle' },
  noNetwork: { SUBMIT: 'asking', EDIT: 'idle' },
  throttled: { 'throttled over': 'idle' },
  code: STEP,
  phone: STEP,
  enrol: STEP,
  answering: {
    'answer: signed in': 'in',
    'answer: code': 'code',
    'answer: phone': 'phone',
    'answer: enrol': 'enrol',
    'answer: wrong': SAME_STEP,
    'answer: no answer': SAME_STEP,
    'answer: expired': 'wrong',
    'answer: too many': 'held',
    'answer: bug': SAME_STEP,
  },
  held: { 'BACK': 'idle', 'SUBMIT': 'asking', 'held over': SAME_STEP },
  in: {},
};

test('SIGN-1, SIGN-2: the sign-in does in each state what its table says, and keeps what was typed only while it is sent', () => {
  const { table, states } = walk(
    signInMachine,
    { now: () => 0 },
    EVENTS,
    ({ step }: { readonly step: SignInStep | null }) => step?.step,
  );
  expect(table).toEqual(TABLE);
  for (const { value, context } of states)
    expect([value, /a secret|987654/.test(JSON.stringify(context))]).toEqual([
      value,
      value === 'asking' || value === 'answering',
    ]);
});
