import type { Ms } from '#contract/ids.ts';
import { getUuid } from '../random.ts';
import { createDrive, findChild, findItem, findUserDrive, insertItem } from './drive-store.ts';
import { GraphError, itemNotFound } from './graph-error.ts';
import { findSiteDrives, insertSite } from './groups.ts';
import { channelId, digest } from './ids.ts';
import type { Tenant } from './store.ts';

export type Membership = 'standard' | 'private' | 'shared';

export interface ChannelRow {
  readonly n: number;
  readonly id: string;
  readonly team_id: string;
  readonly name: string;
  readonly description: string;
  readonly membership: Membership;
  readonly drive_id: string;
  readonly folder_id: string;
  readonly created_at: Ms;
  readonly migration: 'inProgress' | 'completed' | null;
  readonly original_created_at: Ms | null;
  readonly removed: number;
}

/** A message of a channel; `root_id`: the message that it replies to. */
export interface PostRow {
  readonly n: number;
  readonly id: string;
  readonly channel_id: string;
  readonly root_id: string | null;
  readonly props: string;
  readonly created_at: Ms;
  readonly changed_at: Ms;
  readonly edited_at: Ms | null;
  readonly deleted_at: Ms | null;
  /** When something of its thread was changed last. */
  readonly thread_at: Ms;
  /** Of a thread's first message: the number of the latest change in the thread. */
  readonly seq: number;
}

export interface PostProps {
  /** A person of the tenant; null: an application. */
  readonly author: { readonly id: string; readonly name: string } | null;
  readonly subject: string | null;
  readonly importance: 'normal' | 'high' | 'urgent';
  readonly contentType: 'text' | 'html';
  readonly content: string;
  readonly attachments: readonly Readonly<Record<string, unknown>>[];
  readonly mentions: readonly Readonly<Record<string, unknown>>[];
}

export interface TabRow {
  readonly n: number;
  readonly id: string;
  readonly channel_id: string;
  readonly name: string;
  readonly app_id: string;
  readonly configuration: string;
}

export const readPostProps = ({ props }: PostRow): PostProps => JSON.parse(props) as PostProps;

const notFound = (what: string): GraphError =>
  new GraphError(404, 'NotFound', `${what} does not exist.`);

export const listChannels = ({ store }: Tenant, team: string): ChannelRow[] =>
  store.all<ChannelRow>('select * from channel where team_id = ? and removed = 0 order by n', team);

/** @throws GraphError 404 */
export function findChannel({ store }: Tenant, team: string, id: string): ChannelRow {
  const row = store.get<ChannelRow>(
    'select * from channel where team_id = ? and id = ? and removed = 0',
    team,
    id,
  );
  if (!row) throw notFound('Channel');
  return row;
}

export interface NewChannel {
  readonly team: { readonly id: string; readonly name: string };
  readonly name: string;
  readonly description: string;
  readonly membership: Membership;
  readonly at: Ms;
}

/**
 * Adds a channel with its folder for files: of the team's site, or of a site of its own if the
 * channel is private or shared.
 * @throws GraphError 400 the name is taken
 */
export function addChannel(tenant: Tenant, input: NewChannel): ChannelRow {
  const { store } = tenant;
  const { team, name } = input;
  if (
    listChannels(tenant, team.id).some((other) => other.name.toLowerCase() === name.toLowerCase())
  )
    throw new GraphError(
      400,
      'BadRequest',
      'Channel name already existed, please use other name.',
      {},
      'NameAlreadyExists',
    );
  const n = store.nextN('channel');
  const drive =
    input.membership !== 'standard'
      ? addPrivateDrive(tenant, input, n)
      : findSiteDrives(tenant, team.id)[0];
  if (!drive) throw itemNotFound();
  const root = findItem(tenant, drive.id, 'root');
  const folder =
    findChild(tenant, root.id, name) ??
    insertItem(tenant, {
      driveId: drive.id,
      parentId: root.id,
      name,
      author: drive.owner_id,
      at: input.at,
      content: null,
    });
  const id = channelId(tenant, n);
  store.insert('channel', {
    n,
    id,
    team_id: team.id,
    name,
    description: input.description,
    membership: input.membership,
    drive_id: drive.id,
    folder_id: folder.id,
    created_at: input.at,
    migration: null,
    original_created_at: null,
    seq: store.nextSeq(),
  });
  return findChannel(tenant, team.id, id);
}

function addPrivateDrive(tenant: Tenant, { team, name, at }: NewChannel, n: number) {
  const path = `${team.name}-${name}-${n}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const site = insertSite(tenant, {
    name: `${team.name} - ${name}`,
    path,
    parentId: null,
    groupId: null,
    at,
  });
  return (
    findUserDrive(tenant, site) ??
    createDrive(
      tenant,
      { kind: 'site', id: site, url: `https://demo.sharepoint.com/sites/${path}` },
      at,
    )
  );
}

export function updateChannel(
  { store }: Tenant,
  { n }: ChannelRow,
  change: Partial<
    Pick<ChannelRow, 'name' | 'migration' | 'created_at' | 'original_created_at' | 'removed'>
  >,
): void {
  for (const [name, value] of Object.entries(change))
    store.run(`update channel set ${name} = ?, seq = ? where n = ?`, value, store.nextSeq(), n);
}

/** Its folder stays in the team's site, unless the channel is private or shared. */
export function removeChannel(tenant: Tenant, channel: ChannelRow): void {
  tenant.store.transaction(() => {
    updateChannel(tenant, channel, { removed: 1 });
    if (channel.membership !== 'standard')
      tenant.store.run('delete from drive where id = ?', channel.drive_id);
  });
}

// ---- posts

/** The first messages of threads, the newest first. */
export const listPosts = ({ store }: Tenant, channel: string): PostRow[] =>
  store.all<PostRow>(
    'select * from post where channel_id = ? and root_id is null order by created_at desc, n desc',
    channel,
  );

/** The replies of a thread, the newest first. */
export const listReplies = ({ store }: Tenant, { channel_id, id }: PostRow): PostRow[] =>
  store.all<PostRow>(
    'select * from post where channel_id = ? and root_id = ? order by created_at desc, n desc',
    channel_id,
    id,
  );

/** @throws GraphError 404 */
export function findPost(
  { store }: Tenant,
  channel: string,
  id: string,
  root: string | null = null,
): PostRow {
  const row = store.get<PostRow>(
    'select * from post where channel_id = ? and id = ? and root_id is ?',
    channel,
    id,
    root,
  );
  if (!row) throw notFound('Message');
  return row;
}

export const hasPostAt = ({ store }: Tenant, channel: string, at: Ms): boolean =>
  store.get('select 1 from post where channel_id = ? and id = ?', channel, String(at)) !==
  undefined;

export interface NewPost {
  readonly channel: ChannelRow;
  readonly root: PostRow | null;
  readonly props: PostProps;
  readonly at: Ms;
  readonly images?: readonly { readonly type: string; readonly bytes: Uint8Array }[];
}

/** The place of an image in the text of a new post. */
export const imageMark = (n: number): string => `{image ${n}}`;

/** Adds a message; its id is its time, so no two of a channel have the same. */
export function addPost(
  tenant: Tenant,
  { channel, root, props, at, images = [] }: NewPost,
): PostRow {
  const { store } = tenant;
  let time = at;
  while (hasPostAt(tenant, channel.id, time)) time += 1;
  const id = String(time);
  const ids = images.map((_, place) =>
    Buffer.from(
      `id=x_${digest(channel.id, id, place).toString('hex').slice(0, 24)},type=1,url=`,
    ).toString('base64'),
  );
  let { content } = props;
  for (const [place, hosted] of ids.entries())
    content = content.replaceAll(
      imageMark(place),
      `https://graph.microsoft.com/v1.0/teams/${channel.team_id}/channels/${channel.id}/messages/${root === null ? '' : `${root.id}/replies/`}${id}/hostedContents/${hosted}/$value`,
    );
  const n = store.insert('post', {
    id,
    channel_id: channel.id,
    root_id: root?.id ?? null,
    props: JSON.stringify({ ...props, content }),
    created_at: time,
    changed_at: time,
    thread_at: time,
    seq: store.nextSeq(),
  });
  for (const [place, { type, bytes }] of images.entries())
    store.insert('hosted_content', { id: ids[place] ?? '', post_n: n, type, bytes });
  if (root) noteThread(tenant, root, Math.max(time, root.thread_at));
  return findPost(tenant, channel.id, id, root?.id ?? null);
}

const noteThread = ({ store }: Tenant, { n }: PostRow, at: Ms): void =>
  store.run('update post set thread_at = ?, seq = ? where n = ?', at, store.nextSeq(), n);

/** Edits a message, deletes it, or takes that back. */
export function changePost(
  tenant: Tenant,
  post: PostRow,
  change: { readonly isDeleted?: boolean } & Partial<
    Pick<PostProps, 'content' | 'attachments' | 'mentions'>
  >,
): void {
  const { store } = tenant;
  const now = tenant.now();
  const props = {
    ...readPostProps(post),
    ...(change.content !== undefined && { content: change.content }),
    ...(change.attachments !== undefined && { attachments: change.attachments }),
    ...(change.mentions !== undefined && { mentions: change.mentions }),
  };
  store.run(
    'update post set props = ?, changed_at = ?, thread_at = ?, edited_at = ?, deleted_at = ?, seq = ? where n = ?',
    JSON.stringify(props),
    now,
    now,
    change.content === undefined ? post.edited_at : now,
    change.isDeleted === undefined ? post.deleted_at : change.isDeleted ? now : null,
    store.nextSeq(),
    post.n,
  );
  if (post.root_id !== null)
    noteThread(tenant, findPost(tenant, post.channel_id, post.root_id), now);
}

/** @throws GraphError 404 */
export function readHosted(
  { store }: Tenant,
  { n }: PostRow,
  id: string,
): { type: string; bytes: Uint8Array } {
  const row = store.get<{ type: string; bytes: Uint8Array }>(
    'select type, bytes from hosted_content where post_n = ? and id = ?',
    n,
    id,
  );
  if (!row) throw notFound('Hosted content');
  return row;
}

// ---- tabs

export const listTabs = ({ store }: Tenant, channel: string): TabRow[] =>
  store.all<TabRow>('select * from tab where channel_id = ? order by n', channel);

/** @throws GraphError 404 */
export function findTab({ store }: Tenant, channel: string, id: string): TabRow {
  const row = store.get<TabRow>('select * from tab where channel_id = ? and id = ?', channel, id);
  if (!row) throw notFound('Tab');
  return row;
}

export function addTab(
  tenant: Tenant,
  channel: ChannelRow,
  tab: {
    readonly name: string;
    readonly appId: string;
    readonly configuration: Readonly<Record<string, unknown>>;
  },
): TabRow {
  const { store, seed } = tenant;
  const id = getUuid(seed, 'tab', store.nextSeq());
  store.insert('tab', {
    id,
    channel_id: channel.id,
    name: tab.name,
    app_id: tab.appId,
    configuration: JSON.stringify(tab.configuration),
  });
  return findTab(tenant, channel.id, id);
}

export function changeTab(
  { store }: Tenant,
  { n }: TabRow,
  change: { readonly name: string; readonly configuration: string },
): void {
  store.run(
    'update tab set name = ?, configuration = ? where n = ?',
    change.name,
    change.configuration,
    n,
  );
}

export const deleteTab = ({ store }: Tenant, { n }: TabRow): void =>
  store.run('delete from tab where n = ?', n);
