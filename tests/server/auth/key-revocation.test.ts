import { beforeAll, expect, test, vi } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import type { ApiKey } from '#contract/auth/api-key-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { allHandlers } from '#server/handlers.ts';
import { getApp, ask, makeFixture, user } from '../http/fixtures.ts';
import type { App, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { posted, recorded, signedIn } from './captured-mail.ts';
import { DAY, keysOn, NO_KEY, said } from './key-fixtures.ts';
import type { Place } from './key-fixtures.ts';

let fixture: Fixture;
let app: App;
const { place, secretFor, self } = keysOn(() => ({ ground: fixture, app }));

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = getApp(fixture.context, allHandlers(fixture.context));
  });

  test('KEY-4: a key ends immediately when it is revoked, and on its end date', async () => {
    const at = await place();
    const { secret, key } = await secretFor(at, ['monitoring.daily-checks']);
    const other = await secretFor(at, ['monitoring.daily-checks'], {
      until: fixture.context.clock.now() + DAY,
    });
    expect((await self(at, secret)).status).toBe(200);
    const gone = await ask(app, `/api/v1/profile/${at.id}/api-keys/${key.id}`, {
      method: 'DELETE',
      host: at.host,
      token: at.token,
    });
    expect([gone.status, ...said(await self(at, secret))]).toEqual([200, ...NO_KEY]);
    expect(
      (
        await ask(app, `/api/v1/profile/${at.id}/api-keys/${key.id}`, {
          method: 'DELETE',
          host: at.host,
          token: at.token,
        })
      ).status,
    ).toBe(404);
    expect(
      (await recorded(fixture, at.tenant))
        .filter(({ what }) => what === 'api-key.revoked')
        .map(({ detail }) => detail),
    ).toEqual([{ apiKey: key.id }]);
    expect(
      (await posted(fixture, at.tenant)).some(({ text }) =>
        text.includes('You revoked the API key'),
      ),
    ).toBe(true);
    fixture.pass(DAY - 1);
    expect((await self(at, other.secret)).status).toBe(200);
    fixture.pass(1);
    expect(said(await self(at, other.secret))).toEqual([401, 'expired', MESSAGES.keyExpired]);
  });

  test("KEY-5: keys end with their user, and when an administrator sets the password or resets the factors; the user's own new password keeps them", async () => {
    const at = await place(['admin']);
    const leos = async (username: string) => {
      await user(fixture, at.tenant, {
        username,
        email: `${username}@example.com`,
        roles: ['operator'],
        password: 'a lamp under six stones',
      });
      const leo = { ...at, ...(await signedIn(app, at.host, username, 'a lamp under six stones')) };
      return { leo, ...(await secretFor(leo, ['monitoring.daily-checks'])) };
    };
    const kate = async () => ({ ...at, ...(await signedIn(app, at.host)) });
    for (const [method, path, body] of [
      ['DELETE', ''],
      ['DELETE', 'delete/'],
      ['PUT', '/changePassword/db', { password: 'new words for a lamp' }],
      ['DELETE', '/factors'],
    ] as const) {
      const { leo, secret } = await leos(`u${path.length}`);
      expect((await self(at, secret)).status).toBe(200);
      const admin = await kate();
      const address = path === 'delete/' ? `users/delete/${leo.id}` : `users/${leo.id}${path}`;
      expect([
        path,
        (
          await ask(app, `/api/v1/${address}`, {
            method,
            host: at.host,
            token: admin.token,
            ...(body && { body }),
          })
        ).status,
      ]).toEqual([path, 200]);
      expect([path, ...said(await self(at, secret))]).toEqual([path, ...NO_KEY]);
      expect(
        await fixture.context.store.tenant(at.tenant, ({ sql }) =>
          sql
            .selectFrom('api_key')
            .select('id')
            .where('tenant_id', '=', at.tenant)
            .where('user_id', '=', leo.id)
            .execute(),
        ),
      ).toEqual([]);
    }
    expect(
      (await posted(fixture, at.tenant)).filter(({ text }) =>
        text.includes('we revoked all your API keys'),
      ).length,
    ).toBe(2);
    const lost = await leos('lost');
    expect(
      (
        await ask(app, '/api/v1/profile/forgot-password/email', {
          method: 'POST',
          host: at.host,
          body: { username: 'lost' },
        })
      ).status,
    ).toBe(200);
    const link = /#([\w-]{43})/.exec(
      (await posted(fixture, at.tenant)).findLast(
        ({ to, text }) => to === 'lost@example.com' && text.includes('#'),
      )?.text ?? '',
    )?.[1];
    expect(
      (
        await ask(app, '/api/v1/profile/forgot-password/change', {
          method: 'POST',
          host: at.host,
          body: { hash: link, newPassword: 'eight lamps under a stone' },
        })
      ).text,
    ).toContain('"success":true');
    expect(said(await self(at, lost.secret)), 'a way back in').toEqual(NO_KEY);
    const { leo, secret } = await leos('own');
    expect(
      (
        await ask(app, `/api/v1/profile/${leo.id}/change-password/db`, {
          method: 'POST',
          host: at.host,
          token: leo.token,
          body: {
            currentPassword: 'a lamp under six stones',
            newPassword: 'seven lamps under a stone',
          },
        })
      ).status,
    ).toBe(200);
    expect((await self(at, secret)).status).toBe(200);
  });

  test('KEY-5: an administrator sees and revokes keys of the users they manage, and of nobody else', async () => {
    const at = await place(['admin'], { companies: [1, 2] });
    const elsewhere = await place(['admin']);
    const keep = async (
      username: string,
      companies: readonly number[] | null,
      roles: readonly Role[] = ['operator'],
    ) => {
      const id = await user(fixture, at.tenant, {
        username,
        email: `${username}@example.com`,
        roles: [...roles],
        companies,
      });
      const own = { ...at, ...(await signedIn(app, at.host, username)) };
      return {
        id,
        ...(await secretFor(
          own,
          roles[0] === 'operator' ? ['monitoring.daily-checks'] : ['monitoring.licensing'],
        )),
      };
    };
    const leo = await keep('leo', [1]);
    const all = await keep('all', null);
    const above = await keep('boss', [1], ['super-admin']);
    const list = (id: string, { host, token }: Place = at) =>
      ask<ApiKey[]>(app, `/api/v1/users/${id}/api-keys`, { host, token });
    const end = (id: string, key: string, { host, token }: Place = at) =>
      ask(app, `/api/v1/users/${id}/api-keys/${key}`, { method: 'DELETE', host, token });
    expect((await list(leo.id)).body.data.map(({ id }) => id)).toEqual([leo.key.id]);
    expect([
      (await list(all.id)).status,
      (await list(above.id)).status,
      (await list(leo.id, elsewhere)).status,
      (await end(leo.id, leo.key.id, elsewhere)).status,
      (await end(leo.id, all.key.id)).status,
    ]).toEqual([404, 403, 404, 404, 404]);
    expect((await self(at, leo.secret)).status).toBe(200);
    expect((await end(leo.id, leo.key.id)).status).toBe(200);
    expect(said(await self(at, leo.secret))).toEqual(NO_KEY);
    expect(
      (await posted(fixture, at.tenant)).some(
        ({ to, text }) => to === 'leo@example.com' && text.includes('An administrator revoked'),
      ),
    ).toBe(true);
  });

  test('KEY-5: the keys of a user are listed without the lock of the log, and without a change', async () => {
    const at = await place(['admin']);
    const leo = await user(fixture, at.tenant, { username: 'leo-2', roles: ['operator'] });
    const transactions = vi.spyOn(fixture.context.store, 'tenant');
    const listed = await ask(app, `/api/v1/users/${leo}/api-keys`, {
      host: at.host,
      token: at.token,
    });
    const writing = transactions.mock.calls.filter(([, , how]) => how?.readOnly !== true);
    transactions.mockRestore();
    expect([listed.status, listed.body.data, writing]).toEqual([200, [], []]);
  });
});
