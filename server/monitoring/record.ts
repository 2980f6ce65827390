import { CompiledQuery } from 'kysely';
import type { By, Store, TenantTx } from '../store/store.ts';
import { together } from '../store/together.ts';
import type { KeyId, Ms, RunN, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Ingested } from '#contract/monitoring/ingest.ts';
import type { KeyRow } from '#contract/monitoring/rows.ts';
import type { World } from '../world.ts';
import { type Decision, decide, type Ground, type TasksOf } from './decide.ts';
import { type Asked, causesOf, groundFor, nothingAsked, usedOf } from './ground.ts';
import { stands } from './ingest-key.ts';
import { clampLog } from './log-body.ts';
import type { Normal } from './normal.ts';
import { appendRuled } from './rules/append-ruled.ts';

/** A request's results. `refused` were turned away before: they are answered with the rest. */
interface Request { readonly read: KeyRow; readonly executions: readonly Normal[]; readonly at: Ms; readonly refused: Ingested['rejected'] }

/**
 * RUN-2: records results, all of a request in one transaction, which requests of the same provider may share that wait for each other anyway. Null: the
 * key was rotated or revoked since it was read, and nothing is recorded.
 */
export function record(world: World, tenant: TenantId, read: KeyRow, executions: readonly Normal[], at: Ms, refused: Ingested['rejected'] = []): Promise<Ingested | null> {
  // What failures come to is remembered: better before the provider's other writers wait for this one.
  causesOf(executions);
  let line = lines.get(world.store);
  if (line === undefined) lines.set(world.store, (line = together((of, requests) => recordAll(world, of, requests), ({ executions: all }: Request) => all.length, AT_ONCE)));
  return line(tenant, { read, executions, at, refused });
}

const lines = new WeakMap<Store, (tenant: TenantId, request: Request) => Promise<Ingested | null>>();

/** So many results share a transaction: others who write for the provider wait for it. */
const AT_ONCE = 600;

const recordAll = (world: World, tenant: TenantId, requests: readonly Request[]): Promise<(Ingested | null)[]> => world.store.tenant(tenant, async (tx) => {
  await tx.lock();
  const asked = nothingAsked();
  // Read for all of them at once, so that no decision waits for what was decided before to be written.
  if (requests.length > 1) await Promise.all(requests.map(({ read, executions, at }) => groundFor(tx, asked, read.id, executions, at)));
  const answers: (Ingested | null)[] = [];
  for (const request of requests) answers.push(await recordOne(world, tx, asked, request));
  return answers;
});

async function recordOne(world: World, tx: TenantTx, asked: Asked, { read, executions, at, refused }: Request): Promise<Ingested | null> {
  const ground = await groundFor(tx, asked, read.id, executions, at);
  const key = await stands(tx, read);
  if (key === null) return null;
  const decision = await write(world, tx, ground, key, executions, at);
  const rejected = decision.rejected.length === 0 ? [...refused] : [...refused, ...decision.rejected].sort((a, b) => a.index - b.index);
  await noteHealth(tx, key.id, at, decision.accepted + decision.duplicates, rejected, world.store.kind === 'pglite');
  return { accepted: decision.accepted, duplicates: decision.duplicates, rejected };
}

async function write(world: World, tx: TenantTx, ground: Ground, key: KeyRow, executions: readonly Normal[], at: Ms): Promise<Decision> {
  const before = { ...ground.next };
  const decision = decide(ground, key, executions, at);
  const drafts = key.firstResultAt === null && decision.accepted > 0
    ? [...decision.drafts, { event: { type: 'key.heard@1' as const, data: { id: key.id } }, company: key.company, entity: `key:${key.id}` }]
    : decision.drafts;
  await appendRuled(world, tx, ground, drafts, bySource(key.id, at), usedOf(before, ground.next));
  await keepLogs(tx, decision.logs);
  await keepTasks(tx, decision.tasks);
  return decision;
}

export const bySource = (key: KeyId, at: Ms): By => ({ actor: { is: 'source', id: key }, subject: null, commandId: null, at });

/** The full text of a run stands beside the log of events: it is large, and it may be deleted. */
export async function keepLogs(tx: TenantTx, logs: readonly { readonly run: RunN; readonly body: string }[]): Promise<void> {
  if (logs.length === 0) return;
  const bodies = new Map(logs.map(({ run, body }) => [run, clampLog(body, LIMITS.logBytes)]));
  tx.send(CompiledQuery.raw(`insert into run_log (tenant_id, run_n, body)
    select $1::uuid, run_n, body from json_to_recordset($2::text::json) as x(run_n bigint, body text)
    on conflict (tenant_id, run_n) do update set body = excluded.body`, [tx.tenant, JSON.stringify([...bodies].map(([run_n, body]) => ({ run_n, body })))]));
}

/** TASK-1: what runs did with their objects stands beside the log of events, as their logs do. What a run tells last counts. */
export async function keepTasks(tx: TenantTx, told: readonly TasksOf[]): Promise<void> {
  if (told.length === 0) return;
  const last = new Map(told.map(({ run, tasks }) => [run, tasks]));
  tx.send(CompiledQuery.raw(`insert into run_task (tenant_id, run_n, tasks)
    select $1::uuid, run_n, tasks from json_to_recordset($2::text::json) as x(run_n bigint, tasks json)
    on conflict (tenant_id, run_n) do update set tasks = excluded.tasks`, [tx.tenant, JSON.stringify([...last].map(([run_n, tasks]) => ({ run_n, tasks })))]));
}

/**
 * When a key was last heard, and with what fault: a request of which nothing was fit is a source that failed to sync (RUN-3). Asked under the lock of the
 * head row. `alone`: no other server writes here, so that what was written within the second need not be written again.
 */
export async function noteHealth(tx: TenantTx, key_id: KeyId, at: Ms, good: number, rejected: Ingested['rejected'], alone = false): Promise<void> {
  const [first] = rejected;
  if (good === 0 && first === undefined) return;
  const heard = tx.memory('heard', () => new Map<KeyId, Ms>());
  const before = heard.get(key_id);
  if (good === 0) heard.delete(key_id);
  else if (alone && before !== undefined && at >= before && at < before + HEARD_MS) return;
  else heard.set(key_id, at);
  const said = good > 0 ? { last_heard_at: at } : { last_fault_at: at, last_fault: `Record ${first?.index ?? 0}: ${first?.error ?? ''}`.slice(0, LIMITS.messageChars) };
  tx.send(tx.sql.insertInto('source_health').values({ tenant_id: tx.tenant, key_id, last_heard_at: null, last_fault_at: null, last_fault: null, ...said })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'key_id']).doUpdateSet(said)).compile());
}

const HEARD_MS: Ms = 1_000;
