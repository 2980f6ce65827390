import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { ExecutionIn } from '../../contract/monitoring/ingest.ts';
import { binaries, TEMPLATE, urlIn } from '../server/store/binaries.ts';
import { chanceOf } from './data.ts';
import { median, quantile } from './figures.ts';
import type { Figure, Sheet } from './figures.ts';

const BATCH = 200, EXECUTIONS = Number(process.env['EXECUTIONS'] ?? 30_000), JOBS = 2_000, AT_ONCE = 4;
/** A key may post 60 times a minute. */
const POSTS_A_KEY = 50;
const NAMES = ['pglite', 'postgres'] as const;
const PASSWORD = 'a password for the benchmark';

/** Executions posted over HTTP to the real server, on both databases: a process of its own, four senders, batches of 200. */
export async function benchIngest(say: (text: string) => void): Promise<Sheet[]> {
  const results = new Map<string, Result>();
  for (const name of NAMES) {
    if (name === 'postgres' && binaries() === null) { say('  postgres: no initdb in /usr/lib/postgresql/*/bin or PATH, left out'); continue; }
    say(`  ingest on ${name}, ${EXECUTIONS.toLocaleString('en')} executions…`);
    results.set(name, await (name === 'pglite' ? onServer('') : onPostgres()));
  }
  const row = (what: string, unit: string, of: (result: Result) => number, goal?: string): Figure =>
    ({ what, unit, ...(goal === undefined ? {} : { goal }), values: Object.fromEntries(NAMES.map((name) => { const one = results.get(name); return [name, one ? of(one) : null]; })) });
  return [{
    title: `Ingest over HTTP, batches of ${BATCH}, ${AT_ONCE} at once, ${JOBS.toLocaleString('en')} jobs`, columns: [...NAMES],
    figures: [
      row('executions', 'a second', ({ perSecond }) => perSecond, '>= 5,000'), row('a batch, median', 'ms', ({ times }) => median(times)),
      row('a batch, 95 of 100', 'ms', ({ times }) => quantile(times, 0.95)), row('not accepted', 'count', ({ lost }) => lost, '0'),
    ],
    notes: [
      `${cpus().length} cores ${cpus()[0]?.model.trim()}, shared by server, database and senders; load average at the end ${loadavg().map((one) => one.toFixed(1)).join(' ')}.`,
      'Each execution is read, checked, judged and told in the log. The first of each job is not counted. PostgreSQL runs without fsync here, PGlite as the product runs it.',
    ],
  }];
}

interface Result { readonly perSecond: number; readonly times: readonly number[]; readonly lost: number }

async function onPostgres(): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-bench-pg-'));
  const keeper = spawn(process.execPath, ['tests/server/store/cluster.ts', folder, String(process.pid)], { stdio: 'ignore' });
  try {
    for (let tries = 0; !existsSync(join(folder, 'ready')); tries++) {
      if (tries > 1_200 || existsSync(join(folder, 'failed'))) throw new Error(existsSync(join(folder, 'failed')) ? readFileSync(join(folder, 'failed'), 'utf8') : 'PostgreSQL did not start.');
      await later(100);
    }
    const client = new Client(urlIn(folder, 'postgres'));
    await client.connect();
    await client.query(`create database bench template ${TEMPLATE}`);
    await client.end();
    return await onServer(urlIn(folder, 'bench'));
  } finally {
    await ended(keeper);
  }
}

async function onServer(databaseUrl: string): Promise<Result> {
  const data = await mkdtemp(join(tmpdir(), 'daybook-bench-data-'));
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: { PATH: process.env['PATH'] ?? '', DAYBOOK_DATA: data, PORT: '0', DAYBOOK_DEMO_PASSWORD: PASSWORD, DATABASE_URL: databaseUrl }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const base = await addressOf(child);
    return await post(base, await makeKeys(base, Math.ceil((EXECUTIONS + JOBS) / BATCH / POSTS_A_KEY)));
  } finally {
    await ended(child);
    await rm(data, { recursive: true, force: true });
  }
}

/** Each key has jobs of its own. The first run of each job comes before the clock runs. */
async function post(base: string, keys: readonly string[]): Promise<Result> {
  const perKey = Math.ceil(JOBS / keys.length), rounds = Math.ceil(EXECUTIONS / JOBS), chance = chanceOf(7), now = Date.now();
  const round = (at: number): { key: string; body: string }[] => keys.flatMap((key, k) => {
    const list = Array.from({ length: perKey }, (_, j) => execution(k, j, at, now - (rounds - at) * 3_600_000, chance));
    return Array.from({ length: Math.ceil(list.length / BATCH) }, (_, i) => ({ key, body: JSON.stringify(list.slice(i * BATCH, (i + 1) * BATCH)) }));
  });
  let lost = 0;
  const times: number[] = [];
  const send = async ({ key, body }: { key: string; body: string }): Promise<number> => {
    const began = performance.now();
    const answer = await fetch(`${base}/api/v1/ingest/executions`, { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body });
    const told = await answer.json() as { data?: { accepted: number; rejected: unknown[] }; message?: string };
    if (!told.data) throw new Error(`${answer.status}: ${told.message}`);
    times.push(performance.now() - began);
    lost += told.data.rejected.length;
    return told.data.accepted;
  };
  for (const one of round(0)) await send(one);
  times.length = 0;
  const batches = Array.from({ length: rounds }, (_, at) => round(at + 1)).flat();
  let next = 0, accepted = 0;
  const began = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let batch = batches[next++]; batch; batch = batches[next++]) accepted += await send(batch);
  }));
  return { perSecond: accepted / ((performance.now() - began) / 1000), times, lost };
}

function execution(key: number, job: number, at: number, startedAt: number, chance: () => number): ExecutionIn {
  const roll = chance(), start = startedAt + job * 1000;
  const status = roll < 0.92 ? 'Success' : roll < 0.96 ? 'Warning' : roll < 0.99 ? 'Failed' : 'Error';
  const words = [`Connection timeout on nyc${job % 97}-${Math.floor(chance() * 1e5)} after retry`, 'repository is already locked exclusively', `Not enough space on /srv/${job}`] as const;
  return {
    job: `Backup of server ${key}-${job}`, jobInstanceUid: `job-${key}-${job}`, externalId: `run-${key}-${job}-${at}`, computer: `pc-${key}-${job}`, source: 'restic', type: 'Backup',
    status, startTime: new Date(start).toISOString(), endTime: new Date(start + 600_000).toISOString(), durationSec: 580 + Math.floor(chance() * 40),
    bytesTransferred: 1_000_000_000 + Math.floor(chance() * 30_000_000), bytesProcessed: 90_000_000_000, filesTotal: 120_000, filesFailed: status === 'Warning' ? 2 : 0,
    exitCode: status === 'Success' ? 0 : 1, message: status === 'Success' ? null : words[Math.floor(chance() * words.length)] ?? words[0], detail: { snapshot: `abcdef${at}` },
  };
}

async function makeKeys(base: string, count: number): Promise<string[]> {
  const call = async (path: string, token: string | null, body: object): Promise<{ token?: string; secret?: string }> => {
    const answer = await fetch(`${base}/api/v1/${path}`, {
      method: 'POST', headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) }, body: JSON.stringify(body),
    });
    const told = await answer.json() as { data?: { token?: string; secret?: string }; message?: string };
    if (!told.data) throw new Error(`${path}: ${answer.status} ${told.message}`);
    return told.data;
  };
  const { token = '' } = await call('auth/login/db', null, { username: 'admin', password: PASSWORD });
  const keys: string[] = [];
  for (let i = 0; i < count; i++) keys.push((await call('monitoring/sources', token, { name: `Bench ${i}`, companyN: 1, tool: 'restic' })).secret ?? '');
  return keys;
}

const addressOf = (child: ChildProcess): Promise<string> => new Promise((resolve, reject) => {
  let said = '';
  child.stdout?.on('data', (chunk) => {
    said += String(chunk);
    const found = /Daybook is at (http:\S+?)\/?\s/.exec(said)?.[1];
    if (found !== undefined) resolve(found);
  });
  child.once('exit', () => reject(new Error(`The server ended: ${said}`)));
});

const ended = (child: ChildProcess): Promise<void> => new Promise((resolve) => {
  if (child.exitCode !== null) { resolve(); return; }
  child.once('exit', () => resolve());
  child.kill('SIGTERM');
});

const later = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });
