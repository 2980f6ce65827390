import { deltaPage } from './delta.ts';
import { driveItemEntity } from './drive-entities.ts';
import { findDrive, findItem } from './drive-store.ts';
import { GraphError, badRequest } from './graph-error.ts';
import type { GraphApp, GraphContext } from './graph-env.ts';
import { type GroupRow, findGroup } from './groups.ts';
import { type GraphEntity, listPage, selectProperties, readQuery } from './odata.ts';
import { type Action, checkPermission } from './permissions.ts';
import type { Tenant } from './store.ts';
import {
  channelEntity,
  memberEntity,
  postEntity,
  tabEntity,
  teamEntity,
  threadEntity,
} from './team-entities.ts';
import { listChannelMembers, listTeamMembers } from './team-settings.ts';
import {
  type ChannelRow,
  type PostRow,
  findChannel,
  findPost,
  findTab,
  listChannels,
  listPosts,
  listReplies,
  listTabs,
  readHosted,
} from './team-store.ts';

/** Delta queries return messages of the last eight months. */
const DELTA_REACH_MS = 243 * 86_400_000;
const MESSAGE = { type: 'chatMessage', normal: 20, max: 50 } as const;

/**
 * Returns the team of a path if the caller may do this with it.
 * @throws GraphError 403, 404
 */
export function openTeam(tenant: Tenant, c: GraphContext, action: Action): GroupRow {
  checkPermission(c.get('caller'), action);
  const group = findGroup(tenant, c.req.param('team') ?? '');
  if (group.kind !== 'team')
    throw new GraphError(404, 'NotFound', 'No team found with Group Id ' + group.id);
  return group;
}

/** @throws GraphError 403, 404 */
export const openChannel = (tenant: Tenant, c: GraphContext, action: Action): ChannelRow =>
  findChannel(tenant, openTeam(tenant, c, action).id, c.req.param('channel') ?? '');

const CHANNEL = '/teams/:team/channels/:channel';

/** Teams with members, channels, messages and tabs. */
export function addTeamRoutes(app: GraphApp, tenant: Tenant): void {
  const { store } = tenant;
  app.get('/teams/:team', (c) => {
    const team = openTeam(tenant, c, 'readTeams');
    return c.json(
      selectProperties(teamEntity(tenant, team), readQuery(new URL(c.req.url)).select, 'team'),
    );
  });
  app.get('/teams/:team/members', (c) => {
    const { id } = openTeam(tenant, c, 'readTeamMembers');
    return c.json(
      listPage(
        tenant,
        c.req.raw,
        listTeamMembers(tenant, id),
        (member) => memberEntity(tenant, id, member),
        { type: 'conversationMember', normal: 100, max: 999 },
      ),
    );
  });
  app.get('/teams/:team/channels', (c) => {
    const { id } = openTeam(tenant, c, 'readChannels');
    return c.json(
      listPage(
        tenant,
        c.req.raw,
        listChannels(tenant, id),
        (channel) => channelEntity(tenant, channel, c.req.raw),
        { type: 'channel', normal: 100, max: 999 },
      ),
    );
  });
  app.get(CHANNEL, (c) => {
    const channel = openChannel(tenant, c, 'readChannels');
    const { select } = readQuery(new URL(c.req.url));
    return c.json(selectProperties(channelEntity(tenant, channel, c.req.raw), select, 'channel'));
  });
  app.get(`${CHANNEL}/members`, (c) => {
    const { id } = openChannel(tenant, c, 'readChannelMembers');
    return c.json(
      listPage(
        tenant,
        c.req.raw,
        listChannelMembers(tenant, id),
        (member) => memberEntity(tenant, id, member),
        { type: 'conversationMember', normal: 100, max: 999 },
      ),
    );
  });
  app.get(`${CHANNEL}/filesFolder`, (c) => {
    checkPermission(c.get('caller'), 'readFiles');
    const channel = openChannel(tenant, c, 'readFiles');
    const drive = findDrive(tenant, channel.drive_id);
    if (!drive) throw new GraphError(404, 'itemNotFound', 'Item not found');
    return c.json(driveItemEntity(tenant, drive, findItem(tenant, drive.id, channel.folder_id)));
  });
  app.get(`${CHANNEL}/tabs`, (c) => {
    const channel = openChannel(tenant, c, 'readTabs');
    const isExpanded = readQuery(new URL(c.req.url)).expand.includes('teamsApp');
    return c.json(
      listPage(
        tenant,
        c.req.raw,
        listTabs(tenant, channel.id),
        (tab) => tabEntity(tab, isExpanded),
        {
          type: 'teamsTab',
          normal: 100,
          max: 999,
        },
      ),
    );
  });
  app.get(`${CHANNEL}/tabs/:tab`, (c) => {
    const channel = openChannel(tenant, c, 'readTabs');
    const isExpanded = readQuery(new URL(c.req.url)).expand.includes('teamsApp');
    return c.json(tabEntity(findTab(tenant, channel.id, c.req.param('tab')), isExpanded));
  });

  // ---- messages
  app.get(`${CHANNEL}/messages/delta`, (c) =>
    c.json(messageDelta(tenant, c.req.raw, openChannel(tenant, c, 'readPosts'))),
  );
  app.get(`${CHANNEL}/messages`, (c) => {
    const channel = openChannel(tenant, c, 'readPosts');
    const isExpanded = expandsReplies(readQuery(new URL(c.req.url)).expand);
    return c.json(
      listPage(
        tenant,
        c.req.raw,
        listPosts(tenant, channel.id),
        (post) => (isExpanded ? threadEntity : postEntity)(tenant, channel, post),
        MESSAGE,
      ),
    );
  });
  app.get(`${CHANNEL}/messages/:message`, (c) => {
    const channel = openChannel(tenant, c, 'readPosts');
    const post = findPost(tenant, channel.id, c.req.param('message'));
    const isExpanded = expandsReplies(readQuery(new URL(c.req.url)).expand);
    return c.json((isExpanded ? threadEntity : postEntity)(tenant, channel, post));
  });
  app.get(`${CHANNEL}/messages/:message/replies`, (c) => {
    const channel = openChannel(tenant, c, 'readPosts');
    const replies = listReplies(tenant, findPost(tenant, channel.id, c.req.param('message')));
    return c.json(
      listPage(tenant, c.req.raw, replies, (reply) => postEntity(tenant, channel, reply), MESSAGE),
    );
  });
  app.get(`${CHANNEL}/messages/:message/replies/:reply`, (c) => {
    const channel = openChannel(tenant, c, 'readPosts');
    const { message, reply } = c.req.param();
    return c.json(postEntity(tenant, channel, findPost(tenant, channel.id, reply, message)));
  });
  const hosted = (c: GraphContext, post: PostRow): Response => {
    const { type, bytes } = readHosted(tenant, post, c.req.param('hosted') ?? '');
    return c.body(new Uint8Array(bytes), 200, { 'content-type': type });
  };
  app.get(`${CHANNEL}/messages/:message/hostedContents/:hosted/$value`, (c) => {
    const channel = openChannel(tenant, c, 'readPosts');
    return hosted(c, findPost(tenant, channel.id, c.req.param('message')));
  });
  app.get(`${CHANNEL}/messages/:message/replies/:reply/hostedContents/:hosted/$value`, (c) => {
    const channel = openChannel(tenant, c, 'readPosts');
    const { message, reply } = c.req.param();
    return hosted(c, findPost(tenant, channel.id, reply, message));
  });

  /** Threads that changed since the token and in the last eight months. */
  function messageDelta(of: Tenant, request: Request, channel: ChannelRow): GraphEntity {
    if (readQuery(new URL(request.url)).filter !== null)
      throw badRequest('This stand-in filters no messages.');
    expandsReplies(readQuery(new URL(request.url)).expand);
    const since = of.now() - DELTA_REACH_MS;
    return deltaPage(of, request, {
      scope: `channel:${channel.id}`,
      kind: 'content',
      type: MESSAGE.type,
      normalPage: MESSAGE.normal,
      maxPage: MESSAGE.max,
      tokens: { next: '$skiptoken', done: '$deltatoken' },
      gone: () =>
        new GraphError(410, 'SyncStateNotFound', 'The sync state is not found.', {
          location: `${new URL(request.url).origin}${new URL(request.url).pathname}`,
        }),
      changes: (state, limit) =>
        store
          .all<PostRow>(
            `select * from post where channel_id = ? and root_id is null and seq > ? and seq <= ? and thread_at >= ?
             order by seq limit ?`,
            channel.id,
            state.at,
            state.until,
            since,
            limit,
          )
          .map((post) => ({
            seq: post.seq,
            entity: ((state.expand ?? []).length > 0 ? threadEntity : postEntity)(
              of,
              channel,
              post,
            ),
          })),
    });
  }
}

/** @throws GraphError 400 something else is expanded */
function expandsReplies(expand: readonly string[]): boolean {
  if (expand.some((name) => name !== 'replies')) throw badRequest('Only replies can be expanded.');
  return expand.length > 0;
}
