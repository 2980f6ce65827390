import { expect, onTestFinished } from 'vitest';
import type { TenantSize } from '#server/demo/tenant/seed.ts';
import { type DemoTenant, createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { checkEntity, checkError, checkPage } from '../../fakes/graph-schema.ts';

export const NOON = Date.UTC(2026, 10, 23, 12);

const SMALL: Partial<TenantSize> = {
  people: 6,
  minMails: 30,
  maxMails: 40,
  minFiles: 10,
  maxFiles: 14,
  maxFileBytes: 60_000,
};

const READ_ROLES = [
  'Mail.Read',
  'Files.Read.All',
  'User.Read.All',
  'Organization.Read.All',
  'Group.Read.All',
  'Sites.Read.All',
  'MailboxSettings.Read',
] as const;

export interface Clock {
  now: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare JSON of many shapes with published examples
  readonly body: any;
}

/** A tenant with a clock, and an application that calls it. */
export interface Cloud {
  readonly tenant: DemoTenant;
  readonly clock: Clock;
  readonly client: { readonly appId: string; readonly secret: string };
  /** Calls Graph and checks that a refusal has its published form. */
  readonly call: (path: string, init?: RequestInit) => Promise<Answer>;
  /** Reads a collection's page and checks its entities. */
  readonly page: (type: string, path: string, headers?: Record<string, string>) => Promise<Answer>;
  /** Reads all pages of a collection. */
  readonly all: (
    type: string,
    path: string,
    headers?: Record<string, string>,
  ) => Promise<Answer['body'][]>;
  /** Reads an entity and checks it. */
  readonly one: (
    type: string,
    path: string,
    headers?: Record<string, string>,
  ) => Promise<Answer['body']>;
}

export async function aCloud(
  options: {
    readonly seed?: number;
    readonly roles?: readonly string[];
    readonly size?: Partial<TenantSize>;
  } = {},
): Promise<Cloud> {
  const clock = { now: NOON };
  const tenant = createDemoTenant({
    file: null,
    seed: options.seed ?? 7,
    now: () => clock.now,
    size: { ...SMALL, ...options.size },
  });
  onTestFinished(() => tenant.close());
  const client = tenant.admin.registerApplication('Backup', options.roles ?? READ_ROLES);
  let token = '';
  let tokenUntil = 0;
  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    if (clock.now >= tokenUntil) {
      token = await clientToken(tenant, client);
      tokenUntil = clock.now + 3_000_000;
    }
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
    const url = path.startsWith('https:') ? path : `https://graph.microsoft.com/v1.0${path}`;
    const response = await tenant.fetch(new Request(url, { redirect: 'manual', ...init, headers }));
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    const body: unknown = isJson
      ? await response.json()
      : Buffer.from(await response.arrayBuffer());
    if (response.status >= 400 && isJson) expect(checkError(body)).toEqual([]);
    return { status: response.status, headers: response.headers, body };
  };
  const page: Cloud['page'] = async (type, path, headers = {}) => {
    const answer = await call(path, { headers });
    expectSuccess(answer);
    expect(checkPage(type, answer.body)).toEqual([]);
    return answer;
  };
  return {
    tenant,
    clock,
    client,
    call,
    page,
    all: async (type, path, headers = {}) => {
      const found: unknown[] = [];
      for (let next: string | undefined = path; next !== undefined;) {
        const { body }: Answer = await page(type, next, headers);
        found.push(...body.value);
        next = body['@odata.nextLink'];
      }
      return found;
    },
    one: async (type, path, headers = {}) => {
      const answer = await call(path, { headers });
      expectSuccess(answer);
      expect(checkEntity(type, answer.body)).toEqual([]);
      return answer.body;
    },
  };
}

/** A refusal is shown with its message. */
function expectSuccess({ status, body }: Answer): void {
  expect({ status, body: status === 200 ? null : body }).toEqual({ status: 200, body: null });
}

export async function clientToken(
  tenant: DemoTenant,
  client: { readonly appId: string; readonly secret: string },
): Promise<string> {
  const { body } = await postForm(tenant, `${tenant.id}/oauth2/v2.0/token`, {
    grant_type: 'client_credentials',
    client_id: client.appId,
    client_secret: client.secret,
    scope: 'https://graph.microsoft.com/.default',
  });
  return body.access_token;
}

export async function postForm(
  tenant: DemoTenant,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<Answer> {
  const response = await tenant.fetch(
    new Request(`https://login.microsoftonline.com/${path}`, {
      method: 'POST',
      body: new URLSearchParams(form),
    }),
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Orders by the parts of each value as text. */
export const byText = (a: unknown, b: unknown): number => {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};
