import { expect, test } from 'vitest';
import { createActor, fromPromise } from 'xstate';
import { signInMachine } from '#machines/sign-in.ts';
import type { SignInAnswer } from '#machines/sign-in.ts';
import { settle, TestClock } from '#tests/sim/clock.ts';

function asking(answers: (SignInAnswer | 'bug')[]) {
  const clock = new TestClock(), asked: unknown[] = [];
  const actor = createActor(signInMachine.provide({
    actors: {
      ask: fromPromise<SignInAnswer, { username: string; password: string }>(({ input }) => {
        asked.push(input);
        const answer = answers.shift() ?? 'bug';
        return answer === 'bug' ? Promise.reject(new Error('bug')) : Promise.resolve(answer);
      }),
    },
  }), { input: { now: () => clock.now() }, clock: { setTimeout: (work: () => void, ms: number) => clock.after(ms, work), clearTimeout: (off: unknown) => { (off as () => void)(); } } });
  actor.start();
  const submit = async (): Promise<unknown> => {
    actor.send({ type: 'SUBMIT', credentials: { username: 'ann', password: 'secret' } });
    await settle();
    return actor.getSnapshot().value;
  };
  return { actor, asked, clock, submit };
}

const no = (kind: 'wrong-credentials' | 'no-answer' | 'server-fault'): SignInAnswer => ({ is: 'failed', failure: { kind, message: kind } });

test('SIGN-1: every answer has its state, each lets a person try again, and the password is kept in none', async () => {
  const { actor, asked, submit } = asking([no('wrong-credentials'), no('no-answer'), no('server-fault'), 'bug', { is: 'in' }]);
  expect([await submit(), await submit(), await submit(), await submit()]).toEqual(['wrong', 'noNetwork', 'wrong', 'wrong']);
  expect(JSON.stringify(actor.getPersistedSnapshot())).not.toContain('secret');
  actor.send({ type: 'EDIT' });
  expect(actor.getSnapshot().value).toBe('idle');
  expect(await submit()).toBe('in');
  expect(asked).toHaveLength(5);
});

test('SIGN-2: throttled, nothing is asked before its time, and the time is told', async () => {
  const { actor, asked, clock, submit } = asking([{ is: 'failed', failure: { kind: 'too-many', message: '', retryAfterMs: 5_000 } }, { is: 'in' }]);
  const start = clock.now();
  expect(await submit()).toBe('throttled');
  expect(actor.getSnapshot().context.until).toBe(start + 5_000);
  expect(await submit()).toBe('throttled');
  await clock.pass(4_999);
  expect(await submit()).toBe('throttled');
  expect(asked).toHaveLength(1);
  await clock.pass(1);
  expect(actor.getSnapshot().value).toBe('idle');
  expect(await submit()).toBe('in');
});
