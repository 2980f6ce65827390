import { sql } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';

const STORED_MS: Ms = 90 * 86_400_000;
/** So that nobody waits for long: the rest goes an hour later. */
const PIECE_ROWS = 5_000;

/**
 * OUT-9: deletes the answers to commands that are older than 90 days, except the last one of each
 * device. A device sends its next command only after the answer to the one before, so only its last
 * one can arrive again. Earlier ones are refused by their number.
 */
export const deleteOldCommands = async (
  { sql: db, tenant }: TenantTx,
  now: Ms,
  pieceRows = PIECE_ROWS,
): Promise<void> =>
  void (await sql`
    delete from command as c using (
      select id from command as old where tenant_id = ${tenant} and at < ${now - STORED_MS} and exists (
        select 1 from command as later where later.tenant_id = ${tenant} and later.device = old.device and later.n > old.n)
      order by at limit ${pieceRows}) as old
    where c.tenant_id = ${tenant} and c.id = old.id`.execute(db));
