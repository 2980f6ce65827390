import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { ServerJobSettings } from '#contract/engine/server-jobs.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { failed, ok } from '../result.ts';
import { vb365Messages as t } from './messages.en.ts';
import type { OpenedServer } from './servers.ts';
import { type RawRow, writeItems, type WrittenItem } from './write-job.ts';

/** A row with all its fields. */
export const RawShape = v.record(v.string(), v.unknown());
/** How many objects of the directory are read at once. */
const BATCH_SIZE = 8;

type Lists = Readonly<Record<'selectedItems' | 'excludedItems', readonly RawRow[]>>;

/** Returns the items of a job for the server, the new ones with the whole objects that they are. */
export async function writeLists(
  opened: OpenedServer,
  settings: ServerJobSettings,
  {
    selected,
    excluded,
  }: { readonly selected: readonly RawRow[]; readonly excluded: readonly RawRow[] },
): Promise<EngineResult<Lists>> {
  const wanted = settings.backupType === 'SelectedItems' ? settings.selectedItems : [];
  const present = settings.backupType === 'SelectedItems' ? selected : [];
  const lists = {
    selectedItems: await resolveItems(opened, writeItems(present, wanted)),
    excludedItems: await resolveItems(opened, writeItems(excluded, settings.excludedItems)),
  };
  for (const field of ['selectedItems', 'excludedItems'] as const)
    if (lists[field] === null) return failed('invalid', t.unknownItem, { field });
  return ok({
    selectedItems: lists.selectedItems ?? [],
    excludedItems: lists.excludedItems ?? [],
  });
}

/** Null: the tenant doesn't have one of them any more. */
async function resolveItems(
  opened: OpenedServer,
  items: readonly WrittenItem[],
): Promise<RawRow[] | null> {
  const rows: RawRow[] = [];
  for (let at = 0; at < items.length; at += BATCH_SIZE) {
    const part = await Promise.all(
      items.slice(at, at + BATCH_SIZE).map((item) => resolveItem(opened, item)),
    );
    for (const row of part) {
      if (row === null) return null;
      rows.push(row);
    }
  }
  return rows;
}

const OBJECTS = {
  User: ['user', '/Users'],
  Group: ['group', '/Groups'],
  Team: ['team', '/Teams'],
  Site: ['site', '/Sites'],
} as const;
/** What a site in a job doesn't have of a site in the directory. */
const NOT_IN_JOBS = new Set(['isAvailable', 'msid', 'dataLocation']);

async function resolveItem(
  { client, key }: OpenedServer,
  written: WrittenItem,
): Promise<RawRow | null> {
  if (written.kind === 'row') return written.row;
  const { item, flags } = written;
  if (item.type === 'PartialOrganization' || item.type === 'PersonalSites')
    return { type: item.type, ...flags };
  if (item.id === null) return null;
  const [field, list] = OBJECTS[item.type];
  const path = `Organizations/${encodeURIComponent(key)}${list}/${encodeURIComponent(item.id)}`;
  try {
    const object = await client.read(path, RawShape);
    const entries = Object.entries(object).filter(
      ([name]) => item.type !== 'Site' || !NOT_IN_JOBS.has(name),
    );
    return { type: item.type, [field]: Object.fromEntries(entries), ...flags };
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'missing') return null;
    throw error;
  }
}
