import * as v from 'valibot';
import type { EngineResult, Region } from '#contract/engine/engine.ts';
import type { Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import { LRUCache } from 'lru-cache';
import type { AppContext } from '#server/platform/app-context.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { userAgent } from '../graph/client.ts';
import { waitClock } from '../graph/clock.ts';
import { CLOUDS } from '../graph/clouds.ts';
import { Governor } from '../graph/governor.ts';
import type { GraphPorts, TokenSource } from '../graph/request.ts';
import type { LoginPorts } from '../graph/sign-in.ts';
import { applicationTokens, fixedToken, tokensUntil } from '../graph/tokens.ts';
import { failed, ok } from '../../result.ts';
import { accessMessages as t } from './messages.en.ts';

/** How an organization is signed in to. Secret as a whole. */
export interface Access {
  readonly region: Region;
  /** The tenant's id or a domain of it. */
  readonly directory: string;
  readonly applicationId: string;
  readonly credential:
    | { readonly kind: 'certificate'; readonly certificate: string; readonly privateKey: string }
    | { readonly kind: 'secret'; readonly secret: string };
}

const REGIONS = Object.keys(CLOUDS) as Region[];
export const ACCESS = v.object({
  region: v.picklist(REGIONS),
  directory: v.string(),
  applicationId: v.string(),
  credential: v.variant('kind', [
    v.object({
      kind: v.literal('certificate'),
      certificate: v.string(),
      privateKey: v.string(),
    }),
    v.object({ kind: v.literal('secret'), secret: v.string() }),
  ]),
});

const getSecretRef = (organization: OrganizationId) => ({
  table: 'organization_access',
  column: 'sealed',
  row: organization,
});

export async function storeAccess(
  tx: TenantTx,
  context: AppContext,
  organization: OrganizationId,
  access: Access,
): Promise<void> {
  const sealed = await seal(tx, context, getSecretRef(organization), JSON.stringify(access));
  const at = context.clock.now();
  await tx.sql
    .insertInto('organization_access')
    .values({ tenant_id: tx.tenant, organization_id: organization, sealed, at })
    .onConflict((on) => on.columns(['tenant_id', 'organization_id']).doUpdateSet({ sealed, at }))
    .execute();
}

interface StoredAccess extends Access {
  readonly at: Ms;
}

export async function loadOrganizationAccess(
  context: AppContext,
  tenant: TenantId,
  organization: OrganizationId,
): Promise<EngineResult<StoredAccess>> {
  return context.store.tenant(
    tenant,
    async (tx) => {
      const row = await tx.sql
        .selectFrom('organization_access')
        .select(['sealed', 'at'])
        .where('tenant_id', '=', tenant)
        .where('organization_id', '=', organization)
        .executeTakeFirst();
      if (row === undefined) return failed('refused', t.notConnected);
      const plain = await unseal(tx, context, getSecretRef(organization), row.sealed);
      const access = v.safeParse(ACCESS, JSON.parse(plain));
      return access.success
        ? ok({ ...access.output, at: row.at })
        : failed('refused', t.unreadable);
    },
    { readOnly: true },
  );
}

/** Connections to organizations: one for each, so that all its requests share their limits. */
export interface GraphConnections {
  open(tenant: TenantId, organization: OrganizationId): Promise<EngineResult<GraphPorts>>;
  /** For an access that isn't stored yet. */
  try(access: Access): GraphPorts;
  /** For rights that end at a time. Calls with the same `key` share their limits. */
  until(key: string, access: Access, expiresAt: Ms): GraphPorts;
  /** For a person who signed in by device code. */
  person(region: Region, accessToken: string): GraphPorts;
  login(region: Region): LoginPorts;
}

const MAX_CONNECTIONS = 500;

export function makeGraphConnections(context: () => AppContext): GraphConnections {
  const open = new LRUCache<string, GraphPorts>({ max: MAX_CONNECTIONS });
  const random = (): number => (context().chance.bytes(1)[0] ?? 0) / 256;
  const login = (region: Region): LoginPorts => ({
    fetch: (request) => context().cloud.fetch(request),
    cloud: CLOUDS[region],
    clock: waitClock(context().clock),
    random,
  });
  const portsBy = (region: Region, getTokens: (ports: LoginPorts) => TokenSource): GraphPorts => {
    const ports = login(region);
    return {
      ...ports,
      tokens: getTokens(ports),
      governor: new Governor({ clock: ports.clock, random }),
      userAgent: userAgent(''),
    };
  };
  const connect = (access: Access): GraphPorts =>
    portsBy(access.region, (ports) => applicationTokens(ports, access));
  return {
    login,
    try: connect,
    person: (region, accessToken) => portsBy(region, () => fixedToken(accessToken)),
    until(key, access, expiresAt) {
      const ports =
        open.get(key) ??
        portsBy(access.region, (login) =>
          tokensUntil(login.clock, applicationTokens(login, access), expiresAt),
        );
      open.set(key, ports);
      return ports;
    },
    async open(tenant, organization) {
      const access = await loadOrganizationAccess(context(), tenant, organization);
      if (!access.ok) return access;
      const key = `${tenant} ${organization} ${access.value.at}`;
      const ports = open.get(key) ?? connect(access.value);
      open.set(key, ports);
      return ok(ports);
    },
  };
}
