/**
 * The field names of the specification (sections 3 and 7), typed by hand: a client that was written
 * by the document finds each of them. A server listens on a port and holds data in which every
 * field has a value.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aPortal, faultsOf } from './documented.ts';
import type { Fields, Person, Portal, Shape } from './documented.ts';
import { makeGround } from './ground.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RUNS = 'monitoring/backoffice/jobExecutions';
const JOBS = 'monitoring/backoffice/jobs';
const COMPUTERS = 'monitoring/backoffice/computers';
const TICKETS = 'monitoring/backoffice/tickets';
type Row = Readonly<Record<string, unknown>>;
let portal: Portal;
let ask: Person;
let signedIn: unknown;
let kate: string;
let mae: string;

const now = (): number => portal.ground.world.clock.now();
const iso = (ms: number): string => new Date(ms).toISOString();
const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError(`not a text: ${JSON.stringify(value)}`);
  return value;
};
const named = (of: unknown, name: string): string => text((of as Row)[name]);
async function good<T = Row>(method: string, path: string, body?: unknown): Promise<T> {
  const { status, success, data, text: got } = await ask(method, path, body);
  if (status !== 200 || !success) throw new Error(`${method} ${path}: ${status} ${got}`);
  return data as T;
}
const list = async (path: string): Promise<readonly Row[]> => {
  const got = await good<{ rows: readonly Row[] } | readonly Row[]>('GET', path);
  return 'rows' in got ? got.rows : got;
};
const resultOf = async (job: string): Promise<Row> =>
  (await list('monitoring/reporting/jobs?pageSize=100')).find(({ jobName }) => jobName === job) ??
  {};
const faults = async (path: string, shape: Shape): Promise<readonly string[]> =>
  faultsOf([await good('GET', path)], shape);

const page = (row: Fields): Fields => ({ rows: [row], count: 'number' });
const SSO: Fields = {
  vac: { username: 'text', enabled: 'flag' },
  vcd: { username: 'text', enabled: 'flag' },
  zerto: { zorgId: 'text', enabled: 'flag' },
};
const NOTIFICATION: Fields = {
  _id: 'text',
  app: 'text',
  severity: 'text',
  message: 'text',
  link: 'text',
  copy: 'flag',
  event: 'text',
  hideAck: 'flag',
  hideClose: 'flag',
  userId: 'text',
};
const EXECUTION: Fields = {
  _id: 'text',
  mongo_id: 'text',
  jobInstanceUid: 'text',
  note: { content: 'text' },
  ignoredUntil: 'moment',
  status: 'text',
  startTime: 'moment',
  endTime: 'moment',
};
const SEEN = { id: 'text' } as const;
const TICKET: Fields = { _id: 'text', applications: { vac: SEEN, vcd: SEEN, zerto: SEEN } };
const COMPANY: Fields = {
  _id: 'text',
  name: 'text',
  veeamId: 'text',
  users: [{ _id: 'text', name: 'text' }],
  applications: {
    vac: SEEN,
    vcd: SEEN,
    zerto: SEEN,
    office365: { enabled: 'flag', organizations: [SEEN] },
  },
};
const USER: Fields = {
  _id: 'text',
  name: 'text',
  username: 'text',
  email: 'text',
  roles: 'text',
  acl: [{ role: 'text' }],
  sso: SSO,
  companies: [{ _id: 'text', name: 'text' }],
  accounts: [{ accountId: 'text' }],
  deleted: 'flag',
  mobilePhone: 'text',
  officePhone: 'text',
  managedFilterType: 'text',
  assignAsConnectWiseOwner: 'flag',
  forceSecurityQuestions: 'flag',
  veeamServiceAccount: 'text',
  isO365Migrator: 'flag',
  features: ['text'],
};
const COMPUTER: Fields = {
  _id: 'text',
  hostName: 'text',
  note: { content: 'text' },
  ignoredUntil: 'moment',
  lastSeenAt: 'moment',
};
const MISSED: Fields = {
  _id: 'text',
  mongo_id: 'text',
  jobInstanceUid: 'text',
  jobName: 'text',
  companyName: 'text',
  since: 'moment',
  expectedAt: 'moment',
  nextRun: 'moment',
  ignoredUntil: 'moment',
  note: { content: 'text' },
};
const SLA: Fields = { id: 'text', jobInstanceUid: 'text', maxAgeHours: 'number', enabled: 'flag' };

const APPLICATIONS = {
  vac: { id: 'vac-1' },
  vcd: { id: 'vcd-1' },
  zerto: { id: 'zerto-1' },
  office365: { enabled: true, organizations: [{ id: 'calloway.onmicrosoft.example' }] },
};
const LOGINS = {
  vac: { username: 'mae-vac', enabled: true },
  vcd: { username: 'mae-vcd', enabled: true },
  zerto: { zorgId: 'zorg-1', enabled: true },
};
const nightly = { is: 'cron', cron: '0 2 * * *', tz: 'UTC' };
const EVERYTHING = { companyIds: [], source: [], type: [], entityGroup: [] };
const ran = (job: string, at: number, more: object = {}): object => ({
  job,
  computer: `${job}-pc`,
  status: 'Success',
  startTime: iso(at),
  endTime: iso(at + 60_000),
  bytesTransferred: 1_000,
  ...more,
});

/** What sources report, over two days. */
async function report(): Promise<void> {
  const { secret } = await good<{ secret: string }>('POST', 'monitoring/sources', {
    name: 'Scripts',
    companyN: 1,
    tool: 'api',
  });
  const post = (what: string, body: unknown, status?: number): Promise<void> =>
    portal.report(secret, what, body, status);
  const two = now() - 5.5 * HOUR; // 02:00
  await post('executions', [
    ran('nightly', two, { schedule: nightly }),
    ran('off', two, { enabled: false }),
  ]);
  for (let day = 8; day > 0; day -= 1)
    await post('repositories', [
      {
        name: 'Vault',
        uid: 'vault',
        type: 'NFS',
        hostName: 'nas',
        path: '/vault',
        capacityBytes: 1_000,
        usedBytes: 500 - 10 * day,
        freeBytes: 500 + 10 * day,
        at: iso(now() - day * DAY),
      },
    ]);
  await portal.tick();
  portal.ground.pass(DAY);
  await portal.tick();
  await post(
    'executions',
    ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map((job) =>
      ran(job, now() - HOUR, {
        status: 'Failed',
        message: `Unable to connect to ${job}.example.net`,
      }),
    ),
  );
  await post('computers', [
    { hostName: 'spare', os: 'Debian 13', osType: 'Linux', ipAddresses: ['192.0.2.1'] },
  ]);
  portal.ground.pass(1_000);
  await post('executions', { job: '' }, 400);
}

beforeAll(async () => {
  portal = await aPortal(await makeGround());
  kate = await portal.join('kate', ['admin', 'operator', 'super-admin', 'o365_admin']);
  ({ ask } = await portal.enter('kate'));
  await report();
  ({ ask, signedIn } = await portal.enter('kate'));
  const [company] = await list('companies');
  await good('PUT', `companies/${named(company, '_id')}`, {
    veeamId: 'veeam-1',
    applications: APPLICATIONS,
    notify: [kate],
  });
  const made = await good('POST', 'users', {
    username: 'mae',
    name: 'Mae',
    email: 'mae@example.com',
    roles: ['operator', 'read-only'],
    companies: [1],
    auth: 'db',
    password: 'seven quiet lighthouses',
  });
  mae = named(made, '_id');
  const settings = {
    sso: LOGINS,
    mobilePhone: '+15550100200',
    officePhone: '+15550100201',
    managedFilterType: 'managed',
    assignAsConnectWiseOwner: true,
    veeamServiceAccount: 'svc-veeam',
    isO365Migrator: true,
    features: ['beta'],
    landingPage: '/o365/jobs',
  };
  await good('PUT', `users/${mae}`, settings);
  await good('PUT', `users/${kate}`, settings);
  for (const id of [mae, kate])
    await good('POST', `users/${id}/accounts/account-1`, { name: 'Calloway' });
  for (const userId of [kate, null])
    await good('POST', 'notifications/publish', {
      app: 'monitoring',
      severity: 'info',
      message: 'Maintenance tonight',
      link: 'https://status.example.com',
      copy: true,
      event: 'maintenance',
      userId,
    });
}, 180_000);
afterAll(() => portal.server.stop(0));

test('ROW-1: the sign-in answers with the token and the fields of the user, the profile with all of them', async () => {
  expect(faultsOf([signedIn], { token: 'text', userId: 'text' })).toEqual([]);
  expect(await faults('app/get_ip_location', { country: 'null' })).toEqual([]);
  await good('PUT', `profile/${kate}`, {
    theme: { mode: 'dark', sidebarMini: true, sidebarColor: 'blue' },
    ackO365TermsOfUse: true,
    wizardPromptDismissed: true,
  });
  expect(
    await faults(`profile/${kate}`, {
      id: 'text',
      name: 'text',
      email: 'text',
      username: 'text',
      accounts: [{ accountId: 'text' }],
      acl: [{ role: 'text' }],
      passwordReset: 'flag',
      veeamServiceAccount: 'text',
      theme: { mode: 'text', sidebarMini: 'flag', sidebarColor: 'text' },
      sso: SSO,
      forceSecurityQuestions: 'flag',
      mobilePhone: 'text',
      officePhone: 'text',
      managedFilterType: 'text',
      assignAsConnectWiseOwner: 'flag',
      serviceProviderId: 'text',
      isO365Migrator: 'flag',
      features: ['text'],
      landingApp: { page: 'text' },
      ackO365TermsOfUse: 'flag',
      hasOrganizations: 'flag',
      hasJobs: 'flag',
      wizardPromptDismissed: 'flag',
      notifications: [NOTIFICATION],
      stripe: 'null',
      masterServiceProviderId: 'text',
    }),
  ).toEqual([]);
  expect(await good('GET', `profile/${kate}`)).toMatchObject({
    hasOrganizations: true,
    hasJobs: true,
    ackO365TermsOfUse: true,
    wizardPromptDismissed: true,
    landingApp: { page: '/o365/jobs' },
    sso: LOGINS,
  });
});

test('ROW-1, PROFILE-7: a theme that is sent in part joins the stored one', async () => {
  await good('PUT', `profile/${kate}`, {
    theme: { mode: 'dark', sidebarMini: true, sidebarColor: 'blue' },
  });
  expect(await good('PUT', `profile/${kate}`, { theme: { sidebarMini: false } })).toMatchObject({
    theme: { mode: 'dark', sidebarMini: false, sidebarColor: 'blue' },
  });
  expect(await good('PUT', `profile/${kate}`, { theme: { mode: 'light' } })).toMatchObject({
    theme: { mode: 'light', sidebarMini: false, sidebarColor: 'blue' },
  });
});

test('ROW-1: the branding has the documented fields and switches', async () => {
  await good('PUT', `service-providers/${portal.tenant}/branding`, {
    title: 'Calloway',
    favIconUrl: '/favicon.svg',
    sidebarLogoUrl: 'https://cdn.example.com/logo.svg',
    sidebarLogoWidth: 120,
    sidebarLogoHeight: 30,
    sidebarTitle: 'Portal',
    supportEmail: 'help@example.com',
    supportPhone: '+1 555 0100',
    features: {
      ...(await good<{ features: Row }>('GET', 'service-providers/branding')).features,
      socialMedia: { links: [{ platform: 'github', link: 'https://social.example.com' }] },
      supportSection: {
        enabled: true,
        links: {
          request: true,
          live: false,
          downloads: true,
          faq: { enabled: true, url: 'https://faq.example.com' },
        },
      },
      office365: {
        selfRegistration: {
          termsOfUse: { title: 'Terms', text: 'Be kind.', version: '1' },
          serviceLevels: [{ id: 'basic', label: 'Basic' }],
        },
        restoreUrl: 'https://restore.example.com',
        restorePortal: { outlook: true, onedrive: true, sharepoint: false, teams: false },
      },
    },
  });
  expect(
    await faults('service-providers/branding', {
      id: 'text',
      name: 'text',
      title: 'text',
      favIconUrl: 'text',
      apiUrl: 'text',
      domain: 'text',
      sidebarLogoUrl: 'text',
      sidebarLogoWidth: 'number',
      sidebarLogoHeight: 'number',
      sidebarTitle: 'text',
      supportEmail: 'text',
      supportPhone: 'text',
      authType: 'text',
      isStripeEnabled: 'flag',
      features: {
        rules: 'flag',
        hints: 'flag',
        reporting: { visibleFor: ['text'] },
        footer: 'flag',
        socialMedia: { links: [{ platform: 'text', link: 'text' }] },
        supportSection: {
          enabled: 'flag',
          links: {
            request: 'flag',
            live: 'flag',
            downloads: 'flag',
            faq: { enabled: 'flag', url: 'text' },
          },
        },
        invoice_automation: 'flag',
        billing: { ccCollection: 'flag' },
        office365: {
          selfRegistration: {
            termsOfUse: { title: 'text' },
            serviceLevels: [{ id: 'text', label: 'text' }],
          },
          restoreUrl: 'text',
          restorePortal: { outlook: 'flag', onedrive: 'flag', sharepoint: 'flag', teams: 'flag' },
        },
      },
    }),
  ).toEqual([]);
});

test('ROW-1: the last sync names the entity of each failure', async () => {
  expect(await faults('sync/last-sync', { status: 'text', failed: [{ entity: 'text' }] })).toEqual(
    [],
  );
});

test('ROW-1, NOTE-1, NOTE-2: notifications are read with `success` and `data`, and acknowledged by their id', async () => {
  const made = await good('POST', 'notifications/publish', {
    app: 'monitoring',
    severity: 'info',
    message: 'Update tonight',
    link: '/monitoring/hints',
    event: 'update',
    userId: kate,
  });
  const { success, data } = await ask('POST', 'notifications', { userId: kate });
  expect([success, faultsOf([data], [NOTIFICATION])]).toEqual([true, []]);
  const all = data as readonly Row[];
  const notificationId = named(made, '_id');
  expect(
    (
      await ask('POST', 'notifications/ack', {
        notificationId,
        userId: kate,
        event: 'update',
        username: 'kate',
      })
    ).success,
  ).toBe(true);
  const left = await good<readonly Row[]>('POST', 'notifications', { userId: kate });
  const { notifications } = await good('GET', `profile/${kate}`);
  expect([left.length, notifications]).toEqual([all.length - 1, left]);
  expect(faultsOf([await good('GET', 'notifications/published')], [NOTIFICATION])).toEqual([]);
});

test('ROW-1, ROW-2, RUN-13: results have the documented fields, and each call takes the ids that lists give', async () => {
  const [one, two] = [await resultOf('one'), await resultOf('two')];
  await good('PUT', `${RUNS}/${named(one, '_id')}`, {
    note: 'Disk is ordered',
    ignoredUntil: iso(now() + DAY),
  });
  expect(faultsOf([await good('GET', `${RUNS}/${named(one, 'mongo_id')}`)], EXECUTION)).toEqual([]);
  await good('PUT', `${RUNS}/${named(two, 'mongo_id')}`, {
    note: { content: 'Call the customer' },
  });
  expect(await resultOf('two')).toMatchObject({
    note: { content: 'Call the customer' },
    ignoredUntil: null,
  });
  expect(await faults('monitoring/reporting/jobs?pageSize=100', page(EXECUTION))).toEqual([]);
  for (const id of ['_id', 'mongo_id'])
    expect(
      await good('POST', `${RUNS}/bulk`, {
        ids: [named(await resultOf('three'), id), named(await resultOf('four'), id)],
        note: `By ${id}`,
      }),
    ).toMatchObject({ accepted: 2, refused: [] });
  expect(
    await faults(
      'monitoring/reporting/jobs-name',
      page({ jobInstanceUid: 'text', jobName: 'text', companyName: 'text' }),
    ),
  ).toEqual([]);
  for (const ranking of ['failures', 'duration', 'transferred'])
    expect([
      ranking,
      await faults(`monitoring/reporting/jobs/ranking/${ranking}`, [
        {
          jobInstanceUid: 'text',
          jobName: 'text',
          companyName: 'text',
          value: 'number',
          executions: 'number',
        },
      ]),
    ]).toEqual([ranking, []]);
});

test('ROW-1, ROW-2: jobs that did not run and disabled jobs have the documented fields, and are ignored by their uid', async () => {
  const path = 'monitoring/reporting/jobs/didnt-run';
  const [missed] = await list(path);
  const uid = encodeURIComponent(named(missed, 'jobInstanceUid'));
  expect(missed).toMatchObject({ jobName: 'nightly', nextRun: expect.any(String) });
  await good('PUT', `${RUNS}/${named(missed, 'mongo_id')}`, { note: 'The host moves' });
  await good('POST', `${JOBS}/didnt-run/${uid}/ignore`, { ignoredUntil: iso(now() + DAY) });
  expect(await faults(path, page(MISSED))).toEqual([]);
  await good('DELETE', `${JOBS}/didnt-run/${uid}/ignore`);
  expect(await list(path)).toMatchObject([
    { ignoredUntil: null, nextRun: expect.stringMatching(/T02:00:00\.000Z$/) },
  ]);
  expect(
    (
      await ask('POST', `${RUNS}/bulk`, {
        ids: [named(missed, '_id'), named(missed, 'mongo_id')],
        change: { is: 'review', comment: null },
      })
    ).success,
  ).toBe(true);

  const off = `${path}?scheduleState=Disabled`;
  const [disabled] = await list(off);
  const its = encodeURIComponent(named(disabled, 'jobInstanceUid'));
  await good('POST', `${JOBS}/disabled/${its}/ignore`, {});
  expect(await list(off)).toMatchObject([
    {
      jobName: 'off',
      _id: null,
      mongo_id: null,
      nextRun: null,
      ignored: true,
      scheduleState: 'Disabled',
    },
  ]);
  await good('DELETE', `${JOBS}/disabled/${its}/ignore`);
  expect(await list(off)).toMatchObject([{ ignored: false }]);
});

test('ROW-1, ROW-2: discovered computers have the documented fields, and are noted and ignored by their id', async () => {
  for (const path of [
    'monitoring/reporting/discovery/computers',
    'monitoring/reporting/discovery/computers/current',
  ]) {
    const [computer] = await list(path);
    const id = encodeURIComponent(named(computer, '_id'));
    await good('POST', `${COMPUTERS}/${id}/note`, { note: 'Retired' });
    await good('POST', `${COMPUTERS}/${id}/ignore`, { ignoredUntil: iso(now() + DAY) });
    expect(await faults(path, [COMPUTER])).toEqual([]);
    await good('DELETE', `${COMPUTERS}/${id}/ignore`);
    expect(await list(path)).toMatchObject([
      { ignored: null, ignoredUntil: null, lastSeenAt: expect.any(String) },
    ]);
  }
});

test('ROW-1, ROW-2: repositories, their trend and their history have ids, and a history is found by its id', async () => {
  const paths = ['', '/trend', '/history'].map(
    (path) => `monitoring/reporting/repositories${path}`,
  );
  for (const path of paths)
    expect([
      path,
      faultsOf([await list(path)], [{ _id: 'text', name: 'text', companyName: 'text' }]),
    ]).toEqual([path, []]);
  const [repository] = await list(paths[0] ?? '');
  expect(
    await list(
      `monitoring/reporting/repositories/history?repositoryId=${encodeURIComponent(named(repository, '_id'))}`,
    ),
  ).toHaveLength(1);
});

test('ROW-1, ROW-2: SLA alarms have `id` and `jobInstanceUid`, are found by their job, and are changed and removed by their id', async () => {
  const uid = named((await list('monitoring/reporting/jobs-name'))[0], 'jobInstanceUid');
  const all = 'monitoring/reporting/get-all-sla-alarm';
  const alarm = {
    name: 'Daily',
    enabled: true,
    job: { jobInstanceUid: uid, key: null },
    group: null,
    maxAgeHours: 26,
    minSuccessPct: null,
    windowDays: 7,
    recipients: [],
  };
  const made = await good('POST', 'monitoring/reporting/save-sla-alarm', { alarm });
  await good('POST', 'monitoring/reporting/save-sla-alarm', {
    alarm: { ...alarm, job: null, group: EVERYTHING },
  });
  expect(await faults(all, { alarms: [SLA] })).toEqual([]);
  const own = (
    await good<{ alarms: readonly Row[] }>(
      'GET',
      `monitoring/reporting/get-sla-alarm/${encodeURIComponent(uid)}`,
    )
  ).alarms;
  expect(own.find(({ id }) => id === named(made, 'id'))).toMatchObject({
    jobInstanceUid: uid,
    maxAgeHours: 26,
  });
  for (const { id } of own) {
    await good('PUT', `monitoring/reporting/save-sla-alarm/${text(id)}`, {
      alarm: { ...alarm, maxAgeHours: 30 },
    });
    await good('DELETE', `monitoring/reporting/remove-sla-alarm/${text(id)}`);
  }
  expect(await good('GET', all)).toMatchObject({ alarms: [] });
});

test('ROW-1, ROW-2: rules, hints and report settings have `_id`, and are changed, sent and removed by it; templates have their names', async () => {
  const range = { least: null, most: null };
  const when = {
    sources: [],
    types: [],
    states: ['Failed'],
    companies: [],
    job: '',
    computer: '',
    text: '',
    duration: range,
    bytes: range,
    streak: range,
    time: null,
  };
  const rule = {
    name: 'Known',
    enabled: true,
    from: null,
    to: null,
    when,
    does: { exception: true, snoozeHours: null, note: null, ticket: null, hint: null, notify: [] },
  };
  const rules = 'monitoring/backoffice/rules';
  await good('POST', rules, { rule });
  const hint = {
    name: 'Free the disk',
    when: { text: 'no space', kinds: [], sources: [] },
    says: 'The target is full.',
    steps: ['Prune'],
    links: [],
    inside: false,
  };
  const hints = 'monitoring/backoffice/hints';
  await good('POST', hints, { hint });
  const setting = {
    name: 'Weekly',
    template: 'detailReport',
    companies: [],
    period: 'last-7',
    schedule: { every: 'day', at: '08:00', timeZone: 'UTC' },
    recipients: ['kate@example.com'],
    format: 'csv',
    language: 'en-US',
    enabled: true,
  };
  const settings = 'monitoring/reporting/reports/settings';
  await good('POST', settings, { setting });
  expect(await faults(rules, { rules: [{ _id: 'text', name: 'text' }] })).toEqual([]);
  expect(await faults(hints, { hints: [{ _id: 'text', name: 'text' }], count: 'number' })).toEqual(
    [],
  );
  expect(
    await faults(settings, { settings: [{ _id: 'text', name: 'text', template: 'text' }] }),
  ).toEqual([]);
  expect(
    await faults('monitoring/reporting/reports/enabled', [
      { key: 'text', prettyName: 'text', description: 'text', templateName: 'text' },
    ]),
  ).toEqual([]);
  const idIn = async (path: string, within: string): Promise<string> =>
    named((await good<Readonly<Record<string, readonly Row[]>>>('GET', path))[within]?.[0], '_id');
  const [ruleId, hintId, settingId] = [
    await idIn(rules, 'rules'),
    await idIn(hints, 'hints'),
    await idIn(settings, 'settings'),
  ];
  await good('PUT', rules, { id: ruleId, rule: { ...rule, name: 'Known since May' } });
  await good('PUT', `${hints}/${hintId}`, { hint: { ...hint, name: 'Clean up' } });
  await good('PUT', `${settings}/${settingId}`, { setting: { ...setting, name: 'Daily' } });
  await good('POST', 'monitoring/reporting/reports/send', { reportSettingId: settingId });
  for (const path of [`${rules}/${ruleId}`, `${hints}/${hintId}`, `${settings}/${settingId}`])
    await good('DELETE', path);
  expect(await good('GET', hints)).toMatchObject({ hints: [], count: 0 });
});

test('ROW-1, ROW-2: each answer with a ticket has `_id` and the ids of its company in other systems, and takes the ids of lists', async () => {
  const [first, second] = [
    named(await resultOf('five'), '_id'),
    named(await resultOf('six'), 'mongo_id'),
  ];
  const made = [
    await good('POST', TICKETS, { runs: [first], subject: 'Backups fail' }),
    ...(
      await good<{ tickets: Row[] }>('POST', `${TICKETS}/by-company`, {
        runs: [second],
        subject: 'Again',
      })
    ).tickets,
  ];
  expect(faultsOf([made], [TICKET])).toEqual([]);
  expect(made[0]).toMatchObject({
    applications: { vac: { id: 'vac-1' }, vcd: { id: 'vcd-1' }, zerto: { id: 'zerto-1' } },
  });
  for (const path of [TICKETS, 'monitoring/reporting/tickets'])
    expect([path, await faults(path, page(TICKET))]).toEqual([path, []]);
  const id = named((await list(TICKETS))[0], '_id');
  expect(
    faultsOf(
      [await good('PUT', `${TICKETS}/${id}`, { subject: 'Backups fail since Monday' })],
      TICKET,
    ),
  ).toEqual([]);
  expect(await faults(`${TICKETS}/${id}`, TICKET)).toEqual([]);
  await good('DELETE', `${TICKETS}/${id}`);
});

test('ROW-3: an API key without the tickets permission reads no ids of other systems in the tickets that it creates', async () => {
  const { secret } = await good<{ secret: string }>('POST', `profile/${kate}/api-keys`, {
    name: 'Opens tickets',
    abilities: ['monitoring.job-actions', 'monitoring.daily-checks'],
    until: now() + 7 * DAY,
  });
  const run = named(await resultOf('seven'), '_id');
  const {
    status,
    data,
    text: got,
  } = await portal.withKey(secret)('POST', TICKETS, { runs: [run], subject: 'By a program' });
  expect([status, got.includes('vac-1'), data]).toEqual([
    200,
    false,
    expect.objectContaining({
      applications: { vac: { id: null }, vcd: { id: null }, zerto: { id: null } },
    }),
  ]);
});

test('ROW-1: licensing is keyed by `serviceProvider.id`, that of companies by `serviceProviderId`', async () => {
  expect(
    await faults('monitoring/reporting/licensing', {
      providers: [{ serviceProvider: { id: 'text', name: 'text' } }],
    }),
  ).toEqual([]);
  expect(
    await faults('monitoring/reporting/licensing/companies', {
      companies: [{ serviceProviderId: 'text', companyName: 'text' }],
    }),
  ).toEqual([]);
  const {
    providers: [own],
  } = await good<{ providers: readonly { serviceProvider: Row }[] }>(
    'GET',
    'monitoring/reporting/licensing',
  );
  expect(own?.serviceProvider).toMatchObject({ id: portal.tenant });
  expect(
    await good(
      'GET',
      `monitoring/reporting/licensing/companies?serviceProviderId=${portal.tenant}`,
    ),
  ).toMatchObject({ companies: [{ serviceProviderId: portal.tenant }] });
  expect(
    faultsOf(
      [await list('monitoring/reporting/service-providers')],
      [{ _id: 'text', name: 'text' }],
    ),
  ).toEqual([]);
});

test('ROW-1, ROW-2: users in the list have roles as text and as entries, and are changed, marked and removed by `_id`', async () => {
  expect(await faults('monitoring/reporting/users?pageSize=100', page(USER))).toEqual([]);
  const listed = (await list('monitoring/reporting/users?search=mae'))[0];
  expect(listed).toMatchObject({
    _id: mae,
    roles: 'operator, read-only',
    acl: [{ role: 'operator' }, { role: 'read-only' }],
    accounts: [{ accountId: 'account-1' }],
    companies: [{ name: 'Calloway Freight' }],
    deleted: false,
    sso: LOGINS,
  });
  expect(
    await faults('companies/veeam-1/users-to-notify', {
      users: [{ _id: 'text', name: 'text', email: 'text' }],
    }),
  ).toEqual([]);
  expect(await list(`monitoring/reporting/users/logs?user=${mae}`)).not.toEqual([]);
  const leo = await portal.join('leo', ['read-only']);
  await good('POST', `users/${leo}/accounts/account-2`, {});
  await good('DELETE', `users/${leo}/accounts/account-2`);
  await good('DELETE', `users/${leo}`);
  expect(await list('monitoring/reporting/users?deleted=only')).toMatchObject([
    { _id: leo, deleted: true, accounts: [] },
  ]);
  await good('DELETE', `users/delete/${leo}`);
});

test('ROW-1, ROW-2: companies have their ids in other systems, users and veeamId, and are changed and deleted by `_id`', async () => {
  const made = await good('POST', 'companies', { name: 'Drummond & Pike' });
  const id = named(made, '_id');
  for (const path of ['companies', 'monitoring/reporting/companies'])
    expect([path, faultsOf([await list(path)], [COMPANY])]).toEqual([path, []]);
  const [first] = await list('companies');
  for (const [ids, found] of [
    [[named(first, '_id')], true],
    [[1], true],
    [[named(first, '_id'), id], true],
    [[id], false],
    [['no company'], false],
    [[portal.tenant], false],
  ] as const) {
    const query = `filters=${encodeURIComponent(JSON.stringify({ companyIds: ids }))}`;
    for (const path of ['jobs', 'jobs-name', 'jobs/didnt-run'])
      expect([ids, path, (await list(`monitoring/reporting/${path}?${query}`)).length > 0]).toEqual(
        [ids, path, found],
      );
  }
  expect(
    await faults(`companies/${named(first, '_id')}`, {
      _id: 'text',
      name: 'text',
      veeamId: 'text',
      applications: COMPANY['applications'] ?? 'text',
    }),
  ).toEqual([]);
  expect(
    await good('PUT', `companies/${id}`, { name: 'Drummond', applications: APPLICATIONS }),
  ).toMatchObject({ applications: APPLICATIONS });
  await good('DELETE', `companies/${id}`);
});
