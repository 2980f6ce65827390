/**
 * How long it takes from the kill of a server until another one does its work, for every kind of work,
 * and from the moment when a server is suspended (`SIGSTOP`), which leaves its connections open. Two server
 * processes on one PostgreSQL. `node tests/bench/takeover.ts [--kills 8] [--stops 4] [--json]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTable, median, quantile, type Sheet } from './figures.ts';
import { beginCluster, beginServer, type Server } from './processes.ts';
import { KINDS } from './takeover-outside.ts';
import { type Done, getDataDir, makeTakeoverSite } from './takeover-work.ts';

const getCount = (name: string, byDefault: number): number => {
  const at = process.argv.indexOf(name);
  return at < 0 ? byDefault : Number(process.argv[at + 1]);
};
const LOSSES = [
  ...Array.from({ length: getCount('--kills', 8) }, () => 'SIGKILL' as const),
  ...Array.from({ length: getCount('--stops', 4) }, () => 'SIGSTOP' as const),
];
/** A command whose server still has its connections runs on no other one (OUT-3). */
const TAKEN_OVER = { SIGKILL: KINDS, SIGSTOP: KINDS.filter((kind) => kind !== 'command') };
const LOOK_MS = 5_000;
const json = process.argv.includes('--json');

const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-takeover-'));
const cluster = await beginCluster();
const times = {
  SIGKILL: new Map<string, number[]>(KINDS.map((kind) => [kind, []])),
  SIGSTOP: new Map<string, number[]>(KINDS.map((kind) => [kind, []])),
};
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
const site = await makeTakeoverSite(cluster.url, folder);
let server: Server | null = null;
let next: Server | null = null;
let done: Done | null = null;
try {
  server = await beginServer(getDataDir(folder, 0), cluster.url, site.env);
  for (const [index, signal] of LOSSES.entries()) {
    const successor: Server = (next = await beginServer(
      getDataDir(folder, index + 1),
      cluster.url,
      site.env,
    ));
    // It takes no work while it is suspended.
    process.kill(successor.pid, 'SIGSTOP');
    await site.begin(server.origin.href);
    process.kill(successor.pid, 'SIGCONT');
    // Somewhere between two of its looks.
    await pause(500 + Math.random() * LOOK_MS);
    const lostAt = performance.now();
    const waits = TAKEN_OVER[signal].map(async (kind) => {
      await site.waitForTakeover(kind, successor.origin.href);
      times[signal].get(kind)?.push(performance.now() - lostAt);
    });
    process.kill(server.pid, signal);
    await Promise.all(waits);
    if (signal === 'SIGSTOP') process.kill(server.pid, 'SIGCONT');
    done = await site.finish();
    if (signal === 'SIGSTOP') {
      // What it does again, it does in this time.
      await pause(2 * LOOK_MS);
      done = await site.finish();
      process.kill(server.pid, 'SIGKILL');
    }
    server = successor;
    if (!json) console.log(`  ${index + 1} of ${LOSSES.length}`);
  }
} finally {
  for (const one of new Set([server, next])) if (one !== null) process.kill(one.pid, 'SIGKILL');
  await site.end();
  await cluster.end();
  rmSync(folder, { recursive: true, force: true });
}

const getFigures = (signal: keyof typeof times, suffix: string): Sheet['figures'] =>
  TAKEN_OVER[signal].flatMap((kind) => {
    const own = times[signal].get(kind) ?? [];
    if (own.length === 0) return [];
    return [
      {
        what: `${kind}${suffix}`,
        unit: 's',
        values: {
          p50: median(own) / 1_000,
          p95: quantile(own, 0.95) / 1_000,
          longest: Math.max(...own) / 1_000,
        },
        goal: '<= 15',
      },
    ];
  });
const countLosses = (signal: keyof typeof times): number =>
  LOSSES.filter((one) => one === signal).length;
const sheet: Sheet = {
  title: `Until another server does the work: ${countLosses('SIGKILL')} kills of a server, ${countLosses('SIGSTOP')} that stood still`,
  columns: ['p50', 'p95', 'longest'],
  figures: [...getFigures('SIGKILL', ''), ...getFigures('SIGSTOP', ', stood still')],
  notes: [
    `${cpus().length} cores ${cpus()[0]?.model.trim()}, shared by servers, database and the systems outside; load average ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}.`,
    'A report: until its job is leased again; all others: until the system outside hears from the other server. A command: the device repeats it every second.',
    'A suspended server still has its connections, so no other server runs its commands: they wait until it continues or ends.',
    `For ${LOSSES.length} losses, ${done?.mailsArrived} mails and ${done?.reportMails} mails with reports arrived, ${done?.sessions.length} sessions ran, and ${done?.mailsInBackup.doubled} items are in the backup twice.`,
  ],
};
console.log(json ? JSON.stringify(sheet, null, 2) : getTable(sheet));
