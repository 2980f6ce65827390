import { beforeAll, expect, test } from 'vitest';
import { QUESTIONS } from '#contract/auth/recovery-questions.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Changed, UserDirectory } from '#server/features/auth/directory/directory.ts';
import { ask, login, makeFixture, provider, user } from '../http/fixtures.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import {
  accountApp,
  attemptIn,
  lastCode,
  posted,
  recorded,
  setSettings,
  signedIn,
} from './captured-mail.ts';

const NEW = 'a lamp under seven stones';
const ANSWERS = QUESTIONS.slice(0, 3).map((question, at) => ({
  question,
  answer: `Answer No. ${at}`,
}));
let fixture: Fixture;
let app: App;

interface Place {
  readonly host: string;
  readonly tenant: string;
  readonly id: string;
}
async function place(questions: boolean): Promise<Place> {
  const { host, tenant } = await provider(fixture);
  const id = await user(fixture, tenant);
  if (!questions) return { host, tenant, id };
  await setSettings(fixture, tenant, { securityQuestions: true });
  const { token } = await signedIn(app, host);
  expect(
    (
      await ask(app, `/api/v1/profile/${id}/security-questions`, {
        method: 'PUT',
        host,
        token,
        body: { answers: ANSWERS },
      })
    ).status,
  ).toBe(200);
  return { host, tenant, id };
}
const validate = (host: string, name: string) =>
  ask<{ authType: string; questions: string[] }>(
    app,
    `/api/v1/auth/validate/${encodeURIComponent(name)}`,
    { host },
  );
const answer = (host: string, username: string, answers: unknown = []) =>
  ask<{ until: number }>(app, '/api/v1/auth/validate/secret-questions', {
    method: 'POST',
    host,
    body: { username, answers },
  });
const unlockBy = (host: string, cookie: string | null, code: string, of = app) =>
  ask(of, '/api/v1/profile/unlock', {
    method: 'POST',
    host,
    cookie,
    body: { username: 'whoever', code },
  });
const reset = (host: string, cookie: string | null, code: string, newPassword = NEW, of = app) =>
  ask(of, '/api/v1/profile/reset-password', {
    method: 'POST',
    host,
    cookie,
    body: { code, newPassword },
  });
const said = ({ status, body }: Answer): unknown[] => [status, body.error?.kind, body.message];
const other = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = accountApp(fixture);
  });

  test('RECOVER-1, G36: each username gets its own questions, and an unknown one gets others, the same each time', async () => {
    const { host, tenant } = await place(true);
    expect((await validate(host, ' KATE ')).body.data).toEqual({
      authType: 'db',
      questions: ANSWERS.map(({ question }) => question),
    });
    await user(fixture, tenant, { username: 'leo' }); // has chosen none
    const seen: string[] = [];
    const names = ['nobody', 'someone', 'a.b@example.com', 'leo', 'Zoë', 'x'];
    for (const name of names) {
      const one = (await validate(host, name)).body.data;
      expect(Object.keys(one)).toEqual(['authType', 'questions']);
      expect([one.questions.length, new Set(one.questions).size]).toEqual([3, 3]);
      expect(
        one.questions.filter((question) => !(QUESTIONS as readonly string[]).includes(question)),
      ).toEqual([]);
      expect((await validate(host, name.toUpperCase())).body.data).toEqual(one);
      seen.push(one.questions.join());
    }
    expect(new Set(seen).size).toBeGreaterThan(2);
    const { host: elsewhere } = await place(true);
    const theirs = await Promise.all(names.map((name) => validate(elsewhere, name)));
    expect(theirs.map(({ body }) => body.data.questions.join())).not.toEqual(seen);
    expect((await validate((await place(false)).host, 'kate')).body.data.questions).toEqual([]);
  });

  test("RECOVER-1: only a name that can't be valid is reported as invalid", async () => {
    const { host } = await place(true);
    for (const name of ['x'.repeat(201), ' ', 'a\nb'])
      expect(said(await validate(host, name))).toEqual([
        400,
        'bad-input',
        MESSAGES.invalidUsername,
      ]);
    // A sign that cannot be stored is replaced: what is left is a name like any other, which nobody
    // has.
    expect((await validate(host, '\u0000')).status).toBe(200);
  });

  test('RECOVER-2, G36: wrong answers, too few or too many, and an unknown name get the same answer, and nothing is sent', async () => {
    const { host, tenant } = await place(true);
    const before = (await posted(fixture, tenant)).length;
    const wrong: readonly (readonly [string, unknown])[] = [
      ['kate', []],
      ['kate', ANSWERS.slice(1)],
      ['kate', [...ANSWERS.slice(1), { ...ANSWERS[0], answer: 'other' }]],
      ['kate', [ANSWERS[0], ANSWERS[0], ANSWERS[0]]],
      ['nobody', ANSWERS],
      ['nobody', []],
    ];
    const details = new Set<string>();
    for (const [name, answers] of wrong) {
      fixture.pass(20 * 60_000);
      const { status, text, headers } = await answer(host, name, answers);
      details.add(JSON.stringify([status, text, headers.getSetCookie()]));
    }
    expect([...details]).toEqual([
      JSON.stringify([
        401,
        JSON.stringify({
          success: false,
          message: MESSAGES.invalidAnswers,
          error: { kind: 'wrong-credentials' },
        }),
        [],
      ]),
    ]);
    expect(await posted(fixture, tenant)).toHaveLength(before);
  });

  test('RECOVER-2: right answers open nothing: a code goes to the address on record, valid once, for five minutes, in that browser', async () => {
    const { host, tenant, id } = await place(true);
    const right = await answer(
      host,
      'kate',
      ANSWERS.toReversed().map(({ question, answer: text }) => ({
        question,
        answer: ` ${text.toUpperCase()} `,
      })),
    );
    expect([right.status, right.body.data]).toEqual([
      200,
      { until: fixture.context.clock.now() + LIMITS.codeMs },
    ]);
    const cookie = attemptIn(right);
    const code = await lastCode(fixture, tenant);
    expect(right.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-daybook-attempt=[\w-]{64}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    expect(right.text).not.toContain(code);
    const mail = (await posted(fixture, tenant)).at(-1);
    expect(mail).toMatchObject({ kind: 'mail', to: 'kate@example.com' });
    const stored = await fixture.context.store.tenant(tenant, async ({ sql }) =>
      JSON.stringify([
        await sql.selectFrom('attempt').selectAll().execute(),
        await sql.selectFrom('outgoing').selectAll().execute(),
        await sql.selectFrom('audit').selectAll().execute(),
      ]),
    );
    expect(stored).not.toContain(code);
    expect(fixture.lines.join('\n')).not.toContain(code);
    expect(
      (await recorded(fixture, tenant)).filter(({ what }) => what === 'recovery.began'),
    ).toMatchObject([{ user_id: id }]);

    expect(said(await unlockBy(host, null, code))).toEqual([409, 'conflict', MESSAGES.notUnlocked]);
    const elsewhere = attemptIn(await answer(host, 'kate', ANSWERS));
    expect(said(await unlockBy(host, elsewhere, code))).toEqual([
      401,
      'wrong-credentials',
      MESSAGES.notUnlocked,
    ]);
    const done = await unlockBy(host, cookie, `${code.slice(0, 3)} ${code.slice(3)}`);
    expect([done.status, done.body]).toEqual([200, { success: true, data: {} }]);
    expect(done.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-daybook-attempt=; Max-Age=0;/),
    ]);
    expect(said(await unlockBy(host, cookie, code))).toEqual([
      409,
      'conflict',
      MESSAGES.notUnlocked,
    ]);

    fixture.pass(3_600_000);
    const late = attemptIn(await answer(host, 'kate', ANSWERS));
    const lateCode = await lastCode(fixture, tenant);
    fixture.pass(LIMITS.codeMs);
    expect(said(await unlockBy(host, late, lateCode))).toEqual([
      409,
      'conflict',
      MESSAGES.notUnlocked,
    ]);
  });

  test('RECOVER-2: after five wrong codes the attempt is over, whatever comes then', async () => {
    const { host, tenant } = await place(false);
    const cookie = attemptIn(await answer(host, 'kate'));
    const code = await lastCode(fixture, tenant);
    for (let tried = 0; tried < LIMITS.codeTries; tried += 1)
      expect(said(await reset(host, cookie, other(code)))).toEqual([
        401,
        'wrong-credentials',
        MESSAGES.resetPassword,
      ]);
    expect(said(await reset(host, cookie, code))).toEqual([
      409,
      'conflict',
      MESSAGES.resetPassword,
    ]);
    expect((await login(app, host)).status).toBe(200);
  });

  test('RECOVER-2, G36: without questions an unknown name gets the same answer, and no code of its attempt is right', async () => {
    const { host, tenant } = await place(false);
    const known = await answer(host, 'kate');
    const unknown = await answer(host, 'nobody');
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    expect(attemptIn(unknown)?.length).toBe(attemptIn(known)?.length);
    expect(await posted(fixture, tenant)).toHaveLength(1);
    expect(said(await unlockBy(host, attemptIn(unknown), await lastCode(fixture, tenant)))).toEqual(
      [401, 'wrong-credentials', MESSAGES.notUnlocked],
    );
    expect(said(await answer(host, 'kate', ANSWERS))).toEqual([
      401,
      'wrong-credentials',
      MESSAGES.invalidAnswers,
    ]);
  });

  test('RECOVER-2: the code goes by email if there is an address, so that a phone is never both factors; otherwise to the number', async () => {
    const { host, tenant, id } = await place(false);
    const person = (set: Readonly<Record<string, string | null>>) =>
      fixture.context.store.tenant(tenant, ({ sql }) =>
        sql
          .updateTable('person')
          .set(set)
          .where('tenant_id', '=', tenant)
          .where('id', '=', id)
          .execute(),
      );
    await person({ mobile_phone: '+15550100200' });
    await answer(host, 'kate');
    expect((await posted(fixture, tenant)).at(-1)).toMatchObject({
      kind: 'mail',
      to: 'kate@example.com',
    });
    await person({ email: null });
    fixture.pass(1_000);
    await answer(host, 'kate');
    expect((await posted(fixture, tenant)).at(-1)).toMatchObject({
      kind: 'sms',
      to: '+15550100200',
    });
    fixture.pass(3_600_000);
    // the phone is the second factor: it is not the first as well
    await setSettings(fixture, tenant, { secondFactor: 'sms' });
    expect((await answer(host, 'kate')).status).toBe(200);
    await setSettings(fixture, tenant, {});
    await person({ mobile_phone: null });
    expect((await answer(host, 'kate')).status).toBe(200);
    expect(await posted(fixture, tenant)).toHaveLength(2);
  });

  test('RECOVER-3: a code unlocks an account locked by guessing', async () => {
    const { host, tenant, id } = await place(false);
    for (let tried = 0; tried < 100; tried += 1) {
      fixture.pass(15 * 60_000);
      await login(app, host, 'kate', 'wrong');
    }
    fixture.pass(86_400_000);
    expect((await login(app, host)).body.error.kind).toBe('too-many');
    const cookie = attemptIn(await answer(host, 'kate'));
    const done = await unlockBy(host, cookie, await lastCode(fixture, tenant));
    expect([
      done.status,
      done.headers.getSetCookie().some((one) => one.startsWith('__Host-daybook-refresh=')),
    ]).toEqual([200, false]);
    expect((await login(app, host)).status).toBe(200);
    expect(
      (await recorded(fixture, tenant)).some(
        ({ what, user_id }) => what === 'account.unlocked' && user_id === id,
      ),
    ).toBe(true);
    expect((await posted(fixture, tenant)).at(-1)).toMatchObject({
      to: 'kate@example.com',
      subject: expect.stringContaining('was unlocked') as string,
    });
  });

  test('RECOVER-3, RECOVER-5: a code sets a new password: it signs nobody in, ends every session and sends a notification', async () => {
    const { host, tenant } = await place(false);
    const { token } = await signedIn(app, host);
    const cookie = attemptIn(await answer(host, 'kate'));
    const code = await lastCode(fixture, tenant);
    expect(said(await reset(host, cookie, code, 'too short'))).toEqual([
      400,
      'bad-input',
      MESSAGES.passwordShort({ min: LIMITS.minPasswordChars }),
    ]);
    expect(said(await reset(host, cookie, code, 'passwordpassword'))).toEqual([
      400,
      'bad-input',
      MESSAGES.passwordCommon,
    ]);
    const done = await reset(host, cookie, code);
    expect([
      done.status,
      done.body,
      done.headers.getSetCookie().some((one) => one.startsWith('__Host-daybook-refresh=')),
    ]).toEqual([200, { success: true, data: {} }, false]);
    expect(
      (await ask(app, `/api/v1/auth/logout`, { method: 'POST', host, token, body: {} })).status,
    ).toBe(401);
    expect((await login(app, host)).body.error.kind).toBe('wrong-credentials');
    expect((await login(app, host, 'kate', NEW)).status).toBe(200);
    expect((await posted(fixture, tenant)).at(-1)).toMatchObject({
      to: 'kate@example.com',
      subject: expect.stringContaining('password') as string,
    });
    expect((await recorded(fixture, tenant)).some(({ what }) => what === 'password.reset')).toBe(
      true,
    );
  });

  test('RECOVER-3: of two uses of a code at once, one sets the password', async () => {
    const { host, tenant } = await place(false);
    const cookie = attemptIn(await answer(host, 'kate'));
    const code = await lastCode(fixture, tenant);
    const both = await Promise.all([
      reset(host, cookie, code, `${NEW} one`),
      reset(host, cookie, code, `${NEW} two`),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const right = both[0]?.status === 200 ? 'one' : 'two';
    expect((await login(app, host, 'kate', `${NEW} ${right}`)).status).toBe(200);
  });

  test('RECOVER-3: neither way skips the second factor', async () => {
    const { host, tenant } = await place(false);
    await setSettings(fixture, tenant, { secondFactor: 'strong' });
    const cookie = attemptIn(await answer(host, 'kate'));
    expect((await reset(host, cookie, await lastCode(fixture, tenant))).status).toBe(200);
    const after = await login(app, host, 'kate', NEW);
    expect([
      after.status,
      (after.body.data as unknown as { step: string }).step,
      'token' in after.body.data,
    ]).toEqual([200, 'enrol', false]);
    const devices = (set: number) =>
      fixture.context.store.tenant(tenant, ({ sql }) =>
        sql
          .updateTable('trusted_device')
          .set({ skips_code_until: set })
          .where('tenant_id', '=', tenant)
          .execute(),
      );
    await setSettings(fixture, tenant, {});
    await login(app, host, 'kate', NEW);
    await devices(fixture.context.clock.now() + LIMITS.rememberMs);
    const again = attemptIn(await answer(host, 'kate'));
    fixture.pass(1);
    expect((await reset(host, again, await lastCode(fixture, tenant), `${NEW} again`)).status).toBe(
      200,
    );
    const left = await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .selectFrom('trusted_device')
        .select('skips_code_until')
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    expect(left.map((one) => one.skips_code_until)).toEqual([0]);
  });

  test('RECOVER-3: for a directory user, the directory unlocks and sets the password, by its own rules', async () => {
    const { host, tenant, id } = await place(false);
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ auth: 'ad', password_hash: null })
        .where('id', '=', id)
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    let outcome: Changed = { kind: 'done' };
    const calls: unknown[] = [];
    const directory: UserDirectory = {
      bind: async () => ({ kind: 'wrong' }),
      change: async () => ({ kind: 'unknown' }),
      reset: async (...input) => {
        calls.push(['reset', ...input]);
        return outcome;
      },
      unlock: async (...input) => {
        calls.push(['unlock', ...input]);
        return outcome;
      },
    };
    const withOne = accountApp(fixture, directory);
    const begin = async () => {
      fixture.pass(3_600_000);
      return {
        cookie: attemptIn(await answer(host, 'kate')),
        code: await lastCode(fixture, tenant),
      };
    };
    const first = await begin();
    expect((await unlockBy(host, first.cookie, first.code, withOne)).status).toBe(200);
    const { cookie, code } = await begin();
    outcome = { kind: 'unreachable' };
    expect(said(await reset(host, cookie, code, 'short', withOne))).toEqual([
      503,
      'busy',
      MESSAGES.noDirectory,
    ]);
    outcome = { kind: 'refused', message: 'no' };
    expect(said(await reset(host, cookie, code, 'short', withOne))).toEqual([
      400,
      'bad-input',
      MESSAGES.passwordPolicy,
    ]);
    outcome = { kind: 'done' };
    expect((await reset(host, cookie, code, 'its own rules', withOne)).status).toBe(200);
    expect(calls).toEqual([
      ['unlock', 'kate'],
      ['reset', 'kate', 'short', false],
      ['reset', 'kate', 'short', false],
      ['reset', 'kate', 'its own rules', false],
    ]);
    const without = await begin();
    expect(said(await unlockBy(host, without.cookie, without.code))).toEqual([
      503,
      'busy',
      MESSAGES.noDirectory,
    ]);
  });

  test('RECOVER-6: requests are slowed for each name, known or not, and never blocked', async () => {
    const { host } = await place(false);
    for (const name of ['kate', 'nobody']) {
      const kinds: (string | undefined)[] = [];
      for (let tried = 0; tried < 5; tried += 1)
        kinds.push((await answer(host, name)).body.error?.kind);
      expect([name, kinds]).toEqual([
        name,
        [undefined, undefined, undefined, 'too-many', 'too-many'],
      ]);
      for (let hour = 0; hour < 150; hour += 1) {
        fixture.pass(15 * 60_000);
        expect((await answer(host, name)).status).toBe(200);
      }
      fixture.pass(86_400_000);
    }
    expect((await login(app, host)).status).toBe(200); // sign-ins are counted apart
  });

  test('RECOVER-2, G53: an invalid code and unknown fields are refused before any lookup', async () => {
    const { host } = await place(false);
    for (const code of ['', '12345', '1234567', 'abcdef', '12 34 56'])
      expect((await unlockBy(host, null, code)).body.error.kind).toBe('bad-input');
    expect(
      (
        await ask(app, '/api/v1/profile/reset-password', {
          method: 'POST',
          host,
          body: { code: '123456', newPassword: NEW, userId: 'x' },
        })
      ).body.error.kind,
    ).toBe('bad-input');
    expect(
      (await ask(app, '/api/v1/profile/unlock', { method: 'POST', host, body: {} })).status,
    ).toBe(400);
  });
});
