import { resolve } from 'node:path';
import type { Config } from '../app-context.ts';
import { readConfig } from '../config.ts';
import { configMessages as t } from '../config.messages.en.ts';
import { systemClock } from '../clock.ts';
import { makeLog } from '../log.ts';
import { CopyFailed, copyRunning, type RunningCopy } from './copy-running.ts';
import { LostLog } from './acknowledged.ts';
import { DamagedTable, getDamagedFile } from './damaged-file.ts';
import { FolderHeld } from './lock.ts';
import { type StoreOptions, type OpenStore, openStore } from './open.ts';
import { isDiskFull } from './retry.ts';

/** How a command works on the server's database. */
export interface CommandOptions {
  /**
   * It only reads: if a server runs on the embedded database, the command works on a copy of it. The
   * copy is made in this folder; null: in the data folder.
   */
  readonly copyIn: string | null;
}

/**
 * Runs a command on the server's database and closes it. Prints an expected failure as one
 * sentence. Without `options`, no server may run on the embedded database. `config`: the server's
 * settings, also if the command works on a copy.
 */
export async function withStore(
  work: (store: OpenStore, config: Config) => Promise<number>,
  options?: CommandOptions,
): Promise<void> {
  const settings = readConfig(process.env, '.');
  if (typeof settings === 'string') return stop(settings);
  const log = makeLog(
    systemClock,
    (level, line) => level !== 'info' && process.stderr.write(`${line}\n`),
  );
  const opening: StoreOptions = { ...settings.config, log, clock: systemClock };
  let copy: RunningCopy | null = null;
  try {
    const store = await openStore(opening).catch(async (error: unknown) => {
      if (!(error instanceof FolderHeld) || options === undefined) throw error;
      copy = await copyRunning(
        opening.dataDir,
        options.copyIn === null ? opening.dataDir : resolve(options.copyIn),
        systemClock.now(),
      );
      if (copy === null) throw error;
      return openStore({ ...opening, dataDir: copy.dataDir, flushes: false });
    });
    try {
      process.exitCode = await work(store, settings.config);
    } finally {
      await store.close();
    }
  } catch (error) {
    const sentence = getSentence(error);
    if (sentence === null) throw error;
    stop(sentence);
  } finally {
    await (copy as RunningCopy | null)?.remove();
  }
}

/** Null: the failure is not expected. */
function getSentence(error: unknown): string | null {
  if (error instanceof FolderHeld || error instanceof CopyFailed) return error.message;
  if (error instanceof DamagedTable || error instanceof LostLog) return error.message;
  if (/^(?:BadBackup|DamagedEventArchive)$/.test((error as Error).name))
    return (error as Error).message;
  if (isDiskFull(error)) return t.commandNoSpace;
  const reason = getDamagedFile(error);
  return reason === null ? null : t.databaseDamaged({ reason });
}

export function stop(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

export const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);
