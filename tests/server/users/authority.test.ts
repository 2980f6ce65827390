import { beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import type { CompanyN } from '#contract/ids.ts';
import { usernameKey } from '#server/platform/auth/usernames.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import {
  administersUsers,
  expectActsAs,
  expectCovers,
  expectCoversCompanies,
  roleSets,
  specAbilities,
} from '../../contract/users/role-table.ts';
import { LONG, thePeople } from './fixtures.ts';
import type { People } from './fixtures.ts';

const SETS = roleSets(1, 2);
type Companies = readonly CompanyN[] | null;
interface Target {
  readonly id: string;
  readonly roles: readonly Role[];
  readonly companies: Companies;
}

let fixture: Fixture;
let people: People;
beforeAll(async () => {
  fixture = await makeFixture();
  people = await thePeople(fixture);
});

/** Users who are only acted on: without a password, so that none has to be hashed. */
async function targets(wanted: readonly Omit<Target, 'id'>[]): Promise<readonly Target[]> {
  const made = wanted.map((one): Target => ({ ...one, id: fixture.context.chance.uuid() }));
  await fixture.context.store.tenant(people.tenant, async (tx) => {
    await tx.append(
      made.map(({ id, roles, companies }) => ({
        event: {
          type: 'user.created@1' as const,
          data: { id, roles: [...roles], companies: companies && [...companies] },
        },
        company: null,
        entity: `user:${id}`,
      })),
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: fixture.context.clock.now() },
    );
    for (const { id } of made) {
      await tx.sql
        .insertInto('person')
        .values({
          tenant_id: tx.tenant,
          id,
          username: id,
          username_key: usernameKey(id),
          name: `Target ${id}`,
          email: `${id}@example.net`,
          password_hash: null,
        })
        .execute();
    }
  });
  return made;
}

let made = 0;
const NEW = (roles: readonly Role[], companies: Companies): object => {
  made += 1;
  return {
    username: `made-${made}`,
    name: 'Made',
    email: `made-${made}@example.net`,
    roles,
    companies,
    auth: 'db',
    invite: true,
  };
};
const ANY = '00000000-0000-4000-8000-000000000000';

/**
 * Each action on a user, as a request. What is allowed may still fail of something else, but
 * neither as forbidden nor as not found in the list of users.
 */
const ACTIONS: Readonly<
  Record<
    string,
    (
      who: Asker,
      of: Target,
    ) => Promise<{ readonly status: number; readonly body: { readonly message: string } }>
  >
> = {
  'edit': (who, { id }) => who('PUT', `users/${id}`, { name: 'Changed' }),
  'set the same roles': (who, { id, roles, companies }) =>
    who('PUT', `users/${id}`, { roles, companies }),
  'change the way in': (who, { id }) =>
    who('PUT', `users/${id}`, { email: `new-${id}@example.net` }),
  'set a password': (who, { id }) =>
    who('PUT', `users/${id}/changePassword/db`, { password: 'short' }),
  'set a password in the directory': (who, { id }) =>
    who('PUT', `users/${id}/changePassword/ad`, { password: LONG }),
  'take second factors away': (who, { id }) => who('DELETE', `users/${id}/factors`),
  'list API keys': (who, { id }) => who('GET', `users/${id}/api-keys`),
  'give an account': (who, { id }) => who('POST', `users/${id}/accounts/a-1`, {}),
  'take an account away': (who, { id }) => who('DELETE', `users/${id}/accounts/a-1`),
  'delete': (who, { id }) => who('DELETE', `users/${id}`),
  'remove for good': (who, { id }) => who('DELETE', `users/delete/${id}`),
};

/** An actor for every set of roles. */
async function actors(
  companies: Companies,
  prefix: string,
  sets = SETS,
): Promise<readonly { readonly roles: readonly Role[]; readonly who: Asker }[]> {
  const found: { roles: readonly Role[]; who: Asker }[] = [];
  for (const roles of sets)
    found.push({ roles, who: await people.as(`${prefix}-${roles.join('-')}`, roles, companies) });
  return found;
}

/** The sets of roles on whose holders a user with the roles `actor` tries every action. */
const targetSets = (actor: readonly Role[]): readonly (readonly Role[])[] =>
  // Who administers no users is stopped before anybody is looked up: single roles are enough there.
  SETS.filter(({ length }) => administersUsers(actor) || length === 1);

describe('of every one or two roles with every one or two, a user acts on exactly those whose permissions they cover', () => {
  for (const actor of SETS)
    test(`USER-3, G29: a user with ${actor.join(' and ')} grants, changes, ends or signs in as these`, async () => {
      const wrong: unknown[] = [];
      let tried = 0;
      const note = (
        what: string,
        target: readonly Role[],
        status: number,
        expected: boolean,
      ): void => {
        tried += 1;
        if ((status !== 403) !== expected) wrong.push([what, target.join('+'), status]);
      };
      const [company] = (await people.root<{ _id: string }[]>('GET', 'companies')).body.data;
      const { _id: companyId } = company ?? { _id: '' };
      const who = await people.as(`actor-${actor.join('-')}`, actor, null);
      const administers = administersUsers(actor);
      const keepsCompanies = actor.some((role) => specAbilities(role).includes('common.companies'));
      const notifies = actor.some((role) => specAbilities(role).includes('admin.dashboard'));
      for (const target of await targets(
        targetSets(actor).map((roles) => ({ roles, companies: null })),
      )) {
        const { id, roles } = target;
        const covers = expectCovers(actor, roles);
        note(
          'sign in as',
          roles,
          (await who('POST', 'auth/login-as', { userId: id, reason: 'ticket 4711' })).status,
          expectActsAs(actor, roles),
        );
        note(
          'send a notice',
          roles,
          (
            await who('POST', 'notifications/publish', {
              app: 'monitoring',
              severity: 'info',
              message: 'Hello',
              userId: id,
            })
          ).status,
          notifies && covers,
        );
        note(
          'notify of a company',
          roles,
          (await who('PUT', `companies/${companyId}`, { notify: [id] })).status,
          keepsCompanies && covers,
        );
        if (keepsCompanies && covers)
          await people.root('PUT', `companies/${companyId}`, { notify: [] });
        note(
          'create',
          roles,
          (await who('POST', 'users', NEW(roles, null))).status,
          administers && covers,
        );
        for (const [what, act] of Object.entries(ACTIONS))
          note(what, roles, (await act(who, target)).status, administers && covers);
      }
      expect(wrong).toEqual([]);
      expect(tried).toBe((administers ? 21 : 6) * 15);
    });

  test('USER-3: these are 21 sets of roles, of which 11 administer users; more than 300 actions are allowed', () => {
    expect([SETS.length, SETS.filter(administersUsers).length]).toEqual([21, 11]);
    const covered = SETS.filter(administersUsers).flatMap((actor) =>
      targetSets(actor).filter((roles) => expectCovers(actor, roles)),
    );
    expect(covered.length * Object.keys(ACTIONS).length).toBeGreaterThan(300);
  });
});

test('USER-3: granting roles to a user needs the same authority over the result', async () => {
  const wrong: unknown[] = [];
  for (const { roles: actor, who } of await actors(null, 'granter', [
    ['admin'],
    ['o365_admin'],
    ['o365_admin', 'operator'],
    ['admin', 'super-admin'],
  ])) {
    const [target] = await targets([{ roles: ['sub-sp'], companies: null }]);
    const [plain] = await targets([{ roles: ['o365_admin'], companies: null }]);
    for (const next of SETS) {
      for (const one of [target, plain]) {
        if (!one || !expectCovers(actor, one.roles)) continue;
        const { status } = await who('PUT', `users/${one.id}`, { roles: next });
        if ((status === 200) !== expectCovers(actor, next) || (status !== 200 && status !== 403))
          wrong.push([actor.join('+'), next.join('+'), status]);
        if (status === 200) await people.root('PUT', `users/${one.id}`, { roles: one.roles });
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("USER-4, G30: a user with some companies manages users of these only, and others answer as if they didn't exist", async () => {
  const wrong: unknown[] = [];
  const scopes: readonly Companies[] = [null, [1], [1, 2]];
  const others: readonly Companies[] = [null, [], [1], [2], [1, 2]];
  for (const own of scopes) {
    const who = await people.as(`scope-${own?.join('-') ?? 'all'}`, ['admin'], own);
    const missing = await who('PUT', `users/${ANY}`, { name: 'x' });
    for (const target of await targets(
      others.map((companies) => ({ roles: ['operator'] as const, companies })),
    )) {
      const covers = expectCoversCompanies(own, target.companies);
      for (const [what, act] of Object.entries(ACTIONS)) {
        const { status, body } = await act(who, target);
        const isMissing = status === 404 && body.message === missing.body.message;
        // An account that was never given is missing too, for those who see the user: it was given
        // just before.
        if (isMissing === covers) wrong.push([what, own, target.companies, status]);
      }
      const entered = await who('POST', 'auth/login-as', {
        userId: (await targets([target]))[0]?.id ?? '',
        reason: 'ticket 4711',
      });
      if ((entered.status === 200) !== covers)
        wrong.push(['sign in as', own, target.companies, entered.status]);
      const created = await who('POST', 'users', NEW(['operator'], target.companies));
      if ((created.status === 200) !== covers)
        wrong.push(['create', own, target.companies, created.status]);
      const [stored] = await targets([{ roles: ['operator'], companies: own ?? [1] }]);
      const widened = await who('PUT', `users/${stored?.id ?? ''}`, {
        companies: target.companies,
      });
      if ((widened.status === 200) !== covers)
        wrong.push(['give companies', own, target.companies, widened.status]);
    }
  }
  expect(wrong).toEqual([]);
});

test('USER-3: an administrator of Microsoft 365 creates no administrator, and so never becomes one', async () => {
  const who = await people.as('m365', ['o365_admin']);
  const root = await people.idOf('root');
  for (const roles of [
    ['admin'],
    ['operator'],
    ['read-only'],
    ['sub-sp'],
    ['super-admin'],
    ['o365_admin', 'admin'],
  ] as const)
    expect([roles, (await who('POST', 'users', NEW(roles, null))).status]).toEqual([roles, 403]);
  expect((await who('POST', 'users', NEW(['o365_admin'], null))).status).toBe(200);
  expect((await who('PUT', `users/${root}/changePassword/db`, { password: LONG })).status).toBe(
    403,
  );
  expect(
    (await who('PUT', `users/${await people.idOf('m365')}`, { roles: ['o365_admin', 'admin'] }))
      .status,
  ).toBe(403);
});

test('PROV-4, USER-3: nobody invites a user with more rights than the inviter may grant, even if the right ends before the link is used', async () => {
  const path = `service-providers/${people.tenant}/invitations`;
  for (const { roles, who } of await actors(null, 'inviter')) {
    const invites =
      (roles.includes('sub-sp') || administersUsers(roles) || roles.includes('super-admin')) &&
      expectCovers(roles, ['read-only']);
    expect([roles, (await who('POST', path, {})).status]).toEqual([roles, invites ? 200 : 403]);
  }
  const late = await people.as('late', ['sub-sp']);
  const {
    body: {
      data: { url },
    },
  } = await late<{ url: string }>('POST', path, {});
  await people.root('PUT', `users/${await people.idOf('late')}`, { roles: ['o365_admin'] });
  const accepted = await late('POST', 'auth/invitation', {
    token: url.split('#')[1] ?? '',
    username: 'newcomer',
    name: 'New',
    password: LONG,
  });
  expect(accepted.status).toBe(404);
});

test('REPORT-2: reports of others are seen, changed, sent and removed by users with authority over their owner', async () => {
  const setting = {
    name: 'Week',
    template: 'calendarReportFull',
    companies: [1],
    period: 'last-7',
    schedule: { every: 'week', weekday: 1, at: '08:00', timeZone: 'Europe/Berlin' },
    recipients: ['a@example.net'],
    format: 'csv',
    language: 'en-US',
    enabled: true,
  };
  const able = SETS.filter(
    (roles) =>
      roles.some((role) => specAbilities(role).includes('monitoring.report-settings')) &&
      (roles.length === 1 || roles.includes('admin')),
  );
  const everybody = await actors(null, 'reporter', able);
  const reports: { readonly owner: readonly Role[]; readonly id: string }[] = [];
  for (const { roles, who } of everybody)
    reports.push({
      owner: roles,
      id: ((answer) => {
        const { _id: id } = answer.body.data;
        return id;
      })(await who<{ _id: string }>('POST', 'monitoring/reporting/reports/settings', { setting })),
    });
  const wrong: unknown[] = [];
  for (const { roles, who } of everybody) {
    const listed = (
      await who<{ settings: { _id: string }[] }>('GET', 'monitoring/reporting/reports/settings')
    ).body.data.settings.map(({ _id }) => _id);
    for (const { owner, id } of reports) {
      const covers = owner === roles || expectCovers(roles, owner);
      const { status } = await who('PUT', `monitoring/reporting/reports/settings/${id}`, {
        setting,
      });
      if (listed.includes(id) !== covers || status !== (covers ? 200 : 404))
        wrong.push([roles.join('+'), owner.join('+'), listed.includes(id), status]);
      if (covers) continue;
      for (const [method, path, body] of [
        ['DELETE', `monitoring/reporting/reports/settings/${id}`],
        ['POST', 'monitoring/reporting/reports/send', { reportSettingId: id }],
      ] as const) {
        const refused = await who(method, path, body);
        if (refused.status !== 404)
          wrong.push([method, roles.join('+'), owner.join('+'), refused.status]);
      }
    }
  }
  expect(wrong).toEqual([]);
});
