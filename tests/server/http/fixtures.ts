import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAppContext } from '#server/make-app-context.ts';
import { defaultBranding } from '#server/features/branding/default-branding.ts';
import { accountHandlers } from '#server/features/auth/handlers.ts';
import { brandHandlers } from '#server/features/branding/handlers.ts';
import { systemChance } from '#server/platform/random.ts';
import { systemClock } from '#server/platform/clock.ts';
import type { AppOptions } from '#server/platform/http/app.ts';
import { makeApp } from '#server/platform/http/app.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { makeLog } from '#server/platform/log.ts';
import type { NewUser } from '#server/features/users/create-user.ts';
import { makeUser } from '#server/features/users/create-user.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeTenant } from '#server/platform/db/tenants.ts';
import type { Clock, Config, AppContext } from '#server/platform/app-context.ts';
import type { UserSession } from '#contract/auth/current-user.ts';
import { HERE } from '../outbound/listen.ts';
import { anyStore } from '../db/databases.ts';

/**
 * A context whose clock stands where the test puts it. Timers are real: they wait for things that
 * really happen.
 */
export interface Fixture {
  readonly context: AppContext;
  readonly lines: string[];
  pass(ms: number): void;
}

/** Downloads in the background, removed when the tests of a process have ended. */
const DOWNLOADS = join(tmpdir(), `daybook-downloads-${process.pid}`);
process.on('exit', () => {
  rmSync(DOWNLOADS, { recursive: true, force: true });
});

/** All servers on one database share a key; a test that gives a folder gets that folder's own. */
export const CONFIG: Config = {
  port: 0,
  dataDir: '',
  downloadsDir: DOWNLOADS,
  databaseUrl: null,
  pageDir: null,
  trustedProxies: [],
  secretKey: HERE.secretKey,
};

interface FixtureOptions {
  /**
   * Timers of up to two seconds end at once, and time moves on to their end: requests that are spread
   * over time, such as those about a team, take none of the test.
   */
  readonly skipsShortWaits?: boolean;
  /** The longest of these timers, for tests in which requests are repeated after longer waits. */
  readonly shortWaitMs?: number;
  /**
   * `pass` ends the timers that are due by then. No test waits in real time for what is done now and
   * then.
   */
  readonly endsTimers?: boolean;
}

export async function makeFixture(
  config: Partial<Config> = {},
  input?: Store,
  { skipsShortWaits = false, shortWaitMs = SHORT_WAIT_MS, endsTimers = false }: FixtureOptions = {},
): Promise<Fixture> {
  const lines: string[] = [];
  let now = Date.parse('2026-03-02T07:30:00Z');
  const timers = makeTimers();
  const clock: Clock = {
    now: () => now,
    after(ms, work) {
      if (endsTimers) return timers.after(now + ms, ms, work);
      if (!skipsShortWaits || ms > shortWaitMs) return systemClock.after(ms, work);
      // A wait with a random part may end within a millisecond.
      const end = Math.ceil(now + ms);
      const timer = setImmediate(() => {
        now = Math.max(now, end);
        work();
      });
      return { cancel: () => clearImmediate(timer) };
    },
  };
  const log = makeLog(clock, (_level, line) => lines.push(line));
  const store = input ?? (await anyStore());
  const context: AppContext = makeAppContext({
    store,
    clock,
    chance: systemChance,
    log,
    config: { ...CONFIG, ...(config.dataDir !== undefined && { secretKey: null }), ...config },
  });
  if (config.graph === undefined) context.cloud.connectTo(refuse);
  return {
    context,
    lines,
    pass(ms) {
      now += ms;
      timers.endDue(now);
    },
  };
}

/** Timers that also end in real time, if no test ends them earlier. */
function makeTimers(): {
  after(until: number, ms: number, work: () => void): { cancel(): void };
  endDue(now: number): void;
} {
  const waiting = new Set<{ readonly until: number; end(): void }>();
  return {
    after(until, ms, work) {
      const real = systemClock.after(ms, () => {
        waiting.delete(timer);
        work();
      });
      const cancel = (): void => {
        real.cancel();
        waiting.delete(timer);
      };
      const timer = {
        until,
        end() {
          cancel();
          work();
        },
      };
      waiting.add(timer);
      return { cancel };
    },
    endDue(now) {
      const due = [...waiting].filter(({ until }) => until <= now);
      for (const timer of due.sort((a, b) => a.until - b.until))
        if (waiting.has(timer)) timer.end();
    },
  };
}

const SHORT_WAIT_MS = 2_000;
/** No test asks Microsoft. One that needs a tenant connects its own. */
const refuse = (): Promise<never> =>
  Promise.reject(
    new TypeError('fetch failed', {
      cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    }),
  );

export const accounts = (context: AppContext): Partial<Handlers> => ({
  ...brandHandlers(context),
  ...accountHandlers(context),
});
export const getApp = (
  context: AppContext,
  handlers: Partial<Handlers> = accounts(context),
  beside: AppOptions = {},
): ReturnType<typeof makeApp> => makeApp(context, handlers, beside);

/** The provider collects cards, which it doesn't by default: then nobody may save one. */
export async function allowCards({ context }: Fixture, tenant: string): Promise<void> {
  await context.store.tenant(tenant, async ({ sql }) => {
    const { branding } = await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow();
    const features = { ...branding.features, billing: { ccCollection: true } };
    await sql
      .updateTable('provider')
      .set({ branding: JSON.stringify({ ...branding, features }) })
      .where('tenant_id', '=', tenant)
      .execute();
  });
}

let count = 0;
/** A provider at a host of its own. */
export async function provider(
  { context }: Fixture,
  at?: string,
): Promise<{ readonly tenant: string; readonly host: string }> {
  const tenant = context.chance.uuid();
  count += 1;
  const host = at ?? `p${count}-${tenant.slice(0, 8)}.example`;
  await makeTenant(context.store, {
    tenant,
    host,
    branding: defaultBranding(tenant, `Provider ${count}`, host),
    isDefault: false,
  });
  return { tenant, host };
}

export const PASSWORD = 'correct horse battery';
export const user = (
  { context }: Fixture,
  tenant: string,
  more: Partial<NewUser> = {},
): Promise<string> =>
  makeUser(context, tenant, {
    username: 'kate',
    name: 'Kate',
    email: 'kate@example.com',
    password: PASSWORD,
    roles: ['admin'],
    companies: null,
    ...more,
  });

export type App = ReturnType<typeof makeApp>;
export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: {
    success: boolean;
    message: string;
    data: T;
    error: { kind: string; issues?: { path: string; message: string }[] };
  };
}

export interface Query {
  readonly method?: string;
  readonly host: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly cookie?: string | null;
}

export async function ask<T = unknown>(
  app: App,
  path: string,
  { method = 'GET', host, body, headers = {}, token, cookie }: Query,
): Promise<Answer<T>> {
  const answer = await app.request(
    path,
    {
      method,
      headers: {
        host,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(cookie === undefined || cookie === null ? {} : { cookie }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    },
    { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
  );
  const text = await answer.text();
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(text);
  } catch {
    /* not JSON */
  }
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: parsed as Answer<T>['body'],
  };
}

export const login = (
  app: App,
  host: string,
  username = 'kate',
  password = PASSWORD,
  more: Partial<Query> = {},
): Promise<Answer<UserSession>> =>
  ask<UserSession>(app, '/api/v1/auth/login/db', {
    method: 'POST',
    host,
    body: { username, password },
    ...more,
  });
export const refresh = (
  app: App,
  host: string,
  cookie: string | null,
  headers: Record<string, string> = { 'daybook-client': '1' },
): Promise<Answer<UserSession>> =>
  ask<UserSession>(app, '/api/v1/auth/refresh', {
    method: 'POST',
    host,
    body: {},
    cookie,
    headers,
  });
/** The cookie as a browser would send it back; null where there is none or it was taken back. */
export const cookieIn = ({ headers }: Answer): string | null => {
  const pair =
    headers
      .getSetCookie()
      .find((one) => one.startsWith('__Host-daybook-refresh='))
      ?.split(';')[0] ?? null;
  return pair === null || pair.endsWith('=') ? null : pair;
};
