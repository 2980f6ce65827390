import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { mailboxSource } from '#server/engine/embedded/sources/outlook/mailbox.ts';
import type { FetchedItem, SourceObject } from '#server/engine/embedded/types.ts';
import { Replica } from './replica.ts';
import { ordinaryPeople, randomTrouble, smallPages, tenantGraph } from './tenant.ts';
import type { TenantGraph } from './tenant.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
export const OUTLOOK_ROLES = [
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'User.Read.All',
];
const KINDS = ['event', 'contact', 'task'] as const;

const getMailbox = (graph: TenantGraph): SourceObject => {
  const [person] = ordinaryPeople(graph);
  if (person === undefined) throw new Error('nobody');
  return { kind: 'mailbox', id: person.id, name: person.name, address: person.mail ?? '' };
};
const byText = (a: readonly string[], b: readonly string[]): number =>
  a.join() < b.join() ? -1 : 1;
const getName = (props: string): string => {
  const { subject, displayName, title } = JSON.parse(props) as Record<string, string>;
  return subject ?? displayName ?? title ?? '';
};

/** Events, contacts and tasks as the tenant's own tables have them: the slow oracle. */
const getStored = ({ tenant }: TenantGraph, { id }: SourceObject) =>
  KINDS.flatMap((kind) =>
    tenant.admin.outlook.list(id, kind).map((row) => [kind, row.folder_id, getName(row.props)]),
  ).sort(byText);
const getKnown = (replica: Replica) =>
  [...replica.items.values()]
    .filter(({ kind }) => kind !== 'mail')
    .map(({ kind, folder, title }) => [kind, folder.slice(folder.indexOf(':') + 1), title])
    .sort(byText);
/** Folders with the one that they are in; calendars of the person's own group and others are at the top. */
const getFolders = ({ tenant }: TenantGraph, { id }: SourceObject) => {
  const rows = tenant.admin.outlook.listFolders(id);
  return rows
    .filter(({ well_known: known }) => known !== 'mycalendars')
    .map((row) => {
      const parent = rows.find((one) => one.id === row.parent_id);
      return [
        row.name,
        parent === undefined || parent.well_known === 'mycalendars' ? '' : parent.id,
      ];
    })
    .sort(byText);
};
const getKnownFolders = (replica: Replica) =>
  [...replica.folders.values()]
    .filter(({ key }) => key.includes(':'))
    .map(({ name, parent }) => [name, parent?.replace(/^\w+:?(?:group )?/, '') ?? ''])
    .sort(byText);

const act = record({
  what: constantFrom('add', 'change', 'remove', 'remove folder', 'move folder', 'expire', 'read'),
  kind: constantFrom(...KINDS),
  which: nat(),
  cut: integer({ min: 0, max: 40 }),
});

test('ENG-5, ENG-70: any cut, repeat or failure of the pages, any change between them and any lost state give the events, contacts and tasks that the mailbox has', async () => {
  await assert(
    asyncProperty(array(act, { maxLength: 10 }), nat(), async (acts, seed) => {
      const graph = tenantGraph({
        seed: 3,
        mails: 4,
        files: 1,
        roles: OUTLOOK_ROLES,
        over: smallPages(4),
      });
      const object = getMailbox(graph);
      const { outlook } = graph.tenant.admin;
      const source = mailboxSource(graph.ports);
      const replica = new Replica();
      graph.trouble = randomTrouble(seed, 0.1, () => graph.clock.now());
      for (const { what, kind, which, cut } of acts) {
        const all = outlook.list(object.id, kind);
        const one = all[which % Math.max(1, all.length)];
        if (what === 'read')
          await replica.read(source.changes(object, replica.cursors, graph.call), {
            cut,
            repeats: which % 2 === 0,
          });
        if (what === 'add') outlook.add(object.id, kind);
        if (what === 'expire') graph.tenant.admin.expireTokens();
        if (what === 'change' && one) outlook.change(object.id, kind, one.id);
        if (what === 'remove' && one) outlook.remove(object.id, kind, one.id);
        if (what === 'move folder') moveFolder(graph, object, which, cut);
        if (what === 'remove folder') {
          const own = outlook.listFolders(object.id).filter((row) => row.well_known === null);
          const folder = own[which % Math.max(1, own.length)];
          if (folder) outlook.removeFolder(object.id, folder.id);
        }
      }
      await replica.read(source.changes(object, replica.cursors, graph.call));
      await replica.read(source.changes(object, replica.cursors, graph.call));
      expect(getKnown(replica)).toEqual(getStored(graph, object));
      expect(getKnownFolders(replica)).toEqual(getFolders(graph, object));
    }),
    { numRuns: 8 * PROOF },
  );
});

/** Adds a contact folder, and moves any folder of contacts into any or to the top, if it can. */
function moveFolder(graph: TenantGraph, { id }: SourceObject, which: number, where: number): void {
  const { outlook } = graph.tenant.admin;
  outlook.addContactFolder(id, `Folder ${which} ${where}`);
  const all = outlook.listFolders(id).filter(({ kind }) => kind === 'contactFolder');
  const folder = all.filter(({ well_known: known }) => known === null)[which % (all.length - 1)];
  const parent = all[where % (all.length + 1)] ?? null;
  for (let at = parent; at !== null; at = all.find((one) => one.id === at?.parent_id) ?? null)
    if (at.id === folder?.id) return;
  outlook.moveFolder(id, folder?.id ?? '', parent?.id ?? null);
}

test('ENG-70: a contact folder is where it was moved, even if its new parent is listed on a later page', async () => {
  const graph = tenantGraph({ roles: OUTLOOK_ROLES, over: smallPages(1) });
  const object = getMailbox(graph);
  const { outlook } = graph.tenant.admin;
  const source = mailboxSource(graph.ports);
  const replica = new Replica();
  const read = (cut?: number) =>
    replica.read(source.changes(object, replica.cursors, graph.call), { ...(cut && { cut }) });
  const getPath = (key: string): string => {
    const folder = replica.folders.get(key);
    return folder === undefined
      ? ''
      : [getPath(folder.parent ?? ''), folder.name].filter(Boolean).join('/');
  };
  const paths = () =>
    [...replica.folders.keys()].filter((key) => key.startsWith('contacts:')).map(getPath);
  const inner = outlook.addContactFolder(object.id, 'Inner');
  await read();
  expect(paths()).toContain('Contacts/Inner');
  const outer = outlook.addContactFolder(object.id, 'Outer');
  outlook.moveFolder(object.id, inner, outer);
  // Its new parent was changed last, so it is listed last.
  outlook.moveFolder(object.id, outer, outlook.addContactFolder(object.id, 'Outermost'));
  for (let cut = 1; !(await read(cut)); cut += 1) if (cut > 100) throw new Error('never ends');
  expect(paths().filter((path) => path.includes('Inner'))).toEqual([
    'Contacts/Outermost/Outer/Inner',
  ]);
  outlook.moveFolder(object.id, inner, null);
  await read();
  expect(paths()).toContain('Contacts/Inner');
});

async function readAll(graph: TenantGraph, object: SourceObject) {
  const source = mailboxSource(graph.ports);
  const replica = new Replica();
  await replica.read(source.changes(object, replica.cursors, graph.call));
  const fetched: FetchedItem[] = [];
  const items = [...replica.items.values()].filter(({ kind }) => kind !== 'mail');
  for await (const item of source.fetch(object, items, graph.call)) fetched.push(item);
  return { replica, fetched };
}

test('ENG-70: a mailbox has its calendars in their groups, its contact folders and its task lists', async () => {
  const graph = tenantGraph({ roles: OUTLOOK_ROLES });
  const { replica } = await readAll(graph, getMailbox(graph));
  const paths = [...replica.folders.values()]
    .map(({ name, parent }) => {
      const names = [name];
      for (let up = parent; up !== null; up = replica.folders.get(up)?.parent ?? null)
        names.unshift(replica.folders.get(up)?.name ?? '?');
      return names.join('/');
    })
    .filter((path) => /^(?:Calendars|Contacts|Tasks)/.test(path))
    .sort();
  expect(paths).toEqual([
    'Calendars',
    'Calendars/Calendar',
    'Calendars/Other Calendars',
    'Calendars/Other Calendars/Yard shifts',
    'Contacts',
    'Contacts/Contacts',
    'Contacts/Suppliers',
    'Tasks',
    'Tasks/Flagged Emails',
    'Tasks/Spare parts',
    'Tasks/Tasks',
  ]);
});

test('ENG-24, ENG-70: without changes, a mailbox takes two requests for its mails and few for the rest', async () => {
  const graph = tenantGraph({ roles: OUTLOOK_ROLES });
  const object = getMailbox(graph);
  const { replica } = await readAll(graph, object);
  const count = (kind: string): number =>
    graph.tenant.admin.outlook.listFolders(object.id).filter((row) => row.kind === kind).length;
  let sent = 0;
  graph.trouble = () => {
    sent += 1;
    return null;
  };
  await replica.read(mailboxSource(graph.ports).changes(object, replica.cursors, graph.call));
  const calendars = 1 + count('calendarGroup') + count('calendar');
  const contacts = 2 + count('contactFolder');
  const tasks = 1 + count('taskList');
  expect([sent, calendars, contacts, tasks]).toEqual([15, 5, 4, 4]);
});

test('ENG-70: each item is read with all that belongs to it', async () => {
  const graph = tenantGraph({ roles: OUTLOOK_ROLES });
  const { fetched } = await readAll(graph, getMailbox(graph));
  expect(fetched.every(({ ok }) => ok)).toBe(true);
  const read = fetched.flatMap((one) => {
    const json = one.ok ? one.parts.find(({ as }) => as === 'json')?.content : null;
    return json instanceof Uint8Array
      ? [
          {
            item: one.item,
            json: JSON.parse(Buffer.from(json).toString()) as Record<string, never>,
          },
        ]
      : [];
  });
  expect(read.length).toBe(fetched.length);
  const series = read.find(
    ({ json }) => json['recurrence'] && json['subject'] === 'Monday meeting',
  );
  expect(series?.json).toMatchObject({
    exceptionOccurrences: [{ subject: 'Monday meeting (moved)' }],
    cancelledOccurrences: [expect.stringMatching(/^OID\..*\.\d{4}-\d\d-\d\d$/)],
  });
  expect(series?.item.people).toContain('@');
  expect(read.some(({ json }) => json['photo'])).toBe(true);
  const tasks = read.filter(({ item }) => item.kind === 'task');
  for (const { json } of tasks) {
    expect(json['checklistItems']).toHaveLength(3);
    expect(json['linkedResources']).toHaveLength(1);
  }
});

test('ENG-70: without a permission the rest is backed up, and the missing one is named', async () => {
  const graph = tenantGraph({ roles: ['Mail.Read', 'Contacts.Read', 'User.Read.All'] });
  const object = getMailbox(graph);
  const lacks: string[] = [];
  const replica = new Replica();
  const call = { ...graph.call, onLack: (reason: string) => lacks.push(reason) };
  await replica.read(mailboxSource(graph.ports).changes(object, replica.cursors, call));
  expect(lacks).toEqual([
    expect.stringContaining('Calendars.Read'),
    expect.stringContaining('Tasks.Read.All'),
  ]);
  const kinds = new Set([...replica.items.values()].map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(['contact', 'mail']);
});
