import { CompiledQuery } from 'kysely';
import type { KeyId, Ms } from '#contract/ids.ts';
import type { Ingested } from '#contract/ingest/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { type Given, parameters, selected, unnestOwned } from '../../platform/db/bulk.ts';
import { prepared } from '../../platform/db/prepared.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { ingestAnswers as t } from './answers.messages.en.ts';

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
  if (error) {
    const message = t
      .record({ index: String(first.index), error: first.error })
      .slice(0, LIMITS.messageChars);
    tx.send(CompiledQuery.raw(PUT_ERROR, [tx.tenant, key_id, at, message]));
    return;
  }
  // Once for all requests of a transaction, in which the last time of a key counts.
  tx.sendLast<readonly [KeyId, Ms]>('heard', [key_id, at], (times) =>
    CompiledQuery.raw(PUT_HEARD, [
      tx.tenant,
      ...parameters(
        HEARD,
        [...new Map(times)].map(([id, last]) => ({ key_id: id, last_heard_at: last })),
      ),
    ]),
  );
}

const HEARD: readonly Given[] = [
  { name: 'key_id', type: 'text' },
  { name: 'last_heard_at', type: 'bigint' },
];
const PUT_HEARD =
  prepared(`insert into source_health (tenant_id, key_id, last_heard_at) select h.tenant_id, ${selected(HEARD)} from ${unnestOwned(HEARD, 2)}
  on conflict (tenant_id, key_id) do update set last_heard_at = excluded.last_heard_at`);
const PUT_ERROR =
  prepared(`insert into source_health (tenant_id, key_id, last_fault_at, last_fault) values ($1::uuid, $2::text, $3::bigint, $4::text)
  on conflict (tenant_id, key_id) do update set last_fault_at = excluded.last_fault_at, last_fault = excluded.last_fault`);

const HEARD_MS: Ms = 1_000;
