import { sql } from 'kysely';
import type { DirectoryList } from '#contract/engine/directory-list.ts';
import type {
  DirectoryKind,
  DirectoryObject,
  EngineResult,
  EngineScope,
  ListObjectsInput,
  EnginePage,
} from '#contract/engine/engine.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { escapeLike } from '#server/platform/db/like.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { cursorAfter, readCursor } from '../../shared/cursor.ts';
import type { GraphPorts } from '../graph/request.ts';
import { ok } from '../../result.ts';
import type { TenantDirectory, DirectorySite, SelectedPerson } from '../sessions/select-objects.ts';
import { directoryClient, readGroupSite, readMembers } from '../sources/directory.ts';
import type { SourceCall } from '../types.ts';
import { type DirectoryScope, refreshDirectory } from './directory-store.ts';
import { findTeamSites } from './team-sites.ts';

const LISTS: Readonly<Record<DirectoryKind, DirectoryList>> = {
  user: 'users',
  group: 'groups',
  team: 'groups',
  site: 'sites',
};

/**
 * The people and sites of a tenant, for the selection of a job. People are brought up to date once,
 * with the groups: they are found without those too. Sites are listed if the job needs them.
 */
export function makeDirectory(
  context: AppContext,
  ports: GraphPorts,
  scope: DirectoryScope,
  call: SourceCall,
): TenantDirectory {
  let people: Promise<EngineResult<readonly SelectedPerson[]>> | null = null;
  let sites: Promise<EngineResult<readonly DirectorySite[]>> | null = null;
  const readPeople = async (): Promise<EngineResult<readonly SelectedPerson[]>> => {
    const users = await refreshDirectory(context, ports, scope, { list: 'users', call });
    if (!users.ok) return users;
    const groups = await refreshDirectory(context, ports, scope, { list: 'groups', call });
    if (!groups.ok)
      context.log.warn('the groups of an organization could not be listed', {
        tenant: scope.tenant,
        organization: scope.organization,
        error: groups.error.message,
      });
    return ok(
      await context.store.tenant(scope.tenant, (tx) => loadObjects(tx, scope, 'user'), READ),
    );
  };
  const readSites = async (): Promise<EngineResult<readonly DirectorySite[]>> => {
    const read = await refreshDirectory(context, ports, scope, { list: 'sites', call });
    if (!read.ok) return read;
    await findTeamSites(context, ports, scope, call);
    return ok(await context.store.tenant(scope.tenant, (tx) => loadSites(tx, scope), READ));
  };
  const directory: TenantDirectory = {
    people: () => (people ??= readPeople()),
    async members(group) {
      const [members, all] = await Promise.all([
        readMembers(directoryClient(ports, call), group),
        directory.people(),
      ]);
      if (!members.ok) return members;
      const ids = new Set(members.value);
      return all.ok ? ok(all.value.filter(({ id }) => ids.has(id))) : all;
    },
    sites: () => (sites ??= readSites()),
    groupSite: (group) => readGroupSite(directoryClient(ports, call), group),
    async list(kind) {
      const list = LISTS[kind];
      const read = await refreshDirectory(context, ports, scope, { list, call });
      return read.ok
        ? ok(await context.store.tenant(scope.tenant, (tx) => loadObjects(tx, scope, kind), READ))
        : read;
    },
  };
  return directory;
}

const loadObjects = (
  { sql: db, tenant }: TenantTx,
  { organization }: Pick<DirectoryScope, 'organization'>,
  kind: DirectoryKind,
): Promise<readonly SelectedPerson[]> =>
  db
    .selectFrom('directory_object')
    .select(['id', 'name', 'address', ...(kind === 'team' ? (['site_id as parent'] as const) : [])])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('kind', '=', kind)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
const loadSites = (
  { sql: db, tenant }: TenantTx,
  { organization }: Pick<DirectoryScope, 'organization'>,
): Promise<readonly DirectorySite[]> =>
  db
    .selectFrom('directory_object')
    .select(['id', 'name', 'address', 'parent_id as parent'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('kind', '=', 'site')
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();

const READ = { readOnly: true };

/**
 * Lists objects of the directory by name: of sites those below `parent`, or at the top, or all that
 * have the text. The first page brings the list up to date.
 */
export async function listObjects(
  context: AppContext,
  ports: GraphPorts,
  { tenant, organization }: EngineScope,
  { kind, text, parent, cursor, limit }: ListObjectsInput,
): Promise<EngineResult<EnginePage<DirectoryObject>>> {
  const after = readCursor(cursor);
  if (!after.ok) return after;
  if (cursor === null) {
    const call: SourceCall = { signal: AbortSignal.timeout(READ_MS), onWaiting: () => undefined };
    const list = LISTS[kind];
    const read = await refreshDirectory(context, ports, { tenant, organization }, { list, call });
    if (!read.ok) return read;
  }
  const pattern = `%${escapeLike((text ?? '').toLowerCase())}%`;
  const { rows } = await context.store.tenant(
    tenant,
    ({ sql: db }) =>
      sql<
        SelectedPerson & { readonly key: string; readonly all: number; readonly children: number }
      >`
        select id, name, address, lower(name) as key, count(*) over () as "all",
          (select count(*) from directory_object as below where below.tenant_id = ${tenant} and below.organization_id = ${organization}
            and below.parent_id = o.id and below.deleted_at is null) as children
        from directory_object as o
        where tenant_id = ${tenant} and organization_id = ${organization} and kind = ${kind}
          and deleted_at is null
          and ${parent !== null ? sql`parent_id = ${parent}` : text === null ? sql`parent_id is null` : sql`true`}
          and (lower(name) like ${pattern} or lower(address) like ${pattern})
          and (${after.value?.key ?? null}::text is null or (lower(name), id) > (${after.value?.key ?? null}::text, ${after.value?.n ?? null}::text))
        order by lower(name), id limit ${limit + 1}`.execute(db),
    { readOnly: true },
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return ok({
    rows: page.map(({ id, name, address, children }) => ({
      kind,
      id,
      name,
      address,
      children: kind === 'site' ? children : null,
    })),
    next: rows.length > limit && last ? cursorAfter({ key: last.key, n: last.id }) : null,
    count: cursor === null ? (rows[0]?.all ?? 0) : null,
  });
}
const READ_MS = 25_000;
