import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import type { GraphResult } from '../graph/request.ts';
import { failed } from '../../result.ts';
import type { PathPart, Place, SourceObject } from '../types.ts';
import { channelPath, teamPath } from './team-paths.ts';
import { teamMessages as m } from './team.messages.en.ts';

const MEMBERSHIPS = ['standard', 'private', 'shared'] as const;
export type Membership = (typeof MEMBERSHIPS)[number];

/** Graph names shared channels only to those who ask for members of enumerations that came later. */
export const ALL_CHANNELS = { headers: { prefer: 'include-unknown-enum-members' } } as const;

/** A kind that isn't known is nothing that the whole team sees. */
export function readMembership(type: string | null | undefined): Membership {
  return type == null ? 'standard' : (MEMBERSHIPS.find((one) => one === type) ?? 'shared');
}

/** The membership of a channel that a backup has. */
export const getMembership = ({ wellKnown }: PathPart): Membership =>
  readMembership(wellKnown === 'channel' ? 'standard' : wellKnown?.replace(/-channel$/, ''));

/** A channel of a team as it is now. */
const Channel = v.object({
  id: v.string(),
  displayName: v.string(),
  createdDateTime: v.fallback(v.nullish(v.string()), undefined),
  membershipType: v.pipe(v.nullish(v.string()), v.transform(readMembership)),
  migrationMode: v.fallback(v.nullish(v.string()), undefined),
});
export type OpenChannel = v.InferOutput<typeof Channel>;

const Folder = v.object({
  id: v.string(),
  name: v.string(),
  parentReference: v.object({
    driveId: v.string(),
    path: v.fallback(v.nullish(v.string()), undefined),
  }),
});

/** What a place of a team is: a channel, its files, its tabs, or what is beside the channels. */
export type TeamPlace =
  | { readonly kind: 'team' }
  | { readonly kind: 'channel' | 'tabs'; readonly channel: PathPart }
  /**
   * `channel` null: files of the team that belong to no channel. `isTop`: below the top of the
   * drive, not the channel's folder in it.
   */
  | {
      readonly kind: 'files';
      readonly channel: PathPart | null;
      readonly isTop: boolean;
      readonly below: readonly PathPart[];
    };

export function parseTeamPlace({ path }: Place): TeamPlace {
  const [top, part, ...below] = path;
  if (top === undefined) return { kind: 'team' };
  if (isTopFolder(top)) return { kind: 'files', channel: null, isTop: true, below: path.slice(1) };
  if (part === undefined) return { kind: 'channel', channel: top };
  if (part.wellKnown === 'tabs') return { kind: 'tabs', channel: top };
  const isTop = isTopFolder(part);
  const isNamed = isTop || part.wellKnown === 'files';
  return { kind: 'files', channel: top, isTop, below: isNamed ? below : path.slice(1) };
}

const isTopFolder = ({ wellKnown }: PathPart): boolean => wellKnown === 'other-files';

/** Finds a channel by its id, as its name may have changed, else by its name. */
export async function findChannel(
  client: GraphClient,
  object: SourceObject,
  { name, key }: PathPart,
): Reply<OpenChannel | null> {
  let named: OpenChannel | null = null;
  for (let link: string | null = `${teamPath(object)}/channels`; link !== null;) {
    const page: GraphResult<GraphPage<OpenChannel>> = await client.page(
      link,
      Channel,
      ALL_CHANNELS,
    );
    if (!page.ok) return { ok: false, error: page.error };
    const own = page.value.rows.find(({ id }) => id === key);
    if (own) return { ok: true, value: own };
    named ??=
      page.value.rows.find(({ displayName }) => displayName.toLowerCase() === name.toLowerCase()) ??
      null;
    link = page.value.next;
  }
  return { ok: true, value: named };
}

/** Creates a channel. `members`: of a private or shared one. */
export async function createChannel(
  client: GraphClient,
  object: SourceObject,
  part: PathPart,
  {
    members,
    check,
  }: {
    readonly members: readonly ReturnType<typeof memberBody>[];
    /** Whether a channel of this name that may be somebody else's can be used. */
    readonly check: (channel: OpenChannel) => Reply<OpenChannel>;
  },
): Reply<OpenChannel> {
  const membershipType = getMembership(part);
  const created = await client.post(
    `${teamPath(object)}/channels`,
    {
      displayName: part.name,
      membershipType,
      ...(membershipType !== 'standard' && { members }),
    },
    v.nullable(Channel),
    ALL_CHANNELS,
  );
  if (created.ok && created.value !== null) return { ok: true, value: created.value };
  // Microsoft 365 goes on creating it; or somebody else, or the request whose response was lost, has
  // made it meanwhile.
  for (let tries = 1; ; tries++) {
    const other: EngineResult<OpenChannel | null> = await findChannel(client, object, part);
    if (!other.ok) return created.ok ? other : { ok: false, error: created.error };
    if (other.value !== null)
      return created.ok ? checkMembership(other.value, part) : check(other.value);
    if (!created.ok) return { ok: false, error: created.error };
    if (tries === MAX_LOOKS) return failed('invalid', m.channelComes({ channel: part.name }));
    await client.ports.clock.sleep(LOOK_AGAIN_MS, client.scope.signal);
  }
}
/** A channel that is created in the background is there within a minute. */
const MAX_LOOKS = 12;
const LOOK_AGAIN_MS: Ms = 5_000;

/** What few people saw doesn't go to a channel that others see. */
export const checkMembership = (channel: OpenChannel, part: PathPart): EngineResult<OpenChannel> =>
  getMembership(part) === 'standard' || channel.membershipType === getMembership(part)
    ? { ok: true, value: channel }
    : failed('invalid', m.otherMembership({ channel: part.name }));

export const memberBody = (person: string, isOwner: boolean) => ({
  '@odata.type': '#microsoft.graph.aadUserConversationMember',
  'roles': isOwner ? ['owner'] : [],
  'user@odata.bind': `https://graph.microsoft.com/v1.0/users('${person}')`,
});

export const Member = v.looseObject({
  id: v.string(),
  userId: v.fallback(v.nullish(v.string()), undefined),
  displayName: v.fallback(v.nullish(v.string()), undefined),
  email: v.fallback(v.nullish(v.string()), undefined),
  roles: v.fallback(v.array(v.string()), []),
});
export type Member = v.InferOutput<typeof Member>;

/** `path`: of a team or a channel. */
export async function listMembers(client: GraphClient, path: string): Reply<readonly Member[]> {
  const members: Member[] = [];
  for (let link: string | null = `${path}/members`; link !== null;) {
    const page: GraphResult<GraphPage<Member>> = await client.page(link, Member);
    if (!page.ok) return { ok: false, error: page.error };
    members.push(...page.value.rows);
    link = page.value.next;
  }
  return { ok: true, value: members };
}

export async function listTeamOwners(
  client: GraphClient,
  object: SourceObject,
): Reply<readonly string[]> {
  const members = await listMembers(client, teamPath(object));
  return members.ok
    ? {
        ok: true,
        value: members.value.flatMap(({ userId, roles }) =>
          roles.includes('owner') && userId != null ? [userId] : [],
        ),
      }
    : members;
}

/** A folder of a drive: the object that stands for the drive, and the names down to the folder. */
export interface DrivePlace {
  readonly object: SourceObject;
  readonly drive: string;
  /** Names from the top of the drive; the first `given` exist with their channel. */
  readonly path: readonly PathPart[];
  readonly given: number;
}

/** Finds where files of a team go; null: its channel doesn't exist. */
export async function findDrivePlace(
  client: GraphClient,
  object: SourceObject,
  channel: OpenChannel | null,
  { isTop, below }: Pick<Extract<TeamPlace, { kind: 'files' }>, 'isTop' | 'below'>,
): Reply<DrivePlace> {
  const { address, name } = object;
  if (channel === null) {
    const drive = await client.get(
      `/groups/${encodeURIComponent(object.id)}/drive?$select=id`,
      v.object({ id: v.string() }),
    );
    if (!drive.ok) return { ok: false, error: drive.error };
    const { id } = drive.value;
    return {
      ok: true,
      value: { object: { kind: 'drive', id, name, address }, drive: id, path: below, given: 0 },
    };
  }
  const folder = await client.get(`${channelPath(object, channel.id)}/filesFolder`, Folder);
  if (!folder.ok)
    return folder.error.kind === 'missing'
      ? failed('busy', t.noFilesYet)
      : { ok: false, error: folder.error };
  const { driveId: drive, path = '' } = folder.value.parentReference;
  const names = (
    isTop
      ? []
      : [
          ...(path ?? '')
            .replace(/^.*?root:?/, '')
            .split('/')
            .filter(Boolean)
            .map(decodeURIComponent),
          folder.value.name,
        ]
  ).map((one) => ({ name: one, wellKnown: null }));
  return {
    ok: true,
    value: {
      object: { kind: 'drive', id: drive, name, address },
      drive,
      path: [...names, ...below],
      given: names.length,
    },
  };
}
