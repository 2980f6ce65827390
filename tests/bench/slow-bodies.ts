/**
 * How much memory slow request bodies take from the real server (`server/main.ts` as a child
 * process on an embedded database), with the budget for bodies (HTTP-19) and without it: `node
 * tests/bench/slow-bodies.ts`, `CONNECTIONS` (1,500), `ONLY` part of an attack's name. Linux only:
 * it reads /proc.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, getTable } from './figures.ts';

const CONNECTIONS = Number(process.env['CONNECTIONS'] ?? 1_500);
const MB = 1024 * 1024;
const PASSWORD = 'a password for the bench';
/**
 * Nothing is sent or answered for so long: the attack has done what it can. Below the ten seconds
 * after which public bodies are given up anyway.
 */
const QUIET_MS = 2_000;
const SETTLE_MS = 3_000;
const LOOK_MS = 100;

interface Attack {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly addresses: number;
  readonly isSignedIn: boolean;
}
const ATTACKS: readonly Attack[] = [
  {
    name: 'strangers, an address each',
    path: '/api/v1/auth/login/db',
    bytes: 16_000,
    addresses: CONNECTIONS,
    isSignedIn: false,
  },
  {
    name: 'strangers, one address',
    path: '/api/v1/auth/login/db',
    bytes: 16_000,
    addresses: 1,
    isSignedIn: false,
  },
  {
    name: 'one user, an address each',
    path: '/api/v1/auth/logout',
    bytes: 1_000_000,
    addresses: CONNECTIONS,
    isSignedIn: true,
  },
  {
    name: 'one user, one address',
    path: '/api/v1/auth/logout',
    bytes: 1_000_000,
    addresses: 1,
    isSignedIn: true,
  },
];
const SERVERS = {
  'budget': [],
  'no budget': ['--import', join(import.meta.dirname, 'no-budget.ts')],
} as const;

const figures = new Map<string, Record<string, number>>();
const record = (what: string, server: string, value: number): void =>
  void figures.set(what, { ...figures.get(what), [server]: value });
const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

for (const [name, flags] of Object.entries(SERVERS)) {
  for (const attack of ATTACKS.filter(({ name: one }) => one.includes(process.env['ONLY'] ?? ''))) {
    console.log(`  ${attack.name}, ${name} …`);
    await measure(name, flags, attack);
  }
}
console.log(
  getTable({
    title: `Memory of the server (RSS) under ${CONNECTIONS.toLocaleString('en')} connections whose bodies do not end`,
    columns: Object.keys(SERVERS),
    figures: [...figures].map(([what, values]): Figure => ({
      what,
      unit: what.endsWith('answered') ? 'requests' : 'MB',
      values,
    })),
    notes: [
      `Load average ${(loadavg()[0] ?? 0).toFixed(1)}. Bodies are ${ATTACKS.map(
        ({ bytes }) => bytes,
      )
        .filter((bytes, i, all) => all.indexOf(bytes) === i)
        .join(' or ')} bytes so far.`,
    ],
  }),
);

/** A new server for each attack: memory that was taken once is not always given back. */
async function measure(server: string, flags: readonly string[], attack: Attack): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const child = spawn(process.execPath, [...flags, 'server/main.ts'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DAYBOOK_DATA: folder,
      DAYBOOK_ESTATE: 'none',
      DAYBOOK_DEMO_PASSWORD: PASSWORD,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const port = await loadPort(child);
    const token = await signIn(port);
    await wait(SETTLE_MS);
    const before = rss(child);
    writeFileSync(`/proc/${child.pid}/clear_refs`, '5'); // the peak counts from now on
    const { sockets, answered } = hold(port, token, attack);
    const progress = (): number =>
      answered() +
      sockets.reduce(
        (sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength,
        0,
      );
    for (let quietMs = 0, last = -1; quietMs < QUIET_MS; quietMs += LOOK_MS) {
      await wait(LOOK_MS);
      if (progress() !== last) [quietMs, last] = [0, progress()];
    }
    const at = rss(child);
    const refused = answered();
    for (const socket of sockets) socket.destroy();
    await wait(SETTLE_MS);
    for (const [what, value] of [
      ['before', before],
      ['at', at],
      ['peak', rss(child, 'VmHWM')],
      ['after', rss(child)],
      ['answered', refused],
    ] as const)
      record(`${attack.name}: ${what}`, server, value);
  } finally {
    const gone = new Promise((resolve) => void child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
    rmSync(folder, { recursive: true });
  }
}

function loadPort(child: ChildProcess): Promise<number> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      said += String(chunk);
      const port =
        /Daybook is at http:\/\/localhost:(\d+)/.exec(said)?.[1] ??
        /Daybook is at http:\/\/[\d.]+:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', () => {
      reject(new Error(`The server ended: ${said}`));
    });
  });
}

async function signIn(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login/db`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  });
  return ((await answer.json()) as { data: { token: string } }).data.token;
}

function hold(
  port: number,
  token: string,
  { path, bytes, addresses, isSignedIn }: Attack,
): { readonly sockets: readonly Socket[]; readonly answered: () => number } {
  let answered = 0;
  const body = Buffer.alloc(bytes, 'x');
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\n${isSignedIn ? `authorization: Bearer ${token}\r\n` : ''}content-length: ${bytes + 1}\r\n\r\n`;
  const sockets = Array.from({ length: CONNECTIONS }, (_, n) => {
    const address = n % addresses;
    const socket = connect({
      port,
      host: '127.0.0.1',
      localAddress: `127.0.${1 + Math.floor(address / 250)}.${1 + (address % 250)}`,
    });
    socket
      .on('error', () => undefined)
      .once('data', () => {
        answered += 1;
      });
    socket.once('connect', () => {
      socket.write(head);
      socket.write(body);
    });
    return socket;
  });
  return { sockets, answered: () => answered };
}

function rss({ pid }: ChildProcess, field = 'VmRSS'): number {
  return (
    (Number(
      new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
    ) *
      1024) /
    MB
  );
}
