import { sql } from 'kysely';
import type { NewEvent } from '#contract/events.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { byUser } from '../auth/event-actor.ts';
import { isServerPresent } from '../db/presence.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';
import type { SessionContext } from './handler.ts';
import { requestMessages as t } from './request.messages.en.ts';

/** Commands that `runAlone` is running on this server, by user, id and body. */
export type RunningCommands = Map<string, Promise<Result<unknown>>>;

export interface CommandDecision<T> {
  readonly drafts: readonly NewEvent[];
  readonly answer: (seq: number) => Result<T>;
}

/**
 * Runs a user's command exactly once (OUT-3): its events, the rows they change and the answer
 * commit together. The same id and body gets the stored answer, even if that was a refusal. The
 * same id with another body, or a number before the device's last one, is refused. A command
 * without an id (from an API client that queues nothing) just runs.
 */
export function runIdempotently<T>(
  context: AppContext,
  ctx: SessionContext,
  decide: (tx: TenantTx) => Promise<CommandDecision<T>>,
): Promise<Result<T>> {
  const { command, session, tenant, now } = ctx;
  return context.store.tenant(tenant, async (tx) => {
    await tx.take('run', 0); // locks the head row: from here on, one command of a tenant at a time
    if (command) {
      const before = await answerIn(tx, ctx);
      if (before) return before;
      const last = await tx.sql
        .selectFrom('command')
        .select((e) => e.fn.max('n').as('n'))
        .where('tenant_id', '=', tenant)
        .where('device', '=', command.device)
        .executeTakeFirst();
      const expected = (last?.n ?? 0) + 1;
      if (command.order < expected)
        return failed({ kind: 'out-of-order', message: MESSAGES.outOfOrder, expected });
    }
    const { drafts, answer } = await decide(tx);
    const logged =
      drafts.length > 0 ? await tx.append(drafts, byUser(session, command?.id ?? null, now)) : [];
    const result = answer(logged.at(-1)?.seq ?? (await tx.head()).seq);
    if (command) {
      await tx.sql
        .insertInto('command')
        .values({
          tenant_id: tenant,
          device: command.device,
          id: command.id,
          n: command.order,
          user_id: session.userId,
          body_hash: command.bodyHash,
          status: result.ok ? 200 : 409,
          answer: JSON.stringify(result),
          at: now,
        })
        .execute();
    }
    return result;
  });
}

/**
 * Runs a command that does something outside of this transaction first, and ends with
 * `runIdempotently`. One that already ran gets its stored answer. The same command at the same time
 * waits for it; on another server, it is refused as busy (OUT-3), until some seconds after that
 * server has died.
 */
export function runAlone<T>(
  context: AppContext,
  ctx: SessionContext,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const { command, tenant, session } = ctx;
  if (command === null) return work();
  const { runningCommands } = context;
  const key = [tenant, session.userId, command.id, command.bodyHash].join(' ');
  // The same call of the same user has the same answer, which the compiler can't know.
  const same = runningCommands.get(key) as Promise<Result<T>> | undefined;
  if (same) return same;
  const result = runClaimed(context, ctx, command.id, work).finally(() =>
    runningCommands.delete(key),
  );
  runningCommands.set(key, result);
  return result;
}

async function runClaimed<T>(
  context: AppContext,
  ctx: SessionContext,
  id: string,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const { tenant } = ctx;
  const before = await context.store.tenant(tenant, (tx) => claimCommand(tx, context, ctx, id));
  if (before) return before;
  try {
    return await work();
  } finally {
    await context.store.tenant(tenant, (tx) => releaseCommand(tx, context, id));
  }
}

/** Ends the claim of this server, and none of another that has taken the command over. */
async function releaseCommand(
  { sql: db, tenant }: TenantTx,
  { serverId }: AppContext,
  id: string,
): Promise<void> {
  await db
    .deleteFrom('running_command')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where('holder', '=', serverId)
    .execute();
}

/** A command can run again after this, also if its server still shows that it lives. */
const CLAIM_MS: Ms = 2 * 60_000;
/**
 * For how long a server must not have been seen before a command that it ran can run elsewhere: a
 * server that has lost its connection for a moment still works.
 */
const ABSENT_MS: Ms = 5_000;

async function claimCommand(
  tx: TenantTx,
  context: AppContext,
  ctx: SessionContext,
  id: string,
): Promise<Result<never> | null> {
  const isClaimed = (await claimFree(tx, context, id)) || (await takeOverClaim(tx, context, id));
  // Once nobody else has the claim, the answer is stored if there will ever be one.
  const before = await answerIn(tx, ctx);
  if (before && isClaimed) await releaseCommand(tx, context, id);
  return before ?? (isClaimed ? null : failed(RUNNING));
}

/** Claims a command that nobody has claimed, or whose claim has ended. Returns whether it did. */
async function claimFree(
  { sql: db, tenant }: TenantTx,
  { clock, serverId }: AppContext,
  id: string,
): Promise<boolean> {
  const now = clock.now();
  const until = now + CLAIM_MS;
  const { rows } = await sql`
    insert into running_command (tenant_id, id, until, holder)
    values (${tenant}, ${id}::uuid, ${until}, ${serverId})
    on conflict (tenant_id, id) do update
      set until = excluded.until, holder = excluded.holder, absent_since = null
      where running_command.until not between ${now} and ${until}
    returning id`.execute(db);
  return rows.length > 0;
}

/**
 * Takes over the claim of a server that others have not seen for long enough; otherwise, notes whether it
 * is seen now. Returns whether it took the claim over.
 */
async function takeOverClaim(
  { sql: db, tenant }: TenantTx,
  { clock, serverId }: AppContext,
  id: string,
): Promise<boolean> {
  const claim = await db
    .selectFrom('running_command')
    .select(['holder', 'absent_since as absentSince'])
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (claim === undefined) return false;
  const now = clock.now();
  const isHeld = claim.holder !== null && (await isServerPresent(db, claim.holder));
  const absentSince = claim.absentSince;
  // Of a clock that was wrong then, the time says nothing.
  const isRecent = absentSince !== null && absentSince >= now - CLAIM_MS && absentSince <= now;
  const isAbandoned = !isHeld && isRecent && absentSince <= now - ABSENT_MS;
  await db
    .updateTable('running_command')
    .set(
      isAbandoned
        ? { until: now + CLAIM_MS, holder: serverId, absent_since: null }
        : { absent_since: isHeld ? null : isRecent ? absentSince : now },
    )
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
  return isAbandoned;
}

const RUNNING: Failure = {
  kind: 'busy',
  message: t.commandRunning,
  retryAfterMs: 1_000,
};

/** The answer has the type that the same call stored, which the compiler can't know. */
async function answerIn(
  tx: TenantTx,
  { command, session }: SessionContext,
): Promise<Result<never> | null> {
  if (command === null) return null;
  const before = await tx.sql
    .selectFrom('command')
    .select(['body_hash', 'answer', 'user_id'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', command.id)
    .executeTakeFirst();
  if (!before) return null;
  return before.body_hash === command.bodyHash && before.user_id === session.userId
    ? (before.answer as Result<never>)
    : failed(KEY_REUSED);
}

const KEY_REUSED: Failure = { kind: 'key-reused', message: MESSAGES.keyReused };

/** A decision that changes nothing, with the failure. */
export const refusal = (failure: Failure): CommandDecision<never> => ({
  drafts: [],
  answer: () => failed(failure),
});
