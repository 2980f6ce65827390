/**
 * How long it takes from the kill of a server until another one does its work, for every kind of work:
 * two server processes on one PostgreSQL. `node tests/bench/takeover.ts [--kills 8] [--json]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTable, median, quantile, type Sheet } from './figures.ts';
import { beginCluster, beginServer, type Server } from './processes.ts';
import { KINDS } from './takeover-outside.ts';
import { getDataDir, makeTakeoverSite } from './takeover-work.ts';

const at = process.argv.indexOf('--kills');
const KILLS = at < 0 ? 8 : Number(process.argv[at + 1]);
const LOOK_MS = 5_000;
const json = process.argv.includes('--json');

const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-takeover-'));
const cluster = await beginCluster();
const times = new Map<string, number[]>(KINDS.map((kind) => [kind, []]));
const site = await makeTakeoverSite(cluster.url, folder);
let server: Server | null = null;
let next: Server | null = null;
try {
  server = await beginServer(getDataDir(folder, 0), cluster.url, site.env);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const successor: Server = (next = await beginServer(
      getDataDir(folder, kill),
      cluster.url,
      site.env,
    ));
    // It takes nothing of the work while it stands still.
    process.kill(successor.pid, 'SIGSTOP');
    await site.begin(server.origin.href);
    process.kill(successor.pid, 'SIGCONT');
    // Somewhere between two of its looks.
    await new Promise((resolve) => void setTimeout(resolve, 500 + Math.random() * LOOK_MS));
    const killedAt = performance.now();
    const waits = KINDS.map(async (kind) => {
      await site.waitForTakeover(kind, successor.origin.href);
      times.get(kind)?.push(performance.now() - killedAt);
    });
    process.kill(server.pid, 'SIGKILL');
    await Promise.all(waits);
    await site.finish();
    server = successor;
    if (!json) console.log(`  ${kill} of ${KILLS}`);
  }
} finally {
  for (const one of new Set([server, next])) if (one !== null) process.kill(one.pid, 'SIGKILL');
  await site.end();
  await cluster.end();
  rmSync(folder, { recursive: true, force: true });
}
const sheet: Sheet = {
  title: `From the kill of a server until another one does its work, ${KILLS} kills`,
  columns: ['p50', 'p95', 'longest'],
  figures: KINDS.map((kind) => {
    const own = times.get(kind) ?? [];
    return {
      what: kind,
      unit: 's',
      values: {
        p50: median(own) / 1_000,
        p95: quantile(own, 0.95) / 1_000,
        longest: Math.max(...own) / 1_000,
      },
      goal: '<= 15',
    };
  }),
  notes: [
    `${cpus().length} cores ${cpus()[0]?.model.trim()}, shared by servers, database and the systems outside; load average ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}.`,
    'A report: until its job is leased again; all others: until the system outside hears from the other server. A command: the device repeats it every second.',
  ],
};
console.log(json ? JSON.stringify(sheet, null, 2) : getTable(sheet));
