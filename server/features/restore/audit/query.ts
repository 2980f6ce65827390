import { sql } from 'kysely';
import type { AuditAction } from '#contract/restore/audit-calls.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { ExplorerId, OrganizationId, UserId } from '#contract/ids.ts';
import { getEventLabel } from '#contract/users/log-labels.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { isCompanyInScope, toScope } from '#server/platform/sync/scope.ts';
import { restoreAuditMessages as t } from './messages.en.ts';
import { type Detail, loadSubjects, toText } from './subjects.ts';

export type AuditEntry = OutputOf<'listRestoreAudit'>['rows'][number];
export type AuditQuery = ParsedInputOf<'exportRestoreAudit'>;

/** Where the list continues: after the entry with this time and id. */
interface After {
  readonly at: number;
  readonly id: string;
}
export interface AuditWindow {
  readonly after: After | null;
  readonly limit: number;
}

/** Which records of `audit as a` are about backed-up data. They name their organization. */
export const IS_RESTORE_AUDIT = sql<boolean>`(a.what = 'backupcontent.read' or a.what like 'restoresession.%' or a.what like 'restoretask.%' or a.what like 'export.%' or a.what like 'restorerole.%' or a.what like 'restorerights.%' or a.what like 'import.%')`;
const READ = sql`a.detail ->> 'read'`;
const ACTION = sql`case
  when a.what like 'restorerole.%' then 'role'
  when a.what like 'restorerights.%' then 'rights'
  when a.what like 'import.%' then 'import'
  when a.what like 'restoresession.%' then 'session'
  when a.what like 'restoretask.%' or ${READ} = 'results' then 'restore'
  when a.what like 'export.%' or ${READ} in ('download', 'download-list') then 'download'
  when ${READ} in ('content', 'preview') then 'preview'
  when ${READ} = 'compared' then 'compare'
  when ${READ} in ('size', 'search') then ${READ}
  else 'list' end`;

interface Row {
  readonly id: string;
  readonly at: number;
  readonly what: string;
  readonly action: AuditAction;
  readonly actor: UserId | null;
  readonly ip: string;
  readonly agent: string;
  readonly detail: Detail;
  readonly all: number | null;
}

/** The organizations whose audit the user may read: those of its companies, deleted ones too. */
export async function loadAudited(
  tx: TenantTx,
  session: Principal,
): Promise<ReadonlyMap<string, string>> {
  const scope = toScope(session);
  return new Map(
    (await tx.all('organization'))
      .filter(({ company }) => isCompanyInScope(scope, company))
      .map(({ id, name }) => [id, name]),
  );
}

/** Entries of these organizations, newest first. `count` null: not counted on later pages. */
export async function readAudit(
  tx: TenantTx,
  audited: ReadonlyMap<string, string>,
  { organizationId, action, userId, sessionId, from, to }: AuditQuery,
  { after, limit }: AuditWindow,
): Promise<{
  readonly rows: AuditEntry[];
  readonly next: After | null;
  readonly count: number | null;
}> {
  const { tenant, sql: db } = tx;
  const ids = [...audited.keys()].filter(
    (id) => organizationId === undefined || id === organizationId,
  );
  if (ids.length === 0) return { rows: [], next: null, count: 0 };
  const where = sql`a.tenant_id = ${tenant} and ${IS_RESTORE_AUDIT}
    and a.organization in (${sql.join(ids)})
    and ${action === undefined ? sql`true` : sql`${ACTION} = ${action}`}
    and ${userId === undefined ? sql`true` : sql`(a.actor_id::text = ${userId} or a.detail ->> 'actedAs' = ${userId})`}
    and ${sessionId === undefined ? sql`true` : sql`a.detail ->> 'session' = ${sessionId}`}
    and ${from === undefined ? sql`true` : sql`a.at >= ${from}`}
    and ${to === undefined ? sql`true` : sql`a.at < ${to}`}`;
  const { rows } = await sql<Row>`
    select a.id, a.at, a.what, ${ACTION} as action, a.actor_id as actor, a.ip, a.agent, a.detail,
      ${after === null ? sql`(select count(*) from audit as a where ${where})` : sql`null::bigint`} as "all"
    from audit as a
    where ${where} and ${after === null ? sql`true` : sql`(a.at, a.id) < (${after.at}::bigint, ${after.id}::uuid)`}
    order by a.at desc, a.id desc limit ${limit + 1}`.execute(db);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const people = await loadPeople(
    tx,
    shown.flatMap(({ actor, detail }) => [actor, toText(detail['actedAs']) as UserId | null]),
  );
  const subjects = await loadSubjects(
    tx,
    shown.map(({ detail }) => detail),
  );
  return {
    rows: shown.map((row): AuditEntry => {
      const organization = (toText(row.detail['organization']) ?? '') as OrganizationId;
      const as = toText(row.detail['actedAs']);
      return {
        _id: row.id,
        at: row.at,
        action: row.action,
        words: getSentence(row),
        organizationId: organization,
        organizationName: audited.get(organization) ?? '',
        object: subjects.getObject(row.detail),
        item: subjects.getItem(row.detail),
        count: toNumber(row.detail['rows']) ?? toNumber(row.detail['nodes']),
        user: people.get(row.actor ?? '') ?? null,
        actedAs: as === null ? null : (people.get(as) ?? null),
        isAutomatic: row.actor === null,
        isOperator: row.detail['operator'] !== undefined,
        ip: row.ip,
        agent: row.agent,
        sessionId: toText(row.detail['session']) as ExplorerId | null,
      };
    }),
    next: rows.length > limit && last ? { at: last.at, id: last.id } : null,
    count: after === null ? (rows[0]?.all ?? 0) : null,
  };
}

/** Who is in the audit of these organizations, by name. */
export async function listAuditedUsers(
  tx: TenantTx,
  audited: ReadonlyMap<string, string>,
): Promise<{ _id: string; name: string }[]> {
  if (audited.size === 0) return [];
  const { rows } = await sql<{ _id: string; name: string }>`
    select p.id as "_id", p.name from person as p where p.tenant_id = ${tx.tenant} and p.id in (
      select a.actor_id from audit as a where a.tenant_id = ${tx.tenant} and ${IS_RESTORE_AUDIT}
        and a.organization in (${sql.join([...audited.keys()])}))
    order by lower(p.name), p.id limit 1000`.execute(tx.sql);
  return rows;
}

const READ_WORDS = {
  'points': () => t.points,
  'list': () => t.list,
  'search': () => t.search,
  'size': () => t.size,
  'content': () => t.content,
  'preview': () => t.preview,
  'compared': () => t.compared,
  'download-list': () => t.downloadList,
  'download': () => t.download,
  'results': () => t.results,
} as const;

function getSentence({ what, detail }: Pick<Row, 'what' | 'detail'>): string {
  const read = toText(detail['read']);
  if (read !== null)
    return (READ_WORDS as Partial<Record<string, () => string>>)[read]?.() ?? getEventLabel(what);
  if (what !== 'restoretask.requested') return getEventLabel(what);
  if (detail['dryRun'] === true) return t.dryRun;
  return detail['target'] === 'other' ? t.restoreTo : getEventLabel(what);
}

const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);

async function loadPeople(
  { sql: db, tenant }: TenantTx,
  ids: readonly (UserId | null)[],
): Promise<ReadonlyMap<string, { _id: string; username: string; name: string }>> {
  const known = [...new Set(ids.filter((id) => id !== null))];
  if (known.length === 0) return new Map();
  const rows = await db
    .selectFrom('person')
    .select(['id as _id', 'username', 'name'])
    .where('tenant_id', '=', tenant)
    .where('id', 'in', known)
    .execute();
  return new Map(rows.map(({ _id, ...row }) => [_id, { _id, ...row }]));
}
