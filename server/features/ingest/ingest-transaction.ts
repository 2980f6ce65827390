import { CompiledQuery } from 'kysely';
import type { By, Store, TenantTx } from '../../platform/db/store.ts';
import { makeBatcher } from '../../platform/db/batcher.ts';
import type { KeyId, Ms, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Ingested } from '#contract/ingest/calls.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { KeyRow } from '#contract/runs/rows.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { type Decision, decide, type DecisionState, type RunLog, type TasksOf } from './decide.ts';
import {
  type LookupKeys,
  causesOf,
  loadDecisionState,
  emptyLookupKeys,
  usedOf,
} from './load-decision-state.ts';
import { NO_KEY, stands } from './authenticate-key.ts';
import { clampLog } from './clamp-log.ts';
import type { Normal } from './normalize.ts';
import { addUsage, allowanceOf, fitting, logBytes, RECORD_BYTES, refuseOver } from './quota.ts';
import { appendWithRules } from './append-with-rules.ts';

/**
 * The results of a request. `refused` are records rejected earlier, which the response includes.
 */
interface Request {
  readonly read: KeyRow;
  readonly executions: readonly Normal[];
  readonly at: Ms;
  readonly refused: Ingested['rejected'];
}

/**
 * RUN-2: records all results of a request in one transaction, which can be shared with waiting
 * requests of the same provider. Fails with `signed-out` if the key was rotated or revoked since it
 * was read, and with `too-many` if its daily quota is used up (ING-17); then nothing is recorded.
 */
export function recordResults(
  world: AppContext,
  tenant: TenantId,
  read: KeyRow,
  executions: readonly Normal[],
  at: Ms,
  refused: Ingested['rejected'] = [],
): Promise<Result<Ingested>> {
  // Fills the cache of causes before taking the lock, which the provider's other writers wait for.
  causesOf(executions);
  let line = lines.get(world.store);
  if (line === undefined)
    lines.set(
      world.store,
      (line = makeBatcher(
        (of, requests) => recordAll(world, of, requests),
        ({ executions: all }: Request) => all.length,
        AT_ONCE,
      )),
    );
  return line(tenant, { read, executions, at, refused });
}

const lines = new WeakMap<
  Store,
  (tenant: TenantId, request: Request) => Promise<Result<Ingested>>
>();

/**
 * The maximum number of results in one transaction, because the provider's other writers wait for
 * it.
 */
const AT_ONCE = 600;

const recordAll = (
  world: AppContext,
  tenant: TenantId,
  requests: readonly Request[],
): Promise<Result<Ingested>[]> =>
  world.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const asked = emptyLookupKeys();
    // Read for all requests at once, so that no decision waits for earlier ones to be written.
    if (requests.length > 1)
      await Promise.all(
        requests.map(({ read, executions, at }) =>
          loadDecisionState(tx, asked, read.id, executions, at),
        ),
      );
    const answers: Result<Ingested>[] = [];
    for (const request of requests) answers.push(await recordOne(world, tx, asked, request));
    return answers;
  });

async function recordOne(
  world: AppContext,
  tx: TenantTx,
  asked: LookupKeys,
  { read, executions, at, refused }: Request,
): Promise<Result<Ingested>> {
  const ground = await loadDecisionState(tx, asked, read.id, executions, at);
  const key = await stands(tx, read);
  if (key === null) return failed(NO_KEY);
  const alone = world.store.kind === 'pglite';
  const allowance = await allowanceOf(tx, key, at, alone);
  const fit = fitting(allowance, executions);
  if (allowance !== null && fit === null) return failed(refuseOver(tx, allowance, at));
  const decision = await write(world, tx, ground, key, fit?.executions ?? executions, at);
  addUsage(tx, allowance, storedBytes(decision), fit?.dropped ?? 0);
  const rejected =
    decision.rejected.length === 0
      ? [...refused]
      : [...refused, ...decision.rejected].sort((a, b) => a.index - b.index);
  await updateSourceHealth(
    tx,
    key.id,
    at,
    decision.accepted + decision.duplicates,
    rejected,
    alone,
  );
  return ok({ accepted: decision.accepted, duplicates: decision.duplicates, rejected });
}

async function write(
  world: AppContext,
  tx: TenantTx,
  ground: DecisionState,
  key: KeyRow,
  executions: readonly Normal[],
  at: Ms,
): Promise<Decision> {
  const before = { ...ground.next };
  const decision = decide(ground, key, executions, at);
  const drafts =
    key.firstResultAt === null && decision.accepted > 0
      ? [
          ...decision.drafts,
          {
            event: { type: 'key.heard@1' as const, data: { id: key.id } },
            company: key.company,
            entity: `key:${key.id}`,
          },
        ]
      : decision.drafts;
  await appendWithRules(
    world,
    tx,
    ground,
    drafts,
    bySource(key.id, at),
    usedOf(before, ground.next),
  );
  await keepLogs(tx, decision.logs);
  await keepTasks(tx, decision.tasks);
  return decision;
}

const storedBytes = ({ accepted, logs, tasks }: Decision): number =>
  accepted * RECORD_BYTES +
  logs.reduce((sum, { body }) => sum + logBytes(body), 0) +
  tasks.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one.tasks)), 0);

export const bySource = (key: KeyId, at: Ms): By => ({
  actor: { is: 'source', id: key },
  subject: null,
  commandId: null,
  at,
});

/**
 * Stores the full log of a run outside the event log, because it is large and can be deleted. For a
 * run that has ended, the longer log is kept (RUN-10).
 */
export async function keepLogs(tx: TenantTx, logs: readonly RunLog[]): Promise<void> {
  for (const longest of [false, true]) {
    const bodies = new Map(
      logs
        .filter((log) => (log.longest ?? false) === longest)
        .map(({ run, body }) => [run, clampLog(body, LIMITS.logBytes)]),
    );
    if (bodies.size === 0) continue;
    tx.send(
      CompiledQuery.raw(
        `insert into run_log (tenant_id, run_n, body)
      select $1::uuid, run_n, body from json_to_recordset($2::text::json) as x(run_n bigint, body text)
      on conflict (tenant_id, run_n) do update set body = excluded.body${longest ? ' where length(run_log.body) < length(excluded.body)' : ''}`,
        [tx.tenant, JSON.stringify([...bodies].map(([run_n, body]) => ({ run_n, body })))],
      ),
    );
  }
}

/**
 * TASK-1: the results of a run's objects are stored outside the event log, like logs. The last
 * report replaces earlier ones.
 */
export async function keepTasks(tx: TenantTx, told: readonly TasksOf[]): Promise<void> {
  if (told.length === 0) return;
  const last = new Map(told.map(({ run, tasks }) => [run, tasks]));
  tx.send(
    CompiledQuery.raw(
      `insert into run_task (tenant_id, run_n, tasks)
    select $1::uuid, run_n, tasks from json_to_recordset($2::text::json) as x(run_n bigint, tasks json)
    on conflict (tenant_id, run_n) do update set tasks = excluded.tasks`,
      [tx.tenant, JSON.stringify([...last].map(([run_n, tasks]) => ({ run_n, tasks })))],
    ),
  );
}

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
  const fault = good === 0 && first !== undefined;
  if (fault) heard.delete(key_id);
  else if (alone && before !== undefined && at >= before && at < before + HEARD_MS) return;
  else heard.set(key_id, at);
  const said = !fault
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
