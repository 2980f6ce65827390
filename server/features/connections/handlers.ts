import type { Failure } from '#contract/errors.ts';
import type { ParsedInputOf } from '#contract/calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import {
  COLLECTOR_KINDS,
  type CollectorKind,
  ENTITIES_OF,
  OWNERS_OF,
  SIGN_INS_OF,
} from '#contract/connections/connection.ts';
import type { collectorCalls, ConnectionOut } from '#contract/connections/calls.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { by } from '#server/platform/auth/guards.ts';
import type { SessionContext, Handlers, Principal } from '#server/platform/http/handler.ts';
import { readCertificate } from '#server/platform/outbound/pinned-certificate.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadChannels } from './channels.ts';
import { findJobServer, runJobCommand } from './command-job.ts';
import { connectionRow, getEndpoint, sealCredentials } from './connections.ts';
import { foundRows, toConnectionOutput } from './connection-output.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { ConnectionRow } from './task.ts';
import { scheduleConnection } from './connection-job.ts';
import { tryConnection } from './try-connection.ts';

/** Tests call external systems, so they are limited per minute and provider. */
const TRIES = 20;

/**
 * COLLECT-1: the systems that Daybook reads results from. Users who can connect sources manage
 * them; users bound to companies manage only connections of those companies.
 */
export function collectorHandlers(
  context: AppContext,
): Pick<Handlers, keyof typeof collectorCalls> {
  const rateLimit = makePerMinuteLimit(TRIES);
  const change = <T>(
    ctx: SessionContext,
    id: string,
    work: (tx: TenantTx, row: ConnectionRow) => Promise<Result<T>>,
  ): Promise<Result<T>> =>
    context.store.tenant(ctx.tenant, async (tx) => {
      await tx.lock();
      const row = await connectionRow(tx, id);
      return row && owns(ctx.session, row.company_n) ? work(tx, row) : failed(NOT_FOUND);
    });

  return {
    listConnections: (_, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx): Promise<Result<ConnectionOut[]>> => {
          const rows = await tx.sql
            .selectFrom('connection')
            .selectAll()
            .where('tenant_id', '=', tx.tenant)
            .orderBy('made_at')
            .execute();
          return ok(
            await toConnectionOutput(
              tx,
              rows.filter(({ company_n }) => owns(ctx.session, company_n)),
            ),
          );
        },
        { readOnly: true },
      ),

    async createConnection({ kind, credentials, ...fields }, ctx) {
      return context.store.tenant(ctx.tenant, async (tx): Promise<Result<{ _id: string }>> => {
        await tx.lock();
        const refused = await loadRefusal(tx, ctx.session, kind, fields, credentials.kind);
        if (refused) return failed(refused);
        const others = await tx.sql
          .selectFrom('connection')
          .select('id')
          .where('tenant_id', '=', tx.tenant)
          .execute();
        if (others.length >= LIMITS.connections)
          return failed({
            kind: 'conflict',
            message: MESSAGES.connectionsFull({ max: LIMITS.connections }),
          });
        const id = context.chance.uuid();
        await tx.sql
          .insertInto('connection')
          .values({
            tenant_id: tx.tenant,
            id,
            kind,
            ...columns(fields),
            sign_in: credentials.kind,
            username: credentials.kind === 'key' ? null : credentials.name,
            sealed: await sealCredentials(tx, context, id, credentials),
            made_at: ctx.now,
            changed_at: ctx.now,
          })
          .execute();
        await scheduleConnection(tx, id, ctx.now);
        await audit(tx, context, ctx, {
          what: 'connection.made',
          user: null,
          detail: { connection: id, kind },
        });
        return ok({ _id: id });
      });
    },

    async editConnection({ id, credentials, ...fields }, ctx) {
      return change<Record<string, never>>(ctx, id, async (tx, row) => {
        const refused = await loadRefusal(
          tx,
          ctx.session,
          row.kind,
          fields,
          credentials?.kind ?? row.sign_in,
        );
        if (refused) return failed(refused);
        // A secret belongs to one address. If the address changes, the secret has to be entered
        // again, so that it is not sent elsewhere.
        if (credentials === undefined && getOrigin(fields.address) !== getOrigin(row.address))
          return failed(bad('credentials', MESSAGES.connectionSecretAgain));
        await tx.sql
          .updateTable('connection')
          .set({
            ...columns(fields),
            changed_at: Math.max(ctx.now, row.changed_at + 1),
            held_by: null,
            held_until: 0,
            ...(credentials && {
              sign_in: credentials.kind,
              username: credentials.kind === 'key' ? null : credentials.name,
              sealed: await sealCredentials(tx, context, id, credentials),
            }),
          })
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', id)
          .execute();
        await tx.sql
          .updateTable('collection')
          .set({ next_at: 0, status: 'waiting' })
          .where('tenant_id', '=', tx.tenant)
          .where('connection_id', '=', id)
          .execute();
        await scheduleConnection(tx, id, ctx.now);
        await audit(tx, context, ctx, {
          what: 'connection.changed',
          user: null,
          detail: {
            connection: id,
            enabled: fields.enabled,
            credentials: credentials !== undefined,
          },
        });
        return ok({});
      });
    },

    deleteConnection: ({ id }, ctx) =>
      change<Record<string, never>>(ctx, id, async (tx) => {
        for (const table of ['collected', 'collection'] as const)
          await tx.sql
            .deleteFrom(table)
            .where('tenant_id', '=', tx.tenant)
            .where('connection_id', '=', id)
            .execute();
        await tx.sql
          .deleteFrom('connection')
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', id)
          .execute();
        const keys = await loadChannels(tx, id);
        await tx.append(
          keys.map((key) => ({
            event: { type: 'key.revoked@1' as const, data: { id: key.id } },
            company: key.company,
            entity: `key:${key.id}`,
          })),
          by(ctx),
        );
        await audit(tx, context, ctx, {
          what: 'connection.deleted',
          user: null,
          detail: { connection: id },
        });
        return ok({});
      }),

    /** The system is called outside of any transaction. */
    async testConnection({ id, kind, address, certificate, credentials }, ctx) {
      const wrong = findCertificateError(certificate) ?? rateLimit.check(ctx.tenant, ctx.now);
      if (wrong) return failed(wrong);
      if (credentials !== undefined)
        return SIGN_INS_OF[kind].includes(credentials.kind)
          ? ok(await tryConnection(context, kind, { address, certificate, credentials }))
          : failed(bad('credentials', MESSAGES.badInput));
      if (id === undefined) return failed(bad('credentials', MESSAGES.connectionSecretAgain));
      const stored = await change(ctx, id, async (tx, row) =>
        ok({ row, reach: await getEndpoint(tx, context, row) }),
      ).catch((error: unknown) => {
        if (error instanceof SourceError) return error;
        throw error;
      });
      if (stored instanceof SourceError)
        return ok({ ok: false, message: stored.message, seen: null });
      if (!stored.ok) return stored;
      if (
        getOrigin(stored.value.row.address) !== getOrigin(address) ||
        stored.value.row.kind !== kind
      )
        return failed(bad('credentials', MESSAGES.connectionSecretAgain));
      return ok(
        await tryConnection(context, kind, { ...stored.value.reach, address, certificate }),
      );
    },

    async syncConnection({ id, entity }, ctx) {
      const refused = rateLimit.check(ctx.tenant, ctx.now);
      if (refused) return failed(refused);
      return change<Record<string, never>>(ctx, id, async (tx, row) => {
        if (!row.enabled) return failed({ kind: 'conflict', message: MESSAGES.connectionOff });
        if (entity !== undefined && !ENTITIES_OF[row.kind].includes(entity))
          return failed(NOT_FOUND);
        await tx.sql
          .updateTable('collection')
          .set({ next_at: 0 })
          .where('tenant_id', '=', tx.tenant)
          .where('connection_id', '=', id)
          .$if(entity !== undefined, (query) => query.where('entity', '=', entity ?? 'jobs'))
          .execute();
        await scheduleConnection(tx, id, ctx.now);
        return ok({});
      });
    },

    async commandServerJob(input, ctx) {
      const refused = rateLimit.check(ctx.tenant, ctx.now);
      if (refused) return failed(refused);
      const server = await change(ctx, input.id, async (tx, row) => {
        const found = await findJobServer(tx, context, row, input);
        if (found.ok)
          await audit(tx, context, ctx, {
            what: 'connection.job',
            user: null,
            detail: { connection: input.id, job: input.job, action: input.action },
          });
        return found;
      });
      return server.ok ? runJobCommand(context, ctx.tenant, server.value, input) : server;
    },

    listConnectionEntities: ({ id, entity, unlinked, after = 0 }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const row = await connectionRow(tx, id);
          return row && owns(ctx.session, row.company_n)
            ? ok(await foundRows(tx, id, entity, unlinked === 'true', after))
            : failed(NOT_FOUND);
        },
        { readOnly: true },
      ),
  };
}

type Fields = Omit<ParsedInputOf<'createConnection'>, 'kind' | 'credentials'>;

/** Users bound to companies manage only the connections of one of those companies. */
const owns = (session: Principal, company: CompanyN | null): boolean =>
  company === null
    ? toScope(session).companies === null
    : isCompanyInScope(toScope(session), company);

async function loadRefusal(
  tx: TenantTx,
  session: Principal,
  kind: CollectorKind,
  { address, companyN, certificate }: Fields,
  signIn: (typeof SIGN_INS_OF)[CollectorKind][number],
): Promise<Failure | null> {
  if (!COLLECTOR_KINDS.includes(kind) || !SIGN_INS_OF[kind].includes(signIn))
    return bad('credentials', MESSAGES.badInput);
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return bad('address', MESSAGES.connectionAddress);
  // Some systems report whose a job is; the others belong to one company.
  if ((OWNERS_OF[kind] === null) === (companyN === null))
    return bad('companyN', MESSAGES.connectionCompany);
  if (!owns(session, companyN))
    return companyN === null
      ? { kind: 'forbidden', message: MESSAGES.connectionNotYours }
      : NOT_FOUND;
  const company = companyN === null ? null : (await tx.rows('company', [companyN])).get(companyN);
  return company === undefined || company?.deletedAt !== undefined
    ? NOT_FOUND
    : findCertificateError(certificate);
}

const findCertificateError = (pem: string | null): Failure | null =>
  pem === null || readCertificate(pem) !== null
    ? null
    : bad('certificate', MESSAGES.connectionCertificate);
const columns = ({ name, address, companyN, everySec, enabled, certificate }: Fields) => ({
  name,
  address: getOrigin(address),
  company_n: companyN,
  every_sec: everySec,
  enabled,
  certificate,
});
const getOrigin = (address: string): string => new URL(address).origin;
const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };
const bad = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});
