import { beforeAll, expect, test } from 'vitest';
import { QUESTIONS } from '#contract/auth/recovery-questions.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Changed, UserDirectory } from '#server/features/auth/directory/directory.ts';
import {
  ask,
  cookieIn,
  login,
  makeFixture,
  PASSWORD,
  provider,
  refresh,
  user,
} from '../http/fixtures.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { accountApp, posted, recorded, signedIn } from './captured-mail.ts';
import type { In } from './captured-mail.ts';

const NEW = 'a lamp under seven stones';
let fixture: Fixture;
let app: App;

interface Place extends In {
  readonly host: string;
  readonly tenant: string;
}
async function place(): Promise<Place> {
  const { host, tenant } = await provider(fixture);
  await user(fixture, tenant);
  return { host, tenant, ...(await signedIn(app, host)) };
}
const change = (
  { host, token, id }: Pick<Place, 'host' | 'token' | 'id'>,
  body: object,
  by: 'ad' | 'db' = 'db',
  of = app,
) => ask(of, `/api/v1/profile/${id}/change-password/${by}`, { method: 'POST', host, token, body });
const said = ({ status, body }: Answer): unknown[] => [status, body.error?.kind, body.message];
const person = (where: Place, set: Readonly<Record<string, string | boolean | null>>) =>
  fixture.context.store.tenant(where.tenant, ({ sql }) =>
    sql
      .updateTable('person')
      .set(set)
      .where('tenant_id', '=', where.tenant)
      .where('id', '=', where.id)
      .execute(),
  );
const alive = async (host: string, id: string, token: string): Promise<string> => {
  const { status, body } = await ask(app, `/api/v1/profile/${id}`, { host, token });
  return status === 200 ? 'in' : `${status} ${body.error.kind}`;
};

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = accountApp(fixture);
  });

  test('PROFILE-4, G33: the current password is needed to set another; all other sessions end and this one continues with new tokens', async () => {
    const kate = await place();
    const other = await signedIn(app, kate.host);
    await person(kate, { password_reset: true });
    expect((await change(kate, { currentPassword: PASSWORD, newPassword: NEW })).body).toEqual({
      success: true,
      data: {},
    });
    expect([
      await alive(kate.host, kate.id, other.token),
      (await refresh(app, kate.host, other.cookie)).body.error.kind,
    ]).toEqual(['401 signed-out', 'signed-out']);
    expect(await alive(kate.host, kate.id, kate.token)).toBe('401 expired');
    const next = await refresh(app, kate.host, kate.cookie);
    expect([
      next.status,
      next.body.data.user.passwordReset,
      cookieIn(next) === kate.cookie,
    ]).toEqual([200, false, false]);
    expect(await alive(kate.host, kate.id, next.body.data.token)).toBe('in');
    expect((await login(app, kate.host)).body.error.kind).toBe('wrong-credentials');
    expect((await login(app, kate.host, 'kate', NEW)).status).toBe(200);
    expect((await posted(fixture, kate.tenant)).at(-1)).toMatchObject({
      kind: 'mail',
      to: 'kate@example.com',
      subject: expect.stringContaining('password') as string,
    });
    expect(
      (await recorded(fixture, kate.tenant)).filter(({ what }) => what === 'password.changed'),
    ).toMatchObject([{ user_id: kate.id, actor_id: kate.id }]);
    const { stored, at } = await fixture.context.store.tenant(kate.tenant, async ({ sql }) => ({
      stored: JSON.stringify([
        await sql.selectFrom('person').selectAll().execute(),
        await sql.selectFrom('event').selectAll().execute(),
        await sql.selectFrom('audit').selectAll().execute(),
      ]),
      at: (
        await sql
          .selectFrom('person')
          .select('password_at')
          .where('id', '=', kate.id)
          .where('tenant_id', '=', kate.tenant)
          .executeTakeFirstOrThrow()
      ).password_at,
    }));
    expect([stored.includes(NEW), fixture.lines.join('\n').includes(NEW), at]).toEqual([
      false,
      false,
      fixture.context.clock.now(),
    ]);
  });

  test("PROFILE-4, G35: a wrong current password is reported with the catalog's message; an invalid new one changes nothing", async () => {
    const kate = await place();
    expect(said(await change(kate, { currentPassword: 'wrong', newPassword: NEW }))).toEqual([
      401,
      'wrong-credentials',
      'The current password is not valid.',
    ]);
    for (const [newPassword, message] of [
      ['short', MESSAGES.passwordShort({ min: 15 })],
      ['passwordpassword', MESSAGES.passwordCommon],
      ['kate under seven stones', MESSAGES.passwordOwnWords],
      [PASSWORD, MESSAGES.passwordSame],
    ] as const) {
      const answer = await change(kate, { currentPassword: PASSWORD, newPassword });
      expect([...said(answer), answer.body.error.issues]).toEqual([
        400,
        'bad-input',
        message,
        [{ path: 'newPassword', message }],
      ]);
    }
    for (const body of [
      {},
      { newPassword: NEW },
      { currentPassword: PASSWORD, newPassword: 'x'.repeat(129) },
      { currentPassword: PASSWORD, newPassword: NEW, username: 'leo' },
    ])
      expect((await change(kate, body)).body.error.kind).toBe('bad-input');
    expect(said(await change(kate, { currentPassword: PASSWORD, newPassword: NEW }, 'ad'))).toEqual(
      [409, 'conflict', 'Sorry, change password failed.'],
    );
    expect((await login(app, kate.host)).status).toBe(200);
  });

  test("PROFILE-4, G37: a stolen session can't guess the current password by trying", async () => {
    const kate = await place();
    let looked = 0;
    for (let tried = 0; tried < 40; tried += 1)
      if (
        (await change(kate, { currentPassword: `guess ${tried}`, newPassword: NEW })).status === 401
      )
        looked += 1;
    expect(looked).toBe(5);
    fixture.pass(60_000);
    expect((await change(kate, { currentPassword: PASSWORD, newPassword: NEW })).status).toBe(200);
    // counted apart from sign-ins
    expect((await login(app, kate.host, 'kate', NEW)).status).toBe(200);
  });

  test('PROFILE-4, G44: a recent second factor is required', async () => {
    const kate = await place();
    fixture.pass(LIMITS.freshMs + 1);
    expect(said(await change(kate, { currentPassword: PASSWORD, newPassword: NEW }))).toEqual([
      403,
      'reauth_required',
      MESSAGES.reauth,
    ]);
    expect(said(await change(kate, { currentPassword: PASSWORD, newPassword: NEW }, 'ad'))).toEqual(
      [403, 'reauth_required', MESSAGES.reauth],
    );
    expect((await login(app, kate.host)).status).toBe(200);
  });

  test('PROFILE-4: a directory password is changed in the directory, by its rules and with its messages', async () => {
    const kate = await place();
    const other = await signedIn(app, kate.host);
    await person(kate, { auth: 'ad', password_hash: null, password_reset: true });
    let outcome: Changed = { kind: 'wrong' };
    const calls: unknown[] = [];
    const directory: UserDirectory = {
      bind: async () => ({ kind: 'wrong' }),
      reset: async () => ({ kind: 'unknown' }),
      unlock: async () => ({ kind: 'unknown' }),
      change: async (...input) => {
        calls.push(input);
        return outcome;
      },
    };
    const withOne = accountApp(fixture, directory);
    const body = { currentPassword: 'old', newPassword: 'new' };
    const expected: readonly (readonly [Changed, readonly unknown[]])[] = [
      [{ kind: 'wrong' }, [401, 'wrong-credentials', 'The current password is not valid.']],
      [
        { kind: 'refused', message: 'The password is too young.' },
        [401, 'wrong-credentials', 'WILL_NOT_PERFORM: The password is too young.'],
      ],
      [{ kind: 'unknown' }, [409, 'conflict', 'Sorry, change password failed.']],
      [{ kind: 'unreachable' }, [503, 'busy', MESSAGES.noDirectory]],
    ];
    for (const [is, details] of expected) {
      outcome = is;
      expect(said(await change(kate, body, 'ad', withOne))).toEqual(details);
    }
    expect(said(await change(kate, body, 'ad'))).toEqual([503, 'busy', MESSAGES.noDirectory]);
    expect(said(await change(kate, body, 'db', withOne))).toEqual([
      409,
      'conflict',
      'Sorry, change password failed.',
    ]);
    expect(await alive(kate.host, kate.id, other.token)).toBe('in');
    outcome = { kind: 'done' };
    expect((await change(kate, body, 'ad', withOne)).status).toBe(200);
    expect(new Set(calls.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(['kate', 'old', 'new'])]),
    );
    expect(await alive(kate.host, kate.id, other.token)).toBe('401 signed-out');
    expect((await refresh(app, kate.host, kate.cookie)).body.data.user.passwordReset).toBe(false);
  });

  test('PROFILE-6: three questions of the catalog, each once, with different answers; answers are stored as hashes, and the questions are shown', async () => {
    const kate = await place();
    await person(kate, { force_questions: true });
    const put = (answers: unknown) =>
      ask(app, `/api/v1/profile/${kate.id}/security-questions`, {
        method: 'PUT',
        host: kate.host,
        token: kate.token,
        body: { answers },
      });
    const good = QUESTIONS.slice(2, 5).map((question, at) => ({
      question,
      answer: `Hidden ${at} word`,
    }));
    const [first, second, third] = good;
    for (const [answers, message] of [
      [[first, first, third], MESSAGES.questionNotValid],
      [[first, second, { question: 'Who?', answer: 'Somebody' }], MESSAGES.questionNotValid],
      [[first, second, { ...third, answer: ' a-b ' }], MESSAGES.answerTooShort],
      [[first, second, { ...third, answer: 'The street' }], MESSAGES.answerTooShort],
      [[first, second, { ...third, answer: 'HIDDEN 0, word' }], MESSAGES.answerTwice],
    ] as const)
      expect(said(await put(answers))).toEqual([400, 'bad-input', message]);
    for (const answers of [
      [],
      good.slice(1),
      [...good, { question: QUESTIONS[0], answer: 'Another' }],
    ])
      expect((await put(answers)).body.error.kind).toBe('bad-input');
    expect((await put(good)).body).toEqual({ success: true, data: {} });
    const { body } = await ask<{ securityQuestions: string[]; forceSecurityQuestions: boolean }>(
      app,
      `/api/v1/profile/${kate.id}`,
      { host: kate.host, token: kate.token },
    );
    expect([body.data.securityQuestions.toSorted(), body.data.forceSecurityQuestions]).toEqual([
      good.map(({ question }) => question).toSorted(),
      false,
    ]);
    const rows = await fixture.context.store.tenant(kate.tenant, ({ sql }) =>
      sql.selectFrom('security_answer').selectAll().where('tenant_id', '=', kate.tenant).execute(),
    );
    expect(rows.every(({ hash }) => hash.startsWith('$argon2id$'))).toBe(true);
    expect(JSON.stringify(rows).toLowerCase()).not.toContain('hidden');
    expect(
      (
        await put(
          QUESTIONS.slice(6, 9).map((question, at) => ({ question, answer: `other ${at}` })),
        )
      ).status,
    ).toBe(200);
    expect(
      await fixture.context.store.tenant(kate.tenant, ({ sql }) =>
        sql
          .selectFrom('security_answer')
          .select('question')
          .where('tenant_id', '=', kate.tenant)
          .execute(),
      ),
    ).toHaveLength(3);
    expect((await posted(fixture, kate.tenant)).at(-1)).toMatchObject({
      subject: expect.stringContaining('security questions') as string,
    });
    fixture.pass(LIMITS.freshMs + 1);
    expect((await put(good)).body.error.kind).toBe('reauth_required');
  });
});
