import { type EntityChange, deltaPage } from '../delta.ts';
import { GraphError } from '../graph-error.ts';
import { type GraphEntity, selectProperties } from '../odata.ts';
import type { Tenant } from '../store.ts';
import type { SyncState } from '../sync-token.ts';
import type { OutlookFolder, OutlookFolderKind, OutlookItem } from './store.ts';

const TOKENS = { next: '$skiptoken', done: '$deltatoken' } as const;
const gone = (): GraphError =>
  new GraphError(410, 'SyncStateNotFound', 'The sync state generation is not found.');

interface Departure {
  readonly id: string;
  readonly stable_id: string;
  readonly seq: number;
}

/** The items of a folder of contacts or tasks: what came, changed and left since the token. */
export function outlookItemDelta(
  tenant: Tenant,
  request: Request,
  folder: OutlookFolder,
  as: {
    readonly type: 'contact' | 'todoTask';
    readonly hasStableIds: boolean;
    readonly entity: (item: OutlookItem) => GraphEntity;
  },
): GraphEntity {
  return deltaPage(tenant, request, {
    ...rules(as.type, `${as.type}:${folder.id}`),
    changes: (state, limit) =>
      inOrder(
        [
          ...tenant.store
            .all<OutlookItem>(
              'select * from outlook_item where folder_id = ? and seq > ? and seq <= ? order by seq limit ?',
              folder.id,
              state.at,
              state.until,
              limit,
            )
            .map((row) => ({
              seq: row.seq,
              entity: typed(as.type, selectProperties(as.entity(row), state.select, as.type)),
            })),
          ...departures(tenant, folder.id, state, limit).map((row) =>
            removed(as.type, as.hasStableIds ? row.stable_id : row.id, row.seq),
          ),
        ],
        limit,
      ),
  });
}

/** Contact folders or task lists of a mailbox. The standard folder for contacts is not among them. */
export function outlookFolderDelta(
  tenant: Tenant,
  request: Request,
  mailbox: string,
  as: {
    readonly type: 'contactFolder' | 'todoTaskList';
    readonly kind: OutlookFolderKind;
    readonly entity: (folder: OutlookFolder) => GraphEntity;
  },
): GraphEntity {
  return deltaPage(tenant, request, {
    ...rules(as.type, `${as.type}s:${mailbox}`),
    changes: (state, limit) =>
      inOrder(
        [
          ...tenant.store
            .all<OutlookFolder>(
              `select * from outlook_folder where mailbox = ? and kind = ? and seq > ? and seq <= ?
                 and (well_known is null or well_known <> 'contacts') order by seq limit ?`,
              mailbox,
              as.kind,
              state.at,
              state.until,
              limit,
            )
            .map((row) => ({
              seq: row.seq,
              entity: typed(as.type, selectProperties(as.entity(row), state.select, as.type)),
            })),
          ...departures(tenant, `${as.kind}s:${mailbox}`, state, limit).map((row) =>
            removed(as.type, row.id, row.seq),
          ),
        ],
        limit,
      ),
  });
}

const rules = (type: string, scope: string) =>
  ({
    scope,
    kind: 'content',
    type,
    normalPage: 10,
    maxPage: 1000,
    tokens: TOKENS,
    gone,
  }) as const;

const typed = (type: string, entity: GraphEntity): GraphEntity => ({
  '@odata.type': `#microsoft.graph.${type}`,
  ...entity,
});
const removed = (type: string, id: string, seq: number): EntityChange => ({
  seq,
  entity: typed(type, { id, '@removed': { reason: 'deleted' } }),
});

const inOrder = (changes: readonly EntityChange[], limit: number): EntityChange[] =>
  [...changes].sort((a, b) => a.seq - b.seq).slice(0, limit);

/** Nothing can have left what a client is reading for the first time. */
const departures = (
  { store }: Tenant,
  scope: string,
  state: SyncState,
  limit: number,
): Departure[] =>
  state.since === 0
    ? []
    : store.all<Departure>(
        'select * from departure where scope = ? and seq > ? and seq <= ? order by seq limit ?',
        scope,
        state.at,
        state.until,
        limit,
      );
