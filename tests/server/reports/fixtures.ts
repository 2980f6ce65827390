import type { ProviderSettings } from '#contract/branding/settings.ts';
import type { Role } from '#contract/abilities.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { SentOut, SettingsOut } from '#contract/reports/calls.ts';
import type { ReportFields } from '#contract/reports/setting.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { ask, login, user } from '../http/fixtures.ts';
import type { Answer } from '../http/fixtures.ts';
import type { Demo } from './results/fixtures.ts';
import { mailTicks, reportTicks } from '../jobs/ticks.ts';

export const FIELDS: ReportFields = {
  name: 'Weekly for Calloway',
  template: 'calendarReportFull',
  companies: [1],
  period: 'last-7',
  schedule: { every: 'week', weekday: 1, at: '08:00', timeZone: 'Europe/Berlin' },
  recipients: ['kate@example.com'],
  format: 'csv',
  language: 'en-US',
  enabled: true,
};

export interface Reporter {
  readonly id: string;
  (method: string, path: string, body?: unknown): Promise<Answer>;
}

/** A user who keeps reports: asks below `monitoring/reporting/reports/`. */
export async function reporter(
  { ground: fixture, app, tenant, host }: Demo,
  name: string,
  roles: readonly Role[],
  companies: readonly number[] | null = null,
): Promise<Reporter> {
  const id = await user(fixture, tenant, {
    username: name,
    name,
    email: `${name}@example.com`,
    roles,
    companies,
  });
  let { token } = (await login(app, host, name)).body.data;
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const once = () =>
      ask(app, `/api/v1/monitoring/reporting/reports/${path}`, {
        method,
        host,
        token,
        ...(body === undefined ? {} : { body }),
      });
    const first = await once();
    if (first.status !== 401) return first;
    // Days pass in these tests.
    ({ token } = (await login(app, host, name)).body.data);
    return once();
  };
  return Object.assign(call, { id });
}

export const loadSettings = async (who: Reporter): Promise<SettingsOut> =>
  (await who('GET', 'settings')).body.data as SettingsOut;
export const loadSent = async (who: Reporter): Promise<readonly SentOut[]> =>
  ((await who('GET', 'sent?pageSize=200')).body.data as { rows: readonly SentOut[] }).rows;
export async function made(who: Reporter, fields: Partial<ReportFields> = {}): Promise<string> {
  const answer = await who('POST', 'settings', { setting: { ...FIELDS, ...fields } });
  if (answer.status !== 200) throw new Error(answer.text);
  const { _id: id } = answer.body.data as { _id: string };
  return id;
}

/** The jobs of reports and mail, which run only when the test says so. */
export function turning({ ground: fixture }: Demo): {
  readonly context: AppContext;
  round(): Promise<void>;
  stop(): Promise<void>;
} {
  const { context } = fixture;
  const reports = reportTicks(context);
  const post = mailTicks(context);
  return {
    context,
    async round() {
      await reports.tick();
      await post.tick();
      await reports.tick();
    },
    async stop() {
      await reports.stop();
      await post.stop();
    },
  };
}

export const settings = ({ store, tenant }: Demo, said: ProviderSettings): Promise<unknown> =>
  store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('provider')
      .set({ settings: JSON.stringify(said) })
      .where('tenant_id', '=', tenant)
      .execute(),
  );
export const mailAt = (port: number): ProviderSettings => ({
  mail: {
    host: '127.0.0.1',
    port,
    security: 'none',
    username: null,
    from: 'portal@example.com',
    fromName: null,
  },
});

export const branded = ({ store, tenant }: Demo, said: Partial<Branding>): Promise<void> =>
  store.tenant(tenant, async ({ sql }) => {
    const { branding } = await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow();
    await sql
      .updateTable('provider')
      .set({ branding: JSON.stringify({ ...branding, ...said }) })
      .where('tenant_id', '=', tenant)
      .execute();
  });
