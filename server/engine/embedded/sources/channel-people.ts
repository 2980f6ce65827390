import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import { done, failed, nothing } from '../../result.ts';
import type { PathPart, Place, SourceObject, WriteInput } from '../types.ts';
import { channelPath, teamPath } from './team-paths.ts';
import {
  checkMembership,
  getMembership,
  listMembers,
  type Member,
  memberBody,
  type OpenChannel,
} from './team-place.ts';
import { readStoredSettings } from './team-settings-writer.ts';
import { teamMessages as t } from './team.messages.en.ts';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly isOwner: boolean;
}
/** Whom a private or shared channel is created for again. `lost`: who had access, by name. */
export interface ChannelPeople {
  readonly owners: readonly Person[];
  readonly members: readonly Person[];
  readonly lost: readonly string[];
}

/** Graph's page on POST /teams/{id}/channels: more members of a private channel are added later. */
const MAX_MEMBERS = 200;
const LOOKUPS = 4;

/**
 * Returns who the backup says had a private or shared channel and still can, or can again when the
 * same restore has put the members of the team back. Error: nobody could own it, or the backup
 * doesn't know its people. Then somebody has to decide, and create it in Teams: nobody gets access by
 * chance.
 */
export async function findChannelPeople(
  client: GraphClient,
  place: Place,
  part: PathPart,
): Reply<ChannelPeople> {
  const { settings } = place;
  const channel = part.name;
  const unknown = failed('invalid', t.peopleUnknown({ channel }));
  const stored = settings === undefined ? unknown : await readStoredSettings(settings);
  if (!stored.ok) return stored.error.kind === 'missing' ? unknown : stored;
  const members = stored.value.channels.find(
    ({ displayName, membershipType }) =>
      displayName.toLowerCase() === channel.toLowerCase() && membershipType === getMembership(part),
  )?.members;
  if (members === undefined) return unknown;
  const present = await findPresent(client, place, part, members);
  if (!present.ok) return present;
  const people = members.flatMap((member) =>
    present.value.has(member.userId ?? '')
      ? [{ id: member.userId ?? '', name: getName(member), isOwner: isOwner(member) }]
      : [],
  );
  const owners = people.filter((person) => person.isOwner);
  if (owners.length === 0) {
    const names = getNames(members.filter(isOwner).map(getName));
    return failed('invalid', t.noChannelOwner({ channel, names: names || t.nobody }));
  }
  return {
    ok: true,
    value: {
      owners,
      members: people.filter((person) => !person.isOwner),
      lost: members.filter(({ userId }) => !present.value.has(userId ?? '')).map(getName),
    },
  };
}

const isOwner = ({ roles }: Member): boolean => roles.includes('owner');
const getName = ({ displayName, email, userId }: Member): string =>
  [displayName, email, userId].find((one) => one != null && one !== '') ?? t.unknownAuthor;

/**
 * Returns a channel that has the name of one of the backup, if what that one had may go there: its
 * rules about who sees it are the same, and a private or shared one is the channel of the backup, or
 * nobody sees it whom the backup doesn't name. A name alone says nothing: members of a team create
 * private channels, also by the name of a deleted one.
 */
export async function checkChannel(
  client: GraphClient,
  object: SourceObject,
  part: PathPart,
  channel: OpenChannel,
  settings: WriteInput['content'] | undefined,
): Reply<OpenChannel> {
  const usable = checkMembership(channel, part);
  if (!usable.ok || getMembership(part) === 'standard' || settings === undefined) return usable;
  const stored = await readStoredSettings(settings);
  if (!stored.ok) return stored.error.kind === 'missing' ? usable : stored;
  const before = stored.value.channels.find(
    ({ displayName, membershipType }) =>
      displayName.toLowerCase() === part.name.toLowerCase() &&
      membershipType === getMembership(part),
  );
  // The first versions of Daybook did not back up what channels there were.
  if (before === undefined || before.id === channel.id) return usable;
  const name = part.name;
  const now = await listMembers(client, channelPath(object, channel.id));
  if (!now.ok && now.error.kind !== 'forbidden') return now;
  const { members } = before;
  if (!now.ok || members === undefined) return failed('invalid', t.otherChannel({ channel: name }));
  const others = now.value.filter(({ userId }) => !members.some((one) => one.userId === userId));
  return others.length === 0
    ? usable
    : failed('invalid', t.otherPeople({ channel: name, names: getNames(others.map(getName)) }));
}

/**
 * Returns the ids of those who can have the channel: of a private one members of its team, of a
 * shared one people of the tenant. A team that is yet to be created gets its people first.
 */
async function findPresent(
  client: GraphClient,
  { object, returning }: Place,
  part: PathPart,
  members: readonly Member[],
): Reply<ReadonlySet<string>> {
  const ids = toIds(members);
  if (getMembership(part) !== 'private') return findInTenant(client, ids);
  const team = await listMembers(client, teamPath(object));
  if (!team.ok) return team.error.kind === 'missing' ? findInTenant(client, ids) : team;
  const present = toIds(team.value);
  const stored = returning === undefined ? nothing : await readStoredSettings(returning);
  if (!stored.ok && stored.error.kind !== 'missing') return stored;
  const coming = stored.ok && stored.value !== null ? toIds(stored.value.members) : [];
  const others = ids.filter((id) => !present.includes(id) && coming.includes(id));
  const found = await findInTenant(client, others);
  return found.ok ? { ok: true, value: new Set([...present, ...found.value]) } : found;
}

const toIds = (members: readonly Member[]): readonly string[] =>
  members.flatMap(({ userId }) => userId ?? []);

/** Returns those of the ids that are people of the tenant. */
async function findInTenant(
  client: GraphClient,
  ids: readonly string[],
): Reply<ReadonlySet<string>> {
  const present = new Set<string>();
  for (let first = 0; first < ids.length; first += LOOKUPS) {
    const users = await Promise.all(
      ids
        .slice(first, first + LOOKUPS)
        .map((id) =>
          client.get(`/users/${encodeURIComponent(id)}?$select=id`, v.object({ id: v.string() })),
        ),
    );
    for (const user of users)
      if (user.ok) present.add(user.value.id);
      else if (user.error.kind !== 'missing') return { ok: false, error: user.error };
  }
  return { ok: true, value: present };
}

/** Who is named when a channel is created: shared ones take one owner, and the others afterwards. */
export const getFirstMembers = (part: PathPart, people: ChannelPeople) =>
  splitPeople(part, people).first.map(({ id, isOwner: owns }) => memberBody(id, owns));

function splitPeople(part: PathPart, { owners, members }: ChannelPeople) {
  const all = [...owners, ...members];
  const count = getMembership(part) === 'shared' ? 1 : MAX_MEMBERS;
  return { first: all.slice(0, count), others: all.slice(count) };
}

/** Adds those whom the creation of a channel left out. May be repeated. */
export async function addOtherPeople(
  client: GraphClient,
  object: SourceObject,
  channel: string,
  part: PathPart,
  people: ChannelPeople,
): Reply<void> {
  const { others } = splitPeople(part, people);
  if (others.length === 0) return done;
  const path = channelPath(object, channel);
  const now = await listMembers(client, path);
  if (!now.ok) return now;
  const present = new Set(now.value.map(({ userId }) => userId));
  for (const { id, isOwner: owns } of others.filter((one) => !present.has(one.id))) {
    const added: EngineResult<unknown> = await client.post(
      `${path}/members`,
      memberBody(id, owns),
      v.unknown(),
      { isRepeatable: true },
    );
    if (!added.ok) return { ok: false, error: added.error };
  }
  return done;
}

/** Says who gets a channel that is missing, or has it now, and what of its sharing is lost. */
export function describePeople(
  part: PathPart,
  { owners, members, lost }: ChannelPeople,
  isCreated: boolean,
): string {
  const isShared = getMembership(part) === 'shared';
  const input = { channel: part.name, owners: getNames(owners.map(({ name }) => name)) };
  const created = isShared ? t.sharedCreated(input) : t.privateCreated(input);
  const planned = isShared ? t.sharedPlanned(input) : t.privatePlanned(input);
  return [
    isCreated ? created : planned,
    members.length === 0 ? '' : t.channelMembersAre({ names: getNames(members.map(toName)) }),
    lost.length === 0 ? '' : t.channelLost({ names: getNames(lost) }),
    isShared ? t.sharedAlone : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

const toName = ({ name }: Person): string => name;
/** More would be a sentence that nobody reads. */
const MAX_NAMES = 20;

function getNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  const count = names.length - MAX_NAMES;
  return count > 0 ? t.namesAndMore({ names: shown, count }) : shown;
}
