import { expect, test } from 'vitest';
import type { RestoreInput } from '#contract/engine/engine.ts';
import type { NodeId } from '#contract/ids.ts';
import { readPostProps } from '#server/demo/tenant/team-store.ts';
import { freshStore, ONE } from '../../db/databases.ts';
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

/** A post or tab that somebody changes. `mark`: a text that only it has. */
interface Changed {
  readonly mark: string;
  readonly change: (text: string) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
  /** The texts of the item and of all that is beside it. */
  readonly list: () => readonly string[];
}
type Make = (office: RandomOffice, channel: string, mark: string) => Promise<Changed>;

const TEXTS = ['first', 'second', 'third', 'edited since'] as const;
const findText = (text: string): string => TEXTS.find((one) => text.includes(one)) ?? text;

const aPost =
  (hasSubject: boolean): Make =>
  async ({ admin, tables, targets: { team } }, channel, mark) => {
    const { teams } = admin;
    const post = teams.addPost(team, channel);
    const props = { ...readPostProps(post), subject: hasSubject ? mark : null };
    tables.run('update post set props = ? where n = ?', JSON.stringify(props), post.n);
    return {
      mark,
      change: async (text) => teams.editPost(team, channel, post.id, `<p>${text} ${mark}</p>`),
      remove: async () => teams.deletePost(team, channel, post.id),
      list: () =>
        teams
          .listPosts(team, channel)
          .filter((one) => one.deleted_at === null && readPostProps(one).content.includes(mark))
          .map((one) => findText(readPostProps(one).content))
          .toSorted(),
    };
  };

const aTab: Make = async ({ admin, send, targets: { team } }, channel, mark) => {
  const path = `/teams/${team}/channels/${channel}/tabs`;
  const app = 'https://graph.microsoft.com/v1.0/appCatalogs/teamsApps';
  const made = await send('POST', path, {
    'displayName': mark,
    'teamsApp@odata.bind': `${app}/com.microsoft.teamspace.tab.web`,
    'configuration': { contentUrl: 'https://example.com/new' },
  });
  const { id } = (await made.json()) as { readonly id: string };
  return {
    mark,
    change: (text) =>
      send('PATCH', `${path}/${id}`, { displayName: mark, configuration: { contentUrl: text } }),
    remove: async () => admin.teams.removeTab(team, channel, id),
    list: () =>
      admin.teams
        .listTabs(team, channel)
        .filter(({ name }) => name === mark)
        .map(({ configuration }) => findText(configuration))
        .toSorted(),
  };
};

const MAKE: Readonly<Record<string, Make>> = {
  'post': aPost(false),
  // Its title is the same in all versions.
  'post with a subject': aPost(true),
  'tab': aTab,
};
const STATES = ['edited since', 'second', 'deleted'] as const;
const MODES = ['skip', 'keep-both', 'replace'] as const;

const RESTORED = ['restored', 'restored', 'restored'] as const;
const ALL = ['first', 'second', 'third'] as const;
/** What becomes of an item by what somebody has done with it since, and its outcomes. */
const EXPECTED = {
  'edited since': {
    'skip': [
      ['edited since', 'first', 'second'],
      ['restored', 'restored', 'skipped'],
    ],
    'keep-both': [['edited since', ...ALL], RESTORED],
    'replace': [ALL, ['merged', 'restored', 'restored']],
  },
  'second': {
    'skip': [
      ['first', 'second'],
      ['restored', 'skipped', 'skipped'],
    ],
    'keep-both': [ALL, ['restored', 'restored', 'skipped']],
    'replace': [ALL, ['merged', 'restored', 'restored']],
  },
  'deleted': { 'skip': [ALL, RESTORED], 'keep-both': [ALL, RESTORED], 'replace': [ALL, RESTORED] },
} as const;

test('RES-94, RES-48, RES-1, RES-2: of several versions of one post or tab, the newest is the item and the others are items of their own', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11, 'team');
  const { admin, targets } = office;
  const channel = admin.teams.listChannels(targets.team)[0]?.id ?? '';
  const made = [];
  for (const [what, make] of Object.entries(MAKE))
    for (const since of STATES)
      for (const mode of MODES) {
        const item = await make(office, channel, `Plan ${made.length}.`);
        made.push({ what, since, mode, item });
        office.pass(1_000);
      }
  let at = 0;
  for (const text of ['first', 'second', 'third']) {
    office.pass(60_000);
    for (const { item } of made) await item.change(text);
    ({ at } = await office.backUp());
  }
  office.pass(60_000);
  for (const { item, since } of made)
    await (since === 'deleted' ? item.remove() : item.change(since));
  const explorer = await office.open('teams', at);
  const all = await office.walk(explorer);
  for (const mode of MODES) {
    const chosen = made.filter((one) => one.mode === mode);
    const nodes: NodeId[] = [];
    for (const { item } of chosen) {
      const found = all.find(
        ({ node }) => ['post', 'tab'].includes(node.kind) && `${node.name} `.includes(item.mark),
      );
      if (found === undefined) throw new Error(`not backed up: ${item.mark}`);
      const versions = getValue(
        await office.engine.listVersions(office.scope, { explorer, node: found.node.id }),
      );
      nodes.push(...versions.slice(0, 3).map(({ node }) => node.id));
    }
    const list = () => chosen.map(({ what, since, item }) => [what, since, item.list()]);
    const expected = chosen.map(({ what, since }) => {
      // Posts are never replaced.
      const as = what !== 'tab' && mode === 'replace' ? 'skip' : mode;
      return { what, since, row: EXPECTED[since][as] };
    });
    const texts = expected.map(({ what, since, row }) => [what, since, row[0]]);
    const outcomes = expected.flatMap(({ row }) => row[1]).toSorted();
    const before = list();
    const run = async (dryRun: boolean) => {
      const { task, results } = await office.restore({
        ...TERMS,
        explorer,
        nodes: mode === 'skip' ? nodes : nodes.toReversed(),
        onConflict: mode,
        dryRun,
      });
      const failed = results.filter(({ outcome }) => outcome === 'failed');
      return {
        task,
        failed: failed.map(({ name, message }) => `${name}: ${message}`),
        outcomes: results.map(({ outcome }) => outcome).toSorted(),
      };
    };
    const dry = await run(true);
    expect([mode, dry.failed, dry.outcomes, list()]).toEqual([mode, [], outcomes, before]);
    const restored = await run(false);
    expect([mode, restored.failed, list()]).toEqual([mode, [], texts]);
    expect([mode, restored.outcomes]).toEqual([mode, outcomes]);
    const again = await run(false);
    const skipped = nodes.map(() => 'skipped');
    expect([mode, again.outcomes, list()]).toEqual([mode, skipped, texts]);
    await office.undo(restored.task);
    const tabs = (rows: ReturnType<typeof list>) => rows.filter(([what]) => what === 'tab');
    expect([mode, tabs(list())]).toEqual([mode, tabs(before)]);
  }
});

test('RES-2, RES-48: "keep both" writes a thread once, although an earlier version of it was written before', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11, 'team');
  const { teams } = office.admin;
  const { team } = office.targets;
  const channel = teams.listChannels(team)[0]?.id ?? '';
  const post = teams.addPost(team, channel);
  const subject = 'Plan of the week';
  office.tables.run(
    'update post set props = ? where n = ?',
    JSON.stringify({ ...readPostProps(post), subject }),
    post.n,
  );
  office.pass(60_000);
  const reply = teams.addPost(team, channel, post);
  const points = [];
  for (const text of ['first', 'second']) {
    office.pass(60_000);
    teams.editPost(team, channel, post.id, `<p>${text}</p>`, reply.id);
    points.push(await office.backUp());
  }
  office.pass(60_000);
  // Somebody edits the post, and deletes its reply.
  teams.editPost(team, channel, post.id, '<p>edited since</p>');
  teams.deletePost(team, channel, post.id, reply.id);
  const listReplies = () =>
    teams
      .listPosts(team, channel)
      .filter((one) => readPostProps(one).subject === subject)
      .map((one) =>
        teams
          .listReplies(one)
          .filter(({ deleted_at }) => deleted_at === null)
          .map((row) => findText(readPostProps(row).content))
          .join(' '),
      )
      .toSorted();
  const written = [''];
  for (const [n, text] of ['first', 'second'].entries()) {
    const explorer = await office.open('teams', points[n]?.at ?? 0);
    const node = (await office.walk(explorer)).find((one) => one.node.name === subject)?.node;
    if (node === undefined) throw new Error('not backed up');
    const input = { ...TERMS, explorer, nodes: [node.id], onConflict: 'keep-both' } as const;
    written.push(text);
    for (const outcome of ['restored', 'skipped'] as const) {
      const dry = await office.restore({ ...input, dryRun: true });
      const { results } = await office.restore(input);
      const outcomes = [dry.results, results].map((rows) => rows.map((row) => row.outcome));
      expect([text, outcomes, listReplies()]).toEqual([text, [[outcome], [outcome]], written]);
    }
  }
});
