import type { Ms } from '#contract/ids.ts';
import type { Vb365ItemVersion } from './restore-state.ts';
import { uid, type Vb365Content, type Vb365Organization } from './state.ts';

// What the backups of teams have, with the names and words of the REST API v8.

/** What is there in the tenant of what was backed up. */
export type Present = 'missing' | 'changed' | 'same';
export interface Vb365Channel {
  readonly id: string;
  readonly displayName: string;
  readonly type: 'Standard' | 'Private' | 'Shared';
}
interface InChannel {
  readonly channelId: string;
  readonly present: Present;
}
/** `bytes` null: a folder. `from`: the first point that has it. */
export interface Vb365TeamFile extends InChannel {
  readonly id: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly bytes: Buffer | null;
  readonly from: Ms;
  readonly versions?: readonly Vb365ItemVersion[];
}
export interface Vb365Post extends InChannel {
  readonly postId: number;
  readonly parentId: number | null;
  readonly author: string;
  readonly subject: string;
  readonly text: string;
  readonly createdTime: Ms;
  readonly isDeleted: boolean;
}
export interface Vb365Tab extends InChannel {
  readonly id: string;
  readonly displayName: string;
  readonly type: string;
}
export interface Vb365Team {
  readonly id: string;
  readonly organizationId: string;
  readonly displayName: string;
  readonly channels: Vb365Channel[];
  readonly files: Vb365TeamFile[];
  readonly posts: Vb365Post[];
  readonly tabs: Vb365Tab[];
}

export function addTeam(
  { teams }: Vb365Content,
  organization: Pick<Vb365Organization, 'id'>,
  displayName: string,
): Vb365Team {
  const made: Vb365Team = {
    id: uid(`team ${organization.id} ${displayName}`),
    organizationId: organization.id,
    displayName,
    channels: [],
    files: [],
    posts: [],
    tabs: [],
  };
  teams.push(made);
  return made;
}

export function addChannel(
  team: Vb365Team,
  displayName: string,
  type: Vb365Channel['type'] = 'Standard',
): Vb365Channel {
  // As Teams names them.
  const id = `19:${uid(`channel ${team.id} ${displayName}`).replaceAll('-', '')}@thread.tacv2`;
  const made: Vb365Channel = { id, displayName, type };
  team.channels.push(made);
  return made;
}

/** Adds a file, or a folder if `bytes` is null. */
export function addTeamFile(
  team: Vb365Team,
  channel: Vb365Channel,
  name: string,
  bytes: Buffer | null,
  more: Partial<Pick<Vb365TeamFile, 'parentId' | 'present' | 'from' | 'versions'>> = {},
): Vb365TeamFile {
  const made: Vb365TeamFile = {
    id: uid(`team file ${channel.id} ${more.parentId ?? ''} ${name}`),
    channelId: channel.id,
    parentId: null,
    name,
    bytes,
    from: 0,
    present: 'missing',
    ...more,
  };
  team.files.push(made);
  return made;
}

export function addPost(
  team: Vb365Team,
  channel: Vb365Channel,
  subject: string,
  createdTime: Ms,
  more: Partial<Pick<Vb365Post, 'parentId' | 'author' | 'text' | 'isDeleted'>> = {},
): Vb365Post {
  const made: Vb365Post = {
    postId: createdTime,
    channelId: channel.id,
    parentId: null,
    author: 'Ann Chovey',
    subject,
    text: `The text of ${subject}.`,
    createdTime,
    isDeleted: false,
    present: 'missing',
    ...more,
  };
  team.posts.push(made);
  return made;
}

export function addTab(
  team: Vb365Team,
  channel: Vb365Channel,
  displayName: string,
  present: Present = 'missing',
): Vb365Tab {
  const made: Vb365Tab = {
    id: uid(`tab ${channel.id} ${displayName}`),
    channelId: channel.id,
    displayName,
    type: 'Website',
    present,
  };
  team.tabs.push(made);
  return made;
}
