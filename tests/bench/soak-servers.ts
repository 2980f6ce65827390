/** Servers that are killed and started again, on one database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD } from './processes.ts';

/** How a server ended. `isLate`: it couldn't finish in the time that it gives itself. */
interface Ended {
  readonly code: number | null;
  readonly isLate: boolean;
}

export interface Site {
  readonly count: number;
  /** Returns the address of a server, which may have been killed. `part`: 0 to 1. */
  pickOrigin(part: number): string;
  /** Resolves when the process has ended. */
  kill(server: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<Ended>;
  /** Resolves when the server answers. */
  start(server: number): Promise<void>;
  /** Returns the main thread's memory after its last garbage collection, in MB; null: it isn't running. */
  getMemory(server: number): number | null;
  /** Returns the resident memory of the process in MB; null: it isn't running. */
  getResident(server: number): number | null;
  /** What a command on this database needs. */
  getEnvironment(): NodeJS.ProcessEnv;
  /** Ends all servers. Returns what went wrong. */
  end(): Promise<readonly string[]>;
}

const PRELOAD = join(import.meta.dirname, 'report-memory.ts');
const SECRET_KEY = Buffer.alloc(32, 9).toString('base64url');
/** `STOP_MS` of `server/main.ts`. */
const STOP_MS = 5_000;
/** Longer than a busy machine needs to recover a database. */
const START_MS = 300_000;

/** Starts `count` servers, each with a data folder of its own in `folder`. */
export async function beginSite(folder: string, url: string | null, count: number): Promise<Site> {
  const children: (ChildProcess | null)[] = Array.from({ length: count }, () => null);
  const origins: string[] = [];

  const getMemoryFile = (server: number): string => join(folder, `memory-${server}`);
  const getEnvironment = (server: number): NodeJS.ProcessEnv => ({
    ...process.env,
    DAYBOOK_DATA: join(folder, `data-${server}`),
    DAYBOOK_ESTATE: 'none',
    DAYBOOK_DEMO_PASSWORD: PASSWORD,
    DAYBOOK_SECRET_KEY: SECRET_KEY,
    DATABASE_URL: url ?? '',
    HOST: '127.0.0.1',
    PORT: '0',
  });

  /** A backup that began while no server ran has the data folder until it ends. */
  async function start(server: number): Promise<void> {
    for (;;) {
      const failure = await startOnce(server);
      if (failure === null) return;
      if (!failure.includes('uses the data folder')) throw new Error(failure);
      await new Promise((resolve) => void setTimeout(resolve, 500));
    }
  }

  /** Returns why the server ended; null: it answers. */
  async function startOnce(server: number): Promise<string | null> {
    const log = join(folder, `server-${server}.log`);
    const errors = openSync(log, 'w');
    rmSync(getMemoryFile(server), { force: true });
    const child = spawn(process.execPath, ['--expose-gc', '--import', PRELOAD, 'server/main.ts'], {
      env: { ...getEnvironment(server), MEMORY_FILE: getMemoryFile(server) },
      stdio: ['ignore', 'pipe', errors],
    });
    closeSync(errors);
    children[server] = child;
    let text = '';
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        resolve(`It did not start: ${text}`);
      }, START_MS);
      const exited = (code: number | null): void => {
        clearTimeout(late);
        children[server] = null;
        resolve(`It ended with ${code}: ${text} ${readFileSync(log, 'utf8').slice(-2_000)}`);
      };
      child.once('exit', exited);
      child.stdout?.on('data', (chunk: Buffer) => {
        if (text.length > 10_000) return;
        text += chunk.toString();
        const found = /Daybook is at (http:\S+)/.exec(text)?.[1];
        if (found === undefined) return;
        origins[server] = found;
        clearTimeout(late);
        child.off('exit', exited);
        resolve(null);
      });
    });
  }

  async function kill(server: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<Ended> {
    const child = children[server];
    if (child == null) return { code: null, isLate: false };
    children[server] = null;
    if (child.exitCode !== null || child.signalCode !== null)
      return { code: child.exitCode, isLate: false };
    const signaledAt = performance.now();
    return new Promise((resolve) => {
      child.once('exit', (code) => {
        resolve({ code, isLate: code === 1 && performance.now() - signaledAt >= STOP_MS });
      });
      child.kill(signal);
    });
  }

  for (let server = 0; server < count; server += 1) await start(server);
  return {
    count,
    pickOrigin: (part) => origins[Math.min(count - 1, Math.floor(part * count))] ?? '',
    kill,
    start,
    getMemory(server) {
      if (children[server] == null) return null;
      try {
        return Number(readFileSync(getMemoryFile(server), 'utf8')) || null;
      } catch {
        return null;
      }
    },
    getResident(server) {
      const pid = children[server]?.pid;
      if (pid === undefined) return null;
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
      } catch {
        return null;
      }
    },
    getEnvironment: () => getEnvironment(0),
    async end() {
      const codes = await Promise.all(children.map((_, server) => kill(server, 'SIGTERM')));
      return codes
        .filter(({ code, isLate }) => code !== null && code !== 0 && !isLate)
        .map(({ code }) => `A server that was ended exited with ${code}.`);
    },
  };
}

/** Runs `npm run backup`. Returns whether it made the file. */
export function runBackup(site: Site, file: string): Promise<boolean> {
  const child = spawn(process.execPath, ['server/backup.ts', file], {
    env: site.getEnvironment(),
    stdio: 'ignore',
  });
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      resolve(code === 0);
    });
  });
}
