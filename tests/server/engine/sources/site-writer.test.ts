import { expect, test } from 'vitest';
import { findSite, siteWriter } from '#server/engine/embedded/sources/site-writer.ts';
import { siteSource } from '#server/engine/embedded/sources/site.ts';
import type { Place, SourceObject } from '#server/engine/embedded/types.ts';
import { getValue } from '../graph/fixtures.ts';
import { backUp, getInput, NO_ITEMS } from './restoring.ts';
import type { Stored } from './restoring.ts';
import { getSite, listSiteCopy } from './sites.ts';
import { losing, tenantGraph } from './tenant.ts';

const ROLES = ['Sites.Manage.All', 'User.Read.All'];

async function aSite(options: Parameters<typeof tenantGraph>[0] = {}) {
  const graph = tenantGraph({ roles: ROLES, files: 8, mails: 1, ...options });
  const object = getSite(graph);
  const stored = await backUp(graph, siteSource(graph.ports), object);
  return { graph, object, stored, admin: graph.tenant.admin, writer: siteWriter(graph.ports) };
}
type Site = Awaited<ReturnType<typeof aSite>>;

const getFirst = ({ stored }: Site, kind: 'file' | 'row'): Stored => {
  const found = stored.find(
    ({ item, place }) => item.kind === kind && (kind === 'row' || place.path.length > 1),
  );
  if (!found) throw new Error(`no ${kind}`);
  return found;
};
const getId = (key: string): string => key.split(':')[1] ?? '';
const getPart = (key: string): string => key.split(':')[0] ?? '';

function remove({ admin, object }: Site, { item }: Stored): void {
  if (item.kind === 'file') admin.deleteLibraryFile(getPart(item.key), getId(item.key));
  else admin.deleteRow(object.id, getPart(item.key), Number(getId(item.key)));
}
/** The values of all rows, and the files, as the tenant's tables have them. */
const contents = ({ admin, object, graph }: Site) => [
  listSiteCopy(graph, object.id),
  admin
    .listLists(object.id)
    .flatMap((list) => admin.listRows(object.id, list.id).map(({ fields }) => fields))
    .sort(),
];
const elsewhere = (object: SourceObject, ...names: readonly [string, ...string[]]): Place => ({
  object,
  path: names.map((name, at) => ({
    name,
    wellKnown: at > 0 ? null : name.startsWith('Books') ? 'list' : 'library',
  })),
});

for (const kind of ['file', 'row'] as const) {
  test(`RES-2, RES-26: a ${kind} that was lost comes back once with its values, and undo removes it`, async () => {
    const site = await aSite();
    const { graph, object, writer } = site;
    const lost = getFirst(site, kind);
    expect(getValue(await writer.find(lost.place, lost.item, graph.call))?.isSame).toBe(true);
    const whole = contents(site);
    remove(site, lost);
    const without = contents(site);
    expect(without).not.toEqual(whole);
    expect(getValue(await writer.find(lost.place, lost.item, graph.call))).toBeNull();
    const written = getValue(await writer.write(lost.place, lost.item, getInput(lost), graph.call));
    expect(contents(site)).toEqual(whole);
    // The second time, the target has it.
    expect(getValue(await writer.find(lost.place, lost.item, graph.call))).toMatchObject({
      key: written.key,
      isSame: true,
    });
    getValue(await writer.remove(object, written, graph.call));
    expect(contents(site)).toEqual(without);
  });

  test(`RES-4, RES-26: a changed ${kind} gets its former values, unless it changes meanwhile`, async () => {
    const site = await aSite();
    const { graph, object, admin, writer } = site;
    const stored = getFirst(site, kind);
    const whole = contents(site);
    const change = (): void => {
      if (kind === 'file')
        admin.changeLibraryFile(getPart(stored.item.key), getId(stored.item.key));
      else
        admin.changeRow(object.id, getPart(stored.item.key), Number(getId(stored.item.key)), {
          Title: 'Somebody changed it',
        });
    };
    change();
    const found = getValue(await writer.find(stored.place, stored.item, graph.call));
    expect(found).toMatchObject({ key: stored.item.key, isSame: false });
    const input = getInput(stored, { replaces: found });
    getValue(await writer.write(stored.place, stored.item, input, graph.call));
    expect(contents(site)).toEqual(whole);
    change();
    const again = await writer.write(stored.place, stored.item, input, graph.call);
    expect(again.ok ? null : again.error.kind).toBe('conflict');
  });

  test(`RES-5, RES-26: if the response to any write of a ${kind} is lost, it is there once`, async () => {
    for (let n = 0; n < 3; n += 1) {
      const lossy = losing();
      const site = await aSite({ over: lossy.over });
      const { graph, writer } = site;
      const lost = getFirst(site, kind);
      const whole = contents(site);
      remove(site, lost);
      lossy.next(n);
      await writer.write(lost.place, lost.item, getInput(lost), graph.call);
      lossy.next(null);
      const found = getValue(await writer.find(lost.place, lost.item, graph.call));
      if (found === null)
        getValue(await writer.write(lost.place, lost.item, getInput(lost), graph.call));
      expect(contents(site)).toEqual(whole);
    }
  });

  test(`RES-26: a ${kind} goes to another site, whose library, list and columns are created, and removed again`, async () => {
    const site = await aSite();
    const { graph, admin, writer } = site;
    const stored = getFirst(site, kind);
    const yard = admin.addSite('Yard office');
    const target = getValue(
      await findSite(graph.ports, 'https://demo.sharepoint.com/sites/yard-office', graph.call),
    );
    expect(target).toMatchObject({ kind: 'site', id: yard.id, name: 'Yard office' });
    expect(getValue(await findSite(graph.ports, yard.id, graph.call))).toEqual(target);
    const place =
      kind === 'row' ? elsewhere(target, 'Books') : elsewhere(target, 'Restored', 'In', 'Here');
    const before = listSiteCopy(graph, yard.id);
    expect(getValue(await writer.find(place, stored.item, graph.call))).toBeNull();
    const steps: string[] = [];
    const folder = getValue(
      await writer.ensureFolder(place, graph.call, {
        before: async (path) => void steps.push(path.map(({ name }) => name).join('/')),
        after: async (_path, key) => void steps.push(key === null ? 'lost' : 'made'),
      }),
    );
    expect(steps).toEqual(
      kind === 'row'
        ? ['Books', 'made']
        : ['Restored', 'made', 'Restored/In', 'made', 'Restored/In/Here', 'made'],
    );
    expect(getValue(await writer.findFolder(place, graph.call))).toBe(folder.key);
    const written = getValue(await writer.write(place, stored.item, getInput(stored), graph.call));
    expect(getValue(await writer.find(place, stored.item, graph.call))).toMatchObject({
      key: written.key,
      isSame: true,
    });
    const path = place.path.map(({ name }) => name).join('/');
    expect(listSiteCopy(graph, yard.id)).toContain(`${kind} /${path}/${stored.item.title}`);
    if (kind === 'row') {
      const [row] = admin.listRows(yard.id, folder.key);
      const [own] = admin
        .listRows(site.object.id, getPart(stored.item.key))
        .filter(({ n }) => String(n) === getId(stored.item.key));
      expect(JSON.parse(row?.fields ?? '')).toEqual(JSON.parse(own?.fields ?? ''));
    }
    const stays = await writer.removeFolder(target, folder.key, graph.call, NO_ITEMS);
    expect(stays.ok ? null : stays.error.kind).toBe('conflict');
    getValue(await writer.remove(target, written, graph.call));
    for (const key of folder.created.toReversed())
      getValue(await writer.removeFolder(target, key, graph.call, NO_ITEMS));
    expect(listSiteCopy(graph, yard.id)).toEqual(before);
    expect(admin.listLists(yard.id)).toEqual([]);
    expect(admin.listLibraries(yard.id).map(({ name }) => name)).toEqual(['Documents']);
  });
}

test('RES-26: a library that was renamed since is still the place of its files; a row goes to no library', async () => {
  const site = await aSite();
  const { graph, object, admin, writer } = site;
  const lost = getFirst(site, 'file');
  const library = getPart(lost.item.key);
  const place: Place = {
    object,
    path: lost.place.path.map((part, at) => (at === 0 ? { ...part, key: library } : part)),
  };
  remove(site, lost);
  admin.renameList(object.id, library, 'Renamed');
  getValue(await writer.write(place, lost.item, getInput(lost), graph.call));
  expect(listSiteCopy(graph, object.id).filter((path) => path.endsWith(lost.item.title))).toEqual([
    expect.stringContaining('/Renamed/'),
  ]);
  const row = getFirst(site, 'row');
  const wrong = await writer.write(
    { object, path: [{ name: 'Drawings', wellKnown: 'list' }] },
    row.item,
    getInput(row),
    graph.call,
  );
  expect(wrong.ok ? null : wrong.error.kind).toBe('invalid');
  const nowhere = await findSite(graph.ports, 'https://demo.sharepoint.com/sites/none', graph.call);
  expect(nowhere.ok ? null : nowhere.error.kind).toBe('missing');
});
