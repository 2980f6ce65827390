import { spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from '@playwright/test';
import type { Browser, Locator, Page } from '@playwright/test';
import { drop, hasPostgres, newDatabase } from './databases.ts';
import { copyFolder, MAKING_MS } from './folders.ts';
import { end, freePort, NODE, PASSWORD, serve } from './server-process.ts';
import type { Data, Demo } from './server-process.ts';
import { addProvider } from './shared-server.ts';

/** A provider with an administrator, a second technician and a reader, and a second provider. */
export interface SharedPortal {
  readonly url: string;
  readonly otherUrl: string;
  readonly password: string;
  stop(): Promise<void>;
}

/** A portal on a server of its own. */
export interface Portal extends SharedPortal {
  readonly dataDir: string;
  /** `DATABASE_URL` of the server; '' for the embedded database. */
  readonly databaseUrl: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Returns a portal without data, for one test. It shares its server with other tests if PostgreSQL
 * is installed. `besides`: usernames of more operators.
 */
export const openPortal = async (besides: readonly string[] = []): Promise<SharedPortal> =>
  hasPostgres() ? addProvider(besides) : startPortal('none', besides);

/**
 * Starts a server. `small`: with the small demo data. `besides`: usernames of more operators of the
 * first provider. It uses PostgreSQL if that is installed, which is twice as fast; `embedded`: the
 * embedded database in any case. `prepare`: adds data before the start.
 */
export async function startPortal(
  demoData: Demo = 'none',
  besides: readonly string[] = [],
  on: 'any' | 'embedded' = 'any',
  prepare: ((data: Data) => void) | null = null,
): Promise<Portal> {
  const postgres = on === 'any' && hasPostgres();
  const dataDir = await copyFolder(
    [postgres ? 'postgres' : 'embedded', demoData, ...besides],
    async (folder) => {
      const made = { folder, databaseUrl: postgres ? await newDatabase() : '' };
      writeFileSync(join(folder, MADE), made.databaseUrl);
      if (demoData === 'none') {
        seed(made, besides);
        return;
      }
      // Generating the history and the first backups takes half a minute, on a busy machine some,
      // mostly for the backups.
      const beganAt = Date.now();
      const port = await freePort();
      const first = await serve(made, demoData, port, MAKING_MS);
      await waitForBackups(
        { url: `http://localhost:${port}`, password: PASSWORD },
        MAKING_MS - (Date.now() - beganAt),
      );
      await end(first, 'SIGTERM');
      freezeTenants(folder);
    },
  );
  const data: Data = {
    folder: dataDir,
    databaseUrl: postgres ? await newDatabase(readFileSync(join(dataDir, MADE), 'utf8')) : '',
  };
  prepare?.(data);
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child = await serve(data, demoData, port);
  };
  await start();
  return {
    url: `http://localhost:${port}`,
    otherUrl: `http://other.localhost:${port}`,
    password: PASSWORD,
    dataDir,
    databaseUrl: data.databaseUrl,
    start,
    kill: () => end(child, 'SIGKILL'),
    async stop() {
      await end(child, 'SIGTERM');
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
      if (postgres) await drop(data.databaseUrl);
    },
  };
}

/** The file of a template folder with the URL of its database. */
const MADE = 'made-with';

function seed({ folder, databaseUrl }: Data, besides: readonly string[]): void {
  const seeded = spawnSync(NODE, ['tests/e2e/seed.ts', folder, PASSWORD, ...besides], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  if (seeded.status !== 0) throw new Error(`the portal could not be seeded: ${seeded.stderr}`);
}

/** Nothing happens in the simulated organizations any more, except what a test does. */
function freezeTenants(folder: string): void {
  const tenants = join(folder, 'demo-tenants');
  for (const file of readdirSync(tenants).filter((name) => name.endsWith('.sqlite'))) {
    const database = new DatabaseSync(join(tenants, file));
    database
      .prepare("update meta set value = ? where key = 'lived_until'")
      .run(String(Date.now() + 86_400_000));
    database.close();
  }
}

/** A page in a context of its own. */
export const newPage = async (browser: Browser): Promise<Page> =>
  (await browser.newContext({ reducedMotion: 'reduce' })).newPage();

export const expectTitle = (page: Page, name: string): Promise<void> =>
  expect(page.getByRole('heading', { level: 1, name })).toBeVisible();

/** Fills in and submits the sign-in form. */
export async function submitSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Signs in and opens the daily checks, whatever page the role starts with. */
export async function signIn(
  page: Page,
  url: string,
  username: string,
  password: string,
): Promise<void> {
  const list = new URL(url);
  if (list.pathname === '/') list.pathname = '/monitoring/daily-checks';
  await page.goto(list.href);
  await submitSignIn(page, username, password);
  await expectTitle(page, 'Daily checks');
}

/** The row of a job in the daily checks. */
export const getRow = (page: Page, job: string): Locator =>
  page.getByRole('row').filter({ hasText: job });

/** Returns a function that calls the API as a user and returns the data of the answer. */
export async function loadApi(
  portal: Pick<SharedPortal, 'url' | 'password'>,
  username: string,
  base = portal.url,
): Promise<(method: string, path: string, body?: unknown) => Promise<unknown>> {
  const json = { 'content-type': 'application/json' };
  const answer = await fetch(`${base}/api/v1/auth/login/db`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ username, password: portal.password }),
  });
  const { data, message } = (await answer.json()) as { data?: { token: string }; message?: string };
  if (data === undefined) throw new Error(`${username} can't sign in: ${message}`);
  type Details = { success: boolean; data: unknown; message?: string; error?: { kind: string } };
  const send = async (method: string, path: string, body?: unknown): Promise<Details> => {
    const request = await fetch(`${base}/api/v1/${path}`, {
      method,
      headers: { ...json, authorization: `Bearer ${data.token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await request.json()) as Details;
  };
  return async (method, path, body) => {
    let response = await send(method, path, body);
    // Five minutes after signing in, a sensitive call takes the password again, as on the page.
    if (
      response.error?.kind === 'reauth_required' &&
      (await send('POST', 'auth/reauth', { password: portal.password })).success
    )
      response = await send(method, path, body);
    if (!response.success) throw new Error(`${method} ${path}: ${response.message}`);
    return response.data;
  };
}

/** Waits until the demo's backup jobs have had a session, and none is running. */
export async function waitForBackups(
  portal: Pick<SharedPortal, 'url' | 'password'>,
  timeout = 230_000,
): Promise<void> {
  const api = await loadApi(portal, 'm365');
  /** The jobs that aren't there yet, with what their sessions do. */
  const listWaiting = async (withSessions: boolean): Promise<readonly string[]> => {
    const { rows } = (await api('GET', 'o365/jobs')) as {
      rows: { id: string; name: string; lastStatus: string | null }[];
    };
    if (rows.length === 0) return ['no job'];
    const waiting = rows.filter(
      ({ lastStatus }) => lastStatus === null || lastStatus === 'Running',
    );
    return Promise.all(
      waiting.map(async ({ id, name, lastStatus }) => {
        const detail = withSessions ? await api('GET', `o365/jobs/${id}/detail/latest`) : null;
        return `${name}: ${lastStatus ?? 'no session'} ${JSON.stringify(detail)}`;
      }),
    );
  };
  await expect
    .poll(() => listWaiting(false), { timeout })
    .toEqual([])
    .catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${(await listWaiting(true)).join('\n')}`);
    });
}

/** Creates an ingest key for the provider's first company and returns its secret. */
export async function createKey(
  portal: SharedPortal,
  username = 'admin',
  base = portal.url,
): Promise<string> {
  const api = await loadApi(portal, username, base);
  const made = (await api('POST', 'monitoring/sources', {
    name: `Key ${Math.random()}`,
    companyN: 1,
    tool: 'api',
  })) as { secret: string };
  return made.secret;
}

export interface Result {
  readonly job: string;
  readonly status: string;
  readonly message?: string;
  readonly startTime?: string;
  readonly [field: string]: unknown;
}

/** Posts results with an ingest key. */
export async function post(
  base: string,
  secret: string,
  results: readonly Result[],
): Promise<void> {
  const now = Date.now();
  const body = results.map((one, i) => ({
    startTime: new Date(now - 600_000 - i).toISOString(),
    endTime: new Date(now - 1_000).toISOString(),
    computer: 'SRV-1',
    ...one,
  }));
  const answer = await fetch(`${base}/api/v1/ingest/executions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'authorization': `Bearer ${secret}` },
    body: JSON.stringify(body),
  });
  const output = (await answer.json()) as { data?: { rejected: unknown[] } };
  if (!answer.ok || output.data?.rejected.length !== 0)
    throw new Error(`not accepted: ${JSON.stringify(output)}`);
}
