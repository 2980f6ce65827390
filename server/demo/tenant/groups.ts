import type { Ms } from '#contract/ids.ts';
import { makeRng, getUuid } from '../random.ts';
import { deltaPage } from './delta.ts';
import { type DriveRow, findDrive } from './drive-store.ts';
import { GraphError, itemNotFound, resourceNotFound } from './graph-error.ts';
import type { GraphApp, GraphContext } from './graph-env.ts';
import { isoTime } from './ids.ts';
import { type ListRow, createLibrary } from './list-store.ts';
import { type GraphEntity, graphUrl, pageEntities, selectProperties, readQuery } from './odata.ts';
import { type Person, USER_DEFAULTS, findPerson, userEntity } from './people.ts';
import { checkPermission, hasPermission } from './permissions.ts';
import type { Tenant } from './store.ts';
import { listTeamMembers, readSettings } from './team-settings.ts';

const SITES = 'demo.sharepoint.com';
/** The age at which searches find a site. */
const INDEXED_MS: Ms = 15 * 60_000;

export interface GroupRow {
  readonly n: number;
  readonly id: string;
  readonly name: string;
  readonly nickname: string;
  readonly kind: 'team' | 'unified' | 'security';
  readonly created_at: Ms;
  readonly removed: number;
  readonly seq: number;
}
export interface SiteRow {
  readonly n: number;
  readonly id: string;
  readonly parent_id: string | null;
  readonly team_id: string | null;
  readonly name: string;
  readonly path: string;
  readonly created_at: Ms;
}

const WORDS = [
  'Projects',
  'Sales',
  'Workshop',
  'Everyone',
  'Finance',
  'Safety',
  'Customers',
  'Yard',
  'Planning',
  'Board',
] as const;
const KINDS = ['team', 'unified', 'team', 'security'] as const;

/** Adds groups with members, a site for each group that has one, and sites of their own. */
export function seedGroups(tenant: Tenant, people: readonly Person[], total: number): void {
  const { store } = tenant;
  const at = tenant.now() - 600 * 86_400_000;
  insertSite(tenant, { name: tenant.name, path: '', parentId: null, groupId: null, at });
  for (let n = 1; n <= total; n += 1) {
    const random = makeRng(tenant.seed, 'group', n);
    const word = WORDS[(n - 1) % WORDS.length] ?? 'Group';
    const name = n <= WORDS.length ? word : `${word} ${n}`;
    const nickname = name.toLowerCase().replaceAll(' ', '-');
    const kind = KINDS[(n - 1) % KINDS.length] ?? 'team';
    const id = getUuid(tenant.seed, 'group', n);
    store.insert('team', { n, id, name, nickname, kind, created_at: at, seq: store.nextSeq() });
    // Security groups can have others as members: each second one is in the one before it.
    if (kind === 'security' && n % (KINDS.length * 2) === 0)
      nestGroup(tenant, getUuid(tenant.seed, 'group', n - KINDS.length), id);
    for (const person of people)
      if (random() < 0.5) store.insert('member', { team_id: id, person_id: person.id });
    if (kind !== 'security')
      insertSite(tenant, { name, path: nickname, parentId: null, groupId: id, at });
  }
  const intranet = insertSite(tenant, {
    name: 'Intranet',
    path: 'intranet',
    parentId: null,
    groupId: null,
    at,
  });
  insertSite(tenant, {
    name: 'Handbook',
    path: 'intranet/handbook',
    parentId: intranet,
    groupId: null,
    at,
  });
}

/** Makes a group a member of another one. */
export function nestGroup({ store }: Tenant, group: string, member: string): void {
  store.insert('nested_group', { team_id: group, member_id: member });
}

/** The groups in a group; `isDeep`: also those in them, each once, also where they form a circle. */
const listNested = ({ store }: Tenant, group: string, isDeep: boolean): readonly GroupRow[] =>
  store.all<GroupRow>(
    `with recursive within(id) as (
      select member_id from nested_group where team_id = ?
      union select n.member_id from nested_group as n join within as w on n.team_id = w.id where ${isDeep ? 'true' : 'false'}
    )
    select * from team where removed = 0 and id in (select id from within) order by n`,
    group,
  );

/** The people and groups in a group, with those of the groups in it if it `isDeep`. */
function listMembers(
  tenant: Tenant,
  group: string,
  isDeep: boolean,
  seesHidden: boolean,
): GraphEntity[] {
  const isHidden = (id: string): boolean =>
    !seesHidden && readSettings(tenant, id).visibility === 'HiddenMembership';
  if (isHidden(group)) return [];
  const nested = listNested(tenant, group, isDeep);
  const groups = [group, ...(isDeep ? nested.map(({ id }) => id) : [])].filter(
    (id) => !isHidden(id),
  );
  const people = tenant.store
    .all<{ person_id: string }>(
      'select distinct person_id from member where team_id in (select value from json_each(?)) order by person_id',
      JSON.stringify(groups),
    )
    .flatMap(({ person_id }) => findPerson(tenant, person_id) ?? []);
  return [
    ...people.map((person): GraphEntity => ({
      '@odata.type': '#microsoft.graph.user',
      ...userEntity(person),
    })),
    ...nested.map((row): GraphEntity => ({
      '@odata.type': '#microsoft.graph.group',
      ...groupEntity(tenant, row),
    })),
  ];
}

/** Adds a site and returns its id. */
export function insertSite(
  tenant: Tenant,
  site: {
    readonly name: string;
    readonly path: string;
    readonly parentId: string | null;
    readonly groupId: string | null;
    readonly at: Ms;
  },
): string {
  const { store, seed } = tenant;
  const n = store.nextN('site');
  // A subsite belongs to the collection of the site above it.
  const collection = site.parentId?.split(',')[1] ?? getUuid(seed, 'site', n);
  const id = `${SITES},${collection},${getUuid(seed, 'web', n)}`;
  store.insert('site', {
    n,
    id,
    parent_id: site.parentId,
    team_id: site.groupId,
    name: site.name,
    path: site.path,
    created_at: site.at,
  });
  return id;
}

/** Groups, teams among them, and sites. */
export function addGroupRoutes(app: GraphApp, tenant: Tenant): void {
  const { store } = tenant;
  app.get('/groups', (c) => {
    checkPermission(c.get('caller'), 'readGroups');
    const rows = store.all<GroupRow>('select * from team where removed = 0 order by n');
    return c.json(
      pageEntities(
        tenant,
        c.req.raw,
        rows.map((row) => groupEntity(tenant, row)),
        { type: 'group', normal: 100, max: 999, advanced: true },
      ),
    );
  });
  app.get('/groups/delta', (c) => {
    checkPermission(c.get('caller'), 'readGroups');
    return c.json(groupDelta(tenant, c.req.raw));
  });
  app.get('/groups/:group', (c) => {
    checkPermission(c.get('caller'), 'readGroups');
    const { select } = readQuery(new URL(c.req.url));
    return c.json(
      selectProperties(
        groupEntity(tenant, findGroup(tenant, c.req.param('group'))),
        select,
        'group',
      ),
    );
  });
  /** Members of a hidden group are left out, without an error. */
  const readMembers = (c: GraphContext, id: string, isDeep: boolean): GraphEntity[] =>
    listMembers(tenant, id, isDeep, hasPermission(c.get('caller'), 'readHiddenMembers'));
  for (const list of ['members', 'transitiveMembers'] as const)
    app.get(`/groups/:group/${list}`, (c) => {
      checkPermission(c.get('caller'), 'readGroups');
      const { id } = findGroup(tenant, c.req.param('group') ?? '');
      return c.json(
        pageEntities(tenant, c.req.raw, readMembers(c, id, list === 'transitiveMembers'), {
          type: 'directoryObject',
          normal: 100,
          max: 999,
          always: USER_DEFAULTS,
        }),
      );
    });
  app.get('/groups/:group/owners', (c) => {
    checkPermission(c.get('caller'), 'readGroups');
    const { id } = findGroup(tenant, c.req.param('group'));
    const rows = listTeamMembers(tenant, id).flatMap(({ personId, isOwner }) => {
      const person = isOwner ? findPerson(tenant, personId) : null;
      return person ? [{ '@odata.type': '#microsoft.graph.user', ...userEntity(person) }] : [];
    });
    return c.json(
      pageEntities(tenant, c.req.raw, rows, {
        type: 'directoryObject',
        normal: 100,
        max: 999,
        always: USER_DEFAULTS,
      }),
    );
  });
  app.get('/groups/:group/sites/root', (c) => {
    checkPermission(c.get('caller'), 'readSites');
    return c.json(siteEntity(siteOfGroup(tenant, findGroup(tenant, c.req.param('group')).id)));
  });

  const sites = (request: Request, rows: readonly SiteRow[]): GraphEntity =>
    pageEntities(tenant, request, rows.map(siteEntity), { type: 'site', normal: 200, max: 999 });
  app.get('/sites', (c) => {
    checkPermission(c.get('caller'), 'readSites');
    if (readQuery(new URL(c.req.url)).search === null)
      throw new GraphError(400, 'invalidRequest', 'Sites are listed with search=*.');
    // A search finds a site when its index has it.
    const rows = store.all<SiteRow>(
      'select * from site where created_at <= ? order by n',
      tenant.now() - INDEXED_MS,
    );
    return c.json(sites(c.req.raw, rows));
  });
  app.get('/sites/getAllSites', (c) => {
    checkPermission(c.get('caller'), 'readSites');
    return c.json(sites(c.req.raw, store.all<SiteRow>('select * from site order by n')));
  });
  app.get('/sites/:site/sites', (c) => {
    checkPermission(c.get('caller'), 'readSites');
    const { id } = findSite(tenant, c.req.param('site'));
    return c.json(
      sites(c.req.raw, store.all<SiteRow>('select * from site where parent_id = ? order by n', id)),
    );
  });
  app.get('/sites/:host{[^/]+:}/:path{.+}', (c) => {
    checkPermission(c.get('caller'), 'readSites');
    return c.json(siteEntity(findSiteByPath(tenant, c.req.param('host'), c.req.param('path'))));
  });
  app.get('/sites/:site', (c) => {
    checkPermission(c.get('caller'), 'readSites');
    const { select } = readQuery(new URL(c.req.url));
    return c.json(
      selectProperties(siteEntity(findSite(tenant, c.req.param('site'))), select, 'site'),
    );
  });
}

/** @throws GraphError 404 */
export function findGroup({ store }: Tenant, id: string): GroupRow {
  const row = store.get<GroupRow>('select * from team where id = ? and removed = 0', id);
  if (!row) throw resourceNotFound(id);
  return row;
}

export const listSites = ({ store }: Tenant): SiteRow[] =>
  store.all<SiteRow>('select * from site order by n');

/** @throws GraphError 404 */
function findSiteByPath(tenant: Tenant, host: string, path: string): SiteRow {
  const site = listSites(tenant).find(
    (one) => getUrl(one).toLowerCase() === `https://${host.slice(0, -1)}/${path}`.toLowerCase(),
  );
  if (!site) throw itemNotFound();
  return site;
}

/** @throws GraphError 404 */
export function findSite({ store }: Tenant, key: string): SiteRow {
  const path = key === 'root' ? '' : null;
  const row = store.get<SiteRow>('select * from site where id = ? or path = ?', key, path);
  if (!row) throw itemNotFound();
  return row;
}

function siteOfGroup({ store }: Tenant, groupId: string): SiteRow {
  const row = store.get<SiteRow>('select * from site where team_id = ?', groupId);
  if (!row) throw itemNotFound();
  return row;
}

/** Returns the libraries of a site, or of a group's site: the first one is always there. */
export function findSiteDrives(tenant: Tenant, key: string): DriveRow[] {
  const row = tenant.store.get<SiteRow>(
    'select * from site where id = ?1 or team_id = ?1 or (path = ?2 and ?1 = ?3)',
    key,
    '',
    'root',
  );
  return row ? siteDrives(tenant, row) : [];
}

export function siteDrives(tenant: Tenant, site: SiteRow): DriveRow[] {
  const lists = tenant.store.all<ListRow>(
    'select * from list where site_id = ? and drive_id is not null order by n',
    site.id,
  );
  if (lists.length === 0)
    return [createLibrary(tenant, { id: site.id, url: getUrl(site) }, site.created_at).drive];
  return lists.flatMap(({ drive_id, removed }) =>
    removed === 1 ? [] : (findDrive(tenant, drive_id ?? '') ?? []),
  );
}

export const getUrl = ({ path }: SiteRow): string =>
  `https://${SITES}${path === '' ? '' : `/sites/${path}`}`;

function siteEntity(site: SiteRow): GraphEntity {
  return {
    id: site.id,
    createdDateTime: isoTime(site.created_at),
    description: null,
    displayName: site.name,
    lastModifiedDateTime: isoTime(site.created_at),
    name: site.path.split('/').at(-1) ?? '',
    webUrl: getUrl(site),
    isPersonalSite: false,
    ...(site.parent_id === null ? { root: {}, siteCollection: { hostname: SITES } } : {}),
  };
}

/** `deletedAt`: of a group that can still be restored. */
export function groupEntity(
  tenant: Tenant,
  group: GroupRow,
  deletedAt: Ms | null = null,
): GraphEntity {
  const isUnified = group.kind !== 'security';
  const { description, visibility } = readSettings(tenant, group.id);
  const mail = `${group.nickname}@${tenant.domain}`;
  return {
    id: group.id,
    deletedDateTime: deletedAt === null ? null : isoTime(deletedAt),
    classification: null,
    createdDateTime: isoTime(group.created_at),
    description,
    displayName: group.name,
    expirationDateTime: null,
    groupTypes: isUnified ? ['Unified'] : [],
    isAssignableToRole: null,
    mail: isUnified ? mail : null,
    mailEnabled: isUnified,
    mailNickname: group.nickname,
    membershipRule: null,
    onPremisesSyncEnabled: null,
    preferredLanguage: null,
    proxyAddresses: isUnified ? [`SMTP:${mail}`] : [],
    renewedDateTime: isoTime(group.created_at),
    resourceBehaviorOptions: [],
    resourceProvisioningOptions: group.kind === 'team' ? ['Team'] : [],
    securityEnabled: !isUnified,
    visibility: isUnified ? visibility : null,
  };
}

function groupDelta(tenant: Tenant, request: Request): GraphEntity {
  return deltaPage(tenant, request, {
    scope: 'groups',
    kind: 'directory',
    type: 'group',
    normalPage: 200,
    maxPage: 999,
    tokens: { next: '$skiptoken', done: '$deltatoken' },
    gone: () =>
      new GraphError(410, 'syncStateNotFound', 'The sync state is not found.', {
        location: `${graphUrl(tenant)}/groups/delta?$deltatoken=`,
      }),
    changes: (state, limit) =>
      tenant.store
        .all<GroupRow>(
          'select * from team where seq > ? and seq <= ? and removed <= ? order by seq limit ?',
          state.at,
          state.until,
          state.since === 0 ? 0 : 1,
          limit,
        )
        .map((row) => ({
          seq: row.seq,
          entity:
            row.removed === 1
              ? { 'id': row.id, '@removed': { reason: 'changed' } }
              : selectProperties(groupEntity(tenant, row), state.select, 'group'),
        })),
  });
}
