import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { readBatch } from '../graph/batch.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphResult } from '../graph/request.ts';
import { cleanText } from '../index/text.ts';

// Who a file or folder is shared with, as Graph's `permission` says it.

/** The same person can have several addresses, so the id of the directory counts, if there is one. */
export const PersonGrant = v.object({
  kind: v.literal('person'),
  id: v.nullable(v.string()),
  email: v.nullable(v.string()),
  name: v.string(),
  role: v.picklist(['read', 'write']),
  expiresAt: v.nullable(v.number()),
});
const LINK_TYPES = ['view', 'edit', 'review', 'blocksDownload', 'createOnly'] as const;
export const LinkGrant = v.object({
  kind: v.literal('link'),
  scope: v.picklist(['anonymous', 'organization']),
  type: v.picklist(LINK_TYPES),
  hasPassword: v.boolean(),
  expiresAt: v.nullable(v.number()),
});
/**
 * Access that Graph can only read, such as that of a SharePoint group. `isUnread`: the backup could
 * not read who has access at all.
 */
const OtherGrant = v.object({
  kind: v.literal('other'),
  name: v.string(),
  isUnread: v.optional(v.literal(true)),
});
export const SharingPermission = v.variant('kind', [PersonGrant, LinkGrant, OtherGrant]);
export type SharingPermission = v.InferOutput<typeof SharingPermission>;
export type PersonGrant = v.InferOutput<typeof PersonGrant>;
export type LinkGrant = v.InferOutput<typeof LinkGrant>;

/** The maximum number of permissions that are read of an item. */
export const MAX_PERMISSIONS = 1_000;

const text = v.fallback(v.nullish(v.string()), undefined);
const maybe = <S extends v.GenericSchema>(schema: S) => v.fallback(v.nullish(schema), undefined);
const Identity = maybe(
  v.object({ id: text, displayName: text, email: text, loginName: text, title: text }),
);
const Identities = v.object({
  user: Identity,
  group: Identity,
  siteUser: Identity,
  siteGroup: Identity,
  sharePointGroup: Identity,
  application: Identity,
});
type Identities = v.InferOutput<typeof Identities>;
export const Permission = v.object({
  id: v.string(),
  roles: v.fallback(v.array(v.string()), []),
  expirationDateTime: text,
  hasPassword: maybe(v.boolean()),
  inheritedFrom: maybe(v.looseObject({})),
  invitation: maybe(v.object({ email: text })),
  link: maybe(v.object({ scope: text, type: text, preventsDownload: maybe(v.boolean()) })),
  grantedTo: maybe(Identities),
  grantedToV2: maybe(Identities),
  grantedToIdentitiesV2: maybe(v.array(Identities)),
});
export type Permission = v.InferOutput<typeof Permission>;

/** Returns what permissions give of an item itself. What it inherits comes with its folder. */
export function getGrants(permissions: readonly unknown[]): readonly SharingPermission[] {
  const own = permissions.flatMap((one) => {
    const read = v.safeParse(Permission, one);
    return read.success && !read.output.inheritedFrom ? [read.output] : [];
  });
  return own.flatMap(getGrantsOfOne);
}

export function getGrantsOfOne(permission: Permission): readonly SharingPermission[] {
  const { link, roles } = permission;
  const expiresAt = getTime(permission.expirationDateTime);
  if (link?.scope === 'existingAccess') return [];
  // Owners have a file because it is in their drive.
  if (!link && roles.includes('owner')) return [];
  const role = roles.includes('write') ? 'write' : roles.includes('read') ? 'read' : null;
  const toPerson = (identities: Identities | null | undefined): SharingPermission => {
    const found = findPerson(identities, permission.invitation?.email ?? null);
    return found === null || role === null
      ? { kind: 'other', name: getName(identities) }
      : { kind: 'person', ...found, role, expiresAt };
  };
  if (!link) return [toPerson(permission.grantedToV2 ?? permission.grantedTo)];
  // A link for certain people gives access to these people.
  if (link.scope === 'users') return (permission.grantedToIdentitiesV2 ?? []).map(toPerson);
  const type = link.preventsDownload ? 'blocksDownload' : link.type;
  const read = v.safeParse(LinkGrant, {
    kind: 'link',
    scope: link.scope,
    type,
    hasPassword: permission.hasPassword ?? false,
    expiresAt,
  });
  return [
    read.success
      ? read.output
      : { kind: 'other', name: `${link.scope ?? ''} ${type ?? ''}`.trim() },
  ];
}

function findPerson(
  identities: Identities | null | undefined,
  invited: string | null,
): { id: string | null; email: string | null; name: string } | null {
  const { user, group, siteUser } = identities ?? {};
  const one = user ?? group;
  // `i:0#.f|membership|ann@example.com`
  const [, login] = /^i:0#\.f\|membership\|([^|]+@[^|]+)$/.exec(siteUser?.loginName ?? '') ?? [];
  const email = one?.email ?? siteUser?.email ?? login ?? invited;
  const id = one?.id ?? null;
  if (id === null && email == null) return null;
  const name = one?.displayName ?? siteUser?.displayName ?? email ?? id ?? '';
  return {
    id: id === null ? null : cleanText(id),
    email: email == null ? null : cleanText(email),
    name: cleanText(name),
  };
}

function getName(identities: Identities | null | undefined): string {
  for (const one of Object.values(identities ?? {})) {
    const name = one?.displayName ?? one?.title ?? one?.loginName;
    if (name) return cleanText(name);
  }
  return '';
}

function getTime(date: string | null | undefined): Ms | null {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : at;
}

/** Reads who an item is shared with. `item`: `/drives/<id>/items/<id>`. */
export async function readPermissions(
  client: GraphClient,
  item: string,
): Promise<GraphResult<readonly unknown[]>> {
  return readFrom(client, `${item}/permissions`);
}

async function readFrom(
  client: GraphClient,
  first: string | null,
): Promise<GraphResult<readonly unknown[]>> {
  const permissions: unknown[] = [];
  for (let link = first; link !== null;) {
    const page: GraphResult<GraphPage<unknown>> = await client.page(link, v.looseObject({}));
    if (!page.ok) return page;
    permissions.push(...page.value.rows);
    link = permissions.length < MAX_PERMISSIONS ? page.value.next : null;
  }
  return { ok: true, value: permissions };
}

const FirstPage = v.object({
  'value': v.array(v.unknown()),
  '@odata.nextLink': v.optional(v.string()),
});

/**
 * Reads who folders of a drive are shared with, in their order. Null: the folder is gone. One whose
 * sharing can't be read has a grant that says so, and a restore says it too.
 */
export async function readFolderGrants(
  client: GraphClient,
  drive: string,
  keys: readonly string[],
): Promise<EngineResult<readonly (readonly SharingPermission[] | null)[]>> {
  const paths = keys.map((key) => `${drive}/items/${encodeURIComponent(key)}/permissions`);
  const results = await readBatch(
    client,
    paths.map((path) => ({ path })),
  );
  const all: (readonly SharingPermission[] | null)[] = [];
  for (const result of results) {
    if (!result.ok && PASSING.has(result.error.kind)) return { ok: false, error: result.error };
    const read = result.ok ? v.safeParse(FirstPage, result.value) : null;
    if (!read?.success) {
      const isGone = !result.ok && result.error.kind === 'missing';
      all.push(isGone ? null : [{ kind: 'other', name: '', isUnread: true }]);
      continue;
    }
    const more = await readFrom(client, read.output['@odata.nextLink'] ?? null);
    if (!more.ok) return { ok: false, error: more.error };
    all.push(getGrants([...read.output.value, ...more.value]));
  }
  return { ok: true, value: all };
}
const PASSING: ReadonlySet<string> = new Set(['busy', 'unreachable', 'refused']);
