/** A PostgreSQL with a streaming standby, and addresses in front of them. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect } from 'vitest';
import { binaries, unprivileged } from './binaries.ts';

const bin = binaries();
/** Why there is no standby, for the names of what is skipped; empty where there is one. */
export const missingStandby =
  bin === null || !existsSync(join(bin, 'pg_basebackup')) ? ' (skipped: no pg_basebackup)' : '';

const folder = mkdtempSync(join(tmpdir(), 'daybook-failover-'));
const running = new Set<ChildProcess>();
const ends: (() => void)[] = [];
afterAll(async () => {
  for (const end of ends) end();
  await Promise.all([...running].map((server) => endServer(server, 'SIGQUIT')));
  rmSync(folder, { recursive: true, force: true });
});

const as = { cwd: folder, ...unprivileged() };
const run = (program: string, args: readonly string[]): void =>
  void execFileSync(join(bin ?? '', program), args, { ...as, stdio: 'pipe' });
const getSocket = (port: number): string => join(folder, `.s.PGSQL.${port}`);

export const getUrl = (port: number): string =>
  `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}&port=${port}`;

export async function query(port: number, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(getUrl(port));
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Starts PostgreSQL on the data of this port, made before. */
export async function startServer(port: number): Promise<ChildProcess> {
  const settings = [
    'fsync=off',
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    `port=${port}`,
  ];
  const server = spawn(
    join(bin ?? '', 'postgres'),
    ['-D', join(folder, String(port)), ...settings.flatMap((one) => ['-c', one])],
    { ...as, stdio: 'ignore' },
  );
  running.add(server);
  await expect
    .poll(() => query(port, 'select 1').catch(() => null), { timeout: 60_000 })
    .not.toBeNull();
  return server;
}

export async function endServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  running.delete(server);
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('close', resolve));
  server.kill(signal);
  await ended;
}

/** Makes a primary and a standby that streams from it, asynchronously. */
export async function makePair(
  first: number,
  second: number,
): Promise<{ readonly primary: ChildProcess; readonly standby: ChildProcess }> {
  const data = join(folder, String(first));
  mkdirSync(data, { mode: 0o700 });
  for (const path of [folder, data])
    if ('uid' in as && as.uid !== undefined) chownSync(path, as.uid, as.gid ?? 0);
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']);
  const primary = await startServer(first);
  run('pg_basebackup', [
    `--host=${folder}`,
    `--port=${first}`,
    '--username=postgres',
    `--pgdata=${join(folder, String(second))}`,
    '--write-recovery-conf',
    '--wal-method=stream',
    '--checkpoint=fast',
  ]);
  return { primary, standby: await startServer(second) };
}

/** What leads to a server now: an address that an operator moves, or a pooler. */
export interface Address {
  readonly url: string;
  /** Cuts all connections. New ones lead to the server on this port. */
  move(to: number): void;
  /**
   * Leads the connections themselves to the server on this port, as a pooler between transactions
   * does. None may be in a transaction.
   */
  lead(to: number): Promise<void>;
}

export async function makeAddress(port: number, to: number): Promise<Address> {
  let target = to;
  const lines = new Set<{ cut(): void; lead(): Promise<void> }>();
  const server = createServer((client) => {
    const line = { cut, lead };
    lines.add(line);
    let startup: Buffer | null = null;
    let backend = open();
    client.on('data', (bytes) => {
      startup ??= bytes as Buffer;
      backend.write(bytes);
    });
    client.on('error', cut);
    client.on('close', cut);

    function open(): Socket {
      const socket = connect(getSocket(target));
      socket.on('error', () => {
        if (socket === backend) cut();
      });
      socket.on('close', () => {
        if (socket === backend) cut();
      });
      socket.on('data', (bytes) => {
        if (socket === backend) client.write(bytes);
      });
      return socket;
    }

    function cut(): void {
      lines.delete(line);
      client.destroy();
      backend.destroy();
    }

    /** Signs in to the other server as the client did, whose answers the client doesn't see. */
    async function lead(): Promise<void> {
      const before = backend;
      const next = connect(getSocket(target));
      const ready = Promise.withResolvers<void>();
      let answer = Buffer.alloc(0);
      const read = (bytes: Buffer): void => {
        answer = Buffer.concat([answer, bytes]);
        let at = 0;
        while (at + 5 <= answer.length) {
          if (answer[at] === 0x5a) return ready.resolve();
          at += 1 + answer.readInt32BE(at + 1);
        }
      };
      next.on('data', read);
      next.on('error', ready.reject);
      next.write(startup ?? Buffer.alloc(0));
      await ready.promise;
      next.off('data', read);
      next.on('data', (bytes) => client.write(bytes));
      next.on('close', cut);
      next.on('error', cut);
      backend = next;
      before.destroy();
    }
  });
  await new Promise<void>((resolve) => void server.listen(getSocket(port), resolve));
  ends.push(() => {
    for (const line of lines) line.cut();
    server.close();
  });
  return {
    url: getUrl(port),
    move(next) {
      target = next;
      for (const line of lines) line.cut();
    },
    async lead(next) {
      target = next;
      await Promise.all([...lines].map((line) => line.lead()));
    },
  };
}
