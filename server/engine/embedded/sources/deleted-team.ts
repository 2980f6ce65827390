import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphResult } from '../graph/request.ts';
import { done, failed } from '../../result.ts';
import type { LostObject, SourceObject, WriteInput } from '../types.ts';
import { channelPath, groupPath, teamPath } from './team-paths.ts';
import {
  getGroupVisibility,
  isOwner,
  readStoredSettings,
  type Settings,
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
 * The alias of the group that stands in for a deleted one. Aliases are unique in a tenant, so a
 * repeated request can't create a second group, and any later restore finds the first.
 */
const getAlias = ({ id }: SourceObject): string =>
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
  | { readonly kind: 'begun'; readonly group: string };

async function findState(client: GraphClient, object: SourceObject): Reply<State> {
  const has = async (path: string): Reply<boolean> => {
    const found = await client.get(`${path}?$select=id`, Identified);
    if (found.ok) return { ok: true, value: true };
    return found.error.kind === 'missing'
      ? { ok: true, value: false }
      : { ok: false, error: found.error };
  };
  const states = [
    [teamPath(object), { kind: 'present', object }],
    [groupPath(object.id), { kind: 'coming' }],
    [`/directory/deletedItems/${encodeURIComponent(object.id)}`, { kind: 'deleted' }],
  ] as const;
  for (const [path, state] of states) {
    const found = await has(path);
    if (!found.ok) return found;
    if (found.value) return { ok: true, value: state };
  }
  const groups = await client.page(
    `/groups?$filter=mailNickname eq '${getAlias(object)}'&$select=id,displayName`,
    Group,
  );
  if (!groups.ok) return { ok: false, error: groups.error };
  const [group] = groups.value.rows;
  if (group === undefined) return { ok: true, value: { kind: 'gone' } };
  const other = { ...object, id: group.id };
  const team = await has(teamPath(other));
  if (!team.ok) return team;
  return {
    ok: true,
    value: team.value ? { kind: 'present', object: other } : { kind: 'begun', group: group.id },
  };
}

const PLANS = { coming: t.groupBack, deleted: t.willRestoreGroup, gone: t.willCreateTeam } as const;

/** How a team that was deleted comes back: with its group within 30 days, later as a new one. */
export const lostTeam = (
  open: (object: SourceObject, call: LostCall) => GraphClient,
): LostObject => ({
  async find(object, call) {
    const state = await findState(open(object, call), object);
    if (!state.ok) return state;
    return {
      ok: true,
      value:
        state.value.kind === 'present'
          ? { object: state.value.object, plan: null }
          : { object, plan: PLANS[state.value.kind === 'begun' ? 'gone' : state.value.kind] },
    };
  },
  async bring(object, content, call, recorder) {
    const client = open(object, call);
    const state = await findState(client, object);
    if (!state.ok) return state;
    if (state.value.kind === 'coming') return failed('busy', t.groupBack, { waitMs: RETURN_MS });
    if (state.value.kind === 'deleted') return restoreGroup(client, object);
    const stored = await readStoredSettings(content);
    if (!stored.ok) return stored;
    let team = state.value.kind === 'present' ? state.value.object : null;
    if (team === null) {
      let group = state.value.kind === 'begun' ? state.value.group : null;
      if (group === null) {
        await recorder.before([]);
        const created = await createGroup(client, object, stored.value);
        if (!created.ok) return created;
        group = created.value;
      }
      team = { ...object, id: group };
      const made = await createTeam(client, team, stored.value);
      if (!made.ok) return made;
    }
    if (team.id === object.id) return { ok: true, value: team };
    const input = { replaces: null, keepBoth: false, flags: { ...NO_FLAGS, team: ALL }, content };
    const settings = await writeSettings(client, team, input);
    if (!settings.ok) return settings;
    await recorder.after([], getTeamKey(team.id));
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

async function createGroup(
  client: GraphClient,
  object: SourceObject,
  { team, members }: Settings,
): Reply<string> {
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
  if (owners.length === 0) return failed('invalid', t.noMemberLeft);
  const bound = owners.map((id) => `https://graph.microsoft.com/v1.0/users/${id}`);
  const { description } = team;
  const created = await client.post(
    '/groups',
    {
      'displayName': object.name,
      'mailNickname': getAlias(object),
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
  { team }: Settings,
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
 * in it since (`conflict`). Its group can be restored for 30 days.
 */
export async function removeTeam(client: GraphClient, object: SourceObject): Reply<void> {
  const team = await client.get(teamPath(object), Created);
  if (!team.ok) return team.error.kind === 'missing' ? done : { ok: false, error: team.error };
  const createdAt = Date.parse(team.value.createdDateTime ?? '');
  const drives = new Set<string>();
  const own = await client.get(`${groupPath(object.id)}/drive?$select=id`, Identified);
  if (own.ok) drives.add(own.value.id);
  else if (own.error.kind !== 'missing') return { ok: false, error: own.error };
  const channels = await readRows(client, `${teamPath(object)}/channels`, Identified);
  if (!channels.ok) return channels;
  for (const { id } of channels.value) {
    const posts = await readRows(client, `${channelPath(object, id)}/messages?$top=50`, Created);
    if (!posts.ok) return posts;
    // Imported posts are older than the team.
    if (posts.value.some((post) => !(Date.parse(post.createdDateTime ?? '') <= createdAt)))
      return failed('conflict', t.teamInUse);
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
  const removed = await client.delete(groupPath(object.id));
  return removed.ok ? done : { ok: false, error: removed.error };
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
