/** Servers and PostgreSQL as processes of their own, for measurements over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { TEMPLATE, urlIn } from '../server/db/binaries.ts';

/** Makes keys of the first company, as its administrator. */
export async function makeKeys(origin: URL, count: number): Promise<string[]> {
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

/** Returns the data of a call's answer. */
export function ask(
  origin: URL,
  method: string,
  path: string,
  bearer: string,
  body: string,
  agent: Agent,
  more: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
      ...more,
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

export interface Server {
  readonly origin: URL;
  readonly pid: number;
  end(): Promise<void>;
}
export const PASSWORD = 'the password of the benchmark';

/** Starts a server of this checkout, or of another one. */
export async function beginServer(
  data: string,
  url: string | null,
  more: Readonly<Record<string, string>> = {},
  checkout: string = process.env['SERVER_CHECKOUT'] ?? join(import.meta.dirname, '../..'),
  moreFlags: readonly string[] = [],
): Promise<Server> {
  const env = {
    ...process.env,
    ...more,
    DAYBOOK_DATA: data,
    PORT: '0',
    HOST: '127.0.0.1',
    DAYBOOK_DEMO_PASSWORD: PASSWORD,
    DAYBOOK_ESTATE: more['DAYBOOK_ESTATE'] ?? 'none',
    DATABASE_URL: url ?? '',
  };
  const flags = [
    ...(process.env['SERVER_FLAGS'] ?? '').split(' ').filter((flag) => flag !== ''),
    ...moreFlags,
  ];
  const child = spawn(process.execPath, [...flags, join(checkout, 'server/main.ts')], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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

export interface Cluster {
  readonly url: string;
  /** Returns the seconds of processor time that its processes have used. */
  cpu(): number;
  end(): Promise<void>;
}

/** A PostgreSQL of its own, made as that of the tests. */
export async function beginCluster(): Promise<Cluster> {
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

/** Returns the processor seconds of each kind of thread of a process (proc(5)), by its name. */
export function getThreadCpu(pid: number): Readonly<Record<string, number>> {
  const seconds: Record<string, number> = {};
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    try {
      const name = thread === String(pid) ? 'main' : readFileSync(`${folder}/comm`, 'utf8').trim();
      seconds[name] = (seconds[name] ?? 0) + getCpu(`${pid}/task/${thread}`);
    } catch {
      // It has just ended.
    }
  }
  return seconds;
}

/**
 * User and system seconds of a process, or of a thread of it (proc(5), at 100 ticks a second); 0 where it is gone or the
 * system tells nothing.
 */
export const getCpu = (pid: number | string): number => {
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
