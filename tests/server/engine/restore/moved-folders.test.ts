import { expect, test } from 'vitest';
import type { RestoreInput } from '#contract/engine/engine.ts';
import { anyDatabase } from '../../db/databases.ts';
import { aRandomOffice, type RandomOffice } from './random/random-office.ts';
import { NO_FLAGS } from './no-flags.ts';

const TERMS: Omit<RestoreInput, 'explorer' | 'nodes'> = {
  target: { kind: 'original' },
  select: 'both',
  onConflict: 'replace',
  versions: 'last',
  flags: NO_FLAGS,
  dryRun: true,
  reason: null,
};
const FILES = ['Offer.txt', 'Order.txt', 'Invoice.txt'];

/** Three files in “Plans/Q1” of a drive. */
async function addFiles({ send, admin }: RandomOffice, drive: string) {
  const addFolder = async (parent: string, name: string): Promise<string> => {
    const made = await send('POST', `/drives/${drive}/${parent}/children`, { name, folder: {} });
    return ((await made.json()) as { readonly id: string }).id;
  };
  const patch = (id: string, change: unknown) =>
    send('PATCH', `/drives/${drive}/items/${id}`, change);
  const plans = await addFolder('root', 'Plans');
  const quarter = await addFolder(`items/${plans}`, 'Q1');
  for (const name of FILES) {
    const { id } = admin.addLibraryFile(drive);
    await patch(id, { name, parentReference: { id: quarter } });
  }
  return { plans, quarter, addFolder, patch };
}

/** The requests of some work, in single ones and in batches. */
async function countRequests(office: RandomOffice, isCounted: (url: string) => boolean) {
  const { cloud } = office.context;
  let count = 0;
  cloud.connectTo(async (request) => {
    if (request.url.endsWith('/$batch')) {
      const batch = (await request.clone().json()) as { requests: { url: string }[] };
      count += batch.requests.filter(({ url }) => isCounted(url)).length;
    } else if (isCounted(request.url)) count += 1;
    return office.office.fetch(request);
  });
  return () => count;
}

const time = (hour: string) => ({ dateTime: `2026-06-01T${hour}:00:00`, timeZone: 'UTC' });
const describeNew = (former: string, now: string): string =>
  `Will be created. The folder is now at “${now}”. A new one is created at “${former}”.`;

anyDatabase((name, open) => {
  for (const place of ['onedrive', 'sharepoint'] as const)
    test(`RES-141, RES-1, RES-4: the dry run says where a folder is now that was renamed or moved, with one request for all of its files (${place}, ${name})`, async () => {
      const office = await aRandomOffice(await open(), 11);
      const { admin, targets, tables, send } = office;
      const drive =
        (place === 'sharepoint'
          ? admin.listLibraries(targets.site)[0]?.id
          : tables.get<{ id: string }>('select id from drive where owner_id = ?', targets.user)
              ?.id) ?? '';
      const { plans, quarter, addFolder, patch } = await addFiles(office, drive);
      const { at } = await office.backUp();
      const explorer = await office.open(place, at);
      const files = (await office.walk(explorer)).filter(({ node }) => FILES.includes(node.name));
      const input = { ...TERMS, explorer, nodes: files.map(({ node }) => node.id) };
      const read = async (): Promise<readonly (string | null)[]> => {
        const { results } = await office.restore(input);
        return [...new Set(results.map(({ message }) => message))];
      };
      expect(await read()).toEqual(['The target already has this item.']);

      // Renamed, by the folder above it.
      await patch(plans, { name: 'Old plans & more' });
      const getCount = await countRequests(office, (url) => url.includes(`/items/${quarter}`));
      const created =
        'Will be created. The folder is now at “Old plans & more/Q1”. A new one is created at “Plans/Q1”.';
      expect(await read()).toEqual([created]);
      expect(getCount()).toBe(1);
      const restored = await office.restore({ ...input, dryRun: false });
      expect(restored.done.counts.restored).toBe(FILES.length);
      expect(new Set(restored.results.map(({ message }) => message))).toEqual(
        new Set(['Created.']),
      );
      expect((await office.undo(restored.task)).done.result).toBe('success');
      expect(await read()).toEqual([created]);

      // Moved, and another folder has its place.
      await patch(quarter, { parentReference: { id: await addFolder('root', 'Archive') } });
      await addFolder(`items/${await addFolder('root', 'Plans')}`, 'Q1');
      expect(await read()).toEqual([
        'Will be created. The folder is now at “Archive/Q1”. This item goes to another folder, which is at “Plans/Q1” now.',
      ]);
      // Elsewhere it doesn't matter where it was.
      const elsewhere: RestoreInput = {
        ...input,
        target: {
          kind: 'other',
          organization: office.scope.organization,
          object: place === 'sharepoint' ? targets.site : targets.user,
          folder: place === 'sharepoint' ? 'Elsewhere/Q1' : 'Q1',
        },
        reason: 'Test',
      };
      const { results } = await office.restore(elsewhere);
      expect(new Set(results.map(({ message }) => message))).toEqual(new Set(['Will be created.']));
      // A deleted one is nowhere.
      await send('DELETE', `/drives/${drive}/items/${quarter}`);
      expect(await read()).toEqual(['Will be created.']);
    });

  test(`RES-141, RES-1: the dry run says how a library and a list are named now, and a restore writes into them (${name})`, async () => {
    const office = await aRandomOffice(await open(), 11);
    const { admin, targets, send } = office;
    const { site } = targets;
    const drive = admin.listLibraries(site)[0]?.id ?? '';
    const former = admin.listLibraries(site)[0]?.name ?? '';
    await addFiles(office, drive);
    const orders = admin.addList(site, 'Orders');
    const row = admin.addRow(site, orders.id);
    const { at } = await office.backUp();
    const explorer = await office.open('sharepoint', at);
    const nodes = (await office.walk(explorer)).filter(
      ({ node, path }) => node.name === 'Offer.txt' || path.at(-2) === 'Orders',
    );
    expect(nodes).toHaveLength(2);
    const list = await send('GET', `/drives/${drive}/list?$select=id`);
    const { id } = (await list.json()) as { readonly id: string };
    await send('PATCH', `/sites/${site}/lists/${id}`, { displayName: 'Papers' });
    await send('PATCH', `/sites/${site}/lists/${orders.id}`, { displayName: 'Old orders' });
    const file = admin.listLibraryFiles(drive).find((one) => one.name === 'Offer.txt');
    admin.deleteLibraryFile(drive, file?.id ?? '');
    admin.deleteRow(site, orders.id, row.n);
    const input = { ...TERMS, explorer, nodes: nodes.map(({ node }) => node.id) };
    const dry = await office.restore(input);
    expect(dry.results.map(({ message }) => message ?? '').toSorted()).toEqual([
      `Will be created. The library “${former}” is named “Papers” now.`,
      'Will be created. The list “Orders” is named “Old orders” now.',
    ]);
    const names = () =>
      [...admin.listLibraries(site), ...admin.listLists(site)].map((one) => one.name);
    const before = names();
    expect((await office.restore({ ...input, dryRun: false })).done.counts.restored).toBe(2);
    expect(names()).toEqual(before);
  });

  test(`RES-141, RES-1, RES-4: the dry run says where a folder of a mailbox is now that was renamed, moved or deleted (${name})`, async () => {
    const office = await aRandomOffice(await open(), 11);
    const { admin, targets, send } = office;
    const folders = `/users/${targets.user}/mailFolders`;
    const addFolder = async (parent: string, displayName: string): Promise<string> => {
      const made = await send('POST', `${folders}/${parent}/childFolders`, { displayName });
      return ((await made.json()) as { readonly id: string }).id;
    };
    const inbox = admin.listFolders(targets.user).find((one) => one.well_known === 'inbox');
    const projects = await addFolder(inbox?.id ?? '', 'Projects');
    const north = await addFolder(projects, 'North');
    for (let n = 0; n < 3; n += 1) admin.addMessage(targets.user, north);
    const { at } = await office.backUp();
    const explorer = await office.open('outlook', at);
    const mails = (await office.walk(explorer)).filter(({ path }) => path.at(-2) === 'North');
    expect(mails).toHaveLength(3);
    const input = { ...TERMS, explorer, nodes: mails.map(({ node }) => node.id) };
    const read = async (): Promise<readonly (string | null)[]> => {
      const { results } = await office.restore(input);
      return [...new Set(results.map(({ message }) => message))];
    };
    const top = inbox?.name ?? '';
    expect(await read()).toEqual(['The target already has this item.']);

    await send('PATCH', `${folders}/${projects}`, { displayName: 'Former projects' });
    const getCount = await countRequests(office, (url) => url.includes(`/mailFolders/${north}?`));
    const created = `Will be created. The folder is now at “${top}/Former projects/North”. A new one is created at “${top}/Projects/North”.`;
    expect(await read()).toEqual([created]);
    expect(getCount()).toBe(1);
    const restored = await office.restore({ ...input, dryRun: false });
    expect(restored.done.counts.restored).toBe(3);
    expect((await office.undo(restored.task)).done.result).toBe('success');
    expect(await read()).toEqual([created]);

    await addFolder(await addFolder(inbox?.id ?? '', 'Projects'), 'North');
    expect(await read()).toEqual([
      `Will be created. The folder is now at “${top}/Former projects/North”. This item goes to another folder, which is at “${top}/Projects/North” now.`,
    ]);

    await send('POST', `${folders}/${projects}/move`, { destinationId: 'deleteditems' });
    const bin = admin.listFolders(targets.user).find((one) => one.well_known === 'deleteditems');
    expect(await read()).toEqual([
      `Will be created. The folder is now at “${bin?.name ?? ''}/Former projects/North”. This item goes to another folder, which is at “${top}/Projects/North” now.`,
    ]);
  });

  test(`RES-141, RES-47: the dry run says how a channel is named now, and where a folder of its files is (${name})`, async () => {
    const office = await aRandomOffice(await open(), 4, 'team');
    const { admin, targets, send } = office;
    const { teams } = admin;
    const channel = teams.listChannels(targets.team)[1];
    const [file] = teams.listFiles(targets.team, channel?.id ?? '');
    if (channel === undefined || file === undefined) throw new Error('no file');
    const items = `/drives/${file.drive_id}/items`;
    const made = await send('POST', `${items}/${file.parent_id ?? ''}/children`, {
      name: 'Plans',
      folder: {},
    });
    const { id } = (await made.json()) as { readonly id: string };
    await send('PATCH', `${items}/${file.id}`, { parentReference: { id } });
    const { at } = await office.backUp();
    const explorer = await office.open('teams', at);
    const nodes = (await office.walk(explorer)).filter(({ path }) => path.at(-2) === 'Plans');
    expect(nodes).toHaveLength(1);
    await send('PATCH', `${items}/${id}`, { name: 'Old plans' });
    teams.renameChannel(targets.team, channel.id, 'Shipping');
    const { results } = await office.restore({
      ...TERMS,
      explorer,
      nodes: nodes.map(({ node }) => node.id),
    });
    const folder = admin.getFolderPath(file);
    expect(results.map(({ message }) => message)).toEqual([
      `Will be created. The channel “${channel.name}” is named “Shipping” now. The folder is now at “${folder}/Old plans”. A new one is created at “${folder}/Plans”.`,
    ]);
  });

  test(`RES-141: the dry run says how a calendar, a folder of contacts and a list of tasks are named now (${name})`, async () => {
    const office = await aRandomOffice(await open(), 11);
    const { targets, tables } = office;
    const { at } = await office.backUp();
    const explorer = await office.open('outlook', at);
    const all = await office.walk(explorer);
    const renamed = tables.all<{ readonly id: string; readonly name: string }>(
      "select id, name from outlook_folder where mailbox = ? and well_known is null and kind <> 'calendarGroup'",
      targets.user,
    );
    const items = all.filter(
      ({ node, path }) =>
        ['event', 'contact', 'task'].includes(node.kind) &&
        renamed.some((folder) => folder.name === path.at(-2)),
    );
    expect(new Set(items.map(({ node }) => node.kind)).size).toBe(3);
    for (const { id, name: former } of renamed)
      tables.run('update outlook_folder set name = ? where id = ?', `New ${former}`, id);
    const { results } = await office.restore({
      ...TERMS,
      explorer,
      nodes: items.map(({ node }) => node.id),
    });
    expect(results).toHaveLength(items.length);
    for (const { path, message } of results) {
      const names = path.split('/').map((part) => part.trim());
      const now = [...names.slice(0, -1), `New ${names.at(-1) ?? ''}`].join('/');
      expect(message).toBe(
        `Will be created. The folder is now at “${now}”. A new one is created at “${names.join('/')}”.`,
      );
    }
  });

  test(`RES-141, RES-4: the dry run says where a folder of contacts and a calendar are now that were moved (${name})`, async () => {
    const office = await aRandomOffice(await open(), 11);
    const { admin, targets, send } = office;
    const { outlook } = admin;
    const user = `/users/${targets.user}`;
    const add = async (path: string, body: unknown): Promise<string> => {
      const made = await send('POST', `${user}/${path}`, body);
      return ((await made.json()) as { readonly id: string }).id;
    };
    const inner = await add('contactFolders', { displayName: 'Inner' });
    await add(`contactFolders/${inner}/contacts`, { displayName: 'Ann' });
    const group = await add('calendarGroups', { name: 'Former group' });
    const shifts = await add(`calendarGroups/${group}/calendars`, { name: 'Shifts' });
    await add(`calendars/${shifts}/events`, {
      subject: 'Early',
      start: time('06'),
      end: time('14'),
    });
    const { at } = await office.backUp();
    const explorer = await office.open('outlook', at);
    const nodes = (await office.walk(explorer)).filter(({ path }) =>
      ['Inner', 'Shifts'].includes(path.at(-2) ?? ''),
    );
    expect(nodes).toHaveLength(2);
    const input = { ...TERMS, explorer, nodes: nodes.map(({ node }) => node.id) };
    const read = async () =>
      (await office.restore(input)).results.map(({ message }) => message ?? '').toSorted();
    expect(await read()).toEqual(Array.from(nodes, () => 'The target already has this item.'));

    const outer = await add('contactFolders', { displayName: 'Outer' });
    await send('PATCH', `${user}/contactFolders/${inner}`, { parentFolderId: outer });
    outlook.moveFolder(targets.user, shifts, await add('calendarGroups', { name: 'New group' }));
    expect(await read()).toEqual([
      describeNew('Calendars/Former group/Shifts', 'Calendars/New group/Shifts'),
      describeNew('Contacts/Inner', 'Contacts/Outer/Inner'),
    ]);
    const own = outlook.listFolders(targets.user).find((one) => one.well_known === 'mycalendars');
    outlook.moveFolder(targets.user, shifts, own?.id ?? null);
    expect((await read())[0]).toBe(
      describeNew('Calendars/Former group/Shifts', 'Calendars/Shifts'),
    );
  });
});
