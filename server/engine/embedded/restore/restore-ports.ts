import * as v from 'valibot';
import type { EngineResult, ObjectKind } from '#contract/engine/engine.ts';
import type { OrganizationId, TenantId } from '#contract/ids.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { ContentError } from '../../shared/content-error.ts';
import type { GraphPorts } from '../graph/request.ts';
import type { GraphConnections } from '../organizations/access.ts';
import { openStoredRepository } from '../repositories/repositories.ts';
import type { Repository } from '../restic/repository.ts';
import { failed, ok } from '../../result.ts';
import { writeTo } from '../sessions/content-writer.ts';
import { directoryClient } from '../sources/directory.ts';
import { driveWriter } from '../sources/drive-writer.ts';
import { driveSource } from '../sources/drive.ts';
import { mailboxSource, readMailboxItem } from '../sources/outlook/mailbox.ts';
import { mailboxWriter } from '../sources/outlook/writer.ts';
import { findSite, isLibrary, siteWriter } from '../sources/site-writer.ts';
import { siteSource } from '../sources/site.ts';
import type {
  ItemChange,
  ObjectSource,
  SourceCall,
  SourceObject,
  Writer,
  WriteTurns,
} from '../types.ts';
import { graphMessages } from '../graph/messages.en.ts';
import { teamSource } from '../sources/team.ts';
import { getTabsKey, SETTINGS_KEY } from '../sources/team-paths.ts';
import { parseTabKey } from '../sources/team-tab-writer.ts';
import { teamWriter } from '../sources/team-writer.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { openGrant } from './rights/grants.ts';
import { findMissing, neededFor } from '../entra/permissions.ts';
import type { ReadStored } from '../sources/mail-edits.ts';
import type { TaskRights } from './rights/rights.ts';
import type { RestoreContent, RestorePorts, RestoreDestination } from './running-task.ts';

/** Restores write with the organization's access or with granted rights, and read from the stored repository. */
export const makeRestorePorts = (
  context: () => AppContext,
  connections: GraphConnections,
): RestorePorts => ({
  async openTarget(tenant, organization, rights, turns) {
    const ports = await openPorts(context(), connections, { tenant, organization, rights });
    return ports.ok ? ok(graphTarget(ports.value, turns)) : ports;
  },
  openAdministrator: (region, accessToken, signal) =>
    directoryClient(connections.person(region, accessToken), { signal, onWaiting: () => {} }),
  async openContent(tenant, repository) {
    const opened = await openStoredRepository(context(), tenant, repository);
    return opened.ok ? ok(getContent(opened.value)) : opened;
  },
});

/** Signs in with the rights of a task. Those of the backup application are checked before. */
async function openPorts(
  context: AppContext,
  connections: GraphConnections,
  {
    tenant,
    organization,
    rights,
  }: {
    readonly tenant: TenantId;
    readonly organization: OrganizationId;
    readonly rights: TaskRights | null;
  },
): Promise<EngineResult<GraphPorts>> {
  const grant = rights?.grant ?? null;
  if (grant !== null) {
    const opened = await context.store.tenant(
      tenant,
      (tx) => openGrant(tx, context, organization, grant),
      { readOnly: true },
    );
    return opened.ok
      ? ok(connections.until(`grant ${grant}`, opened.value.access, opened.value.endsAt))
      : opened;
  }
  const ports = await connections.open(tenant, organization);
  if (!ports.ok || rights === null) return ports;
  const missing = await findMissing(
    ports.value.tokens,
    neededFor(rights.workload, rights.parts),
    // Sign-ins have their own time limit.
    new AbortController().signal,
  );
  if (!missing.ok) return missing;
  return missing.value.length === 0
    ? ports
    : failed('forbidden', t.missingRights({ names: missing.value.join(', ') }));
}

/** How objects of a kind are written. */
interface KindTarget {
  readonly writer: Writer | ((read: ReadStored) => Writer);
  readonly fetch: RestoreDestination['fetch'];
  readonly find: (id: string, call: SourceCall) => ReturnType<RestoreDestination['findObject']>;
}

function graphTarget(ports: GraphPorts, turns: WriteTurns): RestoreDestination {
  // It remembers ids for all items of a task.
  let mailboxes: Writer | null = null;
  const kinds: Readonly<Partial<Record<ObjectKind, KindTarget>>> = {
    mailbox: {
      writer: (read) => (mailboxes ??= mailboxWriter(ports, read)),
      async fetch(object, key, call) {
        const item = await readMailboxItem(ports, object, key, call);
        return item.ok ? fetchOne(mailboxSource(ports), object, item.value, call) : item;
      },
      find: (id, call) => findUser(ports, 'mailbox', id, call),
    },
    drive: {
      writer: driveWriter(ports),
      fetch: (object, key, call) => fetchOne(driveSource(ports), object, blank(key), call),
      find: (id, call) => findUser(ports, 'drive', id, call),
    },
    team: {
      writer: (read) => teamWriter(ports, turns, read),
      fetch: (object, key, call) => fetchOfTeam(ports, object, key, call),
      find: () => Promise.resolve(failed('unsupported', t.gone)),
    },
    site: {
      writer: siteWriter(ports),
      fetch: (object, key, call) =>
        fetchOne(
          siteSource(ports),
          object,
          { ...blank(key), kind: isLibrary(key) ? 'file' : 'row' },
          call,
        ),
      find: (id, call) => findSite(ports, id, call),
    },
  };
  const missing = failed('missing', t.gone);
  return {
    writerOf: (kind, read) => {
      const writer = kinds[kind]?.writer ?? null;
      return typeof writer === 'function' ? writer(read) : writer;
    },
    fetch: (object, key, call) =>
      kinds[object.kind]?.fetch(object, key, call) ?? Promise.resolve(missing),
    findObject: (kind, id, call) => kinds[kind]?.find(id, call) ?? Promise.resolve(missing),
  };
}

async function fetchOne(
  source: ObjectSource,
  object: SourceObject,
  wanted: ItemChange,
  call: SourceCall,
): ReturnType<RestoreDestination['fetch']> {
  for await (const { item, ...result } of source.fetch(object, [wanted], call))
    return result.ok ? ok({ item, parts: result.parts }) : { ok: false, error: result.error };
  return failed('missing', t.gone);
}

/** Reads a part of a team under the key that its writer gave it. */
async function fetchOfTeam(
  ports: GraphPorts,
  object: SourceObject,
  key: string,
  call: SourceCall,
): ReturnType<RestoreDestination['fetch']> {
  if (key.startsWith('post:')) return failed('unsupported', graphMessages.postNotReplaceable);
  const tab = key.startsWith('tab:') ? parseTabKey(key) : null;
  const wanted: ItemChange =
    tab === null
      ? { ...blank(key), kind: key === SETTINGS_KEY ? 'settings' : 'file' }
      : { ...blank(tab.tab), kind: 'tab', folder: getTabsKey(tab.channel) };
  const fetched = await fetchOne(teamSource(ports), object, wanted, call);
  return fetched.ok ? ok({ ...fetched.value, item: { ...fetched.value.item, key } }) : fetched;
}

/** A file of which only the key is known: the source reads its properties with its content. */
const blank = (key: string): ItemChange => ({
  key,
  changeKey: '',
  folder: '',
  kind: 'file',
  title: '',
  people: '',
  at: 0,
  changedAt: 0,
  bytes: 0,
  flags: {},
});

const USER = v.object({
  id: v.string(),
  displayName: v.nullish(v.string(), ''),
  mail: v.nullish(v.string()),
  userPrincipalName: v.nullish(v.string(), ''),
});

/** Mailboxes and drives have the id of their user. */
async function findUser(
  ports: GraphPorts,
  kind: ObjectKind,
  id: string,
  call: SourceCall,
): Promise<EngineResult<SourceObject>> {
  const path = `/users/${encodeURIComponent(id)}?$select=id,displayName,mail,userPrincipalName`;
  const user = await directoryClient(ports, call).get(path, USER);
  if (!user.ok)
    return user.error.kind === 'missing'
      ? failed('missing', t.noUser)
      : { ok: false, error: user.error };
  const { displayName, mail, userPrincipalName } = user.value;
  return ok({ kind, id: user.value.id, name: displayName, address: mail ?? userPrincipalName });
}

function getContent(repository: Repository): RestoreContent {
  const writer = writeTo(repository);
  return {
    read: (part) => readPart(repository, part),
    save: (part) => writer.save(part),
    flush: () => writer.flush(),
    async close() {
      await repository.close();
    },
  };
}

async function* readPart(repository: Repository, { blobs }: StoredPart): AsyncIterable<Uint8Array> {
  const content = await repository.readContent(blobs);
  if (!content.ok) throw new ContentError(content.error);
  yield* content.value;
}
