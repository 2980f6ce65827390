import { expect, test } from 'vitest';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import {
  type TenantDirectory,
  type DirectorySite,
  selectObjects,
} from '#server/engine/embedded/sessions/select-objects.ts';
import { withParents } from '#server/engine/embedded/sources/directory.ts';

const site = (id: string, parent: string | null): DirectorySite => ({
  id,
  name: id,
  address: `https://example.com/${id}`,
  parent,
});
const SITES = [
  site('home', null),
  site('sales', 'home'),
  site('offers', 'sales'),
  site('yard', null),
];

const makeDirectory = (sites = SITES): TenantDirectory & { reads: number } => {
  const directory = {
    reads: 0,
    people: () =>
      Promise.resolve({ ok: true as const, value: [{ id: 'ann', name: 'Ann', address: '' }] }),
    members: () =>
      Promise.resolve({ ok: true as const, value: [{ id: 'ann', name: 'Ann', address: '' }] }),
    sites: () => {
      directory.reads += 1;
      return Promise.resolve({ ok: true as const, value: sites });
    },
    list: async () => ({ ok: true as const, value: [] }),
    groupSite: (group: string) =>
      Promise.resolve({ ok: true as const, value: group === 'crew' ? 'sales' : null }),
  };
  return directory;
};

type Job = Pick<BackupJobRow, 'backupType' | 'selectedItems' | 'excludedItems'>;
type Item = Job['selectedItems'][number];
const chosen = (id: string | null, parts: Item['parts'] = ['sites']): Item => ({
  type: 'Site',
  id,
  parts,
});

async function select(
  selectedItems: readonly Item[],
  excludedItems: readonly Item[] = [],
  directory = makeDirectory(),
  backupType: Job['backupType'] = 'SelectedItems',
): Promise<string[]> {
  const job: Job = {
    backupType,
    selectedItems: [...selectedItems],
    excludedItems: [...excludedItems],
  };
  const found = await selectObjects(job, directory, ['mailbox', 'drive', 'site']);
  if (!found.ok) throw new Error(found.error.message);
  return found.value.map(({ kind, id }) => `${kind} ${id}`).sort();
}

test('ENG-61: all sites, one site, or one with all that are below it', async () => {
  const all = ['site home', 'site offers', 'site sales', 'site yard'];
  expect(await select([chosen(null)])).toEqual(all);
  expect(await select([chosen('home')])).toEqual(['site home']);
  expect(await select([chosen('home', ['sites', 'subsites'])])).toEqual(all.slice(0, 3));
  expect(await select([], [], makeDirectory(), 'EntireOrganization')).toEqual([
    'drive ann',
    'mailbox ann',
    ...all,
  ]);
  expect(await select([chosen('gone')])).toEqual([]);
});

test('ENG-61: the site of a group, and what is excluded', async () => {
  const group: Item = { type: 'Group', id: 'crew', parts: ['sites'] };
  expect(await select([group])).toEqual(['site offers', 'site sales']);
  expect(await select([{ ...group, id: 'board' }])).toEqual([]);
  expect(await select([{ ...group, parts: ['mailbox', 'members'] }])).toEqual(['mailbox ann']);
  expect(await select([chosen(null)], [chosen('sales')])).toEqual([
    'site home',
    'site offers',
    'site yard',
  ]);
  expect(await select([chosen(null)], [chosen('sales', ['sites', 'subsites'])])).toEqual([
    'site home',
    'site yard',
  ]);
});

test('ENG-61: sites are only listed for a job that needs them, and those added later belong to it', async () => {
  const directory = makeDirectory();
  await select([{ type: 'User', id: 'ann', parts: ['mailbox'] }], [], directory);
  expect(directory.reads).toBe(0);
  const more = makeDirectory([...SITES, site('orders', 'sales')]);
  expect(await select([chosen('home', ['sites', 'subsites'])], [], more)).toContain('site orders');
});

const listed = (id: string, address: string) =>
  ({ kind: 'site', id, name: id, address, children: null }) as const;

test('ENG-26: the site above another is found by the collection in its id and its address', () => {
  const root = listed('h,c0,w0', 'https://h.example.com');
  const intranet = listed('h,c1,w1', 'https://h.example.com/sites/intranet');
  const handbook = listed('h,c1,w2', 'https://h.example.com/sites/intranet/handbook');
  const chapter = listed('h,c1,w3', 'https://h.example.com/sites/intranet/handbook/one');
  const other = listed('h,c1,w4', 'https://h.example.com/sites/intranet-old');
  const parents = withParents([chapter, root, other, handbook, intranet]).map(
    ({ id, parent }) => [id, parent] as const,
  );
  expect(new Map(parents)).toEqual(
    new Map([
      [root.id, null],
      [intranet.id, null],
      [handbook.id, intranet.id],
      [chapter.id, handbook.id],
      [other.id, null],
    ]),
  );
});
