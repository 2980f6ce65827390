import type {
  Connected,
  ConnectInput,
  EngineResult,
  EngineScope,
  Health,
} from '#contract/engine/engine.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { failed, ok } from '../../result.ts';
import { stopAllGrants } from '../restore/rights/grants.ts';
import { type Access, type GraphConnections, loadAccess, storeAccess } from './access.ts';
import { accessMessages as t } from './messages.en.ts';
import { connectByCode } from './modern.ts';
import { readOwner } from './owner.ts';

/** Signs in to a tenant, and stores the access. */
export async function connectOrganization(
  context: AppContext,
  connections: GraphConnections,
  scope: EngineScope,
  input: ConnectInput,
): Promise<EngineResult<Connected>> {
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
  const owner = await readOwner(connections.try(access));
  if (!owner.ok) return owner;
  if (input.directoryId !== null && input.directoryId !== owner.value.directoryId)
    return failed('refused', t.otherTenant);
  const accepted = await input.accept?.(owner.value.directoryId);
  if (accepted?.ok === false) return accepted;
  await context.store.tenant(tenant, (tx) =>
    storeAccess(tx, context, organization, { ...access, directory: owner.value.directoryId }),
  );
  const { domains: _, ...connected } = owner.value;
  return ok({ ...connected, applicationId, certificate: null, missingPermissions: [] });
}

const at = (field: string): string => `exchangeOnlineSettings.${field}`;

/** Returns the stored secret of the application; null if another one or none is stored. */
async function loadSecret(
  context: AppContext,
  { tenant, organization }: EngineScope,
  applicationId: string,
): Promise<string | null> {
  const stored = await loadAccess(context, tenant, organization);
  if (!stored.ok || stored.value.applicationId !== applicationId) return null;
  const { credential } = stored.value;
  return credential.kind === 'secret' ? credential.secret : null;
}

/** Checks that the application still signs in. */
export async function testOrganization(
  connections: GraphConnections,
  { tenant, organization }: EngineScope,
): Promise<EngineResult<readonly Health[]>> {
  const ports = await connections.open(tenant, organization);
  if (!ports.ok) return ports;
  const owner = await readOwner(ports.value);
  const message = owner.ok ? null : owner.error.message;
  return ok([{ service: 'exchange', ok: owner.ok, message }]);
}

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
