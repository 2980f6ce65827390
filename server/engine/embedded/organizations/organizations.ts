import type {
  AccessHealth,
  ConnectedTenant,
  ConnectInput,
  ServiceHealth,
  HealthInput,
} from '#contract/engine/connection.ts';
import type { EngineErrorKind, EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { failed, ok } from '../../result.ts';
import { permissionsFor } from '../entra/application.ts';
import { findMissing } from '../entra/permissions.ts';
import { stopAllGrants } from '../restore/rights/grants.ts';
import {
  type Access,
  type GraphConnections,
  loadOrganizationAccess,
  storeAccess,
} from './access.ts';
import { accessMessages as t } from './messages.en.ts';
import { connectByCode } from './modern.ts';
import { readOwner } from './owner.ts';

/** Signs in to a tenant, and stores the access. */
export async function connectOrganization(
  context: AppContext,
  connections: GraphConnections,
  scope: EngineScope,
  input: ConnectInput,
): Promise<EngineResult<ConnectedTenant>> {
  const { tenant, organization } = scope;
  if (input.auth === 'modern') return connectByCode(context, connections, scope, input);
  if (input.auth !== 'modernLegacy') return failed('unsupported', t.unsupportedAuth);
  const { officeOrganizationName, applicationId } = input;
  if (officeOrganizationName === null)
    return failed('invalid', t.incomplete, { field: at('officeOrganizationName') });
  if (applicationId === null)
    return failed('invalid', t.incomplete, { field: at('applicationId') });
  const secret = input.applicationSecret ?? (await loadSecret(context, scope, applicationId));
  if (secret === null) return failed('invalid', t.incomplete, { field: at('applicationSecret') });
  const access: Access = {
    region: input.region,
    directory: officeOrganizationName,
    applicationId,
    credential: { kind: 'secret', secret },
  };
  const ports = connections.try(access);
  const owner = await readOwner(ports);
  if (!owner.ok) return owner;
  if (input.directoryId !== null && input.directoryId !== owner.value.directoryId)
    return failed('refused', t.otherTenant);
  const accepted = await input.accept?.(owner.value.directoryId);
  if (accepted?.ok === false) return accepted;
  const signal = AbortSignal.timeout(CHECK_MS);
  const missing = await findMissing(ports.tokens, permissionsFor(input.services), signal);
  if (!missing.ok) return missing;
  await context.store.tenant(tenant, (tx) =>
    storeAccess(tx, context, organization, { ...access, directory: owner.value.directoryId }),
  );
  const { domains: _, ...connected } = owner.value;
  return ok({
    ...connected,
    applicationId,
    certificate: null,
    missingPermissions: missing.value,
    isCertificateMissing: false,
  });
}

const at = (field: string): string => `exchangeOnlineSettings.${field}`;

/** Returns the stored secret of the application; null if another one or none is stored. */
async function loadSecret(
  context: AppContext,
  { tenant, organization }: EngineScope,
  applicationId: string,
): Promise<string | null> {
  const stored = await loadOrganizationAccess(context, tenant, organization);
  if (!stored.ok || stored.value.applicationId !== applicationId) return null;
  const { credential } = stored.value;
  return credential.kind === 'secret' ? credential.secret : null;
}

const CHECK_MS: Ms = 25_000;

/** Checks that the application still signs in, and which permissions its token lacks. */
export async function testOrganization(
  context: AppContext,
  connections: GraphConnections,
  { tenant, organization }: EngineScope,
  { services }: HealthInput,
): Promise<EngineResult<AccessHealth>> {
  const stored = await loadOrganizationAccess(context, tenant, organization);
  if (!stored.ok) return stored;
  const { credential } = stored.value;
  const certificate = credential.kind === 'certificate' ? credential.certificate : null;
  // A connection of its own: a token has the permissions of its time.
  const { tokens } = connections.try(stored.value);
  const checked: ServiceHealth[] = [];
  for (const service of services) {
    const signal = AbortSignal.timeout(CHECK_MS);
    const missing = await findMissing(tokens, permissionsFor([service]), signal);
    if (!missing.ok && TEMPORARY.has(missing.error.kind)) return missing;
    checked.push({
      service,
      ok: missing.ok && missing.value.length === 0,
      message: missing.ok ? null : missing.error.message,
      missingPermissions: missing.ok ? missing.value : [],
    });
  }
  return ok({ services: checked, certificate });
}
const TEMPORARY: ReadonlySet<EngineErrorKind> = new Set(['unreachable', 'busy', 'ended']);

/** Deletes the access. Backups stay. */
export const disconnectOrganization = (
  context: AppContext,
  { tenant, organization }: EngineScope,
): Promise<EngineResult<void>> =>
  context.store.tenant(tenant, async (tx) => {
    const { sql: db } = tx;
    await stopAllGrants(tx, organization, context.clock.now());
    for (const table of [
      'organization_access',
      'directory_object',
      'directory_list',
      'directory_member',
      'directory_member_list',
    ] as const)
      await db
        .deleteFrom(table)
        .where('tenant_id', '=', tenant)
        .where('organization_id', '=', organization)
        .execute();
    return ok(undefined);
  });
