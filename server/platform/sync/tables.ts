import { sql } from 'kysely';
import { listStoredTypes } from '#contract/former-events.ts';
import type { CompanyN, TenantId } from '#contract/ids.ts';
import type { Head, TenantTx } from '#server/platform/db/store.ts';
import { seesCompany } from './scope.ts';
import type { Scope } from './scope.ts';

/**
 * Returns the last event that changed the kind of a job in the scope, as of the transaction's head;
 * 0 if there is none.
 */
export type Kinds = (tx: TenantTx, head: Head, scope: Scope) => Promise<number>;

type Last = ReadonlyMap<CompanyN, number>;

/**
 * SYNC-11. Caches what was read of a log: some sources report changes to their jobs constantly,
 * mostly to fields that runs don't contain.
 */
export function makeKinds(): Kinds {
  const known = new Map<
    TenantId,
    { readonly epoch: string; readonly upTo: number; readonly last: Last }
  >();
  return async (tx, { epoch, seq }, scope) => {
    const before = known.get(tx.tenant);
    // A snapshot older than the cache reads for itself, because the cache may include events that
    // the snapshot lacks.
    const own = before?.epoch === epoch && before.upTo <= seq ? before : null;
    const last =
      own === null || own.upTo < seq
        ? new Map([...(own?.last ?? []), ...(await loadChanges(tx, own?.upTo ?? 0))])
        : own.last;
    if (before?.epoch !== epoch || before.upTo < seq)
      known.set(tx.tenant, { epoch, upTo: seq, last });
    return Math.max(
      0,
      ...[...last].flatMap(([company, at]) => (seesCompany(scope, company) ? [at] : [])),
    );
  };
}

const UPDATED = listStoredTypes(['job.updated@1']);
const FOUND_OR_UPDATED = listStoredTypes(['job.found@1', 'job.updated@1']);

/**
 * Returns the last change after `seq` in each company. Compares every change of a job with its
 * previous state.
 */
async function loadChanges(tx: TenantTx, seq: number): Promise<Last> {
  const { rows } = await sql<{
    company: CompanyN;
    seq: number;
  }>`select e.company, max(e.seq) as seq from event as e
    cross join lateral (select data from event where tenant_id = ${tx.tenant}::uuid and entity = e.entity and seq < e.seq and type in (${sql.join(FOUND_OR_UPDATED)})
      and entity not like 'run:%' order by seq desc limit 1) as p
    where e.tenant_id = ${tx.tenant}::uuid and e.type in (${sql.join(UPDATED)}) and e.seq > ${seq} and e.entity not like 'run:%' and e.company is not null
      and (e.data->>'managed', e.data->>'source', e.data->>'type') is distinct from (p.data->>'managed', p.data->>'source', p.data->>'type')
    group by e.company`.execute(tx.sql);
  return new Map(rows.map(({ company, seq: at }) => [company, at]));
}
