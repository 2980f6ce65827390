import { expect, test } from 'vitest';
import type { ItemResult, RestoreInput, Workload } from '#contract/engine/engine.ts';
import { readProps } from '#server/demo/tenant/mailbox-store.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { aRandomOffice, type RandomOffice } from './random/random-office.ts';
import { aTeam, ROLES } from './team-bench.ts';
import { NO_FLAGS } from './no-flags.ts';

const TERMS: Omit<RestoreInput, 'explorer' | 'nodes'> = {
  target: { kind: 'original' },
  select: 'both',
  onConflict: 'replace',
  versions: 'last',
  flags: { ...NO_FLAGS, team: { members: true, settings: true } },
  dryRun: false,
  reason: null,
};
const OUTAGE_MS = 300_000;

/** An item of the tenant that has a title of its own. */
interface Item {
  readonly title: string;
  /** What the tenant has of it: where, and its content. */
  readonly list: () => readonly string[];
  /** Somebody removes all that has its title, with the folder that it has for itself. */
  readonly remove: () => Promise<unknown>;
  /** Somebody changes it. */
  readonly change: () => Promise<unknown>;
}
/** `folder`: a name of a folder that is made for the item. Without it, the item is in a standard one. */
type Make = (office: RandomOffice, title: string, folder: string | null) => Promise<Item>;

const post = async (office: RandomOffice, path: string, body: unknown): Promise<string> => {
  const made = await office.send('POST', path, body);
  return ((await made.json()) as { readonly id: string }).id;
};
type Props = Readonly<Record<string, unknown>>;

const aMail: Make = async (office, title, folderName) => {
  const { admin, targets, tables } = office;
  const user = `/users/${targets.user}`;
  const folder =
    folderName === null
      ? 'inbox'
      : await post(office, `${user}/mailFolders`, { displayName: folderName });
  const { id } = admin.addMessage(targets.user, folder);
  tables.run("update message set props = json_set(props, '$.subject', ?) where id = ?", title, id);
  const getFolder = (key: string): string | undefined =>
    admin.listFolders(targets.user).find((one) => one.id === key)?.name;
  const rows = () =>
    admin
      .listMessages(targets.user)
      .filter((row) => readProps(row).subject === title)
      .map((row) => ({ row, folder: getFolder(row.folder_id) }))
      .filter((one) => one.folder !== 'Deletions');
  return {
    title,
    list: () =>
      rows().map(({ row, folder: name }) => `${name}: ${readProps(row).categories.join()}`),
    remove: async () => {
      for (const { row } of rows()) await office.send('DELETE', `${user}/messages/${row.id}`);
      const made = admin.listFolders(targets.user).find(({ name }) => name === folderName);
      if (made) await office.send('DELETE', `${user}/mailFolders/${made.id}`);
    },
    change: async () => {
      for (const { row } of rows())
        await office.send('PATCH', `${user}/messages/${row.id}`, { categories: ['changed'] });
    },
  };
};

const day = (hour: string) => ({ dateTime: `2026-06-01T${hour}:00:00`, timeZone: 'UTC' });
const PLACES = {
  event: { kind: 'calendar', path: 'calendars', items: 'events', field: 'subject' },
  contact: {
    kind: 'contactFolder',
    path: 'contactFolders',
    items: 'contacts',
    field: 'displayName',
  },
  task: { kind: 'taskList', path: 'todo/lists', items: 'tasks', field: 'title' },
} as const;

const anOutlookItem =
  (kind: keyof typeof PLACES): Make =>
  async (office, title, folderName) => {
    const { admin, targets } = office;
    const { kind: folderKind, path, items, field } = PLACES[kind];
    const base = `/users/${targets.user}/${path}`;
    const folders = () => admin.outlook.listFolders(targets.user);
    const body = kind === 'event' ? { name: folderName } : { displayName: folderName };
    const folder =
      folderName === null
        ? (folders().find((one) => one.kind === folderKind)?.id ?? '')
        : await post(office, base, body);
    const times = kind === 'event' ? { start: day('09'), end: day('10') } : {};
    await post(office, `${base}/${folder}/${items}`, { [field]: title, ...times });
    const rows = () =>
      admin.outlook
        .list(targets.user, kind)
        .map((row) => ({ row, props: JSON.parse(row.props) as Props }))
        .filter(({ props }) => props[field] === title);
    return {
      title,
      list: () =>
        rows().map(({ row, props }) => {
          const where = folders().find(({ id }) => id === row.folder_id)?.name;
          return `${where}: ${String(props['categories'])}`;
        }),
      remove: async () => {
        for (const { row } of rows()) admin.outlook.remove(targets.user, kind, row.id);
        const made = folders().find(({ name }) => name === folderName);
        if (made) admin.outlook.removeFolder(targets.user, made.id);
      },
      change: async () => {
        for (const { row } of rows())
          admin.outlook.change(targets.user, kind, row.id, { categories: ['changed'] });
      },
    };
  };

const aRow: Make = async ({ admin, targets: { site } }, title, folderName) => {
  const name = folderName ?? 'Rows';
  const find = () => admin.listLists(site).find((list) => list.name === name);
  const { id } = find() ?? admin.addList(site, name);
  admin.addRow(site, id, { Title: title });
  const rows = () => {
    const list = find();
    if (list === undefined) return [];
    return admin
      .listRows(site, list.id)
      .filter(({ fields }) => String((JSON.parse(fields) as Props)['Title']).startsWith(title))
      .map((row) => ({ row, list: list.id }));
  };
  return {
    title,
    list: () => rows().map(({ row }) => `${name}: ${row.fields}`),
    remove: async () => {
      for (const { row, list } of rows()) admin.deleteRow(site, list, row.n);
      const list = find();
      if (folderName !== null && list !== undefined) admin.removeList(site, list.id);
    },
    change: async () => {
      for (const { row, list } of rows())
        admin.changeRow(site, list, row.n, { Title: `${title} changed` });
    },
  };
};

const aFile: Make = async (office, title, folderName) => {
  const drive = `/users/${office.targets.user}/drive`;
  if (folderName !== null)
    await office.send('POST', `${drive}/root/children`, { name: folderName, folder: {} });
  const at = folderName === null ? title : `${folderName}/${title}`;
  await office.send('PUT', `${drive}/root:/${encodeURI(at)}:/content`, 'first');
  const rows = () =>
    office.admin.listFiles(office.targets.user).filter(({ name }) => name === title);
  return {
    title,
    list: () => rows().map((row) => `${office.admin.getFolderPath(row)}: ${row.size}`),
    remove: async () => {
      for (const { id } of rows()) office.admin.deleteFile(office.targets.user, id);
      if (folderName !== null)
        await office.send('DELETE', `${drive}/root:/${encodeURI(folderName)}:`);
    },
    change: async () => {
      for (const { id } of rows()) office.admin.changeFile(office.targets.user, id);
    },
  };
};

const aTab: Make = async (office, title) => {
  const { admin, targets } = office;
  const { teams } = admin;
  const [channel] = teams.listChannels(targets.team);
  const path = `/teams/${targets.team}/channels/${channel?.id ?? ''}/tabs`;
  await post(office, path, {
    'displayName': title,
    'teamsApp@odata.bind':
      'https://graph.microsoft.com/v1.0/appCatalogs/teamsApps/com.microsoft.teamspace.tab.web',
    'configuration': { contentUrl: 'https://example.org/first' },
  });
  const rows = () =>
    teams.listTabs(targets.team, channel?.id ?? '').filter(({ name }) => name === title);
  return {
    title,
    list: () => rows().map(({ configuration }) => configuration),
    remove: async () => {
      for (const { id } of rows()) teams.removeTab(targets.team, channel?.id ?? '', id);
    },
    change: async () => {
      for (const { id } of rows())
        await office.send('PATCH', `${path}/${id}`, { configuration: { contentUrl: 'changed' } });
    },
  };
};

interface Case {
  readonly workload: Workload;
  readonly selected: 'person and site' | 'team';
  readonly make: Readonly<Record<string, Make>>;
}
const CASES: Readonly<Record<string, Case>> = {
  mailbox: {
    workload: 'outlook',
    selected: 'person and site',
    make: {
      mail: aMail,
      event: anOutlookItem('event'),
      contact: anOutlookItem('contact'),
      task: anOutlookItem('task'),
    },
  },
  drive: { workload: 'onedrive', selected: 'person and site', make: { file: aFile } },
  site: { workload: 'sharepoint', selected: 'person and site', make: { row: aRow } },
  team: { workload: 'teams', selected: 'team', make: { tab: aTab } },
};
const TEAM: Case = { workload: 'teams', selected: 'team', make: {} };

/** How requests and responses of an undo get lost. */
type Loss =
  | 'none'
  /** The first response to each DELETE. */
  | 'a response'
  /** The same, and then all requests for some minutes: the undo has to wait. */
  | 'a response, then the tenant'
  /** Each request before it arrives, and then all for some minutes. */
  | 'each request';

async function anOffice(
  { workload, selected, make }: Case,
  prepare: (office: RandomOffice) => void = () => undefined,
) {
  const office = await aRandomOffice(await freshStore(ONE), 11, selected);
  const { clock, cloud } = office.context;
  const items: Record<'created' | 'replaced', Item[]> = { created: [], replaced: [] };
  for (const [kind, add] of Object.entries(make)) {
    items.created.push(await add(office, `Lost ${kind}`, `Lost ${kind}s`));
    for (const n of [0, 1, 2]) items.replaced.push(await add(office, `Changed ${kind} ${n}`, null));
  }
  prepare(office);
  const { at } = await office.backUp();
  const explorer = await office.open(workload, at);
  const all = await office.walk(explorer);
  const pick = ({ title }: Pick<Item, 'title'>) => {
    const found = all.find(({ node }) => node.name === title);
    if (found === undefined) throw new Error(`not backed up: ${title}`);
    return found.node.id;
  };
  const lost: { loss: Loss; seen: Set<string> } = { loss: 'none', seen: new Set() };
  let downUntil = 0;
  cloud.connectTo(async (request) => {
    const { loss, seen } = lost;
    if (clock.now() < downUntil) throw new TypeError('fetch failed');
    const key = `${request.method} ${request.url}`;
    const isFirst = loss !== 'none' && !request.url.endsWith('/token') && !seen.has(key);
    seen.add(key);
    if (isFirst && loss === 'each request') {
      downUntil = clock.now() + OUTAGE_MS;
      throw new TypeError('fetch failed');
    }
    const response = await office.office.fetch(request);
    if (!isFirst || request.method !== 'DELETE') return response;
    if (loss === 'a response, then the tenant') downUntil = clock.now() + OUTAGE_MS;
    throw new TypeError('fetch failed');
  });
  const restore = (chosen: readonly Pick<Item, 'title'>[]) =>
    office.restore({ ...TERMS, explorer, nodes: chosen.map(pick) });
  const restoreSettings = () => {
    const settings = all.filter(({ node }) => node.kind === 'settings').map(({ node }) => node.id);
    return office.restore({ ...TERMS, explorer, nodes: settings });
  };
  /** What the undo says of each item, with the DELETEs that it sent. */
  const undo = async (task: string, loss: Loss) => {
    Object.assign(lost, { loss, seen: new Set<string>() });
    const { done, results } = await office.undo(task);
    const deletes = [...lost.seen].filter((key) => key.startsWith('DELETE')).length;
    Object.assign(lost, { loss: 'none' });
    return { result: done.result, said: results.map(describe).toSorted(), deletes };
  };
  return { office, items, restore, restoreSettings, undo };
}
/** The replaced items of each turn have numbers of their own. */
const describe = ({ name, outcome, message }: ItemResult): string =>
  `${name.replace(/ \d$/, '')}: ${outcome}, ${message}`;

const LOSSES = ['none', 'a response', 'a response, then the tenant'] as const;
const PUT_BACK = 'restored, The earlier version was put back.';

for (const [name, one] of Object.entries(CASES)) {
  test(`RES-4, RES-5: an undo that loses the response to each removal ends as without loss (${name})`, async () => {
    const { items, restore, undo } = await anOffice(one);
    const kinds = Object.keys(one.make);
    for (const item of items.created) await item.remove();
    for (const [n, loss] of LOSSES.entries()) {
      const replaced = items.replaced.filter(({ title }) => title.endsWith(` ${n}`));
      for (const item of replaced) await item.change();
      const chosen = [...items.created, ...replaced];
      const list = () => chosen.map((item) => [item.title, item.list()]);
      const before = list();
      const restored = await restore(chosen);
      expect([loss, restored.done.counts]).toEqual([
        loss,
        { restored: kinds.length, merged: kinds.length, skipped: 0, failed: 0 },
      ]);
      expect(items.created.map((item) => item.list().length)).toEqual(kinds.map(() => 1));
      const undone = await undo(restored.task, loss);
      expect([loss, undone.said]).toEqual([
        loss,
        [
          ...kinds.map((kind) => `Changed ${kind}: ${PUT_BACK}`),
          ...kinds.map((kind) => `Lost ${kind}: restored, Removed.`),
        ].toSorted(),
      ]);
      expect([loss, list()]).toEqual([loss, before]);
      expect(undone.deletes).toBeGreaterThanOrEqual(kinds.length);
    }
  });

  test(`RES-4, RES-5: an undo that loses its requests doesn't claim what others did before (${name})`, async () => {
    const { items, restore, undo } = await anOffice(one);
    const kinds = Object.keys(one.make);
    for (const item of items.created) await item.remove();
    for (const [act, message] of [
      ['remove', 'No longer in the target.'],
      ['change', 'Changed since the restore, so it was left as it is.'],
    ] as const) {
      const restored = await restore(items.created);
      for (const item of items.created) await item[act]();
      const list = () => items.created.map((item) => item.list());
      const before = list();
      const undone = await undo(restored.task, 'each request');
      expect([act, undone.said]).toEqual([
        act,
        kinds.map((kind) => `Lost ${kind}: skipped, ${message}`).toSorted(),
      ]);
      expect([act, list()]).toEqual([act, before]);
    }
  });
}

test('RES-4, RES-5: an undo that loses the response to each removal of a member ends as without loss', async () => {
  const { office, restoreSettings, undo } = await anOffice(TEAM, ({ admin, targets }) => {
    for (let n = 0; n < 2; n += 1)
      admin.teams.putMember(targets.team, { personId: admin.addUser().id, isOwner: false });
  });
  const { admin, targets } = office;
  const { teams } = admin;
  const list = () =>
    teams
      .listMembers(targets.team)
      .map(({ personId }) => personId)
      .toSorted();
  const all = list();
  const left = teams.listMembers(targets.team).filter(({ isOwner }) => !isOwner);
  for (const { personId } of left.slice(0, 2)) teams.removeMember(targets.team, personId);
  const before = list();
  expect(before).toHaveLength(all.length - 2);
  for (const loss of LOSSES) {
    const restored = await restoreSettings();
    expect([loss, restored.done.counts.merged, list()]).toEqual([loss, 1, all]);
    const undone = await undo(restored.task, loss);
    expect([loss, undone.said.length, undone.said[0]?.split(': ')[1]]).toEqual([loss, 1, PUT_BACK]);
    expect([loss, list()]).toEqual([loss, before]);
    expect(undone.deletes).toBe(2);
  }
  const restored = await restoreSettings();
  const other = admin.addUser();
  teams.putMember(targets.team, { personId: other.id, isOwner: false });
  const undone = await undo(restored.task, 'each request');
  expect(undone.said[0]?.split(': ')[1]).toBe(
    'skipped, Changed since the restore, so it was left as it is.',
  );
  expect(list()).toEqual([...all, other.id].toSorted());
});

/** A team that a restore has created, as the deleted one can't come back. */
async function aCreatedTeam() {
  const rights = [...ROLES, 'Group.ReadWrite.All'];
  const bench = await aTeam(await freshStore(ONE), rights, undefined, 40_000);
  const { fixture, office, teams, team, restore, undo, listResults, top } = bench;
  fixture.pass(60_000);
  teams.purge(team);
  const others = teams.list().map(({ id }) => id);
  const { task, results } = await restore([top]);
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  const created = teams.list().find(({ id }) => !others.includes(id))?.id ?? '';
  const undoWith = async (loss: Loss) => {
    const seen = new Set<string>();
    let downUntil = 0;
    const { clock, cloud } = fixture.context;
    cloud.connectTo(async (request) => {
      if (clock.now() < downUntil) throw new TypeError('fetch failed');
      const key = `${request.method} ${request.url}`;
      const isFirst = loss !== 'none' && !request.url.endsWith('/token') && !seen.has(key);
      seen.add(key);
      const isOfTeam = request.url.includes(created);
      if (isFirst && isOfTeam && loss === 'each request') {
        downUntil = clock.now() + 60_000;
        throw new TypeError('fetch failed');
      }
      const response = await office.fetch(request);
      if (!isFirst || request.method !== 'DELETE') return response;
      if (isOfTeam && loss === 'a response, then the tenant') downUntil = clock.now() + OUTAGE_MS;
      throw new TypeError('fetch failed');
    });
    const done = await undo(task);
    const undone = (await listResults(done.id)).map(describe).toSorted();
    const left = teams.list().map(({ id }) => id);
    office.close();
    return { result: done.result, counts: done.counts, said: undone, left };
  };
  return { teams, created, others, undo: undoWith };
}

test('RES-4, RES-5: an undo that loses the response to the removal of a team ends as without loss', async () => {
  const said: (readonly string[])[] = [];
  for (const loss of LOSSES) {
    const { others, undo } = await aCreatedTeam();
    const undone = await undo(loss);
    expect([loss, undone.left]).toEqual([loss, others]);
    expect([loss, undone.result, undone.counts.failed]).toEqual([loss, 'success', 0]);
    expect(undone.said.some((line) => line.endsWith('Removed with its team.'))).toBe(true);
    said.push(undone.said);
  }
  const [without, ...withLoss] = said;
  for (const lines of withLoss) expect(lines).toEqual(without);
});

test('RES-4: an undo says of a team that somebody else has removed that it is no longer there', async () => {
  for (const loss of ['none', 'each request'] as const)
    for (const how of ['delete', 'purge'] as const) {
      const { teams, created, others, undo } = await aCreatedTeam();
      teams[how](created);
      const undone = await undo(loss);
      expect([loss, how, undone.left]).toEqual([loss, how, others]);
      expect([loss, how, undone.counts.failed]).toEqual([loss, how, 0]);
      // Its files may still be there, and are removed.
      const rest = undone.said.filter((line) => !line.endsWith(': restored, Removed.'));
      expect(rest.length).toBeGreaterThan(5);
      for (const line of rest) expect(line).toMatch(/: skipped, No longer in the target\.$/);
    }
});
