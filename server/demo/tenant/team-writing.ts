import * as v from 'valibot';
import { GraphError, badRequest } from './graph-error.ts';
import type { GraphApp, GraphContext } from './graph-env.ts';
import { readJson } from './odata.ts';
import { findPerson } from './people.ts';
import { checkPermission } from './permissions.ts';
import type { Tenant } from './store.ts';
import { openChannel, openTeam } from './team.ts';
import { channelEntity, memberEntity, memberId, postEntity, tabEntity } from './team-entities.ts';
import {
  type TeamMember,
  changeSettings,
  listChannelMembers,
  listTeamMembers,
  putChannelMember,
  putMember,
  removeChannelMember,
  removeMember,
} from './team-settings.ts';
import {
  type ChannelRow,
  type PostRow,
  addChannel,
  addPost,
  addTab,
  changeTab,
  deleteTab,
  findPost,
  findTab,
  hasPostAt,
  imageMark,
  listChannels,
  removeChannel,
  updateChannel,
} from './team-store.ts';

const time = v.pipe(v.string(), v.transform(Date.parse), v.finite());
const roles = v.optional(v.array(v.picklist(['owner'])), []);
const bound = v.pipe(v.string(), v.regex(/\/users(?:\('[^']+'\)|\/[^/]+)$/));
const memberInput = v.object({
  '@odata.type': v.literal('#microsoft.graph.aadUserConversationMember'),
  'roles': roles,
  'user@odata.bind': bound,
});
const channelInput = v.object({
  displayName: v.pipe(v.string(), v.minLength(1), v.maxLength(50)),
  description: v.nullish(v.string(), ''),
  membershipType: v.optional(v.picklist(['standard', 'private', 'shared']), 'standard'),
  members: v.optional(v.array(memberInput), []),
});
const migrationInput = v.object({ conversationCreationDateTime: v.optional(time) });
const postInput = v.object({
  createdDateTime: v.optional(time),
  from: v.optional(
    v.object({
      user: v.object({ id: v.string(), displayName: v.nullish(v.string()) }),
    }),
  ),
  subject: v.nullish(v.string()),
  importance: v.optional(v.picklist(['normal', 'high', 'urgent']), 'normal'),
  body: v.object({
    contentType: v.optional(v.picklist(['text', 'html']), 'text'),
    content: v.string(),
  }),
  attachments: v.optional(v.array(v.record(v.string(), v.unknown())), []),
  mentions: v.optional(v.array(v.record(v.string(), v.unknown())), []),
  hostedContents: v.optional(
    v.array(
      v.object({
        '@microsoft.graph.temporaryId': v.string(),
        'contentBytes': v.string(),
        'contentType': v.string(),
      }),
    ),
    [],
  ),
});
const tabInput = v.object({
  'displayName': v.string(),
  'teamsApp@odata.bind': v.pipe(v.string(), v.regex(/\/appCatalogs\/teamsApps\/[^/]+$/)),
  'configuration': v.optional(v.record(v.string(), v.nullable(v.string())), {}),
});
const tabChange = v.object({
  displayName: v.optional(v.string()),
  configuration: v.optional(v.record(v.string(), v.nullable(v.string()))),
});
const flags = v.optional(v.record(v.string(), v.boolean()));
const teamInput = v.object({
  description: v.nullish(v.string()),
  memberSettings: flags,
  guestSettings: flags,
  messagingSettings: flags,
  funSettings: v.optional(v.record(v.string(), v.union([v.boolean(), v.string()]))),
});

async function readInput<S extends v.GenericSchema>(
  c: GraphContext,
  schema: S,
): Promise<v.InferOutput<S>> {
  const parsed = v.safeParse(schema, await readJson(c.req.raw));
  if (!parsed.success)
    throw badRequest(`${v.getDotPath(parsed.issues[0]) ?? ''}: ${parsed.issues[0].message}`);
  return parsed.output;
}

/** learn.microsoft.com/graph/api/channel-post */
const MAX_CHANNEL_MEMBERS = 200;
const CHANNEL = '/teams/:team/channels/:channel';

/** Writing to teams: settings, members, channels, tabs, and messages in migration mode. */
export function addTeamWritingRoutes(app: GraphApp, tenant: Tenant): void {
  app.patch('/teams/:team', async (c) => {
    const { id } = openTeam(tenant, c, 'writeTeams');
    const { description, ...settings } = await readInput(c, teamInput);
    changeSettings(tenant, id, {
      ...(description !== undefined && { description }),
      ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    });
    return c.body(null, 204);
  });

  const readBound = (bind: string): string => {
    const person = findPerson(
      tenant,
      /\/users(?:\('([^']+)'\)|\/([^/]+))$/.exec(bind)?.slice(1).find(Boolean) ?? '',
    );
    if (!person || person.removed) throw badRequest('The user to be added does not exist.');
    return person.id;
  };
  app.post('/teams/:team/members', async (c) => {
    const { id } = openTeam(tenant, c, 'writeTeamMembers');
    const input = await readInput(c, memberInput);
    const member = {
      personId: readBound(input['user@odata.bind']),
      isOwner: input.roles.includes('owner'),
    };
    putMember(tenant, id, member);
    return c.json(memberEntity(tenant, id, member), 201);
  });
  const findMember = (team: string, id: string): TeamMember => {
    const member = listTeamMembers(tenant, team).find(
      ({ personId }) => memberId(team, personId) === id,
    );
    if (!member) throw new GraphError(404, 'NotFound', 'Member does not exist.');
    return member;
  };
  app.patch('/teams/:team/members/:member', async (c) => {
    const { id } = openTeam(tenant, c, 'writeTeamMembers');
    const input = await readInput(c, v.object({ roles }));
    const member = {
      ...findMember(id, c.req.param('member')),
      isOwner: input.roles.includes('owner'),
    };
    putMember(tenant, id, member);
    return c.json(memberEntity(tenant, id, member));
  });
  app.delete('/teams/:team/members/:member', (c) => {
    const { id } = openTeam(tenant, c, 'writeTeamMembers');
    removeMember(tenant, id, findMember(id, c.req.param('member')).personId);
    return c.body(null, 204);
  });

  const checkInTeam = (team: string, person: string): void => {
    if (!listTeamMembers(tenant, team).some(({ personId }) => personId === person))
      throw badRequest('The user is not a member of the team.');
  };
  app.post('/teams/:team/channels', async (c) => {
    const team = openTeam(tenant, c, 'createChannels');
    const input = await readInput(c, channelInput);
    const isLimited = input.membershipType !== 'standard';
    const owners = input.members.filter((member) => member.roles.includes('owner'));
    if (isLimited && owners.length === 0)
      throw badRequest('Private and shared channels need an owner.');
    if (input.membershipType === 'shared' && owners.length > 1)
      throw badRequest('Shared channels are created with one owner.');
    if (input.members.length > MAX_CHANNEL_MEMBERS)
      throw badRequest('A channel is created with 200 members at most.');
    const members = input.members.map((member) => ({
      personId: readBound(member['user@odata.bind']),
      isOwner: member.roles.includes('owner'),
    }));
    if (input.membershipType === 'private')
      for (const { personId } of members) checkInTeam(team.id, personId);
    const channel = tenant.store.transaction(() => {
      const added = addChannel(tenant, {
        team,
        name: input.displayName,
        description: input.description ?? '',
        membership: input.membershipType,
        at: tenant.now(),
      });
      if (isLimited) for (const member of members) putChannelMember(tenant, added.id, member);
      return added;
    });
    return c.json(channelEntity(tenant, channel, c.req.raw), 201);
  });
  app.delete(CHANNEL, (c) => {
    const channel = openChannel(tenant, c, 'deleteChannels');
    if (isPrimary(tenant, channel)) throw badRequest('The primary channel cannot be deleted.');
    removeChannel(tenant, channel);
    return c.body(null, 204);
  });
  const findChannelMember = (channel: ChannelRow, id: string): TeamMember => {
    const member = listChannelMembers(tenant, channel.id).find(
      ({ personId }) => memberId(channel.id, personId) === id,
    );
    if (!member) throw new GraphError(404, 'NotFound', 'Member does not exist.');
    return member;
  };
  app.post(`${CHANNEL}/members`, async (c) => {
    const channel = openChannel(tenant, c, 'writeChannelMembers');
    const input = await readInput(c, memberInput);
    const personId = readBound(input['user@odata.bind']);
    if (channel.membership === 'standard')
      throw badRequest('Standard channels have the members of their team.');
    // People outside of the team can have a shared channel, not a private one.
    if (channel.membership === 'private') checkInTeam(channel.team_id, personId);
    const member = { personId, isOwner: input.roles.includes('owner') };
    putChannelMember(tenant, channel.id, member);
    return c.json(memberEntity(tenant, channel.id, member), 201);
  });
  app.patch(`${CHANNEL}/members/:member`, async (c) => {
    const channel = openChannel(tenant, c, 'writeChannelMembers');
    const input = await readInput(c, v.object({ roles }));
    const { personId } = findChannelMember(channel, c.req.param('member'));
    const member = { personId, isOwner: input.roles.includes('owner') };
    putChannelMember(tenant, channel.id, member);
    return c.json(memberEntity(tenant, channel.id, member));
  });
  app.delete(`${CHANNEL}/members/:member`, (c) => {
    const channel = openChannel(tenant, c, 'writeChannelMembers');
    const { personId } = findChannelMember(channel, c.req.param('member'));
    removeChannelMember(tenant, channel.id, personId);
    return c.body(null, 204);
  });
  app.post(`${CHANNEL}/startMigration`, async (c) => {
    const channel = openChannel(tenant, c, 'importPosts');
    const { conversationCreationDateTime: at = tenant.now() } = await readInput(c, migrationInput);
    if (channel.migration === 'inProgress')
      throw badRequest('The channel is already in migration mode.');
    updateChannel(tenant, channel, {
      migration: 'inProgress',
      ...(at < channel.created_at && {
        created_at: at,
        original_created_at: channel.original_created_at ?? channel.created_at,
      }),
    });
    return c.body(null, 204);
  });
  app.post(`${CHANNEL}/completeMigration`, (c) => {
    const channel = openChannel(tenant, c, 'importPosts');
    if (channel.migration !== 'inProgress')
      throw badRequest('The channel is not in migration mode.');
    updateChannel(tenant, channel, { migration: 'completed' });
    return c.body(null, 204);
  });

  app.post(`${CHANNEL}/messages`, async (c) => {
    const channel = openChannel(tenant, c, 'importPosts');
    return importPost(tenant, c, channel, null);
  });
  app.post(`${CHANNEL}/messages/:message/replies`, async (c) => {
    const channel = openChannel(tenant, c, 'importPosts');
    return importPost(tenant, c, channel, findPost(tenant, channel.id, c.req.param('message')));
  });

  app.post(`${CHANNEL}/tabs`, async (c) => {
    const channel = openChannel(tenant, c, 'writeTabs');
    const input = await readInput(c, tabInput);
    const appId = input['teamsApp@odata.bind'].split('/').at(-1) ?? '';
    const tab = addTab(tenant, channel, {
      name: input.displayName,
      appId,
      configuration: input.configuration,
    });
    return c.json(tabEntity(tab, false), 201);
  });
  app.patch(`${CHANNEL}/tabs/:tab`, async (c) => {
    const channel = openChannel(tenant, c, 'writeTabs');
    const tab = findTab(tenant, channel.id, c.req.param('tab'));
    const { displayName = tab.name, configuration } = await readInput(c, tabChange);
    changeTab(tenant, tab, {
      name: displayName,
      configuration:
        configuration === undefined ? tab.configuration : JSON.stringify(configuration),
    });
    return c.json(tabEntity(findTab(tenant, channel.id, tab.id), false));
  });
  app.delete(`${CHANNEL}/tabs/:tab`, (c) => {
    const channel = openChannel(tenant, c, 'writeTabs');
    deleteTab(tenant, findTab(tenant, channel.id, c.req.param('tab')));
    return c.body(null, 204);
  });
}

/** The channel that came with its team. */
const isPrimary = (tenant: Tenant, { id, team_id: team }: ChannelRow): boolean =>
  listChannels(tenant, team)[0]?.id === id;

/**
 * Applications write messages in migration mode alone, with an author of the tenant and a time that
 * no other message of the channel has.
 * @throws GraphError 400, 403, 409
 */
async function importPost(
  tenant: Tenant,
  c: GraphContext,
  channel: ChannelRow,
  root: PostRow | null,
): Promise<Response> {
  checkPermission(c.get('caller'), 'importPosts');
  const input = await readInput(c, postInput);
  if (channel.migration !== 'inProgress' || !input.from)
    throw new GraphError(
      403,
      'Forbidden',
      'Application permissions are only supported for migration.',
    );
  const author = findPerson(tenant, input.from.user.id);
  if (!author || author.removed) throw badRequest('The user of the message does not exist.');
  const { createdDateTime: at = tenant.now() } = input;
  if (at > tenant.now()) throw badRequest('createdDateTime is in the future.');
  if (at <= channel.created_at)
    throw badRequest('createdDateTime is before the channel was created.');
  if (hasPostAt(tenant, channel.id, at))
    throw new GraphError(409, 'Conflict', 'A message with this createdDateTime exists.');
  const content = input.hostedContents.reduce(
    (html, hosted, place) =>
      html.replaceAll(
        `../hostedContents/${hosted['@microsoft.graph.temporaryId']}/$value`,
        imageMark(place),
      ),
    input.body.content,
  );
  const post = tenant.store.transaction(() =>
    addPost(tenant, {
      channel,
      root,
      at,
      images: input.hostedContents.map(({ contentType, contentBytes }) => ({
        type: contentType,
        bytes: Buffer.from(contentBytes, 'base64'),
      })),
      props: {
        author: { id: author.id, name: author.name },
        subject: input.subject ?? null,
        importance: input.importance,
        contentType: input.body.contentType,
        content,
        attachments: input.attachments,
        mentions: input.mentions,
      },
    }),
  );
  return c.json(postEntity(tenant, channel, post), 201);
}
