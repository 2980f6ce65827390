import { sql } from 'kysely';
import type { EventListed } from '#contract/providers/admin-calls.ts';
import type { ParsedInputOf } from '#contract/calls.ts';
import type { Actor } from '#contract/events.ts';
import {
  getCurrentType,
  listFormerTypes,
  renameActor,
  renameEvent,
} from '#contract/former-events.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { escapeLike } from '#server/platform/db/like.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { usernameKey } from '../../platform/auth/usernames.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';

export type EventQuery = Omit<ParsedInputOf<'exportAdminEvents'>, 'provider'>;

/**
 * The number of events read in one query, and the maximum in one call, so that a word without a
 * match does not read a year of events.
 */
const STEP = 20_000;
const MAX_READ = 400_000;

/** `actor` is a user id here if it matched a user name. */
type EventQueryValue = Omit<EventQuery, 'actor'> & { readonly actor: string | undefined };

interface Found {
  readonly seq: number;
  readonly at: Ms;
  readonly type: string;
  readonly entity: string;
  readonly company: number | null;
  readonly actor: Actor;
  readonly subject: string | null;
  readonly data: unknown;
}

/**
 * Returns matching events before `before`, newest first. `next` is where to continue; null at the
 * beginning of the log. `reachesArchive`: no event that is left in the log is older than the period.
 */
export async function eventsBefore(
  tx: TenantTx,
  query: EventQuery,
  before: number | null,
  count: number,
): Promise<{
  readonly events: readonly EventListed[];
  readonly next: number | null;
  readonly reachesArchive: boolean;
}> {
  const { seq: head, cut } = await tx.head();
  const request = { ...query, actor: await loadActor(tx, query.actor) };
  const from = query.from === undefined ? 0 : await lastBefore(tx, query.from, head);
  const first = Math.max(from, cut) + 1;
  let next = Math.min(
    before ?? Infinity,
    query.to === undefined ? head + 1 : (await lastBefore(tx, query.to, head)) + 1,
  );
  const found: Found[] = [];
  const stop = next - MAX_READ;
  while (next > first && found.length < count && next > stop) {
    const low = Math.max(first, next - STEP);
    const rows = await matching(tx, request, low, next, count - found.length);
    found.push(...rows);
    next = rows.length > 0 && found.length === count ? (rows.at(-1)?.seq ?? low) : low;
  }
  return {
    events: await toOutput(tx, found),
    next: next > first ? next : null,
    reachesArchive: cut > 0 && from <= cut,
  };
}

/** Returns the id of the user with this name; any other text is returned unchanged. */
async function loadActor(
  { tenant, sql: db }: TenantTx,
  actor: string | undefined,
): Promise<string | undefined> {
  if (actor === undefined || actor === '' || actor === 'clock' || actor === 'source')
    return actor === '' ? undefined : actor;
  const named = await db
    .selectFrom('person')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('username_key', '=', usernameKey(actor))
    .executeTakeFirst();
  return named?.id ?? actor;
}

async function matching(
  { tenant, sql: db }: TenantTx,
  { type, entity, actor, company, text }: EventQueryValue,
  low: number,
  high: number,
  count: number,
): Promise<Found[]> {
  let query = db
    .selectFrom('event')
    .select(['seq', 'at', 'type', 'entity', 'company', 'actor', 'subject', 'data'])
    .where('tenant_id', '=', tenant)
    .where('seq', '>=', low)
    .where('seq', '<', high);
  if (type !== undefined)
    query = query.where((is) =>
      is.or([
        is('type', 'like', `${escapeLike(type)}%`),
        ...listFormerTypes((current) => current.startsWith(type)).map((former) =>
          is('type', '=', former),
        ),
      ]),
    );
  if (entity !== undefined) query = query.where('entity', 'like', `${escapeLike(entity)}%`);
  if (company !== undefined) query = query.where('company', '=', company);
  if (actor === 'clock' || actor === 'source')
    query = query.where(sql`coalesce(actor->>'kind', actor->>'is')`, '=', actor);
  else if (actor !== undefined)
    query = query.where((is) =>
      is.or([is(sql`actor->>'id'`, '=', actor), is(sql`subject::text`, '=', actor)]),
    );
  if (text !== undefined && text !== '') {
    const like = `%${escapeLike(text)}%`;
    query = query.where((is) =>
      is.or([
        is('type', 'ilike', like),
        ...listFormerTypes((current) => current.toLowerCase().includes(text.toLowerCase())).map(
          (former) => is('type', '=', former),
        ),
        is('entity', 'ilike', like),
        is(sql`data::text`, 'ilike', like),
      ]),
    );
  }
  return await query.orderBy('seq', 'desc').limit(count).execute();
}

async function toOutput(tx: TenantTx, found: readonly Found[]): Promise<EventListed[]> {
  const { tenant, sql: db } = tx;
  const people = new Map<string, string>(
    (
      await db
        .selectFrom('person')
        .select(['id', 'username'])
        .where('tenant_id', '=', tenant)
        .execute()
    ).map(({ id, username }) => [id, username]),
  );
  const companies = new Map(
    (
      await db.selectFrom('company').select(['n', 'row']).where('tenant_id', '=', tenant).execute()
    ).map(({ n, row }) => [n, row.name]),
  );
  const keys = new Map<string, string>((await tx.all('key')).map(({ id, name }) => [id, name]));
  return found.map(({ seq, at, type, entity, company, actor: stored, subject, data }) => {
    const actor = renameActor(stored);
    const isImpersonated = actor.kind === 'user' && actor.impersonation !== undefined;
    return {
      seq,
      at,
      type: getCurrentType(type),
      entity,
      company: company === null ? null : (companies.get(company) ?? String(company)),
      actor:
        actor.kind === 'user'
          ? (people.get(actor.id) ?? actor.id)
          : actor.kind === 'source'
            ? actorMessages.sourceNamed({ name: keys.get(actor.id) ?? actor.id })
            : actor.kind === 'rule'
              ? actorMessages.rule({ name: actor.name })
              : actor.kind,
      subject: subject === null ? null : (people.get(subject) ?? subject),
      isImpersonated,
      acting: isImpersonated,
      data: JSON.stringify(renameEvent({ type, data }).data),
    };
  });
}

/**
 * Returns the number of the last event before a time by binary search; 0 if all are later. Events that
 * the log no longer has were before any time.
 */
export async function lastBefore(
  { tenant, sql: db }: { readonly tenant: TenantId; readonly sql: TenantTx['sql'] },
  at: Ms,
  head: number,
): Promise<number> {
  let low = 0;
  let high = head + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const row = await db
      .selectFrom('event')
      .select('at')
      .where('tenant_id', '=', tenant)
      .where('seq', '=', middle)
      .executeTakeFirst();
    if (row !== undefined && row.at >= at) high = middle;
    else low = middle;
  }
  return low;
}
