import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newDatabase } from './databases.ts';
import { freePort, NODE, PASSWORD, serve } from './server-process.ts';
import type { SharedPortal } from './portal.ts';

/** What `provider-maker.ts` creates for one test. */
export interface NewProvider {
  readonly host: string;
  readonly otherHost: string;
  readonly name: string;
  readonly besides: readonly string[];
}

interface SharedServer {
  readonly port: number;
  readonly maker: ChildProcess;
}

/** The server of this Playwright worker, which runs one test at a time. */
let shared: Promise<SharedServer> | null = null;
let count = 0;

/** Adds a provider to the worker's server. */
export async function addProvider(besides: readonly string[]): Promise<SharedPortal> {
  const { port, maker } = await (shared ??= start());
  count += 1;
  const label = `p${count}-${randomBytes(3).toString('hex')}`;
  const host = `${label}.localhost`;
  const otherHost = `other-${host}`;
  await make(maker, { host, otherHost, name: nameProvider(host), besides });
  return {
    url: `http://${host}:${port}`,
    otherUrl: `http://${otherHost}:${port}`,
    password: PASSWORD,
    stop: () => Promise.resolve(),
  };
}

/** The name of the provider at a host, which the outbox page shows. */
export const nameProvider = (host: string): string => `Provider ${host.split('.')[0]}`;

async function start(): Promise<SharedServer> {
  resolveLocalNames();
  const data = {
    folder: mkdtempSync(join(tmpdir(), 'daybook-e2e-')),
    databaseUrl: await newDatabase(),
  };
  const port = await freePort();
  await serve(data, 'none', port);
  const maker = spawn(NODE, ['tests/e2e/provider-maker.ts', data.folder, PASSWORD], {
    env: { ...process.env, DATABASE_URL: data.databaseUrl },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  process.once('exit', () => {
    maker.kill();
    rmSync(data.folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return { port, maker };
}

const make = (maker: ChildProcess, provider: NewProvider): Promise<void> =>
  new Promise((done, fail) => {
    const ended = (): void => {
      fail(new Error('the process that creates providers has ended'));
    };
    maker.once('exit', ended);
    maker.once('message', () => {
      maker.off('exit', ended);
      done();
    });
    maker.send(provider);
  });

/** Not every resolver knows that all names below `localhost` are this machine (RFC 6761). */
function resolveLocalNames(): void {
  const { lookup } = dns;
  const local = (name: string, ...rest: unknown[]): void => {
    Reflect.apply(lookup, dns, [name.endsWith('.localhost') ? 'localhost' : name, ...rest]);
  };
  Object.assign(dns, { lookup: Object.assign(local, lookup) });
}
