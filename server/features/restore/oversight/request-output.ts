import type { OutputOf } from '#contract/calls.ts';
import type { Workload } from '#contract/engine/engine.ts';
import type { RestoreRequestRow } from '#contract/restore/requests.ts';
import { areSamePerson } from '#server/platform/auth/operators.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { findOrganization } from '../../backup/lookup.ts';
import { mayRestore } from '../scope.ts';
import { oversightMessages as t } from './messages.en.ts';
import { loadNames, loadTargetName } from './names.ts';

export type RequestOut = OutputOf<'getRestoreTask'>['request'];

/** What is known of the restores that needed a reason, by their tasks. */
export async function loadRestoreRequests(
  tx: TenantTx,
  session: Principal,
  tasks: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<RequestOut>>> {
  const rows = await tx.rows('restoreRequest', tasks);
  const people = [...rows.values()].flatMap(({ user, decision }) => [user, decision?.user ?? user]);
  const names = await loadNames(tx, people);
  const out = new Map<string, NonNullable<RequestOut>>();
  for (const row of rows.values()) {
    const { decision } = row;
    out.set(row.id, {
      reason: row.reason,
      requestedBy: names.get(row.user) ?? t.formerUser,
      items: row.items,
      target: await loadTargetName(tx, row.target),
      expiresAt: row.expiresAt,
      decision: decision && {
        decision: decision.decision,
        by: decision.user === null ? null : (names.get(decision.user) ?? t.formerUser),
        reason: decision.reason,
        at: decision.at,
      },
      canDecide: await canDecide(tx, session, row),
    });
  }
  return out;
}

/** The requester, also as another user: Microsoft's sign-in makes one for a restore operator. */
export const isRequester = (
  tx: TenantTx,
  { userId }: Principal,
  { user, organization }: RestoreRequestRow,
): Promise<boolean> => areSamePerson(tx, organization, [user, userId]);

/** Another person than the requester, who may restore it and sees where it goes. */
export async function canDecide(
  tx: TenantTx,
  session: Principal,
  row: RestoreRequestRow,
): Promise<boolean> {
  const { workload, target, expiresAt, decision } = row;
  if (expiresAt === null || decision !== null) return false;
  if (!mayRestore(session, workload satisfies Workload)) return false;
  if (await isRequester(tx, session, row)) return false;
  return target === null || (await findOrganization(tx, session, target.organization)) !== null;
}
