import { CompiledQuery } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import { LONG_MESSAGE_MS } from './embedded.ts';
import type { LogLimit } from './limit-log.ts';
import type { Db } from './store.ts';

/**
 * What a copy of the database's files needs besides them: the content of the file `backup_label`,
 * and the files of the write-ahead log from `firstLog` to `lastLog`, by name. Opened with these, the
 * copy has what the database had when `finish` was called.
 */
export interface CopyEnd {
  readonly label: string;
  readonly firstLog: string;
  readonly lastLog: string;
}

/** A copy in progress. */
export interface BaseCopy {
  /**
   * Call when all files but the log are copied. The log stays until `end`.
   * @throws if the database was restarted meanwhile, or its log grew too much.
   */
  finish(): Promise<CopyEnd>;
  /** Call when the log is copied, or when the copy is given up. */
  end(): Promise<void>;
}

/** Makes copies of the files of the running embedded database, one at a time. */
export interface BaseCopies {
  /** From now on, until `finish`, the files can be copied. Null: there is another copy in progress. */
  start(): Promise<BaseCopy | null>;
}

/**
 * Copies by PostgreSQL's own online backup: a checkpoint, then files are copied while the database
 * writes to them, and its log of that time makes them whole. Meanwhile no other checkpoint is made.
 */
export function makeBaseCopies(
  db: Db,
  logLimit: Pick<LogLimit, 'pause'>,
  allow: (ms: Ms) => void,
): BaseCopies {
  let isBusy = false;
  /** Whether the session of the database may have a backup that was not stopped. */
  let isUnstopped = false;

  const query = <R>(text: string): Promise<R | undefined> =>
    db.connection().execute(async (connection) => {
      allow(LONG_MESSAGE_MS);
      return (await connection.executeQuery<R>(CompiledQuery.raw(text))).rows[0];
    });

  async function stop(): Promise<Omit<CopyEnd, 'firstLog'> | undefined> {
    const stopped = await query<Omit<CopyEnd, 'firstLog'>>(
      `select labelfile as label, pg_walfile_name(lsn) as "lastLog" from pg_backup_stop(false)`,
    );
    isUnstopped = false;
    return stopped;
  }

  async function begin(): Promise<string> {
    if (isUnstopped) await stop().catch(() => undefined); // the database may have been restarted
    isUnstopped = true;
    const started = await query<{ firstLog: string }>(
      `select pg_walfile_name(pg_backup_start('daybook', true)) as "firstLog"`,
    );
    return started?.firstLog ?? '';
  }

  return {
    async start() {
      if (isBusy) return null;
      isBusy = true;
      const pause = logLimit.pause();
      const end = async (): Promise<void> => {
        // If this fails, the next copy tries again.
        if (isUnstopped) await stop().catch(() => undefined);
        pause.end();
        isBusy = false;
      };
      try {
        const firstLog = await begin();
        return {
          async finish() {
            const stopped = await stop();
            if (stopped === undefined || !pause.isPaused())
              throw new Error('The log of the database grew too much during the copy.');
            return { ...stopped, firstLog };
          },
          end,
        };
      } catch (error) {
        await end();
        throw error;
      }
    },
  };
}
