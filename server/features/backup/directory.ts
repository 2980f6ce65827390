import { APP_VERSION } from '#contract/app-version.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { DeviceCode, DirectoryKind } from '#contract/engine/engine.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { by } from '#server/platform/auth/guards.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getAnswer, getEngine, getEngineFor, scopeFor } from './engine-calls.ts';
import { findVisibleCompany, findOrganization } from './lookup.ts';
import type { Ms, OrganizationId } from '#contract/ids.ts';

type Names =
  | 'listOrganizationUsers'
  | 'listOrganizationGroups'
  | 'listOrganizationTeams'
  | 'listOrganizationSites'
  | 'listSiteChildren'
  | 'requestAppDeviceCode'
  | 'requestDeviceCode'
  | 'checkDeviceCode'
  | 'renewCertificate'
  | 'getSuiteVersion';

interface Picked {
  readonly organizationId: OrganizationId;
  readonly search?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}
const PAGE_ROWS = 200;

/** What is read from the tenant's directory, and signing in to the tenant by device code. */
export function directoryHandlers(context: AppContext): Pick<Handlers, Names> {
  const read = <T>(ctx: SessionContext, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context.store.tenant(ctx.tenant, work, { readOnly: true });
  const find = (
    ctx: SessionContext,
    organization: OrganizationId,
  ): Promise<OrganizationRow | null> =>
    read(ctx, (tx) => findOrganization(tx, ctx.session, organization));

  async function list(
    kind: DirectoryKind,
    { organizationId, search = '', cursor, limit = PAGE_ROWS }: Picked,
    ctx: SessionContext,
    parent: string | null = null,
  ): Promise<Result<OutputOf<'listOrganizationUsers'>>> {
    const organization = await find(ctx, organizationId);
    if (!organization) return failed(NOT_FOUND);
    const page = getAnswer(
      await getEngineFor(context, organization).organizations.listObjects(
        scopeFor(ctx, organizationId),
        {
          kind,
          text: search === '' ? null : search,
          parent,
          cursor: cursor ?? null,
          limit,
        },
      ),
    );
    return page.ok
      ? ok({
          ...page.value,
          rows: page.value.rows.map(({ id, name, address, children }) => ({
            id,
            name,
            address,
            children,
          })),
        })
      : page;
  }

  return {
    listOrganizationUsers: (input, ctx) => list('user', input, ctx),
    listOrganizationGroups: (input, ctx) => list('group', input, ctx),
    listOrganizationTeams: (input, ctx) => list('team', input, ctx),
    listOrganizationSites: (input, ctx) => list('site', input, ctx),
    listSiteChildren: ({ siteId, ...input }, ctx) => list('site', input, ctx, siteId),

    async requestAppDeviceCode({ organizationId }, ctx) {
      const row = await find(ctx, organizationId);
      if (!row) return failed(NOT_FOUND);
      const { organizations } = getEngineFor(context, row);
      const requested = await organizations.requestDeviceCode(scopeFor(ctx, row.id), {
        region: row.region,
      });
      return toShownCode(getAnswer(requested), ctx.now);
    },

    async requestDeviceCode({ targetRegion, companyObjId }, ctx) {
      const { organizations } = getEngine(context);
      if (!(await read(ctx, (tx) => findVisibleCompany(tx, ctx.session, companyObjId))))
        return failed(NOT_FOUND);
      const scope = scopeFor(ctx, context.chance.uuid() as OrganizationId);
      const requested = await organizations.requestDeviceCode(scope, { region: targetRegion });
      return toShownCode(getAnswer(requested), ctx.now);
    },

    /** The engine knows a code only for the user who requested it. */
    async checkDeviceCode({ code }, ctx) {
      const { organizations } = getEngine(context);
      const state = getAnswer(
        await organizations.checkDeviceCode(
          scopeFor(ctx, context.chance.uuid() as OrganizationId),
          {
            code,
          },
        ),
      );
      return state.ok ? ok({ state: state.value }) : state;
    },

    async renewCertificate({ organizationId, code }, ctx) {
      const organization = await find(ctx, organizationId);
      if (!organization) return failed(NOT_FOUND);
      const { organizations } = getEngineFor(context, organization);
      const renewed = getAnswer(
        await organizations.renewCertificate(scopeFor(ctx, organizationId), { code }),
      );
      if (!renewed.ok) return renewed;
      const { thumbprint, expiresAt } = renewed.value;
      return context.store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        const row = await findOrganization(tx, ctx.session, organizationId);
        if (!row) return failed(NOT_FOUND);
        await tx.append(
          [
            {
              event: {
                type: 'organization.renewed@1',
                data: { id: row.id, certificate: { thumbprint, expiresAt } },
              },
              company: row.company,
              entity: `organization:${row.id}`,
            },
          ],
          by(ctx),
        );
        await audit(tx, context, ctx, {
          what: 'organization.renewed',
          user: null,
          detail: { organization: row.id },
        });
        return ok({ thumbprint, expiresAt });
      });
    },

    getSuiteVersion: ({ companyObjId }, ctx) =>
      read(ctx, async (tx) =>
        companyObjId === undefined || (await findVisibleCompany(tx, ctx.session, companyObjId))
          ? ok(getVersion(context))
          : failed(NOT_FOUND),
      ),
  };
}

function getVersion(context: AppContext): OutputOf<'getSuiteVersion'> {
  const { auth, services } = getEngine(context).capabilities;
  return { version: APP_VERSION, authTypes: [...auth], services: [...services] };
}

const toShownCode = (
  requested: Result<DeviceCode>,
  now: Ms,
): Result<OutputOf<'requestDeviceCode'>> =>
  requested.ok
    ? ok({ ...requested.value, expiresInMs: requested.value.expiresAt - now })
    : requested;
