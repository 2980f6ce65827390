import type { TenantId } from '#contract/ids.ts';
import type { Principal } from '../http/handler.ts';
import type { AppContext } from '../app-context.ts';

/** Maximum depth of nested providers. */
const MAX_BELOW = 8;

/** Returns a provider and all below it, itself first. */
export const providersFrom = (context: AppContext, own: TenantId): Promise<readonly TenantId[]> =>
  context.store.system(async (sql) => {
    const found = [own];
    let level: readonly TenantId[] = [own];
    for (let steps = 0; level.length > 0 && steps < MAX_BELOW; steps += 1) {
      const rows = await sql
        .selectFrom('tenant_list')
        .select('tenant_id')
        .where('master_id', 'in', [...level])
        .orderBy('tenant_id')
        .execute();
      level = rows.map(({ tenant_id }) => tenant_id).filter((id) => !found.includes(id));
      found.push(...level);
    }
    return found;
  });

/**
 * Data of a provider as a whole is for users who see all of its companies, in it or in a parent
 * provider.
 */
export const keepsProvider = async (
  context: AppContext,
  own: TenantId,
  session: Principal,
  id: TenantId,
): Promise<boolean> =>
  session.companies === null && (id === own || (await providersFrom(context, own)).includes(id));
