import { allHandlers } from '#server/handlers.ts';
import { pingRoutes } from '#server/features/ingest/ping.ts';
import { makeCompany } from '#server/features/users/create-user.ts';
import type { Role } from '#contract/abilities.ts';
import type { CompanyN } from '#contract/ids.ts';
import { getApp, ask, login, provider, user } from '../http/fixtures.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';

/** A provider with two companies, a key for each, and an API as a signed-in user sees it. */
export interface Office {
  readonly tenant: string;
  readonly host: string;
  readonly app: App;
  /** Signs a user in and asks as it. */
  as(
    username: string,
    roles: readonly Role[],
    companies?: readonly CompanyN[] | null,
  ): Promise<Asker>;
  /** The same user, in a new session. */
  signIn(username: string): Promise<Asker>;
  post(company: 1 | 2, executions: readonly object[]): Promise<void>;
}
export type Asker = <T = never>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer<T>>;

export async function anOffice(fixture: Fixture): Promise<Office> {
  const { tenant, host } = await provider(fixture);
  const app = getApp(fixture.context, allHandlers(fixture.context), {
    routes: pingRoutes(fixture.context),
  });
  for (const name of ['Calloway Freight', 'Drummond & Pike'])
    await makeCompany(fixture.context, tenant, name);

  async function as(
    username: string,
    roles: readonly Role[],
    companies: readonly CompanyN[] | null = null,
  ): Promise<Asker> {
    await user(fixture, tenant, { username, name: username.toUpperCase(), roles, companies });
    return signIn(username);
  }
  async function signIn(username: string): Promise<Asker> {
    const { token } = (await login(app, host, username)).body.data;
    return (method, path, body, headers = {}) =>
      ask(app, `/api/v1/${path}`, {
        method,
        host,
        token,
        headers,
        ...(body === undefined ? {} : { body }),
      });
  }

  const keeper = await as(`keeper-${tenant.slice(0, 8)}`, ['admin']);
  const secrets = new Map<number, string>();
  for (const company of [1, 2]) {
    const made = await keeper<{ secret: string }>('POST', 'monitoring/sources', {
      name: `Key ${company}`,
      companyN: company,
      tool: 'api',
    });
    secrets.set(company, made.body.data.secret);
  }
  return {
    tenant,
    host,
    app,
    as,
    signIn,
    async post(company, executions) {
      const answer = await ask<{ rejected: unknown[] }>(app, '/api/v1/ingest/executions', {
        method: 'POST',
        host,
        token: secrets.get(company) ?? '',
        body: executions,
      });
      if (answer.status >= 300 || answer.body.data.rejected.length > 0)
        throw new Error(answer.text);
    },
  };
}

export const failure = (job: string, startTime: string, more: object = {}): object => ({
  job,
  computer: `${job}-pc`,
  status: 'Failed',
  startTime,
  endTime: startTime,
  message: `Unable to connect to host ${job}.example.net: timed out`,
  ...more,
});
