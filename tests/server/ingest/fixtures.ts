/**
 * A provider with a company and a key, on a database in memory, and a clock that stands where the
 * test puts it.
 */
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { Tables, TableName } from '#contract/tables.ts';
import type { Source } from '#contract/runs/vocabulary.ts';
import { makeAppContext } from '#server/make-app-context.ts';
import type { SessionContext, Principal } from '#server/platform/http/handler.ts';
import { makeApp } from '#server/platform/http/app.ts';
import { ingestHandlers } from '#server/features/ingest/handlers.ts';
import { defaultBranding } from '#server/features/branding/default-branding.ts';
import { systemChance } from '#server/platform/random.ts';
import { systemClock } from '#server/platform/clock.ts';
import { makeLog } from '#server/platform/log.ts';
import { keyHandlers } from '#server/features/ingest/ingest-keys.ts';
import { pingRoutes } from '#server/features/ingest/ping.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeTenant } from '#server/platform/db/tenants.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { HERE } from '../outbound/listen.ts';

export const NOON = Date.parse('2026-03-02T12:00:00Z');
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const iso = (ms: number): string => new Date(ms).toISOString();

/** A context whose clock stands where the test puts it. */
export interface IngestFixture {
  readonly context: AppContext;
  readonly lines: string[];
  at(ms: number): void;
  pass(ms: number): void;
}

export interface Place {
  readonly ground: IngestFixture;
  readonly tenant: string;
  readonly host: string;
  readonly secret: string;
  readonly keyId: string;
  readonly app: ReturnType<typeof makeApp>;
  /** Posts to `/api/v1/ingest/<what>`. */
  post<T = { accepted: number; duplicates: number; rejected: { index: number; error: string }[] }>(
    what: string,
    body: unknown,
    more?: Post,
  ): Promise<Posted<T>>;
  ping(
    path: string,
    more?: RequestInit,
  ): Promise<{ status: number; text: string; headers: Headers }>;
  all<T extends TableName>(table: T): Promise<Tables[T][]>;
  log(run: number): Promise<string | null>;
  keyFor(tool: Source): Promise<{ id: string; secret: string }>;
}
export interface Post {
  readonly secret?: string;
  readonly headers?: Record<string, string>;
  readonly raw?: BodyInit;
}
export interface Posted<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
  readonly error: { kind: string; issues?: { path: string; message: string }[] } | undefined;
}

export async function aPlace(store: Store, tool: Source = 'api'): Promise<Place> {
  const lines: string[] = [];
  let now = NOON;
  const clock = { ...systemClock, now: () => now };
  const config = {
    port: 0,
    dataDir: '',
    databaseUrl: null,
    pageDir: null,
    trustedProxies: [],
    secretKey: HERE.secretKey,
  };
  const context: AppContext = makeAppContext({
    store,
    clock,
    chance: systemChance,
    log: makeLog(clock, (_level, line) => lines.push(line)),
    config,
  });
  const bench: IngestFixture = {
    context,
    lines,
    at(ms) {
      now = ms;
    },
    pass(ms) {
      now += ms;
    },
  };
  const tenant = randomUUID();
  const host = `${tenant}.example`;
  await makeTenant(store, {
    tenant,
    host,
    branding: defaultBranding(tenant, 'Provider', host),
    isDefault: false,
  });
  await bench.context.store.tenant(tenant, async (tx) => {
    const n = await tx.take('company', 1);
    await tx.append(
      [
        {
          event: { type: 'company.created@1', data: { n, id: randomUUID(), name: 'Company' } },
          company: n,
          entity: `company:${n}`,
        },
      ],
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: NOON },
    );
  });
  const app = makeApp(
    bench.context,
    { ...ingestHandlers(bench.context), ...keyHandlers(bench.context) },
    { routes: pingRoutes(bench.context) },
  );
  const keyFor = async (which: Source): Promise<{ id: string; secret: string }> => {
    const made = await keyHandlers(bench.context).createKey(
      { name: `Key of ${which}`, companyN: 1, tool: which, managed: null },
      anAsk(bench, tenant),
    );
    if (!made.ok) throw new Error(made.failure.message);
    return { id: made.value.key.id, secret: made.value.secret };
  };
  const { id, secret } = await keyFor(tool);
  const env = { incoming: { socket: { remoteAddress: '192.0.2.7' } } };
  return {
    ground: bench,
    tenant,
    host,
    secret,
    keyId: id,
    app,
    keyFor,
    async post(what, body, more = {}) {
      const answer = await app.request(
        `/api/v1/ingest/${what}`,
        {
          method: 'POST',
          headers: {
            host,
            'content-type': 'application/json',
            'authorization': `Bearer ${more.secret ?? secret}`,
            ...more.headers,
          },
          body: more.raw ?? (typeof body === 'string' ? body : JSON.stringify(body)),
        },
        env,
      );
      const parsed = (await answer.json()) as { data: never; error: never };
      return {
        status: answer.status,
        headers: answer.headers,
        data: parsed.data,
        error: parsed.error,
      };
    },
    async ping(path, more = {}) {
      const answer = await app.request(
        `/ping/${secret}${path}`,
        { method: 'POST', headers: { host }, ...more },
        env,
      );
      return { status: answer.status, text: await answer.text(), headers: answer.headers };
    },
    all: (table) => bench.context.store.tenant(tenant, (tx) => tx.all(table), { readOnly: true }),
    log: (run) =>
      bench.context.store.tenant(
        tenant,
        async (tx) =>
          (
            await tx.sql
              .selectFrom('run_log')
              .select('body')
              .where('tenant_id', '=', tenant)
              .where('run_n', '=', run)
              .executeTakeFirst()
          )?.body ?? null,
        { readOnly: true },
      ),
  };
}

const signedAs = (userId: string, companies: readonly number[] | null): Principal => ({
  sessionId: randomUUID(),
  userId,
  roles: ['admin'],
  companies,
  actor: userId,
  impersonation: null,
  beganAt: 0,
  authenticatedAt: 0,
  mustReset: false,
});

export const anAsk = (
  bench: IngestFixture,
  tenant: string,
  companies: readonly number[] | null = null,
): SessionContext => ({
  tenant,
  session: signedAs(randomUUID(), companies),
  command: null,
  signal: null,
  now: bench.context.clock.now(),
  ip: '192.0.2.7',
  host: 'localhost',
  request: new Request('http://localhost/'),
  answer: new Headers(),
});

export const fixture = (name: string): string =>
  readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8');

/** A run as a source posts it. */
export const anExecution = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  job: 'Files',
  computer: 'pc-1',
  status: 'Success',
  startTime: iso(NOON - HOUR),
  endTime: iso(NOON - HOUR / 2),
  bytesTransferred: 1_000_000,
  filesTotal: 100,
  ...more,
});
