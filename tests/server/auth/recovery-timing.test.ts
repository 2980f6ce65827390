import { expect, test } from 'vitest';
import { QUESTIONS } from '#contract/auth/recovery-questions.ts';
import { ask, makeFixture, provider, user } from '../http/fixtures.ts';
import { workOfHash } from './work-of-hash.ts';
import { accountApp, setSettings, signedIn } from './captured-mail.ts';

/** Noise of the machine only adds: the least of many rounds is the work itself. */
const min = (times: readonly number[]): number => Math.min(...times);

/**
 * Time of this process's processors, all threads: what a clock on the wall would show, without the
 * machine's other work.
 */
const loadWork = async (
  work: () => Promise<{ readonly status: number }>,
  status: number,
): Promise<number> => {
  const before = process.cpuUsage();
  expect((await work()).status).toBe(status);
  const { user: own, system } = process.cpuUsage(before);
  return (own + system) / 1_000;
};

test("G36: the work done for recovery doesn't reveal an unknown name", async () => {
  const fixture = await makeFixture();
  const app = accountApp(fixture);
  const { host, tenant } = await provider(fixture);
  const id = await user(fixture, tenant);
  await setSettings(fixture, tenant, { securityQuestions: true });
  const answers = QUESTIONS.slice(0, 3).map((question, at) => ({
    question,
    answer: `hidden ${at}`,
  }));
  const { token } = await signedIn(app, host);
  expect(
    (
      await ask(app, `/api/v1/profile/${id}/security-questions`, {
        method: 'PUT',
        host,
        token,
        body: { answers },
      })
    ).status,
  ).toBe(200);
  const wrong = answers.map((one) => ({ ...one, answer: 'wrong' }));

  const ways: readonly (readonly [
    string,
    (name: string) => Promise<{ readonly status: number }>,
    number,
  ])[] = [
    ['validate', (name) => ask(app, `/api/v1/auth/validate/${name}`, { host }), 200],
    [
      'answers',
      (username) =>
        ask(app, '/api/v1/auth/validate/secret-questions', {
          method: 'POST',
          host,
          body: { username, answers: wrong },
        }),
      401,
    ],
    [
      'link',
      (username) =>
        ask(app, '/api/v1/profile/forgot-password/email', {
          method: 'POST',
          host,
          body: { username },
        }),
      200,
    ],
  ];
  for (const [way, work, status] of ways) {
    const known: number[] = [];
    const unknown: number[] = [];
    const limit = way === 'answers' ? 15 : 8;
    const isAlike = (): boolean => Math.abs(min(known) - min(unknown)) < limit;
    // More rounds where the machine is busy: a difference of the work itself stays in all of them.
    for (let round = 0; round < 25 || (round < 150 && !isAlike()); round += 1) {
      fixture.pass(3_600_000); // past every wait
      known.push(await loadWork(() => work('kate'), status));
      unknown.push(await loadWork(() => work('nobody'), status));
    }
    expect([way, isAlike()]).toEqual([way, true]);
    // three of them
    if (way === 'answers') expect(min(unknown)).toBeGreaterThan(2.5 * (await workOfHash()));
  }
});
