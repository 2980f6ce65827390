import type { EngineScope, RestoreInput } from '#contract/engine/engine.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadTaskPlace } from './task-place.ts';
import type { TaskId } from '#contract/ids.ts';

export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>;
export interface RecordedCall {
  readonly what: string;
  readonly detail: AuditDetail;
}

/** Records what a user did. What Daybook does on its own schedule reads nothing for anybody. */
export async function recordCall(
  tx: TenantTx,
  context: AppContext,
  { user, organization, operator, origin }: EngineScope,
  { what, detail }: RecordedCall,
): Promise<void> {
  if (user === null) return;
  const task = detail['task'];
  const place =
    typeof task === 'string' && detail['session'] === undefined
      ? await loadTaskPlace(tx, task as TaskId)
      : {};
  await auditOrigin(tx, context, {
    what,
    user: null,
    detail: {
      organization,
      ...(operator !== undefined && { operator }),
      ...(origin !== undefined && origin.actor !== user && { actedAs: user }),
      ...place,
      ...detail,
    },
    at: context.clock.now(),
    origin: origin ?? { ip: '', agent: '', actor: user, impersonation: null, key: null },
  });
}

/** What the record of a restore says. */
export const restoreDetail = (
  task: TaskId,
  { explorer, nodes, target, dryRun }: RestoreInput,
): AuditDetail => ({
  task,
  session: explorer,
  node: nodes[0] ?? null,
  nodes: nodes.length,
  target: target.kind,
  dryRun,
  ...(target.kind === 'other' && {
    targetOrganization: target.organization,
    targetObject: target.object,
  }),
});
