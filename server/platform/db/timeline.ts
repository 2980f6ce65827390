import { type PoolClient, DatabaseError } from 'pg';
import type { Ms } from '#contract/ids.ts';
import type { Log } from '../app-context.ts';
import { changeEpochs } from './epochs.ts';
import { APP_ROLE } from './migrations/migration.ts';

/**
 * The row of `server_setting` that says which database this is: its system, its number there, and
 * the timeline. It belongs to this database, so backups leave it out.
 */
export const TIMELINE_SETTING = 'database-timeline';

/**
 * LOG-6: a promoted standby may lack events that devices have seen, and their numbers are used
 * again. PostgreSQL begins a new timeline with each promotion and with each recovery to an earlier
 * time. Nothing that is left of the old one proves that the standby had all of it.
 */
export interface TimelineGuard {
  /**
   * Call before a connection is used. Where the timeline isn't the one of the stored row, all epochs
   * are changed first, by one of the servers, in the transaction that stores the new one.
   * @throws StandbyError, and any error of the database
   */
  admit(client: PoolClient): Promise<void>;
  /** A statement for the beginning of each transaction. Null: this database doesn't tell. */
  statement(): string | null;
  /**
   * Takes the row that the statement returned.
   * @throws MovedError if the connection has been led to another timeline, as a pooler may do
   */
  check(client: PoolClient, row: unknown): void;
}

/** The connection leads to a standby. Retried as a lost connection is (STORE-2). */
class StandbyError extends Error {
  override readonly name = 'StandbyError';
  readonly code = '57P03';
}

/** The connection was led elsewhere since its last transaction. Retried on one that is admitted. */
class MovedError extends Error {
  override readonly name = 'MovedError';
  readonly code = '08006';
}

const TIMELINE = `case when pg_is_in_recovery() then '' else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end`;
const STATEMENT = `select ${TIMELINE} as timeline`;
const READ_PLACE = `select ${TIMELINE} as timeline,
    (select system_identifier::text from pg_control_system()) as system,
    (select oid::text from pg_database where datname = current_database()) as database,
    to_regclass('public.server_setting') is not null as "hasTables"`;
const READ_STORED = `select value from server_setting where name = '${TIMELINE_SETTING}'`;
const CHANGE_TIMEOUT_MS: Ms = 60_000;
/** Forbidden, unknown or not supported: some services don't offer these functions. */
const NOT_OFFERED = new Set(['42501', '42883', '0A000']);

interface Place {
  readonly timeline: string;
  readonly system: string;
  readonly database: string;
  readonly hasTables: boolean;
}

export function makeTimelineGuard(log: Log): TimelineGuard {
  /** Of each admitted connection. */
  const admitted = new WeakMap<PoolClient, { readonly timeline: string; readonly round: number }>();
  /** Grows when a connection has moved: then the others may have moved, too. */
  let round = 0;
  let isOffered = true;

  async function readPlace(client: PoolClient): Promise<Place | null> {
    try {
      return (await client.query<Place>(READ_PLACE)).rows[0] ?? null;
    } catch (error) {
      if (!(error instanceof DatabaseError) || !NOT_OFFERED.has(error.code ?? '')) throw error;
      isOffered = false;
      log.warn(
        'devices do not reload automatically after a failover: PostgreSQL does not report its timeline',
        { error: error.message },
      );
      return null;
    }
  }

  return {
    async admit(client) {
      const now = round;
      if (!isOffered || admitted.get(client)?.round === now) return;
      const place = await readPlace(client);
      if (place === null) return;
      if (place.timeline === '')
        throw new StandbyError('This PostgreSQL is a standby that was not promoted yet.');
      // Before the first migration, there is nothing that devices could have seen.
      if (!place.hasTables) return;
      await settle(client, `${place.system}-${place.database}-${place.timeline}`, log);
      admitted.set(client, { timeline: place.timeline, round: now });
    },
    statement: () => (isOffered ? STATEMENT : null),
    check(client, row) {
      const before = admitted.get(client);
      if (before === undefined || before.timeline === (row as Place | undefined)?.timeline) return;
      round += 1;
      throw new MovedError('The connection was led to another timeline of the database.');
    },
  };
}

const readStored = async (client: PoolClient, lock = ''): Promise<string | undefined> =>
  (await client.query<{ readonly value: string }>(`${READ_STORED}${lock}`)).rows[0]?.value;

/** Stores where the database is now; if that is not where it was, all epochs change with it. */
async function settle(client: PoolClient, place: string, log: Log): Promise<void> {
  if ((await readStored(client)) === place) return;
  try {
    await client.query(
      `begin isolation level read committed; set local role ${APP_ROLE}; set local statement_timeout = ${CHANGE_TIMEOUT_MS}`,
    );
    // A database that has no row is new, or was used by an earlier version.
    await client.query(
      `insert into server_setting (name, value) values ('${TIMELINE_SETTING}', $1) on conflict do nothing`,
      [place],
    );
    // Servers that find the change together wait here: the first one makes it.
    const before = await readStored(client, ' for update');
    if (before !== place) {
      await changeEpochs((text, values) => client.query(text, [...values]));
      await client.query(
        `update server_setting set value = $1 where name = '${TIMELINE_SETTING}'`,
        [place],
      );
    }
    await client.query('commit');
    if (before !== place)
      log.warn('the database was promoted or moved: all devices reload', { before, now: place });
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
