import type { EngineError, EngineErrorKind } from '#contract/engine/engine.ts';
import type { Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { scheduleJob } from '#server/platform/jobs/schedule.ts';

/** A check is about all that was denied until then. */
const CHECK_AFTER_MS: Ms = 60_000;

/** Whether Microsoft 365 denied an access: the sign-in (401) or a permission (403). */
export const isAccessDenied = (kind: EngineErrorKind | undefined): boolean =>
  kind === 'refused' || kind === 'forbidden';

/**
 * Returns what takes the errors of some work in an organization. The first that says that Microsoft
 * 365 denied an access requests a check of what the application lacks. `organization` null: the
 * application isn't the organization's own.
 */
export function followDenials(
  { store, clock }: Pick<AppContext, 'store' | 'clock'>,
  {
    tenant,
    organization,
  }: { readonly tenant: TenantId; readonly organization: OrganizationId | null },
): (error: EngineError) => Promise<void> {
  let isRequested = false;
  return async ({ kind }) => {
    if (isRequested || organization === null || !isAccessDenied(kind)) return;
    isRequested = true;
    const due = clock.now() + CHECK_AFTER_MS;
    await store.tenant(tenant, (tx) =>
      scheduleJob(tx, 'organization-check', organization, { organization }, due),
    );
  };
}
