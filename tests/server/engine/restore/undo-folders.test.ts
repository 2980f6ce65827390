import { expect, test } from 'vitest';
import type { RestoreInput, Workload } from '#contract/engine/engine.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { aRandomOffice, type RandomOffice } from './random/random-office.ts';
import { NO_FLAGS } from './no-flags.ts';

const TERMS: Omit<RestoreInput, 'explorer' | 'nodes'> = {
  target: { kind: 'original' },
  select: 'both',
  onConflict: 'replace',
  versions: 'last',
  flags: NO_FLAGS,
  dryRun: false,
  reason: null,
};

const post = async (office: RandomOffice, path: string, body: unknown): Promise<string> => {
  const made = await office.send('POST', path, body);
  expect(made.status).toBe(201);
  return encodeURIComponent(((await made.json()) as { readonly id: string }).id);
};

/** A folder that people make, with an item, and remove. */
interface Folder {
  readonly workload: Workload;
  readonly create: (office: RandomOffice) => Promise<string>;
  readonly add: (office: RandomOffice, id: string, n: number) => Promise<unknown>;
  readonly remove: (office: RandomOffice, id: string) => Promise<unknown>;
  /** The ids of those that are there. */
  readonly list: (office: RandomOffice) => Promise<readonly string[]>;
  /** How the undo names it. */
  readonly path: string;
}
const user = ({ targets }: RandomOffice): string => `/users/${targets.user}`;
const listIds =
  (getPath: (office: RandomOffice) => string, field: string) =>
  async (office: RandomOffice): Promise<readonly string[]> => {
    const page = await office.send('GET', getPath(office));
    const { value } = (await page.json()) as { value: Record<string, string>[] };
    return value
      .filter((row) => row[field] === 'Made')
      .map(({ id = '' }) => encodeURIComponent(id));
  };
const anOutlookFolder = (
  folders: string,
  items: string,
  field: string,
  body: (n: number) => object,
  path: string,
): Folder => ({
  workload: 'outlook',
  create: (office) => post(office, `${user(office)}/${folders}`, { [field]: 'Made' }),
  add: (office, id, n) => post(office, `${user(office)}/${folders}/${id}/${items}`, body(n)),
  remove: (office, id) => office.send('DELETE', `${user(office)}/${folders}/${id}`),
  list: listIds((office) => `${user(office)}/${folders}?$top=100`, field),
  path,
});
const day = (hour: string) => ({ dateTime: `2026-06-01T${hour}:00:00`, timeZone: 'UTC' });

const FOLDERS: Readonly<Record<string, Folder>> = {
  'a mail folder': anOutlookFolder(
    'mailFolders',
    'messages',
    'displayName',
    (n) => ({ subject: `Mail ${n}` }),
    'Made',
  ),
  'a calendar': anOutlookFolder(
    'calendars',
    'events',
    'name',
    (n) => ({ subject: `Event ${n}`, start: day('09'), end: day('10') }),
    'Calendars/Made',
  ),
  'a contact folder': anOutlookFolder(
    'contactFolders',
    'contacts',
    'displayName',
    (n) => ({ displayName: `Contact ${n}` }),
    'Contacts/Made',
  ),
  'a task list': anOutlookFolder(
    'todo/lists',
    'tasks',
    'displayName',
    (n) => ({ title: `Task ${n}` }),
    'Tasks/Made',
  ),
  'a folder of a drive': {
    workload: 'onedrive',
    create: (office) =>
      post(office, `${user(office)}/drive/root/children`, { name: 'Made', folder: {} }),
    add: (office, _, n) =>
      office.send('PUT', `${user(office)}/drive/root:/Made/File ${n}.txt:/content`, `file ${n}`),
    remove: (office) => office.send('DELETE', `${user(office)}/drive/root:/Made:`),
    list: listIds((office) => `${user(office)}/drive/root/children?$top=100`, 'name'),
    path: 'Made',
  },
  'a list': {
    workload: 'sharepoint',
    create: (office) => Promise.resolve(office.admin.addList(office.targets.site, 'Made').id),
    add: (office, id, n) =>
      Promise.resolve(office.admin.addRow(office.targets.site, id, { Title: `Row ${n}` })),
    remove: (office, id) => Promise.resolve(office.admin.removeList(office.targets.site, id)),
    list: (office) =>
      Promise.resolve(
        office.admin
          .listLists(office.targets.site)
          .filter(({ name }) => name === 'Made')
          .map(({ id }) => id),
      ),
    path: 'Made',
  },
};

for (const [what, folder] of Object.entries(FOLDERS))
  test(`RES-4: an undo removes ${what} that the restore created, or names it if it is in use`, async () => {
    const office = await aRandomOffice(await freshStore(ONE), 11);
    const id = await folder.create(office);
    await folder.add(office, id, 1);
    const { at } = await office.backUp();
    await folder.remove(office, id);
    const explorer = await office.open(folder.workload, at);
    const made = (await office.walk(explorer)).find(({ node }) => node.name === 'Made');
    const input = { ...TERMS, explorer, nodes: [made?.node.id ?? ''] };
    for (const isUsed of [false, true]) {
      expect(await folder.list(office)).toEqual([]);
      const { task, done } = await office.restore(input);
      expect(done.counts).toMatchObject({ restored: 1, failed: 0 });
      const [created = ''] = await folder.list(office);
      if (isUsed) await folder.add(office, created, 2);
      const undone = await office.undo(task);
      expect([undone.done.counts.restored, undone.done.message]).toEqual([
        1,
        isUsed
          ? `The restore created this, and it stays: “${folder.path}”. Other items are still in there.`
          : null,
      ]);
      expect(await folder.list(office)).toHaveLength(isUsed ? 1 : 0);
    }
  });
