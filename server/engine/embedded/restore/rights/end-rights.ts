import type { EngineId, Region } from '#contract/engine/engine.ts';
import type { Ms, OrganizationId, TenantId, UserId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { mailAdministrators } from '#server/platform/mail/mail-administrators.ts';
import { deleteRegistration } from '../../entra/application.ts';
import type { GraphClient } from '../../graph/client.ts';
import { restoreMessages as t } from '../../../shared/restore.messages.en.ts';
import type { RestorePorts } from '../running-task.ts';
import { closeGrant, endGrant, isGrantInUse, loadGrant, recordGrant } from './grants.ts';

/** How often a stopped session looks whether its restores are done, and a removal is tried again. */
const AGAIN_MS: Ms = 15_000;

/** The background job of a grant: ends it, and removes its application from the tenant. */
export const endRights =
  (
    context: AppContext,
    { openAdministrator }: Pick<RestorePorts, 'openAdministrator'>,
  ): JobHandler<'restore-rights'> =>
  async ({ tenant, payload: { grant: id }, signal }) => {
    const due = await endWhenDue(context, tenant, id);
    if (due.kind === 'over') return null;
    if (due.kind === 'later') return due.at;
    const { accessToken, region, registrationId, tokenExpiresAt } = due;
    const client: GraphClient = openAdministrator(region, accessToken, signal);
    const removed = await deleteRegistration(client, registrationId);
    const now = context.clock.now();
    const canHelp = !removed.ok && PASSING.has(removed.error.kind);
    if (canHelp && now + AGAIN_MS < tokenExpiresAt) return now + AGAIN_MS;
    await context.store.tenant(tenant, async (tx) => {
      await closeGrant(tx, id, removed.ok);
      await recordGrant(tx, context, {
        what: 'restorerights.removed',
        user: due.user,
        detail: { organization: due.organization, grant: id, removed: removed.ok },
        origin: null,
      });
      if (!removed.ok) await mailLeftover(tx, context, due.organization, registrationId);
    });
    return null;
  };

/** Emails administrators that an application stays in the tenant, and how it is removed. */
async function mailLeftover(
  tx: TenantTx,
  context: AppContext,
  id: OrganizationId,
  registrationId: string,
): Promise<void> {
  const organization = (await tx.rows('organization', [id])).get(id);
  if (organization === undefined) return;
  const { name } = organization;
  await mailAdministrators(tx, context, organization.company, (company) => ({
    subject: t.leftSubject({ name }),
    text: [
      t.left({ application: t.application, name, company }),
      t.leftSafe,
      `${t.leftNext({ id: registrationId })}\n`,
    ].join('\n\n'),
  }));
}

const PASSING: ReadonlySet<string> = new Set(['busy', 'unreachable', 'internal']);

type Due =
  | { readonly kind: 'over' }
  | { readonly kind: 'later'; readonly at: Ms }
  | {
      readonly kind: 'ended';
      readonly organization: OrganizationId;
      readonly user: UserId;
      readonly region: Region;
      readonly accessToken: string;
      readonly tokenExpiresAt: Ms;
      readonly registrationId: string;
    };

/**
 * Ends a grant if its session or its time has ended and its restores are done, or if their time is
 * over, too.
 */
const endWhenDue = (context: AppContext, tenant: TenantId, id: EngineId): Promise<Due> =>
  context.store.tenant<Due>(tenant, async (tx) => {
    const now = context.clock.now();
    const grant = await loadGrant(tx, context, id);
    if (grant === null || grant.sealed === null) return { kind: 'over' };
    const { sealed, organization, user, registrationId, region } = grant;
    const { accessToken, tokenExpiresAt } = sealed;
    if (grant.endedAt === null) {
      const isExpired = grant.expiresAt <= now;
      if (!isExpired && grant.stoppedAt === null) return { kind: 'later', at: grant.expiresAt };
      if (grant.restoresEndAt > now && (await isGrantInUse(tx, id)))
        return { kind: 'later', at: Math.min(now + AGAIN_MS, grant.restoresEndAt) };
      await endGrant(tx, context, id, sealed);
      if (sealed.access !== null)
        await recordGrant(tx, context, {
          what: 'restorerights.ended',
          user,
          detail: { organization, grant: id, reason: isExpired ? 'expired' : 'stopped' },
          origin: null,
        });
    }
    return {
      kind: 'ended',
      organization,
      user,
      region,
      accessToken,
      tokenExpiresAt,
      registrationId,
    };
  });
