import { expect, test } from 'vitest';
import type { ObjectKind } from '#contract/engine/engine.ts';
import {
  type CurrentItem,
  readCurrentItems,
  readCurrentPart,
} from '#server/engine/embedded/compare/current-items.ts';
import { getDifference } from '#server/engine/embedded/compare/difference.ts';
import { siteSource } from '#server/engine/embedded/sources/site.ts';
import { teamSource } from '#server/engine/embedded/sources/team.ts';
import type { ItemChange, ObjectSource, SourceObject } from '#server/engine/embedded/types.ts';
import { getValue } from '../restic/fixtures.ts';
import { getSite } from '../sources/sites.ts';
import { tenantGraph, type TenantGraph } from '../sources/tenant.ts';

const pass = ({ clock, stop }: TenantGraph): Promise<void> => clock.sleep(60_000, stop.signal);

/** What a backup knows of rows or posts. */
async function listItems(
  { call }: TenantGraph,
  source: ObjectSource,
  object: SourceObject,
  kind: ItemChange['kind'],
): Promise<ItemChange[]> {
  const items: ItemChange[] = [];
  for await (const page of source.changes(object, new Map(), { ...call, includesPosts: true }))
    items.push(...getValue(page).items.filter((item) => item.kind === kind));
  return items;
}

const read = async (
  { ports, call }: TenantGraph,
  object: SourceObject,
  items: readonly ItemChange[],
): Promise<readonly CurrentItem[]> =>
  getValue(
    await readCurrentItems(
      ports,
      object,
      items.map((item, n) => ({ ...item, n, path: [] })),
      call,
    ),
  );

async function compare(
  graph: TenantGraph,
  object: SourceObject,
  items: readonly ItemChange[],
): Promise<string[]> {
  const now = await read(graph, object, items);
  return items.map((item, n) => {
    const current = now[n] ?? null;
    const { state, properties } = getDifference(
      { ...item, folderName: '' },
      current && { ...current, folderName: '' },
      true,
    );
    return [state, ...properties.flatMap(({ name, isSame }) => (isSame ? [] : [name]))].join();
  });
}

const readText = async (
  { ports, call }: TenantGraph,
  object: SourceObject,
  item: ItemChange,
): Promise<string> => {
  const { stream } = getValue(await readCurrentPart(ports, object, item, 'json', call));
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

test('RES-82: rows of lists are unchanged, changed, deleted, or there again with another id', async () => {
  const graph = tenantGraph({ roles: ['Sites.Read.All', 'Files.Read.All'], mails: 1, files: 1 });
  const { admin } = graph.tenant;
  const site = getSite(graph);
  const list = admin.listLists(site.id).find(({ id }) => admin.listRows(site.id, id).length > 3);
  if (list === undefined) throw new Error('no list');
  const all = await listItems(graph, siteSource(graph.ports), site, 'row');
  const rows = all.filter(({ folder }) => folder === list.id);
  const own = admin.listRows(site.id, list.id);
  const get = (n: number): ItemChange => {
    const row = rows.find(({ key }) => key === `${list.id}:${own[n]?.n}`);
    if (row === undefined) throw new Error('no row');
    return row;
  };
  const known = [get(0), get(1), get(2)];
  expect(await compare(graph, site, known)).toEqual(['same', 'same', 'same']);
  await pass(graph);
  admin.changeRow(site.id, list.id, own[1]?.n ?? 0, { Title: 'Another title' });
  admin.deleteRow(site.id, list.id, own[2]?.n ?? 0);
  expect(await compare(graph, site, known)).toEqual(['same', 'changed,name,changed', 'deleted']);
  expect(await readText(graph, site, get(1))).toContain('Another title');

  // As a restore does it: the same values in a row of another id.
  admin.addRow(site.id, list.id, JSON.parse(own[2]?.fields ?? '{}') as Record<string, string>);
  const [again] = await read(graph, site, [get(2)]);
  expect(again?.key).not.toBe(get(2).key);
  expect(await compare(graph, site, [get(2)])).toEqual(['same']);

  admin.removeList(site.id, list.id);
  expect(await compare(graph, site, known)).toEqual(['deleted', 'deleted', 'deleted']);
});

test('RES-82: posts are unchanged, changed by an edit or a reply, or deleted', async () => {
  const graph = tenantGraph({
    roles: [
      'Group.Read.All',
      'TeamSettings.Read.All',
      'TeamMember.Read.All',
      'Channel.ReadBasic.All',
      'TeamsTab.Read.All',
      'ChannelMessage.Read.All',
      'Files.Read.All',
    ],
    mails: 1,
    files: 1,
  });
  const { teams } = graph.tenant.admin;
  const [group] = teams.list();
  if (group === undefined) throw new Error('no team');
  const object: SourceObject = {
    kind: 'team' satisfies ObjectKind,
    id: group.id,
    name: group.name,
    address: '',
  };
  const channel = teams
    .listChannels(group.id)
    .find(({ id }) => teams.listPosts(group.id, id).length >= 4);
  if (channel === undefined) throw new Error('no channel');
  const all = await listItems(graph, teamSource(graph.ports), object, 'post');
  const known = all.filter(({ folder }) => folder === channel.id).slice(0, 4);
  const posts = known.map(({ key }) => {
    const post = teams.listPosts(group.id, channel.id).find(({ id }) => key.endsWith(`/${id}`));
    if (post === undefined) throw new Error('no post');
    return post;
  });
  expect(await compare(graph, object, known)).toEqual(['same', 'same', 'same', 'same']);
  await pass(graph);
  const [, edited, answered, deleted] = posts;
  if (!edited || !answered || !deleted) throw new Error('too few posts');
  teams.editPost(group.id, channel.id, edited.id, '<p>Tide tables for the north quay</p>');
  teams.addPost(group.id, channel.id, answered);
  for (const reply of teams.listReplies(deleted))
    if (reply.deleted_at === null) teams.deletePost(group.id, channel.id, deleted.id, reply.id);
  teams.deletePost(group.id, channel.id, deleted.id);
  const states = await compare(graph, object, known);
  expect(states[0]).toBe('same');
  expect(states[1]).toMatch(/^changed/);
  expect(states[2]).toBe('changed');
  expect(states[3]).toBe('deleted');
  const [, item] = known;
  if (item === undefined) throw new Error('no item');
  expect(await readText(graph, object, item)).toContain('Tide tables for the north quay');
});
