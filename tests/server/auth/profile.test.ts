import { beforeAll, expect, test } from 'vitest';
import type { OpenSession, Profile } from '#contract/auth/profile-calls.ts';
import { NO_APPLICATIONS } from '#contract/companies/company-fields.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ask, makeFixture, provider, refresh, user } from '../http/fixtures.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { accountApp, posted, recorded, signedIn } from './captured-mail.ts';
import type { In } from './captured-mail.ts';

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
const read = ({ host, token, id }: Pick<Place, 'host' | 'token' | 'id'>, of = id) =>
  ask<Profile>(app, `/api/v1/profile/${of}`, { host, token });
const edit = ({ host, token, id }: Pick<Place, 'host' | 'token' | 'id'>, body: object, of = id) =>
  ask<Profile>(app, `/api/v1/profile/${of}`, { method: 'PUT', host, token, body });
const said = ({ status, body }: Answer): unknown[] => [status, body.error?.kind, body.message];
const NONE = [404, 'not-found', MESSAGES.notFound];

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = accountApp(fixture);
  });

  test("PROFILE-1: users read their own profile in full, and nobody else's", async () => {
    const kate = await place();
    const elsewhere = await place();
    const leo = await user(fixture, kate.tenant, { username: 'leo' });
    const { status, body } = await read(kate);
    expect([status, body.data]).toEqual([
      200,
      {
        id: kate.id,
        name: 'Kate',
        username: 'kate',
        email: 'kate@example.com',
        emailVerified: true,
        emailLinkUntil: null,
        auth: 'db',
        acl: [{ role: 'admin' }],
        accounts: [],
        sso: {},
        managedFilterType: null,
        assignAsConnectWiseOwner: false,
        veeamServiceAccount: null,
        isO365Migrator: false,
        features: [],
        notices: { security: true, reports: true, product: true },
        wizardPromptDismissed: false,
        passwordReset: false,
        forceSecurityQuestions: false,
        theme: {},
        mobilePhone: null,
        officePhone: null,
        serviceProviderId: kate.tenant,
        masterServiceProviderId: null,
        landingApp: null,
        ackO365TermsOfUse: false,
        hasOrganizations: false,
        hasJobs: false,
        notifications: [],
        stripe: null,
        language: null,
        timeZone: null,
        securityQuestions: [],
        passwordAt: null,
      },
    ]);
    for (const id of [leo, elsewhere.id, fixture.context.chance.uuid()]) {
      for (const answer of [await read(kate, id), await edit(kate, { name: 'X' }, id)])
        expect(said(answer)).toEqual(NONE);
      for (const [method, path, sent] of [
        ['GET', 'sessions'],
        ['DELETE', 'sessions/others'],
        ['POST', 'change-password/db', { currentPassword: 'x', newPassword: 'y' }],
        ['POST', 'change-password/ad', { currentPassword: 'x', newPassword: 'y' }],
      ] as const) {
        expect(
          said(
            await ask(app, `/api/v1/profile/${id}/${path}`, {
              method,
              host: kate.host,
              token: kate.token,
              ...(sent ? { body: sent } : {}),
            }),
          ),
        ).toEqual(NONE);
      }
    }
    expect((await read({ ...kate, token: '' })).status).toBe(401);
    expect((await read(kate, kate.id.toUpperCase())).status).toBe(200);
  });

  test('PROFILE-1: the profile says whether there are jobs and organizations in the companies that the user sees', async () => {
    const kate = await place();
    const { tenant } = kate;
    const by = {
      actor: { kind: 'clock' },
      subject: null,
      commandId: null,
      at: fixture.context.clock.now(),
    } as const;
    const made = (n: number, ids: readonly string[]) =>
      fixture.context.store.tenant(tenant, async (tx) => {
        const id = fixture.context.chance.uuid();
        await tx.append(
          [
            {
              event: { type: 'company.created@1', data: { n, id, name: `Company ${n}` } },
              company: n,
              entity: `company:${n}`,
            },
            {
              event: {
                type: 'company.updated@1',
                data: {
                  n,
                  name: `Company ${n}`,
                  // A company that may have organizations has none by that.
                  applications: {
                    ...NO_APPLICATIONS,
                    office365: { enabled: true, organizations: ids.map((own) => ({ id: own })) },
                  },
                  veeamId: null,
                  notify: [],
                },
              },
              company: n,
              entity: `company:${n}`,
            },
          ],
          by,
        );
      });
    await made(1, []);
    expect((await read(kate)).body.data.hasOrganizations).toBe(false);
    await made(2, ['calloway.onmicrosoft.example']);
    expect((await read(kate)).body.data.hasOrganizations).toBe(true);
    for (const [username, companies, has] of [
      ['one', [1], false],
      ['two', [1, 2], true],
      ['none', [], false],
    ] as const) {
      const id = await user(fixture, tenant, { username, roles: ['operator'], companies });
      expect([
        username,
        (await read({ ...kate, ...(await signedIn(app, kate.host, username)), id })).body.data
          .hasOrganizations,
      ]).toEqual([username, has]);
    }
  });

  test('PROFILE-2: only sent fields change, and the log has only field names', async () => {
    const kate = await place();
    const head = await fixture.context.store.tenant(kate.tenant, (tx) => tx.head());
    const first = await edit(kate, {
      name: 'Kate Miller',
      language: 'en-XA',
      timeZone: 'Europe/Berlin',
      notices: { product: false },
      theme: { mode: 'dark', sidebarMini: true },
    });
    expect(first.body.data).toMatchObject({
      name: 'Kate Miller',
      username: 'kate',
      language: 'en-XA',
      timeZone: 'Europe/Berlin',
      notices: { security: true, product: false },
      theme: { mode: 'dark', sidebarMini: true },
    });
    const second = await edit(kate, {
      language: null,
      notices: { reports: false },
      ackO365TermsOfUse: true,
      wizardPromptDismissed: true,
    });
    expect(second.body.data).toMatchObject({
      name: 'Kate Miller',
      language: null,
      notices: { security: true, reports: false, product: false },
      ackO365TermsOfUse: true,
      wizardPromptDismissed: true,
      theme: { mode: 'dark' },
    });
    expect((await read(kate)).body.data).toEqual(second.body.data);
    const events = await fixture.context.store.tenant(kate.tenant, (tx) =>
      tx.eventsAfter(head.seq, 50),
    );
    expect(events.map(({ event }) => event)).toEqual([
      {
        type: 'user.updated@1',
        data: { id: kate.id, fields: ['name', 'language', 'timeZone', 'notices'] },
      },
      {
        type: 'user.preferenceSaved@1',
        data: { id: kate.id, name: 'theme', value: '{"mode":"dark","sidebarMini":true}' },
      },
      {
        type: 'user.updated@1',
        data: {
          id: kate.id,
          fields: ['language', 'notices', 'wizardPromptDismissed', 'ackO365TermsOfUse'],
        },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('Miller');
    const whats = (await recorded(fixture, kate.tenant)).map(({ what }) => what);
    expect([
      whats.filter((what) => what === 'profile.changed').length,
      whats.filter((what) => what === 'terms.accepted').length,
    ]).toEqual([2, 1]);
    const seq = (await fixture.context.store.tenant(kate.tenant, (tx) => tx.head())).seq;
    expect((await edit(kate, { name: 'Kate Miller' })).status).toBe(200); // says what stands
    expect((await fixture.context.store.tenant(kate.tenant, (tx) => tx.head())).seq).toBe(seq);
  });

  test('PROFILE-7: one field of the theme is sent alone and the others stay; an invalid theme is ignored and the rest is applied', async () => {
    const kate = await place();
    const theme = async (sent: unknown): Promise<unknown> =>
      (await edit(kate, { theme: sent })).body.data.theme;
    const head = async (): Promise<number> =>
      (await fixture.context.store.tenant(kate.tenant, (tx) => tx.head())).seq;
    expect(await theme({ mode: 'dark', sidebarColor: '#204060' })).toEqual({
      mode: 'dark',
      sidebarColor: '#204060',
    });
    expect(await theme({ sidebarMini: true })).toEqual({
      mode: 'dark',
      sidebarColor: '#204060',
      sidebarMini: true,
    });
    expect(await theme({ sidebarMini: false })).toEqual({
      mode: 'dark',
      sidebarColor: '#204060',
      sidebarMini: false,
    });
    const stored = { mode: 'light', sidebarColor: '#204060', sidebarMini: false };
    expect(await theme({ mode: 'light' })).toEqual(stored);
    const before = await head();
    for (const wrong of [
      { mode: 'loud' },
      { color: 'x' },
      { sidebarMini: 'yes' },
      null,
      'dark',
      {},
      { mode: 'light' },
    ]) {
      const answer = await edit(kate, { theme: wrong });
      expect([wrong, answer.status, answer.body.data.theme]).toEqual([wrong, 200, stored]);
    }
    expect(await head(), 'nothing was recorded').toBe(before);
    const both = await edit(kate, { name: 'Kate Miller', theme: { mode: 'loud' } });
    expect([both.status, both.body.data.name, both.body.data.theme]).toEqual([
      200,
      'Kate Miller',
      stored,
    ]);
    expect((await read(kate)).body.data.theme).toEqual(stored);
  });

  test('PROFILE-2, G53, LANG-3: fields that others manage, and invalid values, are refused', async () => {
    const kate = await place();
    for (const body of [
      { roles: ['super-admin'] },
      { acl: [] },
      { companies: null },
      { auth: 'ad' },
      { passwordReset: false },
      { password_hash: 'x' },
      { id: '00000000-0000-4000-8000-000000000000' },
      { serviceProviderId: 'x' },
      { sso: {} },
      { landingPage: '/x' },
      { sms: false },
      { name: '' },
      { name: 'a\nb' },
      { name: null },
      { email: 'no' },
      { email: 'a@b.example\nBcc: c@d.example' },
      { mobilePhone: '0170' },
      { mobilePhone: '+1' },
      { timeZone: 'Nowhere/Land' },
      { timeZone: '../etc' },
      ...['english!', 'de', 'EN', 'en-GB', '', 'constructor', '../en', 'en\nX', 0, ['en']].map(
        (language) => ({ language }),
      ),
      { notices: { all: true } },
      { ackO365TermsOfUse: false },
      { username: 'a\u0001b' },
    ])
      expect([body, (await edit(kate, body)).body.error?.kind]).toEqual([body, 'bad-input']);
    expect((await read(kate)).body.data).toMatchObject({ name: 'Kate', acl: [{ role: 'admin' }] });
  });

  test('PROFILE-3, G44: email address, numbers and username change only with a recent factor, and the former address is notified', async () => {
    const kate = await place();
    fixture.pass(LIMITS.freshMs);
    expect((await edit(kate, { email: 'kate@new.example' })).status).toBe(200);
    expect((await posted(fixture, kate.tenant)).map(({ to }) => to).toSorted()).toEqual([
      'kate@example.com',
      'kate@new.example',
    ]);
    fixture.pass(1);
    for (const body of [
      { email: 'other@new.example' },
      { mobilePhone: '+15550100200' },
      { officePhone: '+15550100201' },
      { username: 'katie' },
    ]) {
      expect([body, ...said(await edit(kate, { ...body, name: 'Not taken over' }))]).toEqual([
        body,
        403,
        'reauth_required',
        MESSAGES.reauth,
      ]);
    }
    expect((await read(kate)).body.data).toMatchObject({
      name: 'Kate',
      email: 'kate@new.example',
      mobilePhone: null,
    });
    // no change of the address
    expect((await edit(kate, { email: 'kate@new.example', name: 'Kate M' })).status).toBe(200);
    const again = await signedIn(app, kate.host);
    expect(
      (
        await edit(
          { ...kate, ...again },
          { mobilePhone: '+15550100200', officePhone: '+15550100201', username: 'Katie' },
        )
      ).body.data,
    ).toMatchObject({
      mobilePhone: '+15550100200',
      officePhone: '+15550100201',
      username: 'Katie',
    });
    const mails = (await posted(fixture, kate.tenant)).slice(2);
    expect(mails.map(({ to }) => to)).toEqual(['kate@new.example', 'kate@new.example']);
    expect(JSON.stringify(mails)).not.toContain('5550100');
    expect((await signedIn(app, kate.host, 'KATIE')).id).toBe(kate.id);
  });

  test("PROFILE-3: a username that is taken, in any case, is refused with the catalog's message", async () => {
    const kate = await place();
    await user(fixture, kate.tenant, { username: 'Leo' });
    for (const username of ['leo', 'LEO', ' Leo '])
      expect(said(await edit(kate, { username, name: 'Not taken over' }))).toEqual([
        409,
        'conflict',
        'The username already exists.',
      ]);
    expect((await edit(kate, { username: 'KATE' })).body.data.username).toBe('KATE'); // one's own
    const both = await Promise.all([
      edit(kate, { username: 'nina' }),
      edit({ ...kate, ...(await signedIn(app, kate.host, 'leo')) }, { username: 'Nina' }),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await read(kate)).body.data.name).toBe('Kate');
  });

  test('PROFILE-3: the username of a directory user is managed by the directory', async () => {
    const kate = await place();
    await fixture.context.store.tenant(kate.tenant, ({ sql }) =>
      sql.updateTable('person').set({ auth: 'ad' }).where('tenant_id', '=', kate.tenant).execute(),
    );
    const refused = await edit(kate, { username: 'other' });
    expect([...said(refused), refused.body.error.issues]).toEqual([
      400,
      'bad-input',
      MESSAGES.editProfile,
      [{ path: 'username', message: MESSAGES.nameByDirectory }],
    ]);
  });

  test('PROFILE-5, G40: users see where they are signed in, and end one or all other sessions with a recent factor', async () => {
    const kate = await place();
    fixture.pass(1_000);
    const [second, third] = [await signedIn(app, kate.host), await signedIn(app, kate.host)];
    await user(fixture, kate.tenant, { username: 'leo' });
    const leo = await signedIn(app, kate.host, 'leo');
    const list = (of: In) =>
      ask<OpenSession[]>(app, `/api/v1/profile/${kate.id}/sessions`, {
        host: kate.host,
        token: of.token,
      }).then(({ body }) => body.data);
    const end = (of: In, session: string) =>
      ask<{ ended: number }>(app, `/api/v1/profile/${kate.id}/sessions/${session}`, {
        method: 'DELETE',
        host: kate.host,
        token: of.token,
      });
    const sessions = await list(second);
    expect(sessions.map(({ ip, how, impersonator }) => [ip, how, impersonator])).toEqual(
      Array.from({ length: 3 }, () => ['192.0.2.7', 'password', null]),
    );
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    expect(sessions.at(-1)).toMatchObject({
      beganAt: fixture.context.clock.now() - 1_000,
      seenAt: fixture.context.clock.now() - 1_000,
      until: fixture.context.clock.now() - 1_000 + LIMITS.absoluteMs,
    });
    expect(JSON.stringify(sessions)).not.toContain('hash');
    const mine = (await list(third)).find(({ current }) => current)?.id ?? '';
    expect((await end(second, mine)).body.data).toEqual({ ended: 1 });
    expect(said(await end(second, mine))).toEqual(NONE);
    expect((await read({ ...kate, token: third.token })).status).toBe(401);
    expect((await refresh(app, kate.host, third.cookie)).body.error.kind).toBe('signed-out');
    expect((await end(second, 'others')).body.data).toEqual({ ended: 1 });
    expect((await read(kate)).status).toBe(401);
    expect(await list(second)).toHaveLength(1);
    expect(
      (await ask(app, `/api/v1/profile/${leo.id}`, { host: kate.host, token: leo.token })).status,
    ).toBe(200);
    expect((await end(second, 'all')).body.error.kind).toBe('bad-input');
    fixture.pass(LIMITS.freshMs + 1);
    expect(said(await end(second, 'others'))).toEqual([403, 'reauth_required', MESSAGES.reauth]);
  });
});
