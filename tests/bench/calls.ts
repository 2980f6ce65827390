/**
 * What people's calls cost over HTTP, on `server/main.ts` as a process of its own with the embedded database
 * in a new folder: `node tests/bench/calls.ts [--rows 10000] [--seconds 20] [--rate 500] [--clients 100]
 * [--estate large] [--json]`. Commands (G56): reviews of failed runs, begun at the rate whether earlier ones are
 * answered or not. Bootstrap storm (G60): all clients load everything at once, as a device without data
 * does. `--estate`: a demo of that size instead of `--rows` results.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_HEADERS } from '../../contract/sync/calls.ts';
import { DAYS_AT_ONCE } from '../../workers/startup/cold-start.ts';
import { getTable, median, quantile, type Sheet } from './figures.ts';
import { ask, beginServer, getCpu, makeKeys, PASSWORD } from './processes.ts';

const BATCH = 200;
const DAYS = 28;
/** Every tenth result is a failure, so that there is something to review. */
const FAILED_EVERY = 10;

function option(name: string, fallback: string): string {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : (process.argv[at + 1] ?? '');
}
const rows = Number(option('--rows', '10000'));
const seconds = Number(option('--seconds', '20'));
const rate = Number(option('--rate', '500'));
const clients = Number(option('--clients', '100'));
const demoSize = option('--estate', 'none');

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly body: Buffer;
  readonly ms: number;
}
function send(
  origin: URL,
  method: string,
  path: string,
  token: string,
  agent: Agent,
  body: string | null = null,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(`/api/v1/${path}`, origin),
      {
        method,
        agent,
        headers: {
          'authorization': `Bearer ${token}`,
          'accept-encoding': 'zstd, br, gzip',
          ...(body !== null && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          }),
          ...more,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const all = Buffer.concat(chunks);
          const status = answer.statusCode ?? 0;
          resolve({ status, bytes: all.length, body: all, ms: performance.now() - from });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

async function signIn(origin: URL, agent: Agent): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password: PASSWORD });
  const { token } = (await ask(origin, 'POST', 'auth/login/db', '', body, agent)) as {
    readonly token: string;
  };
  return token;
}

async function seed(origin: URL, agent: Agent): Promise<void> {
  const [key = ''] = await makeKeys(origin, 1);
  for (let from = 0; from < rows; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, rows - from) }, (_, of) => {
      const n = from + of;
      const startedAt = Date.now() - (n % (DAYS * 24)) * 3_600_000 - 60_000;
      const failed = n % FAILED_EVERY === 0;
      return {
        job: `Job ${n % (rows / 20)}`,
        externalId: `calls-${n}`,
        status: failed ? 'Failed' : 'Success',
        startTime: new Date(startedAt).toISOString(),
        endTime: new Date(startedAt + 30_000).toISOString(),
        ...(failed && { message: `Unable to connect to host srv-${n % 50}: timed out` }),
      };
    });
    await ask(origin, 'POST', 'ingest/executions', key, JSON.stringify(batch), agent);
  }
}

interface Loaded {
  readonly problems: readonly { readonly lastRun: number; readonly closedAt: number | null }[];
  readonly days: readonly { readonly day: string }[];
}
/** Loads everything, as a device without data does. Returns the bytes received. */
async function loadAll(origin: URL, token: string): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  try {
    const first = await send(origin, 'GET', 'sync/bootstrap?protocol=2', token, agent, null, {
      'accept-encoding': 'identity',
    });
    if (first.status !== 200) throw new Error(`The bootstrap got ${first.status}.`);
    let { bytes } = first;
    const { days } = (JSON.parse(first.body.toString()) as { readonly data: Loaded }).data;
    const names = days
      .map(({ day }) => day)
      .toSorted()
      .toReversed();
    for (let at = 0; at < names.length; at += DAYS_AT_ONCE) {
      const pages = await Promise.all(
        names
          .slice(at, at + DAYS_AT_ONCE)
          .map((day) => send(origin, 'GET', `sync/runs/${day}`, token, agent)),
      );
      for (const page of pages) {
        if (page.status !== 200) throw new Error(`A day got ${page.status}.`);
        bytes += page.bytes;
      }
    }
    return bytes;
  } finally {
    agent.destroy();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'daybook-calls-'));
const loadBefore = loadavg()[0] ?? 0;
const server = await beginServer(join(folder, 'data'), null, {
  DAYBOOK_ESTATE: demoSize,
  // All clients have one address here.
  DAYBOOK_CONNECTIONS: '10000',
  DAYBOOK_CONNECTIONS_PER_ADDRESS: '10000',
});
const { origin } = server;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
try {
  if (demoSize === 'none') await seed(origin, agent);
  const token = await signIn(origin, agent);
  const bootstrap = (await ask(
    origin,
    'GET',
    'sync/bootstrap?protocol=2',
    token,
    '',
    agent,
  )) as Loaded;
  const runs = bootstrap.problems.filter((one) => one.closedAt === null).map((one) => one.lastRun);
  if (runs.length === 0) throw new Error('There is nothing to review.');

  /** Sends reviews at the rate. */
  const review = async (count: number): Promise<readonly Answer[]> => {
    const began = performance.now();
    return Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const wait = began + (n * 1_000) / rate - performance.now();
        await new Promise((resolve) => void setTimeout(resolve, Math.max(0, wait)));
        const change = { kind: 'review', comment: `Seen ${n}` };
        return send(
          origin,
          'PUT',
          `monitoring/backoffice/jobExecutions/${runs[n % runs.length]}`,
          token,
          agent,
          JSON.stringify({ change }),
          {
            [COMMAND_HEADERS.key]: crypto.randomUUID(),
            [COMMAND_HEADERS.device]: crypto.randomUUID(),
            [COMMAND_HEADERS.order]: '1',
          },
        );
      }),
    );
  };
  await review(rate * 2);
  const cpuBefore = getCpu(server.pid);
  const from = performance.now();
  const reviews = await review(rate * seconds);
  const tookMs = performance.now() - from;
  const cpuOfCommands = getCpu(server.pid) - cpuBefore;
  const done = reviews.filter(({ status }) => status === 200);

  const quiet: number[] = [];
  for (let n = 0; n < 50; n += 1)
    quiet.push((await send(origin, 'GET', 'sync/last-sync', token, agent)).ms);
  const cpuFrom = getCpu(server.pid);
  const stormFrom = performance.now();
  const ended: number[] = [];
  const storm = new AbortController();
  const others: number[] = [];
  const probe = (async () => {
    while (!storm.signal.aborted) {
      others.push((await send(origin, 'GET', 'sync/last-sync', token, agent)).ms);
      await new Promise((resolve) => void setTimeout(resolve, 100));
    }
  })();
  const bytes = await Promise.all(
    Array.from({ length: clients }, async () => {
      const one = await loadAll(origin, token);
      ended.push(performance.now() - stormFrom);
      return one;
    }),
  );
  storm.abort();
  await probe;
  const sheet: Sheet = {
    title: `Calls over HTTP, ${demoSize === 'none' ? `${rows} results` : `the ${demoSize} estate`}, embedded database`,
    columns: ['daybook'],
    figures: (
      [
        ['commands answered', '/s', (done.length * 1_000) / tookMs, `>= ${rate}`],
        ['commands refused', '%', (100 * (reviews.length - done.length)) / reviews.length],
        ['command, median', 'ms', median(done.map(({ ms }) => ms))],
        [
          'command, 99 %',
          'ms',
          quantile(
            done.map(({ ms }) => ms),
            0.99,
          ),
          '<= 50',
        ],
        ['server, per command', 'CPU µs', (cpuOfCommands * 1e6) / reviews.length],
        [`${clients} clients without data, all loaded`, 's', Math.max(...ended) / 1_000, '<= 30'],
        ['the median of them', 's', median(ended) / 1_000],
        ['server, per client', 'CPU ms', ((getCpu(server.pid) - cpuFrom) * 1_000) / clients],
        ['received by a client', 'MB', median(bytes) / 1e6],
        ['another call meanwhile, 99 %', 'ms', quantile(others, 0.99)],
        ['the same call before, 99 %', 'ms', quantile(quiet, 0.99)],
      ] as const
    ).map(([what, unit, value, goal]) => ({
      what,
      unit,
      values: { daybook: value },
      ...(goal !== undefined && { goal }),
    })),
    notes: [
      `${cpus().length} cores ${cpus()[0]?.model.trim()}, shared by server, database and clients.`,
      `load average ${loadBefore.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after`,
    ],
  };
  console.log(process.argv.includes('--json') ? JSON.stringify([sheet], null, 2) : getTable(sheet));
} finally {
  agent.destroy();
  await server.end();
  rmSync(folder, { recursive: true, force: true });
}
