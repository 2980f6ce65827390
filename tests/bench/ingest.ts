/**
 * How fast the real server takes results over HTTP: `server/main.ts` as a child process on a free
 * port, on the embedded database in a new folder and on a PostgreSQL of its own, the poster beside
 * it on the same machine. By itself: `node tests/bench/ingest.ts [--json] [--only pglite,postgres]
 * [--posters 6] [--rounds 13]`, flags of the server in SERVER_FLAGS.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { binaries, TEMPLATE, urlIn } from '../server/db/binaries.ts';
import { median, quantile, type Sheet, getTable } from './figures.ts';
import { type Batch, makeResults } from './results.ts';

const DATABASES = ['pglite', 'postgres'] as const;
interface Load {
  readonly posters: number;
  readonly rounds: number;
  readonly jobs: number;
  readonly keys: number;
  readonly batch: number;
}
const LOAD: Load = { posters: 6, rounds: 13, jobs: 2_000, keys: 10, batch: 200 };
/** Rounds before the clock starts: jobs are found, code and WebAssembly are compiled. */
const WARM_UP = 3;

/**
 * The figures are those of the rounds after the warm-up. A batch that is not accepted whole ends
 * the measurement.
 */
export async function benchIngest(
  say: (text: string) => void,
  load: Load = LOAD,
  only: readonly string[] = DATABASES,
): Promise<Sheet[]> {
  const values: Record<string, Figures> = {};
  const notes: string[] = [];
  for (const name of DATABASES.filter((one) => only.includes(one))) {
    if (name === 'postgres' && binaries() === null) {
      notes.push('postgres: no initdb in /usr/lib/postgresql/*/bin or PATH, left out');
      continue;
    }
    say(`  ingest on ${name} …`);
    const before = loadavg()[0] ?? 0;
    values[name] = await measure(name, load);
    notes.push(
      `${name}: load average ${before.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after`,
    );
  }
  const columns = Object.keys(values);
  const row = (what: keyof Figures, unit: string, goal?: string): Sheet['figures'][number] => ({
    what,
    unit,
    values: Object.fromEntries(columns.map((name) => [name, values[name]?.[what] ?? null])),
    ...(goal === undefined ? {} : { goal }),
  });
  return [
    {
      title: `Ingest over HTTP, batches of ${load.batch} by ${load.posters} posters with ${load.keys} keys, ${load.jobs} jobs, ${load.jobs * (load.rounds - WARM_UP)} runs`,
      columns,
      figures: [
        row('executions', '/s', '>= 10,000 on pglite, 15,000 on postgres'),
        row('batch, median', 'ms'),
        row('batch, 95 %', 'ms'),
        row('server', 'CPU s'),
        row('database', 'CPU s'),
        row('poster', 'CPU s'),
        row('server, per execution', 'CPU µs'),
        row('its main thread', 'CPU µs'),
      ],
      notes: [
        `${cpus().length} cores ${cpus()[0]?.model.trim()}, shared by server, database and posters.`,
        ...notes,
        'PostgreSQL runs without fsync here, as that of the tests does; PGlite as the product runs it.',
      ],
    },
  ];
}

type Figures = Record<
  | 'executions'
  | 'batch, median'
  | 'batch, 95 %'
  | 'server'
  | 'database'
  | 'poster'
  | 'server, per execution'
  | 'its main thread',
  number
>;

async function measure(name: (typeof DATABASES)[number], load: Load): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const cluster = name === 'postgres' ? await beginCluster() : null;
  let server: Server | null = null;
  try {
    server = await beginServer(join(folder, 'data'), cluster?.url ?? null);
    const secrets = await makeKeys(server.origin, load.keys);
    const batches = makeResults({ ...load, seed: 7 });
    const warm = (batches.length * WARM_UP) / load.rounds;
    await post(server.origin, secrets, batches.slice(0, warm), load.posters);
    const { pid } = server;
    const cpu = (): readonly [number, number, number, number] => [
      getCpu(pid),
      cluster?.cpu() ?? 0,
      (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
      getCpu(`${pid}/task/${pid}`),
    ];
    const [before, began] = [cpu(), performance.now()];
    const { times, accepted } = await post(
      server.origin,
      secrets,
      batches.slice(warm),
      load.posters,
    );
    const seconds = (performance.now() - began) / 1000;
    const [own = 0, database = 0, poster = 0, main = 0] = cpu().map(
      (one, index) => one - (before[index] ?? 0),
    );
    return {
      'executions': accepted / seconds,
      'batch, median': median(times),
      'batch, 95 %': quantile(times, 0.95),
      'server': own,
      database,
      poster,
      'server, per execution': (own * 1e6) / accepted,
      'its main thread': (main * 1e6) / accepted,
    };
  } finally {
    await server?.end();
    await cluster?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Batches in order, by so many posters at once. */
async function post(
  origin: URL,
  secrets: readonly string[],
  batches: readonly Batch[],
  posters: number,
): Promise<{ times: number[]; accepted: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: posters });
  const times: number[] = [];
  let accepted = 0;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let batch = batches[next++]; batch !== undefined; batch = batches[next++]) {
      const began = performance.now();
      const answer = (await ask(
        origin,
        'POST',
        'ingest/executions',
        secrets[batch.key] ?? '',
        batch.body,
        agent,
      )) as { accepted: number; duplicates: number; rejected: unknown[] };
      times.push(performance.now() - began);
      if (answer.duplicates + answer.rejected.length > 0)
        throw new Error(`Not accepted whole: ${JSON.stringify(answer)}`);
      accepted += answer.accepted;
    }
  };
  await Promise.all(Array.from({ length: posters }, work));
  agent.destroy();
  return { times, accepted };
}

async function makeKeys(origin: URL, count: number): Promise<string[]> {
  const agent = new Agent();
  const { token } = (await ask(
    origin,
    'POST',
    'auth/login/db',
    '',
    JSON.stringify({ username: 'admin', password: PASSWORD }),
    agent,
  )) as { readonly token: string };
  const secrets: string[] = [];
  for (let key = 0; key < count; key += 1) {
    const made = (await ask(
      origin,
      'POST',
      'monitoring/sources',
      token,
      JSON.stringify({ name: `Key ${key}`, companyN: 1, tool: 'restic' }),
      agent,
    )) as { readonly secret: string };
    secrets.push(made.secret);
  }
  return secrets;
}

function ask(
  origin: URL,
  method: string,
  path: string,
  bearer: string,
  body: string,
  agent: Agent,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
    };
    const sent = request(
      new URL(`/api/v1/${path}`, origin),
      { method, agent, headers },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (answer.statusCode === 200)
            resolve((JSON.parse(text) as { readonly data: unknown }).data);
          else reject(new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Server {
  readonly origin: URL;
  readonly pid: number;
  end(): Promise<void>;
}
const PASSWORD = 'the password of the benchmark';

async function beginServer(data: string, url: string | null): Promise<Server> {
  const env = {
    ...process.env,
    DAYBOOK_DATA: data,
    PORT: '0',
    HOST: '127.0.0.1',
    DAYBOOK_DEMO_PASSWORD: PASSWORD,
    DAYBOOK_ESTATE: 'none',
    DATABASE_URL: url ?? '',
  };
  const flags = (process.env['SERVER_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');
  const child = spawn(
    process.execPath,
    [...flags, join(import.meta.dirname, '../../server/main.ts')],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const origin = await new Promise<URL>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (said.length < 10_000) said += chunk.toString();
      const found = /Daybook is at (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(new URL(found));
    });
    child.once('exit', (code) => {
      reject(new Error(`The server ended with ${code}: ${said}`));
    });
  });
  return { origin, pid: child.pid ?? 0, end: () => ended(child) };
}

/** A PostgreSQL of its own, made as that of the tests. */
async function beginCluster(): Promise<{
  readonly url: string;
  cpu(): number;
  end(): Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-pg-'));
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../server/db/cluster.ts'), folder, String(process.pid)],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  while (!existsSync(join(folder, 'image.tar'))) {
    if (existsSync(join(folder, 'failed')))
      throw new Error(readFileSync(join(folder, 'failed'), 'utf8'));
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  const client = new Client(urlIn(folder, 'postgres'));
  await client.connect();
  await client.query(`create database bench template ${TEMPLATE}`);
  await client.end();
  const postmaster = Number(
    readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
  );
  return {
    url: urlIn(folder, 'bench'),
    cpu: () => getChildren(postmaster).reduce((sum, pid) => sum + getCpu(pid), 0),
    end: () => ended(child),
  };
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) {
      resolve();
      return;
    }
    child.once('exit', () => {
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/**
 * User and system seconds of a process, or of a thread of it (proc(5), at 100 ticks a second); 0 where it is gone or the
 * system tells nothing.
 */
const getCpu = (pid: number | string): number => {
  const fields = getStat(pid);
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
};
const getChildren = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(getStat(pid)[1]) === parent);

/** What stands after the command's name: state, parent, … */
function getStat(pid: number | string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}

function input(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

if (import.meta.main) {
  const json = process.argv.includes('--json');
  const load = {
    ...LOAD,
    posters: Number(input('--posters') ?? LOAD.posters),
    rounds: Number(input('--rounds') ?? LOAD.rounds),
  };
  const sheets = await benchIngest(
    (text) => {
      if (!json) console.log(text);
    },
    load,
    input('--only')?.split(',') ?? DATABASES,
  );
  console.log(json ? JSON.stringify(sheets, null, 2) : sheets.map(getTable).join('\n'));
}
