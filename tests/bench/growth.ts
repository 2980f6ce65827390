/**
 * What becomes slower in ten years: `server/main.ts` as a process of its own with the embedded
 * database in a new folder, events older than 400 days archived, and a clock that is moved ahead by
 * a month after the results of each. By itself: `node tests/bench/growth.ts [--json]`, `JOBS` (100,
 * each with a result a day), `YEARS` (10).
 */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { COMMAND_HEADERS } from '../../contract/sync/calls.ts';
import { getTable, median, quantile, type Figure, type Sheet } from './figures.ts';
import { ask, beginServer, getCpu, makeKeys, PASSWORD, type Server } from './processes.ts';
import { makeResults } from './results.ts';

const DAY = 86_400_000;
/** A month has 30 days here, and a year twelve such months and five days. */
const MONTH_DAYS = 30;
const YEAR_DAYS = 365;
const BATCH = 200;
const ARCHIVE_AFTER_DAYS = 400;
const MEASURED_YEARS = [1, 3, 5, 10];
/** Moments without a change after which the server counts as quiet: its jobs look every 5 s. */
const QUIET_LOOKS = 4;
const LOOK_MS = 3_000;
const REQUESTS = 300;
const STARTS = 3;

interface Figures {
  readonly results: number;
  readonly databaseMb: number;
  readonly archiveMb: number;
  readonly ingestPerSecond: number;
  readonly ingestCpuUs: number;
  readonly commandMs: number;
  readonly commandCpuMs: number;
  readonly pageMs: number;
  readonly pageCpuMs: number;
  readonly bootstrapMs: number;
  readonly openingMs: number;
}

export async function benchGrowth(
  say: (text: string) => void,
  jobs = Number(process.env['JOBS'] ?? 100),
  years = Number(process.env['YEARS'] ?? 10),
): Promise<Sheet[]> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-growth-'));
  const data = join(folder, 'data');
  const clockFile = join(folder, 'clock');
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  const began = Date.now() - years * YEAR_DAYS * DAY;
  let day = 0;
  const moveClock = (server: Server | null): void => {
    writeFileSync(clockFile, String(began + day * DAY - Date.now()));
    if (server !== null) process.kill(server.pid, 'SIGUSR2');
  };
  const start = (): Promise<Server> => {
    moveClock(null);
    return beginServer(
      data,
      null,
      { CLOCK_FILE: clockFile, DAYBOOK_ARCHIVE_AFTER_DAYS: String(ARCHIVE_AFTER_DAYS) },
      undefined,
      ['--import', join(import.meta.dirname, 'moved-clock.ts')],
    );
  };
  const loadBefore = loadavg()[0] ?? 0;
  let server = await start();
  const measured = new Map<number, Figures>();
  let results = 0;
  try {
    const [key = ''] = await makeKeys(server.origin, 1);
    /** Moves the clock by so many days, and posts their results. Returns the seconds that it took. */
    const addDays = async (days: number): Promise<{ seconds: number; cpu: number }> => {
      const batches = makeResults({
        jobs,
        keys: 1,
        rounds: days,
        batch: BATCH,
        seed: day + 1,
        first: began + day * DAY,
      });
      day += days;
      moveClock(server);
      const [from, cpu] = [performance.now(), getCpu(server.pid)];
      for (const { body } of batches)
        await ask(server.origin, 'POST', 'ingest/executions', key, body, agent);
      results += jobs * days;
      return { seconds: (performance.now() - from) / 1_000, cpu: getCpu(server.pid) - cpu };
    };
    for (let year = 1; year <= years; year += 1) {
      let ingested = { seconds: 0, cpu: 0 };
      let days = YEAR_DAYS % MONTH_DAYS;
      await addDays(days);
      for (days = 0; days + MONTH_DAYS <= YEAR_DAYS; days += MONTH_DAYS) {
        const one = await addDays(MONTH_DAYS);
        ingested = { seconds: ingested.seconds + one.seconds, cpu: ingested.cpu + one.cpu };
      }
      if (!MEASURED_YEARS.includes(year) && year !== years) continue;
      say(`  year ${year} …`);
      await rest(server, agent);
      const calls = await measureCalls(server, agent, began + day * DAY);
      const openings: number[] = [];
      for (let turn = 0; turn < STARTS; turn += 1) {
        await server.end();
        const from = performance.now();
        server = await start();
        openings.push(performance.now() - from);
      }
      const posted = jobs * days;
      measured.set(year, {
        results,
        databaseMb: getBytes(join(data, 'pg')) / 1e6,
        archiveMb: getBytes(join(data, 'archive')) / 1e6,
        ingestPerSecond: posted / ingested.seconds,
        ingestCpuUs: (ingested.cpu * 1e6) / posted,
        ...calls,
        openingMs: median(openings),
      });
    }
  } finally {
    agent.destroy();
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  }
  return [makeSheet(measured, jobs, loadBefore)];
}

const ROWS: readonly (readonly [keyof Figures, what: string, unit: string])[] = [
  ['results', 'results', 'count'],
  ['databaseMb', 'database', 'MB'],
  ['archiveMb', 'archive', 'MB'],
  ['ingestPerSecond', 'ingest by one poster', '/s'],
  ['ingestCpuUs', 'server, per execution', 'CPU µs'],
  ['commandMs', 'command, 99 %', 'ms'],
  ['commandCpuMs', 'server, per command', 'CPU ms'],
  ['pageMs', 'page of 10 results, 99 %', 'ms'],
  ['pageCpuMs', 'server, per page', 'CPU ms'],
  ['bootstrapMs', 'bootstrap, median', 'ms'],
  ['openingMs', 'start of the server, median', 'ms'],
];

function makeSheet(
  measured: ReadonlyMap<number, Figures>,
  jobs: number,
  loadBefore: number,
): Sheet {
  const years = [...measured.keys()];
  const [first = 0] = years;
  const figures = ROWS.flatMap(([name, what, unit]): Figure[] => {
    const base = measured.get(first)?.[name] ?? Number.NaN;
    const values = years.map((year) => [year, measured.get(year)?.[name] ?? null] as const);
    const beside = values.map(
      ([year, value]) =>
        [`year ${year}`, value === null ? null : (value / base - 1) * 100] as const,
    );
    return [
      {
        what,
        unit,
        values: Object.fromEntries(values.map(([year, value]) => [`year ${year}`, value])),
      },
      ...(/MB|count/.test(unit)
        ? []
        : [
            {
              what: `  ${what}, beside year ${first}`,
              unit: '%',
              values: Object.fromEntries(beside),
            },
          ]),
    ];
  });
  return {
    title: `Growth: ${jobs} jobs with a result a day, events archived after ${ARCHIVE_AFTER_DAYS} days, embedded database`,
    columns: years.map((year) => `year ${year}`),
    figures,
    notes: [
      `${cpus().length} cores ${cpus()[0]?.model.trim()}, shared by server, database and poster.`,
      `load average ${loadBefore.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after`,
      'Each year, the clock of the server moves ahead month by month. Times of calls are taken when its jobs rest.',
    ],
  };
}

const signIn = async ({ origin }: Server, agent: Agent): Promise<string> => {
  const body = JSON.stringify({ username: 'admin', password: PASSWORD });
  return ((await ask(origin, 'POST', 'auth/login/db', '', body, agent)) as { token: string }).token;
};

/** Waits until nothing is archived any more and the server takes little time. */
async function rest(server: Server, agent: Agent): Promise<void> {
  const token = await signIn(server, agent);
  let former = -1;
  let quiet = 0;
  while (quiet < QUIET_LOOKS) {
    const cpu = getCpu(server.pid);
    await setTimeout(LOOK_MS);
    const used = getCpu(server.pid) - cpu;
    const { archived } = (await ask(server.origin, 'GET', 'admin/events', token, '', agent)) as {
      archived: number;
    };
    quiet = archived === former && used < LOOK_MS / 20_000 ? quiet + 1 : 0;
    former = archived;
  }
}

interface Loaded {
  readonly problems: readonly { readonly lastRun: number; readonly closedAt: number | null }[];
}

async function measureCalls(
  server: Server,
  agent: Agent,
  now: number,
): Promise<Pick<Figures, 'commandMs' | 'commandCpuMs' | 'pageMs' | 'pageCpuMs' | 'bootstrapMs'>> {
  const token = await signIn(server, agent);
  const get = (path: string): Promise<unknown> => ask(server.origin, 'GET', path, token, '', agent);
  const repeat = async (
    times: number,
    call: (turn: number) => Promise<unknown>,
  ): Promise<{ each: number[]; cpuMs: number }> => {
    for (let turn = 0; turn < 20; turn += 1) await call(turn);
    const each: number[] = [];
    const cpu = getCpu(server.pid);
    for (let turn = 0; turn < times; turn += 1) {
      const from = performance.now();
      await call(turn);
      each.push(performance.now() - from);
    }
    return { each, cpuMs: ((getCpu(server.pid) - cpu) * 1_000) / times };
  };
  const { problems } = (await get('sync/bootstrap?protocol=2')) as Loaded;
  const runs = problems.filter((one) => one.closedAt === null).map((one) => one.lastRun);
  const bootstraps = await repeat(20, () => get('sync/bootstrap?protocol=2'));
  const [to, from] = [now, now - 30 * DAY].map((at) => new Date(at).toISOString());
  const pages = await repeat(REQUESTS, (turn) =>
    get(`monitoring/reporting/jobs?from=${from}&to=${to}&pageSize=10&page=${1 + (turn % 20)}`),
  );
  const commands = await repeat(REQUESTS, (turn) =>
    ask(
      server.origin,
      'PUT',
      `monitoring/backoffice/jobExecutions/${runs[turn % runs.length]}`,
      token,
      JSON.stringify({ change: { kind: 'note', content: `Seen ${turn}` } }),
      agent,
      {
        [COMMAND_HEADERS.key]: crypto.randomUUID(),
        [COMMAND_HEADERS.device]: crypto.randomUUID(),
        [COMMAND_HEADERS.order]: '1',
      },
    ),
  );
  return {
    commandMs: quantile(commands.each, 0.99),
    commandCpuMs: commands.cpuMs,
    pageMs: quantile(pages.each, 0.99),
    pageCpuMs: pages.cpuMs,
    bootstrapMs: median(bootstraps.each),
  };
}

/** Returns the bytes of the files of a folder; 0 if there is none. */
function getBytes(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  } catch {
    return 0;
  }
}

if (import.meta.main) {
  const json = process.argv.includes('--json');
  const sheets = await benchGrowth((text) => {
    if (!json) console.log(text);
  });
  console.log(json ? JSON.stringify(sheets, null, 2) : sheets.map(getTable).join('\n'));
}
