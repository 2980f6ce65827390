import { expect, test } from 'vitest';
import type { RestoreInput, Workload } from '#contract/engine/engine.ts';
import { anyDatabase } from '../../db/databases.ts';
import { makeRandom } from '../random.ts';
import { changeTeam } from './random/change-team.ts';
import { changeTenant } from './random/change-tenant.ts';
import { aRandomOffice, type FoundNode, type RandomOffice } from './random/random-office.ts';
import { NO_FLAGS } from './no-flags.ts';

const SEED = 11;
const CHANGES = 25;
/** Requests that read although they aren't GET requests. */
const READS = /\/(search\/query|directoryObjects\/getByIds|exportItems)$/;
/** Sign-ins of the application. */
const SIGN_INS = /\/oauth2\/v2\.0\/token$/;

/** The requests that would change something, in single ones and in batches. */
function watchWrites({ context, office }: RandomOffice): readonly string[] {
  const writes: string[] = [];
  const note = (method: string, url: string): void => {
    const path = url.split('?')[0] ?? '';
    if (method !== 'GET' && !READS.test(path) && !SIGN_INS.test(path))
      writes.push(`${method} ${path}`);
  };
  context.cloud.connectTo(async (request) => {
    if (request.url.endsWith('/$batch')) {
      const batch = (await request.clone().json()) as {
        requests: readonly { readonly method: string; readonly url: string }[];
      };
      for (const { method, url } of batch.requests) note(method, url);
    } else note(request.method, request.url);
    return office.fetch(request);
  });
  return writes;
}

type Terms = Omit<RestoreInput, 'explorer' | 'nodes' | 'target'>;
const BASE: Terms = {
  select: 'both',
  onConflict: 'replace',
  versions: 'last',
  flags: NO_FLAGS,
  dryRun: true,
  reason: 'test',
};
/** Each value of each setting and flag. */
const TERMS: readonly Terms[] = [
  BASE,
  { ...BASE, versions: 'all', flags: { ...NO_FLAGS, permissions: true } },
  { ...BASE, onConflict: 'skip', flags: { ...NO_FLAGS, markRestoredAsUnread: true } },
  {
    ...BASE,
    onConflict: 'keep-both',
    versions: 'all',
    flags: { ...NO_FLAGS, permissions: true, team: { members: true, settings: false } },
  },
  {
    ...BASE,
    select: 'missing',
    flags: { ...NO_FLAGS, excludeDeletedItems: true, team: { members: false, settings: true } },
  },
  {
    ...BASE,
    select: 'changed',
    flags: { ...NO_FLAGS, excludeDrafts: true, team: { members: true, settings: true } },
  },
];

/** Tries restores of whole objects with all terms, and of their items alone. */
async function tryAll(
  office: RandomOffice,
  workload: Workload,
  at: number,
  targets: readonly RestoreInput['target'][],
): Promise<ReadonlySet<string>> {
  const explorer = await office.open(workload, at);
  const nodes = await office.walk(explorer);
  const ofObjects = nodes.filter(({ path }) => path.length === 0);
  const items = nodes.filter(isItem);
  expect([workload, ofObjects.length > 0, items.length > 3]).toEqual([workload, true, true]);
  const ends = new Set<string>();
  for (const target of targets)
    for (const terms of TERMS)
      for (const chosen of terms === BASE ? [ofObjects, items] : [ofObjects]) {
        const dry = await office.restore({
          ...terms,
          explorer,
          target,
          nodes: chosen.map(({ node }) => node.id),
        });
        for (const { outcome } of dry.results) ends.add(outcome ?? '');
      }
  return ends;
}
const ITEMS = ['mail', 'event', 'contact', 'task', 'file', 'row', 'post', 'tab'];
const isItem = ({ node }: FoundNode): boolean => ITEMS.includes(node.kind);

anyDatabase((name, open) => {
  test(`RES-1: a dry run writes nothing to mailboxes, drives and sites, whatever is chosen (${name})`, async () => {
    const office = await aRandomOffice(await open(), SEED);
    const { at } = await office.backUp();
    await changeTenant(office, office.targets, makeRandom(SEED), CHANGES);
    const writes = watchWrites(office);
    const original = { kind: 'original' } as const;
    const { organization } = office.scope;
    const other = { kind: 'other', organization, folder: null } as const;
    const elsewhere = {
      outlook: { ...other, object: office.targets.other, folder: 'Back/Here' },
      onedrive: { ...other, object: office.targets.other, folder: 'Back/Here' },
      sharepoint: { ...other, object: office.targets.inner },
    };
    for (const workload of ['outlook', 'onedrive', 'sharepoint'] as const) {
      const ends = await tryAll(office, workload, at, [original, elsewhere[workload]]);
      expect([workload, writes, ends.has('restored')]).toEqual([workload, [], true]);
    }
  });

  test(`RES-1, RES-47: a dry run writes nothing to a team, whose channels are removed or were left closed by a restore, and says that the restore opens them (${name})`, async () => {
    const office = await aRandomOffice(await open(), SEED, 'team');
    const { admin, targets, tables } = office;
    const { at } = await office.backUp();
    await changeTeam(office, targets.team, makeRandom(SEED), CHANGES);
    const target = { kind: 'original' } as const;
    const writes = watchWrites(office);
    // As a restore that was killed while it wrote a post.
    tables.run("update channel set migration = 'inProgress'");
    const count = (): number =>
      admin.teams.listChannels(targets.team).filter((one) => one.migration === 'inProgress').length;
    const closed = count();
    expect(closed).toBeGreaterThan(1);
    const ends = await tryAll(office, 'teams', at, [target]);
    expect([writes, ends.has('restored'), count()]).toEqual([[], true, closed]);
    const explorer = await office.open('teams', at);
    const nodes = await office.walk(explorer);
    const posts = nodes.filter(({ node }) => node.kind === 'post');
    const [post] = posts;
    const input = { ...BASE, explorer, target, nodes: posts.map(({ node }) => node.id) };
    const dry = await office.restore(input);
    const [channel] = post?.path ?? [];
    expect(dry.done.message).toContain(
      `The channel “${channel ?? ''}” is closed: another restore was interrupted or writes to it. This restore opens it again.`,
    );
    for (const one of admin.teams.listChannels(targets.team).slice(1))
      admin.teams.removeChannel(targets.team, one.id);
    await tryAll(office, 'teams', at, [target]);
    admin.teams.delete(targets.team);
    await tryAll(office, 'teams', at, [target]);
    expect(writes).toEqual([]);
  });
});
