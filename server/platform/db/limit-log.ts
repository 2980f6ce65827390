import { CompiledQuery } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { Clock, Log } from '../app-context.ts';
import { LONG_MESSAGE_MS } from './embedded.ts';
import { repeat } from './repeat.ts';
import type { Db } from './store.ts';

/** How large the write-ahead log may become before a checkpoint. */
const MAX_BYTES = 128 * 1024 * 1024;
/** The same while checkpoints are paused. It limits the space that a slow copy costs. */
const PAUSED_MAX_BYTES = 8 * MAX_BYTES;
const EVERY_MS: Ms = 2_000;

export interface LogLimit {
  /** Resolves when no checkpoint is running. */
  stop(): Promise<void>;
  /** Pauses checkpoints, until `end` or until the log is much larger than usual. */
  pause(): { isPaused(): boolean; end(): void };
}

/**
 * Limits the write-ahead log of the embedded database. PGlite has no checkpointer: without this, the
 * log would grow until the database is closed, and a killed server would replay all of it.
 */
export function limitLog(
  db: Db,
  clock: Clock,
  log: Log,
  allow: (ms: Ms) => void,
  maxBytes = MAX_BYTES,
): LogLimit {
  let paused: object | null = null;

  async function check(): Promise<void> {
    const { rows } = await db.executeQuery(LOG_BYTES);
    const bytes = rows[0]?.bytes ?? 0;
    if (bytes < (paused === null ? maxBytes : PAUSED_MAX_BYTES)) return;
    const before = (paused = null);
    await db.connection().execute(async (connection) => {
      if (paused !== before) return; // while it waited for the connection
      allow(LONG_MESSAGE_MS);
      await connection.executeQuery(CompiledQuery.raw('checkpoint'));
    });
  }

  return {
    stop: repeat(clock, EVERY_MS, check, (error) => {
      log.warn('a checkpoint failed, and is tried again', { error });
    }),
    pause() {
      const mine = (paused = {});
      return {
        isPaused: () => paused === mine,
        end() {
          if (paused === mine) paused = null;
        },
      };
    },
  };
}

/** What a restart would have to replay. */
const LOG_BYTES = CompiledQuery.raw(
  'select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::bigint as bytes from pg_control_checkpoint()',
) as CompiledQuery<{ readonly bytes: number }>;
