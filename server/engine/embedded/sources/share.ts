import * as v from 'valibot';
import type { EngineError, EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { GraphClient } from '../graph/client.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import type { Shared } from '../types.ts';
import { done } from '../../result.ts';
import {
  type SharingPermission,
  type LinkGrant,
  type PersonGrant,
  Permission,
  getGrantsOfOne,
  readPermissions,
} from './sharing.ts';

const State = v.object({ eTag: v.nullish(v.string()), cTag: v.nullish(v.string()) });
const Invited = v.object({ value: v.array(v.object({ id: v.string() })) });
const Created = v.object({ id: v.string() });

/** A permission of the target, as one of the backup would be. */
interface Present {
  /** Null: the item inherits it. */
  readonly id: string | null;
  readonly grant: SharingPermission;
}

/**
 * Gives people and links the access to an item that grants say, without sending a mail. What the item
 * has already, or inherits, is left: so a repeated call adds nothing. `item`: `/drives/<id>/items/<id>`,
 * `changeKey`: the state in which the restore left it. `isOtherOrganization`: people have other ids there,
 * so their addresses count too. Only errors that pass are returned as such.
 */
export async function shareItem(
  client: GraphClient,
  item: string,
  changeKey: string,
  grants: readonly SharingPermission[],
  isOtherOrganization: boolean,
): Reply<Shared> {
  const { wanted, lacks } = sortGrants(grants, client.ports.clock.now());
  const nothing = { added: [], people: 0, links: 0, lacks, changeKey };
  if (wanted.length === 0) return { ok: true, value: nothing };
  const before = await client.get(`${item}?$select=id,eTag,cTag`, State);
  if (!before.ok) return { ok: false, error: before.error };
  const present = await readPresent(client, item);
  if (!present.ok) return present;
  const added: string[] = [];
  const failures: string[] = [];
  const given = { people: 0, links: 0 };
  for (const grant of wanted) {
    const known = present.value.find((one) => covers(one.grant, grant));
    const result: EngineResult<readonly string[]> = known
      ? { ok: true, value: known.id === null ? [] : [known.id] }
      : grant.kind === 'person'
        ? await invite(client, item, grant, isOtherOrganization)
        : await createLink(client, item, grant);
    if (result.ok) {
      added.push(...result.value);
      given[grant.kind === 'person' ? 'people' : 'links'] += 1;
    } else if (passes(result.error)) return result;
    else failures.push(describeFailure(grant, result.error));
  }
  const after = await client.get(`${item}?$select=id,eTag,cTag`, State);
  if (!after.ok) return { ok: false, error: after.error };
  // Sharing is a change of the item that undo must not take for somebody else's.
  const isOwn = before.value.eTag === changeKey && before.value.cTag === after.value.cTag;
  return {
    ok: true,
    value: {
      added,
      ...given,
      lacks: [...lacks, ...failures],
      changeKey: isOwn ? (after.value.eTag ?? changeKey) : changeKey,
    },
  };
}

/** Takes permissions away. What is gone already counts as taken away. */
export async function unshareItem(
  client: GraphClient,
  item: string,
  permissions: readonly string[],
): Reply<void> {
  for (const id of permissions) {
    const removed = await client.delete(`${item}/permissions/${encodeURIComponent(id)}`);
    if (!removed.ok && removed.error.kind !== 'missing') return { ok: false, error: removed.error };
  }
  return done;
}

/** What of the grants can be given at a moment, each once; and why the others can't. */
export function sortGrants(
  grants: readonly SharingPermission[],
  now: Ms,
): { readonly wanted: readonly (PersonGrant | LinkGrant)[]; readonly lacks: readonly string[] } {
  const wanted: (PersonGrant | LinkGrant)[] = [];
  const lacks: string[] = [];
  for (const grant of grants) {
    const lack = findLack(grant, now);
    if (lack !== null) lacks.push(lack);
    else if (grant.kind !== 'other' && !wanted.some((one) => covers(one, grant)))
      wanted.push(grant);
  }
  return { wanted, lacks };
}

function findLack(grant: SharingPermission, now: Ms): string | null {
  if (grant.kind === 'other' && grant.isUnread === true) return t.sharingUnread;
  if (grant.kind === 'other') return t.notGrantable({ name: grant.name || t.unnamed });
  const isExpired = grant.expiresAt !== null && grant.expiresAt <= now;
  if (grant.kind === 'person') return isExpired ? t.grantExpired({ name: grant.name }) : null;
  if (isExpired) return t.linkExpired;
  // Nobody knows the password, and without it the link would give access to everybody.
  return grant.hasPassword ? t.linkHasPassword : null;
}

/** Whether one grant gives at least what another does. */
function covers(one: SharingPermission, other: PersonGrant | LinkGrant): boolean {
  if (one.kind === 'person' && other.kind === 'person') {
    const isSame =
      one.id !== null && other.id !== null
        ? one.id === other.id
        : one.email !== null && one.email.toLowerCase() === other.email?.toLowerCase();
    return isSame && (one.role === 'write' || other.role === 'read') && outlasts(one, other);
  }
  return (
    one.kind === 'link' &&
    other.kind === 'link' &&
    one.scope === other.scope &&
    one.type === other.type &&
    one.hasPassword === other.hasPassword &&
    outlasts(one, other)
  );
}

const outlasts = (one: PersonGrant | LinkGrant, other: PersonGrant | LinkGrant): boolean =>
  one.expiresAt === null || (other.expiresAt !== null && one.expiresAt >= other.expiresAt);

async function readPresent(client: GraphClient, item: string): Reply<readonly Present[]> {
  const read = await readPermissions(client, item);
  if (!read.ok) return { ok: false, error: read.error };
  return {
    ok: true,
    value: read.value.flatMap((one) => {
      const permission = v.safeParse(Permission, one);
      if (!permission.success) return [];
      const { id, inheritedFrom } = permission.output;
      return getGrantsOfOne(permission.output).map((grant) => ({
        id: inheritedFrom ? null : id,
        grant,
      }));
    }),
  };
}

const expiry = ({ expiresAt }: PersonGrant | LinkGrant) =>
  expiresAt === null ? {} : { expirationDateTime: new Date(expiresAt).toISOString() };

/** Not repeated by itself: if the response is lost, the permissions say whether it was done. */
async function invite(
  client: GraphClient,
  item: string,
  grant: PersonGrant,
  isOtherOrganization: boolean,
): Reply<readonly string[]> {
  const { id, email, role } = grant;
  const post = (recipient: Readonly<Record<string, string>>) =>
    client.post(
      `${item}/invite`,
      {
        recipients: [recipient],
        roles: [role],
        requireSignIn: true,
        sendInvitation: false,
        ...expiry(grant),
      },
      Invited,
    );
  let invited = await post(id === null ? { email: email ?? '' } : { objectId: id });
  // Within the organization, the address of somebody who left may be another person's by now.
  const mayBeOther = isOtherOrganization && id !== null && email !== null;
  if (!invited.ok && mayBeOther && !passes(invited.error)) invited = await post({ email });
  return invited.ok
    ? { ok: true, value: invited.value.value.map((one) => one.id) }
    : { ok: false, error: invited.error };
}

async function createLink(
  client: GraphClient,
  item: string,
  grant: LinkGrant,
): Reply<readonly string[]> {
  const { scope, type } = grant;
  const created = await client.post(
    `${item}/createLink`,
    { type, scope, ...expiry(grant) },
    Created,
    // Graph returns the link of this type that the application has made before.
    { isRepeatable: true },
  );
  return created.ok ? { ok: true, value: [created.value.id] } : { ok: false, error: created.error };
}

function describeFailure(grant: PersonGrant | LinkGrant, error: EngineError): string {
  if (grant.kind === 'link') return t.linkRefused({ reason: error.message });
  return error.kind === 'missing'
    ? t.personGone({ name: grant.name })
    : t.personRefused({ name: grant.name, reason: error.message });
}

const passes = ({ kind }: EngineError): boolean =>
  kind === 'busy' || kind === 'unreachable' || kind === 'refused';
