/**
 * The kills of `npm run soak`: a client posts results and changes problems while the server is killed
 * again and again, on the embedded database with one server, and on PostgreSQL with two, both at the same
 * time. The last two fifths of the time are without kills, to see whether the memory grows. At the end,
 * all that was acknowledged must be in the log once, the chain of hashes must be whole, and so must the
 * last backup that was made meanwhile. Exits with 1 if anything is wrong.
 * Options: `--minutes 10`, `--only pglite,postgres`, `--seed N`, `--json FILE`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../server/platform/clock.ts';
import { restoreFrom } from '../../server/platform/db/backup-file.ts';
import { type OpenStore, openStore } from '../../server/platform/db/open.ts';
import { getChance } from './data.ts';
import { getTable, median, quantile, type Sheet } from './figures.ts';
import { compareLedger, type Comparison, type Entry, keepLedger } from './ledger.ts';
import { getSlope, rises, type Sample } from './memory-slope.ts';
import { beginCluster, PASSWORD } from './processes.ts';
import { beginSite, runBackup, type Site } from './soak-servers.ts';

const DATABASES = ['pglite', 'postgres'] as const;
type Name = (typeof DATABASES)[number];
const input = (name: string, fallback: string): string => {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : (process.argv[at + 1] ?? fallback);
};
const MINUTES = Number(input('--minutes', '10'));
const SEED = Number(input('--seed', String(Date.now() % 1_000_000)));
const SAMPLE_MS = 1_000;
/** A server lives this long after it has answered. */
const SHORTEST_MS = 2_000;
const LONGEST_MS = 20_000;
const BACKUP_EVERY_MS = 45_000;
/**
 * How many of the kills are by SIGTERM. A server must then end with 0, or with 1 if it couldn't
 * finish in the time that it gives itself: a busy machine is no failure, so that is only counted.
 */
const POLITE = 0.2;
const QUIET = {
  clock: systemClock,
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
};

interface Outcome {
  readonly figures: Readonly<Record<string, number>>;
  /** What is wrong. */
  readonly failures: readonly string[];
}

async function soak(name: Name): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-soak-'));
  const cluster = name === 'postgres' ? await beginCluster() : null;
  const url = cluster?.url ?? null;
  const chance = getChance(SEED);
  const endsAt = performance.now() + MINUTES * 60_000;
  const quietFrom = endsAt - MINUTES * 24_000;
  const failures: string[] = [];
  const site = await beginSite(folder, url, url === null ? 1 : 2);
  try {
    const ledger = await keepLedger({
      getOrigin: () => site.pickOrigin(chance()),
      password: PASSWORD,
      posters: 2,
      pauseMs: 100,
    });
    const backups = backUpAgain(site, folder, endsAt);
    const kills = await killAgain(site, chance, quietFrom, failures);
    const samples = await watchMemory(site, endsAt);
    const resident = Math.max(...samples.map((_, server) => site.getResident(server) ?? 0));
    const { done, failed, lastBegunAt } = await backups;
    const { repeats } = ledger;
    await ledger.stop().catch((error: unknown) => {
      failures.push(`The server refused a request: ${String(error)}`);
    });
    failures.push(...(await site.end()));
    const compared = await look(folder, url, ledger);
    failures.push(...getFailures('The log', compared));
    if (lastBegunAt !== null) {
      const restored = await openStore({ ...QUIET, dataDir: '', databaseUrl: null, memory: true });
      await restoreFrom(restored, join(folder, 'backup.gz'));
      failures.push(
        ...getFailures('The last backup', await compareLedger(restored, ledger, lastBegunAt)),
      );
      await restored.close();
    }
    for (const own of samples)
      if (rises(own))
        failures.push(`The memory of a server rises: ${getSlope(own).toFixed(1)} MB/min.`);
    const last = samples.map((own) => own.at(-1)?.mb ?? Number.NaN);
    return {
      failures,
      figures: {
        'results acknowledged': countIds(ledger.results),
        'commands acknowledged': countIds(ledger.commands),
        'requests sent again': repeats.count,
        'servers killed': kills.killed,
        'servers ended': kills.ended,
        'of these, after more than 5 s': kills.late,
        'restart until it answers, median (s)':
          median(kills.restarts.length > 0 ? kills.restarts : [0]) / 1_000,
        'restart until it answers, longest (s)': Math.max(0, ...kills.restarts) / 1_000,
        'longest wait for an answer (s)': getLongest([...ledger.results, ...ledger.commands]),
        'answer, p99 (ms)': getP99(ledger.results, quietFrom),
        'backups made': done,
        'backups that a kill ended': failed,
        'lost': compared.missing.length,
        'doubled': compared.doubled.length,
        'in half': compared.torn.length,
        'memory in use at the end (MB)': Math.max(...last),
        'memory in use, slope (MB/min)': Math.max(...samples.map(getSlope)),
        'resident at the end (MB)': resident,
      },
    };
  } finally {
    await site.end();
    await cluster?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function look(
  folder: string,
  url: string | null,
  ledger: Parameters<typeof compareLedger>[1],
): Promise<Comparison> {
  const store: OpenStore = await openStore({
    ...QUIET,
    dataDir: join(folder, 'data-0'),
    databaseUrl: url,
  });
  try {
    return await compareLedger(store, ledger);
  } finally {
    await store.close();
  }
}

function getFailures(what: string, compared: Comparison): string[] {
  const { missing, doubled, torn, isSound } = compared;
  return [
    ...(missing.length > 0
      ? [`${what} lost ${missing.length}: ${missing.slice(0, 5).join()}`]
      : []),
    ...(doubled.length > 0
      ? [`${what} has ${doubled.length} twice: ${doubled.slice(0, 5).join()}`]
      : []),
    ...(torn.length > 0 ? [`${what} has requests in half: ${torn.slice(0, 5).join()}`] : []),
    ...(isSound ? [] : [`${what} does not verify.`]),
  ];
}

/** Kills one server after another, and starts it again, until the time is over. */
async function killAgain(
  site: Site,
  chance: () => number,
  until: number,
  failures: string[],
): Promise<{
  readonly killed: number;
  readonly ended: number;
  readonly late: number;
  readonly restarts: number[];
}> {
  let [killed, ended, late] = [0, 0, 0];
  const restarts: number[] = [];
  for (;;) {
    await pause(SHORTEST_MS + chance() * (LONGEST_MS - SHORTEST_MS));
    if (performance.now() >= until) return { killed, ended, late, restarts };
    const server = Math.floor(chance() * site.count);
    const isPolite = chance() < POLITE;
    const { code, isLate } = await site.kill(server, isPolite ? 'SIGTERM' : 'SIGKILL');
    if (isPolite) ended += 1;
    else killed += 1;
    if (isPolite && isLate) late += 1;
    else if (isPolite && code !== 0) failures.push(`A server that was ended exited with ${code}.`);
    const begun = performance.now();
    await site.start(server);
    restarts.push(performance.now() - begun);
  }
}

/** Samples the memory in use of each server, until the time is over. */
async function watchMemory(site: Site, until: number): Promise<readonly (readonly Sample[])[]> {
  const samples: Sample[][] = Array.from({ length: site.count }, () => []);
  while (performance.now() < until) {
    for (const [server, own] of samples.entries()) {
      const mb = site.getMemory(server);
      if (mb !== null) own.push({ at: performance.now(), mb });
    }
    await pause(SAMPLE_MS);
  }
  return samples;
}

/** Makes a backup every now and then. One may fail because its server is killed. */
async function backUpAgain(
  site: Site,
  folder: string,
  until: number,
): Promise<{
  readonly done: number;
  readonly failed: number;
  readonly lastBegunAt: number | null;
}> {
  let [done, failed] = [0, 0];
  let lastBegunAt: number | null = null;
  for (;;) {
    await pause(Math.min(BACKUP_EVERY_MS, (MINUTES * 60_000) / 5));
    const begunAt = performance.now();
    if (begunAt >= until) return { done, failed, lastBegunAt };
    if (await runBackup(site, join(folder, 'backup.gz'))) {
      done += 1;
      lastBegunAt = begunAt;
    } else failed += 1;
  }
}

const countIds = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { ids }) => sum + ids.length, 0);
const getTimes = (entries: readonly Entry[]): readonly number[] =>
  entries.map(({ sentAt, acknowledgedAt }) => acknowledgedAt - sentAt);
const getLongest = (entries: readonly Entry[]): number =>
  getTimes(entries).reduce((longest, one) => Math.max(longest, one), 0) / 1_000;
const getP99 = (entries: readonly Entry[], from: number): number =>
  quantile(getTimes(entries.filter(({ sentAt }) => sentAt > from)), 0.99);
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const names = DATABASES.filter((name) =>
  input('--only', DATABASES.join()).split(',').includes(name),
);
const outcomes = await Promise.all(names.map(async (name) => [name, await soak(name)] as const));
const whats = Object.keys(outcomes[0]?.[1].figures ?? {});
const sheet: Sheet = {
  title: `${MINUTES} minutes, both databases at the same time, seed ${SEED}`,
  columns: names,
  figures: whats.map((what) => ({
    what: what.replace(/ \(([^)]*)\)$/, ''),
    unit: / \(([^)]*)\)$/.exec(what)?.[1] ?? 'count',
    values: Object.fromEntries(
      outcomes.map(([name, { figures }]) => [name, figures[what] ?? null]),
    ),
    ...(['lost', 'doubled', 'in half'].includes(what) && { goal: '0' }),
  })),
  notes: outcomes.flatMap(([name, { failures }]) =>
    failures.length === 0
      ? [`${name}: all that was acknowledged is there once, and verifies`]
      : failures.map((one) => `${name}: ${one}`),
  ),
};
console.log(getTable(sheet));
const file = input('--json', '');
const failed = outcomes.some(([, { failures }]) => failures.length > 0);
const json = JSON.stringify({ ...sheet, seed: SEED, minutes: MINUTES, failed }, null, 2);
if (file === '') console.log(json);
else writeFileSync(file, json);
process.exit(failed ? 1 : 0);
