import type { SourceObject } from '../types.ts';

// Where a team and its parts are in Graph, and how they are called in the index.

export const teamPath = ({ id }: Pick<SourceObject, 'id'>): string =>
  `/teams/${encodeURIComponent(id)}`;
export const channelPath = (team: Pick<SourceObject, 'id'>, channel: string): string =>
  `${teamPath(team)}/channels/${encodeURIComponent(channel)}`;
export const messagePath = (
  team: Pick<SourceObject, 'id'>,
  channel: string,
  message: string,
): string => `${channelPath(team, channel)}/messages/${encodeURIComponent(message)}`;

export const groupPath = (id: string): string => `/groups/${encodeURIComponent(id)}`;

/** The folder of a channel's tabs in the index. */
export const getTabsKey = (channel: string): string => `tabs:${channel}`;
/** The item with a team's members and settings. */
export const SETTINGS_KEY = 'settings';

export interface PostPlace {
  readonly channel: string;
  readonly message: string;
}
/** The id of a post is the time at which it was written, so only its channel has no other with it. */
export const getPostKey = (channel: string, message: string): string =>
  `${POST_PREFIX}${channel}/${message}`;
const POST_PREFIX = 'post:';
export const isPostKey = (key: string): boolean => key.startsWith(POST_PREFIX);
export function parsePostKey(key: string): PostPlace {
  const at = key.lastIndexOf('/');
  return { channel: key.slice(POST_PREFIX.length, at), message: key.slice(at + 1) };
}

/** A team has files in several drives. */
export const getTeamFileKey = (drive: string, item: string): string => `${drive}/${item}`;
export function parseFileKey(key: string): { readonly drive: string; readonly item: string } {
  const at = key.indexOf('/');
  return { drive: key.slice(0, at), item: key.slice(at + 1) };
}
