import { generateSync } from 'otplib';
import type { UserSession } from '#contract/auth/current-user.ts';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import type { PersonSettings } from '#contract/auth/profile.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import type { Ms } from '#contract/ids.ts';
import { factorHandlers } from '#server/features/auth/factors.ts';
import { accountHandlers } from '#server/features/auth/handlers.ts';
import type { UserDirectory } from '#server/features/auth/directory/directory.ts';
import { brandHandlers } from '#server/features/branding/handlers.ts';
import type { NewUser } from '#server/features/users/create-user.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import { INSERTION_ORDER } from '../db/insertion-order.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { getApp, ask, PASSWORD, provider, user } from '../http/fixtures.ts';

/** What an answer to a step of signing in may hold. */
export type Details = UserSession & SignInStep;

/** The whole API of signing in and of factors, with this directory. */
export function factorApp({ context }: Fixture, directory: UserDirectory | null = null): App {
  const find = () => Promise.resolve(directory);
  return getApp(context, {
    ...brandHandlers(context),
    ...accountHandlers(context, find),
    ...factorHandlers(context, find),
  });
}

/** A browser: keeps cookies, and the token it was given last. */
export class Browser {
  readonly app: App;
  readonly host: string;
  readonly cookies = new Map<string, string>();
  token: string | null = null;

  constructor(app: App, host: string) {
    this.app = app;
    this.host = host;
  }

  async send<T = Details>(
    path: string,
    body?: unknown,
    method = 'POST',
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await ask<T>(this.app, `/api/v1/${path}`, {
      method,
      host: this.host,
      ...(body !== undefined && { body }),
      ...(cookie !== '' && { cookie }),
      ...(this.token !== null && { token: this.token }),
      headers,
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    // A file has no JSON around it.
    const data: unknown = (answer.body as typeof answer.body | null)?.data ?? null;
    if (
      typeof data === 'object' &&
      data !== null &&
      'token' in data &&
      typeof data.token === 'string'
    )
      this.token = data.token;
    return answer;
  }

  renew = (): Promise<Answer<Details>> =>
    this.send('auth/refresh', {}, 'POST', { 'daybook-client': '1' });
  get = <T>(path: string): Promise<Answer<T>> => this.send<T>(path, undefined, 'GET');
  login = (more: object = {}, by: 'ad' | 'db' = 'db'): Promise<Answer<Details>> =>
    this.send(`auth/login/${by}`, { username: 'kate', password: PASSWORD, ...more });
  sms = (smsCode: string, more: object = {}): Promise<Answer<Details>> =>
    this.send('auth/login/db/sms', { smsCode, ...more });
  factor = (
    method: 'totp' | 'recovery',
    code: string,
    more: object = {},
  ): Promise<Answer<Details>> => this.send('auth/login/factor', { method, code, ...more });
  get attempt(): string | null {
    return this.cookies.get('__Host-daybook-attempt') ?? null;
  }
}

export interface Place {
  readonly ground: Fixture;
  readonly tenant: string;
  readonly host: string;
  readonly id: string;
  readonly app: App;
}

export interface Set {
  readonly settings?: ProviderSettings;
  readonly phone?: string | null;
  readonly proven?: boolean;
  readonly own?: PersonSettings;
  readonly auth?: 'ad' | 'db';
  readonly user?: Partial<NewUser>;
}

/** A provider with a user `kate`, set so. */
export async function place(
  fixture: Fixture,
  set: Set = {},
  directory: UserDirectory | null = null,
): Promise<Place> {
  const { host, tenant } = await provider(fixture);
  const id = await user(fixture, tenant, set.user);
  await fixture.context.store.tenant(tenant, async ({ sql }) => {
    await sql
      .updateTable('provider')
      .set({ settings: JSON.stringify(set.settings ?? {}) })
      .where('tenant_id', '=', tenant)
      .execute();
    await sql
      .updateTable('person')
      .set({
        mobile_phone: set.phone ?? null,
        phone_updated_once: set.proven ?? false,
        settings: JSON.stringify(set.own ?? {}),
        auth: set.auth ?? 'db',
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute();
  });
  return { ground: fixture, tenant, host, id, app: factorApp(fixture, directory) };
}
export const browser = ({ app, host }: Place): Browser => new Browser(app, host);

export interface Sent {
  readonly kind: string;
  readonly to: string;
  readonly text: string;
}
/** Mails and short messages as they would go out, oldest first. */
export const sent = ({ ground: { context }, tenant }: Place): Promise<Sent[]> =>
  context.store.tenant(tenant, async (tx) => {
    const rows = await tx.sql
      .selectFrom('outgoing')
      .select(['id', 'sealed'])
      .where('tenant_id', '=', tenant)
      .orderBy('made_at')
      .execute();
    return Promise.all(
      rows.map(
        async ({ id, sealed }) =>
          JSON.parse(
            await unseal(tx, context, { table: 'outgoing', column: 'sealed', row: id }, sealed),
          ) as Sent,
      ),
    );
  });
/**
 * Every code that went to a number, oldest first; `at`: moments of a test that pass between them.
 */
export const codesTo = async (at: Place, phone: string): Promise<string[]> =>
  (await sent(at))
    .filter(({ kind, to }) => kind === 'sms' && to === phone)
    .flatMap(({ text }) => /^\d{6}/.exec(text)?.[0] ?? []);
export async function lastCode(at: Place, phone: string): Promise<string> {
  const code = (await codesTo(at, phone)).at(-1);
  if (code === undefined) throw new Error('No code was sent.');
  return code;
}
/** Any code but this one. */
export const otherThan = (code: string, by = 1): string =>
  String((Number(code) + by) % 1_000_000).padStart(6, '0');

export const recorded = ({ ground: { context }, tenant }: Place): Promise<string[]> =>
  context.store.tenant(tenant, async ({ sql }) =>
    (
      await sql
        .selectFrom('audit')
        .select('what')
        .where('tenant_id', '=', tenant)
        .orderBy('at')
        .orderBy(INSERTION_ORDER)
        .execute()
    ).map(({ what }) => what),
  );

/** What an authenticator app shows. */
export const totpAt = (secret: string, now: Ms): string =>
  generateSync({ secret, epoch: Math.floor(now / 1_000) });

/** Signs in and sets up an authenticator; answers its secret and the recovery codes. */
export async function withTotp(
  at: Place,
): Promise<{ readonly secret: string; readonly codes: string[] }> {
  const own = browser(at);
  await own.login();
  const {
    body: {
      data: { secret },
    },
  } = await own.send<{ secret: string }>(`profile/${at.id}/totp`, {});
  const {
    body: {
      data: { recoveryCodes: codes },
    },
  } = await own.send<{ recoveryCodes: string[] }>(
    `profile/${at.id}/totp`,
    { code: totpAt(secret, at.ground.context.clock.now()) },
    'PUT',
  );
  at.ground.pass(60_000);
  return { secret, codes };
}
