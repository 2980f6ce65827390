/**
 * What a backup costs the server that runs meanwhile: how long commands and results take over HTTP, on
 * an idle server, then during backups, one after the other. On the embedded database and on a
 * PostgreSQL. `node tests/bench/hot-backup.ts [--only pglite,postgres] [--batches 300] [--backups 3]
 * [--json]`
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTable, median, quantile, type Sheet } from './figures.ts';
import { type Entry, keepLedger, type Ledger } from './ledger.ts';
import { ask, beginCluster, beginServer, makeKeys, PASSWORD } from './processes.ts';
import { makeResults } from './results.ts';

const input = (name: string, fallback: string): string => {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : (process.argv[at + 1] ?? fallback);
};
const BACKUPS = Number(input('--backups', '3'));
const BATCHES = Number(input('--batches', '300'));
const WARM_UP_MS = 5_000;
const json = process.argv.includes('--json');

type Figures = Record<string, number>;

async function measure(name: string): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-hot-'));
  const cluster = name === 'postgres' ? await beginCluster() : null;
  const dataDir = join(folder, 'data');
  const server = await beginServer(dataDir, cluster?.url ?? null);
  let ledger: Ledger | null = null;
  try {
    ledger = await keepLedger({
      getOrigin: () => server.origin.href,
      password: PASSWORD,
      posters: 2,
      pauseMs: 50,
    });
    await fill(server.origin);
    await pause(WARM_UP_MS);
    const spans: number[] = [];
    const file = join(folder, 'backup.gz');
    const busyFrom = performance.now();
    for (let backup = 0; backup < BACKUPS; backup += 1) {
      const begun = performance.now();
      await backUp(dataDir, cluster?.url ?? null, file);
      spans.push(performance.now() - begun);
    }
    const busyTo = performance.now();
    await pause(1_000);
    const idleFrom = performance.now();
    await pause(busyTo - busyFrom);
    const idleTo = performance.now();
    await ledger.stop();
    const { commands, results } = ledger;
    return {
      ...getTimes('command, idle', commands, idleFrom, idleTo),
      ...getTimes('command, during backups', commands, busyFrom, busyTo),
      ...getTimes('results, idle', results, idleFrom, idleTo),
      ...getTimes('results, during backups', results, busyFrom, busyTo),
      'a backup, median (s)': median(spans) / 1_000,
      'the file (MB)': statSync(file).size / 2 ** 20,
    };
  } finally {
    await ledger?.stop().catch(() => undefined);
    await server.end();
    await cluster?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What there is to back up. */
async function fill(origin: URL): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const keys = Math.ceil(BATCHES / 50);
  const secrets = await makeKeys(origin, keys);
  const rounds = Math.ceil((BATCHES * 200) / 2_000);
  const batches = makeResults({ jobs: 2_000, keys, rounds, batch: 200, seed: 3 });
  for (const { key, body } of batches.slice(0, BATCHES))
    await ask(origin, 'POST', 'ingest/executions', secrets[key] ?? '', body, agent);
  agent.destroy();
}

function backUp(dataDir: string, url: string | null, file: string): Promise<void> {
  const child = spawn(process.execPath, ['server/backup.ts', file], {
    env: { ...process.env, DAYBOOK_DATA: dataDir, DATABASE_URL: url ?? '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The backup ended with ${code}.`));
    });
  });
}

function getTimes(what: string, entries: readonly Entry[], from: number, to: number): Figures {
  const times = entries
    .filter(({ sentAt }) => sentAt >= from && sentAt < to)
    .map(({ sentAt, acknowledgedAt }) => acknowledgedAt - sentAt);
  return {
    [`${what}: count`]: times.length,
    [`${what}: median (ms)`]: median(times),
    [`${what}: p99 (ms)`]: quantile(times, 0.99),
    [`${what}: longest (ms)`]: Math.max(...times),
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const values: Record<string, Figures> = {};
for (const name of input('--only', 'pglite,postgres').split(','))
  values[name] = await measure(name);
const columns = Object.keys(values);
const sheet: Sheet = {
  title: `Backups of a running server with ${BATCHES * 200} results, ${BACKUPS} in a row, and the same time without`,
  columns,
  figures: Object.keys(values[columns[0] ?? ''] ?? {}).map((what) => ({
    what: what.replace(/ \((ms|s|MB)\)$/, ''),
    unit: /\((ms|s|MB)\)$/.exec(what)?.[1] ?? 'count',
    values: Object.fromEntries(columns.map((name) => [name, values[name]?.[what] ?? null])),
  })),
  notes: [
    `${cpus().length} cores ${cpus()[0]?.model.trim()}, shared by server, database, backup and client; load average ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}.`,
    'One user who reviews and reopens, two posters of five results a request, each with a pause of 50 ms.',
  ],
};
console.log(json ? JSON.stringify(sheet, null, 2) : getTable(sheet));
