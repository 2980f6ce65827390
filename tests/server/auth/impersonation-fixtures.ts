import type { ImpersonationOutput } from '#contract/auth/impersonation-calls.ts';
import type { UserSession } from '#contract/auth/current-user.ts';
import type { Role } from '#contract/abilities.ts';
import { CALLS } from '#contract/calls.ts';
import type { EventOf } from '#contract/events.ts';
import { allHandlers } from '#server/handlers.ts';
import type { Store } from '#server/platform/db/store.ts';
import { getApp, ask, makeFixture, provider, user } from '../http/fixtures.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { signedIn } from './captured-mail.ts';
import type { In } from './captured-mail.ts';

export let fixture: Fixture;
export let app: App;
/** The server on this database, for all that follows. */
export async function standOn(store: Store): Promise<void> {
  fixture = await makeFixture({}, store);
  app = getApp(fixture.context, allHandlers(fixture.context));
}

export const REASON = 'ticket 4711: cannot see the list';

export const impersonate = (host: string, by: In, userId: string, more: object = {}) =>
  ask<ImpersonationOutput>(app, '/api/v1/auth/login-as', {
    method: 'POST',
    host,
    token: by.token,
    cookie: by.cookie,
    body: { userId, reason: REASON, ...more },
  });
export const exit = (host: string, token: string) =>
  ask<ImpersonationOutput>(app, '/api/v1/auth/login-as/exit', {
    method: 'POST',
    host,
    token,
    body: {},
  });
export const byToken = (host: string, token: string) =>
  ask<UserSession>(app, '/api/v1/auth/login-token', { method: 'POST', host, body: { token } });
export const said = ({ status, body }: Answer): unknown[] => [
  status,
  body.error?.kind,
  body.message,
];
export const sessionIn = (answer: Answer<ImpersonationOutput>): UserSession => {
  if (!('token' in answer.body.data)) throw new Error(`no session: ${answer.text}`);
  return answer.body.data;
};
export const tokenIn = (answer: Answer<ImpersonationOutput>): string =>
  'url' in answer.body.data ? (answer.body.data.url.split('#token=')[1] ?? '') : '';
export const lastSync = async (host: string, token: string): Promise<string> => {
  const { status, body } = await ask(app, `/api/v1/${CALLS.lastSync.path}`, { host, token });
  return status === 200 ? 'in' : `${status} ${body.error.kind}`;
};
export const below = (tenant: string, master: string) =>
  fixture.context.store.system((sql) =>
    sql
      .updateTable('tenant_list')
      .set({ master_id: master })
      .where('tenant_id', '=', tenant)
      .execute(),
  );

export const by = () =>
  ({
    actor: { kind: 'clock' },
    subject: null,
    commandId: null,
    at: fixture.context.clock.now(),
  }) as const;

export const append = (tenant: string, event: EventOf<'user.scoped@1' | 'user.deleted@1'>) =>
  fixture.context.store.tenant(tenant, (tx) =>
    tx.append([{ event, company: null, entity: `user:${event.data.id}` }], by()),
  );

/** A provider with an administrator `kate`, and `leo` of another role. */
export async function place(role: Role = 'operator', as: Role = 'admin') {
  const { host, tenant } = await provider(fixture);
  const admin = await user(fixture, tenant, { roles: [as] });
  const leo = await user(fixture, tenant, {
    username: 'leo',
    name: 'Leo',
    email: 'leo@example.com',
    roles: [role],
  });
  return { host, tenant, admin, leo, in: await signedIn(app, host) };
}
