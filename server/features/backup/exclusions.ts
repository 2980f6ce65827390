import { sql } from 'kysely';
import { getActiveExclusions, PERSON_KINDS } from '#contract/backup/exclusions.ts';
import { getActiveHolds } from '#contract/backup/legal-holds.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf } from '#contract/calls.ts';
import { IMPORTED, isImported } from '#contract/engine/imports.ts';
import type { NewEvent } from '#contract/events.ts';
import type { ExclusionId, Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { failed, ok } from '#contract/result.ts';
import {
  hidePerson,
  loadRemovals,
  releasePerson,
  type Removal,
} from '#server/engine/public/exclusions.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { escapeLike } from '#server/platform/db/like.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { refusal, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { serverRefusal } from './engine-calls.ts';
import { compareByName, findOrganization } from './lookup.ts';
import { backupMessages as t } from './messages.en.ts';
import { findObjectName, loadUserNames } from './object-names.ts';
import { scheduleOrganizationCleanUps } from './schedule-clean-ups.ts';

type Names = 'listExclusions' | 'listPeopleToExclude' | 'excludePerson' | 'endExclusion';
type RepositoryOut = OutputOf<'listExclusions'>[number]['repositories'][number];

const MAX_PEOPLE = 50;

/** ENG-122: who may delete an organization may exclude its people from backups on request. */
export function exclusionHandlers(context: AppContext): Pick<Handlers, Names> {
  return {
    listExclusions: ({ organizationId }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const row = await findOrganization(tx, ctx.session, organizationId);
          if (!row) return failed(NOT_FOUND);
          const exclusions = (row.exclusions ?? []).toSorted(compareByName);
          const users = await loadUserNames(tx, exclusions);
          const repositories = await loadRepositories(tx, row, ctx.now);
          return ok(
            exclusions.map(({ id, object, user, at, ...exclusion }) => ({
              _id: id,
              ...exclusion,
              objectId: object,
              excludedBy: users.get(user) ?? null,
              excludedAt: at,
              repositories: repositories.get(object) ?? [],
            })),
          );
        },
        { readOnly: true },
      ),

    listPeopleToExclude: ({ organizationId, search }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const row = await findOrganization(tx, ctx.session, organizationId);
          return row ? ok([...(await findPeople(tx, row, search))]) : failed(NOT_FOUND);
        },
        { readOnly: true },
      ),

    excludePerson: ({ organizationId, objectId, reason }, ctx) =>
      runIdempotently<OutputOf<'excludePerson'>>(context, ctx, async (tx) => {
        const row = await findOrganization(tx, ctx.session, organizationId);
        if (!row) return refusal(NOT_FOUND);
        const wrong = serverRefusal(row);
        if (wrong?.ok === false) return refusal(wrong.failure);
        const name = isImported(objectId) ? null : await findObjectName(tx, row, 'user', objectId);
        if (name === null) return refusal(NOT_FOUND);
        const active = getActiveExclusions(row);
        if (active.some(({ object }) => object === objectId))
          return refusal({ kind: 'conflict', message: t.excludedAlready({ name }) });
        const isOnHold = getActiveHolds(row, ctx.now).some(
          (hold) => hold.kind === 'user' && hold.object === objectId,
        );
        if (isOnHold) return refusal({ kind: 'conflict', message: t.personOnHold({ name }) });
        if (active.length >= LIMITS.exclusions)
          return refusal({
            kind: 'conflict',
            message: t.exclusionsFull({ max: LIMITS.exclusions }),
          });
        const id = context.chance.uuid() as ExclusionId;
        await hidePerson(tx, { organization: row.id, id: objectId }, ctx.now);
        await scheduleOrganizationCleanUps(tx, row, ctx.now);
        await audit(tx, context, ctx, {
          what: 'exclusion.begun',
          user: null,
          detail: { organization: row.id, exclusion: id, object: objectId },
        });
        const user = ctx.session.userId;
        const exclusion = { id, object: objectId, name, reason, user };
        const data = { id: row.id, exclusion };
        return {
          drafts: [about(row, { type: 'organization.personexcluded@1', data })],
          answer: () => ok({ _id: id, id }),
        };
      }),

    endExclusion: ({ organizationId, exclusionId, reason }, ctx) =>
      runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        const row = await findOrganization(tx, ctx.session, organizationId);
        const exclusion = row && getActiveExclusions(row).find((one) => one.id === exclusionId);
        if (!row || !exclusion) return refusal(NOT_FOUND);
        await releasePerson(tx, { organization: row.id, id: exclusion.object });
        await scheduleOrganizationCleanUps(tx, row, ctx.now);
        await audit(tx, context, ctx, {
          what: 'exclusion.ended',
          user: null,
          detail: { organization: row.id, exclusion: exclusion.id, object: exclusion.object },
        });
        const user = ctx.session.userId;
        const data = { id: row.id, exclusion: exclusion.id, user, reason };
        return {
          drafts: [about(row, { type: 'organization.exclusionended@1', data })],
          answer: () => ok({}),
        };
      }),
  };
}

const about = (row: OrganizationRow, event: NewEvent['event']): NewEvent => ({
  event,
  company: row.company,
  entity: `organization:${row.id}`,
});

/** Finds people who are in the directory, and those who left and have backups. */
async function findPeople(
  { sql: db, tenant }: TenantTx,
  { id: organization }: OrganizationRow,
  search: string,
): Promise<OutputOf<'listPeopleToExclude'>> {
  const words = `%${escapeLike(search)}%`;
  const { rows } = await sql<OutputOf<'listPeopleToExclude'>[number]>`
    select id, max(name) as name, max(address) as address from (
      select id, name, address from directory_object
      where tenant_id = ${tenant} and organization_id = ${organization} and kind = 'user' and deleted_at is null
      union all
      select directory_id, name, address from backup_object
      where tenant_id = ${tenant} and organization_id = ${organization} and kind in (${sql.join([...PERSON_KINDS])}) and not starts_with(directory_id, ${IMPORTED})
    ) as person
    where name ilike ${words} or address ilike ${words}
    group by id order by lower(max(name)), id limit ${MAX_PEOPLE}`.execute(db);
  return rows;
}

/** How far the removals are, by the person's id in the directory. */
async function loadRepositories(
  tx: TenantTx,
  { id: organization }: OrganizationRow,
  now: Ms,
): Promise<ReadonlyMap<string, RepositoryOut[]>> {
  const removals = await loadRemovals(tx, organization);
  const rows = await tx.rows('backupRepository', [
    ...new Set(removals.map(({ repository }) => repository)),
  ]);
  const people = new Map<string, RepositoryOut[]>();
  for (const removal of removals) {
    const repository = rows.get(removal.repository);
    if (repository === undefined) continue;
    const { id: repositoryId, name } = repository;
    const out = [
      ...(people.get(removal.person) ?? []),
      { repositoryId, name, ...getState(removal, now) },
    ];
    people.set(
      removal.person,
      out.toSorted((a, b) => a.name.localeCompare(b.name)),
    );
  }
  return people;
}

/** Locks that have ended leave files to the next clean-up. */
function getState(
  { isDone, lockedUntil }: Removal,
  now: Ms,
): Pick<RepositoryOut, 'state' | 'until'> {
  if (!isDone) return { state: 'removing', until: null };
  if (lockedUntil === null) return { state: 'removed', until: null };
  return { state: 'locked', until: lockedUntil > now ? lockedUntil : null };
}
