import * as v from 'valibot';
import { contentTag, driveItemEntity, itemTag, permissionEntities } from './drive-entities.ts';
import type { DriveTarget } from './drive-path.ts';
import {
  type DriveRow,
  type ItemRow,
  changeContent,
  deleteItem,
  findChild,
  findItem,
  insertItem,
  isInside,
  listVersions,
  nameExists,
  storeBytes,
  updateItem,
} from './drive-store.ts';
import type { DriveHandler } from './drive.ts';
import { GraphError, badRequest, itemNotFound } from './graph-error.ts';
import type { GraphContext } from './graph-env.ts';
import { digest } from './ids.ts';
import { checkIfMatch, readJson } from './odata.ts';
import type { Tenant } from './store.ts';
import type { UploadSessions } from './upload.ts';

export type ConflictBehavior = 'fail' | 'replace' | 'rename';

const time = v.optional(v.pipe(v.string(), v.transform(Date.parse), v.finite()));
const itemInput = v.object({
  'name': v.optional(v.string()),
  'folder': v.optional(v.object({})),
  'parentReference': v.optional(v.object({ id: v.optional(v.string()) })),
  'fileSystemInfo': v.optional(v.object({ createdDateTime: time, lastModifiedDateTime: time })),
  '@microsoft.graph.conflictBehavior': v.optional(v.picklist(['fail', 'replace', 'rename'])),
});
const uploadInput = v.object({
  item: v.optional(itemInput),
  deferCommit: v.optional(v.boolean(), false),
});

export type ItemInput = v.InferOutput<typeof itemInput>;

function parse<S extends v.GenericSchema>(schema: S, json: unknown): v.InferOutput<S> {
  const parsed = v.safeParse(schema, json);
  if (!parsed.success)
    throw new GraphError(
      400,
      'invalidRequest',
      `${v.getDotPath(parsed.issues[0]) ?? ''}: ${parsed.issues[0].message}`,
    );
  return parsed.output;
}

/** Writing to drives: content, folders, names, dates, sharing, uploads in parts. */
export function driveWriting(tenant: Tenant, uploads: UploadSessions): DriveHandler {
  return async (c, drive, target) => {
    const { method } = c.req;
    const [name, ...rest] = target.action;
    if (method === 'PUT' && name === 'content') return putContent(tenant, c, drive, target);
    if (method === 'POST' && name === 'createUploadSession') {
      const input = parse(uploadInput, await readJson(c.req.raw));
      const { parent, name: fileName, item } = resolveTarget(tenant, drive, target);
      if (item) checkIfMatch(c.req.raw, itemTag(tenant, item), contentTag(tenant, item));
      return c.json(
        uploads.create({
          drive,
          parentId: parent.id,
          name: input.item?.name ?? fileName,
          input: input.item ?? {},
          behavior:
            input.item?.['@microsoft.graph.conflictBehavior'] ??
            (target.missing || !item ? 'fail' : 'replace'),
          isDeferred: input.deferCommit,
          author: getAuthor(c, drive),
        }),
      );
    }
    const { item } = target;
    if (!item) throw itemNotFound();
    if (method === 'POST' && name === 'children') return postChild(tenant, c, drive, item);
    if (method === 'PATCH' && name === undefined) return patchItem(tenant, c, drive, item);
    if (method === 'DELETE' && name === undefined) {
      checkIfMatch(c.req.raw, itemTag(tenant, item), contentTag(tenant, item));
      deleteItem(tenant, item);
      return c.body(null, 204);
    }
    if (method === 'POST' && name === 'versions' && rest[1] === 'restoreVersion') {
      const version = listVersions(tenant, item.id).find((row) => `${row.version}.0` === rest[0]);
      if (!version) throw itemNotFound();
      changeContent(
        tenant,
        item,
        { content: JSON.parse(version.content), size: version.size },
        getAuthor(c, drive),
      );
      return c.body(null, 204);
    }
    return sharing(tenant, c, drive, { item, action: target.action });
  };
}

/** The user of the token, else the owner of the drive. */
const getAuthor = (c: GraphContext, drive: DriveRow): string =>
  c.get('caller').personId ?? drive.owner_id;

function resolveTarget(
  tenant: Tenant,
  drive: DriveRow,
  { item, missing }: DriveTarget,
): { readonly parent: ItemRow; readonly name: string; readonly item: ItemRow | null } {
  if (missing) return { ...missing, item: null };
  if (!item?.parent_id) throw badRequest('The root has no content.');
  const parent = tenant.store.get<ItemRow>('select * from item where id = ?', item.parent_id);
  if (!parent) throw itemNotFound();
  return {
    parent: findItem(tenant, drive.id, parent.parent_id === null ? 'root' : parent.id),
    name: item.name,
    item,
  };
}

/** @throws GraphError 400 */
function checkName(name: string): void {
  if (/["*:<>?/\\|]|^\s|[\s.]$|^$/.test(name))
    throw new GraphError(
      400,
      'invalidRequest',
      'The provided name cannot contain the following characters: " * : < > ? / \\ |',
    );
}

/** Returns the name under which an item can be created, and the item that it replaces. */
export function resolveConflict(
  tenant: Tenant,
  parentId: string,
  name: string,
  behavior: ConflictBehavior,
): { readonly name: string; readonly existing: ItemRow | null } {
  checkName(name);
  const existing = findChild(tenant, parentId, name);
  if (!existing) return { name, existing: null };
  if (behavior === 'fail') throw nameExists();
  if (behavior === 'replace') return { name, existing };
  const [, stem = name, ending = ''] = /^(.*?)(\.[^.]+)?$/.exec(name) ?? [];
  let number = 1;
  while (findChild(tenant, parentId, `${stem} ${number}${ending}`)) number += 1;
  return { name: `${stem} ${number}${ending}`, existing: null };
}

/** Stores a file's bytes in a folder under a name, as its conflict behavior says. */
export function saveFile(
  tenant: Tenant,
  file: {
    readonly drive: DriveRow;
    readonly parentId: string;
    readonly name: string;
    readonly behavior: ConflictBehavior;
    readonly bytes: Uint8Array;
    readonly author: string;
    readonly input: ItemInput;
  },
): { readonly item: ItemRow; readonly isNew: boolean } {
  return tenant.store.transaction(() => {
    const { name, existing } = resolveConflict(tenant, file.parentId, file.name, file.behavior);
    if (existing?.is_folder === 1) throw nameExists();
    const content = { content: storeBytes(tenant, file.bytes), size: file.bytes.length };
    const { createdDateTime, lastModifiedDateTime } = file.input.fileSystemInfo ?? {};
    if (existing) {
      const changed = changeContent(tenant, existing, content, file.author, lastModifiedDateTime);
      const item =
        createdDateTime === undefined
          ? changed
          : updateItem(tenant, changed, { fileCreatedAt: createdDateTime });
      return { item, isNew: false };
    }
    const item = insertItem(tenant, {
      driveId: file.drive.id,
      parentId: file.parentId,
      name,
      author: file.author,
      at: tenant.now(),
      content,
      ...(createdDateTime === undefined ? {} : { fileCreatedAt: createdDateTime }),
      ...(lastModifiedDateTime === undefined ? {} : { fileChangedAt: lastModifiedDateTime }),
    });
    return { item, isNew: true };
  });
}

async function putContent(
  tenant: Tenant,
  c: GraphContext,
  drive: DriveRow,
  target: DriveTarget,
): Promise<Response> {
  const { parent, name, item: known } = resolveTarget(tenant, drive, target);
  if (known) checkIfMatch(c.req.raw, itemTag(tenant, known), contentTag(tenant, known));
  const behavior = c.req.query('@microsoft.graph.conflictBehavior');
  const { item, isNew } = saveFile(tenant, {
    drive,
    parentId: parent.id,
    name,
    behavior: behavior === 'fail' || behavior === 'rename' ? behavior : 'replace',
    bytes: new Uint8Array(await c.req.arrayBuffer()),
    author: getAuthor(c, drive),
    input: {},
  });
  return c.json(driveItemEntity(tenant, drive, item), isNew ? 201 : 200);
}

async function postChild(
  tenant: Tenant,
  c: GraphContext,
  drive: DriveRow,
  parent: ItemRow,
): Promise<Response> {
  const input = parse(itemInput, await readJson(c.req.raw));
  if (!input.folder || input.name === undefined)
    throw new GraphError(400, 'invalidRequest', 'Only folders can be created here.');
  const behavior = input['@microsoft.graph.conflictBehavior'] ?? 'fail';
  const { name, existing } = resolveConflict(tenant, parent.id, input.name, behavior);
  if (existing) return c.json(driveItemEntity(tenant, drive, existing), 200);
  const { createdDateTime, lastModifiedDateTime } = input.fileSystemInfo ?? {};
  const item = insertItem(tenant, {
    driveId: drive.id,
    parentId: parent.id,
    name,
    author: getAuthor(c, drive),
    at: tenant.now(),
    content: null,
    ...(createdDateTime === undefined ? {} : { fileCreatedAt: createdDateTime }),
    ...(lastModifiedDateTime === undefined ? {} : { fileChangedAt: lastModifiedDateTime }),
  });
  return c.json(driveItemEntity(tenant, drive, item), 201);
}

async function patchItem(
  tenant: Tenant,
  c: GraphContext,
  drive: DriveRow,
  item: ItemRow,
): Promise<Response> {
  checkIfMatch(c.req.raw, itemTag(tenant, item), contentTag(tenant, item));
  const input = parse(itemInput, await readJson(c.req.raw));
  if (input.name !== undefined) checkName(input.name);
  const parentId = input.parentReference?.id;
  if (parentId !== undefined && isInside(tenant, findItem(tenant, drive.id, parentId), item.id))
    throw new GraphError(400, 'invalidRequest', 'A folder cannot be moved into itself.');
  const changed = updateItem(tenant, item, {
    name: input.name,
    parentId,
    fileCreatedAt: input.fileSystemInfo?.createdDateTime,
    fileChangedAt: input.fileSystemInfo?.lastModifiedDateTime,
  });
  return c.json(driveItemEntity(tenant, drive, changed));
}

const expiry = v.optional(v.pipe(v.string(), v.isoTimestamp()));
const inviteInput = v.object({
  recipients: v.array(
    v.union([
      v.object({ objectId: v.pipe(v.string(), v.uuid()) }),
      v.object({ email: v.pipe(v.string(), v.email()) }),
    ]),
  ),
  roles: v.pipe(v.array(v.picklist(['read', 'write'])), v.minLength(1)),
  requireSignIn: v.optional(v.boolean()),
  sendInvitation: v.optional(v.boolean()),
  expirationDateTime: expiry,
});
const linkInput = v.object({
  type: v.picklist(['view', 'edit', 'embed', 'review', 'blocksDownload', 'createOnly']),
  scope: v.optional(v.picklist(['anonymous', 'organization', 'users']), 'organization'),
  password: v.optional(v.pipe(v.string(), v.minLength(1))),
  expirationDateTime: expiry,
});

/** Finds whom to give access; people who have left can't be resolved. */
function resolveRecipient(
  { store }: Tenant,
  recipient: v.InferOutput<typeof inviteInput>['recipients'][number],
): { readonly id: string; readonly name: string; readonly mail: string | null } {
  const found = store.get<{ id: string; name: string; mail: string | null }>(
    'objectId' in recipient
      ? 'select id, name, mail from person where removed = 0 and id = ?'
      : 'select id, name, mail from person where removed = 0 and mail = ?',
    'objectId' in recipient ? recipient.objectId : recipient.email,
  );
  if (!found)
    throw new GraphError(
      400,
      'invalidRequest',
      'Users in this request could not be resolved.',
      {},
      'noResolvedUsers',
    );
  return found;
}

const withExpiry = ({ expirationDateTime }: { readonly expirationDateTime?: string | undefined }) =>
  expirationDateTime === undefined
    ? {}
    : { expirationDateTime: new Date(expirationDateTime).toISOString() };

function isSameLink(
  made: unknown,
  link: { readonly type: string; readonly scope: string; readonly preventsDownload?: boolean },
): boolean {
  if (typeof made !== 'object' || made === null) return false;
  return (['type', 'scope', 'preventsDownload'] as const).every(
    (name) => Reflect.get(made, name) === link[name],
  );
}

/** Gives people or a link access to an item, or takes it away. */
async function sharing(
  tenant: Tenant,
  c: GraphContext,
  drive: DriveRow,
  { item, action: [name, id] }: { readonly item: ItemRow; readonly action: readonly string[] },
): Promise<Response | null> {
  const add = (props: Readonly<Record<string, unknown>>): unknown => {
    const key = digest(item.id, tenant.store.nextSeq()).toString('base64url').slice(0, 24);
    tenant.store.insert('permission', { id: key, item_id: item.id, props: JSON.stringify(props) });
    updateItem(tenant, item, {});
    return permissionEntities(tenant, drive, item).find((permission) => permission['id'] === key);
  };
  if (c.req.method === 'POST' && name === 'invite') {
    const input = parse(inviteInput, await readJson(c.req.raw));
    const people = input.recipients.map((recipient) => resolveRecipient(tenant, recipient));
    return c.json({
      value: people.map(({ id: person, name: displayName, mail }) =>
        add({
          roles: input.roles,
          grantedToV2: {
            user: { id: person, displayName },
            siteUser: { id: '12', displayName, loginName: `i:0#.f|membership|${mail ?? person}` },
          },
          ...withExpiry(input),
        }),
      ),
    });
  }
  if (c.req.method === 'POST' && name === 'createLink') {
    const input = parse(linkInput, await readJson(c.req.raw));
    const { type, scope } = input;
    const key = digest(item.id, 'link', type, scope, tenant.store.nextSeq());
    const link = {
      type: type === 'blocksDownload' ? 'view' : type,
      scope,
      ...(type === 'blocksDownload' && { preventsDownload: true }),
      webUrl: `https://demo-my.sharepoint.com/:x:/g/${key.toString('base64url').slice(0, 24)}`,
    };
    const roles = [type === 'edit' ? 'write' : 'read'];
    // An application gets the link of this type that it has made before.
    const before = permissionEntities(tenant, drive, item).find(
      ({ link: made, hasPassword }) =>
        isSameLink(made, link) && hasPassword === (input.password !== undefined),
    );
    if (before) return c.json(before, 200);
    return c.json(
      add({ roles, link, hasPassword: input.password !== undefined, ...withExpiry(input) }),
      201,
    );
  }
  if (c.req.method === 'DELETE' && name === 'permissions' && id !== undefined) {
    tenant.store.run('delete from permission where item_id = ? and id = ?', item.id, id);
    updateItem(tenant, item, {});
    return c.body(null, 204);
  }
  return null;
}
