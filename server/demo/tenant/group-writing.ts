import * as v from 'valibot';
import { getUuid } from '../random.ts';
import { GraphError, badRequest, resourceNotFound } from './graph-error.ts';
import type { GraphApp, GraphContext } from './graph-env.ts';
import { type GroupRow, findGroup, groupEntity, insertSite } from './groups.ts';
import { readJson } from './odata.ts';
import { findPerson } from './people.ts';
import { checkPermission } from './permissions.ts';
import type { Tenant } from './store.ts';
import { teamEntity } from './team-entities.ts';
import { changeSettings, listTeamMembers, putMember } from './team-settings.ts';
import { addChannel } from './team-store.ts';

/** Deleted groups can be restored for this long. */
const RESTORABLE_MS = 30 * 86_400_000;
/** A new group is not known everywhere before. */
const REPLICATION_MS = 5_000;
const MAX_BOUND = 20;

const bound = v.optional(
  v.pipe(
    v.array(v.pipe(v.string(), v.regex(/\/users(?:\('[^']+'\)|\/[^/]+)$/))),
    v.maxLength(MAX_BOUND),
  ),
  [],
);
const visibility = v.picklist(['Public', 'Private', 'HiddenMembership']);
const groupInput = v.object({
  'displayName': v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  'mailNickname': v.pipe(v.string(), v.maxLength(64), v.regex(/^[^@()\\[\]";:<>, ]+$/)),
  'description': v.nullish(v.string()),
  'visibility': v.optional(visibility, 'Public'),
  'groupTypes': v.tuple([v.literal('Unified')]),
  'mailEnabled': v.literal(true),
  'securityEnabled': v.literal(false),
  'owners@odata.bind': bound,
  'members@odata.bind': bound,
});
const groupChange = v.object({
  description: v.nullish(v.string()),
  visibility: v.optional(visibility),
});
const flags = v.optional(v.record(v.string(), v.union([v.boolean(), v.string()])));
const newTeam = v.object({
  memberSettings: flags,
  guestSettings: flags,
  messagingSettings: flags,
  funSettings: flags,
});

const readInput = async <S extends v.GenericSchema>(c: GraphContext, schema: S) => {
  const parsed = v.safeParse(schema, await readJson(c.req.raw));
  if (!parsed.success)
    throw badRequest(`${v.getDotPath(parsed.issues[0]) ?? ''}: ${parsed.issues[0].message}`);
  return parsed.output;
};

/** Creating, changing and deleting groups, making teams of them, and restoring deleted ones. */
export function addGroupWritingRoutes(app: GraphApp, tenant: Tenant): void {
  const { store } = tenant;
  const readBound = (bind: string): string => {
    const key = /\/users(?:\('([^']+)'\)|\/([^/]+))$/.exec(bind)?.slice(1).find(Boolean) ?? '';
    const person = findPerson(tenant, key);
    if (!person || person.removed) throw resourceNotFound(key);
    return person.id;
  };
  app.post('/groups', async (c) => {
    checkPermission(c.get('caller'), 'createGroups');
    const input = await readInput(c, groupInput);
    const owners = input['owners@odata.bind'].map(readBound);
    const members = input['members@odata.bind'].map(readBound);
    if (owners.length + members.length > MAX_BOUND)
      throw badRequest('No more than 20 relationships can be created with a group.');
    if (store.get('select 1 from team where nickname = ? and removed = 0', input.mailNickname))
      throw new GraphError(
        400,
        'Request_BadRequest',
        'Another object with the same value for property mailNickname already exists.',
        {},
        'ObjectConflict',
      );
    const id = store.transaction(() => {
      const n = store.nextN('team');
      const at = tenant.now();
      const group = getUuid(tenant.seed, 'group', n);
      const [name, nickname] = [input.displayName, input.mailNickname];
      store.insert('team', {
        n,
        id: group,
        name,
        nickname,
        kind: 'unified',
        created_at: at,
        seq: store.nextSeq(),
      });
      changeSettings(tenant, group, {
        description: input.description ?? null,
        visibility: input.visibility,
      });
      insertSite(tenant, { name, path: nickname, parentId: null, groupId: group, at });
      for (const personId of new Set([...owners, ...members]))
        putMember(tenant, group, { personId, isOwner: owners.includes(personId) });
      return group;
    });
    return c.json(groupEntity(tenant, findGroup(tenant, id)), 201);
  });
  app.patch('/groups/:group', async (c) => {
    checkPermission(c.get('caller'), 'writeGroups');
    const { id } = findGroup(tenant, c.req.param('group'));
    const change = await readInput(c, groupChange);
    changeSettings(tenant, id, {
      ...(change.description !== undefined && { description: change.description }),
      ...(change.visibility !== undefined && { visibility: change.visibility }),
    });
    return c.body(null, 204);
  });
  app.put('/groups/:group/team', async (c) => {
    checkPermission(c.get('caller'), 'writeGroups');
    const group = findGroup(tenant, c.req.param('group'));
    const input = await readInput(c, newTeam);
    if (tenant.now() - group.created_at < REPLICATION_MS)
      throw new GraphError(404, 'NotFound', 'The group is not found.');
    if (group.kind === 'team')
      throw new GraphError(409, 'Conflict', 'A team exists for this group.');
    if (!listTeamMembers(tenant, group.id).some(({ isOwner }) => isOwner))
      throw badRequest('The group must have an owner.');
    store.transaction(() => {
      store.run("update team set kind = 'team', seq = ? where id = ?", store.nextSeq(), group.id);
      changeSettings(
        tenant,
        group.id,
        Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
      );
      addChannel(tenant, {
        team: group,
        name: 'General',
        description: '',
        membership: 'standard',
        at: tenant.now(),
      });
    });
    return c.json(teamEntity(tenant, findGroup(tenant, group.id)), 201);
  });
  app.delete('/groups/:group', (c) => {
    checkPermission(c.get('caller'), 'writeGroups');
    deleteGroup(tenant, findGroup(tenant, c.req.param('group')).id);
    return c.body(null, 204);
  });

  const findDeleted = (id: string): GroupRow & { readonly deleted_at: number } => {
    const row = store.get<GroupRow & { readonly deleted_at: number }>(
      'select t.*, d.at as deleted_at from team as t join deleted_group as d on d.team_id = t.id where t.id = ? and t.removed = 1',
      id,
    );
    if (!row || tenant.now() - row.deleted_at > RESTORABLE_MS) throw resourceNotFound(id);
    return row;
  };
  app.get('/directory/deletedItems/:id', (c) => {
    checkPermission(c.get('caller'), 'readGroups');
    const row = findDeleted(c.req.param('id'));
    return c.json({
      '@odata.type': '#microsoft.graph.group',
      ...groupEntity(tenant, row, row.deleted_at),
    });
  });
  app.post('/directory/deletedItems/:id/restore', (c) => {
    checkPermission(c.get('caller'), 'writeGroups');
    const { id } = findDeleted(c.req.param('id'));
    store.transaction(() => {
      store.run('update team set removed = 0, seq = ? where id = ?', store.nextSeq(), id);
      store.run('delete from deleted_group where team_id = ?', id);
    });
    return c.json({
      '@odata.type': '#microsoft.graph.group',
      ...groupEntity(tenant, findGroup(tenant, id)),
    });
  });
}

/** Deletes a group, which can be restored for 30 days. */
export function deleteGroup(tenant: Tenant, id: string): void {
  const { store } = tenant;
  store.transaction(() => {
    store.run('update team set removed = 1, seq = ? where id = ?', store.nextSeq(), id);
    store.run('insert or replace into deleted_group (team_id, at) values (?, ?)', id, tenant.now());
  });
}
