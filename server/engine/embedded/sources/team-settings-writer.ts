import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphResult } from '../graph/request.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed, nothing } from '../../result.ts';
import type { FoundObject, Place, SourceObject, WriteInput, Written } from '../types.ts';
import { parseContent, readContent } from './content.ts';
import { teamMessages } from './team.messages.en.ts';
import { channelPath, groupPath, SETTINGS_KEY, teamPath } from './team-paths.ts';
import { ALL_CHANNELS, listMembers, Member, memberBody } from './team-place.ts';

const MAX_BYTES = 16 * 1_048_576;
/** `members`: of a private or shared one; absent: not known. */
const Channel = v.object({
  id: v.string(),
  displayName: v.string(),
  membershipType: v.fallback(v.nullish(v.string()), undefined),
  members: v.optional(v.array(Member)),
});
type Channel = v.InferOutput<typeof Channel>;
const Settings = v.object({
  team: v.looseObject({}),
  members: v.array(Member),
  channels: v.optional(v.array(Channel), []),
});
export type TeamSettingsBody = v.InferOutput<typeof Settings>;

const BOTH = { members: true, settings: true };

/** The settings of a team that Graph lets change. */
const WRITABLE = ['memberSettings', 'guestSettings', 'messagingSettings', 'funSettings'] as const;

const getSettings = (team: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(WRITABLE.map((name) => [name, team[name] ?? null]));
/** What a team has from its group. */
const getGroupSettings = ({ description, visibility }: Readonly<Record<string, unknown>>) => ({
  description: typeof description === 'string' && description !== '' ? description : null,
  visibility: getGroupVisibility(visibility),
});
/** Graph writes the visibility of groups and of teams in different ways. */
export const getGroupVisibility = (visibility: unknown): string =>
  visibility === 'public'
    ? 'Public'
    : visibility === 'hiddenMembership'
      ? 'HiddenMembership'
      : 'Private';
const isEqual = (a: unknown, b: unknown): boolean =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, part]) => [name, sorted(part)]),
      )
    : value;

async function readNow(client: GraphClient, object: SourceObject): Reply<TeamSettingsBody> {
  const team = await client.get(teamPath(object), v.looseObject({}));
  if (!team.ok) return { ok: false, error: team.error };
  const members = await listMembers(client, teamPath(object));
  if (!members.ok) return members;
  const channels: Channel[] = [];
  for (let link: string | null = `${teamPath(object)}/channels`; link !== null;) {
    const page: GraphResult<GraphPage<Channel>> = await client.page(link, Channel, ALL_CHANNELS);
    if (!page.ok) return { ok: false, error: page.error };
    for (const { id, displayName, membershipType } of page.value.rows) {
      if (membershipType == null || membershipType === 'standard') continue;
      const own = await listMembers(client, channelPath(object, id));
      if (!own.ok && own.error.kind !== 'forbidden' && own.error.kind !== 'missing') return own;
      channels.push({
        id,
        displayName,
        membershipType,
        ...(own.ok && { members: [...own.value] }),
      });
    }
    link = page.value.next;
  }
  return { ok: true, value: { team: team.value, members: [...members.value], channels } };
}

export async function readStoredSettings(content: WriteInput['content']): Reply<TeamSettingsBody> {
  const bytes = await readContent(await content('json'), MAX_BYTES);
  if (!bytes.ok) return bytes;
  const read = v.safeParse(Settings, parseContent(bytes.value));
  return read.success ? { ok: true, value: read.output } : failed('damaged', t.unreadable);
}

export const isOwner = ({ roles }: Member): boolean => roles.includes('owner');
const getState = ({ team, members, channels }: TeamSettingsBody): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        sorted({ ...getSettings(team), ...getGroupSettings(team) }),
        getRoles(members),
        channels
          .map((one) => JSON.stringify([one.displayName, getRoles(one.members ?? [])]))
          .toSorted(byText),
      ]),
    )
    .digest('base64url');

const withoutChannels = (
  settings: TeamSettingsBody,
  created: readonly string[],
): TeamSettingsBody => ({
  ...settings,
  channels: settings.channels.filter(({ id }) => !created.includes(id)),
});

const getRoles = (members: readonly Member[]): readonly string[] =>
  members.map((one) => JSON.stringify([one.userId, isOwner(one)])).toSorted(byText);
const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** Stored channels with members, each with what the team has of it now, or of its name. */
const pairChannels = (stored: TeamSettingsBody, now: TeamSettingsBody) =>
  stored.channels.flatMap(({ id, displayName, members }) => {
    const name = displayName.toLowerCase();
    const current =
      now.channels.find((one) => one.id === id) ??
      now.channels.find((one) => one.displayName.toLowerCase() === name);
    return members === undefined ? [] : [{ members, current }];
  });

/** Members that are missing now, or have another role. */
const getDifferent = (stored: readonly Member[], now: readonly Member[]): readonly Member[] =>
  stored.filter((member) => {
    const other = now.find(({ userId }) => userId === member.userId);
    return other === undefined || isOwner(other) !== isOwner(member);
  });

/** A channel that is missing is created with its people, so far as they are members of the team. */
const isOfTeam = (members: readonly Member[], team: readonly Member[]): boolean =>
  members.every(({ userId }) => team.some((one) => one.userId === userId));

/**
 * What a team has of its members and settings. It is the same if no part differs that a restore
 * writes.
 */
export async function findSettings(
  client: GraphClient,
  object: SourceObject,
  content: WriteInput['content'],
  parts: Place['teamParts'] = BOTH,
): Reply<FoundObject> {
  const [stored, now] = [await readStoredSettings(content), await readNow(client, object)];
  if (!stored.ok) return stored;
  if (!now.ok) return now;
  const hasMembers =
    getDifferent(stored.value.members, now.value.members).length === 0 &&
    pairChannels(stored.value, now.value).every(({ members, current }) =>
      current === undefined
        ? isOfTeam(members, now.value.members)
        : getDifferent(members, current.members ?? []).length === 0,
    );
  const hasSettings =
    isEqual(getSettings(stored.value.team), getSettings(now.value.team)) &&
    isEqual(getGroupSettings(stored.value.team), getGroupSettings(now.value.team));
  const isSame = (!parts.members || hasMembers) && (!parts.settings || hasSettings);
  return { ok: true, value: { key: SETTINGS_KEY, changeKey: getState(now.value), isSame } };
}

/**
 * Puts members and settings back. Members that came later stay, unless a restore is undone: then the
 * team is exactly as it was.
 */
export async function writeSettings(
  client: GraphClient,
  object: SourceObject,
  { replaces, flags, content, undoes, created = [] }: WriteInput,
): Reply<Written> {
  const [stored, now] = [await readStoredSettings(content), await readNow(client, object)];
  if (!stored.ok) return stored;
  if (!now.ok) return now;
  const known = replaces?.changeKey ?? '';
  // Former versions of Daybook wrote them after the channels of the restore were there.
  const states = [now.value, withoutChannels(now.value, created)].map(getState);
  if (known !== '' && !states.includes(known)) {
    const undone = undoes === undefined ? nothing : await readStoredSettings(undoes);
    if (!undone.ok) return undone;
    if (undone.value === null || !isBetween(undone.value, stored.value, now.value))
      return failed('conflict', t.conflict);
  }
  const parts = flags.team ?? BOTH;
  const path = teamPath(object);
  const settings = getSettings(stored.value.team);
  if (parts.settings && !isEqual(settings, getSettings(now.value.team))) {
    const patched = await client.patch(path, settings, v.unknown());
    if (!patched.ok) return { ok: false, error: patched.error };
  }
  const notes: string[] = [];
  if (parts.members) {
    const isExact = flags.team === undefined;
    const places = [
      { path, members: stored.value.members, current: now.value.members },
      ...pairChannels(stored.value, now.value).flatMap(({ members, current }) =>
        current === undefined
          ? []
          : [{ path: channelPath(object, current.id), members, current: current.members }],
      ),
    ];
    let left = 0;
    let isForbidden = false;
    for (const place of places) {
      const put =
        place.current === undefined
          ? FORBIDDEN
          : await putMembers(client, place.path, place.members, place.current, isExact);
      if (put.ok) left += put.value;
      // The rest is restored: the result says what is missing.
      else if (put.error.kind === 'forbidden' && place.path !== path) isForbidden = true;
      else return put;
    }
    if (isForbidden) notes.push(teamMessages.channelsNeedRights);
    if (left > 0) notes.push(teamMessages.membersLeft({ count: left }));
  }
  const group = getGroupSettings(stored.value.team);
  const isOther = parts.settings && !isEqual(group, getGroupSettings(now.value.team));
  const changed = isOther ? await client.patch(groupPath(object.id), group, v.unknown()) : null;
  if (changed?.ok === false && changed.error.kind === 'forbidden')
    notes.push(teamMessages.groupNeedsRights);
  if (changed?.ok === false && changed.error.kind !== 'forbidden')
    return { ok: false, error: changed.error };
  const after = await readNow(client, object);
  return after.ok
    ? {
        ok: true,
        value: {
          key: SETTINGS_KEY,
          changeKey: getState(after.value),
          ...(notes.length > 0 && { note: notes.join(' ') }),
        },
      }
    : after;
}

const FORBIDDEN = failed('forbidden', t.forbidden);

/**
 * Whether a team has nothing but what a restore gave it and what it had before: an undo that broke off
 * leaves it so. Otherwise somebody else has changed it.
 */
function isBetween(
  restored: TeamSettingsBody,
  before: TeamSettingsBody,
  now: TeamSettingsBody,
): boolean {
  const isEither = (read: typeof getSettings | typeof getGroupSettings): boolean =>
    [restored, before].some(({ team }) => isEqual(read(team), read(now.team)));
  const given = pairChannels(restored, now);
  return (
    isEither(getSettings) &&
    isEither(getGroupSettings) &&
    areBetween(restored.members, before.members, now.members) &&
    pairChannels(before, now).every(({ members, current }) => {
      if (current === undefined) return false;
      const own = given.find((one) => one.current?.id === current.id);
      return areBetween(own?.members ?? [], members, current.members ?? members);
    })
  );
}

function areBetween(
  restored: readonly Member[],
  before: readonly Member[],
  now: readonly Member[],
): boolean {
  const known = [...restored, ...before];
  return (
    now.every((one) =>
      known.some((other) => other.userId === one.userId && isOwner(other) === isOwner(one)),
    ) && before.every((one) => now.some(({ userId }) => userId === one.userId))
  );
}

/**
 * Adds missing members and puts roles back. `isExact`: removes the others too. Returns how many could
 * not be added because they are no longer there.
 */
async function putMembers(
  client: GraphClient,
  path: string,
  stored: readonly Member[],
  now: readonly Member[],
  isExact: boolean,
): Reply<number> {
  let left = 0;
  for (const { userId, ...member } of getDifferent(stored, now)) {
    const other = now.find((one) => one.userId === userId);
    if (userId == null) continue;
    const put: EngineResult<unknown> =
      other === undefined
        ? await client.post(`${path}/members`, memberBody(userId, isOwner(member)), v.unknown(), {
            isRepeatable: true,
          })
        : await client.patch(
            `${path}/members/${encodeURIComponent(other.id)}`,
            {
              '@odata.type': '#microsoft.graph.aadUserConversationMember',
              'roles': isOwner(member) ? ['owner'] : [],
            },
            v.unknown(),
          );
    if (put.ok) continue;
    const isGone = put.error.kind === 'invalid' || put.error.kind === 'missing';
    if (other !== undefined || !isGone) return { ok: false, error: put.error };
    left += 1;
  }
  if (!isExact) return { ok: true, value: left };
  for (const extra of now) {
    if (stored.some(({ userId }) => userId === extra.userId)) continue;
    const removed = await client.delete(`${path}/members/${encodeURIComponent(extra.id)}`);
    if (!removed.ok) return { ok: false, error: removed.error };
  }
  return { ok: true, value: left };
}
