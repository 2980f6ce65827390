import type { ChannelRow, PostRow } from '#server/demo/tenant/team-store.ts';
import { changeFiles, pick, type Random } from './change-tenant.ts';
import type { RandomOffice } from './random-office.ts';
import { listChannelFolders } from './team-view.ts';

// What the members of a team do between two restore points.

type Change = (office: RandomOffice, team: string, random: Random) => Promise<void>;

const onChannel =
  (
    work: (
      office: RandomOffice,
      picked: { readonly team: string; readonly channel: ChannelRow },
      random: Random,
    ) => unknown,
  ): Change =>
  async (office, team, random) => {
    const channel = pick(office.admin.teams.listChannels(team), random);
    if (channel !== undefined) await work(office, { team, channel }, random);
  };
const listLive = ({ admin }: RandomOffice, team: string, { id }: ChannelRow) =>
  admin.teams.listPosts(team, id).filter((post) => post.deleted_at === null);
const listLiveReplies = ({ admin }: RandomOffice, post: PostRow) =>
  admin.teams.listReplies(post).filter((reply) => reply.deleted_at === null);
const tabsPath = (team: string, { id }: ChannelRow): string =>
  `/teams/${team}/channels/${encodeURIComponent(id)}/tabs`;
const CHANNELS = ['North', 'South side'] as const;

const changeFile: Change = (office, team, random) => {
  const drives = new Set(office.admin.teams.listChannels(team).map((one) => one.drive_id));
  const fixed = listChannelFolders(office);
  return changeFiles(
    office,
    { ...office.targets, teamFiles: { drives: [...drives], fixed } },
    random,
  );
};

const CHANGES: readonly Change[] = [
  changeFile,
  changeFile,
  changeFile,
  onChannel(({ admin }, { team, channel }) => admin.teams.addPost(team, channel.id)),
  onChannel((office, { team, channel }, random) => {
    const post = pick(listLive(office, team, channel), random);
    if (post !== undefined) office.admin.teams.addPost(team, channel.id, post);
  }),
  onChannel((office, { team, channel }, random) => {
    const post = pick(listLive(office, team, channel), random);
    if (post !== undefined)
      office.admin.teams.editPost(team, channel.id, post.id, `<p>Edited ${random(1_000)}</p>`);
  }),
  ...[1, 2].map(() =>
    onChannel((office, { team, channel }, random) => {
      const post = pick(listLive(office, team, channel), random);
      if (post !== undefined) office.admin.teams.deletePost(team, channel.id, post.id);
    }),
  ),
  onChannel((office, { team, channel }, random) => {
    const { teams } = office.admin;
    const post = pick(listLive(office, team, channel), random);
    const reply = post === undefined ? undefined : pick(listLiveReplies(office, post), random);
    if (post !== undefined && reply !== undefined)
      teams.editPost(team, channel.id, post.id, `<p>Edited ${random(1_000)}</p>`, reply.id);
  }),
  ...[1, 2].map(() =>
    onChannel((office, { team, channel }, random) => {
      const post = pick(listLive(office, team, channel), random);
      const reply = post === undefined ? undefined : pick(listLiveReplies(office, post), random);
      if (post !== undefined && reply !== undefined)
        office.admin.teams.deletePost(team, channel.id, post.id, reply.id);
    }),
  ),
  onChannel(({ admin }, { team, channel }, random) => {
    const tab = pick(admin.teams.listTabs(team, channel.id), random);
    if (tab !== undefined) admin.teams.removeTab(team, channel.id, tab.id);
  }),
  onChannel(async (office, { team, channel }, random) => {
    const tab = pick(office.admin.teams.listTabs(team, channel.id), random);
    const contentUrl = `https://page.example.com/${random(1_000)}`;
    if (tab !== undefined)
      await office.send('PATCH', `${tabsPath(team, channel)}/${tab.id}`, {
        configuration: { entityId: null, contentUrl, websiteUrl: contentUrl, removeUrl: null },
      });
  }),
  onChannel(async (office, { team, channel }, random) => {
    const contentUrl = `https://page.example.com/${random(1_000)}`;
    await office.send('POST', tabsPath(team, channel), {
      'displayName': `Page ${random(1_000_000)}`,
      'teamsApp@odata.bind':
        'https://graph.microsoft.com/v1.0/appCatalogs/teamsApps/com.microsoft.teamspace.tab.web',
      'configuration': {
        entityId: null,
        contentUrl,
        websiteUrl: contentUrl,
        removeUrl: null,
      },
    });
  }),
  async ({ admin }, team, random) => {
    const member = pick(
      admin.teams.listMembers(team).filter(({ isOwner }) => !isOwner),
      random,
    );
    if (member === undefined) return;
    admin.teams.removeMember(team, member.personId);
    // Somebody who leaves the team loses its private channels.
    for (const { id } of admin.teams.listChannels(team))
      admin.teams.removeChannelMember(id, member.personId);
  },
  async ({ admin }, team, random) => {
    const person = pick(admin.listUsers(), random);
    const owners = admin.teams.listMembers(team).filter(({ isOwner }) => isOwner);
    const isLast = owners.length === 1 && owners[0]?.personId === person?.id;
    if (person !== undefined && !isLast)
      admin.teams.putMember(team, { personId: person.id, isOwner: random(3) === 0 });
  },
  async ({ admin }, team, random) =>
    admin.teams.changeSettings(team, {
      description: `About ${random(3)}`,
      funSettings: { allowGiphy: random(2) === 0 },
    }),
  onChannel(({ admin }, { team, channel }, random) => {
    if (channel.membership === 'standard') return;
    const guest = pick(
      admin.teams.listChannelMembers(channel.id).filter(({ isOwner }) => !isOwner),
      random,
    );
    const member = pick(admin.teams.listMembers(team), random);
    if (random(2) === 0 && guest !== undefined)
      admin.teams.removeChannelMember(channel.id, guest.personId);
    else if (member !== undefined)
      admin.teams.putChannelMember(channel.id, { ...member, isOwner: member.isOwner });
  }),
  onChannel(({ admin }, { team, channel }, random) => {
    if (channel.name !== 'General' && random(2) === 0) admin.teams.removeChannel(team, channel.id);
  }),
  async ({ admin }, team, random) => {
    const name = pick(CHANNELS, random) ?? '';
    if (admin.teams.listChannels(team).some((one) => one.name === name)) return;
    const { id } = admin.teams.addChannel(team, name);
    admin.teams.addPost(team, id);
    admin.teams.addFile(team, id, 'Alpha.txt');
  },
];

/** Lets the members of a team do several things, a minute or so after each other. */
export async function changeTeam(
  office: RandomOffice,
  team: string,
  random: Random,
  count: number,
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    office.pass(60_000 + random(600_000));
    await pick(CHANGES, random)?.(office, team, random);
  }
}
