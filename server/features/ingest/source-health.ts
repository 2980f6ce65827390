import type { KeyId, Ms } from '#contract/ids.ts';
import type { Ingested } from '#contract/ingest/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import type { TenantTx } from '../../platform/db/store.ts';

/**
 * Records when a key was last heard and its last fault. A request without a valid record means that
 * the source failed to sync (RUN-3). An empty request means that nothing ran. Call it under the
 * lock of the head row. With `alone` no other server writes, so a time is written at most once a
 * second.
 */
export async function updateSourceHealth(
  tx: TenantTx,
  key_id: KeyId,
  at: Ms,
  good: number,
  rejected: Ingested['rejected'],
  alone = false,
): Promise<void> {
  const [first] = rejected;
  const heard = tx.memory('heard', () => new Map<KeyId, Ms>());
  const before = heard.get(key_id);
  const error = good === 0 && first !== undefined;
  if (error) heard.delete(key_id);
  else if (alone && before !== undefined && at >= before && at < before + HEARD_MS) return;
  else heard.set(key_id, at);
  const said = !error
    ? { last_heard_at: at }
    : {
        last_fault_at: at,
        last_fault: `Record ${first.index}: ${first.error}`.slice(0, LIMITS.messageChars),
      };
  tx.send(
    tx.sql
      .insertInto('source_health')
      .values({
        tenant_id: tx.tenant,
        key_id,
        last_heard_at: null,
        last_fault_at: null,
        last_fault: null,
        ...said,
      })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'key_id']).doUpdateSet(said))
      .compile(),
  );
}

const HEARD_MS: Ms = 1_000;
