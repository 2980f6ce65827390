import { beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import { fold, memoryRows } from '#contract/fold.ts';
import type { SlaFields } from '#contract/sla/sla.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { ask, makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from './fixtures.ts';
import type { Asker, Office } from './fixtures.ts';
import {
  CLOSED_DAY,
  eventsFrom,
  markersIn,
  onDevice,
  loadPage,
  SEEDED,
  seed,
  throughCalls,
} from './scope-fixtures.ts';
import type { Marker } from './scope-fixtures.ts';

/**
 * The table of section 6 of the specification, copied by hand in its own words. What it calls
 * report pages ("spreadsheet report", "rankings") are pages as well. `sources` is this product's
 * own: connecting a source is an administrator's work.
 */
const SPEC: Readonly<Record<Role, readonly string[]>> = {
  'admin': [
    'dashboard',
    'users',
    'companies',
    'reporting',
    'report-settings',
    'user logs',
    'trends',
    'licensing',
    'hints',
    'invoices',
    'sources',
  ],
  'read-only': [
    'spreadsheet report',
    'overview',
    'tickets',
    'repositories',
    'companies filter',
    'rankings',
    'dashboard',
    'daily checks',
    'calendar report',
    'reporting',
    'report-settings',
  ],
  'operator': [
    'spreadsheet report',
    'overview',
    'tickets',
    'repositories',
    'companies filter',
    'rankings',
    'dashboard',
    'daily checks',
    'calendar report',
    'reporting',
    'report-settings',
    'rules',
    'job actions',
    'trends',
  ],
  'super-admin': [
    'reporting',
    'report-settings',
    'licensing',
    'user logs',
    'trends',
    'admin dashboard',
    'invoices',
    'sources',
  ],
  'o365_admin': ['users'],
  'sub-sp': [],
};

/** Which of the specification's abilities let somebody read what is planted: any one of them. */
const READ_BY: Readonly<Record<Marker, readonly string[]>> = {
  company: [
    'companies',
    'users',
    'dashboard',
    'daily checks',
    'reporting',
    'trends',
    'licensing',
    'invoices',
  ],
  companySettings: ['companies'],
  job: ['dashboard', 'daily checks', 'calendar report', 'rankings', 'spreadsheet report', 'trends'],
  run: ['dashboard', 'daily checks', 'calendar report', 'rankings', 'spreadsheet report', 'trends'],
  runDetail: ['daily checks'],
  note: ['daily checks'],
  comment: ['daily checks'],
  snooze: ['daily checks'],
  view: ['daily checks'],
  shift: ['daily checks'],
  key: ['sources'],
  person: ['daily checks', 'reporting', 'users'],
  preference: [],
  sourceFailure: ['dashboard', 'sources', 'admin dashboard'],
};
/** Named lists and hand-overs are answered by no call but those of sync. */
const ONLY_SYNCED: ReadonlySet<Marker> = new Set(['view', 'shift']);

const ROLES = Object.keys(SPEC) as Role[];
const ROLE_SETS: readonly (readonly Role[])[] = [
  ...ROLES.map((role) => [role]),
  ...ROLES.flatMap((first, i) => ROLES.slice(i + 1).map((second) => [first, second])),
];
const may = (roles: readonly Role[], marker: Marker): boolean =>
  READ_BY[marker].some((ability) => roles.some((role) => SPEC[role].includes(ability)));
const expected = (roles: readonly Role[]): Marker[] =>
  (Object.keys(READ_BY) as Marker[]).filter((marker) => may(roles, marker));

let fixture: Fixture;
const booted = async (who: Asker): Promise<Bootstrap> =>
  (await who<Bootstrap>('GET', 'sync/bootstrap')).body.data;
const loadTags = async (who: Asker): Promise<readonly string[]> =>
  (await booted(who)).days.map(({ tag }) => tag);
const same = (
  made: Iterable<{ readonly n: number }>,
  input: readonly { readonly n: number }[],
): void =>
  expect([...made].toSorted((a, b) => a.n - b.n)).toEqual(input.toSorted((a, b) => a.n - b.n));

const alarm = (recipients: string[]): { readonly alarm: SlaFields } => ({
  alarm: {
    name: 'Of nothing',
    enabled: true,
    job: null,
    group: { companyIds: [], source: [], type: [], entityGroup: [] },
    maxAgeHours: 26,
    minSuccessPct: null,
    windowDays: 7,
    recipients,
  },
});

eachDatabase((kind, open) => {
  let office: Office;
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    office = await anOffice(fixture);
    await seed(office, fixture);
  });

  describe('every role and every pair of roles', () => {
    for (const roles of ROLE_SETS) {
      test(`SYNC-6, G29: ${roles.join(' and ')}: a device gets what calls answer, and nothing that they refuse (${kind})`, async () => {
        const who = await office.as(`m-${roles.join('-')}`, roles);
        const wanted = expected(roles);
        const device = await onDevice(office, who, `m-${roles.join('-')}`);
        expect(markersIn(device.text)).toEqual(wanted);
        const calls = await throughCalls(who);
        expect(markersIn(calls)).toEqual(wanted.filter((marker) => !ONLY_SYNCED.has(marker)));
        // Who may read no result is offered no day of them, and is refused one that it asks for.
        expect([device.start.days.length > 0, device.dayStatus]).toEqual(
          may(roles, 'run') ? [true, 200] : [false, 403],
        );
        expect(device.start.me).toMatchObject({ roles: [...roles] });
        expect(device.start.people.map(({ id }) => id)).toContain(device.start.me.id);
      });

      test(`SYNC-2, SYNC-6: ${roles.join(' and ')}: the events that a user may read make the rows that they may read (${kind})`, async () => {
        const who = await office.as(`f-${roles.join('-')}`, roles);
        const start = await booted(who);
        const rows = memoryRows();
        for (const one of await eventsFrom(who, start.epoch)) fold(rows, one);
        same(rows.company.values(), start.companies);
        same(rows.job.values(), start.jobs);
        same(rows.problem.values(), start.problems);
        same(rows.cause.values(), start.causes);
        expect(new Set([...rows.key.values()].map(({ id }) => id))).toEqual(
          new Set(start.keys.map(({ id }) => id)),
        );
        expect(new Set(rows.view.keys())).toEqual(new Set(start.views.map(({ id }) => id)));
        expect(new Set(rows.shift.keys())).toEqual(new Set(start.shifts.map(({ id }) => id)));
        expect(
          [...rows.user.keys(), ...rows.preference.keys()].filter(
            (id) => !String(id).startsWith(start.me.id),
          ),
        ).toEqual([]);
      });
    }
  });

  test(`SYNC-6: users of daily checks see who did something; others see only their own actions (${kind})`, async () => {
    const actors = async (who: Asker): Promise<Set<string>> =>
      new Set(
        (await eventsFrom(who, (await booted(who)).epoch)).flatMap(({ actor, subject }) => [
          ...(actor.kind === 'user' ? [actor.id] : []),
          ...(subject === null ? [] : [subject]),
        ]),
      );
    const admin = await office.as('doer', ['admin']);
    const own = (await booted(admin)).me.id;
    await admin('POST', 'companies', { name: 'Own action' });
    expect(await actors(admin)).toEqual(new Set([own]));
    expect((await actors(await office.as('looker', ['read-only']))).size).toBeGreaterThan(1);
    expect(JSON.stringify((await booted(admin)).problems)).not.toContain(SEEDED.operator());
  });

  test(`SYNC-6: a user with some companies gets the names of those, whatever the roles; managers of users get those they manage (${kind})`, async () => {
    const names = async (roles: readonly Role[], companies: readonly number[]): Promise<string[]> =>
      (
        await booted(
          await office.as(`c-${roles.join('-')}-${companies.join('-')}`, roles, companies),
        )
      ).people.map(({ name }) => name);
    await office.as('only-two', ['read-only'], [2]);
    const [operator, admin, users, none] = [
      await names(['operator'], [1]),
      await names(['admin'], [1]),
      await names(['o365_admin'], [1]),
      await names(['sub-sp'], [1]),
    ];
    for (const some of [operator, admin, users, none]) expect(some).not.toContain('ONLY-TWO');
    expect(operator).toContain(SEEDED.person);
    // not those who see all companies: it does not manage them
    expect(users.toSorted()).toEqual(['C-ADMIN-1', 'C-O365_ADMIN-1', 'C-OPERATOR-1', 'NAMED-ONE']);
    expect(none).toEqual(['C-SUB-SP-1']);
  });

  test(`SYNC-6, SLA-2: a user without companies gets only their own name, whatever the roles, and can name nobody else (${kind})`, async () => {
    await office.as('wide-one', ['read-only']);
    const wide = (await booted(await office.as('wide-two', ['operator']))).me.id;
    const sla = 'monitoring/reporting/get-all-sla-alarm';
    type Alarms = {
      readonly people: readonly { readonly name: string }[];
      readonly alarms: readonly unknown[];
    };
    for (const role of ROLES) {
      const who = await office.as(`no-${role}`, [role], []);
      const own = `NO-${role.toUpperCase()}`;
      expect((await booted(who)).people.map(({ name }) => name)).toEqual([own]);
      const { status, body } = await who<Alarms>('GET', sla);
      expect(status === 200 ? body.data.people.map(({ name }) => name) : [own]).toEqual([own]);
    }
    const [first, second] = [
      await office.as('none-1', ['read-only', 'operator'], []),
      await office.as('none-2', ['read-only', 'operator'], []),
    ];
    const { id } = (await booted(first)).me;
    const save = async (recipients: string[]): Promise<number> =>
      (await first('POST', 'monitoring/reporting/save-sla-alarm', alarm(recipients))).status;
    expect([await save([id]), await save([wide])]).toEqual([200, 400]);
    const seenBy = async (who: Asker): Promise<number> =>
      (await who<Alarms>('GET', sla)).body.data.alarms.length;
    expect([await seenBy(first), await seenBy(second)]).toEqual([1, 0]);
  });

  test(`SYNC-6, SYNC-13, G33: after a role is removed, an old cursor only gets the signal to reload, and a known day is refused, even a cached one (${kind})`, async () => {
    const who = await office.as('demoted', ['operator']);
    const admin = await office.as('demoter', ['admin', 'super-admin']);
    const before = await booted(who);
    const day = before.days.find((one) => one.day === CLOSED_DAY);
    for (let i = 0; i < 2; i++)
      expect((await loadPage(office, 'demoted', CLOSED_DAY)).status).toBe(200);
    await admin('PUT', `users/${before.me.id}`, { roles: ['o365_admin'] });
    await office.post(1, [failure('after-the-change', '2026-03-02T06:00:00Z')]);
    const page = await who<EventsPage>(
      'GET',
      `sync/events?protocol=2&after=${before.cursor}&epoch=${before.epoch}`,
    );
    expect([page.body.data.events, page.body.data.epoch === before.epoch]).toEqual([[], false]);
    for (const headers of [{}, { 'if-none-match': day?.tag ?? '' }] as Record<string, string>[]) {
      const answer = await loadPage(office, 'demoted', CLOSED_DAY, headers);
      expect([
        answer.status,
        answer.headers.get('etag'),
        (await answer.text()).includes('after-the-change'),
      ]).toEqual([403, null, false]);
    }
    const after = await booted(who);
    expect([
      after.jobs,
      after.problems,
      after.causes,
      after.days,
      after.views,
      after.shifts,
      after.keys,
      after.sources,
    ]).toEqual([[], [], [], [], [], [], [], null]);
    expect(JSON.stringify(await eventsFrom(who, after.epoch))).not.toContain('after-the-change');
    // And back: all of it is there again.
    await admin('PUT', `users/${before.me.id}`, { roles: ['operator'] });
    expect((await booted(who)).jobs.map(({ name }) => name)).toContain('after-the-change');
  });

  test(`SYNC-4, SYNC-6: users with the same access share pages and tags, whatever their roles; another scope has others (${kind})`, async () => {
    const [operator, admin, one] = [
      await office.as('same-1', ['operator']),
      await office.as('same-2', ['admin']),
      await office.as('other-1', ['operator'], [1]),
    ];
    expect(await loadTags(operator)).toEqual(await loadTags(admin));
    expect(await loadTags(one)).not.toEqual(await loadTags(operator));
    const [first, second] = [
      await loadPage(office, 'same-1', CLOSED_DAY),
      await loadPage(office, 'same-2', CLOSED_DAY),
    ];
    expect(new Uint8Array(await first.arrayBuffer())).toEqual(
      new Uint8Array(await second.arrayBuffer()),
    );
  });

  test(`SYNC-6, KEY-2, KEY-3: a key reads events as far as its permissions allow, and nothing personal (${kind})`, async () => {
    const who = await office.as('program', ['operator', 'admin']);
    const { id } = (await booted(who)).me;
    await who('PUT', `profile/${id}/preferences/theme`, {
      value: JSON.stringify({ sidebarColor: 'own preference' }),
    });
    const until = fixture.context.clock.now() + 86_400_000;
    const read = async (abilities: readonly string[]): Promise<string> => {
      const { secret } = (
        await who<{ secret: string }>('POST', `profile/${id}/api-keys`, {
          name: 'k',
          abilities,
          until,
        })
      ).body.data;
      const asKey: Asker = (method, path, body, headers = {}) =>
        ask(office.app, `/api/v1/${path}`, {
          method,
          host: office.host,
          token: secret,
          headers,
          ...(body === undefined ? {} : { body }),
        });
      const { epoch } = (await asKey<EventsPage>('GET', 'sync/events?protocol=2&after=0&epoch='))
        .body.data;
      return JSON.stringify(await eventsFrom(asKey, epoch));
    };
    const narrow = await read(['monitoring.daily-checks']);
    const wide = await read(['monitoring.daily-checks', 'monitoring.sources', 'common.companies']);
    expect(markersIn(narrow)).toEqual([
      'company',
      'job',
      'run',
      'runDetail',
      'note',
      'comment',
      'snooze',
      'view',
      'shift',
    ]);
    expect(markersIn(wide)).toEqual([
      'company',
      'companySettings',
      'job',
      'run',
      'runDetail',
      'note',
      'comment',
      'snooze',
      'view',
      'shift',
      'key',
    ]);
    for (const text of [narrow, wide]) expect(text).not.toMatch(/own preference|"user\./);
  });
});
