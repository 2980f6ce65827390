/**
 * A client that knows of a server only its public API: it posts results and changes problems without a
 * pause, and remembers what was acknowledged. `compareLedger` then looks for it in a database.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { TenantId } from '../../contract/ids.ts';
import type { OpenStore } from '../../server/platform/db/open.ts';
import { isSound, verify } from '../../server/platform/events/verify.ts';

/** What was acknowledged. Times are those of `performance.now()`. */
export interface Entry {
  /** The ID of a command, or those of the results of one request. */
  readonly ids: readonly string[];
  readonly sentAt: number;
  readonly acknowledgedAt: number;
}

export interface Ledger {
  readonly results: readonly Entry[];
  readonly commands: readonly Entry[];
  /** Requests that were sent again because there was no answer, or one that asked for it. */
  readonly repeats: { count: number };
  /** Resolves when every request that was sent is acknowledged. Rejects if one was refused. */
  stop(): Promise<void>;
}

export interface LedgerOptions {
  /** Where the server is now: it may have been started again. */
  readonly getOrigin: () => string;
  readonly password: string;
  readonly posters: number;
  /** How long each waits after an answer. */
  readonly pauseMs: number;
}

/** Results of one request. They are stored together or not at all. */
const BATCH = 5;
/** A key may post sixty times a minute. */
const KEYS = 20;
const LONGEST_MS = 30_000;

/** Waits for the server, makes keys and the first problem, and begins. */
export async function keepLedger(options: LedgerOptions): Promise<Ledger> {
  const results: Entry[] = [];
  const commands: Entry[] = [];
  const repeats = { count: 0 };
  const stopping = new AbortController();
  let token = '';

  /** Sends a request until it is acknowledged. */
  async function send(
    path: string,
    method: string,
    body: unknown,
    headers: () => Readonly<Record<string, string>>,
  ): Promise<unknown> {
    for (let tries = 0; ; tries += 1) {
      if (tries > 0) repeats.count += 1;
      let waitMs = Math.min(1_000, 50 * 2 ** tries);
      try {
        const response = await fetch(new URL(`/api/v1/${path}`, options.getOrigin()), {
          method,
          headers: { 'content-type': 'application/json', ...headers() },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(LONGEST_MS),
        });
        const text = await response.text();
        if (response.ok) return (JSON.parse(text) as { readonly data: unknown }).data;
        if (response.status === 401 && path !== 'auth/login/db') await signIn();
        else if (response.status !== 429 && response.status < 500)
          throw new Refused(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
        const seconds = Number(response.headers.get('retry-after') ?? 0);
        waitMs = Math.max(waitMs, Math.min(5, seconds) * 1_000);
      } catch (error) {
        if (error instanceof Refused) throw error;
      }
      await pause(waitMs);
    }
  }

  async function signIn(): Promise<void> {
    const body = { username: 'admin', password: options.password };
    const data = (await send('auth/login/db', 'POST', body, () => ({}))) as {
      readonly token: string;
    };
    token = data.token;
  }

  const asUser = (): Record<string, string> => ({ authorization: `Bearer ${token}` });

  async function postResults(secret: string, batch: readonly Result[]): Promise<void> {
    const sentAt = performance.now();
    const bearer = () => ({ authorization: `Bearer ${secret}` });
    const answer = (await send('ingest/executions', 'POST', batch, bearer)) as {
      readonly accepted: number;
      readonly duplicates: number;
    };
    if (answer.accepted + answer.duplicates !== batch.length)
      throw new Refused(`Not accepted whole: ${JSON.stringify(answer)}`);
    const ids = batch.map((one) => one.externalId);
    results.push({ ids, sentAt, acknowledgedAt: performance.now() });
  }

  async function post(poster: number, secrets: readonly string[]): Promise<void> {
    for (let n = 1; !stopping.signal.aborted; n += 1) {
      const secret = secrets[(n * options.posters + poster) % secrets.length] ?? '';
      const key = (n * options.posters + poster) % secrets.length;
      await postResults(
        secret,
        Array.from({ length: BATCH }, (_, index) => getResult(key, poster, n, index)),
      );
      await pause(options.pauseMs);
    }
  }

  /** Reviews and reopens one problem in turn. */
  async function command(): Promise<void> {
    const device = randomUUID();
    for (let n = 1; !stopping.signal.aborted; n += 1) {
      const id = randomUUID();
      const change = n % 2 === 1 ? { kind: 'review', comment: `Seen ${n}` } : { kind: 'reopen' };
      const sentAt = performance.now();
      const answer = (await send(
        'monitoring/backoffice/jobExecutions/1',
        'PUT',
        { change },
        () => ({
          ...asUser(),
          'idempotency-key': id,
          'daybook-device': device,
          'daybook-order': String(n),
        }),
      )) as { readonly accepted: number };
      if (answer.accepted !== 1) throw new Refused(JSON.stringify(answer));
      commands.push({ ids: [id], sentAt, acknowledgedAt: performance.now() });
      await pause(options.pauseMs);
    }
  }

  await signIn();
  const secrets: string[] = [];
  for (let key = 0; key < KEYS; key += 1) {
    const made = (await send(
      'monitoring/sources',
      'POST',
      { name: `Ledger ${key}`, companyN: 1, tool: 'restic' },
      asUser,
    )) as { readonly secret: string };
    secrets.push(made.secret);
  }
  const failure = { ...getResult(0, -1, 0, 0), status: 'Failed', message: 'Fatal: no repository' };
  await postResults(secrets[0] ?? '', [failure]);
  const work = [
    command(),
    ...Array.from({ length: options.posters }, (_, poster) => post(poster, secrets)),
  ];
  const done = Promise.all(work);
  done.catch(() => {
    stopping.abort();
  });
  return {
    results,
    commands,
    repeats,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

class Refused extends Error {}

type Result = ReturnType<typeof getResult>;
const FIRST = Date.UTC(2026, 0, 1);

/** Each request names jobs of its key; each result of a job begins later than the one before. */
function getResult(key: number, poster: number, n: number, index: number) {
  const startedAt = FIRST + (n * 100 + poster + 1) * 1_000;
  return {
    job: `Backup ${key} of server ${index}`,
    jobInstanceUid: `job-${key}-${poster}-${index}`,
    computer: `srv-${index}.example.com`,
    source: 'restic',
    type: 'Backup',
    externalId: `${poster}-${n}-${index}`,
    status: 'Success',
    startTime: new Date(startedAt).toISOString(),
    endTime: new Date(startedAt + 500).toISOString(),
    bytesTransferred: 1_000_000 + ((n * 7_919) % 1_000),
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** What a database has of a ledger. */
export interface Comparison {
  /** IDs that were acknowledged before `before`, and are not in the log. */
  readonly missing: readonly string[];
  /** IDs that are in the log more than once. */
  readonly doubled: readonly string[];
  /** Results that are there while another one of their request is not. */
  readonly torn: readonly string[];
  /** How many results and commands of the ledger are there. */
  readonly stored: number;
  /** Whether the chain of hashes is whole, and all rows are those of the log. */
  readonly isSound: boolean;
}

/** Looks in the log of the only provider. `before`: a time of `performance.now()`. */
export async function compareLedger(
  store: OpenStore,
  { results, commands }: Pick<Ledger, 'results' | 'commands'>,
  before = Infinity,
): Promise<Comparison> {
  const [tenant] = await store.tenants();
  if (tenant === undefined) throw new Error('There is no provider.');
  const counts = await countIds(store, tenant);
  const entries = [...results, ...commands];
  const isThere = (id: string): boolean => counts.has(id);
  return {
    missing: entries
      .filter((one) => one.acknowledgedAt <= before)
      .flatMap((one) => one.ids.filter((id) => !isThere(id))),
    doubled: [...counts].filter(([, count]) => count > 1).map(([id]) => id),
    torn: findTorn([...counts.keys()]),
    stored: entries.flatMap(({ ids }) => ids.filter(isThere)).length,
    isSound: (await verify(store)).every(isSound),
  };
}

/** Also requests that were never acknowledged are stored whole or not at all. */
function findTorn(ids: readonly string[]): readonly string[] {
  const requests = new Map<string, string[]>();
  for (const id of ids) {
    const request = /^(\d+-\d+)-\d+$/.exec(id)?.[1];
    if (request !== undefined) requests.set(request, [...(requests.get(request) ?? []), id]);
  }
  return [...requests.values()].filter((one) => one.length !== BATCH).flat();
}

/** How often the log has each result, by the ID that its client gave it, and each command. */
const countIds = (store: OpenStore, tenant: TenantId): Promise<ReadonlyMap<string, number>> =>
  store.tenant(
    tenant,
    async (tx) => {
      const { rows } = await sql<{ readonly id: string; readonly count: number }>`
        select id, count(*)::int as count from (
          select data->>'uid' as id from event where tenant_id = ${tenant} and type = 'run.finished@1'
          union all
          select command_id::text from event
          where tenant_id = ${tenant} and type in ('problem.reviewed@1', 'problem.reopened@1')
        ) as one group by id`.execute(tx.sql);
      return new Map(rows.map(({ id, count }) => [id, count]));
    },
    { readOnly: true, long: true },
  );
