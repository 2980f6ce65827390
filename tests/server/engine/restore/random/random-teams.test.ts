import { expect, test } from 'vitest';
import type { ItemResult, RestoreInput } from '#contract/engine/engine.ts';
import type { NodeId } from '#contract/ids.ts';
import { freshStore, ONE } from '../../../db/databases.ts';
import { makeRandom } from '../../random.ts';
import { changeTeam } from './change-team.ts';
import { pick, type Random } from './change-tenant.ts';
import { aRandomOffice, type FoundNode, type RandomOffice } from './random-office.ts';
import { expectTeamRestore, type WantedOfTeam } from './team-oracle.ts';
import { describeTeam, OTHER_FILES, readTeam, type TeamView } from './team-view.ts';
import { getNames, toPlace } from './tenant-view.ts';
import { NO_FLAGS } from '../no-flags.ts';

/** Stories of restores. Longer proofs begin with a seed of their own; `SEED` repeats one. */
const PROOF = Number(process.env['PROOF'] ?? 1);
const SEED = process.env['SEED'];
const STORIES = SEED === undefined ? PROOF : 1;
const FIRST = Number(SEED ?? (PROOF === 1 ? 4 : 1 + (Date.now() % 1_000_000)));
const POINTS = 2;
const RESTORES = PROOF === 1 ? 5 : 10;

interface Point {
  readonly at: number;
  readonly view: TeamView;
}

for (let story = 0; story < STORIES; story += 1) {
  const seed = FIRST + story;
  test(`RES-1, RES-2, RES-3, RES-4, RES-45, RES-47, RES-48: random restores of a team do what their rules say, and undo takes back what it can (SEED=${seed})`, async () => {
    const random = makeRandom(seed);
    for (let n = 0; n < 10; n += 1) random(2);
    const office = await aRandomOffice(await freshStore(ONE), seed, 'team');
    const { team } = office.targets;
    fillTeam(office, team);
    const points: Point[] = [];
    for (let n = 0; n < POINTS; n += 1) {
      if (n > 0) await changeTeam(office, team, random, 25);
      const { at, result } = await office.backUp();
      expect(result).toBe('success');
      points.push({ at, view: readTeam(office, team) });
    }
    await changeTeam(office, team, random, 25);
    for (let n = 0; n < RESTORES; n += 1) {
      office.pass(3_600_000);
      await tryRestore(office, points, random);
      await changeTeam(office, team, random, 3);
    }
  });
}

/** Some teams have nobody, and no channel. */
function fillTeam({ admin }: RandomOffice, team: string): void {
  const { teams } = admin;
  const [owner, ...others] = admin.listUsers();
  if (teams.listMembers(team).length > 0 || owner === undefined) return;
  teams.putMember(team, { personId: owner.id, isOwner: true });
  for (const { id } of others) teams.putMember(team, { personId: id, isOwner: false });
  for (const name of ['General', 'Deliveries', 'Budget']) {
    const membership = name === 'Budget' ? 'private' : 'standard';
    const { id } = teams.addChannel(team, name, membership);
    for (const person of membership === 'private' ? teams.listMembers(team) : [])
      teams.putChannelMember(id, person);
    teams.addPost(team, id);
    teams.addFile(team, id, 'Beta plan.docx');
  }
}

const ITEMS: ReadonlySet<string> = new Set(['post', 'tab', 'file', 'settings']);
const isItem = ({ node }: FoundNode): boolean => ITEMS.has(node.kind);

async function tryRestore(
  office: RandomOffice,
  points: readonly Point[],
  random: Random,
): Promise<void> {
  const { team } = office.targets;
  const object = `team ${team}`;
  const point = pick(points, random);
  if (point === undefined) return;
  const explorer = await office.open('teams', point.at);
  const nodes = await office.walk(explorer);
  expectShown(nodes, point.view, object);
  const { picked, wanted } = choose(nodes, point.view, random);
  if (picked.length === 0) return;
  const input: RestoreInput = {
    explorer,
    nodes: picked,
    target: { kind: 'original' },
    select: pick(['missing', 'changed', 'both', 'both'] as const, random) ?? 'both',
    onConflict: pick(['skip', 'replace', 'replace', 'keep-both'] as const, random) ?? 'skip',
    versions: random(3) === 0 ? 'all' : 'last',
    flags: { ...NO_FLAGS, team: { members: random(4) !== 0, settings: random(4) !== 0 } },
    dryRun: false,
    reason: 'test',
  };
  const look = (): TeamView => readTeam(office, team);
  const before = look();
  const expected = expectTeamRestore(before, point.view, wanted, input, object);
  const about = JSON.stringify({ point: points.indexOf(point), ...input });
  const { outcomes } = expected;

  const dry = await office.restore({ ...input, dryRun: true });
  expect({ about, ...describeTeam(look()) }).toEqual({ about, ...describeTeam(before) });
  expect({ about, outcomes: describe(dry.results) }).toEqual({ about, outcomes });
  const real = await office.restore(input);
  expect({ about, outcomes: describe(real.results) }).toEqual({ about, outcomes });
  expect({ about, ...describeTeam(look()) }).toEqual({ about, ...describeTeam(expected.view) });
  // RES-2: it is all there.
  const again = await office.restore(input);
  const written = again.results
    .filter(({ outcome }) => outcome === 'restored' || outcome === 'merged')
    .map(({ name, outcome, message }) => `${name}: ${outcome}. ${message ?? ''}`);
  expect({ about, written }).toEqual({ about, written: [] });
  // RES-4
  if (!real.done.canUndo) {
    expect({ about, outcomes: outcomes.filter((one) => /: (restored|merged)$/.test(one)) }).toEqual(
      { about, outcomes: [] },
    );
    return;
  }
  const undone = await office.undo(real.task);
  expect({
    about,
    left: describe(undone.results.filter(({ outcome }) => outcome !== 'restored')),
  }).toEqual({ about, left: expected.leftByUndo });
  expect({ about, ...describeTeam(look()) }).toEqual({ about, ...describeTeam(expected.undone) });
}

const describe = (results: readonly ItemResult[]): readonly string[] =>
  results.map(({ name, outcome }) => `${name}: ${outcome}`).toSorted();

/** RES-45: the session shows exactly what the team had. */
function expectShown(nodes: readonly FoundNode[], view: TeamView, object: string): void {
  const shown = nodes
    .filter(isItem)
    .map(({ node, path }) =>
      node.kind === 'post'
        ? `post ${path[0] ?? ''} ${node.at ?? ''} ${node.replies ?? 0}`
        : `${node.kind} ${toPlace(path)}`,
    );
  const had = [
    ...view.threads.map(({ channel, id, replies }) => `post ${channel} ${id} ${replies.length}`),
    ...view.tabs.map(({ channel, name }) => `tab ${toPlace([channel, 'Tabs', name])}`),
    ...view.files.map(({ place, name }) => `file ${toPlace([...getNames(place), name])}`),
    ...nodes
      .filter(({ node }) => node.kind === 'settings')
      .map(({ path }) => `settings ${toPlace(path)}`),
  ];
  expect(shown.toSorted()).toEqual(had.toSorted());
  expect(nodes.filter(({ node }) => node.kind === 'settings')).toHaveLength(1);
  const folders = nodes
    .filter(
      ({ node, path }) => node.kind === 'dir' && path.length > (path[0] === OTHER_FILES ? 1 : 2),
    )
    .map(({ path }) => `${object} ${toPlace(path)}`);
  expect(folders.toSorted()).toEqual([...view.folders].toSorted());
}

const isBelow = (above: readonly string[], path: readonly string[]): boolean =>
  above.every((part, depth) => path[depth] === part);

/** Draws the whole team, channels and folders, or items. Those of one name in one place come together. */
function choose(
  nodes: readonly FoundNode[],
  view: TeamView,
  random: Random,
): { readonly picked: readonly NodeId[]; readonly wanted: WantedOfTeam } {
  const level = random(3);
  const candidates = nodes.filter((one) =>
    level === 0
      ? one.path.length === 0
      : level === 1
        ? !isItem(one) && one.path.length > 0
        : isItem(one),
  );
  const count = level === 0 ? 1 : 1 + random(level === 1 ? 3 : 6);
  const names = new Set(
    Array.from({ length: count }, () => pick(candidates, random)).map((one) =>
      toPlace(one?.path ?? []),
    ),
  );
  const picked = candidates.filter(({ path }) => names.has(toPlace(path)));
  const items = nodes.filter(
    (one) =>
      isItem(one) &&
      (level === 2
        ? names.has(toPlace(one.path))
        : picked.some(({ path }) => isBelow(path, one.path))),
  );
  const places = new Set(items.map(({ path }) => toPlace(path)));
  return {
    picked: picked.map(({ node }) => node.id),
    wanted: {
      threads: items.flatMap(({ node, path }) => {
        const thread = view.threads.find(
          ({ channel, id }) =>
            node.kind === 'post' && channel === path[0] && id === String(node.at),
        );
        return thread === undefined ? [] : [{ name: node.name, thread }];
      }),
      files: view.files.filter(({ place, name }) =>
        places.has(toPlace([...getNames(place), name])),
      ),
      tabs: view.tabs.filter(({ channel, name }) => places.has(toPlace([channel, 'Tabs', name]))),
      settings: items.find(({ node }) => node.kind === 'settings')?.node.name ?? null,
    },
  };
}
