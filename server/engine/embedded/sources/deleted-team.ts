import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphResult } from '../graph/request.ts';
import { done, failed, nothing } from '../../result.ts';
import type {
  BeforeRemoval,
  LostObject,
  SourceObject,
  StandIn,
  StandIns,
  WriteInput,
} from '../types.ts';
import { channelPath, groupPath, teamPath } from './team-paths.ts';
import { completeThread, isPost, type Message, ThreadPage } from './team-posts.ts';
import {
  getGroupVisibility,
  isOwner,
  readStoredSettings,
  type TeamSettingsBody,
  writeSettings,
} from './team-settings-writer.ts';
import { teamMessages as t } from './team.messages.en.ts';

/** A restored group has its team again after some minutes, in rare cases hours. */
const RETURN_MS: Ms = 60_000;
/** Graph's page on PUT /groups/{id}/team: a new group may not be known everywhere yet. */
const REPLICATION_MS: Ms = 10_000;
/** POST /groups takes twenty relationships, and an owner is a member too. */
const MAX_OWNERS = 10;

const Identified = v.object({ id: v.string() });
const Group = v.object({ id: v.string(), displayName: v.fallback(v.string(), '') });

/**
 * The alias that earlier versions gave the group in place of a deleted one. Anybody can guess it: it
 * says nothing about who created the group.
 */
const getOldAlias = ({ id }: SourceObject): string =>
  `restored-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;

/** The key of a team that a restore created. */
export const getTeamKey = (id: string): string => `team:${id}`;
export const parseTeamKey = (key: string): string | null =>
  key.startsWith('team:') ? key.slice('team:'.length) : null;

type State =
  | { readonly kind: 'present'; readonly object: SourceObject }
  /** `coming`: its group is back. `deleted`: its group can be restored. `gone`: there is nothing. */
  | { readonly kind: 'coming' | 'deleted' | 'gone' }
  /** Its new group has no team yet. */
  | { readonly kind: 'begun'; readonly standIn: StandIn; readonly group: string };

async function has(client: GraphClient, path: string): Reply<boolean> {
  const found = await client.get(`${path}?$select=id`, Identified);
  if (found.ok) return { ok: true, value: true };
  return found.error.kind === 'missing'
    ? { ok: true, value: false }
    : { ok: false, error: found.error };
}

async function findState(
  client: GraphClient,
  object: SourceObject,
  { own, created, begun }: StandIns,
): Reply<State> {
  const states = [
    [teamPath(object), { kind: 'present', object }],
    [groupPath(object.id), { kind: 'coming' }],
    [`/directory/deletedItems/${encodeURIComponent(object.id)}`, { kind: 'deleted' }],
  ] as const;
  for (const [path, state] of states) {
    const found = await has(client, path);
    if (!found.ok) return found;
    if (found.value) return { ok: true, value: state };
  }
  for (const group of created) {
    const state = await findGroup(client, object, { alias: '', owners: [], group });
    if (!state.ok) return state;
    if (state.value !== null) return { ok: true, value: state.value };
  }
  for (const standIn of begun) {
    const group = await findByAlias(client, standIn.alias, standIn.owners, standIn.owners);
    // What others have made of a group that an earlier restore began is not that of this one.
    if (!group.ok && (standIn === own || group.error.kind !== 'conflict')) return group;
    if (!group.ok || group.value === null) continue;
    const state = await findGroup(client, object, { ...standIn, group: group.value });
    if (!state.ok) return state;
    if (state.value !== null) return { ok: true, value: state.value };
  }
  return { ok: true, value: { kind: 'gone' } };
}

/** Returns what there is of a group that a restore created. Null: somebody has deleted it. */
async function findGroup(
  client: GraphClient,
  object: SourceObject,
  standIn: StandIn & { readonly group: string },
): Reply<State | null> {
  const other = { ...object, id: standIn.group };
  const team = await has(client, teamPath(other));
  if (!team.ok) return team;
  if (team.value) return { ok: true, value: { kind: 'present', object: other } };
  const group = await has(client, groupPath(standIn.group));
  if (!group.ok) return group;
  return { ok: true, value: group.value ? { kind: 'begun', standIn, group: standIn.group } : null };
}

/** Returns the group of an alias, if its people are among those that a restore gave it. */
async function findByAlias(
  client: GraphClient,
  alias: string,
  owners: readonly string[],
  members: readonly string[],
): Reply<string | null> {
  const groups = await client.page(
    `/groups?$filter=mailNickname eq '${alias}'&$select=id,displayName`,
    Group,
  );
  if (!groups.ok) return { ok: false, error: groups.error };
  const [group] = groups.value.rows;
  if (group === undefined) return nothing;
  for (const [list, expected] of [
    ['owners', owners],
    ['members', members],
  ] as const) {
    const people = await readRows(
      client,
      `${groupPath(group.id)}/${list}?$select=id&$top=999`,
      Identified,
    );
    if (!people.ok) return people;
    const isOurs = people.value.every(({ id }) => expected.includes(id));
    if (!isOurs || (list === 'owners' && people.value.length === 0))
      return failed('conflict', t.notOurGroup({ name: group.displayName }));
  }
  return { ok: true, value: group.id };
}

const PLANS = { coming: t.groupBack, deleted: t.willRestoreGroup, gone: t.willCreateTeam } as const;

/** How a team that was deleted comes back: with its group within 30 days, later as a new one. */
export const lostTeam = (
  open: (object: SourceObject, call: LostCall) => GraphClient,
): LostObject => ({
  async find(object, call, standIns) {
    const state = await findState(open(object, call), object, standIns);
    if (!state.ok) return state;
    if (state.value.kind === 'present')
      return { ok: true, value: { object: state.value.object, plan: null } };
    const kind = state.value.kind === 'begun' ? 'gone' : state.value.kind;
    return { ok: true, value: { object, plan: PLANS[kind], isNew: kind === 'gone' } };
  },
  async bring(object, content, call, standIns, recorder) {
    const client = open(object, call);
    const found = await findState(client, object, standIns);
    if (!found.ok) return found;
    let state = found.value;
    if (state.kind === 'coming') return failed('busy', t.groupBack, { waitMs: RETURN_MS });
    if (state.kind === 'deleted') return restoreGroup(client, object);
    if (state.kind === 'present' && state.object.id !== standIns.own?.group)
      return { ok: true, value: state.object };
    const stored = await readStoredSettings(content);
    if (!stored.ok) return stored;
    if (state.kind === 'gone' && standIns.hasOldAlias) {
      const old = await findOld(client, object, stored.value);
      if (!old.ok) return old;
      state = old.value ?? state;
    }
    let team = state.kind === 'present' ? state.object : null;
    if (team === null) {
      let group = state.kind === 'begun' ? state.group : null;
      if (state.kind === 'begun') await recorder.created(state.standIn, state.group);
      if (group === null) {
        const owners = await findOwners(client, stored.value);
        if (!owners.ok) return owners;
        const standIn = await recorder.before(owners.value, standIns.own);
        if (standIn === null) return failed('busy', t.othersCreate, { waitMs: REPLICATION_MS });
        const created = await createGroup(
          client,
          object,
          stored.value,
          standIn.alias,
          owners.value,
        );
        if (!created.ok) return created;
        group = created.value;
        await recorder.created(standIn, group);
      }
      team = { ...object, id: group };
      const made = await createTeam(client, team, stored.value);
      if (!made.ok) return made;
    }
    const input = { replaces: null, keepBoth: false, flags: { ...NO_FLAGS, team: ALL }, content };
    const settings = await writeSettings(client, team, input);
    if (!settings.ok) return settings;
    await recorder.after(getTeamKey(team.id));
    return { ok: true, value: team };
  },
});
type LostCall = Parameters<LostObject['find']>[1];

const ALL = { members: true, settings: true } as const;
const NO_FLAGS: WriteInput['flags'] = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
};

/** The team comes back with its group, with all that it held. */
async function restoreGroup(client: GraphClient, object: SourceObject): Reply<SourceObject> {
  const restored = await client.post(
    `/directory/deletedItems/${encodeURIComponent(object.id)}/restore`,
    {},
    v.unknown(),
    { isRepeatable: true },
  );
  // The first of two requests has restored it: the next attempt finds the group.
  if (!restored.ok && restored.error.kind !== 'missing')
    return restored.error.kind === 'forbidden'
      ? failed('forbidden', t.restoreGroupYourself)
      : { ok: false, error: restored.error };
  const team = await client.get(`${teamPath(object)}?$select=id`, Identified);
  if (team.ok) return { ok: true, value: object };
  return team.error.kind === 'missing'
    ? failed('busy', t.groupBack, { waitMs: RETURN_MS })
    : { ok: false, error: team.error };
}

const toIds = (members: TeamSettingsBody['members']): readonly string[] =>
  members.flatMap(({ userId }) => (userId == null ? [] : [userId]));

/** Finds what an earlier version of Daybook had created when this restore was interrupted. */
async function findOld(
  client: GraphClient,
  object: SourceObject,
  stored: TeamSettingsBody,
): Reply<State | null> {
  const owners = await findOwners(client, stored);
  if (!owners.ok) return owners;
  const alias = getOldAlias(object);
  const allowed = [...owners.value, ...toIds(stored.members.filter(isOwner))];
  const group = await findByAlias(client, alias, allowed, toIds(stored.members));
  if (!group.ok) return group;
  if (group.value === null) return nothing;
  const standIn = { alias, owners: owners.value, group: group.value };
  const state = await findGroup(client, object, standIn);
  // Noted before anything is written there.
  return state.ok && state.value?.kind === 'present'
    ? { ok: true, value: { kind: 'begun', standIn, group: group.value } }
    : state;
}

/** Returns the ids of those who become the owners of a new team. */
async function findOwners(
  client: GraphClient,
  { members }: TeamSettingsBody,
): Reply<readonly string[]> {
  const owners: string[] = [];
  // A team without an owner who is still there gets one of its members.
  for (const one of [...members.filter(isOwner), ...members.filter((one) => !isOwner(one))]) {
    if (owners.length === MAX_OWNERS || (owners.length > 0 && !isOwner(one))) break;
    if (one.userId == null) continue;
    const user = await client.get(
      `/users/${encodeURIComponent(one.userId)}?$select=id`,
      Identified,
    );
    if (user.ok) owners.push(user.value.id);
    else if (user.error.kind !== 'missing') return { ok: false, error: user.error };
  }
  return owners.length === 0 ? failed('invalid', t.noMemberLeft) : { ok: true, value: owners };
}

async function createGroup(
  client: GraphClient,
  object: SourceObject,
  { team }: TeamSettingsBody,
  alias: string,
  owners: readonly string[],
): Reply<string> {
  const bound = owners.map((id) => `https://graph.microsoft.com/v1.0/users/${id}`);
  const { description } = team;
  const created = await client.post(
    '/groups',
    {
      'displayName': object.name,
      'mailNickname': alias,
      ...(typeof description === 'string' && description !== '' && { description }),
      'visibility': getGroupVisibility(team['visibility']),
      'groupTypes': ['Unified'],
      'mailEnabled': true,
      'securityEnabled': false,
      'owners@odata.bind': bound,
      'members@odata.bind': bound,
    },
    Identified,
  );
  if (created.ok) return { ok: true, value: created.value.id };
  return created.error.kind === 'forbidden'
    ? failed('forbidden', t.createNeedsRights)
    : { ok: false, error: created.error };
}

async function createTeam(
  client: GraphClient,
  { id }: SourceObject,
  { team }: TeamSettingsBody,
): Reply<void> {
  const { memberSettings, guestSettings, messagingSettings, funSettings } = team;
  const body = { memberSettings, guestSettings, messagingSettings, funSettings };
  const made = await client.putBytes(
    `${groupPath(id)}/team`,
    Buffer.from(JSON.stringify(body)),
    v.unknown(),
    { headers: { 'content-type': 'application/json' }, isRepeatable: true },
  );
  if (made.ok || made.error.kind === 'conflict') return done;
  if (made.error.kind === 'missing') return failed('busy', t.teamComes, { waitMs: REPLICATION_MS });
  return made.error.kind === 'forbidden'
    ? failed('forbidden', t.createNeedsRights)
    : { ok: false, error: made.error };
}

const Created = v.object({
  id: v.string(),
  createdDateTime: v.fallback(v.nullish(v.string()), null),
});
const Sized = v.object({ size: v.fallback(v.number(), 0) });
const Located = v.object({ parentReference: v.object({ driveId: v.string() }) });

/**
 * For undo: deletes a team that a restore created, unless somebody has written or stored something
 * in it since (`conflict`). Its group can be restored for 30 days. `missing`: it is gone, by somebody else
 * or by an attempt whose response was lost.
 */
export async function removeTeam(
  client: GraphClient,
  object: SourceObject,
  before?: BeforeRemoval,
): Reply<void> {
  const team = await client.get(teamPath(object), Created);
  if (!team.ok) return { ok: false, error: team.error };
  const createdAt = Date.parse(team.value.createdDateTime ?? '');
  const drives = new Set<string>();
  const own = await client.get(`${groupPath(object.id)}/drive?$select=id`, Identified);
  if (own.ok) drives.add(own.value.id);
  else if (own.error.kind !== 'missing') return { ok: false, error: own.error };
  const channels = await readRows(client, `${teamPath(object)}/channels`, Identified);
  if (!channels.ok) return channels;
  for (const { id } of channels.value) {
    const used = await hasLaterPosts(client, channelPath(object, id), createdAt);
    if (!used.ok) return used;
    if (used.value) return failed('conflict', t.teamInUse);
    const folder = await client.get(`${channelPath(object, id)}/filesFolder`, Located);
    if (folder.ok) drives.add(folder.value.parentReference.driveId);
    else if (folder.error.kind !== 'missing') return { ok: false, error: folder.error };
  }
  for (const drive of drives) {
    const path = `/drives/${encodeURIComponent(drive)}/root?$select=size`;
    const root = await client.get(path, Sized);
    if (!root.ok) return { ok: false, error: root.error };
    if (root.value.size > 0) return failed('conflict', t.teamInUse);
  }
  await before?.();
  const removed = await client.delete(groupPath(object.id));
  return removed.ok ? done : { ok: false, error: removed.error };
}

/** Whether there are posts or replies that were written or edited since. Imported ones are older. */
async function hasLaterPosts(client: GraphClient, channel: string, since: Ms): Reply<boolean> {
  const path = `${channel}/messages?$expand=replies&$top=50`;
  const rows = await readRows(client, path, ThreadPage);
  if (!rows.ok) return rows;
  const isLater = ({ createdDateTime, lastEditedDateTime }: Message): boolean =>
    !(Date.parse(createdDateTime ?? '') <= since) || Date.parse(lastEditedDateTime ?? '') > since;
  for (const row of rows.value) {
    const thread = await completeThread(client, row);
    if (!thread.ok) return thread;
    const { post, replies } = thread.value;
    // Teams itself notes there who was added, and new channels.
    if ([post, ...replies].some((one) => isPost(one) && isLater(one)))
      return { ok: true, value: true };
  }
  return { ok: true, value: false };
}

async function readRows<S extends v.GenericSchema>(
  client: GraphClient,
  path: string,
  schema: S,
): Promise<EngineResult<readonly v.InferOutput<S>[]>> {
  const rows: v.InferOutput<S>[] = [];
  for (let link: string | null = path; link !== null;) {
    const page: GraphResult<GraphPage<v.InferOutput<S>>> = await client.page(link, schema);
    if (!page.ok) return { ok: false, error: page.error };
    rows.push(...page.value.rows);
    link = page.value.next;
  }
  return { ok: true, value: rows };
}
