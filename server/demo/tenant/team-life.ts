import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { type Rng, makeRng, upTo } from '../random.ts';
import { changeContent, editContent, insertItem, type ItemRow } from './drive-store.ts';
import type { GroupRow } from './groups.ts';
import type { Tenant } from './store.ts';
import { makePost, pickMember } from './team-posts.ts';
import { listTeamMembers, putChannelMember, putMember } from './team-settings.ts';
import {
  type ChannelRow,
  addChannel,
  addTab,
  changePost,
  listChannels,
  listPosts,
} from './team-store.ts';

/** Microsoft's apps for tabs with a web page and with a document. */
export const WEB_TAB_APP = 'com.microsoft.teamspace.tab.web';

export const listTeams = ({ store }: Tenant): GroupRow[] =>
  store.all<GroupRow>("select * from team where kind = 'team' and removed = 0 order by n");

/** Fills the teams that have no channel yet: owners, channels, posts, files and tabs. */
export function seedTeams(tenant: Tenant): void {
  for (const team of listTeams(tenant)) {
    if (listChannels(tenant, team.id).length > 0) continue;
    const random = makeRng(tenant.seed, 'team', team.n);
    const [owner] = listTeamMembers(tenant, team.id);
    if (!owner) continue;
    putMember(tenant, team.id, { ...owner, isOwner: true });
    const at = tenant.now() - 400 * DAY_MS;
    const add = (name: string, membership: ChannelRow['membership']): ChannelRow => {
      const channel = addChannel(tenant, { team, name, description: '', membership, at });
      fillChannel(tenant, channel, random);
      return channel;
    };
    add('General', 'standard');
    add('Deliveries', 'standard');
    const budget = add('Budget', 'private');
    for (const { personId } of listTeamMembers(tenant, team.id).slice(0, 2))
      putChannelMember(tenant, budget.id, { personId, isOwner: personId === owner.personId });
  }
}

function fillChannel(tenant: Tenant, channel: ChannelRow, random: Rng): void {
  const now = tenant.now();
  for (let n = 4 + upTo(random, 5); n > 0; n -= 1) {
    const author = pickMember(tenant, channel.team_id, random);
    if (!author) return;
    // Some are older than delta queries reach.
    const at = now - upTo(random, 380 * 24) * 3_600_000 - 3_600_000 - upTo(random, 3_600_000);
    const root = makePost(tenant, channel, { author, root: null, at, random });
    for (let replies = upTo(random, 4); replies > 0; replies -= 1)
      makePost(tenant, channel, {
        author: pickMember(tenant, channel.team_id, random) ?? author,
        root,
        at: Math.min(now, at + upTo(random, 3_600_000)),
        random,
      });
  }
  for (const name of ['Drawings.pdf', 'Delivery list.xlsx', 'Notes.md'])
    addChannelFile(tenant, channel, name, random);
  addTab(tenant, channel, {
    name: 'Weather',
    appId: WEB_TAB_APP,
    configuration: {
      entityId: null,
      contentUrl: 'https://weather.example.com/quay',
      websiteUrl: 'https://weather.example.com/quay',
      removeUrl: null,
    },
  });
}

/** Adds a made file to the folder of a channel. */
export function addChannelFile(
  tenant: Tenant,
  channel: ChannelRow,
  name: string,
  random: Rng,
): ItemRow {
  const seed = tenant.store.nextSeq();
  const author = pickMember(tenant, channel.team_id, random)?.id ?? channel.team_id;
  return insertItem(tenant, {
    driveId: channel.drive_id,
    parentId: channel.folder_id,
    name,
    author,
    at: tenant.now(),
    content: {
      content: { kind: 'made', seed, revision: 1, name },
      size: 2_500 + upTo(random, 9_000),
    },
  });
}

/** What happens in the teams of a tenant in ten busy minutes. */
export function liveTeams(tenant: Tenant, at: Ms): void {
  for (const team of listTeams(tenant)) {
    const random = makeRng(tenant.seed, 'team life', team.n, at);
    const channels = listChannels(tenant, team.id);
    const channel = channels[upTo(random, channels.length)];
    if (!channel) continue;
    const author = pickMember(tenant, team.id, random);
    if (random() < 0.03 && author) makePost(tenant, channel, { author, root: null, at, random });
    const posts = listPosts(tenant, channel.id).filter((post) => post.deleted_at === null);
    const post = posts[upTo(random, Math.min(posts.length, 10))];
    if (random() < 0.05 && author && post)
      makePost(tenant, channel, { author, root: post, at, random });
    if (random() < 0.006 && post)
      changePost(tenant, post, { content: '<p>Edited: see the files.</p>' });
    if (random() < 0.003 && post) changePost(tenant, post, { isDeleted: true });
    if (random() < 0.02) {
      const files = tenant.store.all<ItemRow>(
        'select * from item where parent_id = ? and is_folder = 0 and deleted = 0 order by n',
        channel.folder_id,
      );
      const file = files[upTo(random, files.length)];
      if (file) changeContent(tenant, file, editContent(file), file.author);
    }
  }
}
