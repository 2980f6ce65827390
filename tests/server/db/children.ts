import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type Line =
  | { readonly kind: 'held' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'acknowledged'; readonly seq: number; readonly tenant: string };

export interface Child {
  readonly process: ChildProcess;
  readonly lines: readonly Line[];
  /** Whether it has the folder: its first line. */
  readonly first: Promise<Line>;
  readonly ended: Promise<number | null>;
  kill(signal?: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
}

/** `how`: more arguments of Node, and variables. */
export function child(
  does: 'hold' | 'write' | 'reopen' | 'crowd',
  dir: string,
  tenant = '',
  how: { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } = {
    args: [],
    env: {},
  },
): Child {
  const one = spawn(
    process.execPath,
    ['--liftoff-only', ...how.args, join(import.meta.dirname, 'child.ts'), does, dir, tenant],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...how.env } },
  );
  const lines: Line[] = [];
  const reader = createInterface(one.stdout);
  const ended = new Promise<number | null>((resolve) => void one.once('close', resolve));
  const first = new Promise<Line>((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(JSON.parse(line) as Line);
      if (lines.length === 1) resolve(JSON.parse(line) as Line);
    });
    void ended.then(() => reject(new Error('The process ended without a word.')));
  });
  first.catch(() => undefined);
  return { process: one, lines, first, ended, kill: (signal = 'SIGKILL') => void one.kill(signal) };
}
