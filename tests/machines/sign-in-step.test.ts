import { expect, test } from 'vitest';
import { createActor, fromPromise } from 'xstate';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { signInStepMachine } from '#machines/sign-in-step.ts';
import type { StepEvent, StepResult } from '#machines/sign-in-step.ts';
import type { Answering } from '#machines/sign-in-requests.ts';
import { settle } from '#tests/sim/clock.ts';
import { bug, done, hastyClock, walk } from './walk.ts';
import type { Table } from './walk.ts';

const refused = failed({ kind: 'wrong-credentials', message: 'wrong' });
const over = failed({ kind: 'expired', message: 'over' });
const EVENTS = {
  'ANSWER': { type: 'ANSWER', ask: { way: 'sms', code: '987654' } },
  'RESEND': { type: 'RESEND' },
  'SEND_TO_PHONE': { type: 'SEND_TO_PHONE', mobilePhone: '+15550100200' },
  'CHANGE_PHONE': { type: 'CHANGE_PHONE' },
  'KEEP_PHONE': { type: 'KEEP_PHONE' },
  'CHOOSE_METHOD': { type: 'CHOOSE_METHOD', method: 'totp' },
  'USE_PASSKEY': { type: 'USE_PASSKEY', passkey: '{}' },
  'CONTINUE': { type: 'CONTINUE' },
  'passkey shown': done('showPasskey', ok('a signature')),
  'no passkey shown': done('showPasskey', refused),
  'passkey bug': bug('showPasskey'),
  'signed in': done('answer', ok({ kind: 'in', recoveryCodes: null })),
  'signed in with codes': done('answer', ok({ kind: 'in', recoveryCodes: ['a-code'] })),
  'another step': done('answer', ok({ kind: 'step' })),
  'refused': done('answer', refused),
  'attempt over': done('answer', over),
  'bug': bug('answer'),
  'sent': done('send', ok({ kind: 'step' })),
  'not sent': done('send', refused),
  'over while sending': done('send', over),
  'bug while sending': bug('send'),
  'sent to phone': done('sendToPhone', ok({ kind: 'step' })),
  'not sent to phone': done('sendToPhone', refused),
  'over while sending to phone': done('sendToPhone', over),
  'bug while sending to phone': bug('sendToPhone'),
} as const;

/**
 * The specification, section 4: an SMS code, or a phone saved and the code sent again, and then the
 * user is signed in. FACTOR-1 and FACTOR-7 add the stronger factors, and codes that are shown once.
 */
const TABLE: Table = {
  entering: {
    ANSWER: 'answering',
    RESEND: 'sending',
    CHANGE_PHONE: 'changingPhone',
    USE_PASSKEY: 'showingPasskey',
  },
  changingPhone: {
    KEEP_PHONE: 'entering',
    SEND_TO_PHONE: 'sendingToPhone',
  },
  showingPasskey: {
    'passkey shown': 'answering',
    'no passkey shown': 'entering',
    'passkey bug': 'entering',
  },
  answering: {
    'signed in': 'in',
    'signed in with codes': 'showingCodes',
    'another step': 'entering',
    'refused': 'entering',
    'attempt over': 'over',
    'bug': 'entering',
  },
  sending: {
    'sent': 'entering',
    'not sent': 'entering',
    'over while sending': 'over',
    'bug while sending': 'entering',
  },
  sendingToPhone: {
    'sent to phone': 'entering',
    'not sent to phone': 'changingPhone',
    'over while sending to phone': 'over',
    'bug while sending to phone': 'changingPhone',
  },
  showingCodes: { CONTINUE: 'in' },
  in: {},
  over: {},
};

test('SIGN-1, SIGN-3: the page of a step does in each state what its table says, and nothing else', () => {
  const { table } = walk(signInStepMachine, { now: hastyClock(), isCodeSent: true }, EVENTS);
  expect(table).toEqual(TABLE);
});

test('SIGN-1: a code or a signature is in memory only while it is sent, and recovery codes while they are shown', () => {
  const { states } = walk(signInStepMachine, { now: hastyClock(), isCodeSent: true }, EVENTS);
  for (const { value, context } of states) {
    const typed = /987654|signature|5550100200/.test(JSON.stringify(context));
    expect([value, typed && value !== 'answering' && value !== 'sendingToPhone']).toEqual([
      value,
      false,
    ]);
    expect([value, JSON.stringify(context).includes('a-code')]).toEqual([
      value,
      value === 'showingCodes',
    ]);
  }
});

/** The machine with a server that answers as the test says, and a clock of its own. */
function talk(results: Result<StepResult>[], isCodeSent: boolean) {
  let now = 1_000;
  const request: (Answering | null)[] = [];
  const actor = createActor(
    signInStepMachine.provide({
      actors: {
        answer: fromPromise(({ input }) => {
          request.push(input);
          return Promise.resolve(results.shift() ?? refused);
        }),
        showPasskey: fromPromise(() => Promise.resolve(ok('a signature'))),
      },
    }),
    { input: { now: () => now, isCodeSent } },
  );
  actor.start();
  const send = async (event: StepEvent): Promise<unknown> => {
    actor.send(event);
    await settle();
    return actor.getSnapshot().value;
  };
  return {
    actor,
    asked: request,
    send,
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

test('SIGN-2: after a refusal with a time, nothing is sent before it; a code that could not be sent again delays nobody', async () => {
  const wait = failed({ kind: 'too-many', message: 'later', retryAfterMs: 5_000 });
  const { actor, asked: request, send, pass } = talk([wait, wait, ok({ kind: 'step' })], false);
  await send({ type: 'RESEND' });
  expect(actor.getSnapshot().context.resendRefusal?.failure.message).toBe('later');
  await send({ type: 'ANSWER', ask: { way: 'sms', code: '111111' } });
  await send({ type: 'ANSWER', ask: { way: 'sms', code: '222222' } });
  await send({ type: 'USE_PASSKEY', passkey: '{}' });
  expect(request).toHaveLength(2);
  pass(4_999);
  await send({ type: 'ANSWER', ask: { way: 'sms', code: '333333' } });
  expect(request).toHaveLength(2);
  pass(1);
  await send({ type: 'ANSWER', ask: { way: 'sms', code: '444444' } });
  expect(request.at(-1)).toEqual({ way: 'sms', code: '444444' });
});

test('SIGN-3, FACTOR-11: another code can be sent after 30 seconds; a changed number is claimed only once its code was sent', async () => {
  const step: Result<StepResult> = ok({ kind: 'step' });
  const { actor, asked: request, send, pass } = talk([refused, step, step], true);
  const changed = (): boolean => actor.getSnapshot().context.isPhoneChanged;
  await send({ type: 'RESEND' });
  pass(29_999);
  await send({ type: 'RESEND' });
  expect(request).toEqual([]);
  pass(1);
  await send({ type: 'CHANGE_PHONE' });
  expect(await send({ type: 'SEND_TO_PHONE', mobilePhone: '+15550100200' })).toBe('changingPhone');
  expect(changed()).toBe(false);
  expect(await send({ type: 'SEND_TO_PHONE', mobilePhone: '+15550100201' })).toBe('entering');
  expect(changed()).toBe(true);
  expect(actor.getSnapshot().context.isSentAgain).toBe(true);
  await send({ type: 'RESEND' });
  expect(request).toHaveLength(2);
});
