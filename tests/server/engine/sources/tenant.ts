import { onTestFinished } from 'vitest';
import type { Waiting } from '#contract/engine/sessions.ts';
import { CLOUDS } from '#server/engine/embedded/graph/clouds.ts';
import { Governor } from '#server/engine/embedded/graph/governor.ts';
import type { Fetch, GraphPorts } from '#server/engine/embedded/graph/request.ts';
import { applicationTokens } from '#server/engine/embedded/graph/tokens.ts';
import type { SourceCall } from '#server/engine/embedded/types.ts';
import { createDemoTenant } from '#server/demo/tenant/tenant.ts';
import type { DemoTenant } from '#server/demo/tenant/tenant.ts';
import { graphError, seeded, testClock } from '../graph/fixtures.ts';
import type { TestClock } from '../graph/fixtures.ts';

/** What may happen to a request on its way: null lets it through. */
export type Trouble = (request: Request) => Promise<Response> | Response | null;

export interface TenantGraph {
  readonly tenant: DemoTenant;
  /** The application that backs up. */
  readonly appId: string;
  readonly ports: GraphPorts;
  readonly clock: TestClock;
  readonly call: SourceCall;
  readonly stop: AbortController;
  readonly waits: (Waiting | null)[];
  /** Method and path of every request, also of those within a batch. */
  readonly requests: string[];
  /** Set to let requests fail. */
  trouble: Trouble;
}

const READ_ROLES = [
  'Mail.Read',
  'Files.Read.All',
  'User.Read.All',
  'Group.Read.All',
  'Sites.Read.All',
];

/** A demo tenant, and an application that signs in to it. */
export function tenantGraph({
  seed = 7,
  roles = READ_ROLES,
  mails = 30,
  files = 12,
  people = 6,
  otherPeople = 0,
  over = (fetch: Fetch): Fetch => fetch,
} = {}): TenantGraph {
  const clock = testClock(Date.UTC(2026, 10, 23, 12));
  const tenant = createDemoTenant({
    file: null,
    seed,
    now: () => clock.now(),
    size: {
      people,
      otherPeople,
      minMails: mails,
      maxMails: mails + 5,
      minFiles: files,
      maxFiles: files + 3,
      maxFileBytes: 60_000,
    },
  });
  onTestFinished(() => {
    tenant.close();
  });
  const random = seeded(seed);
  const requests: string[] = [];
  const inner = over((request) => tenant.fetch(request));
  const fetch: Fetch = async (request) => {
    requests.push(...(await loadNames(request)));
    const failed = graph.trouble(request);
    return failed ?? clock.busy(() => inner(request));
  };
  const { appId, secret } = tenant.admin.registerApplication('Backup', roles);
  const cloud = CLOUDS.Worldwide;
  const login = { fetch, cloud, clock, random };
  const ports: GraphPorts = {
    fetch,
    cloud,
    clock,
    random,
    governor: new Governor({ clock, random }),
    userAgent: 'ISV|Daybook|Daybook/1',
    tokens: applicationTokens(login, {
      directory: tenant.id,
      applicationId: appId,
      credential: { kind: 'secret', secret },
    }),
  };
  const stop = new AbortController();
  const waits: (Waiting | null)[] = [];
  const call: SourceCall = {
    signal: stop.signal,
    onWaiting: (waiting) => {
      waits.push(waiting);
    },
  };
  const graph: TenantGraph = {
    tenant,
    appId,
    ports,
    clock,
    call,
    stop,
    waits,
    requests,
    trouble: () => null,
  };
  return graph;
}

async function loadNames(request: Request): Promise<string[]> {
  const { pathname } = new URL(request.url);
  if (!pathname.endsWith('/$batch')) return [`${request.method} ${pathname}`];
  const { requests } = (await request.clone().json()) as {
    requests: { method: string; url: string }[];
  };
  return requests.map(({ method, url }) => `${method} /v1.0${url.split('?')[0]}`);
}

/** The people with a mailbox and a drive, as the tenant's directory has them. */
export const ordinaryPeople = ({ tenant }: TenantGraph) =>
  tenant.admin.listUsers().filter(({ mailbox, hasDrive }) => mailbox === 'user' && hasDrive);

/** Failures of every kind, by the seed. */
export function randomTrouble(seed: number, share: number, now: () => number): Trouble {
  const random = seeded(seed);
  const inRow = new Map<string, number>();
  return (request) => {
    if (new URL(request.url).hostname.startsWith('login.')) return null;
    const failures = inRow.get(request.url) ?? 0;
    if (random() >= share || failures > 2) {
      inRow.delete(request.url);
      return null;
    }
    inRow.set(request.url, failures + 1);
    const kinds: (() => Promise<Response> | Response)[] = [
      () => graphError(429, 'TooManyRequests', { 'retry-after': '7' }),
      () =>
        graphError(429, 'activityLimitReached', {
          'retry-after': new Date(now() + 20_000).toUTCString(),
        }),
      () => graphError(503, 'serviceNotAvailable'),
      () => graphError(500, 'generalException'),
      () => graphError(504, 'UnknownError'),
      () => new Promise(() => undefined),
      () => Promise.reject(new Error('broken')),
      () => new Response('{"value": [{"id"', { headers: { 'content-type': 'application/json' } }),
    ];
    return kinds[Math.floor(random() * kinds.length)]?.() ?? null;
  };
}

const resize = (text: string, size: number): string =>
  text.replaceAll(/maxpagesize=\d+/g, `maxpagesize=${size}`);

/** Pages of so many entries, whatever the client prefers. */
export const smallPages =
  (size: number) =>
  (fetch: Fetch): Fetch =>
  async (request) => {
    const headers = new Headers(request.headers);
    headers.set('prefer', resize(headers.get('prefer') ?? '', size));
    return request.url.endsWith('/$batch')
      ? fetch(
          new Request(request.url, {
            method: 'POST',
            headers,
            body: resize(await request.text(), size),
          }),
        )
      : fetch(new Request(request, { headers }));
  };

/** Loses the response to the n-th request from now on that writes, after it was carried out. */
export function losing() {
  let left: number | null = null;
  return {
    next(n: number | null): void {
      left = n;
    },
    over:
      (fetch: Fetch): Fetch =>
      async (request) => {
        const isWrite =
          !['GET', 'HEAD'].includes(request.method) && !request.url.includes('/$batch');
        const response = await fetch(request);
        if (left === null || !isWrite || new URL(request.url).hostname.startsWith('login.'))
          return response;
        left = left === 0 ? null : left - 1;
        if (left === null) throw new Error('The response is lost.');
        return response;
      },
  };
}
