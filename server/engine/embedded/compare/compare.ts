import { type CompareCalls } from '../../shared/calls.ts';
import { type RawBuilder, sql } from 'kysely';
import type { ComparedItem } from '#contract/engine/compare.ts';
import type {
  Content,
  EngineResult,
  EngineScope,
  ItemKind,
  EnginePage,
} from '#contract/engine/engine.ts';
import { isImported } from '#contract/engine/imports.ts';
import type { BackupRepositoryId, ExplorerId, Ms, NodeId } from '#contract/ids.ts';
import { MINUTE_MS } from '#contract/time/durations.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed, ok } from '../../result.ts';
import {
  itemNode,
  type ItemRow,
  listChildren,
  loadState,
  type ObjectState,
  withoutContent,
} from '../explorer/children.ts';
import { type OpenExplorer, useExplorer } from '../explorer/explorers.ts';
import { explorerMessages } from '../../shared/explorer.messages.en.ts';
import { parseNodeId } from '../explorer/node-id.ts';
import { graphMessages } from '../graph/messages.en.ts';
import type { GraphPorts } from '../graph/request.ts';
import { followDenials } from '../organizations/access-denied.ts';
import type { GraphConnections } from '../organizations/access.ts';
import { recordCall } from '../../shared/record-call.ts';
import type { RestorePorts } from '../restore/running-task.ts';
import type { SourceCall, SourceObject, StoredItem } from '../types.ts';
import {
  type CurrentItem,
  type KnownItem,
  readCurrentItems,
  readCurrentPart,
  readFolderNames,
} from './current-items.ts';
import { findChangedMails } from './changed-mails.ts';
import { type ComparedSide, getDifference } from './difference.ts';
import { compareMessages as t } from './messages.en.ts';

/**
 * RES-82: compares backed-up items with those in Microsoft 365 now, which are read with the
 * backup's rights.
 */
export function makeCompareCalls(
  context: () => AppContext,
  connections: GraphConnections,
  openContent: RestorePorts['openContent'],
): CompareCalls {
  /** Nothing waits for Microsoft 365 in a transaction. What is answered is recorded (G63). */
  const ask = async <L, T>(
    scope: EngineScope,
    {
      explorer,
      node,
      as,
    }: { readonly explorer: ExplorerId; readonly node: NodeId; readonly as?: string },
    load: (tx: TenantTx, open: OpenExplorer) => Promise<EngineResult<L>>,
    read: (ports: GraphPorts, loaded: L, call: SourceCall) => Promise<EngineResult<T>>,
    count: (value: T) => number,
  ): Promise<EngineResult<T>> => {
    const { store, clock } = context();
    const loaded = await store.tenant(scope.tenant, async (tx) => {
      const open = await useExplorer(tx, scope, explorer, clock.now());
      return open.ok ? load(tx, open.value) : open;
    });
    if (!loaded.ok) return loaded;
    const ports = await connections.open(scope.tenant, scope.organization);
    if (!ports.ok) return ports;
    const result = await askInTime(ports.value, (watched, call) =>
      read(watched, loaded.value, call),
    );
    if (!result.ok) {
      await followDenials(context(), scope)(result.error);
      return result;
    }
    return store.tenant(scope.tenant, async (tx) => {
      const detail = { read: 'compared', session: explorer, node, rows: count(result.value) };
      await recordCall(tx, context(), scope, {
        what: 'backupcontent.read',
        detail: as === undefined ? detail : { ...detail, as },
      });
      return result;
    });
  };

  return {
    compare: (scope, { explorer, node }) =>
      ask(
        scope,
        { explorer, node },
        (tx, open) => loadItem(tx, open, node),
        async (ports, loaded, call) => {
          const compared = await compareItems(context(), openContent, scope, ports, loaded, call);
          if (!compared.ok) return compared;
          const [item] = compared.value;
          return item === undefined ? failed('missing', explorerMessages.noNode) : ok(item);
        },
        () => 1,
      ),

    compareFolder: (scope, { explorer, parent, cursor, limit }) =>
      ask<
        { readonly page: EnginePage<unknown>; readonly loaded: LoadedItems },
        EnginePage<ComparedItem>
      >(
        scope,
        { explorer, node: parent },
        async (tx, open) => {
          const page = await listChildren(tx, open, {
            parent,
            cursor,
            limit,
            only: 'items',
            text: null,
            sort: 'date',
            descending: true,
          });
          if (!page.ok) return page;
          const ref = parseNodeId(parent);
          const state = ref === null ? null : await loadState(tx, open, ref.object);
          if (state === null) return failed('missing', explorerMessages.noNode);
          const { rows, ...rest } = page.value;
          const numbers = rows.flatMap(({ id }) => {
            const item = parseNodeId(id);
            return item?.kind === 'item' ? [item.n] : [];
          });
          const loaded = await loadItems(tx, open, state, numbers);
          return loaded.ok ? ok({ page: { ...rest, rows: [] }, loaded: loaded.value }) : loaded;
        },
        async (ports, { page, loaded }, call) => {
          const compared = await compareItems(context(), openContent, scope, ports, loaded, call);
          return compared.ok ? ok({ ...page, rows: compared.value }) : compared;
        },
        ({ rows }) => rows.length,
      ),

    readProduction: (scope, { explorer, node, as }) =>
      ask<LoadedItems, Content>(
        scope,
        { explorer, node, as },
        async (tx, open) => {
          const loaded = await loadItem(tx, open, node);
          return loaded.ok && !loaded.value.state.reads
            ? failed('forbidden', explorerMessages.noReading)
            : loaded;
        },
        async (ports, { object, items }, call) => {
          const current = await readCurrentItems(ports, object, items, call);
          if (!current.ok) return current;
          const [item] = current.value;
          return item
            ? readCurrentPart(ports, object, item, as, call)
            : failed('missing', explorerMessages.noContent);
        },
        () => 1,
      ),
  };
}

/** A call is answered within 30 s. */
const MAX_MS: Ms = 25_000;
/** Waits for a limit of Microsoft 365 that are longer end the call. */
const MAX_WAIT_MS: Ms = 10_000;

async function askInTime<T>(
  ports: GraphPorts,
  read: (ports: GraphPorts, call: SourceCall) => Promise<EngineResult<T>>,
): Promise<EngineResult<T>> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(MAX_MS)]);
  let until: Ms | null = null;
  let lost = 0;
  let isLimited = false;
  const watched: GraphPorts = {
    ...ports,
    async fetch(request) {
      try {
        const response = await ports.fetch(request);
        lost = 0;
        isLimited = LIMITED.includes(response.status);
        return response;
      } catch (error) {
        lost += 1;
        if (lost >= MAX_LOST) stop.abort();
        throw error;
      }
    },
  };
  const result = await read(watched, {
    signal,
    onWaiting(waiting) {
      until = waiting?.until ?? until;
      if (waiting !== null && waiting.until - ports.clock.now() > MAX_WAIT_MS) stop.abort();
    },
  });
  if (result.ok) return result;
  if (lost > 0 && signal.aborted) return failed('unreachable', graphMessages.unreachable);
  const { kind, waitMs = until === null ? 0 : until - ports.clock.now() } = result.error;
  if (kind !== 'busy' && !(signal.aborted && (isLimited || until !== null)))
    return signal.aborted ? failed('unreachable', graphMessages.timeout) : result;
  const minutes = Math.max(1, Math.ceil(waitMs / MINUTE_MS));
  return failed('busy', t.throttled({ minutes }), { waitMs: minutes * MINUTE_MS });
}
/** Statuses with which Microsoft 365 asks to wait. */
const LIMITED: readonly number[] = [429, 503, 509];
/** After this many requests in a row without an answer, the call ends. */
const MAX_LOST = 2;

// ---- items of the backup

type LoadedItem = ItemRow & KnownItem & Pick<StoredItem, 'parts'>;
const getFolderName = ({ path }: KnownItem): string => path.at(-1)?.name ?? '';
interface LoadedItems {
  readonly state: ObjectState;
  readonly repository: BackupRepositoryId;
  readonly object: SourceObject;
  readonly items: readonly LoadedItem[];
}
const COMPARED: readonly ItemKind[] = ['mail', 'event', 'contact', 'task', 'file', 'row', 'post'];

async function loadItem(
  tx: TenantTx,
  explorer: OpenExplorer,
  node: NodeId,
): Promise<EngineResult<LoadedItems>> {
  const ref = parseNodeId(node);
  const state = ref?.kind === 'item' ? await loadState(tx, explorer, ref.object) : null;
  if (ref?.kind !== 'item' || state === null) return failed('missing', explorerMessages.noNode);
  return loadItems(tx, explorer, state, [ref.n]);
}

/** The versions with these numbers, in their order. */
async function loadItems(
  { sql: db, tenant }: TenantTx,
  { repository }: OpenExplorer,
  state: ObjectState,
  numbers: readonly number[],
): Promise<EngineResult<LoadedItems>> {
  const { n, kind, directoryId: id, name, address, point } = state;
  if (isImported(id)) return failed('unsupported', t.imported);
  const { rows } = await sql<LoadedItem>`
    select v.n, v.kind, v.title, v.people, v.at, v.bytes, v.flags, v.parts, v.key, v.change_key as "changeKey", v.changed_at as "changedAt", v.folder_key as folder,
      not (v.to_point is null or v.to_point >= ${point}) as deleted, seen.first, seen.last,
      coalesce(place.path, '[]'::jsonb) as path
    from item as v cross join lateral (
      select min(s.at) as first, max(s.at) as last from object_point as s
      where s.tenant_id = ${tenant} and s.object_n = ${n} and s.point >= v.from_point and (v.to_point is null or s.point <= v.to_point)
    ) as seen cross join lateral (
      with recursive above as (
        select f.*, 1 as depth from ${getFolder(tenant, state, sql`v.folder_key`)} as f
        union all
        select f.*, above.depth + 1 from above cross join lateral ${getFolder(tenant, state, sql`above.parent_key`)} as f where above.depth < ${MAX_DEPTH}
      )
      select jsonb_agg(jsonb_build_object('name', name, 'wellKnown', well_known) order by depth desc) as path from above
    ) as place
    where v.tenant_id = ${tenant} and v.object_n = ${n} and v.n = any(${numbers}::bigint[]) and v.from_point <= ${point}`.execute(
    db,
  );
  if (rows.length < numbers.length) return failed('missing', explorerMessages.noNode);
  if (rows.some((row) => !COMPARED.includes(row.kind))) return failed('unsupported', t.unsupported);
  const byNumber = new Map(rows.map((row) => [row.n, row]));
  return ok({
    state,
    repository,
    object: { kind, id, name, address },
    items: numbers.flatMap((item) => byNumber.get(item) ?? []),
  });
}

const MAX_DEPTH = 100;
const getFolder = (
  tenant: string,
  { n, point }: ObjectState,
  key: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(
  select f.parent_key, f.name, f.well_known from folder as f
  where f.tenant_id = ${tenant} and f.object_n = ${n} and f.key = ${key} and f.from_point <= ${point}
  order by f.from_point desc limit 1)`;

// ---- both sides

async function compareItems(
  { store }: AppContext,
  openContent: RestorePorts['openContent'],
  { tenant }: EngineScope,
  ports: GraphPorts,
  { state, repository, object, items }: LoadedItems,
  call: SourceCall,
): Promise<EngineResult<readonly ComparedItem[]>> {
  const current = await readCurrentItems(ports, object, items, call);
  if (!current.ok) return current;
  const names = await nameFolders(
    store,
    tenant,
    ports,
    { state, object, items },
    current.value,
    call,
  );
  const getSides = (item: LoadedItem, n: number) => {
    const now = current.value[n] ?? null;
    const folderName =
      now?.folder === item.folder ? getFolderName(item) : (names.get(now?.folder ?? '') ?? '');
    return {
      backup: { ...item, folderName: getFolderName(item) },
      production: now === null ? null : { ...now, folderName },
    };
  };
  const sides = items.map(getSides);
  const pairs = sides.filter(isUnread);
  const readTexts = async (): ReturnType<typeof findChangedMails> => {
    const content = pairs.length === 0 ? null : await openContent(tenant, repository);
    // Without its repository, the texts stay unknown.
    if (!content?.ok) return ok(new Map());
    try {
      return await findChangedMails(ports, object, pairs, content.value, call);
    } finally {
      await content.value.close();
    }
  };
  const changed = await readTexts();
  if (!changed.ok) return changed;
  return ok(
    sides.map(({ backup, production }): ComparedItem => ({
      node: itemNode(state.n, state.reads ? backup : withoutContent(backup)),
      ...getDifference(backup, production, state.reads, changed.value.get(backup.n)),
    })),
  );
}

interface Sides {
  readonly backup: LoadedItem & ComparedSide;
  readonly production: ComparedSide | null;
}

/**
 * Whether only the texts can say if a mail was changed. One that a restore wrote is compared by its
 * properties only, as Exchange may rewrite its text.
 */
function isUnread(pair: Sides): pair is Sides & { readonly production: ComparedSide } {
  const { backup, production } = pair;
  if (backup.kind !== 'mail' || production?.key !== backup.key) return false;
  const { state, content } = getDifference(backup, production, true);
  return content === 'unknown' && state !== 'changed' && backup.parts.length > 0;
}

/** Names of the folders that items were moved to: from the backups, else from Microsoft 365. */
async function nameFolders(
  store: AppContext['store'],
  tenant: EngineScope['tenant'],
  ports: GraphPorts,
  { state, object, items }: Omit<LoadedItems, 'repository'>,
  current: readonly CurrentItem[],
  call: SourceCall,
): Promise<ReadonlyMap<string, string>> {
  const moved = new Set(
    current.flatMap((now, n) =>
      now === null || now.folder === '' || now.folder === items[n]?.folder ? [] : [now.folder],
    ),
  );
  if (moved.size === 0) return new Map();
  const { rows } = await store.tenant(
    tenant,
    ({ sql: db }) =>
      sql<{ readonly key: string; readonly name: string }>`
        select distinct on (key) key, name from folder
        where tenant_id = ${tenant} and object_n = ${state.n} and key = any(${[...moved]}::text[])
        order by key, from_point desc`.execute(db),
    { readOnly: true },
  );
  const names = new Map(rows.map(({ key, name }) => [key, name]));
  const unknown = [...moved].filter((key) => !names.has(key));
  if (unknown.length === 0) return names;
  return new Map([...names, ...(await readFolderNames(ports, object, unknown, call))]);
}
