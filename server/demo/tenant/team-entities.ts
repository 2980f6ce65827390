import { exactTime, isoTime } from './ids.ts';
import type { GroupRow } from './groups.ts';
import type { GraphEntity } from './odata.ts';
import { graphUrl } from './odata.ts';
import { findPerson } from './people.ts';
import type { Tenant } from './store.ts';
import { type TeamMember, readSettings } from './team-settings.ts';
import {
  type ChannelRow,
  type PostRow,
  type TabRow,
  listReplies,
  readPostProps,
} from './team-store.ts';

/** More replies than this follow on further pages. */
const MAX_EXPANDED = 1_000;

const VISIBILITY = {
  Public: 'public',
  Private: 'private',
  HiddenMembership: 'hiddenMembership',
} as const;
const TEAMS_URL = 'https://teams.microsoft.com/l';

export function teamEntity(tenant: Tenant, group: GroupRow): GraphEntity {
  const settings = readSettings(tenant, group.id);
  return {
    id: group.id,
    createdDateTime: isoTime(group.created_at),
    displayName: group.name,
    description: settings.description,
    internalId: `19:${group.id}@thread.tacv2`,
    classification: null,
    specialization: 'none',
    visibility: VISIBILITY[settings.visibility],
    webUrl: `${TEAMS_URL}/team/${group.id}?tenantId=${tenant.id}`,
    isArchived: false,
    memberSettings: settings.memberSettings,
    guestSettings: settings.guestSettings,
    messagingSettings: settings.messagingSettings,
    funSettings: settings.funSettings,
  };
}

export const memberId = (team: string, personId: string): string =>
  Buffer.from(`${team}##${personId}`).toString('base64');

export function memberEntity(
  tenant: Tenant,
  team: string,
  { personId, isOwner }: TeamMember,
): GraphEntity {
  const person = findPerson(tenant, personId);
  return {
    '@odata.type': '#microsoft.graph.aadUserConversationMember',
    'id': memberId(team, personId),
    'roles': isOwner ? ['owner'] : [],
    'displayName': person?.name ?? '',
    'visibleHistoryStartDateTime': '0001-01-01T00:00:00Z',
    'userId': personId,
    'email': person?.mail ?? null,
    'tenantId': tenant.id,
  };
}

/** Members of enumerations that came later are only named to those who ask for them. */
const knowsAllMembers = (request: Request): boolean =>
  /\binclude-unknown-enum-members\b/i.test(request.headers.get('prefer') ?? '');

export const channelEntity = (
  tenant: Tenant,
  channel: ChannelRow,
  request: Request,
): GraphEntity => ({
  id: channel.id,
  createdDateTime: exactTime(channel.created_at),
  displayName: channel.name,
  description: channel.description,
  email: '',
  tenantId: tenant.id,
  webUrl: `${TEAMS_URL}/channel/${encodeURIComponent(channel.id)}?groupId=${channel.team_id}`,
  membershipType:
    channel.membership === 'shared' && !knowsAllMembers(request)
      ? 'unknownFutureValue'
      : channel.membership,
  isArchived: false,
  ...(channel.migration === null ? {} : { migrationMode: channel.migration }),
  ...(channel.original_created_at === null
    ? {}
    : { originalCreatedDateTime: exactTime(channel.original_created_at) }),
});

export function postEntity(tenant: Tenant, channel: ChannelRow, post: PostRow): GraphEntity {
  const { author, ...props } = readPostProps(post);
  const isDeleted = post.deleted_at !== null;
  return {
    id: post.id,
    replyToId: post.root_id,
    etag: String(post.changed_at),
    messageType: 'message',
    createdDateTime: exactTime(post.created_at),
    lastModifiedDateTime: exactTime(post.changed_at),
    lastEditedDateTime: post.edited_at === null ? null : exactTime(post.edited_at),
    deletedDateTime: post.deleted_at === null ? null : exactTime(post.deleted_at),
    subject: isDeleted ? null : props.subject,
    summary: null,
    chatId: null,
    importance: props.importance,
    locale: 'en-us',
    webUrl: `${TEAMS_URL}/message/${encodeURIComponent(channel.id)}/${post.id}?groupId=${channel.team_id}`,
    policyViolation: null,
    eventDetail: null,
    from: {
      application: author === null ? { id: tenant.id, displayName: 'Connector' } : null,
      device: null,
      user:
        author === null
          ? null
          : {
              '@odata.type': '#microsoft.graph.teamworkUserIdentity',
              'id': author.id,
              'displayName': author.name,
              'userIdentityType': 'aadUser',
            },
    },
    body: isDeleted
      ? { contentType: 'html', content: '' }
      : { contentType: props.contentType, content: props.content },
    channelIdentity: { teamId: channel.team_id, channelId: channel.id },
    attachments: isDeleted ? [] : props.attachments,
    mentions: isDeleted ? [] : props.mentions,
    reactions: [],
  };
}

/** A message with its replies, as `$expand=replies` returns it. */
export function threadEntity(tenant: Tenant, channel: ChannelRow, post: PostRow): GraphEntity {
  const replies = listReplies(tenant, post);
  const path = `/teams/${channel.team_id}/channels/${encodeURIComponent(channel.id)}/messages/${post.id}/replies`;
  return {
    ...postEntity(tenant, channel, post),
    'replies@odata.count': Math.min(replies.length, MAX_EXPANDED),
    'replies': replies.slice(0, MAX_EXPANDED).map((reply) => postEntity(tenant, channel, reply)),
    ...(replies.length > MAX_EXPANDED && {
      'replies@odata.nextLink': `${graphUrl(tenant)}${path}?$skiptoken=${MAX_EXPANDED}`,
    }),
  };
}

const APPS: Readonly<Record<string, string>> = {
  'com.microsoft.teamspace.tab.web': 'Website',
  'com.microsoft.teamspace.tab.files.sharepoint': 'SharePoint',
  'com.microsoft.teamspace.tab.planner': 'Planner',
};

export function tabEntity(tab: TabRow, isExpanded: boolean): GraphEntity {
  return {
    id: tab.id,
    displayName: tab.name,
    webUrl: `${TEAMS_URL}/entity/${tab.app_id}/${tab.id}`,
    configuration: JSON.parse(tab.configuration) as GraphEntity,
    ...(isExpanded && {
      teamsApp: {
        id: tab.app_id,
        externalId: null,
        displayName: APPS[tab.app_id] ?? tab.app_id,
        distributionMethod: 'store',
      },
    }),
  };
}
