import type { GroupRow } from '../tenant/groups.ts';
import { type ChannelRow, type PostRow, readPostProps } from '../tenant/team-store.ts';
import {
  BASE_PATH,
  MAX_SHOWN,
  type ShownTenant,
  action,
  escaped,
  page,
  table,
  time,
} from './html.ts';
import { tenantPageMessages as t } from './messages.en.ts';

/** A channel: its posts, the newest first, its files and tabs, and the members of its team. */
export function channelPage(shown: ShownTenant, team: GroupRow, channel: ChannelRow): string {
  const { teams } = shown.tenant.admin;
  const path = `/teams/${team.id}/channels/${channel.n}`;
  const posts = teams
    .listPosts(team.id, channel.id)
    .filter((post) => post.deleted_at === null)
    .slice(0, MAX_SHOWN);
  const files = teams.listFiles(team.id, channel.id).slice(0, MAX_SHOWN);
  const tabs = teams.listTabs(team.id, channel.id);
  const members = listNamedMembers(shown, team.id);
  const title = t.channelOf({ team: team.name, channel: channel.name });
  return page(
    title,
    `<nav aria-label="${t.people}"><p><a href="${BASE_PATH}/${shown.n}">${t.back}</a></p></nav>
<main>
<h2>${t.posts}</h2>
${
  posts.length === 0
    ? `<p>${t.noPosts}</p>`
    : table(
        [t.post, t.from, t.received, t.replies, t.actions],
        posts.map((post) => postCells(shown, path, post)),
      )
}
${action(shown, `${path}/posts`, t.addPost)}
<h2>${t.files}</h2>
${
  files.length === 0
    ? `<p>${t.noFiles}</p>`
    : table(
        [t.name, t.size, t.version, t.changed, t.actions],
        files.map((file) => [
          escaped(file.name),
          t.bytes({ bytes: file.size }),
          String(file.version),
          time(file.changed_at),
          action(
            shown,
            `${path}/files/${file.id}/change`,
            t.changeThisFile,
            t.changeFile({ name: file.name }),
          ) +
            action(
              shown,
              `${path}/files/${file.id}/delete`,
              t.deleteThisFile,
              t.deleteFile({ name: file.name }),
            ),
        ]),
      )
}
${action(shown, `${path}/files`, t.addChannelFile)}
<h2>${t.tabs}</h2>
${
  tabs.length === 0
    ? `<p>${t.noTabs}</p>`
    : table(
        [t.name, t.actions],
        tabs.map((tab) => [
          escaped(tab.name),
          action(
            shown,
            `${path}/tabs/${tab.id}/remove`,
            t.removeThisTab,
            t.removeTab({ name: tab.name }),
          ),
        ]),
      )
}
<h2>${t.members}</h2>
${table(
  [t.name, t.role, t.actions],
  members.map(({ personId, isOwner, name }) => [
    escaped(name),
    isOwner ? t.owner : t.member,
    action(
      shown,
      `${path}/members/${personId}/remove`,
      t.removeThisMember,
      t.removeMember({ name }),
    ),
  ]),
)}
</main>`,
  );
}

/** The members of a team by name, as far as the page shows them. */
function listNamedMembers({ tenant: { admin } }: ShownTenant, team: string) {
  const names = new Map(admin.listUsers().map(({ id, name }) => [id, name]));
  return admin.teams
    .listMembers(team)
    .map((member) => ({ ...member, name: names.get(member.personId) ?? '' }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .slice(0, MAX_SHOWN);
}

function postCells(shown: ShownTenant, path: string, post: PostRow): string[] {
  const text = getPostText(post);
  return [
    escaped(text),
    escaped(readPostProps(post).author?.name ?? ''),
    time(post.created_at),
    String(
      shown.tenant.admin.teams.listReplies(post).filter((reply) => reply.deleted_at === null)
        .length,
    ),
    action(shown, `${path}/posts/${post.id}/reply`, t.addReply, t.addReplyTo({ post: text })) +
      action(
        shown,
        `${path}/posts/${post.id}/delete`,
        t.deleteThisPost,
        t.deletePost({ post: text }),
      ),
  ];
}

/** The subject and the text of a post without its tags. */
function getPostText(post: PostRow): string {
  const { subject, content } = readPostProps(post);
  const text = content
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return subject === null ? text : `${subject}: ${text}`;
}
