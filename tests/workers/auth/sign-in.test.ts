import { expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { Auth, SignInRequest } from '#machines/sign-in-requests.ts';
import { TestClock } from '#tests/sim/clock.ts';
import { makeSignIn } from '#workers/auth/sign-in.ts';

const NAMED = { way: 'password', username: 'ann', password: 'x' } as const;

/** A sign-in whose provider's word comes when the test gives it. */
function waiting() {
  const request: { readonly what: SignInRequest; readonly auth: Auth }[] = [];
  const clock = new TestClock();
  const { promise, resolve: resolveAuth } = Promise.withResolvers<Auth | null>();
  const signIn = makeSignIn(
    clock,
    (what, auth) => {
      request.push({ what, auth });
      return Promise.resolve({
        ok: false,
        failure: { kind: 'wrong-credentials', message: MESSAGES.wrongCredentials },
      } as const);
    },
    () => promise,
    () => undefined,
  );
  return { asked: request, resolveAuth, signIn };
}

test("AUTH-11: a name and password entered before the provider's directory setting is known wait for it", async () => {
  for (const auth of ['ad', 'db'] as const) {
    const { asked: request, resolveAuth, signIn } = waiting();
    const answer = signIn.go({ ...NAMED, auth: null });
    await Promise.resolve();
    expect(request).toEqual([]);
    resolveAuth(auth);
    expect(await answer).toMatchObject({ failure: { kind: 'wrong-credentials' } });
    expect(request).toEqual([{ what: { ...NAMED, auth }, auth }]);
  }
});

test("AUTH-11: if the provider's setting can't be loaded, no password is reported as wrong; a chosen local sign-in doesn't wait", async () => {
  const { asked: request, resolveAuth, signIn } = waiting();
  const answer = signIn.go({ ...NAMED, auth: null });
  resolveAuth(null);
  expect(await answer).toMatchObject({ failure: { kind: 'no-answer' } });
  expect(request).toEqual([]);
  const own = waiting();
  await own.signIn.go({ ...NAMED, auth: 'db' });
  expect(own.asked).toEqual([{ what: { ...NAMED, auth: 'db' }, auth: 'db' }]);
});
