import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN, OrganizationId } from '#contract/ids.ts';
import { failed, ok } from '#contract/result.ts';
import { makeVb365Client } from '#server/engine/public/veeam-client.ts';
import {
  forgetServers,
  type FoundOrganization,
  readOrganizations,
  sealServerPassword,
  toFailed,
  scheduleWhole,
} from '#server/engine/public/veeam-import.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { badField } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { refusal, runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { readCertificate } from '#server/platform/outbound/pinned-certificate.ts';
import {
  getHttpsPlace,
  loadShownCertificate,
} from '#server/platform/outbound/shown-certificate.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import type { Endpoint } from '#server/platform/systems/client.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { toCallFailure } from './engine-calls.ts';
import { planImport, type PlannedOrganization } from './import-plan.ts';
import { findVisibleCompany } from './lookup.ts';
import { backupMessages as t } from './messages.en.ts';

type ServerInput = ParsedInputOf<'testServer'>;

/** They sign in to other systems, so they are limited by provider. */
const TRIES_PER_MINUTE = 20;
const TIMEOUT_MS = 20_000;

/**
 * VB365-9: organizations of a server of Veeam Backup for Microsoft 365. The server is asked outside
 * of any transaction. Its password is stored sealed, and nowhere else.
 */
export function importServerHandlers(
  context: AppContext,
): Pick<Handlers, 'importServer' | 'testServer'> {
  const tries = makePerMinuteLimit(TRIES_PER_MINUTE);

  return {
    async testServer(input, ctx) {
      const wrong = findInputError(input) ?? tries.check(ctx.tenant, ctx.now);
      if (wrong) return failed(wrong);
      const endpoint = getEndpoint(input);
      try {
        const found = await readOrganizations(makeVb365Client(context, endpoint, TIMEOUT_MS));
        const plan = await context.store.tenant(
          ctx.tenant,
          (tx) => planImport(tx, ctx.session, { address: endpoint.address, found, chosen: null }),
          { readOnly: true },
        );
        return ok({
          ok: true,
          message:
            found.length === 0 ? t.noOrganizations : t.foundOrganizations({ count: found.length }),
          seen: null,
          organizations: plan.map(({ found: { name, facts }, company, reason, importedAs }) => ({
            name,
            domain: facts.officeName,
            companyN: company,
            reason: reason === t.noCompany ? null : reason,
            isImported: importedAs !== null,
          })),
        });
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        const seen =
          error.reason === 'certificate'
            ? await loadShownCertificate(context, getHttpsPlace(new URL(endpoint.address)))
            : null;
        return ok({ ok: false, message: error.message, seen, organizations: [] });
      }
    },

    importServer({ companyId, ...input }, ctx) {
      return runAlone(context, ctx, async () => {
        const wrong = findInputError(input) ?? tries.check(ctx.tenant, ctx.now);
        if (wrong) return failed(wrong);
        const findChosen = async (tx: TenantTx): Promise<CompanyN | Failure | null> =>
          companyId === undefined
            ? null
            : ((await findVisibleCompany(tx, ctx.session, companyId))?.n ?? NOT_FOUND);
        const before = await context.store.tenant(ctx.tenant, findChosen, { readOnly: true });
        if (isFailure(before)) return failed(before);
        const endpoint = getEndpoint(input);
        let found: readonly FoundOrganization[];
        try {
          found = await readOrganizations(makeVb365Client(context, endpoint, TIMEOUT_MS));
        } catch (error) {
          return failed(toCallFailure(toFailed(error).error));
        }
        return runIdempotently<OutputOf<'importServer'>>(context, ctx, async (tx) => {
          const chosen = await findChosen(tx);
          if (isFailure(chosen)) return refusal(chosen);
          const { address } = endpoint;
          const plan = await planImport(tx, ctx.session, { address, found, chosen });
          const wanted = plan.flatMap(({ found: one, company, name, reason }) =>
            reason === null && company !== null
              ? [{ id: context.chance.uuid() as OrganizationId, found: one, company, name }]
              : [],
          );
          const imported = plan.flatMap(({ importedAs }) => importedAs ?? []);
          if (wanted.length + imported.length > 0) {
            const server = await storeServer(tx, context, ctx, input);
            for (const one of wanted) await linkOrganization(tx, server, one);
            if (imported.length > 0) await moveOrganizations(tx, server, imported);
            await scheduleWhole(tx, server, ctx.now, ctx.now);
          }
          for (const { id } of wanted)
            await audit(tx, context, ctx, {
              what: 'organization.created',
              user: null,
              detail: { organization: id },
            });
          return {
            drafts: wanted.map(getCreation),
            answer: () =>
              ok({
                rows: wanted.map(({ id }) => ({ _id: id, id })),
                next: null,
                count: wanted.length,
                left: plan.flatMap(({ found: { name }, reason }) =>
                  reason === null ? [] : [{ name, reason }],
                ),
              }),
          };
        });
      });
    },
  };
}

const isFailure = (value: CompanyN | Failure | null): value is Failure =>
  typeof value === 'object' && value !== null;

function findInputError({ apiUrl, certificate }: ServerInput): Failure | null {
  const { protocol, username, password } = new URL(apiUrl);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '')
    return toFailure(badField('apiUrl', t.wrongAddress));
  return certificate === null || readCertificate(certificate) !== null
    ? null
    : toFailure(badField('certificate', t.wrongCertificate));
}
const toFailure = (result: ReturnType<typeof badField>): Failure | null =>
  result.ok ? null : result.failure;

const getEndpoint = ({ apiUrl, username, password, certificate }: ServerInput): Endpoint => ({
  address: new URL(apiUrl).origin,
  certificate,
  credentials: { kind: 'password', name: username, secret: password },
});

/** A server is known by its address and user; the password and certificate are those of now. */
async function storeServer(
  tx: TenantTx,
  context: AppContext,
  { now }: SessionContext,
  { apiUrl, username, password, certificate }: ServerInput,
): Promise<string> {
  const { sql: db, tenant } = tx;
  const address = new URL(apiUrl).origin;
  const known = await db
    .selectFrom('vb365_server')
    .select(['id', 'changed_at'])
    .where('tenant_id', '=', tenant)
    .where('address', '=', address)
    .where('username', '=', username)
    .executeTakeFirst();
  const id = known?.id ?? context.chance.uuid();
  const sealed = await sealServerPassword(tx, context, id, password);
  if (known)
    await db
      .updateTable('vb365_server')
      .set({
        certificate,
        sealed,
        changed_at: Math.max(now, known.changed_at + 1),
        failures: 0,
        problem: null,
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute();
  else
    await db
      .insertInto('vb365_server')
      .values({
        tenant_id: tenant,
        id,
        address,
        certificate,
        username,
        sealed,
        made_at: now,
        changed_at: now,
      })
      .execute();
  return id;
}

interface Wanted extends Pick<PlannedOrganization, 'found' | 'name'> {
  readonly id: OrganizationId;
  readonly company: CompanyN;
}

const linkOrganization = (
  { sql: db, tenant }: TenantTx,
  server: string,
  { id, found: { key } }: Wanted,
) =>
  db
    .insertInto('vb365_organization')
    .values({ tenant_id: tenant, organization_id: id, server_id: server, server_key: key })
    .execute();

/** Organizations that were imported before are read with the sign-in of now. */
async function moveOrganizations(
  tx: TenantTx,
  server: string,
  organizations: readonly OrganizationId[],
): Promise<void> {
  await tx.sql
    .updateTable('vb365_organization')
    .set({ server_id: server })
    .where('tenant_id', '=', tx.tenant)
    .where('organization_id', 'in', [...organizations])
    .execute();
  await forgetServers(tx);
}

const getCreation = ({ id, company, name, found: { facts } }: Wanted): NewEvent => {
  const engine: OrganizationRow['engine'] = 'vb365';
  return {
    event: {
      type: 'organization.created@1',
      data: {
        id,
        company,
        engine,
        type: 'Office365',
        name,
        ...facts,
        certificate: null,
        sharePointSaveAllWebParts: true,
      },
    },
    company,
    entity: `organization:${id}`,
  };
};
