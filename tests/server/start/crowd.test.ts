import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { migratedFolder } from '../db/databases.ts';

const PATIENT = { timeout: 60_000 };
const PASSWORD = 'the wanted password';
const MB = 1024 * 1024;
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end();
});

/** A request whose body does not end. `isRefused`: the connection ended without an answer. */
interface Slow {
  readonly socket: Socket;
  readonly hasAnswer: () => boolean;
  readonly isRefused: () => boolean;
}
function slow(port: number, localAddress: string): Promise<Slow> {
  let isClosed = false;
  let got = false;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const one: Slow = { socket, hasAnswer: () => got, isRefused: () => isClosed && !got };
  return new Promise((resolve) => {
    socket
      .on('error', () => undefined)
      .on('data', () => {
        got = true;
      })
      .on('close', () => {
        isClosed = true;
        resolve(one);
      });
    socket.on('connect', () => {
      socket.write(
        `POST /api/v1/auth/login/db HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 16000\r\n\r\n${'x'.repeat(15_000)}`,
        () => {
          resolve(one);
        },
      );
    });
  });
}

/** Resident memory of the server; null where the system does not say it in /proc. */
function residentBytes({ pid }: ChildProcess): number | null {
  const status = `/proc/${pid}/status`;
  return existsSync(status)
    ? Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024
    : null;
}

test('HTTP-19, HTTP-20, G27: 1,500 slow bodies take little memory of a started server, which continues afterwards, and one address has the connections that the environment allows', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-crowd-'));
  ends.push(() => {
    rmSync(dataDir, { recursive: true, force: true });
  });
  await migratedFolder(dataDir);
  const limits = { DAYBOOK_CONNECTIONS: '2000', DAYBOOK_CONNECTIONS_PER_ADDRESS: '30' };
  const child = spawn(process.execPath, ['--liftoff-only', 'server/main.ts'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DAYBOOK_DATA: dataDir,
      DAYBOOK_ESTATE: 'none',
      DAYBOOK_DEMO_PASSWORD: PASSWORD,
      PORT: '0',
      ...limits,
    },
  });
  ends.push(() => {
    child.kill('SIGKILL');
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  await expect.poll(() => said, { timeout: 150_000 }).toMatch(/Daybook is at http:\S+/);
  const base = /Daybook is at (http:\S+)\//.exec(said)?.[1] ?? '';
  const port = Number(new URL(base).port);
  const signIn = async (): Promise<number> =>
    (
      await fetch(`${base}/api/v1/auth/login/db`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'admin', password: PASSWORD }),
      }).catch(() => null)
    )?.status ?? 0;
  await expect.poll(signIn, PATIENT).toBe(200);

  const before = residentBytes(child);
  const crowd = await Promise.all(
    Array.from({ length: 1_500 }, (_, n) => slow(port, `127.0.1.${1 + (n % 60)}`)),
  );
  ends.push(() => {
    for (const { socket } of crowd) socket.destroy();
  });
  // Each is refused for want of room, or waits for its deadline.
  await expect.poll(() => crowd.every(({ hasAnswer }) => hasAnswer()), PATIENT).toBe(true);
  const after = residentBytes(child);
  if (before !== null && after !== null) expect(after - before).toBeLessThan(300 * MB);
  for (const { socket } of crowd) socket.destroy();
  await expect.poll(signIn, PATIENT).toBe(200);

  const office = await Promise.all(Array.from({ length: 50 }, () => slow(port, '127.0.2.1')));
  ends.push(() => {
    for (const { socket } of office) socket.destroy();
  });
  await expect.poll(() => office.filter(({ isRefused }) => isRefused()).length, PATIENT).toBe(20);
});
