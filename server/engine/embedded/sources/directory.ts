import * as v from 'valibot';
import type { DirectoryList } from '#contract/engine/directory-list.ts';
import type { DirectoryObject, EngineResult, Reply } from '#contract/engine/engine.ts';
import { failed, nothing } from '../../result.ts';
import { findMissing } from '../entra/permissions.ts';
import { graphClient } from '../graph/client.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphPorts, GraphResult } from '../graph/request.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import type { SourceCall } from '../types.ts';
import { latestRows, readDelta } from './delta.ts';

/** `licensed`: whether a user has a Microsoft 365 license. */
export type ListedObject = DirectoryObject & {
  readonly licensed?: boolean;
  /** Of a site: the id of the site above it. */
  readonly parent?: string | null;
};

/** Like a `ChangePage`: after `restart`, what is not named until the end is gone. */
export interface DirectoryPage {
  readonly restart: boolean;
  readonly objects: readonly ListedObject[];
  /** Ids of users or groups that were removed. */
  readonly removed: readonly string[];
  /** Null: the list has no changes, only a complete listing. */
  readonly cursor: string | null;
  readonly isComplete: boolean;
}

/** Requests about the directory share one limit. */
export const directoryClient = (ports: GraphPorts, call: SourceCall): GraphClient =>
  graphClient(ports, {
    lane: { service: 'directory', object: 'directory' },
    signal: call.signal,
    onWaiting: (waiting) => {
      call.onWaiting(waiting);
    },
  });

const HEADERS = { prefer: 'odata.maxpagesize=999' };

/** Lists what changed in the directory since the cursor, page by page. */
export async function* readDirectory(
  client: GraphClient,
  list: DirectoryList,
  cursor: string | undefined,
): AsyncGenerator<EngineResult<DirectoryPage>, void> {
  if (list === 'sites') return yield* readSites(client);
  const start =
    list === 'users'
      ? '/users/delta?$select=id,displayName,mail,userPrincipalName,assignedLicenses'
      : '/groups/delta?$select=id,displayName,mail,resourceProvisioningOptions';
  const query = { start, cursor, row: Entry, headers: HEADERS, restartsAtStart: true };
  for await (const page of readDelta(client, query)) {
    if (!page.ok) return yield page;
    const rows = latestRows(page.value.rows);
    const present = rows.filter((row) => !row['@removed']);
    const { restart, isComplete } = page.value;
    yield {
      ok: true,
      value: {
        restart,
        objects: present.flatMap(list === 'users' ? getUser : getGroup),
        removed: rows.filter((row) => row['@removed']).map(({ id }) => id),
        cursor: page.value.cursor,
        isComplete,
      },
    };
  }
}

/** Also sites that a search doesn't find: new ones, and those that are left out of its index. */
const ALL_SITES = '/sites/getAllSites';
/** Also the sites below others. */
const FOUND_SITES = '/sites?search=*';
/** An application without the permission to list all sites, or a cloud that doesn't offer it. */
const NOT_OFFERED = new Set(['forbidden', 'missing', 'unsupported', 'invalid']);

async function* readSites(client: GraphClient): AsyncGenerator<EngineResult<DirectoryPage>, void> {
  const seen = new Set<string>();
  let restart = true;
  for (const list of [ALL_SITES, FOUND_SITES]) {
    let link: string | null = list;
    while (link !== null) {
      const page: GraphResult<GraphPage<Site>> = await client.page(link, Site, {
        headers: HEADERS,
      });
      if (!page.ok && link === ALL_SITES && NOT_OFFERED.has(page.error.kind)) break;
      if (!page.ok) return yield { ok: false, error: page.error };
      const rows = page.value.rows.filter((row) => !isPersonal(row) && !seen.has(row.id));
      for (const { id } of rows) seen.add(id);
      link = page.value.next;
      yield {
        ok: true,
        value: {
          restart,
          objects: rows.map(getSite),
          removed: [],
          cursor: null,
          isComplete: link === null && list === FOUND_SITES,
        },
      };
      restart = false;
    }
  }
}

const getSite = (row: Site): ListedObject => ({
  kind: 'site',
  id: row.id,
  name: row.displayName ?? row.name ?? '',
  address: row.webUrl ?? '',
  children: null,
});

/** The sites of people are their OneDrives. */
const isPersonal = ({ isPersonalSite, webUrl }: Site): boolean =>
  isPersonalSite === true || /^https:\/\/[^/]+-my\./.test(webUrl ?? '');

/**
 * Returns the sites with those above them. Sites of a collection share the second part of their id
 * (learn.microsoft.com/graph/api/resources/site), and the address of a subsite begins with that of
 * the site above it.
 */
export function withParents(sites: readonly ListedObject[]): ListedObject[] {
  const collections = Map.groupBy(sites, ({ id }) => id.split(',')[1] ?? id);
  return sites.map((site) => {
    const above = (collections.get(site.id.split(',')[1] ?? site.id) ?? []).filter(
      ({ address }) => address !== site.address && site.address.startsWith(`${address}/`),
    );
    const parent = above.sort((a, b) => b.address.length - a.address.length)[0];
    return { ...site, parent: parent?.id ?? null };
  });
}

/** Returns the id of the site of a group; null if it has none. */
export async function readGroupSite(client: GraphClient, group: string): Reply<string | null> {
  const site = await client.get(
    `/groups/${encodeURIComponent(group)}/sites/root?$select=id`,
    v.object({ id: v.string() }),
  );
  if (site.ok) return { ok: true, value: site.value.id };
  return site.error.kind === 'missing' ? nothing : { ok: false, error: site.error };
}

/** Without it, Graph lists no members of groups with hidden membership, and gives no error. */
const READ_HIDDEN = 'Member.Read.Hidden';

/**
 * Returns the ids of the people in a group and in all groups within it. The list isn't asked for
 * people only: that is answered from an index that may lack the latest members, and roles rely on
 * this (learn.microsoft.com/graph/api/group-list-transitivemembers). Error `forbidden`: the members
 * of one of the groups are hidden from the application.
 */
export async function readMembers(client: GraphClient, group: string): Reply<readonly string[]> {
  const members = new Set<string>();
  const groups = [group];
  let link: string | null =
    `/groups/${encodeURIComponent(group)}/transitiveMembers?$select=id&$top=999`;
  while (link !== null) {
    const page: GraphResult<GraphPage<Member>> = await client.page(link, Member);
    if (!page.ok) return { ok: false, error: page.error };
    for (const member of page.value.rows)
      if (member['@odata.type'] === '#microsoft.graph.user') members.add(member.id);
      else if (member['@odata.type'] === '#microsoft.graph.group') groups.push(member.id);
    link = page.value.next;
  }
  const hidden = await findHidden(client, groups);
  if (!hidden.ok) return hidden;
  return hidden.value === null
    ? { ok: true, value: [...members] }
    : failed('forbidden', t.hiddenMembers({ group: hidden.value, permission: READ_HIDDEN }));
}

/** Returns the name of a group whose members the application isn't shown; null: there is none. */
async function findHidden(client: GraphClient, groups: readonly string[]): Reply<string | null> {
  const { ports, scope } = client;
  const missing = await findMissing(ports.tokens, [READ_HIDDEN], scope.signal);
  if (!missing.ok || missing.value.length === 0) return missing.ok ? nothing : missing;
  for (const id of groups) {
    const path = `/groups/${encodeURIComponent(id)}?$select=id,displayName,visibility`;
    const group = await client.get(path, Visible);
    // A group that was deleted meanwhile has no members.
    if (!group.ok && group.error.kind !== 'missing') return { ok: false, error: group.error };
    if (group.ok && group.value.visibility?.toLowerCase() === 'hiddenmembership')
      return { ok: true, value: group.value.displayName ?? id };
  }
  return nothing;
}

const text = v.fallback(v.nullish(v.string()), undefined);
const Entry = v.object({
  'id': v.string(),
  '@removed': v.optional(v.object({})),
  'displayName': text,
  'mail': text,
  'userPrincipalName': text,
  'resourceProvisioningOptions': v.fallback(v.nullish(v.array(v.string())), undefined),
  'assignedLicenses': v.fallback(v.nullish(v.array(v.unknown())), undefined),
});
type Entry = v.InferOutput<typeof Entry>;
const Member = v.object({ 'id': v.string(), '@odata.type': text });
type Member = v.InferOutput<typeof Member>;
const Visible = v.object({ displayName: text, visibility: text });
const Site = v.object({
  id: v.string(),
  name: text,
  displayName: text,
  webUrl: text,
  isPersonalSite: v.fallback(v.nullish(v.boolean()), undefined),
});
type Site = v.InferOutput<typeof Site>;

const getUser = (row: Entry): ListedObject[] => [
  {
    kind: 'user',
    id: row.id,
    name: row.displayName ?? '',
    address: row.mail ?? row.userPrincipalName ?? '',
    children: null,
    ...(row.assignedLicenses && { licensed: row.assignedLicenses.length > 0 }),
  },
];

function getGroup(row: Entry): ListedObject[] {
  const { id } = row;
  const group = { id, name: row.displayName ?? '', address: row.mail ?? '', children: null };
  const isTeam = row.resourceProvisioningOptions?.includes('Team') === true;
  return [{ kind: 'group', ...group }, ...(isTeam ? [{ kind: 'team' as const, ...group }] : [])];
}
