import { expect, test } from 'vitest';
import type { NodeId } from '#contract/ids.ts';
import type { ItemResult, RestoreInput, Workload } from '#contract/engine/engine.ts';
import type { FailureRule } from '#server/demo/tenant/failure-plan.ts';
import { freshStore, ONE } from '../../../db/databases.ts';
import { skipped } from '../../../restore/downloading.ts';
import { makeRandom } from '../../random.ts';
import { changeTenant, pick, type Random } from './change-tenant.ts';
import { expectRestore, type Wanted, type WantedFolder } from './oracle.ts';
import { compareDownload } from './random-download.ts';
import { aRandomOffice, type FoundNode, INNER_SITE, type RandomOffice } from './random-office.ts';
import {
  type Chosen,
  describeView,
  getNames,
  isMeeting,
  readTenant,
  type TenantView,
  toFolder,
  toPlace,
} from './tenant-view.ts';
import { NO_FLAGS } from '../no-flags.ts';

/** Stories of restores. Longer proofs begin with a seed of their own; `SEED` repeats one. */
const PROOF = Number(process.env['PROOF'] ?? 1);
const SEED = process.env['SEED'];
const STORIES = SEED === undefined ? PROOF : 1;
const FIRST = Number(SEED ?? (PROOF === 1 ? 4 : 1 + (Date.now() % 1_000_000)));
const POINTS = 2;
/** Fewer where a busy machine may have to do them within the time of a test. */
const RESTORES = PROOF === 1 ? 6 : 10;
/** Failures that begin now and then: `every` so many requests, so that no request has all of them. */
const FAILURES: readonly (Pick<FailureRule, 'failure' | 'method'> & { readonly every: number })[] =
  [
    { failure: 'busy', every: 53 },
    { failure: 'reset', every: 59 },
    { failure: 'lost', every: 61 },
    { failure: 'cut', every: 67 },
    { failure: 'throttled', every: 47 },
    { failure: 'expired', every: 71 },
    // A request that creates something isn't repeated while its outcome is unknown.
    ...(['GET', 'PATCH', 'DELETE'] as const).flatMap((method) => [
      { failure: 'error' as const, method, every: 37 },
      { failure: 'timeout' as const, method, every: 43 },
    ]),
  ];
const MAX_REQUESTS = 20_000;

interface Point {
  readonly at: number;
  readonly view: TenantView;
}
const WORKLOADS = ['outlook', 'onedrive', 'sharepoint'] as const;
const OBJECTS = { outlook: 'mailbox', onedrive: 'drive', sharepoint: 'site' } as const;

for (let story = 0; story < STORIES; story += 1) {
  const seed = FIRST + story;
  test(`RES-1, RES-2, RES-3, RES-4, RES-21, RES-93, DL-8: random restores do what their rules say, undo takes them back, and downloads have the same${skipped} (SEED=${seed})`, async () => {
    const random = makeRandom(seed);
    for (let n = 0; n < 10; n += 1) random(2);
    const office = await aRandomOffice(await freshStore(ONE), seed);
    const { user, other, site, inner } = office.targets;
    const chosen: Chosen = {
      mailboxes: [user, other],
      drives: [user, other],
      sites: [site, inner],
    };
    const look = (): TenantView => readTenant(office.tables, office.admin, chosen);
    const points: Point[] = [];
    for (let n = 0; n < POINTS; n += 1) {
      if (n > 0) await changeTenant(office, office.targets, random, 25);
      const { at, result } = await office.backUp();
      expect(result).toBe('success');
      points.push({ at, view: look() });
    }
    await changeTenant(office, office.targets, random, 25);
    for (let n = 0; n < RESTORES; n += 1) {
      office.pass(3_600_000);
      await tryRestore(office, { random, points, look });
      await changeTenant(office, office.targets, random, 3);
    }
  });
}

interface Story {
  readonly random: Random;
  readonly points: readonly Point[];
  readonly look: () => TenantView;
}

async function tryRestore(office: RandomOffice, { random, points, look }: Story): Promise<void> {
  const { user, other, ...sites } = office.targets;
  // A site, or the one below it, which is restored alone.
  const isInner = random(3) === 0;
  const site = isInner ? sites.inner : sites.site;
  const workload = pick(WORKLOADS, random) ?? 'outlook';
  const point = pick(points, random);
  if (point === undefined) return;
  // RES-53: somebody with a role for the person, or for the site.
  const isOperator = random(4) === 0;
  const as = isOperator ? office.operator : office.scope;
  if (isOperator && (office.covers === 'Site') !== (workload === 'sharepoint')) {
    await expectNothing(office, workload, point.at);
    return;
  }
  const explorer = await office.open(workload, point.at, as);
  const object = `${OBJECTS[workload]} ${workload === 'sharepoint' ? site : user}`;
  const nodes = (await office.walk(explorer, as)).filter(
    ({ object: { name } }) => workload !== 'sharepoint' || (name === INNER_SITE) === isInner,
  );
  const own = { things: point.view.things.filter((one) => one.object === object) };
  // RES-8: the session shows exactly what the tenant had.
  expect(nodes.filter(isItem).map(describeNode).toSorted()).toEqual(
    own.things
      .map(({ kind, place, name }) => `${kind} ${toPlace([...getNames(place), name])}`)
      .toSorted(),
  );
  expect(
    nodes
      .filter((one) => !isItem(one) && one.path.length > 0)
      .map(({ path }) => toFolder(object, path))
      .toSorted(),
  ).toEqual([...point.view.folders].filter((one) => one.startsWith(`${object} `)).toSorted());
  const { picked, wanted, empty, isWhole } = choose(nodes, own.things, object, random);
  if (picked.length === 0) return;
  if (skipped === '' && !isOperator) {
    const things = wanted.map(({ thing }) => thing);
    const name = `random-${office.seed}-${office.context.clock.now()}`;
    const { found, expected } = await compareDownload(
      office,
      { explorer, nodes: picked, isWhole },
      things,
      name,
    );
    // DL-8
    expect(found).toEqual(expected);
  }
  const isElsewhere = workload !== 'sharepoint' && !isOperator && random(4) === 0;
  const folder =
    isElsewhere && workload === 'onedrive' && isWhole && random(2) === 0 ? 'Back/Here' : null;
  const input: RestoreInput = {
    explorer,
    nodes: picked,
    target: isElsewhere
      ? { kind: 'other', organization: office.scope.organization, object: other, folder }
      : { kind: 'original' },
    select: pick(['missing', 'changed', 'both', 'both'] as const, random) ?? 'both',
    onConflict: pick(['skip', 'replace', 'replace', 'keep-both'] as const, random) ?? 'skip',
    versions: random(3) === 0 ? 'all' : 'last',
    flags: {
      permissions: random(2) === 0,
      markRestoredAsUnread: random(3) === 0,
      excludeDeletedItems: random(4) === 0,
      excludeDrafts: random(4) === 0,
      excludeInPlaceHoldItems: false,
      excludeLitigationHoldItems: false,
    },
    dryRun: false,
    reason: 'test',
  };
  const target = isElsewhere ? `${OBJECTS[workload]} ${other}` : object;
  // Below a folder that was named, an object has all of its folders.
  const toTarget = (place: string): string =>
    folder === null ? place : toPlace([...folder.split('/'), ...getNames(place)]);
  const before = look();
  const expected = expectRestore(
    before,
    wanted.map((one) => ({ ...one, object: target, place: toTarget(one.place) })),
    empty.map((one) => ({ object: target, path: getNames(toTarget(toPlace(one.path))) })),
    input,
  );
  const about = JSON.stringify({
    workload,
    point: points.indexOf(point),
    isElsewhere,
    isOperator,
    ...input,
  });

  const dry = await office.restore({ ...input, dryRun: true }, as);
  expect({ about, ...describeView(look()) }).toEqual({ about, ...describeView(before) });
  const { outcomes, newFolders } = expected;
  const end = { about, outcomes, newFolders };
  expect({ about, ...describeEnd(dry) }).toEqual(end);
  if (random(2) === 0)
    office.setFailures(
      FAILURES.map(({ every, ...rule }) => {
        const first = 1 + random(every);
        return {
          ...rule,
          path: /graph|outlook|sharepoint/,
          at: Array.from({ length: MAX_REQUESTS / every }, (_, n) => first + n * every),
          retryAfterSeconds: 1,
        };
      }),
    );
  const real = await office.restore(input, as);
  office.setFailures([]);
  expect({ about, ...describeEnd(real) }).toEqual(end);
  expect({ about, ...describeView(look()) }).toEqual({ about, ...describeView(expected.view) });
  if (input.versions === 'all')
    expectVersions(about, wanted, points.slice(0, points.indexOf(point) + 1), {
      before,
      after: look(),
      target,
      toTarget,
    });
  // RES-2: it is all there.
  const again = await office.restore(input, as);
  const written = new Set(
    again.results
      // What can't be replaced fails again.
      .filter(({ outcome }) => outcome === 'restored' || outcome === 'merged')
      .map(({ name, outcome, message }) => `${name}: ${outcome}. ${message ?? ''}`),
  );
  expect({ about, written: [...written], folders: again.done.folders ?? 0 }).toEqual({
    about,
    written: [],
    folders: 0,
  });
  // RES-4
  const undone = await office.undo(real.task, as);
  // ENG-71: nobody gets a cancellation.
  const meetings = expected.view.things.filter(
    (one) => one.id.startsWith('new') && isMeeting(before, one, one.object),
  );
  expect({
    about,
    left: describe(undone.results.filter(({ outcome }) => outcome !== 'restored')),
  }).toEqual({ about, left: meetings.map(({ name }) => `${name}: failed`).toSorted() });
  const remaining = { things: [...before.things, ...meetings], folders: before.folders };
  expect({ about, ...describeView(look()) }).toEqual({ about, ...describeView(remaining) });
}

/** RES-8, RES-53: an operator opens nothing that is in no role of its own, and restores nothing of it. */
async function expectNothing(office: RandomOffice, workload: Workload, at: number): Promise<void> {
  const { engine, operator, covers } = office;
  const input = { job: null, at, showDeleted: false };
  const refused = { ok: false, error: { kind: 'missing' } };
  expect(await engine.openExplorer(operator, { workload, ...input })).toMatchObject(refused);
  const theirs = await office.open(workload, at);
  const [node] = await office.walk(theirs);
  const own = await office.open(covers === 'Site' ? 'sharepoint' : 'onedrive', at, operator);
  for (const explorer of [theirs, own])
    expect(
      await engine.restore(operator, { ...PLAIN, explorer, nodes: [node?.node.id ?? ''] }),
    ).toMatchObject(refused);
}
const PLAIN: Omit<RestoreInput, 'explorer' | 'nodes'> = {
  target: { kind: 'original' },
  select: 'both',
  onConflict: 'replace',
  versions: 'last',
  flags: NO_FLAGS,
  dryRun: false,
  reason: null,
};

/** RES-21: a file that was written has the contents of all points up to that of the restore, in their order. */
function expectVersions(
  about: string,
  wanted: readonly Wanted[],
  points: readonly Point[],
  {
    before,
    after,
    target,
    toTarget,
  }: {
    readonly before: TenantView;
    readonly after: TenantView;
    readonly target: string;
    readonly toTarget: (place: string) => string;
  },
): void {
  const known = new Map(before.things.map((one) => [one.id, one.versions.length]));
  for (const { thing } of wanted.filter((one) => one.thing.kind === 'file')) {
    const contents = points
      .flatMap(({ view }) => view.things.filter(({ id }) => id === thing.id))
      .map(({ versions }) => versions.at(-1) ?? '')
      .filter((content, n, all) => content !== all[n + 1]);
    for (const one of after.things)
      if (
        one.object === target &&
        one.place === toTarget(thing.place) &&
        one.name === thing.name &&
        one.versions.length > (known.get(one.id) ?? 0)
      )
        expect({ about, name: one.name, versions: one.versions.slice(-contents.length) }).toEqual({
          about,
          name: one.name,
          versions: contents,
        });
  }
}

/** A dry run lists new folders that moved after the items. */
function describeEnd({ done, results }: Awaited<ReturnType<RandomOffice['restore']>>) {
  const items = done.items.total ?? 0;
  const newFolders = done.folders ?? 0;
  expect(results.length - items).toBeLessThanOrEqual(done.kind === 'dry-run' ? newFolders : 0);
  return { outcomes: describe(results.slice(0, items)), newFolders };
}
const describe = (results: readonly ItemResult[]): readonly string[] =>
  results.map(({ name, outcome }) => `${name}: ${outcome}`).toSorted();
const ITEMS: ReadonlySet<string> = new Set(['mail', 'event', 'contact', 'task', 'file', 'row']);
const isItem = ({ node }: FoundNode): boolean => ITEMS.has(node.kind);
const describeNode = ({ node, path }: FoundNode): string => `${node.kind} ${toPlace(path)}`;

interface Choice {
  readonly picked: readonly NodeId[];
  readonly wanted: readonly Wanted[];
  readonly empty: readonly WantedFolder[];
  /** All of a mailbox, drive or site. */
  readonly isWhole: boolean;
}

const isBelow = (above: readonly string[], path: readonly string[]): boolean =>
  above.every((part, depth) => path[depth] === part);

/** Draws one of the levels: all, folders, or items. Those of one name in one place come together. */
function choose(
  nodes: readonly FoundNode[],
  things: TenantView['things'],
  object: string,
  random: Random,
): Choice {
  const level = random(3);
  const candidates = nodes.filter((one) =>
    level === 0
      ? one.path.length === 0
      : level === 1
        ? !isItem(one) && one.path.length > 0
        : isItem(one),
  );
  const count = level === 0 ? 1 : 1 + random(level === 1 ? 3 : 6);
  const chosen = Array.from({ length: count }, () => pick(candidates, random)).filter(
    (one) => one !== undefined,
  );
  const names = new Set(chosen.map((one) => toPlace(one.path)));
  const picked = candidates.filter((one) => names.has(toPlace(one.path)));
  const wanted = things.filter(({ place, name }) =>
    level === 2
      ? names.has(toPlace([...getNames(place), name]))
      : picked.some(({ path }) => isBelow(path, getNames(place))),
  );
  // The columns of a list come back with its rows.
  const empty = nodes.filter(
    (one) =>
      level !== 2 &&
      !isItem(one) &&
      one.node.kind !== 'list' &&
      one.path.length > 0 &&
      picked.some(({ path }) => isBelow(path, one.path)) &&
      !things.some(({ place }) => isBelow(one.path, getNames(place))),
  );
  return {
    picked: picked.map(({ node }) => node.id),
    empty: empty.map(({ path }) => ({ object, path })),
    wanted: wanted.map((thing) => ({ thing, object, place: thing.place })),
    isWhole: level === 0,
  };
}
