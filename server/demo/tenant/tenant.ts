import { createSecretKey } from 'node:crypto';
import { Hono } from 'hono';
import { LRUCache } from 'lru-cache';
import type { Ms } from '#contract/ids.ts';
import { getUuid } from '../random.ts';
import { readCaller } from './access-token.ts';
import { type TenantAdmin, createAdmin } from './admin.ts';
import { addApplicationRoutes } from './application-routes.ts';
import { runBatch } from './batch.ts';
import { addDirectoryRoutes } from './directory.ts';
import { addDriveRoutes } from './drive.ts';
import { driveWriting } from './drive-writing.ts';
import { OUTLOOK, addExchangeRoutes, outlookApp } from './exchange.ts';
import { downloadApp } from './download.ts';
import { type AuthorizationCodes, type DeviceCodes, LOGIN, entraApp } from './entra.ts';
import { GraphError, badRequest, errorResponse } from './graph-error.ts';
import type { GraphApp, GraphEnv } from './graph-env.ts';
import { addGroupRoutes } from './groups.ts';
import { addGroupWritingRoutes } from './group-writing.ts';
import { beginLife, live } from './life.ts';
import { digest } from './ids.ts';
import { addListRoutes } from './lists.ts';
import { addMailRoutes } from './mail.ts';
import { addMailWritingRoutes } from './mail-writing.ts';
import { GRAPH } from './odata.ts';
import { DEFAULT_SIZE, type TenantSize, seedTenant } from './seed.ts';
import { fillSites } from './site-content.ts';
import { addCalendarRoutes } from './outlook/calendar-routes.ts';
import { addContactRoutes } from './outlook/contact-routes.ts';
import { fillOutlook } from './outlook/fill.ts';
import { addTodoRoutes } from './outlook/todo-routes.ts';
import { TenantTables, type Tenant } from './store.ts';
import { addTeamRoutes } from './team.ts';
import { seedTeams } from './team-life.ts';
import { addTeamWritingRoutes } from './team-writing.ts';
import { type UploadSessions, uploadSessions } from './upload.ts';
import { createWatch } from './watch.ts';

// A fake of Microsoft Graph v1.0 and of Entra's token endpoints. It follows the contract that
// Microsoft publishes; nothing here talks to the cloud.

export interface DemoTenantOptions {
  /** The database; null for one in memory, which begins as a copy if an equal one was made before. */
  readonly file: string | null;
  readonly seed: number;
  readonly now: () => Ms;
  readonly size?: Partial<TenantSize>;
  /** Where the cloud's hosts are reached, if not at their own names. */
  readonly origin?: (host: string) => string;
  /** The host of the tenant's files. */
  readonly filesHost?: string;
}

export interface DemoTenant {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly filesHost: string;
  /** Answers a request to one of the cloud's hosts. */
  fetch(this: void, request: Request): Promise<Response>;
  readonly admin: TenantAdmin;
  /**
   * Moves the tenant's life forward: mail arrives, files change, people leave and join. The same in
   * one step or many. Of a longer pause, only the last `maxMs` happen.
   */
  live(until: Ms, maxMs?: Ms): void;
  close(): void;
}

const NAMES = [
  'Saltmarsh Marine',
  'Harbourline Works',
  'Tidewater Engineering',
  'Quayside Logistics',
];

/** Of tenants in memory as they were made, by what they were made of; the latest ones. */
const images = new LRUCache<string, Uint8Array>({
  maxSize: 32 << 20,
  sizeCalculation: ({ length }) => length,
});

export function createDemoTenant(options: DemoTenantOptions): DemoTenant {
  const size = { ...DEFAULT_SIZE, ...options.size };
  const filesHost = options.filesHost ?? 'demo-my.sharepoint.com';
  const imageKey =
    options.file === null ? JSON.stringify([options.seed, size, filesHost, options.now()]) : null;
  const image = imageKey === null ? null : (images.get(imageKey) ?? null);
  const store = new TenantTables(options.file, image);
  const name = NAMES[options.seed % NAMES.length] ?? 'Saltmarsh Marine';
  const tenant: Tenant = {
    store,
    seed: options.seed,
    // A signature with the bytes of a key takes seven times as long.
    keys: {
      token: createSecretKey(digest(options.seed, 'signing')),
      download: createSecretKey(digest(options.seed, 'download')),
    },
    now: options.now,
    origin: options.origin ?? ((host) => `https://${host}`),
    filesHost,
    id: getUuid(options.seed, 'tenant'),
    name,
    domain: `${name.toLowerCase().replaceAll(' ', '-')}.example.com`,
  };
  if (image === null) {
    fill(tenant, size);
    if (imageKey !== null) images.set(imageKey, store.copy());
  }
  const codes: DeviceCodes = new Map();
  const authorizations: AuthorizationCodes = new Map();
  const watch = createWatch(tenant, (request) => answer(request));
  const files = downloadApp(tenant);
  const hosts: Readonly<Record<string, { fetch(request: Request): Promise<Response> | Response }>> =
    {
      [GRAPH]: graphApp(tenant, uploadSessions(tenant, files), watch.fetch),
      [LOGIN]: entraApp(tenant, codes, authorizations),
      [tenant.filesHost]: files,
      [OUTLOOK]: outlookApp(tenant),
    };
  const answer = async (request: Request): Promise<Response> => {
    const app = hosts[new URL(request.url).hostname];
    if (!app) throw new TypeError('fetch failed');
    return app.fetch(request);
  };
  return {
    id: tenant.id,
    name: tenant.name,
    domain: tenant.domain,
    filesHost: tenant.filesHost,
    fetch: watch.fetch,
    live: (until, maxMs = Infinity) => live(tenant, until, size, maxMs),
    admin: createAdmin(tenant, { codes, authorizations, watch, size }),
    close: () => store.close(),
  };
}

function fill(tenant: Tenant, size: TenantSize): void {
  const { store } = tenant;
  if (store.seq() === 0) {
    seedTenant(tenant, size);
    beginLife(tenant);
  }
  // A tenant of an earlier version has teams without channels.
  store.transaction(() => seedTeams(tenant));
  fillSites(tenant, size);
  store.transaction(() => fillOutlook(tenant));
}

function graphApp(
  tenant: Tenant,
  uploads: UploadSessions,
  fetch: (request: Request) => Promise<Response>,
): GraphApp {
  const root: GraphApp = new Hono<GraphEnv>();
  root.onError((error, c) => {
    if (!(error instanceof GraphError)) throw error;
    return errorResponse(c, error, tenant.now());
  });
  root.notFound((c) =>
    errorResponse(c, badRequest('Resource not found for the segment.'), tenant.now()),
  );
  const app: GraphApp = new Hono<GraphEnv>();
  app.use(async (c, next) => {
    c.set('caller', readCaller(tenant, c.req.header('authorization')));
    await next();
  });
  app.post('/$batch', async (c) => c.json(await runBatch(c.req.raw, fetch)));
  addApplicationRoutes(app, tenant);
  addDirectoryRoutes(app, tenant);
  addGroupRoutes(app, tenant);
  addGroupWritingRoutes(app, tenant);
  addTeamRoutes(app, tenant);
  addTeamWritingRoutes(app, tenant);
  addListRoutes(app, tenant);
  addExchangeRoutes(app, tenant);
  addMailRoutes(app, tenant);
  addMailWritingRoutes(app, tenant);
  addCalendarRoutes(app, tenant);
  addContactRoutes(app, tenant);
  addTodoRoutes(app, tenant);
  addDriveRoutes(app, tenant, driveWriting(tenant, uploads));
  root.route('/v1.0', app);
  return root;
}
