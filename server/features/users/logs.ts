import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { UserId } from '#contract/ids.ts';
import { utcText, wallText } from '#contract/runs/csv.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import type { UserLogLine } from '#contract/users/log-calls.ts';
import { getSentence, getEventLabel } from '#contract/users/log-labels.ts';
import { seesUser } from '#contract/users/authority.ts';
import { ok } from '#contract/result.ts';
import type { Handlers, Principal } from '../../platform/http/handler.ts';
import { escapeLike } from '#server/platform/db/like.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { hasAbility } from '../../platform/auth/authorization.ts';
import { isCompanyInScope, toScope } from '../../platform/sync/scope.ts';
import { csvAnswer, loadZone } from '../../platform/http/csv-response.ts';
import { userMessages as t } from './messages.en.ts';

type Query = ParsedInputOf<'exportUserLogs'>;
interface Person {
  readonly id: UserId;
  readonly username: string;
  readonly name: string;
}
const MAX_LINES = 50_000;

/**
 * The audit log of accounts. Users with access to some companies see only the entries of the users
 * they manage.
 */
export const logHandlers = (
  context: AppContext,
): Pick<Handlers, 'listUserLogs' | 'exportUserLogs'> => ({
  listUserLogs: ({ page = 1, pageSize = PAGE_SIZE, ...query }, ctx) =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => {
        const { rows, count, kinds } = await readLog(tx, ctx.session, query, {
          offset: (page - 1) * pageSize,
          limit: pageSize,
        });
        return ok<OutputOf<'listUserLogs'>>({
          rows,
          count,
          page,
          pageSize,
          kinds: kinds.map((what) => ({ what, words: getEventLabel(what) })),
        });
      },
      { readOnly: true },
    ),

  exportUserLogs: (query, ctx) =>
    context.store.tenant(
      ctx.tenant,
      async (tx) => {
        const zone = await loadZone(tx);
        const { rows } = await readLog(tx, ctx.session, query, { offset: 0, limit: MAX_LINES });
        return csvAnswer('UserLogs', ctx.now, zone, [
          [
            t.when({ zone }),
            t.whenUtc,
            t.action,
            t.actor,
            t.user,
            t.asAnotherUser,
            t.ipAddress,
            t.browser,
          ],
          ...rows.map(({ at, words, actor, user, isImpersonated, ip, agent }) => [
            wallText(at, zone),
            utcText(at),
            words,
            actor?.username ?? null,
            user?.username ?? null,
            isImpersonated ? t.yes : t.no,
            ip,
            agent,
          ]),
        ]);
      },
      { readOnly: true },
    ),
});

async function readLog(
  tx: TenantTx,
  session: Principal,
  { from, to, user, what, text = '' }: Query,
  { offset, limit }: { readonly offset: number; readonly limit: number },
) {
  const { tenant, sql } = tx;
  const people = new Map(
    (
      await sql
        .selectFrom('person')
        .select(['id', 'username', 'name'])
        .where('tenant_id', '=', tenant)
        .execute()
    ).map((one) => [one.id, one]),
  );
  const stored =
    session.companies === null
      ? null
      : (await tx.all('user'))
          .filter((one) => one.id === session.userId || seesUser(session, one))
          .map(({ id }) => id);
  const kinds = (
    await sql
      .selectFrom('audit')
      .select('what')
      .distinct()
      .where('tenant_id', '=', tenant)
      .orderBy('what')
      .execute()
  ).map((row) => row.what);
  let query = sql.selectFrom('audit').where('tenant_id', '=', tenant);
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  if (what !== undefined) query = query.where('what', '=', what);
  if (user !== undefined)
    query = query.where((is) => is.or([is('user_id', '=', user), is('actor_id', '=', user)]));
  // The caller must manage the user of an entry; for an entry without a user, its actor.
  if (stored !== null)
    query = query.where((is) =>
      is.or([
        is('user_id', 'in', stored),
        is.and([is('user_id', 'is', null), is('actor_id', 'in', stored)]),
      ]),
    );
  if (text !== '') {
    const term = text.toLowerCase();
    const has = (...said: readonly string[]): boolean =>
      said.some((one) => one.toLowerCase().includes(term));
    const named = [...people.values()]
      .filter((one) => has(one.username, one.name))
      .map(({ id }) => id);
    const meant = kinds.filter((kind) => has(kind, getEventLabel(kind)));
    query = query.where((is) =>
      is.or([
        is('ip', 'like', `${escapeLike(term)}%`),
        ...(meant.length > 0 ? [is('what', 'in', meant)] : []),
        ...(named.length > 0 ? [is('user_id', 'in', named), is('actor_id', 'in', named)] : []),
      ]),
    );
  }
  const { count } = await query
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const rows = await query
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute();
  const shown = stored === null ? null : new Set(stored);
  const restores = await loadRestoreEnds(tx, session, rows);
  return {
    count,
    kinds,
    rows: rows.map((row): UserLogLine => {
      const restore = restores.get(row.id);
      const described = { what: row.what, ...(restore !== undefined && { restore }) };
      return {
        ...described,
        _id: row.id,
        at: row.at,
        words: getSentence(described),
        user: toLogUser(people, row.user_id, shown),
        actor: toLogUser(people, row.actor_id ?? getActor(row.what, row.user_id), shown),
        isImpersonated: row.impersonation_id !== null,
        acting: row.impersonation_id !== null,
        ip: row.ip,
        agent: row.agent,
      };
    }),
  };
}

type RestoreEnd = NonNullable<UserLogLine['restore']>;

/** How the restores among records ended. Organizations that the caller may not see stay unnamed. */
async function loadRestoreEnds(
  tx: TenantTx,
  session: Principal,
  rows: readonly { readonly id: string; readonly what: string; readonly detail: unknown }[],
): Promise<ReadonlyMap<string, RestoreEnd>> {
  const ended = rows
    .filter(({ what }) => what === 'restoretask.ended')
    .map(({ id, detail }) => ({ id, detail: detail as RestoreEnd & { organization: string } }));
  if (ended.length === 0) return new Map();
  const organizations = hasAbility(session, 'o365.organizations')
    ? await tx.rows('organization', [...new Set(ended.map(({ detail }) => detail.organization))])
    : null;
  return new Map(
    ended.map(({ id, detail }): [string, RestoreEnd] => {
      const { kind, result, restored, merged, skipped, failed } = detail;
      const row = organizations?.get(detail.organization);
      const isSeen = row !== undefined && isCompanyInScope(toScope(session), row.company);
      const organization = isSeen ? row.name : null;
      return [id, { organization, kind, result, restored, merged, skipped, failed }];
    }),
  );
}

/** During sign-in there is no actor yet, so the user counts as the actor. */
const getActor = (what: string, user: UserId | null): UserId | null =>
  what === 'sign-in.done' || what === 'user.registered' ? user : null;

/**
 * Returns names only for users that the caller manages; for others and deleted users only the id.
 */
function toLogUser(
  people: ReadonlyMap<UserId, Person>,
  id: UserId | null,
  shown: ReadonlySet<UserId> | null,
): UserLogLine['user'] {
  if (id === null) return null;
  const one = shown === null || shown.has(id) ? people.get(id) : undefined;
  return { _id: id, username: one?.username ?? null, name: one?.name ?? null };
}
