import { CompiledQuery } from 'kysely';
import type { Event } from '#contract/events.ts';
import type { Failure } from '#contract/errors.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { CompanyN, KeyId } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { by } from '../../platform/auth/guards.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { toScope, isCompanyInScope } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  hashIngestKey,
  getIngestKeyHint,
  formatIngestKey,
} from '../../platform/auth/ingest-key-auth.ts';
import { lock } from './load-decision-state.ts';
import { readIngestUsage } from '../../platform/tenancy/ingest-usage.ts';

type KeyOut = OutputOf<'listKeys'>[number];

/**
 * The ingest keys of a provider. Users bound to companies see and change only the keys of those;
 * others return not found (G30).
 */
export function keyHandlers(
  context: AppContext,
): Pick<Handlers, 'listKeys' | 'createKey' | 'rotateKey' | 'revokeKey'> {
  return {
    listKeys: (_input, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const keys = (await tx.all('key')).filter(
            (key) => hasSecret(key) && sees(ctx, key.company),
          );
          const health = await loadHealth(tx);
          const usage = await readIngestUsage(tx, utcDay(ctx.now));
          return ok(
            keys
              .sort((a, b) => a.madeAt - b.madeAt)
              .map((key) => toOutput(key, health.get(key.id), usage)),
          );
        },
        { readOnly: true },
      ),

    createKey: ({ name, companyN, tool, managed }, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        await lock(tx);
        const company = (await tx.rows('company', [companyN])).get(companyN);
        if (!company || company.deletedAt !== undefined || !sees(ctx, companyN))
          return failed(NOT_FOUND);
        const id = context.chance.uuid() as KeyId;
        const secret = formatIngestKey(context.chance.bytes(32));
        const event: Event = {
          type: 'key.created@1',
          data: {
            id,
            name,
            company: companyN,
            tool,
            managed: managed ?? null,
            hint: getIngestKeyHint(secret),
          },
        };
        return withSecret(tx, ctx, id, companyN, event, secret);
      }),

    rotateKey: ({ id }, ctx) =>
      change(context, ctx, id, async (tx, key) => {
        const secret = formatIngestKey(context.chance.bytes(32));
        await forget(tx, id);
        return withSecret(
          tx,
          ctx,
          id,
          key.company,
          { type: 'key.rotated@1', data: { id, hint: getIngestKeyHint(secret) } },
          secret,
        );
      }),

    revokeKey: ({ id }, ctx) =>
      change(context, ctx, id, async (tx, key) => {
        await forget(tx, id);
        await tx.append(
          [
            {
              event: { type: 'key.revoked@1', data: { id } },
              company: key.company,
              entity: `key:${id}`,
            },
          ],
          by(ctx),
        );
        return ok({});
      }),
  };
}

const change = <T>(
  context: AppContext,
  ctx: SessionContext,
  id: KeyId,
  work: (tx: TenantTx, key: IngestKeyRow) => Promise<Result<T>>,
): Promise<Result<T>> =>
  context.store.tenant(ctx.tenant, async (tx) => {
    await lock(tx);
    const key = (await tx.rows('key', [id])).get(id);
    return !key || !hasSecret(key) || key.revokedAt !== null || !sees(ctx, key.company)
      ? failed(NOT_FOUND)
      : work(tx, key);
  });

/** Keys of connections and organizations record what Daybook reads itself: nobody posts with them. */
const hasSecret = ({ connection, organization }: IngestKeyRow): boolean =>
  connection === undefined && organization === undefined;

async function withSecret(
  tx: TenantTx,
  ctx: SessionContext,
  id: KeyId,
  company: CompanyN,
  event: Event,
  secret: string,
): Promise<Result<OutputOf<'createKey'>>> {
  await tx.append([{ event, company, entity: `key:${id}` }], by(ctx));
  await tx.sql
    .insertInto('key_index')
    .values({ hash: hashIngestKey(secret), tenant_id: tx.tenant, key_id: id })
    .execute();
  const row = (await tx.rows('key', [id])).get(id);
  if (!row) throw new Error(`The log did not keep key ${id}.`);
  return ok({
    key: toOutput(row, (await loadHealth(tx)).get(id), await readIngestUsage(tx, utcDay(ctx.now))),
    secret,
  });
}

/** Makes the secret invalid. */
async function forget(tx: TenantTx, id: KeyId): Promise<void> {
  await tx.sql
    .deleteFrom('key_index')
    .where('tenant_id', '=', tx.tenant)
    .where('key_id', '=', id)
    .execute();
}

interface Health {
  readonly last_heard_at: number | null;
  readonly last_fault_at: number | null;
  readonly last_fault: string | null;
}

async function loadHealth(tx: TenantTx): Promise<Map<KeyId, Health>> {
  const { rows } = await tx.sql.executeQuery(
    CompiledQuery.raw(
      'select key_id, last_heard_at, last_fault_at, last_fault from source_health where tenant_id = $1',
      [tx.tenant],
    ),
  );
  return new Map((rows as (Health & { key_id: KeyId })[]).map((row) => [row.key_id, row]));
}

/** An error is over once a valid request has followed. */
const getLastKeyError = (health: Health | undefined): KeyOut['lastError'] =>
  health?.last_fault_at === null ||
  health?.last_fault_at === undefined ||
  (health.last_heard_at ?? 0) > health.last_fault_at
    ? null
    : { at: health.last_fault_at, message: health.last_fault ?? '' };

const toOutput = (
  key: IngestKeyRow,
  health: Health | undefined,
  { quota, keys }: Awaited<ReturnType<typeof readIngestUsage>>,
): KeyOut => ({
  id: key.id,
  name: key.name,
  companyN: key.company,
  tool: key.tool,
  hint: key.hint,
  madeAt: key.madeAt,
  rotatedAt: key.rotatedAt,
  revokedAt: key.revokedAt,
  firstResultAt: key.firstResultAt,
  lastHeardAt: health?.last_heard_at ?? null,
  lastError: getLastKeyError(health),
  lastFault: getLastKeyError(health),
  today: {
    bytes: keys.get(key.id)?.bytes ?? 0,
    limitBytes: quota.keyBytes,
    refusedAt: keys.get(key.id)?.refusedTo ?? null,
  },
});

const sees = ({ session }: SessionContext, company: CompanyN): boolean =>
  isCompanyInScope(toScope(session), company);

const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };
