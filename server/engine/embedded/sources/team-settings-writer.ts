import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed } from '../../result.ts';
import type { Found, SourceObject, WriteInput, Written } from '../types.ts';
import { readContent } from './content.ts';
import { teamMessages } from './team.messages.en.ts';
import { groupPath, SETTINGS_KEY, teamPath } from './team-paths.ts';
import { listMembers, Member, memberBody } from './team-place.ts';

const MAX_BYTES = 16 * 1_048_576;
const Settings = v.object({ team: v.looseObject({}), members: v.array(Member) });
export type Settings = v.InferOutput<typeof Settings>;

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

async function readNow(client: GraphClient, object: SourceObject): Reply<Settings> {
  const team = await client.get(teamPath(object), v.looseObject({}));
  if (!team.ok) return { ok: false, error: team.error };
  const members = await listMembers(client, object);
  return members.ok
    ? { ok: true, value: { team: team.value, members: [...members.value] } }
    : members;
}

export async function readStoredSettings(content: WriteInput['content']): Reply<Settings> {
  const bytes = await readContent(await content('json'), MAX_BYTES);
  if (!bytes.ok) return bytes;
  const read = v.safeParse(Settings, JSON.parse(Buffer.from(bytes.value).toString()));
  return read.success ? { ok: true, value: read.output } : failed('damaged', t.unreadable);
}

export const isOwner = ({ roles }: Member): boolean => roles.includes('owner');
const getState = ({ team, members }: Settings): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        sorted({ ...getSettings(team), ...getGroupSettings(team) }),
        members
          .map((one) => JSON.stringify([one.userId, isOwner(one)]))
          .toSorted((a, b) => (a < b ? -1 : 1)),
      ]),
    )
    .digest('base64url');

/** Members that the team lacks, or that have another role in it. */
const getDifferent = (stored: Settings, now: Settings): readonly Member[] =>
  stored.members.filter((member) => {
    const other = now.members.find(({ userId }) => userId === member.userId);
    return other === undefined || isOwner(other) !== isOwner(member);
  });

export async function findSettings(
  client: GraphClient,
  object: SourceObject,
  content: WriteInput['content'],
): Reply<Found> {
  const [stored, now] = [await readStoredSettings(content), await readNow(client, object)];
  if (!stored.ok) return stored;
  if (!now.ok) return now;
  const isSame =
    getDifferent(stored.value, now.value).length === 0 &&
    isEqual(getSettings(stored.value.team), getSettings(now.value.team)) &&
    isEqual(getGroupSettings(stored.value.team), getGroupSettings(now.value.team));
  return { ok: true, value: { key: SETTINGS_KEY, changeKey: getState(now.value), isSame } };
}

/**
 * Puts members and settings back. Members that came later stay, unless a restore is undone: then the
 * team is exactly as it was.
 */
export async function writeSettings(
  client: GraphClient,
  object: SourceObject,
  { replaces, flags, content }: WriteInput,
): Reply<Written> {
  const [stored, now] = [await readStoredSettings(content), await readNow(client, object)];
  if (!stored.ok) return stored;
  if (!now.ok) return now;
  if (replaces !== null && replaces.changeKey !== '' && replaces.changeKey !== getState(now.value))
    return failed('conflict', t.conflict);
  const parts = flags.team ?? { members: true, settings: true };
  const steps: (() => Promise<EngineResult<unknown>>)[] = [];
  const path = teamPath(object);
  const settings = getSettings(stored.value.team);
  if (parts.settings && !isEqual(settings, getSettings(now.value.team)))
    steps.push(() => client.patch(path, settings, v.unknown()));
  if (parts.members) {
    for (const member of getDifferent(stored.value, now.value)) {
      const other = now.value.members.find(({ userId }) => userId === member.userId);
      if (member.userId == null) continue;
      const { userId } = member;
      steps.push(() =>
        other === undefined
          ? client.post(`${path}/members`, memberBody(userId, isOwner(member)), v.unknown(), {
              isRepeatable: true,
            })
          : client.patch(
              `${path}/members/${encodeURIComponent(other.id)}`,
              {
                '@odata.type': '#microsoft.graph.aadUserConversationMember',
                'roles': member.roles,
              },
              v.unknown(),
            ),
      );
    }
    if (flags.team === undefined)
      for (const extra of now.value.members)
        if (!stored.value.members.some(({ userId }) => userId === extra.userId))
          steps.push(() => client.delete(`${path}/members/${encodeURIComponent(extra.id)}`));
  }
  for (const step of steps) {
    const result = await step();
    if (!result.ok) return { ok: false, error: result.error };
  }
  const group = getGroupSettings(stored.value.team);
  const isOther = parts.settings && !isEqual(group, getGroupSettings(now.value.team));
  const changed = isOther ? await client.patch(groupPath(object.id), group, v.unknown()) : null;
  // The rest is restored: the result says what is missing.
  if (changed?.ok === false && changed.error.kind !== 'forbidden')
    return { ok: false, error: changed.error };
  const after = await readNow(client, object);
  return after.ok
    ? {
        ok: true,
        value: {
          key: SETTINGS_KEY,
          changeKey: getState(after.value),
          ...(changed?.ok === false && { note: teamMessages.groupNeedsRights }),
        },
      }
    : after;
}
