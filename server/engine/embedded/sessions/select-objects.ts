import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { EngineResult, ObjectKind } from '#contract/engine/engine.ts';
import type { SourceObject } from '../types.ts';

/** A person of the tenant. */
export interface SelectedPerson {
  readonly id: string;
  readonly name: string;
  readonly address: string;
}
/** A site of the tenant. `parent`: the site above it. */
export interface DirectorySite extends SelectedPerson {
  readonly parent: string | null;
}

/** The people and sites of a tenant, as they are now. */
export interface TenantDirectory {
  people(): Promise<EngineResult<readonly SelectedPerson[]>>;
  /** Members of a group, also of groups in it. */
  members(group: string): Promise<EngineResult<readonly SelectedPerson[]>>;
  sites(): Promise<EngineResult<readonly DirectorySite[]>>;
  /** The id of a group's site; null if it has none. */
  groupSite(group: string): Promise<EngineResult<string | null>>;
  /** Teams of the tenant. `parent`: the site of the team, if it is known. */
  list(kind: 'team'): Promise<EngineResult<readonly (SelectedPerson | DirectorySite)[]>>;
}

/**
 * Returns what a job backs up now: objects of these kinds of the people, sites and teams that it selects,
 * without those that it excludes. Jobs of an entire organization follow people who join and leave,
 * and sites that are added.
 */
export async function selectObjects(
  job: Pick<BackupJobRow, 'backupType' | 'selectedItems' | 'excludedItems'>,
  directory: TenantDirectory,
  kinds: readonly ObjectKind[],
): Promise<EngineResult<readonly SourceObject[]>> {
  const everyone = await directory.people();
  if (!everyone.ok) return everyone;
  const people = new Map(everyone.value.map((person) => [person.id, person]));
  const selected = new Map<string, SourceObject>();
  const items = job.backupType === 'EntireOrganization' ? [ENTIRE_ORGANIZATION] : job.selectedItems;
  const context: Context = { people, directory, kinds };
  for (const item of items) {
    const found = await loadObjects(item, context);
    if (!found.ok) return found;
    for (const object of found.value) selected.set(getKey(object), object);
  }
  for (const item of job.excludedItems) {
    const found = await loadObjects(item, context);
    if (!found.ok) return found;
    for (const object of found.value) selected.delete(getKey(object));
  }
  return {
    ok: true,
    value: [...selected.values()].filter(({ kind }) => kinds.includes(kind)),
  };
}

type SelectedItem = BackupJobRow['selectedItems'][number];
interface Context {
  readonly people: ReadonlyMap<string, SelectedPerson>;
  readonly directory: TenantDirectory;
  readonly kinds: readonly ObjectKind[];
}
type Found = Promise<EngineResult<readonly SourceObject[]>>;

const ENTIRE_ORGANIZATION: SelectedItem = {
  type: 'PartialOrganization',
  id: null,
  parts: ['mailbox', 'archiveMailbox', 'oneDrive', 'sites', 'teams'],
};
const getKey = ({ kind, id }: SourceObject): string => `${kind} ${id}`;

/** What each part of the engine finds of an item; all of it together is what a job selects. */
const FINDERS: readonly ((item: SelectedItem, context: Context) => Found)[] = [
  findOfPeople,
  findSites,
  findTeams,
];

async function loadObjects(item: SelectedItem, context: Context): Found {
  const objects: SourceObject[] = [];
  for (const find of FINDERS) {
    const found = await find(item, context);
    if (!found.ok) return found;
    objects.push(...found.value);
  }
  return { ok: true, value: objects };
}

async function findOfPeople(
  { type, id, parts }: SelectedItem,
  { people, directory }: Context,
): Found {
  if (type === 'Site' || type === 'Team') return NONE;
  const kinds = type === 'PersonalSites' ? (['drive'] as const) : getKinds(parts);
  const select = (persons: Iterable<SelectedPerson>): SourceObject[] =>
    [...persons].flatMap((person) => kinds.map((kind) => ({ kind, ...person })));
  if (id === null) return { ok: true, value: select(people.values()) };
  if (type === 'Group') {
    if (!parts.includes('members')) return NONE;
    const members = await directory.members(id);
    return members.ok ? { ok: true, value: select(members.value) } : members;
  }
  const person = people.get(id);
  // Someone who has left keeps the backups that there are.
  return { ok: true, value: person === undefined ? [] : select([person]) };
}

const NONE: EngineResult<readonly SourceObject[]> = { ok: true, value: [] };

/** All teams of the tenant, a team, or the team of a group. */
async function findTeams({ type, id, parts }: SelectedItem, { directory, kinds }: Context): Found {
  const isChosen =
    (type === 'Team' || type === 'Group' || type === 'PartialOrganization') &&
    parts.includes('teams');
  if (!isChosen || !kinds.includes('team')) return NONE;
  const teams = await directory.list('team');
  if (!teams.ok) return teams;
  return {
    ok: true,
    value: teams.value
      .filter((team) => id === null || team.id === id)
      .map((team) => ({ kind: 'team', ...team })),
  };
}

function getKinds(parts: SelectedItem['parts']): readonly ObjectKind[] {
  const kinds: ObjectKind[] = [];
  if (parts.includes('mailbox')) kinds.push('mailbox');
  if (parts.includes('archiveMailbox')) kinds.push('archive');
  if (parts.includes('oneDrive')) kinds.push('drive');
  return kinds;
}

/** Sites: all of them, a single one, or that of a group, with the sites below it if it says so. */
async function findSites({ type, id, parts }: SelectedItem, { directory, kinds }: Context): Found {
  const isAll = id === null && (type === 'Site' || parts.includes('sites'));
  const isOfGroup = (type === 'Group' || type === 'Team') && parts.includes('sites');
  const isChosen = isAll || type === 'Site' || isOfGroup;
  if (!isChosen || type === 'PersonalSites' || !kinds.includes('site')) return NONE;
  const all = await directory.sites();
  if (!all.ok) return all;
  if (id === null) return { ok: true, value: toObjects(all.value) };
  const top = isOfGroup ? await directory.groupSite(id) : ({ ok: true, value: id } as const);
  if (!top.ok) return top;
  const found = all.value.filter((site) => site.id === top.value);
  const withBelow = isOfGroup || parts.includes('subsites');
  return { ok: true, value: toObjects(withBelow ? addBelow(found, all.value) : found) };
}

const toObjects = (sites: readonly DirectorySite[]): readonly SourceObject[] =>
  sites.map((site) => ({ kind: 'site', ...site }));

/** Returns sites with all that are below them. */
function addBelow(
  sites: readonly DirectorySite[],
  all: readonly DirectorySite[],
): readonly DirectorySite[] {
  const below = Map.groupBy(all, ({ parent }) => parent);
  const found = new Map(sites.map((site) => [site.id, site]));
  // A map is read in the order in which it grows.
  for (const id of found.keys()) for (const site of below.get(id) ?? []) found.set(site.id, site);
  return [...found.values()];
}
