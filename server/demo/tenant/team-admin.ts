import { makeRng } from '../random.ts';
import { type ItemRow, changeContent, deleteItem, editContent, findItem } from './drive-store.ts';
import { GraphError } from './graph-error.ts';
import { deleteGroup } from './group-writing.ts';
import type { GroupRow } from './groups.ts';
import type { Tenant } from './store.ts';
import { addChannelFile, listTeams } from './team-life.ts';
import { makePost, pickMember } from './team-posts.ts';
import {
  type TeamMember,
  type TeamSettings,
  changeSettings,
  listChannelMembers,
  listTeamMembers,
  putChannelMember,
  putMember,
  readSettings,
  removeChannelMember,
  removeMember,
} from './team-settings.ts';
import {
  type ChannelRow,
  type PostProps,
  type PostRow,
  type TabRow,
  addChannel,
  changePost,
  deleteTab,
  findChannel,
  findPost,
  findTab,
  listChannels,
  listPosts,
  listReplies,
  listTabs,
  removeChannel,
  updateChannel,
} from './team-store.ts';

/** What the members of teams do. */
export interface TeamAdmin {
  list(): GroupRow[];
  /** With its group. Both can be restored for 30 days. */
  delete(team: string): void;
  /** Deletes it permanently. */
  purge(team: string): void;
  changeSettings(team: string, change: Partial<TeamSettings>): void;
  readSettings(team: string): TeamSettings;
  listChannels(team: string): ChannelRow[];
  addChannel(team: string, name: string, membership?: ChannelRow['membership']): ChannelRow;
  renameChannel(team: string, channel: string, name: string): void;
  /** Its folder stays in the team's site, unless the channel is private or shared. */
  removeChannel(team: string, channel: string): void;
  listPosts(team: string, channel: string): PostRow[];
  listReplies(post: PostRow): PostRow[];
  /** A member writes a post, or a reply to one. */
  addPost(team: string, channel: string, root?: PostRow, at?: number): PostRow;
  editPost(team: string, channel: string, post: string, content: string, reply?: string): void;
  /** Gives a post links to files, cards and mentions, as Graph writes them. */
  decoratePost(
    team: string,
    channel: string,
    post: string,
    parts: Pick<PostProps, 'content' | 'attachments' | 'mentions'>,
  ): void;
  deletePost(team: string, channel: string, post: string, reply?: string): void;
  listFiles(team: string, channel: string): ItemRow[];
  addFile(team: string, channel: string, name: string): ItemRow;
  changeFile(team: string, channel: string, file: string): void;
  deleteFile(team: string, channel: string, file: string): void;
  listTabs(team: string, channel: string): TabRow[];
  removeTab(team: string, channel: string, tab: string): void;
  listMembers(team: string): TeamMember[];
  listChannelMembers(channel: string): TeamMember[];
  putChannelMember(channel: string, member: TeamMember): void;
  removeChannelMember(channel: string, person: string): void;
  putMember(team: string, member: TeamMember): void;
  removeMember(team: string, person: string): void;
}

export function teamAdmin(tenant: Tenant): TeamAdmin {
  const { store } = tenant;
  const findOpenChannel = (team: string, id: string): ChannelRow => findChannel(tenant, team, id);
  const findMessage = (team: string, channel: string, post: string, reply?: string): PostRow => {
    const { id } = findOpenChannel(team, channel);
    return reply === undefined ? findPost(tenant, id, post) : findPost(tenant, id, reply, post);
  };
  const findFile = (team: string, channel: string, file: string): ItemRow =>
    findItem(tenant, findOpenChannel(team, channel).drive_id, file);
  const rng = (what: string) => makeRng(tenant.seed, what, store.nextSeq());
  return {
    list: () => listTeams(tenant),
    delete: (team) => deleteGroup(tenant, team),
    purge: (team) => {
      deleteGroup(tenant, team);
      store.run('delete from deleted_group where team_id = ?', team);
    },
    changeSettings: (team, change) => changeSettings(tenant, team, change),
    readSettings: (team) => readSettings(tenant, team),
    listChannels: (team) => listChannels(tenant, team),
    addChannel(team, name, membership = 'standard') {
      const group = listTeams(tenant).find(({ id }) => id === team);
      if (!group) throw new GraphError(404, 'NotFound', 'No such team.');
      return store.transaction(() =>
        addChannel(tenant, { team: group, name, description: '', membership, at: tenant.now() }),
      );
    },
    renameChannel: (team, channel, name) =>
      updateChannel(tenant, findOpenChannel(team, channel), { name }),
    removeChannel: (team, channel) => removeChannel(tenant, findOpenChannel(team, channel)),
    listPosts: (team, channel) => listPosts(tenant, findOpenChannel(team, channel).id),
    listReplies: (post) => listReplies(tenant, post),
    addPost(team, channel, root, at = tenant.now()) {
      const random = rng('post');
      const author = pickMember(tenant, team, random);
      if (!author) throw new GraphError(404, 'NotFound', 'The team has no members.');
      return store.transaction(() =>
        makePost(tenant, findOpenChannel(team, channel), {
          author,
          root: root ?? null,
          at,
          random,
        }),
      );
    },
    editPost: (team, channel, post, content, reply) =>
      changePost(tenant, findMessage(team, channel, post, reply), { content }),
    decoratePost: (team, channel, post, parts) =>
      changePost(tenant, findPost(tenant, findOpenChannel(team, channel).id, post), parts),
    deletePost: (team, channel, post, reply) =>
      changePost(tenant, findMessage(team, channel, post, reply), { isDeleted: true }),
    listFiles: (team, channel) =>
      store.all<ItemRow>(
        'select * from item where parent_id = ? and is_folder = 0 and deleted = 0 order by n',
        findOpenChannel(team, channel).folder_id,
      ),
    addFile: (team, channel, name) =>
      addChannelFile(tenant, findOpenChannel(team, channel), name, rng('file')),
    changeFile: (team, channel, file) => {
      const item = findFile(team, channel, file);
      changeContent(tenant, item, editContent(item), item.author);
    },
    deleteFile: (team, channel, file) => deleteItem(tenant, findFile(team, channel, file)),
    listTabs: (team, channel) => listTabs(tenant, findOpenChannel(team, channel).id),
    removeTab: (team, channel, tab) =>
      deleteTab(tenant, findTab(tenant, findOpenChannel(team, channel).id, tab)),
    listMembers: (team) => listTeamMembers(tenant, team),
    listChannelMembers: (channel) => listChannelMembers(tenant, channel),
    putChannelMember: (channel, member) => putChannelMember(tenant, channel, member),
    removeChannelMember: (channel, person) => removeChannelMember(tenant, channel, person),
    putMember: (team, member) => putMember(tenant, team, member),
    removeMember: (team, person) => removeMember(tenant, team, person),
  };
}
