import { expect, test } from 'vitest';
import type { ItemResult } from '#contract/engine/engine.ts';
import type { TeamAdmin } from '#server/demo/tenant/team-admin.ts';
import { eachDatabase } from '../../db/databases.ts';
import { NO_FLAGS } from './no-flags.ts';
import { aTeam, ROLES } from './team-bench.ts';

type Bench = Awaited<ReturnType<typeof aTeam>>;
type Membership = Parameters<TeamAdmin['addChannel']>[2];

/** A channel `Board` with a file. Its owners and members are none of the team's owners. */
function addBoard(teams: TeamAdmin, team: string, membership: Membership): void {
  const board = teams.addChannel(team, 'Board', membership);
  teams.addFile(team, board.id, 'minutes.txt');
  const others = teams.listMembers(team).filter(({ isOwner }) => !isOwner);
  const [first, second, third] = others.map(({ personId }) => personId);
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('The team is too small.');
  teams.putChannelMember(board.id, { personId: first, isOwner: true });
  teams.putChannelMember(board.id, { personId: second, isOwner: true });
  teams.putChannelMember(board.id, { personId: third, isOwner: false });
}

const findBoard = ({ teams, team }: Bench) =>
  teams.listChannels(team).find(({ name }) => name === 'Board');

/** Removes the channel, and returns the node of its file and who had it, with their names. */
async function loseBoard(bench: Bench) {
  const { teams, team, list, office, top } = bench;
  const board = findBoard(bench);
  if (!board) throw new Error('no channel');
  const names = new Map(office.admin.listUsers().map(({ id, name }) => [id, name]));
  const people = teams
    .listChannelMembers(board.id)
    .map((one) => ({ ...one, name: names.get(one.personId) ?? '' }));
  const channel = (await list(top, 'folders')).find(({ name }) => name === 'Board');
  const parts = await list(channel?.id ?? '', 'folders');
  const files = parts.find((part) => 'holds' in part && part.holds === 'files');
  const [file] = await list(files?.id ?? '', 'items');
  bench.fixture.pass(60_000);
  teams.removeChannel(team, board.id);
  const owners = people.filter(({ isOwner }) => isOwner);
  return { file: file?.id ?? '', people, owners };
}
const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const toIds = (people: readonly { readonly personId: string; readonly isOwner: boolean }[]) =>
  people
    .map(({ personId, isOwner }) => `${personId} ${isOwner ? 'owner' : 'member'}`)
    .toSorted(byText);

eachDatabase((kind, open) => {
  test(`RES-47: a private channel comes back for those whom its backup names, also for one file, and the dry run names them (${kind})`, async () => {
    const bench = await aTeam(await open(), ROLES, (teams, team) =>
      addBoard(teams, team, 'private'),
    );
    const { teams, team, restore, office } = bench;
    const { file, people, owners } = await loseBoard(bench);
    const [gone, stays] = owners;
    const member = people.find(({ isOwner }) => !isOwner);
    // Somebody has left the tenant.
    office.admin.removeUser(gone?.personId ?? '');

    const dry = await restore([file], { dryRun: true });
    expect(dry.done.counts).toMatchObject({ restored: 1, failed: 0 });
    const people1 = `Its owners: ${stays?.name}. Its members: ${member?.name}.`;
    const lost = `no longer in the tenant or the team: ${gone?.name}.`;
    expect(dry.done.message).toContain(
      `The private channel Board will be created again. ${people1}`,
    );
    expect(dry.done.message).toContain(lost);
    expect(findBoard(bench)).toBeUndefined();

    const { done } = await restore([file]);
    expect(done.counts).toMatchObject({ restored: 1, failed: 0 });
    const board = findBoard(bench);
    expect(board?.membership).toBe('private');
    expect(toIds(teams.listChannelMembers(board?.id ?? ''))).toEqual(
      toIds(people.filter(({ personId }) => personId !== gone?.personId)),
    );
    expect(done.message).toContain(`The private channel Board was created again. ${people1}`);
    expect(done.message).toContain(lost);
    expect(teams.listFiles(team, board?.id ?? '').map(({ name }) => name)).toEqual(['minutes.txt']);
    office.close();
  });

  test(`RES-47: a channel that nobody of its backup can own is not created, and each item says why (${kind})`, async () => {
    const bench = await aTeam(await open(), ROLES, (teams, team) =>
      addBoard(teams, team, 'private'),
    );
    const { teams, team, restore, office } = bench;
    const { file, owners } = await loseBoard(bench);
    for (const { personId } of owners) teams.removeMember(team, personId);
    for (const dryRun of [true, false]) {
      const { done, results } = await restore([file], { dryRun });
      expect(done.counts).toMatchObject({ restored: 0, failed: 1 });
      expect(results[0]?.message).toContain('The channel Board no longer exists, and none of its');
      for (const { name } of owners) expect(results[0]?.message).toContain(name);
    }
    expect(findBoard(bench)).toBeUndefined();
    office.close();
  });

  test(`RES-47: a private channel whose backup lacks its members is nobody's by chance (${kind})`, async () => {
    const roles = ROLES.filter((role) => !role.startsWith('ChannelMember.'));
    const bench = await aTeam(await open(), roles, (teams, team) =>
      addBoard(teams, team, 'private'),
    );
    const { restore, office } = bench;
    const { file } = await loseBoard(bench);
    for (const dryRun of [true, false]) {
      const { done, results } = await restore([file], { dryRun });
      expect(done.counts).toMatchObject({ restored: 0, failed: 1 });
      expect(results[0]?.message).toContain("the backup doesn't say who its members were");
    }
    expect(findBoard(bench)).toBeUndefined();
    office.close();
  });

  test(`RES-47, RES-5: a shared channel comes back as one with all its owners and members, also from outside the team (${kind})`, async () => {
    const bench = await aTeam(await open(), ROLES, (teams, team) =>
      addBoard(teams, team, 'shared'),
    );
    const { teams, team, restore, office, cloud } = bench;
    const { file, people, owners } = await loseBoard(bench);
    teams.removeMember(team, owners[0]?.personId ?? '');
    const dry = await restore([file], { dryRun: true });
    expect(dry.done.message).toContain('The shared channel Board will be created again.');
    for (const { name } of people) expect(dry.done.message).toContain(name);
    expect(dry.done.message).toContain('Other teams and organizations');

    cloud.isLossy = true;
    const { done } = await restore([file]);
    cloud.isLossy = false;
    expect(done.counts).toMatchObject({ restored: 1, failed: 0 });
    const board = findBoard(bench);
    expect(board?.membership).toBe('shared');
    expect(toIds(teams.listChannelMembers(board?.id ?? ''))).toEqual(toIds(people));
    expect(done.message).toContain('The shared channel Board was created again.');
    office.close();
  });

  test(`RES-47: what a private channel had doesn't go to an open channel of the same name (${kind})`, async () => {
    const bench = await aTeam(await open(), ROLES, (teams, team) =>
      addBoard(teams, team, 'private'),
    );
    const { teams, team, restore, office } = bench;
    const { file } = await loseBoard(bench);
    const open1 = teams.addChannel(team, 'Board', 'standard');
    for (const dryRun of [true, false]) {
      const { done, results } = await restore([file], { dryRun });
      expect(done.counts).toMatchObject({ restored: 0, failed: 1 });
      expect(results[0]?.message).toContain('now has other rules about who sees it');
    }
    expect(teams.listFiles(team, open1.id)).toEqual([]);
    office.close();
  });

  test(`RES-47: what a private channel had doesn't go to another one of its name that others see (${kind})`, async () => {
    const bench = await aTeam(await open(), ROLES, (teams, team) =>
      addBoard(teams, team, 'private'),
    );
    const { teams, team, restore, office } = bench;
    const { file, people } = await loseBoard(bench);
    const other = teams
      .listMembers(team)
      .find(({ personId }) => people.every((one) => one.personId !== personId));
    if (!other) throw new Error('The team is too small.');
    const own = teams.addChannel(team, 'Board', 'private');
    teams.putChannelMember(own.id, { personId: other.personId, isOwner: true });
    for (const dryRun of [true, false]) {
      const { done, results } = await restore([file], { dryRun });
      expect(done.counts).toMatchObject({ restored: 0, failed: 1 });
      expect(results[0]?.message).toContain('Board');
    }
    expect(teams.listFiles(team, own.id)).toEqual([]);
    office.close();
  });

  test(`RES-47: what a private channel had doesn't go to one of its name that somebody else creates at the same moment (${kind})`, async () => {
    const bench = await aTeam(await open(), ROLES, (teams, team) =>
      addBoard(teams, team, 'private'),
    );
    const { teams, team, restore, office, cloud } = bench;
    const { file, people } = await loseBoard(bench);
    const other = teams
      .listMembers(team)
      .find(({ personId }) => people.every((one) => one.personId !== personId));
    if (!other) throw new Error('The team is too small.');
    cloud.onRequest = ({ method, url }) => {
      if (method !== 'POST' || !url.endsWith('/channels') || findBoard(bench)) return;
      const { id } = teams.addChannel(team, 'Board', 'private');
      teams.putChannelMember(id, { personId: other.personId, isOwner: true });
    };
    const { done } = await restore([file]);
    expect(done.counts).toMatchObject({ restored: 0, failed: 1 });
    const board = findBoard(bench)?.id ?? '';
    expect(toIds(teams.listChannelMembers(board))).toEqual([`${other.personId} owner`]);
    expect(teams.listFiles(team, board)).toEqual([]);
    office.close();
  });

  test(`RES-47, RES-8: whoever joined a private channel after the restore point is not added (${kind})`, async () => {
    const bench = await aTeam(await open(), ROLES, (teams, team) =>
      addBoard(teams, team, 'private'),
    );
    const { teams, team, restore, backUp, office } = bench;
    const board = findBoard(bench);
    const late = teams.listMembers(team).find(({ isOwner }) => isOwner)?.personId ?? '';
    const before = teams.listChannelMembers(board?.id ?? '');
    bench.fixture.pass(60_000);
    teams.putChannelMember(board?.id ?? '', { personId: late, isOwner: true });
    await backUp();
    const { file } = await loseBoard(bench);
    const { done } = await restore([file]);
    expect(done.counts).toMatchObject({ restored: 1, failed: 0 });
    expect(toIds(teams.listChannelMembers(findBoard(bench)?.id ?? ''))).toEqual(toIds(before));
    office.close();
  });

  test(`RES-1, RES-2, RES-4, RES-5, RES-47: a private channel comes back for those who come back to the team with the same restore, as the dry run says, and an undo takes both away (${kind})`, async () => {
    const bench = await aTeam(await open(), ROLES, (teams, team) =>
      addBoard(teams, team, 'private'),
    );
    const { teams, team, restore, undo, office, cloud, top, listResults } = bench;
    const { people, owners } = await loseBoard(bench);
    const [gone, stays] = owners;
    const [member] = people.filter(({ isOwner }) => !isOwner);
    const had = teams.listMembers(team).filter(({ personId }) => personId !== gone?.personId);
    for (const { personId } of people) teams.removeMember(team, personId);
    office.admin.removeUser(gone?.personId ?? '');
    const before = teams.listMembers(team);

    const noMembers = { flags: { ...NO_FLAGS, team: { members: false, settings: true } } };
    for (const dryRun of [true, false]) {
      const { results } = await restore([top], { dryRun, ...noMembers });
      const failed = results.filter(({ outcome }) => outcome === 'failed');
      expect(failed.map(({ name }) => name)).toEqual(['minutes.txt']);
      expect(failed[0]?.message).toContain('none of its owners can own it any more');
    }

    const dry = await restore([top], { dryRun: true });
    const whom = `Its owners: ${stays?.name}. Its members: ${member?.name}.`;
    const lost = `no longer in the tenant or the team: ${gone?.name}.`;
    expect(dry.done.message).toContain(`The private channel Board will be created again. ${whom}`);
    expect(dry.done.message).toContain(lost);
    expect([findBoard(bench), teams.listMembers(team)]).toEqual([undefined, before]);

    cloud.isLossy = true;
    const { task, done, results } = await restore([top]);
    cloud.isLossy = false;
    expect(toOutcomes(results)).toEqual(toOutcomes(dry.results));
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(done.message).toContain(`The private channel Board was created again. ${whom}`);
    expect(done.message).toContain(lost);
    expect(teams.listMembers(team)).toEqual(had);
    const board = findBoard(bench)?.id ?? '';
    expect(toIds(teams.listChannelMembers(board))).toEqual(
      toIds(people.filter(({ personId }) => personId !== gone?.personId)),
    );
    expect(teams.listFiles(team, board).map(({ name }) => name)).toEqual(['minutes.txt']);
    const again = await restore([top]);
    expect(again.results.filter(({ name }) => name === 'minutes.txt')).toMatchObject([
      { outcome: 'skipped' },
    ]);

    const undone = await undo(task);
    expect([undone.result, undone.message]).toEqual(['success', null]);
    const said = (await listResults(undone.id)).map(({ message }) => message);
    expect(said).toContain('The earlier version was put back.');
    expect([findBoard(bench), teams.listMembers(team)]).toEqual([undefined, before]);
    office.close();
  });
});

const toOutcomes = (results: readonly ItemResult[]) =>
  results.map(({ name, outcome }) => `${name}: ${outcome}`).toSorted(byText);
