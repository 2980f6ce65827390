import { aPortal, getErrors } from './documented.ts';
import type { Fields, Person, Portal, Shape } from './documented.ts';
import { makeFixture } from './fixtures.ts';

/** A portal that listens on a port and holds data in which every documented field has a value. */

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export type Row = Readonly<Record<string, unknown>>;
export const iso = (ms: number): string => new Date(ms).toISOString();
export const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError(`not a text: ${JSON.stringify(value)}`);
  return value;
};
export const named = (of: unknown, name: string): string => text((of as Row)[name]);

/** What somebody asks over HTTP. `ask`: who it is, once they have signed in. */
export function readsBy(ask: () => Person) {
  async function good<T = Row>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, success, data, text: got } = await ask()(method, path, body);
    if (status !== 200 || !success) throw new Error(`${method} ${path}: ${status} ${got}`);
    return data as T;
  }
  const list = async (path: string): Promise<readonly Row[]> => {
    const got = await good<{ rows: readonly Row[] } | readonly Row[]>('GET', path);
    return 'rows' in got ? got.rows : got;
  };
  const loadResult = async (job: string): Promise<Row> =>
    (await list('monitoring/reporting/jobs?pageSize=100')).find(({ jobName }) => jobName === job) ??
    {};
  const errors = async (path: string, shape: Shape): Promise<readonly string[]> =>
    getErrors([await good('GET', path)], shape);
  return { good, list, resultOf: loadResult, errors };
}
type Reads = ReturnType<typeof readsBy>;

export const page = (row: Fields): Fields => ({ rows: [row], count: 'number' });
export const SEEN = { id: 'text' } as const;

export const APPLICATIONS = {
  vac: { id: 'vac-1' },
  vcd: { id: 'vcd-1' },
  zerto: { id: 'zerto-1' },
  office365: { enabled: true, organizations: [{ id: 'calloway.onmicrosoft.example' }] },
};
export const LOGINS = {
  vac: { username: 'mae-vac', enabled: true },
  vcd: { username: 'mae-vcd', enabled: true },
  zerto: { zorgId: 'zorg-1', enabled: true },
};
const nightly = { type: 'cron', cron: '0 2 * * *', tz: 'UTC' };
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
async function report(portal: Portal, good: Reads['good']): Promise<void> {
  const now = (): number => portal.ground.context.clock.now();
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

export interface Documented {
  readonly portal: Portal;
  readonly ask: Person;
  readonly signedIn: unknown;
  readonly kate: string;
  readonly mae: string;
}
export async function documentedPortal(): Promise<Documented> {
  const portal = await aPortal(await makeFixture());
  const kate = await portal.join('kate', ['admin', 'operator', 'super-admin', 'o365_admin']);
  let { ask } = await portal.enter('kate');
  const { good, list } = readsBy(() => ask);
  await report(portal, good);
  const again = await portal.enter('kate');
  ({ ask } = again);
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
  const mae = named(made, '_id');
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
  return { portal, ask, signedIn: again.signedIn, kate, mae };
}
