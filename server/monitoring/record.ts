import { CompiledQuery } from 'kysely';
import type { By, TenantTx } from '../store/store.ts';
import type { KeyId, Ms, RunN, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Ingested } from '#contract/monitoring/ingest.ts';
import type { KeyRow } from '#contract/monitoring/rows.ts';
import type { World } from '../world.ts';
import { type Decision, decide } from './decide.ts';
import { groundFor, settle } from './ground.ts';
import { clampLog } from './log-body.ts';
import type { Normal } from './normal.ts';

/** RUN-2: records results, all of a request in one transaction. `refused` were turned away before: they are answered with the rest. */
export async function record(world: World, tenant: TenantId, key: KeyRow, executions: readonly Normal[], at: Ms, refused: Ingested['rejected'] = []): Promise<Ingested> {
  return world.store.tenant(tenant, async (tx) => {
    const decision = executions.length === 0 ? NOTHING : await write(tx, key, executions, at);
    const rejected = [...refused, ...decision.rejected].sort((a, b) => a.index - b.index);
    await noteHealth(tx, key.id, at, decision.accepted + decision.duplicates, rejected);
    return { accepted: decision.accepted, duplicates: decision.duplicates, rejected };
  });
}

const NOTHING: Decision = { drafts: [], logs: [], accepted: 0, duplicates: 0, rejected: [] };

async function write(tx: TenantTx, key: KeyRow, executions: readonly Normal[], at: Ms): Promise<Decision> {
  const ground = await groundFor(tx, key.id, executions, at);
  const before = { ...ground.next };
  const decision = decide(ground, key, executions, at);
  // A key that was heard once was heard for good: only a new one is asked for again, now that nobody else writes.
  const heard = key.firstResultAt === null ? (await tx.rows('key', [key.id])).get(key.id) : undefined;
  const drafts = heard && heard.firstResultAt === null && decision.accepted > 0
    ? [...decision.drafts, { event: { type: 'key.heard@1' as const, data: { id: key.id } }, company: key.company, entity: `key:${key.id}` }]
    : decision.drafts;
  await settle(tx, before, ground.next);
  await tx.append(drafts, bySource(key.id, at));
  await keepLogs(tx, decision.logs);
  return decision;
}

export const bySource = (key: KeyId, at: Ms): By => ({ actor: { is: 'source', id: key }, subject: null, commandId: null, at });

/** The full text of a run stands beside the log of events: it is large, and it may be deleted. */
export async function keepLogs(tx: TenantTx, logs: readonly { readonly run: RunN; readonly body: string }[]): Promise<void> {
  if (logs.length === 0) return;
  const bodies = new Map(logs.map(({ run, body }) => [run, clampLog(body, LIMITS.logBytes)]));
  await tx.sql.executeQuery(CompiledQuery.raw(`insert into run_log (tenant_id, run_n, body)
    select $1::uuid, run_n, body from json_to_recordset($2::text::json) as x(run_n bigint, body text)
    on conflict (tenant_id, run_n) do update set body = excluded.body`, [tx.tenant, JSON.stringify([...bodies].map(([run_n, body]) => ({ run_n, body })))]));
}

/** When a key was last heard, and with what fault: a request of which nothing was fit is a source that failed to sync (RUN-3). */
export async function noteHealth(tx: TenantTx, key_id: KeyId, at: Ms, good: number, rejected: Ingested['rejected']): Promise<void> {
  const [first] = rejected;
  if (good === 0 && first === undefined) return;
  const said = good > 0 ? { last_heard_at: at } : { last_fault_at: at, last_fault: `Record ${first?.index ?? 0}: ${first?.error ?? ''}`.slice(0, LIMITS.messageChars) };
  await tx.sql.insertInto('source_health').values({ tenant_id: tx.tenant, key_id, last_heard_at: null, last_fault_at: null, last_fault: null, ...said })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'key_id']).doUpdateSet(said)).execute();
}
