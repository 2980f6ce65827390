import type { EventOf } from '#contract/events.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadTaskPlace } from './task-place.ts';

/** Logs that a task has ended, and records it for the user who requested it. */
export async function logTaskEnd(
  tx: TenantTx,
  context: Pick<AppContext, 'store' | 'clock' | 'chance'>,
  data: EventOf<'restoretask.ended@1'>['data'],
): Promise<void> {
  const at = context.clock.now();
  const organization = (await tx.rows('organization', [data.organization])).get(data.organization);
  await tx.append(
    [
      {
        company: organization?.company ?? null,
        entity: `restoretask:${data.id}`,
        event: { type: 'restoretask.ended@1', data },
      },
    ],
    { actor: { kind: 'clock' }, subject: data.user, commandId: null, at },
  );
  const { id, organization: organizationId, kind, result, counts, bytes } = data;
  const place = await loadTaskPlace(tx, id);
  await auditOrigin(tx, context, {
    what: 'restoretask.ended',
    user: data.user,
    detail: { task: id, organization: organizationId, ...place, kind, result, ...counts, bytes },
    at,
    origin: { ip: '', agent: '', actor: null, impersonation: null, key: null },
  });
}
