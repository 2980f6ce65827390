import { getActiveExclusions } from '#contract/backup/exclusions.ts';
import { isActiveHold, getActiveHolds } from '#contract/backup/legal-holds.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { NewEvent } from '#contract/events.ts';
import type { LegalHoldId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { failed, ok } from '#contract/result.ts';
import { isBeingRemoved } from '#server/engine/public/exclusions.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { refusal, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { serverRefusal } from './engine-calls.ts';
import { compareByName, findOrganization } from './lookup.ts';
import { findObjectName, loadUserNames } from './object-names.ts';
import { backupMessages as t } from './messages.en.ts';
import { scheduleOrganizationCleanUps } from './schedule-clean-ups.ts';

type Names = 'listLegalHolds' | 'placeLegalHold' | 'releaseLegalHold';

/** ENG-121: who may delete an organization may place and release legal holds in it. */
export function legalHoldHandlers(context: AppContext): Pick<Handlers, Names> {
  return {
    listLegalHolds: ({ organizationId }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const row = await findOrganization(tx, ctx.session, organizationId);
          if (!row) return failed(NOT_FOUND);
          const holds = (row.holds ?? []).toSorted(compareByName);
          const users = await loadUserNames(tx, holds);
          return ok(
            holds.map(({ id, object, user, at, ...hold }) => ({
              _id: id,
              ...hold,
              objectId: object,
              placedBy: users.get(user) ?? null,
              placedAt: at,
              isActive: isActiveHold(hold, ctx.now),
            })),
          );
        },
        { readOnly: true },
      ),

    placeLegalHold: ({ organizationId, kind, objectId, reason, until }, ctx) =>
      runIdempotently<OutputOf<'placeLegalHold'>>(context, ctx, async (tx) => {
        const row = await findOrganization(tx, ctx.session, organizationId);
        if (!row) return refusal(NOT_FOUND);
        const wrong = serverRefusal(row);
        if (wrong?.ok === false) return refusal(wrong.failure);
        if (until !== null && until <= ctx.now)
          return refusal({
            kind: 'bad-input',
            message: t.holdEnded,
            issues: [{ path: 'until', message: t.holdEnded }],
          });
        const name = await findObjectName(tx, row, kind, objectId);
        if (name === null) return refusal(NOT_FOUND);
        const same = getActiveHolds(row, ctx.now).some(
          (hold) => hold.kind === kind && hold.object === objectId,
        );
        if (same) return refusal({ kind: 'conflict', message: t.holdExists({ name }) });
        const excluded = kind === 'user' ? await exclusionRefusal(tx, row, objectId, name) : null;
        if (excluded !== null) return refusal({ kind: 'conflict', message: excluded });
        if ((row.holds ?? []).length >= LIMITS.legalHolds)
          return refusal({
            kind: 'conflict',
            message: t.holdsFull({ max: LIMITS.legalHolds }),
          });
        const id = context.chance.uuid() as LegalHoldId;
        await audit(tx, context, ctx, {
          what: 'legalhold.placed',
          user: null,
          detail: { organization: row.id, hold: id, kind, object: objectId, until },
        });
        await scheduleOrganizationCleanUps(tx, row, ctx.now);
        const user = ctx.session.userId;
        const hold = { id, kind, object: objectId, name, reason, user, until };
        return {
          drafts: [about(row, { type: 'organization.holdplaced@1', data: { id: row.id, hold } })],
          answer: () => ok({ _id: id, id }),
        };
      }),

    releaseLegalHold: ({ organizationId, holdId, reason }, ctx) =>
      runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        const row = await findOrganization(tx, ctx.session, organizationId);
        const hold = row?.holds?.find(({ id }) => id === holdId);
        if (!row || !hold) return refusal(NOT_FOUND);
        await audit(tx, context, ctx, {
          what: 'legalhold.released',
          user: null,
          detail: { organization: row.id, hold: hold.id, kind: hold.kind, object: hold.object },
        });
        await scheduleOrganizationCleanUps(tx, row, ctx.now);
        const user = ctx.session.userId;
        const data = { id: row.id, hold: hold.id, user, reason };
        return {
          drafts: [about(row, { type: 'organization.holdreleased@1', data })],
          answer: () => ok({}),
        };
      }),
  };
}

/** ENG-122: what a hold protects must not be about to be removed. */
async function exclusionRefusal(
  tx: TenantTx,
  row: OrganizationRow,
  id: string,
  name: string,
): Promise<string | null> {
  if (getActiveExclusions(row).some(({ object }) => object === id))
    return t.holdOnExcluded({ name });
  return (await isBeingRemoved(tx, { organization: row.id, id }))
    ? t.holdOnRemoved({ name })
    : null;
}

const about = (row: OrganizationRow, event: NewEvent['event']): NewEvent => ({
  event,
  company: row.company,
  entity: `organization:${row.id}`,
});
