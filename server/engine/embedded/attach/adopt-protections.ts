import { sql } from 'kysely';
import { getActiveExclusions, PERSON_KINDS } from '#contract/backup/exclusions.ts';
import { getActiveHolds } from '#contract/backup/legal-holds.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { AttachmentProblem } from '#contract/engine/repositories.ts';
import type { Event } from '#contract/events.ts';
import type { ExclusionId, LegalHoldId, Ms } from '#contract/ids.ts';
import { TEXT_LIMITS } from '#contract/text-limits.ts';
import { cutText } from '#contract/stored-text.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { hideExcluded, releasePerson } from '../repositories/exclusions.ts';
import { type Protections, UNKNOWN } from '../repositories/protections.ts';
import type { AttachRun } from './attachment.ts';
import { attachMessages as t } from './messages.en.ts';

/**
 * Adopts the legal holds and exclusions that a repository lists, before anything of it is visible, and
 * hides the people whom this or the other Daybook excludes. A hold on a person comes first.
 * `hasReplaced`: it has two snapshots of one restore point. Returns what the page lists about it.
 */
export async function adoptProtections(
  tx: TenantTx,
  { repository, organization: id, chance }: AttachRun,
  { stored, hasReplaced }: { readonly stored: Protections | null; readonly hasReplaced: boolean },
  now: Ms,
): Promise<readonly AttachmentProblem[]> {
  const row = (await tx.rows('organization', [id])).get(id);
  if (row === undefined) return [];
  const names = await loadNames(tx, { repository, organization: id });
  const getName = (object: string): string => names.get(object) ?? object;
  const events: Event[] = [];
  const problems: AttachmentProblem[] = [];
  const note = (kind: AttachmentProblem['kind'], object: string, at: Ms): void => {
    problems.push({ kind, snapshot: '', at, object });
  };
  const active = getActiveHolds(row, now);
  const added = (stored?.holds ?? []).filter(
    ({ kind, object, until }) =>
      (until === null || until > now) &&
      !active.some((own) => own.kind === kind && own.object === object),
  );
  for (const { at, ...hold } of added) {
    const data = { id, hold: { id: chance.uuid() as LegalHoldId, ...hold } };
    events.push({ type: 'organization.holdplaced@1', data });
    note('on-hold', hold.name, at);
  }
  const peopleOnHold = new Set(
    [...active, ...added].filter(({ kind }) => kind === 'user').map(({ object }) => object),
  );
  const own = getActiveExclusions(row);
  const ended = await listEnded(tx, { repository, organization: id }, row, stored?.excluded ?? []);
  for (const { object, user, at } of stored?.excluded ?? []) {
    if (own.some((exclusion) => exclusion.object === object) || ended.has(object)) continue;
    if (peopleOnHold.has(object)) {
      note('excluded-on-hold', getName(object), at);
      continue;
    }
    const name = cutText(getName(object), TEXT_LIMITS.nameChars);
    const exclusion = { id: chance.uuid() as ExclusionId, object, name, reason: t.takenOver, user };
    events.push({ type: 'organization.personexcluded@1', data: { id, exclusion } });
    note('excluded', getName(object), at);
  }
  for (const { object, at } of own)
    if (names.has(object))
      note(peopleOnHold.has(object) ? 'excluded-on-hold' : 'excluded', getName(object), at);
  const removing = [
    ...(stored?.removing ?? []),
    ...[...ended].flatMap(([object, isBackedUpAgain]) => (isBackedUpAgain ? [] : [object])),
  ].filter((object) => !own.some((exclusion) => exclusion.object === object) && names.has(object));
  for (const object of removing)
    note(peopleOnHold.has(object) ? 'excluded-on-hold' : 'excluded', getName(object), now);
  // What was written into the repository may be in other files than these.
  await tx.sql
    .updateTable('repository_access')
    .set({ protections: stored === null ? null : UNKNOWN })
    .where('tenant_id', '=', tx.tenant)
    .where('repository_id', '=', repository)
    .execute();
  // A clean-up that was interrupted may have left snapshots that others replace, and files of theirs.
  if (hasReplaced || stored !== null)
    await sql`
      update repository_access set upkeep = upkeep || '{"rewrite": true, "repack": true}'
      where tenant_id = ${tx.tenant} and repository_id = ${repository}`.execute(tx.sql);
  if (events.length > 0)
    await tx.append(
      events.map((event) => ({ company: row.company, entity: `organization:${id}`, event })),
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: now },
    );
  for (const { kind, object } of added)
    if (kind === 'user') await releasePerson(tx, { organization: id, id: object });
  await hideExcluded(tx, { id: repository, organization: id }, now, removing);
  return problems;
}

/**
 * Returns the people of a list whose exclusion has ended here since: the files may be an older copy. What
 * they have of such a person is still to be removed, unless the person was backed up again after that.
 */
async function listEnded(
  { sql: db, tenant }: TenantTx,
  { repository, organization }: Pick<AttachRun, 'repository' | 'organization'>,
  { exclusions = [] }: OrganizationRow,
  listed: Protections['excluded'],
): Promise<ReadonlyMap<string, boolean>> {
  const ended = new Map<string, boolean>();
  for (const { object, at } of listed) {
    const endedAt = exclusions.find((one) => one.object === object)?.endedAt ?? null;
    if (endedAt === null || endedAt < at) continue;
    const row = await db
      .selectFrom('backup_object as o')
      .innerJoin('object_point as p', (join) =>
        join.onRef('p.tenant_id', '=', 'o.tenant_id').onRef('p.object_n', '=', 'o.n'),
      )
      .select('p.at')
      .where('o.tenant_id', '=', tenant)
      .where('o.repository_id', '=', repository)
      .where('o.organization_id', '=', organization)
      .where('o.directory_id', '=', object)
      .where('o.kind', 'in', [...PERSON_KINDS])
      .where('p.at', '>', endedAt)
      .limit(1)
      .executeTakeFirst();
    ended.set(object, row !== undefined);
  }
  return ended;
}

/** Names of the people whom the restore points of a repository have, by their ids in the directory. */
async function loadNames(
  { sql: db, tenant }: TenantTx,
  { repository, organization }: Pick<AttachRun, 'repository' | 'organization'>,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('backup_object as o')
    .innerJoin('object_point as p', (join) =>
      join.onRef('p.tenant_id', '=', 'o.tenant_id').onRef('p.object_n', '=', 'o.n'),
    )
    .select(['o.directory_id as id', 'o.name', 'o.address'])
    .distinct()
    .where('o.tenant_id', '=', tenant)
    .where('o.repository_id', '=', repository)
    .where('o.organization_id', '=', organization)
    .where('o.kind', 'in', [...PERSON_KINDS])
    .execute();
  return new Map(rows.map(({ id, name, address }) => [id, name || address || id]));
}
