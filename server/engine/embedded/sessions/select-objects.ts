import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { EngineResult, ObjectKind } from '#contract/engine/engine.ts';
import type { SourceObject } from '../types.ts';

/** A person of the tenant. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly address: string;
}

/** The people of a tenant, as they are now. */
export interface Directory {
  people(): Promise<EngineResult<readonly Person[]>>;
  /** Members of a group, also of groups in it. */
  members(group: string): Promise<EngineResult<readonly Person[]>>;
}

/**
 * Returns what a job backs up now: objects of these kinds of the people that it selects, without
 * those that it excludes. Jobs of an entire organization follow people who join and leave.
 */
export async function selectObjects(
  job: Pick<BackupJobRow, 'backupType' | 'selectedItems' | 'excludedItems'>,
  directory: Directory,
  kinds: readonly ObjectKind[],
): Promise<EngineResult<readonly SourceObject[]>> {
  const everyone = await directory.people();
  if (!everyone.ok) return everyone;
  const people = new Map(everyone.value.map((person) => [person.id, person]));
  const selected = new Map<string, SourceObject>();
  const items = job.backupType === 'EntireOrganization' ? [ENTIRE_ORGANIZATION] : job.selectedItems;
  for (const item of items) {
    const found = await loadObjects(item, people, directory);
    if (!found.ok) return found;
    for (const object of found.value) selected.set(getKey(object), object);
  }
  for (const item of job.excludedItems) {
    const found = await loadObjects(item, people, directory);
    if (!found.ok) return found;
    for (const object of found.value) selected.delete(getKey(object));
  }
  return {
    ok: true,
    value: [...selected.values()].filter(({ kind }) => kinds.includes(kind)),
  };
}

type SelectedItem = BackupJobRow['selectedItems'][number];

const ENTIRE_ORGANIZATION: SelectedItem = {
  type: 'PartialOrganization',
  id: null,
  parts: ['mailbox', 'archiveMailbox', 'oneDrive'],
};
const getKey = ({ kind, id }: SourceObject): string => `${kind} ${id}`;

async function loadObjects(
  { type, id, parts }: SelectedItem,
  people: ReadonlyMap<string, Person>,
  directory: Directory,
): Promise<EngineResult<readonly SourceObject[]>> {
  const kinds = type === 'PersonalSites' ? (['drive'] as const) : getKinds(parts);
  const select = (persons: Iterable<Person>): SourceObject[] =>
    [...persons].flatMap((person) => kinds.map((kind) => ({ kind, ...person })));
  if (id === null) return { ok: true, value: select(people.values()) };
  if (type === 'Group' || type === 'Team') {
    const members = await directory.members(id);
    return members.ok ? { ok: true, value: select(members.value) } : members;
  }
  const person = people.get(id);
  // Someone who has left keeps the backups that there are.
  return { ok: true, value: person === undefined ? [] : select([person]) };
}

function getKinds(parts: SelectedItem['parts']): readonly ObjectKind[] {
  const kinds: ObjectKind[] = [];
  if (parts.includes('mailbox')) kinds.push('mailbox');
  if (parts.includes('archiveMailbox')) kinds.push('archive');
  if (parts.includes('oneDrive') || parts.includes('personalSite')) kinds.push('drive');
  return kinds;
}
