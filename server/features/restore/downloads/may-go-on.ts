import type * as v from 'valibot';
import type { EngineScope } from '#contract/engine/engine.ts';
import { mayReadDownload } from '#server/engine/public/downloads.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadOperatorScope } from '../../backup/engine-calls.ts';
import { findLinkUser } from '../links.ts';
import type { DownloadRequest } from './handlers.ts';

/**
 * Whether a download that is being sent may continue: its session is active, its user may still
 * restore this, and an operator's roles are still about all that it holds (G65, RES-53).
 */
export async function mayGoOn(
  context: AppContext,
  { tenant, organization, user }: Pick<EngineScope, 'tenant' | 'organization' | 'user'>,
  sessionId: string,
  of: v.InferOutput<typeof DownloadRequest>,
): Promise<boolean> {
  const reader = await findLinkUser(context, tenant, {
    sessionId,
    organization,
    workload: of.workload,
  });
  if (reader === null) return false;
  const scope = { tenant, organization, user, ...loadOperatorScope(reader, organization) };
  const { table, id } =
    of.kind === 'file'
      ? ({ table: 'background_download', id: of.download } as const)
      : ({ table: 'prepared_download', id: of.prepared } as const);
  return context.store.tenant(tenant, (tx) => mayReadDownload(tx, scope, { table, id }), {
    readOnly: true,
  });
}
