import { sql } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { TenantTx } from '../../platform/db/store.ts';

const STORED_MS: Ms = 90 * DAY_MS;
const UNREAD_STORED_MS: Ms = 400 * DAY_MS;

/**
 * NOTE-5: deletes notices 90 days after they were removed, notices for one user 90 days after this user
 * has acknowledged them, and after 400 days in any case, with their acknowledgements. Published notices for
 * several users stay until somebody removes them.
 */
export async function deleteOldNotices({ sql: db, tenant }: TenantTx, now: Ms): Promise<void> {
  const before = now - STORED_MS;
  await sql`
    with deleted as (
      delete from notification as n where n.tenant_id = ${tenant} and (
        n.ended_at < ${before}
        or (n.row ->> 'userId' is not null and (
          n.made_at < ${now - UNREAD_STORED_MS}
          or exists (select 1 from notification_ack as a where a.tenant_id = ${tenant} and a.notification_id = n.id
            and a.user_id::text = n.row ->> 'userId' and a.at < ${before}))))
      returning n.id)
    delete from notification_ack as a using deleted where a.tenant_id = ${tenant} and a.notification_id = deleted.id`.execute(
    db,
  );
}
