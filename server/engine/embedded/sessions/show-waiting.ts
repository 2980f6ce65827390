import { MINUTE_MS } from '#contract/time/durations.ts';
import { sql } from 'kysely';
import type { SessionProgress, Waiting } from '#contract/engine/sessions.ts';
import type { BackupSessionId, Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { FailingTimes } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { followWaits, type Waits } from '../waits.ts';
import { sessionMessages as t } from '../../shared/sessions.messages.en.ts';
import type { RunningSession } from './run-session.ts';

/** Between two lines of the log about waits. */
const LOG_MS: Ms = 5 * MINUTE_MS;

/** Stores what a session waits for, for who watches it; null: nothing any more. */
export const storeWaiting = (
  { sql: db, tenant }: TenantTx,
  session: BackupSessionId,
  waiting: Waiting | null,
): Promise<unknown> =>
  sql`
    update backup_session set progress = jsonb_set(progress, '{waiting}', ${JSON.stringify(waiting)}::text::jsonb)
    where tenant_id = ${tenant} and id = ${session} and state <> 'done'`.execute(db);

/** Stores since when a session can't continue, so that a restart keeps it; null: it can. */
export const storeFailing = (
  { sql: db, tenant }: TenantTx,
  session: BackupSessionId,
  failing: FailingTimes | null,
): Promise<unknown> =>
  sql`
    update backup_session set progress = jsonb_set(progress, '{failing}', ${JSON.stringify(failing)}::text::jsonb)
    where tenant_id = ${tenant} and id = ${session} and state <> 'done'`.execute(db);

/** Notes that Microsoft 365 denied a session an access. The note stays when the session ends. */
export const storeAccessDenied = (
  { sql: db, tenant }: TenantTx,
  session: BackupSessionId,
): Promise<unknown> =>
  sql`
    update backup_session set progress = jsonb_set(progress, '{isAccessDenied}', 'true')
    where tenant_id = ${tenant} and id = ${session} and state <> 'done'`.execute(db);

/** Stores how far a session is. Returns its state; undefined: it is gone. */
export async function storeProgress(
  { sql: db, tenant }: TenantTx,
  session: BackupSessionId,
  progress: SessionProgress,
): Promise<string | undefined> {
  const { rows } = await sql<{ readonly state: string }>`
    update backup_session set progress = ${JSON.stringify(progress)}::text::jsonb
      || coalesce(jsonb_set('{}', '{isAccessDenied}', progress -> 'isAccessDenied'), '{}')
    where tenant_id = ${tenant} and id = ${session} returning state`.execute(db);
  return rows[0]?.state;
}

/** The waits of the requests of a session: each is stored at once, and logged now and then (ENG-9). */
export function followSessionWaits({
  context,
  tenant,
  id,
  log,
}: Pick<RunningSession, 'tenant' | 'id' | 'log'> & {
  readonly context: Pick<AppContext, 'store' | 'clock'>;
}): Waits {
  const { store, clock } = context;
  let loggedAt: Ms | null = null;
  let stored: Promise<void> = Promise.resolve();
  return followWaits((waiting) => {
    const now = clock.now();
    const isLogged = waiting !== null && (loggedAt === null || now - loggedAt >= LOG_MS);
    if (isLogged) loggedAt = now;
    stored = stored
      .then(() =>
        store.tenant(tenant, async (tx) => {
          await storeWaiting(tx, id, waiting);
          if (isLogged) {
            const minutes = Math.max(1, Math.round((waiting.until - now) / MINUTE_MS));
            await log(tx, 'info', t.throttled({ minutes, reason: waiting.reason }));
          }
        }),
      )
      // The next progress shows it too.
      .catch(() => undefined);
  });
}
