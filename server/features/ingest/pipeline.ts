import type { KeyId, Ms, TenantId } from '#contract/ids.ts';
import type { Ingested } from '#contract/ingest/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { NO_KEY, readCurrentKey } from '../../platform/auth/ingest-key-auth.ts';
import { makeBatcher } from '../../platform/db/batcher.ts';
import type { EventMeta, TenantTx } from '../../platform/db/store.ts';
import type { IngestContext } from '../../platform/http/handler.ts';
import type { PerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import { appendWithRules } from './append-with-rules.ts';
import { decide } from './decide.ts';
import { addNames } from './decision-state.ts';
import {
  getCauses,
  emptyLookupKeys,
  loadDecisionState,
  type LoadedState,
  lock,
} from './load-decision-state.ts';
import type { Normal } from './normalize.ts';
import { addUsage, loadAllowance, fitting, refuseOver } from './quota.ts';
import { readBodyText } from './read-body.ts';
import { keepLogs, keepTasks, storedBytes } from './run-details.ts';
import { updateSourceHealth } from './source-health.ts';

/*
 * How a posted result is recorded:
 *
 * 1. Authenticate the key, for every call (`platform/auth/ingest-key-auth.ts`).
 * 2. Read the body: `receive`.
 * 3. Parse what the tool wrote: each call of `handlers.ts`, by the readers in `tools/`.
 * 4. Normalize and check each record: `checkedExecution`.
 * 5. Load the state, decide, append, for all waiting requests of a provider: `recordResults`.
 * 6. Notify: the rules' mails with the events, and after the commit the listeners of the store
 *    (`Store.onAppend`).
 */

/** Parses, checks and records a body: steps 3 to 6. */
type Work = (text: string, ctx: IngestContext) => Promise<Result<Ingested>>;

/** Checks the rate before reading the body, so that a refused body is never read. */
export const receive =
  (context: AppContext, rate: PerMinuteLimit, work: Work) =>
  async (_input: unknown, ctx: IngestContext): Promise<Result<Ingested>> => {
    const { holder, now, request } = ctx;
    const { id } = holder.key;
    const refused = rate.check(id, now);
    if (refused) return failed(refused);
    const read = await context.ingestBodies.read(holder, request, () => readBodyText(request));
    const text = read.ok ? read.value : read;
    if (!text.ok) return text;
    // The cost of reading a compressed body depends on its uncompressed size.
    rate.add(id, Math.max(0, Math.ceil(text.value.length / LIMITS.ingestBodyBytes) - 1));
    return work(text.value, ctx);
  };

/**
 * The results of a request. `refused` are records rejected earlier, which the response includes.
 */
interface Request {
  readonly read: IngestKeyRow;
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
  context: AppContext,
  tenant: TenantId,
  read: IngestKeyRow,
  executions: readonly Normal[],
  at: Ms,
  refused: Ingested['rejected'] = [],
): Promise<Result<Ingested>> {
  // Fills the cache of causes before taking the lock, which the provider's other writers wait for.
  getCauses(executions);
  return context.resultQueue(tenant, { read, executions, at, refused });
}

/** Results that wait for the transaction before them, and then share one. */
export type ResultQueue = (tenant: TenantId, request: Request) => Promise<Result<Ingested>>;

export const makeResultQueue = (getContext: () => AppContext): ResultQueue =>
  makeBatcher(
    (tenant, requests, free) => recordAll(getContext(), tenant, requests, free),
    ({ executions }) => executions.length,
    BATCH_SIZE,
  );

/**
 * The maximum number of results in one transaction, because the provider's other writers wait for
 * it.
 */
const BATCH_SIZE = 600;

/** `onCommit`: see `Store.tenant`. */
async function recordAll(
  context: AppContext,
  tenant: TenantId,
  requests: readonly Request[],
  onCommit: () => void,
): Promise<Result<Ingested>[]> {
  const record = (isThorough: boolean): Promise<Result<Ingested>[]> =>
    context.store.tenant(tenant, (tx) => recordIn(tx, context, requests, isThorough), { onCommit });
  try {
    return await record(false);
  } catch (error) {
    if (!isTaken(error)) throw error;
    // A result was new only as far as its job is known: another run has its ID.
    return record(true);
  }
}

/** PostgreSQL's unique_violation. */
const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505';

async function recordIn(
  tx: TenantTx,
  context: AppContext,
  requests: readonly Request[],
  isThorough: boolean,
): Promise<Result<Ingested>[]> {
  await tx.lock();
  const query = emptyLookupKeys(isThorough);
  const load = ({ read, executions, at }: Request): Promise<LoadedState> =>
    loadDecisionState(tx, query, read.id, executions, at);
  // Read for all requests at once, so that no decision waits for earlier ones to be written.
  const [states] = await Promise.all([
    Promise.all(requests.map(load)),
    Promise.all(requests.map(({ read, at }) => loadAllowance(tx, read, at, isAlone(context)))),
  ]);
  const answers: Result<Ingested>[] = [];
  const keys = new Set<KeyId>();
  for (const [index, request] of requests.entries()) {
    const state = states[index];
    // Another request of the same key may have changed what was read.
    const current =
      state === undefined || keys.has(request.read.id)
        ? await load(request)
        : { ...state, next: await lock(tx) };
    keys.add(request.read.id);
    answers.push(await recordOne(context, tx, current, request));
  }
  return answers;
}

/** Returns whether no other server writes to this database. */
const isAlone = ({ store }: AppContext): boolean => store.kind === 'pglite';

/** Step 5 for one request, from the loaded state. */
async function recordOne(
  context: AppContext,
  tx: TenantTx,
  state: LoadedState,
  { read, executions, at, refused }: Request,
): Promise<Result<Ingested>> {
  const key = await readCurrentKey(tx, read);
  if (key === null) return failed(NO_KEY);
  const alone = isAlone(context);
  const allowance = await loadAllowance(tx, key, at, alone);
  const fit = fitting(allowance, executions);
  if (allowance !== null && fit === null) return failed(refuseOver(tx, allowance, at));

  const decision = decide(state, key, fit?.executions ?? executions, bySource(key.id, at));
  await appendWithRules(context, tx, decision, at);
  addNames(state, decision.names);
  await keepLogs(tx, decision.logs);
  await keepTasks(tx, decision.tasks);

  addUsage(tx, allowance, storedBytes(decision), fit?.dropped ?? 0);
  const { accepted, duplicates } = decision;
  const rejected = [...refused, ...decision.rejected];
  if (decision.rejected.length > 0) rejected.sort((a, b) => a.index - b.index);
  await updateSourceHealth(tx, key.id, at, accepted + duplicates, rejected, alone);
  return ok({ accepted, duplicates, rejected });
}

export const bySource = (key: KeyId, at: Ms): EventMeta => ({
  actor: { kind: 'source', id: key },
  subject: null,
  commandId: null,
  at,
});
