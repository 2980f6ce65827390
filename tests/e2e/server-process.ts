import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { join } from 'node:path';
import { claimFolder, OF_RUN } from './folders.ts';

export const NODE = process.env['DAYBOOK_NODE'] ?? process.execPath;
/** Of every user that is created before a test. */
export const PASSWORD = 'quiet-ledger-morning-340';

/** The data of a server. `databaseUrl`: '' for a database in the folder. */
export interface Data {
  readonly folder: string;
  readonly databaseUrl: string;
}
export type Demo = 'none' | 'small';

// A busy machine takes longer than Node's quarter of a second to connect to `localhost`.
setDefaultAutoSelectFamilyAttemptTimeout(60_000);

/** No server outlives the process that started it. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const server of running) server.kill('SIGKILL');
});

/** Starts a server and waits until it answers, which a busy machine takes minutes for. */
export async function serve(
  { folder, databaseUrl }: Data,
  demoData: Demo,
  port: number,
  withinMs = 240_000,
): Promise<ChildProcess> {
  let said = '';
  const child = spawn(NODE, ['server/main.ts', '--estate', demoData], {
    env: {
      ...process.env,
      PORT: String(port),
      DAYBOOK_DATA: folder,
      DATABASE_URL: databaseUrl,
      DAYBOOK_DEMO_PASSWORD: PASSWORD,
    },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.stdout.on('data', (text: Buffer) => {
    said += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  for (const beganAt = Date.now(); Date.now() - beganAt < withinMs;) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${said}`);
    const up = await fetch(`http://localhost:${port}/api/v1/service-providers/branding`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (up) return child;
    await new Promise((done) => {
      setTimeout(done, 100);
    });
  }
  child.kill('SIGKILL');
  throw new Error(`the server did not come up: ${said}`);
}

/** Lets a server call this machine, where the systems that a test plays are. */
export const LOOPBACK = { DAYBOOK_OUTBOUND_ALLOW: '127.0.0.0/8,::1' };
/** The same, also without TLS. */
export const PLAIN_LOOPBACK = { ...LOOPBACK, DAYBOOK_OUTBOUND_HTTP: '1' };

/** Runs `start` with settings for the server that it starts, which no later server has. */
export async function withEnvironment<T>(
  settings: Readonly<Record<string, string>>,
  start: () => Promise<T>,
): Promise<T> {
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, settings);
  try {
    return await start();
  } finally {
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  }
}

/** Ends a server and waits until it is gone. */
export const end = (child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> =>
  new Promise((done) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) {
      done();
      return;
    }
    child.once('exit', () => {
      done();
    });
    child.kill(signal);
  });

/**
 * Returns a port that nothing listens on and that no other worker of this run gets. It is below the
 * ports of outgoing connections, so that it is still free when a server comes back.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const port = randomInt(12_000, 32_000);
    const isClaimed = claimFolder(join(process.env[OF_RUN] ?? '', `port-${port}`));
    if (isClaimed && (await isFree(port))) return port;
  }
  throw new Error('No port is free.');
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => {
      done(false);
    });
    server.listen(port, () => {
      server.close(() => {
        done(true);
      });
    });
  });
