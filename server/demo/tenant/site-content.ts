import type { Ms } from '#contract/ids.ts';
import { type Rng, makeRng, pickOne, upTo } from '../random.ts';
import {
  type ItemRow,
  changeContent,
  deleteItem,
  editContent,
  findItem,
  insertItem,
} from './drive-store.ts';
import { type SiteRow, getUrl, listSites, siteDrives } from './groups.ts';
import {
  type ListColumn,
  type ListFields,
  type ListRow,
  changeRow,
  createLibrary,
  createList,
  deleteRow,
  insertRow,
  listColumns,
  listLists,
  listRows,
} from './list-store.ts';
import { type Person, listPeople } from './people.ts';
import { type TenantSize, makeFile } from './seed.ts';
import type { Tenant } from './store.ts';

const column = (
  name: string,
  type: ListColumn['type'],
  facet: ListColumn['facet'] = {},
  displayName = name,
): ListColumn => ({ name, displayName, type, facet, required: false, readOnly: false });

const STATUS = ['Open', 'In progress', 'Done'] as const;
const TASKS: readonly ListColumn[] = [
  column('Status', 'choice', {
    allowTextEntry: false,
    choices: [...STATUS],
    displayAs: 'dropDownMenu',
  }),
  column('DueDate', 'dateTime', { displayAs: 'default', format: 'dateOnly' }, 'Due date'),
  column('Hours', 'number', { decimalPlaces: 'automatic', displayAs: 'number' }),
];
const SUPPLIERS: readonly ListColumn[] = [
  column('City', 'text', { allowMultipleLines: false, maxLength: 255 }),
  column('Phone', 'text', { allowMultipleLines: false, maxLength: 255 }),
  column('Approved', 'boolean'),
];
const FOLDERS = ['Meetings', 'Contracts', 'Photos'] as const;
const WORK = ['Check', 'Order', 'Repair', 'Measure', 'Paint', 'Deliver'] as const;
const THINGS = ['winch', 'quay wall', 'crane', 'office door', 'pump', 'buoys'] as const;
const NAMES = ['Brightwater', 'Lighthouse', 'Northwind', 'Old Harbor', 'Seagull'] as const;
const KINDS = ['Paints', 'Ropes', 'Steel', 'Timber'] as const;
const CITIES = ['Bergen', 'Cork', 'Gdańsk', 'Porto', 'Rotterdam'] as const;

const DATE_MS: Ms = 86_400_000;
const SEEDED = 'sites_filled';

/** Gives each site libraries with files, and lists with rows, once. */
export function fillSites(tenant: Tenant, size: TenantSize): void {
  const { store } = tenant;
  if (store.readMeta(SEEDED) !== null) return;
  store.transaction(() => {
    store.writeMeta(SEEDED, '1');
    const people = listPeople(tenant).filter(({ hasContent }) => hasContent);
    for (const site of listSites(tenant)) fillSite(tenant, site, people, size);
  });
}

function fillSite(
  tenant: Tenant,
  site: SiteRow,
  people: readonly Person[],
  size: TenantSize,
): void {
  const random = makeRng(tenant.seed, 'fill-site', site.n);
  const [first] = people;
  if (!first) return;
  const author = (): Person => people[upTo(random, people.length)] ?? first;
  const at = site.created_at;
  const drives = siteDrives(tenant, site);
  if (site.team_id === null)
    drives.push(createLibrary(tenant, { id: site.id, url: getUrl(site) }, at, 'Drawings').drive);
  for (const drive of drives) {
    const root = findItem(tenant, drive.id, 'root').id;
    const folders = [root];
    for (const name of FOLDERS)
      folders.push(
        insertItem(tenant, {
          driveId: drive.id,
          parentId: name === 'Photos' ? (folders.at(-1) ?? root) : root,
          name,
          author: author().id,
          at,
          content: null,
        }).id,
      );
    const files = 3 + upTo(random, Math.max(1, Math.min(10, size.maxFiles - 2)));
    for (let serial = 0; serial < files; serial += 1)
      makeFile(tenant, author(), {
        driveId: drive.id,
        parentId: folders[upTo(random, folders.length)] ?? root,
        random,
        serial,
        maxBytes: size.maxFileBytes,
        at: at + serial * DATE_MS,
      });
  }
  for (const [name, columns] of [
    ['Tasks', TASKS],
    ['Suppliers', SUPPLIERS],
  ] as const) {
    const list = createList(tenant, { siteId: site.id, name, columns, at });
    const rows = 5 + upTo(random, 15);
    for (let n = 0; n < rows; n += 1)
      insertRow(tenant, list, {
        fields: makeFields(tenant, list, random, at + n * DATE_MS),
        author: author().id,
        at: at + n * DATE_MS,
      });
  }
}

/** Returns the values of a made row, for the columns that the list has. */
export function makeFields(tenant: Tenant, list: ListRow, random: Rng, at: Ms): ListFields {
  const values: ListFields = {
    Title:
      list.name === 'Suppliers'
        ? `${pickOne(NAMES, random)} ${pickOne(KINDS, random)}`
        : `${pickOne(WORK, random)} the ${pickOne(THINGS, random)}`,
    Status: pickOne(STATUS, random),
    DueDate: `${new Date(at + (1 + upTo(random, 60)) * DATE_MS).toISOString().slice(0, 10)}T00:00:00Z`,
    Hours: 1 + upTo(random, 20) / 2,
    City: pickOne(CITIES, random),
    Phone: `555-01${String(upTo(random, 100)).padStart(2, '0')}`,
    Approved: random() < 0.7,
  };
  const names = new Set(listColumns(tenant, list).map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

/** What happens in the sites within one step of the tenant's life. */
export function liveSites(
  tenant: Tenant,
  people: readonly Person[],
  { at, size }: { readonly at: Ms; readonly size: TenantSize },
): void {
  const random = makeRng(tenant.seed, 'life-sites', at);
  for (const site of listSites(tenant)) {
    if (random() >= 0.05) continue;
    const person = people[upTo(random, people.length)];
    if (person && random() < 0.6) liveLists(tenant, site, person, random, at);
    else if (person) liveLibraries(tenant, site, person, { random, at, size });
  }
}

function liveLists(tenant: Tenant, site: SiteRow, { id }: Person, random: Rng, at: Ms): void {
  const lists = listLists(tenant, site.id).filter(({ drive_id }) => drive_id === null);
  const list = lists[upTo(random, lists.length)];
  if (!list) return;
  const rows = listRows(tenant, list);
  const row = rows[upTo(random, rows.length)];
  const share = random();
  const fields = makeFields(tenant, list, random, at);
  if (!row || share < 0.3) insertRow(tenant, list, { fields, author: id, at });
  else if (share < 0.85) changeRow(tenant, list, row, { fields, editor: id });
  else deleteRow(tenant, list, row);
}

function liveLibraries(
  tenant: Tenant,
  site: SiteRow,
  person: Person,
  { random, at, size }: { readonly random: Rng; readonly at: Ms; readonly size: TenantSize },
): void {
  const drives = siteDrives(tenant, site);
  const drive = drives[upTo(random, drives.length)];
  if (!drive) return;
  const items = (isFolder: 0 | 1): ItemRow[] =>
    tenant.store.all<ItemRow>(
      'select * from item where drive_id = ? and is_folder = ? and deleted = 0 order by n',
      drive.id,
      isFolder,
    );
  const share = random();
  const files = items(0);
  const file = files[upTo(random, files.length)];
  if (!file || share < 0.4) {
    const folders = items(1);
    const parent = folders[upTo(random, folders.length)];
    if (parent)
      makeFile(tenant, person, {
        driveId: drive.id,
        parentId: parent.id,
        random,
        serial: tenant.store.seq(),
        maxBytes: size.maxFileBytes,
        at,
      });
  } else if (share < 0.85) changeContent(tenant, file, editContent(file), person.id);
  else deleteItem(tenant, file);
}
