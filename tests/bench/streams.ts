/**
 * What open streams cost on two servers with one PostgreSQL, over loopback: `node tests/bench/streams.ts
 * [--streams 200,500] [--seconds 30] [--rate 20] [--one] [--pull] [--before CHECKOUT] [--json]`. Results
 * are posted to the first server, one a request; half of the streams are on each. `--one`: all streams
 * are on the first server, and the second one is idle. `--pull`: each stream also
 * fetches the events after a poke that doesn't carry them, one call at a time, as devices do. `--before`: another checkout whose
 * servers are measured in the same run, for comparison.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { makeAppContext } from '../../server/make-app-context.ts';
import { makeUser } from '../../server/features/users/create-user.ts';
import { openSession } from '../../server/platform/auth/sessions.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { openStore } from '../../server/platform/db/open.ts';
import { systemChance } from '../../server/platform/random.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { TenantId } from '../../contract/ids.ts';
import { getTable, median, quantile, type Sheet } from './figures.ts';
import { ask, beginCluster, beginServer, getCpu, makeKeys, type Server } from './processes.ts';

const SECRET_KEY = Buffer.alloc(32, 3).toString('base64url');
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** The first seconds are not counted: streams open, and code is compiled. */
const WARM_UP_S = 5;
/** A stream that has not heard of a result by then fails the benchmark. */
const LONGEST_LAG_S = 60;

interface Load {
  readonly streams: number;
  readonly seconds: number;
  /** Results a second. */
  readonly rate: number;
  readonly pulls: boolean;
  /** All streams are on the ingesting server. */
  readonly isOne: boolean;
}

const ROWS = {
  'lag on the same server, median': 'ms',
  'lag on the same server, 95 %': 'ms',
  'lag on the same server, 99 %': 'ms',
  'lag on the other server, median': 'ms',
  'lag on the other server, 95 %': 'ms',
  'lag on the other server, 99 %': 'ms',
  'growth of the lag on the same server': 'ms/min',
  'ingest acknowledged, median': 'ms',
  'ingest acknowledged, 99 %': 'ms',
  'ingest refused as busy': '%',
  'ingesting server': 'CPU s',
  'other server': 'CPU s',
  'database': 'CPU s',
  'servers, for each stream and result': 'CPU µs',
  'pokes': '/s',
  'pokes with events': '%',
  'received by a stream': 'kB/s',
  'memory of the ingesting server': 'MB',
} as const;
type Figures = Record<keyof typeof ROWS, number>;

/** When a stream heard that the log has reached a number, and with how many bytes. */
type Heard = {
  readonly head: number;
  readonly at: number;
  readonly hasEvents: boolean;
  readonly bytes: number;
}[];

function openStream(origin: URL, token: string, agent: Agent, pulls: boolean): Promise<Heard> {
  const heard: Heard = [];
  let cursor = 0;
  let wanted = 0;
  let isPulling = false;
  async function pull(epoch: string): Promise<void> {
    isPulling = true;
    cursor ||= wanted;
    while (cursor < wanted) {
      const page = (await ask(
        origin,
        'GET',
        `sync/events?after=${cursor}&epoch=${encodeURIComponent(epoch)}&protocol=2`,
        token,
        '',
        agent,
      ).catch(() => null)) as { readonly cursor: number } | null;
      if (page === null) break;
      cursor = page.cursor;
    }
    isPulling = false;
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL('/api/v1/sync/stream?protocol=2', origin),
      { agent, headers: { authorization: `Bearer ${token}` } },
      (answer) => {
        if (answer.statusCode !== 200) {
          reject(new Error(`A stream got ${answer.statusCode}.`));
          return;
        }
        let text = '';
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          const lines = text.split('\n\n');
          text = lines.pop() ?? '';
          for (const line of lines) {
            const [, head, epoch = ''] = /"head","head":(\d+),"epoch":"([^"]+)"/.exec(line) ?? [];
            if (head === undefined) continue;
            const hasEvents = line.includes('"page":{') || line.includes('"packed":"');
            heard.push({
              head: Number(head),
              at: performance.now(),
              hasEvents,
              bytes: line.length + 2,
            });
            wanted = Number(head);
            // Only the first poke has none, and each later one continues the one before.
            if (hasEvents && !isPulling && cursor > 0) cursor = wanted;
            if (pulls && !isPulling && cursor < wanted) void pull(epoch);
          }
        });
        answer.on('error', () => undefined);
        resolve(heard);
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

async function measure(load: Load, checkout?: string): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-streams-'));
  const cluster = await beginCluster();
  const servers: Server[] = [];
  const store = await openStore({
    dataDir: '',
    databaseUrl: cluster.url,
    log: QUIET,
    clock: systemClock,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  try {
    const begin = (name: string): Promise<Server> =>
      beginServer(
        join(folder, name),
        cluster.url,
        {
          DAYBOOK_SECRET_KEY: SECRET_KEY,
          DAYBOOK_CONNECTIONS: '10000',
          DAYBOOK_CONNECTIONS_PER_ADDRESS: '10000',
        },
        checkout,
      );
    const first = await begin('first');
    const second = await begin('second');
    servers.push(first, second);
    const tenant = (await store.tenants())[0] as TenantId;
    const keys = await makeKeys(first.origin, 60);
    const tokens = await openSessions(tenant, load.streams);
    const heard: { readonly isSame: boolean; readonly of: Heard }[] = [];
    for (const [n, token] of tokens.entries()) {
      const isSame = load.isOne || n % 2 === 0;
      heard.push({
        isSame,
        of: await openStream((isSame ? first : second).origin, token, agent, load.pulls),
      });
    }
    await postAll(0, WARM_UP_S);
    const cpu = (): readonly number[] => [getCpu(first.pid), getCpu(second.pid), cluster.cpu()];
    const before = cpu();
    const posts = await postAll(WARM_UP_S, load.seconds);
    const used = cpu().map((one, n) => one - (before[n] ?? 0));
    const seqs = await loadNumbers(tenant);
    const last = Math.max(...posts.map(({ uid }) => seqs.get(uid) ?? 0));
    for (let s = 0; s < LONGEST_LAG_S; s += 1) {
      if (heard.every(({ of }) => (of.at(-1)?.head ?? 0) >= last)) break;
      await new Promise((resolve) => void setTimeout(resolve, 1_000));
    }
    const lags = { same: [] as number[], other: [] as number[] };
    /** When each result was sent, in minutes, and its lag on the same server. */
    const course: { readonly x: number; readonly y: number }[] = [];
    let [pokes, withEvents, bytes] = [0, 0, 0];
    const [from, to] = [posts[0]?.at ?? 0, posts.at(-1)?.at ?? 0];
    for (const { isSame, of } of heard) {
      let n = 0;
      const counted = of.filter(({ at }) => at >= from && at <= to);
      pokes += counted.length;
      withEvents += counted.filter(({ hasEvents }) => hasEvents).length;
      bytes += counted.reduce((sum, one) => sum + one.bytes, 0);
      for (const { uid, at } of posts) {
        const seq = seqs.get(uid);
        if (seq === undefined) throw new Error('A result is not in the log.');
        n = of.findIndex(({ head }, index) => index >= Math.max(0, n - load.rate) && head >= seq);
        const poke = of[n];
        if (poke === undefined) throw new Error('A stream has not heard of a result.');
        lags[isSame ? 'same' : 'other'].push(poke.at - at);
        if (isSame) course.push({ x: (at - from) / 60_000, y: poke.at - at });
      }
    }
    const acknowledged = posts.map(({ ms }) => ms);
    return {
      'lag on the same server, median': median(lags.same),
      'lag on the same server, 95 %': quantile(lags.same, 0.95),
      'lag on the same server, 99 %': quantile(lags.same, 0.99),
      'lag on the other server, median': median(lags.other),
      'lag on the other server, 95 %': quantile(lags.other, 0.95),
      'lag on the other server, 99 %': quantile(lags.other, 0.99),
      'growth of the lag on the same server': getSlope(course),
      'ingest acknowledged, median': median(acknowledged),
      'ingest acknowledged, 99 %': quantile(acknowledged, 0.99),
      'ingest refused as busy':
        (100 * (load.seconds * load.rate - posts.length)) / (load.seconds * load.rate),
      'ingesting server': used[0] ?? 0,
      'other server': used[1] ?? 0,
      'database': used[2] ?? 0,
      'servers, for each stream and result':
        (((used[0] ?? 0) + (used[1] ?? 0)) * 1_000_000) / (load.streams * posts.length),
      'pokes': (pokes * 1000) / (to - from),
      'pokes with events': (withEvents * 100) / pokes,
      'received by a stream': bytes / heard.length / (to - from),
      'memory of the ingesting server': getMemoryMb(first.pid),
    };

    /** Posts at the rate, whether earlier ones are acknowledged or not. */
    async function postAll(
      fromS: number,
      seconds: number,
    ): Promise<readonly { uid: string; at: number; ms: number }[]> {
      const posting = new Agent({ keepAlive: true });
      const began = performance.now();
      const sent = Array.from({ length: seconds * load.rate }, async (_, n) => {
        const wait = began + (n * 1000) / load.rate - performance.now();
        await new Promise((resolve) => void setTimeout(resolve, Math.max(0, wait)));
        const uid = `streams-${fromS}-${n}`;
        const at = performance.now();
        const ended = new Date(Date.now() - 60_000).toISOString();
        const answer = await ask(
          first.origin,
          'POST',
          'ingest/executions',
          keys[n % keys.length] ?? '',
          JSON.stringify([
            {
              job: `Job ${n % 300}`,
              externalId: uid,
              status: 'Success',
              startTime: new Date(Date.now() - 120_000 - n).toISOString(),
              endTime: ended,
            },
          ]),
          posting,
        ).catch(() => null);
        return answer === null ? [] : [{ uid, at, ms: performance.now() - at }];
      });
      const posts = (await Promise.all(sent)).flat();
      posting.destroy();
      return posts;
    }
  } finally {
    agent.destroy();
    await store.close();
    for (const server of servers) await server.end();
    await cluster.end();
    rmSync(folder, { recursive: true, force: true });
  }

  /** Opens sessions of as many users as the limit of streams needs. */
  async function openSessions(tenant: TenantId, count: number): Promise<readonly string[]> {
    const context = makeAppContext({
      store,
      clock: systemClock,
      chance: systemChance,
      log: QUIET,
      config: {
        port: 0,
        dataDir: folder,
        databaseUrl: cluster.url,
        pageDir: null,
        trustedProxies: [],
        secretKey: SECRET_KEY,
      },
    });
    const key = await context.sessionKey();
    const tokens: string[] = [];
    // Each server allows a user as many streams.
    for (let n = 0; n < count; n += LIMITS.streamsPerUser) {
      const userId = await makeUser(context, tenant, {
        username: `reader-${n}`,
        name: `Reader ${n}`,
        email: `reader-${n}@example.com`,
        password: 'the password of a reader',
        roles: ['operator'],
        companies: null,
      });
      for (let of = n; of < Math.min(count, n + LIMITS.streamsPerUser); of += 1) {
        const opened = await store.tenant(tenant, (tx) =>
          openSession(tx, context, key, {
            userId,
            now: Date.now(),
            ip: '127.0.0.1',
            agent: 'bench',
          }),
        );
        tokens.push(opened.pair.access);
      }
    }
    return tokens;
  }

  /** Returns the event's number of each posted result. */
  async function loadNumbers(tenant: TenantId): Promise<ReadonlyMap<string, number>> {
    const { rows } = await store.tenant(
      tenant,
      (tx) =>
        sql<{ uid: string; seq: number }>`
          select data->>'uid' as uid, max(seq) as seq from event
          where tenant_id = ${tx.tenant}::uuid and data->>'uid' is not null group by 1`.execute(
          tx.sql,
        ),
      { readOnly: true },
    );
    return new Map(rows.map(({ uid, seq }) => [uid, seq]));
  }
}

/** The slope of the line that fits the points best (least squares). */
function getSlope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (of: 'x' | 'y'): number =>
    points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [mean('x'), mean('y')];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
}

/** What a process has in memory (`VmRSS` in proc(5)). */
const getMemoryMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

function input(name: string, fallback: string): string {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : (process.argv[at + 1] ?? '');
}

if (import.meta.main) {
  const json = process.argv.includes('--json');
  const before = input('--before', '');
  const [seconds, rate] = [Number(input('--seconds', '30')), Number(input('--rate', '20'))];
  const pulls = process.argv.includes('--pull');
  const isOne = process.argv.includes('--one');
  const sheets: Sheet[] = [];
  for (const streams of input('--streams', '200,500').split(',').map(Number)) {
    const load = { streams, seconds, rate, pulls, isOne };
    const notes: string[] = [];
    const values: Record<string, Figures> = {};
    for (const [name, checkout] of [
      ...(before === '' ? [] : [['before', before] as const]),
      ['now', undefined] as const,
    ]) {
      if (!json) console.log(`  ${streams} streams, ${name} …`);
      const loadBefore = loadavg()[0] ?? 0;
      values[name] = await measure(load, checkout);
      notes.push(
        `${name}: load average ${loadBefore.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after`,
      );
    }
    const sheet: Sheet = {
      title: `${streams} streams on ${isOne ? 'one server' : 'two servers'}, ${rate} results a second for ${seconds} s${pulls ? ', with a call for each poke' : ''}`,
      columns: Object.keys(values),
      figures: Object.entries(ROWS).map(([what, unit]) => ({
        what,
        unit,
        values: Object.fromEntries(
          Object.entries(values).map(([name, one]) => {
            const figure = one[what as keyof Figures];
            // Without streams on the other server, there is no lag to it.
            return [name, Number.isNaN(figure) ? null : figure];
          }),
        ),
      })),
      notes: [
        `${cpus().length} cores ${cpus()[0]?.model.trim()}, shared by servers, database and clients.`,
        ...notes,
        'Lag: from sending a result to the poke for it.',
      ],
    };
    sheets.push(sheet);
    if (!json) console.log(getTable(sheet));
  }
  if (json) console.log(JSON.stringify(sheets, null, 2));
}
