/**
 * How fast the real server takes results over HTTP: `server/main.ts` as a child process on a free
 * port, on the embedded database in a new folder and on a PostgreSQL of its own, the poster beside
 * it on the same machine. By itself: `node tests/bench/ingest.ts [--json] [--only pglite,postgres]
 * [--posters 6] [--rounds 13]`, flags of the server in SERVER_FLAGS, the folder of another checkout's
 * server in SERVER_CHECKOUT.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { binaries } from '../server/db/binaries.ts';
import { median, quantile, type Sheet, getTable } from './figures.ts';
import {
  ask,
  beginCluster,
  beginServer,
  getCpu,
  getThreadCpu,
  makeKeys,
  type Server,
} from './processes.ts';
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
        row('per execution', 'CPU µs'),
        row('main thread of the server', 'CPU µs'),
        row('its helpers of V8', 'CPU µs'),
        row('database', 'CPU µs'),
        row('poster', 'CPU µs'),
        row('statements a request', 'count'),
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
  | 'per execution'
  | 'main thread of the server'
  | 'its helpers of V8'
  | 'database'
  | 'poster'
  | 'statements a request',
  number
>;

async function measure(name: (typeof DATABASES)[number], load: Load): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const cluster = name === 'postgres' ? await beginCluster() : null;
  let server: Server | null = null;
  try {
    const file = join(folder, 'statements');
    server = await beginServer(
      join(folder, 'data'),
      cluster?.url ?? null,
      { STATEMENTS_FILE: file },
      undefined,
      ['--import', join(import.meta.dirname, 'count-statements.ts')],
    );
    const secrets = await makeKeys(server.origin, load.keys);
    const batches = makeResults({ ...load, seed: 7 });
    const warm = (batches.length * WARM_UP) / load.rounds;
    await post(server.origin, secrets, batches.slice(0, warm), load.posters);
    const { pid } = server;
    const used = (): Used => {
      const { main = 0, database = 0, V8Worker = 0 } = getThreadCpu(pid);
      return {
        main,
        database: database + (cluster?.cpu() ?? 0),
        helpers: V8Worker,
        poster: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
        all:
          getCpu(pid) +
          (cluster?.cpu() ?? 0) +
          (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
      };
    };
    const statements = await countStatements(pid, file);
    const [before, began] = [used(), performance.now()];
    const { times, accepted } = await post(
      server.origin,
      secrets,
      batches.slice(warm),
      load.posters,
    );
    const seconds = (performance.now() - began) / 1000;
    const after = used();
    const each = (what: keyof Used): number => ((after[what] - before[what]) * 1e6) / accepted;
    return {
      'executions': accepted / seconds,
      'batch, median': median(times),
      'batch, 95 %': quantile(times, 0.95),
      'per execution': each('all'),
      'main thread of the server': each('main'),
      'its helpers of V8': each('helpers'),
      'database': each('database'),
      'poster': each('poster'),
      'statements a request': ((await countStatements(pid, file)) - statements) / times.length,
    };
  } finally {
    await server?.end();
    await cluster?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Processor seconds. */
type Used = Readonly<Record<'main' | 'helpers' | 'database' | 'poster' | 'all', number>>;

/** Returns the number of statements that a server has sent so far. */
async function countStatements(pid: number, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text !== '') return Number(text);
    await setTimeout(1);
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
