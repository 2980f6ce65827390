import { readConfig } from '../config.ts';
import { systemClock } from '../clock.ts';
import { makeLog } from '../log.ts';
import { FolderHeld } from './lock.ts';
import { type OpenStore, openStore } from './open.ts';

/**
 * Runs a command on the server's database and closes it. Prints an expected failure as one
 * sentence.
 */
export async function withStore(work: (store: OpenStore) => Promise<number>): Promise<void> {
  const settings = readConfig(process.env, '.');
  if (typeof settings === 'string') return stop(settings);
  const log = makeLog(
    systemClock,
    (level, line) => level !== 'info' && process.stderr.write(`${line}\n`),
  );
  try {
    const store = await openStore({ ...settings.config, log, clock: systemClock });
    try {
      process.exitCode = await work(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof FolderHeld) && (error as Error).name !== 'BadBackup') throw error;
    stop((error as Error).message);
  }
}

export function stop(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

export const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);
