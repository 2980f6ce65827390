import { expect, test } from 'vitest';
import type { RestoreInput } from '#contract/engine/engine.ts';
import type { NodeId } from '#contract/ids.ts';
import type { MessageProps } from '#server/demo/tenant/mailbox-store.ts';
import { anyDatabase } from '../../db/databases.ts';
import type { Store } from '#server/platform/db/store.ts';
import { getValue } from '../restic/fixtures.ts';
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

/** An item that somebody changes, and what the tenant has of it. */
interface Changed {
  readonly title: string;
  readonly change: (text: string) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
  /** The texts of the item and of all that stands beside it. */
  readonly list: () => readonly string[];
}
interface Case {
  readonly workload: 'outlook' | 'sharepoint';
  readonly kind: string;
  readonly make: (office: RandomOffice, title: string) => Promise<Changed>;
}

const post = async (office: RandomOffice, path: string, body: unknown): Promise<string> => {
  const made = await office.send('POST', path, body);
  return ((await made.json()) as { readonly id: string }).id;
};

const readProps = ({ props }: { readonly props: string }): MessageProps =>
  JSON.parse(props) as MessageProps;

function aMail(
  office: RandomOffice,
  id: string,
  change: Changed['change'],
  read: (props: MessageProps) => string,
): Changed {
  const { admin, targets } = office;
  const rows = () => admin.listMessages(targets.user);
  const row = rows().find((one) => one.id === id);
  if (row === undefined) throw new Error('no mail');
  const { internetMessageId, subject } = readProps(row);
  return {
    title: subject,
    change,
    remove: async () => admin.purgeMessage(targets.user, id),
    list: () =>
      rows()
        .filter(({ folder_id: folder }) => folder === row.folder_id)
        .map(readProps)
        .filter((props) => props.internetMessageId === internetMessageId)
        .map(read)
        .toSorted(),
  };
}

/** A mail whose subject no other mail has. */
function addMail({ admin, targets, tables }: RandomOffice, title: string): string {
  const { id } = admin.addMessage(targets.user);
  tables.run("update message set props = json_set(props, '$.subject', ?) where id = ?", title, id);
  return id;
}
const mailPath = ({ targets }: RandomOffice, id: string): string =>
  `/users/${targets.user}/messages/${encodeURIComponent(id)}`;

type Props = Readonly<Record<string, unknown>>;

/** An event, contact or task with a property that changes. */
async function anOutlookItem(
  office: RandomOffice,
  kind: 'event' | 'contact' | 'task',
  title: string,
  toProps: (text: string) => Props,
  read: (props: Props) => unknown,
): Promise<Changed> {
  const { admin, targets } = office;
  const user = `/users/${targets.user}`;
  const getFolder = (of: string): string =>
    admin.outlook.listFolders(targets.user).find((one) => one.kind === of)?.id ?? '';
  const known = new Set(admin.outlook.list(targets.user, kind).map((one) => one.id));
  const day = { timeZone: 'UTC' };
  if (kind === 'event')
    await post(office, `${user}/calendars/${getFolder('calendar')}/events`, {
      subject: title,
      start: { dateTime: '2026-06-01T09:00:00', ...day },
      end: { dateTime: '2026-06-01T10:00:00', ...day },
    });
  else if (kind === 'contact')
    await post(office, `${user}/contactFolders/${getFolder('contactFolder')}/contacts`, {
      displayName: title,
      givenName: 'Plan',
    });
  else await post(office, `${user}/todo/lists/${getFolder('taskList')}/tasks`, { title });
  const item = admin.outlook.list(targets.user, kind).find((one) => !known.has(one.id));
  if (item === undefined) throw new Error('no item');
  return {
    title,
    change: async (text) => admin.outlook.change(targets.user, kind, item.id, toProps(text)),
    remove: async () => admin.outlook.remove(targets.user, kind, item.id),
    list: () =>
      admin.outlook
        .list(targets.user, kind)
        .map(({ props }) => JSON.parse(props) as Props)
        .filter((props) => [props['subject'], props['displayName'], props['title']].includes(title))
        .map((props) => String(read(props)))
        .toSorted(),
  };
}

const getText = ({ body }: Props): string =>
  ((body as { readonly content?: string } | undefined)?.content ?? '').trim();
const toBody = (content: string): Props => ({ body: { contentType: 'text', content } });

const CASES: Readonly<Record<string, Case>> = {
  'the categories of a mail': {
    workload: 'outlook',
    kind: 'mail',
    make: async (office, title) => {
      const id = addMail(office, title);
      const change = (text: string) =>
        office.send('PATCH', mailPath(office, id), { categories: [text] });
      return aMail(office, id, change, ({ categories }) => categories.join());
    },
  },
  'the text of a mail': {
    workload: 'outlook',
    kind: 'mail',
    make: async (office, title) => {
      const id = addMail(office, title);
      const change = async (text: string) =>
        office.admin.editMessage(office.targets.user, id, text);
      return aMail(office, id, change, ({ body }) =>
        body.content.replaceAll(/<[^>]*>/g, '').trim(),
      );
    },
  },
  'the text of a draft': {
    workload: 'outlook',
    kind: 'mail',
    make: async (office, title) => {
      const id = await post(office, `/users/${office.targets.user}/messages`, {
        subject: title,
        body: { contentType: 'text', content: 'new' },
      });
      const change = (text: string) => office.send('PATCH', mailPath(office, id), toBody(text));
      return aMail(office, id, change, ({ body }) => body.content.trim());
    },
  },
  'the place of an event': {
    workload: 'outlook',
    kind: 'event',
    make: (office, title) =>
      anOutlookItem(
        office,
        'event',
        title,
        (displayName) => ({ location: { displayName } }),
        ({ location }) => (location as { readonly displayName?: string }).displayName,
      ),
  },
  'the text of an event': {
    workload: 'outlook',
    kind: 'event',
    make: (office, title) => anOutlookItem(office, 'event', title, toBody, getText),
  },
  'a contact': {
    workload: 'outlook',
    kind: 'contact',
    make: (office, title) =>
      anOutlookItem(
        office,
        'contact',
        title,
        (jobTitle) => ({ jobTitle }),
        ({ jobTitle }) => jobTitle,
      ),
  },
  'the category of a task': {
    workload: 'outlook',
    kind: 'task',
    make: (office, title) =>
      anOutlookItem(
        office,
        'task',
        title,
        (text) => ({ categories: [text] }),
        ({ categories }) => categories,
      ),
  },
  'the text of a task': {
    workload: 'outlook',
    kind: 'task',
    make: (office, title) => anOutlookItem(office, 'task', title, toBody, getText),
  },
  'a row': {
    workload: 'sharepoint',
    kind: 'row',
    make: async ({ admin, targets: { site } }, title) => {
      const list = admin.addList(site, title, [
        {
          name: 'Note',
          displayName: 'Note',
          type: 'text',
          facet: {},
          required: false,
          readOnly: false,
        },
      ]);
      const row = admin.addRow(site, list.id, { Title: title });
      return {
        title,
        change: async (Note) => admin.changeRow(site, list.id, row.n, { Title: title, Note }),
        remove: async () => admin.deleteRow(site, list.id, row.n),
        list: () =>
          admin
            .listRows(site, list.id)
            .map(({ fields }) => String((JSON.parse(fields) as Props)['Note']))
            .toSorted(),
      };
    },
  },
};

const STATES = ['edited since', 'second', 'deleted'] as const;
const MODES = ['skip', 'keep-both', 'replace'] as const;

/** Items with the backed-up states first to third: of each case one for each state that it has since. */
async function someChangedItems(store: Store, workload: Case['workload']) {
  const office = await aRandomOffice(store, 11);
  const made: { what: string; since: (typeof STATES)[number]; kind: string; item: Changed }[] = [];
  for (const [what, one] of Object.entries(CASES))
    if (one.workload === workload)
      for (const since of STATES)
        made.push({
          what,
          since,
          kind: one.kind,
          item: await one.make(office, `Plan ${made.length}`),
        });
  let at = 0;
  for (const text of ['first', 'second', 'third']) {
    office.pass(60_000);
    for (const { item } of made) await item.change(text);
    ({ at } = await office.backUp());
  }
  office.pass(60_000);
  for (const { item, since } of made)
    await (since === 'deleted' ? item.remove() : item.change(since));
  const explorer = await office.open(workload, at);
  const all = await office.walk(explorer);
  const pick = async ({ kind, item }: (typeof made)[number]) => {
    const found = all.find(({ node }) => node.kind === kind && node.name === item.title);
    if (found === undefined) throw new Error('not backed up');
    const versions = getValue(
      await office.engine.listVersions(office.scope, { explorer, node: found.node.id }),
    );
    return versions.slice(0, 3).map(({ node }) => node.id);
  };
  const restore = async (nodes: readonly NodeId[], more: Partial<RestoreInput> = {}) => {
    const { task, done, results } = await office.restore({ ...TERMS, explorer, nodes, ...more });
    return {
      task,
      counts: done.counts,
      outcomes: results.map(({ outcome }) => outcome).toSorted(),
      messages: results.map(({ message }) => message ?? ''),
    };
  };
  return { office, made, pick, restore, all };
}

/** What becomes of an item by what somebody has done with it since, and its outcomes. */
const EXPECTED = {
  'edited since': {
    'replace': [
      ['first', 'second', 'third'],
      ['merged', 'restored', 'restored'],
    ],
    'skip': [
      ['edited since', 'first', 'second'],
      ['restored', 'restored', 'skipped'],
    ],
    'keep-both': [
      ['edited since', 'first', 'second', 'third'],
      ['restored', 'restored', 'restored'],
    ],
  },
  // Set back by somebody: that state is there.
  'second': {
    'replace': [
      ['first', 'second', 'third'],
      ['merged', 'restored', 'restored'],
    ],
    'skip': [
      ['first', 'second'],
      ['restored', 'skipped', 'skipped'],
    ],
    'keep-both': [
      ['first', 'second', 'third'],
      ['restored', 'restored', 'skipped'],
    ],
  },
  'deleted': {
    'replace': [
      ['first', 'second', 'third'],
      ['restored', 'restored', 'restored'],
    ],
    'skip': [
      ['first', 'second', 'third'],
      ['restored', 'restored', 'restored'],
    ],
    'keep-both': [
      ['first', 'second', 'third'],
      ['restored', 'restored', 'restored'],
    ],
  },
} as const;

const isSaid = (message: string): boolean => message.includes('takes a newer version');

anyDatabase((name, open) => {
  for (const workload of ['outlook', 'sharepoint'] as const)
    test(`RES-94, RES-1, RES-2, RES-4: of several versions of one item, the newest is the item and the others are items of their own (${workload}, ${name})`, async () => {
      const { office, made, pick, restore } = await someChangedItems(await open(), workload);
      for (const since of STATES) {
        const chosen = made.filter((one) => one.since === since);
        const list = () => chosen.map(({ what, item }) => [what, item.list()]);
        const repeat = (texts: readonly string[]) => chosen.map(({ what }) => [what, texts]);
        const before = repeat(since === 'deleted' ? [] : [since]);
        expect(list()).toEqual(before);
        const newestFirst = (await Promise.all(chosen.map(pick))).flat();
        for (const onConflict of since === 'deleted' ? (['replace'] as const) : MODES) {
          const nodes = onConflict === 'skip' ? newestFirst : newestFirst.toReversed();
          const [texts, ends] = EXPECTED[since][onConflict];
          const outcomes = chosen.flatMap(() => ends).toSorted();
          const about = [since, onConflict];
          const dry = await restore(nodes, { onConflict, dryRun: true });
          expect([about, dry.outcomes, list()]).toEqual([about, outcomes, before]);
          const restored = await restore(nodes, { onConflict });
          expect([about, restored.outcomes, list()]).toEqual([about, outcomes, repeat(texts)]);
          const said = [dry, restored].map(({ messages }) => messages.filter(isSaid).length);
          const written = since === 'second' && onConflict !== 'replace' ? 1 : 2;
          const count = written * chosen.length;
          expect([about, said]).toEqual([about, [count, count]]);
          const again = await restore(nodes, { onConflict });
          expect([about, again.counts, list()]).toEqual([
            about,
            { restored: 0, merged: 0, skipped: nodes.length, failed: 0 },
            repeat(texts),
          ]);
          const undone = await office.undo(restored.task);
          expect([about, undone.done.result, list()]).toEqual([about, 'success', before]);
        }
      }
    });

  for (const workload of ['outlook', 'sharepoint'] as const)
    test(`RES-94, RES-5, RES-4: a restore of several versions of items that loses the tenant after any write ends the same, and so does its undo (${workload}, ${name})`, async () => {
      const { office, made, pick, restore } = await someChangedItems(await open(), workload);
      const { clock, cloud } = office.context;
      let writes = 0;
      let lostAt = 0;
      let downUntil = 0;
      cloud.connectTo(async (request) => {
        if (clock.now() < downUntil) throw new TypeError('fetch failed');
        const response = await office.office.fetch(request);
        if (isWrite(request)) {
          writes += 1;
          if (writes === lostAt) {
            downUntil = clock.now() + 300_000;
            throw new TypeError('fetch failed');
          }
        }
        return response;
      });
      const chosen = made.filter(({ since }) => since === 'edited since');
      const list = () => chosen.map(({ what, item }) => [what, item.list()]);
      const before = list();
      const nodes = (await Promise.all(chosen.map(pick))).flat();
      // What was replaced is another item after the undo.
      for (const onConflict of ['keep-both', 'replace'] as const)
        for (let loses = 1; loses <= (onConflict === 'replace' ? 1 : nodes.length); loses += 3) {
          const about = [onConflict, loses];
          [writes, lostAt] = [0, loses];
          const restored = await restore(nodes, { onConflict });
          const [texts] = EXPECTED['edited since'][onConflict];
          expect([about, restored.counts.failed, list()]).toEqual([
            about,
            0,
            chosen.map(({ what }) => [what, texts]),
          ]);
          expect(writes).toBeGreaterThanOrEqual(loses);
          [writes, lostAt] = [0, loses];
          const undone = await office.undo(restored.task);
          expect([about, undone.done.result, list()]).toEqual([about, 'success', before]);
        }
    });

  test(`RES-94, RES-89, RES-4: a version that comes with its folder is the item, and a retry restores another one beside it (${name})`, async () => {
    const { office, made, pick, restore, all } = await someChangedItems(await open(), 'sharepoint');
    const one = made.find(({ since }) => since === 'edited since');
    const list = all.find(({ node }) => node.kind === 'list' && node.name === one?.item.title);
    if (one === undefined || list === undefined) throw new Error('no row');
    const { item } = one;
    const nodes = [...(await pick(one)).slice(1), list.node.id];
    const dry = await restore(nodes, { dryRun: true });
    expect(dry.counts).toEqual({ restored: 2, merged: 1, skipped: 0, failed: 0 });
    let isRefused = true;
    office.context.cloud.connectTo(async (request) => {
      const isFirst = isRefused && request.method === 'POST' && request.url.endsWith('/items');
      if (!isFirst) return office.office.fetch(request);
      isRefused = false;
      return Response.json({ error: { code: 'invalidRequest', message: 'No.' } }, { status: 400 });
    });
    const restored = await restore(nodes);
    expect([restored.counts, item.list()]).toEqual([
      { restored: 1, merged: 1, skipped: 0, failed: 1 },
      ['first', 'third'],
    ]);
    const retry = getValue(await office.engine.retry(office.scope, { task: restored.task }));
    expect((await office.end(retry)).counts).toMatchObject({ restored: 1, failed: 0 });
    expect(item.list()).toEqual(['first', 'second', 'third']);
    expect((await restore(nodes)).counts).toMatchObject({ skipped: 3, failed: 0 });
    expect((await office.undo(retry)).done.result).toBe('success');
    expect((await office.undo(restored.task)).done.result).toBe('success');
    expect(item.list()).toEqual(['edited since']);
  });
});

/** Neither a request that reads, nor a sign-in. */
const isWrite = ({ method, url }: Request): boolean =>
  method !== 'GET' &&
  !/\/(\$batch|token|exportItems|createImportSession)$/.test(new URL(url).pathname);
