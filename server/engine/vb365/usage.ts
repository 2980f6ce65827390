import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { RepositoryUsage } from '#contract/engine/repositories.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { failed, ok } from '../result.ts';
import { vb365Messages as t } from './messages.en.ts';
import type { BackupRepositoryId } from '#contract/ids.ts';

/** Returns what an organization uses of a repository. The server verifies and cleans up itself. */
export const readServerUsage = (
  context: AppContext,
  { tenant, organization }: EngineScope,
  repository: BackupRepositoryId,
): Promise<EngineResult<RepositoryUsage>> =>
  context.store.tenant(
    tenant,
    async ({ sql: db }) => {
      const row = await db
        .selectFrom('vb365_object')
        .select('detail')
        .where('tenant_id', '=', tenant)
        .where('organization_id', '=', organization)
        .where('kind', '=', 'repository')
        .where('id', '=', repository)
        .executeTakeFirst();
      return row === undefined
        ? failed('missing', t.unknownRepository)
        : ok({
            storedBytes: row.detail.usedBytes ?? 0,
            points: null,
            verifiedAt: null,
            damagedItems: [],
            locks: null,
            storageRequests: null,
            attachment: null,
            cleanUp: null,
            verification: null,
          });
    },
    { readOnly: true },
  );
